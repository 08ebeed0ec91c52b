"""Ajustes in the browser: data changes on an open page, PSE is disabled after a warning, the carrier is tried out."""

import pytest
from playwright.async_api import expect

from tests.e2e.conftest import OpenPage, ShopServer
from tests.e2e.office_steps import confirm_second_factors, enter_office, visit

PHONE = (390, 844)


@pytest.fixture(scope="module")
def server(private_server: ShopServer) -> ShopServer:
    """Return a shop that only these tests use, because they change its products."""
    return private_server


async def test_settings_saved_by_the_owner_change_an_open_shop_page(
    open_page: OpenPage, server: ShopServer
) -> None:
    async with open_page(*PHONE) as owner, open_page(*PHONE) as shopper:
        await shopper.goto("/")
        await enter_office(owner, server)
        await confirm_second_factors(server)
        await visit(owner, "/oficina/ajustes")
        hours = owner.get_by_label("Horario de atención")
        await hours.fill("Todos los días, 9 a. m. a 8 p. m.")
        nit = await owner.get_by_label("NIT").input_value()
        await owner.get_by_label("NIT").fill("800.197.268-5")
        await owner.get_by_test_id("save").click()
        await expect(owner.get_by_text("Revisa el NIT")).to_be_visible()
        await expect(hours).to_have_value("Todos los días, 9 a. m. a 8 p. m.")
        await owner.get_by_label("NIT").fill(nit)
        warehouse = owner.get_by_test_id("settings-carrier_origin_company")
        await warehouse.locator("summary").click()
        town = warehouse.get_by_label("Municipio de la bodega")
        before = await town.input_value()
        await town.fill("medell")
        await owner.get_by_test_id("town-option").filter(has_text="Medellín").first.click()
        await expect(town).to_have_value("Medellín, Antioquia")
        await town.fill(before)  # other tests of this shop ship from there
        await owner.get_by_test_id("save").click()
        await expect(owner.get_by_test_id("save")).to_be_hidden()
        await expect(shopper.get_by_text("9 a. m. a 8 p. m.")).to_be_attached()
        await owner.get_by_test_id("try-carrier").click()
        await expect(owner.get_by_test_id("tried-carrier")).to_contain_text("→ Medellín: $")
        pse = owner.get_by_test_id("way-gateway_pse")
        await pse.get_by_role("button", name="Apagar").click()
        await expect(pse).to_contain_text("Nadie podrá pagar en tu tienda")
        await pse.get_by_role("button", name="Sí, apagarlo").click()
        await expect(owner.get_by_test_id("cannot-sell")).to_be_visible()
        await pse.get_by_role("button", name="Encender").click()
        await expect(owner.get_by_test_id("cannot-sell")).to_be_hidden()
        await hours.fill("")
        await owner.get_by_test_id("save").click()
        await expect(owner.get_by_test_id("save")).to_be_hidden()
