"""The screen of former addresses: redirects, unknown addresses, and suggestions."""

from typing import Any

import pytest
from sqlalchemy import select

from backend.app import Shop
from backend.catalog.collections import create_collection
from backend.catalog.models import Category
from backend.catalog.redirects.models import UnknownAddress, UrlRedirect
from backend.core.clock import now
from backend.office import redirects as module
from backend.staff.rights import COMMAND_LINE, Role
from storefront.office.redirects import RedirectsState
from tests.store_defaults import Defaults, add_product
from tests.storefront.office.conftest import BrowserFactory
from tests.storefront.office.events import send_event


async def open_screen(browser_of: BrowserFactory, role: Role, query: str = "") -> Any:
    screen: Any = await (await browser_of(role, f"/oficina/direcciones{query}")).get_state(RedirectsState)
    await send_event(screen, "load")
    return screen


@pytest.fixture
async def toys(shop: Shop, defaults: Defaults) -> None:
    async with shop.database.transaction() as session:
        await add_product(session, defaults, "balero", title="Balero de madera")
        await add_product(session, defaults, "yoyo", title="Yoyo")
        await add_product(session, defaults, "yoyo-2", title="Yoyo")
        root = Category(name="Juguetes", handle="juguetes")
        session.add(root)
        await session.flush()
        session.add(Category(name="De madera", handle="de-madera", parent_id=root.id))
        session.add(UnknownAddress(former_address="/viejo/balero", visits=7, seen_at=now()))
        session.add(UnknownAddress(former_address="/otro", visits=1, seen_at=now()))


@pytest.mark.usefixtures("toys")
async def test_redirect_for_an_unknown_address_is_saved_or_the_address_dismissed(
    shop: Shop, browser_of: BrowserFactory
) -> None:
    screen = await open_screen(browser_of, Role.SHOP)
    first, second = screen.content.unknown
    assert (first.address, first.visits_label[:10]) == ("/viejo/balero", "7 visitas,")
    assert second.visits_label.startswith("1 visita,")
    typed = {"form": first.id, "address": first.address}
    await send_event(screen, "save", {**typed, "target": "Yoyo"})
    assert screen.problems == {
        f"{first.id}-target": "Hay varios «Yoyo». Escribe el SKU, o la dirección de la página."
    }
    await send_event(screen, "save", {**typed, "target": "Balero de madera"})
    assert (screen.announcement.tone, screen.problems) == ("news", {})
    assert [(row.address, row.target, row.href) for row in screen.content.rows] == [
        ("/viejo/balero", "Balero de madera", "/product/balero")
    ]
    assert [one.address for one in screen.content.unknown] == ["/otro"]
    await send_event(screen, "dismiss", second.id)
    assert screen.content.unknown == []
    async with shop.database.read() as session:
        assert (await session.execute(select(UnknownAddress.is_dismissed))).scalars().all() == [True]


@pytest.mark.parametrize(
    ("address", "page"),
    [
        ("/producto/balero", "/product/balero"),
        ("/?product=balero", "/product/balero"),
        ("/tienda/balero.html", "/product/balero"),
        ("/categoria-producto/juguetes/de-madera", "/catalog?category=de-madera"),
        ("/?product_cat=de-madera", "/catalog?category=de-madera"),
        ("/producto/balero-viejo", ""),
        ("/?p=12", ""),
    ],
)
async def test_page_with_the_handle_of_an_unknown_address_is_suggested(
    shop: Shop, toys: None, browser_of: BrowserFactory, address: str, page: str
) -> None:
    async with shop.database.transaction() as session:
        session.add(UnknownAddress(former_address=address, visits=9, seen_at=now()))
    screen = await open_screen(browser_of, Role.SHOP)
    shown = {one.address: one.target for one in screen.content.unknown}
    assert shown == {address: page, "/viejo/balero": "/product/balero", "/otro": ""}
    if page:
        typed = {"form": "x", "address": address, "target": page}
        await send_event(screen, "save", typed)
        assert (screen.problems, screen.content.rows[0].href) == ({}, page)


