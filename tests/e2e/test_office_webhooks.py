"""Connections with other programs in Ajustes, on a phone: add one, read its answers, and delete it."""

import re

import pytest
from playwright.async_api import expect

from tests.e2e.conftest import OpenPage, ShopServer
from tests.e2e.office_steps import confirm_second_factors, enter_office, visit

PHONE = (390, 844)
URL = "https://93.184.216.34/trompo"
"""An address of nobody: the shop accepts it, and gets no answer."""


@pytest.fixture(scope="module")
def server(private_server: ShopServer) -> ShopServer:
    """Return the shop that only the tests of this file use."""
    return private_server


async def test_owner_connects_another_program(open_page: OpenPage, server: ShopServer) -> None:
    async with open_page(*PHONE) as owner:
        await enter_office(owner, server)
        await confirm_second_factors(server)
        await visit(owner, "/oficina/ajustes")
        section = owner.get_by_test_id("settings-webhooks")
        new = section.get_by_test_id("webhook-new")
        await new.locator("summary").click()
        url = new.get_by_label("Dirección del programa")
        await url.fill("https://127.0.0.1/trompo")
        await new.get_by_label("Pedido nuevo").check()
        await new.get_by_test_id("webhook-save").click()
        await expect(new.get_by_text("Esa dirección es de una red privada")).to_be_visible()
        await expect(url).to_have_value("https://127.0.0.1/trompo")
        await expect(new.get_by_label("Pedido nuevo")).to_be_checked()

        await url.fill(URL)
        await new.get_by_test_id("webhook-save").click()
        secret = section.get_by_test_id("webhook-secret")
        await expect(secret.get_by_role("textbox")).to_have_value(re.compile("^whsec_"))
        row = section.get_by_test_id("webhook-row")
        await expect(row).to_contain_text("93.184.216.34")
        await expect(row).to_contain_text("Pedido nuevo")
        await owner.reload()
        await expect(row).to_be_visible()
        await expect(secret).to_be_hidden()

        await row.get_by_role("button", name="Apagar").click()
        await row.get_by_role("button", name="Sí, apagarla").click()
        await expect(row).to_contain_text("Apagada")
        change = row.get_by_test_id("webhook-change")
        await change.locator("summary").click()
        await change.get_by_label("Pago recibido").check()
        await change.get_by_test_id("webhook-save").click()
        await expect(row).to_contain_text("Pedido nuevo · Pago recibido")
        await row.get_by_role("button", name="Borrar").click()
        await row.get_by_role("button", name="Sí, borrarla").click()
        await expect(row).to_be_hidden()
