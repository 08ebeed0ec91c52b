"""The screens of collections, used by a staff member of the shop's role."""

from typing import Any

import httpx
import pytest
from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.app import Shop
from backend.audit import AuditEntry
from backend.catalog.collections import create_collection, move_collection
from backend.catalog.models import Collection, Product
from backend.office.catalog.category_saving import CHANGED_TEXT
from backend.staff.rights import Actor, Role
from storefront.office.catalog.collections import CollectionsState, CollectionState
from tests.backend.rivals import run_against_rival
from tests.store_defaults import Defaults, add_product
from tests.store_steps import get
from tests.storefront.office.conftest import BrowserFactory
from tests.storefront.office.events import open_screen, send_event

ANA = Actor("user_ana", Role.SHOP)
PICTURE = "/pictures/0123456789abcdef/foto-640x480-640.webp"


@pytest.fixture
async def ids(shop: Shop, defaults: Defaults) -> dict[str, str]:
    """Create two products and three collections; return the ids by handle."""
    async with shop.database.transaction() as session:
        for handle in ("maria", "pastora"):
            await add_product(session, defaults, handle, stock=3)
        made = [await create_collection(session, ANA, title=title) for title in ("Uno", "Dos", "Tres")]
        products = dict((await session.execute(select(Product.handle, Product.id))).all())
        return {one.handle: one.id for one in made} | products


async def open_list(browser_of: BrowserFactory) -> Any:
    return await open_screen(browser_of, Role.SHOP, "/oficina/colecciones", CollectionsState)


async def open_editor(browser_of: BrowserFactory, collection_id: str) -> Any:
    return await open_screen(browser_of, Role.SHOP, f"/oficina/colecciones/{collection_id}", CollectionState)


def form_of(screen: Any, **changed: str) -> dict[str, str]:
    shown = screen.content
    return {
        "name": shown.name,
        "handle": shown.handle,
        "description": shown.description,
        "is_active": "on",
        "product_ids": " ".join(row.id for row in shown.products),
        "seen": shown.version,
        **changed,
    }


async def test_collections_are_created_moved_and_hidden(
    shop: Shop, ids: dict[str, str], browser_of: BrowserFactory, store: httpx.AsyncClient
) -> None:
    screen = await open_list(browser_of)
    await send_event(screen, "create", {"name": "Navidad 🎄"})
    await send_event(screen, "move", screen.content.rows[3].id, "before", ids["uno"])
    await send_event(screen, "move", ids["uno"], "after", ids["tres"])
    assert [row.name for row in screen.content.rows] == ["Navidad 🎄", "Dos", "Tres", "Uno"]
    await send_event(screen, "set_active", ids["dos"], False)
    assert [row.is_visible for row in screen.content.rows] == [True, False, True, True]
    listed = (await get(store, "/store/collections"))["collections"]
    assert {one["title"] for one in listed} == {"Navidad 🎄", "Tres", "Uno"}
    assert (await store.get(f"/store/collections/{ids['dos']}")).status_code == 404
    assert (await store.get(f"/store/collections/{ids['uno']}")).status_code == 200


@pytest.mark.parametrize("name", ["", "dós", "N" * 101])
async def test_invalid_or_repeated_name_of_a_collection_is_refused(
    ids: dict[str, str], browser_of: BrowserFactory, name: str
) -> None:
    screen = await open_list(browser_of)
    await send_event(screen, "create", {"name": name})
    assert (list(screen.problems), len(screen.content.rows)) == (["name"], 3)
    await send_event(screen, "move", ids["uno"], "inside", ids["dos"])
    assert screen.announcement.tone == "problem"


async def test_collection_editor_saves_the_collection_and_its_products(
    shop: Shop, ids: dict[str, str], browser_of: BrowserFactory
) -> None:
    screen = await open_editor(browser_of, ids["uno"])
    typed = {"name": "Clásicos", "description": "De siempre.", "is_active": "", "product_ids": ids["maria"]}
    await send_event(screen, "save", form_of(screen, **typed))
    shown = screen.content
    assert (shown.name, shown.description, shown.is_active) == ("Clásicos", "De siempre.", False)
    assert [row.id for row in shown.products] == [ids["maria"]]
    await send_event(screen, "save", form_of(screen, product_ids=ids["pastora"]))
    async with shop.database.read() as session:
        owners = dict((await session.execute(select(Product.handle, Product.collection_id))).all())
        entries = select(AuditEntry.action).where(AuditEntry.subject_id == ids["uno"])
        actions = set((await session.execute(entries)).scalars())
    assert owners == {"maria": None, "pastora": ids["uno"]}
    assert actions == {"created", "changed", "products assigned"}


async def test_collection_changed_by_another_staff_member_is_not_overwritten(
    ids: dict[str, str], browser_of: BrowserFactory
) -> None:
    mine, theirs = [await open_editor(browser_of, ids["uno"]) for _person in range(2)]
    await send_event(theirs, "save", form_of(theirs, name="Ellos"))
    await send_event(mine, "save", form_of(mine, name="Yo"))
    assert mine.announcement.text == CHANGED_TEXT


async def test_picture_of_a_collection_is_set_and_the_collection_deleted(
    shop: Shop, ids: dict[str, str], browser_of: BrowserFactory
) -> None:
    screen = await open_editor(browser_of, ids["uno"])
    await send_event(screen, "set_picture", ["data:text/html,x"])
    assert screen.announcement.tone == "problem"
    await send_event(screen, "set_picture", [PICTURE])
    assert screen.content.picture
    await send_event(screen, "remove_picture")
    assert screen.content.picture == ""
    await send_event(screen, "delete")
    async with shop.database.read() as session:
        assert set((await session.execute(select(Collection.handle))).scalars()) == {"dos", "tres"}


async def test_concurrent_moves_of_collections_result_in_one_sequence(
    shop: Shop, ids: dict[str, str]
) -> None:
    async def rival(session: AsyncSession) -> None:
        await move_collection(session, ANA, ids["tres"], ids["uno"], is_after=False)

    async def move() -> None:
        async with shop.database.transaction() as session:
            await move_collection(session, ANA, ids["uno"], ids["dos"], is_after=True)

    await run_against_rival(shop.database, rival, move)
    async with shop.database.read() as session:
        query = select(Collection.handle, Collection.rank).order_by(Collection.rank)
        assert (await session.execute(query)).all() == [("tres", 0), ("dos", 1), ("uno", 2)]


async def test_changed_address_of_a_collection_keeps_the_former_one(
    ids: dict[str, str], browser_of: BrowserFactory
) -> None:
    screen = await open_editor(browser_of, ids["uno"])
    assert (screen.content.page_path, screen.content.former) == ("/collection/uno", [])
    for handle in ("dos", "Año nuevo", "a/b", "x" * 101):
        await send_event(screen, "save", form_of(screen, handle=handle))
        assert list(screen.problems) == ["handle"], handle
    await send_event(screen, "save", form_of(screen, handle="ano", name="Fin de año"))
    assert (screen.content.page_path, screen.content.former) == ("/collection/ano", ["/collection/uno"])
    await send_event(screen, "save", form_of(screen, handle=""))
    assert screen.content.handle == "ano"