@pytest.mark.usefixtures("toys")
async def test_redirect_is_added_found_and_deleted(shop: Shop, browser_of: BrowserFactory) -> None:
    screen = await open_screen(browser_of, Role.OWNER)
    assert screen.content.count_label == "0 direcciones"
    await send_event(screen, "save", {"form": "new", "address": "nada", "target": "balero"})
    await send_event(screen, "save", {"form": "new", "address": "/", "target": "balero"})
    assert list(screen.problems) == ["new-address"]
    await send_event(screen, "save", {"form": "new", "address": "/product/balero", "target": "yoyo"})
    assert screen.problems == {"new-address": "Esa dirección ya la tiene una página de tu tienda."}
    await send_event(
        screen, "save", {"form": "new", "address": "vieja.com/madera", "target": "Juguetes > De madera"}
    )
    await send_event(screen, "save", {"form": "new", "address": "/Yo-Yo?id=1", "target": "SKU-yoyo"})
    rows = [(row.address, row.target, row.is_hidden) for row in screen.content.rows]
    assert rows[:2] == [("/yo-yo?id=1", "Yoyo", False), ("/madera", "De madera", False)]
    found = await open_screen(browser_of, Role.OWNER, "?q=de+madera")
    assert [row.address for row in found.content.rows] == []
    found = await open_screen(browser_of, Role.OWNER, "?q=yo-yo")
    assert [row.address for row in found.content.rows] == ["/yo-yo?id=1"]
    await send_event(screen, "delete", screen.content.rows[0].id)
    async with shop.database.read() as session:
        assert (
            "/yo-yo?id=1" not in (await session.execute(select(UrlRedirect.former_address))).scalars().all()
        )


@pytest.mark.usefixtures("toys")
async def test_redirect_targets_that_match_the_typed_words_are_suggested(browser_of: BrowserFactory) -> None:
    screen = await open_screen(browser_of, Role.SHOP)
    await send_event(screen, "suggest", "madera")
    assert [(one.value, one.label) for one in screen.suggestions] == [
        ("De madera", "Categoría"),
        ("Balero de madera", "Balero de madera · SKU-balero"),
    ]
    await send_event(screen, "suggest", "yoyo")
    assert [one.value for one in screen.suggestions] == ["/product/yoyo", "/product/yoyo-2"]
    await send_event(screen, "suggest", " ")
    assert screen.suggestions == []


@pytest.mark.usefixtures("toys")
async def test_more_redirects_load_on_demand(
    browser_of: BrowserFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "PAGE_SIZE", 1)
    screen = await open_screen(browser_of, Role.OWNER)
    for number in range(2):
        await send_event(screen, "save", {"form": "new", "address": f"/{number}", "target": "balero"})
    assert [row.address for row in screen.content.rows] == ["/1"]
    await send_event(screen, "load_more")
    assert [row.address for row in screen.content.rows] == ["/1", "/0"]
    await send_event(screen, "show_stored")
    assert [row.address for row in screen.content.rows] == ["/1"]


@pytest.mark.usefixtures("toys")
async def test_role_without_the_right_cannot_change_redirects(shop: Shop, browser_of: BrowserFactory) -> None:
    screen = await open_screen(browser_of, Role.STOCKROOM)
    assert len(screen.content.unknown) == 2
    for name, argument in (
        ("save", {"form": "new", "address": "/a", "target": "balero"}),
        ("dismiss", screen.content.unknown[0].id),
        ("delete", "redir_x"),
    ):
        await send_event(screen, name, argument)
        assert screen.announcement.text == "Tu rol no permite hacer esto."
    async with shop.database.read() as session:
        assert (await session.execute(select(UrlRedirect))).first() is None


@pytest.mark.parametrize("nonsense", [None, {}, {"form": "x" * 9000}, 7, ["x"]])
async def test_invalid_input_of_the_redirects_screen_changes_nothing(
    browser_of: BrowserFactory, nonsense: Any
) -> None:
    screen = await open_screen(browser_of, Role.OWNER)
    for name in ("save", "delete", "dismiss", "suggest"):
        await send_event(screen, name, nonsense)
        assert screen.announcement.tone == "problem", name


@pytest.mark.usefixtures("toys")
async def test_collection_can_be_suggested_and_chosen_as_a_redirect_target(
    shop: Shop, browser_of: BrowserFactory
) -> None:
    async with shop.database.transaction() as session:
        await create_collection(session, COMMAND_LINE, title="Navidad")
        await create_collection(session, COMMAND_LINE, title="De madera", handle="maderas")
    screen = await open_screen(browser_of, Role.SHOP)
    await send_event(screen, "suggest", "navi")
    assert [(one.value, one.label) for one in screen.suggestions] == [("Navidad", "Colección")]
    await send_event(screen, "suggest", "de madera")  # the name alone is that of a category
    assert [one.value for one in screen.suggestions][:2] == ["De madera", "/collection/maderas"]
    await send_event(screen, "save", {"form": "new", "address": "/xmas", "target": "Navidad"})
    (row,) = screen.content.rows
    assert (row.target, row.href, row.is_hidden) == ("Navidad", "/collection/navidad", False)
