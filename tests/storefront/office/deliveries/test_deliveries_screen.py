"""The screen Entregas: municipalities are chosen, zones and points are saved, and refusals keep what was typed."""

from typing import Any

import pytest

from backend.app import Shop
from backend.staff.rights import Role
from storefront.live.refresh import update_state
from storefront.office.deliveries.state import DeliveriesState
from tests.backend.office.deliveries.test_saving import ENVIGADO, MEDELLIN, POINT, ZONE
from tests.storefront.office.conftest import BrowserFactory
from tests.storefront.office.events import send_event


async def open_screen(browser_of: BrowserFactory, role: Role = Role.OWNER) -> Any:
    screen: Any = await (await browser_of(role, "/oficina/entregas")).get_state(DeliveriesState)
    await send_event(screen, "load")
    return screen


@pytest.mark.usefixtures("defaults")
async def test_municipalities_are_found_added_and_removed(browser_of: BrowserFactory) -> None:
    screen = await open_screen(browser_of)
    await send_event(screen, "find_towns", "new", "envig")
    assert (screen.suggested_for, [tag.code for tag in screen.suggestions]) == ("new", [ENVIGADO])
    await send_event(screen, "add_town", "new", ENVIGADO)
    await send_event(screen, "add_town", "new", MEDELLIN)
    await send_event(screen, "add_town", "new", MEDELLIN)
    await send_event(screen, "add_town", "new", "99999999")
    assert (screen.codes["new"], screen.suggestions) == (f"{ENVIGADO} {MEDELLIN}", [])
    await send_event(screen, "remove_town", "new", ENVIGADO)
    assert [tag.label for tag in screen.towns["new"]] == ["Medellín, Antioquia"]
    assert screen.codes["new-point"], "the first point begins at the warehouse"
    for code in (MEDELLIN, ENVIGADO):  # a point has one municipality
        await send_event(screen, "add_town", "new-point", code)
    assert screen.codes["new-point"] == ENVIGADO
    await send_event(screen, "add_town", "nosuch", MEDELLIN)
    assert screen.announcement.tone == "problem"
    assert "nosuch" not in screen.codes


@pytest.mark.usefixtures("defaults")
async def test_zone_is_saved_changed_and_deleted(browser_of: BrowserFactory) -> None:
    screen = await open_screen(browser_of)
    await send_event(screen, "add_town", "new", MEDELLIN)
    await send_event(screen, "save_zone", {**ZONE, "form": "new", "version": "", "price": "mucho"})
    assert screen.problems == {"new-price": "Escribe el precio en pesos. 0 es gratis."}
    assert screen.codes["new"] == MEDELLIN
    await send_event(screen, "save_zone", {**ZONE, "form": "new", "version": ""})
    assert (screen.announcement.tone, screen.problems, screen.codes["new"]) == ("news", {}, "")
    [zone] = screen.content.zones
    change = {**ZONE, "form": zone.id, "version": zone.form.version, "price": "9.000"}
    await send_event(screen, "save_zone", change)
    assert screen.content.zones[0].form.texts["price"] == "9.000"
    await send_event(screen, "save_zone", {**change, "price": "1.000"})  # the version is an earlier one
    assert (screen.announcement.tone, screen.announcement.text[:25]) == (
        "problem",
        "Otra persona la cambió mi",
    )
    assert screen.content.zones[0].form.texts["price"] == "9.000"
    await send_event(screen, "save_zone", {**ZONE, "form": "new", "version": "", "name": "Otra"})
    assert screen.announcement.text.startswith("Guardada. Medellín, Envigado: también en la zona «Domicilio»")
    await send_event(screen, "delete", zone.id)
    assert [row.name for row in screen.content.zones] == ["Otra"]


@pytest.mark.usefixtures("defaults")
async def test_zone_changed_by_another_staff_member_updates_only_its_own_form(
    browser_of: BrowserFactory,
) -> None:
    screen, other = await open_screen(browser_of), await open_screen(browser_of)
    await send_event(screen, "add_town", "new", MEDELLIN)
    await send_event(other, "save_zone", {**ZONE, "form": "new", "version": ""})
    [zone] = other.content.zones
    await update_state(screen)
    assert screen.codes["new"] == MEDELLIN
    assert screen.codes[zone.id] == f"{MEDELLIN} {ENVIGADO}"
    change = {**ZONE, "form": zone.id, "version": zone.form.version, "towns": ENVIGADO}
    await send_event(other, "save_zone", change)
    await update_state(screen)
    assert (screen.codes["new"], screen.codes[zone.id]) == (MEDELLIN, ENVIGADO)
    assert [tag.code for tag in screen.towns[zone.id]] == [ENVIGADO]
    await send_event(other, "delete", zone.id)
    await update_state(screen)
    assert zone.id not in screen.codes


@pytest.mark.usefixtures("defaults")
async def test_pickup_point_is_saved(browser_of: BrowserFactory) -> None:
    screen = await open_screen(browser_of)
    [point] = screen.content.points
    assert point.form.texts["address"] == screen.content.new_point.texts["address"] == "Calle 80 # 68-20"
    await send_event(screen, "save_point", {**POINT, "form": point.id, "version": "", "address": ""})
    assert screen.problems == {f"{point.id}-address": "Escribe la dirección."}
    await send_event(screen, "save_point", {**POINT, "form": point.id, "version": point.form.version})
    assert [row.where for row in screen.content.points] == ["Calle 10 # 4-20, Medellín"]
    assert screen.content.new_point.texts["address"] == "", "a further point is elsewhere"
    await send_event(screen, "save_point", {**POINT, "form": "new-point", "version": "", "name": "Otro"})
    assert [row.name for row in screen.content.points] == ["Recoger en El Poblado", "Otro"]


@pytest.mark.usefixtures("defaults")
@pytest.mark.parametrize("role", [Role.SHOP, Role.STOCKROOM])
async def test_other_roles_see_deliveries_but_cannot_change_them(
    shop: Shop, browser_of: BrowserFactory, role: Role
) -> None:
    screen = await open_screen(browser_of, role)
    [point] = screen.content.points
    await send_event(screen, "save_zone", {**ZONE, "form": "new", "version": ""})
    assert screen.announcement.tone == "problem"
    await send_event(screen, "save_point", {**POINT, "form": "new-point", "version": ""})
    await send_event(screen, "delete", point.id)
    await send_event(screen, "add_town", "new", MEDELLIN)
    await send_event(screen, "load")
    assert (screen.content.zones, [row.id for row in screen.content.points]) == ([], [point.id])
    assert screen.codes["new"] == ""
