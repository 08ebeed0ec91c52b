"""Categories: hidden ones, former addresses, the tree's limits, and concurrent moves.

Hidden categories and those below them are in no menu, sitemap, suggestion, feed, redirect, section of the home page or
answer of the Store API. `is_visible_category` and `Tree.visible` are the only places with this rule.
"""

from pathlib import Path
from typing import Any

import httpx
import pytest
from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

import backend
from backend.app import Shop
from backend.audit import AuditEntry
from backend.catalog import categories as module
from backend.catalog.categories import (
    MovePosition,
    assign_to_category,
    change_category,
    create_category,
    delete_category,
    move_category,
)
from backend.catalog.category_tree import category_tree, read_tree, read_visible_tree
from backend.catalog.derived_models import SearchTerm
from backend.catalog.models import Category, Product
from backend.catalog.redirects.addresses import parse_address
from backend.catalog.redirects.group_addresses import find_moved_group
from backend.catalog.redirects.lookup import find_former_address
from backend.catalog.redirects.service import create_redirect
from backend.catalog.redirects.targets import RedirectTarget
from backend.catalog.schemas.admin import CategoryChange
from backend.catalog.search.suggestions import read_suggestion_source
from backend.catalog.storefront.category_tiles import read_category_tiles
from backend.catalog.storefront.merchant_feed import read_category_paths
from backend.catalog.storefront.sitemap import list_category_entries
from backend.content.areas import Section, SectionKind
from backend.content.home import list_section_views
from backend.core.errors import Forbidden, NotAllowed, NotFound
from backend.office.catalog.category_page import categories_page
from backend.office.redirects import redirects_view
from backend.staff.rights import Actor, Role
from tests.backend.rivals import run_against_rival
from tests.store_defaults import Defaults, add_product
from tests.store_steps import get, post

ANA = Actor("user_ana", Role.SHOP)
BACKEND = Path(backend.__file__).parent


@pytest.fixture
async def ids(shop: Shop, shop_defaults: Defaults) -> dict[str, str]:
    """Create Libros (with Novelas and Cuentos) and Mapas; a product in Novelas. Return the ids by handle."""
    async with shop.database.transaction() as session:
        await add_product(session, shop_defaults, "la-voragine", stock=3)
        books = await create_category(session, ANA, name="Libros")
        novels = await create_category(session, ANA, name="Novelas", parent_id=books.id)
        await create_category(session, ANA, name="Cuentos", parent_id=books.id)
        await create_category(session, ANA, name="Mapas")
        product = (await session.execute(select(Product.id))).scalar_one()
        await assign_to_category(session, ANA, novels.id, [product], [])
        return {one.handle: one.id for one in (await read_tree(session)).by_id.values()} | {
            "product": product
        }


async def change(shop: Shop, category_id: str, **fields: Any) -> None:
    async with shop.database.transaction() as session:
        await change_category(session, ANA, category_id, CategoryChange(**fields))


async def move(shop: Shop, category_id: str, place: MovePosition, target_id: str) -> None:
    async with shop.database.transaction() as session:
        await move_category(session, ANA, category_id, place, target_id)


async def read_handles(shop: Shop, parent_id: str | None = None) -> list[str]:
    async with shop.database.read() as session:
        return [one.handle for one in (await read_tree(session)).children(parent_id)]


async def find_moved(shop: Shop, handle: str) -> str:
    async with shop.database.read() as session:
        return await find_moved_group(session, Category, handle)


async def test_hidden_category_hides_itself_and_its_descendants(
    shop: Shop, ids: dict[str, str], store: httpx.AsyncClient
) -> None:
    await change(shop, ids["libros"], is_active=False)
    async with shop.database.read() as session:
        assert set((await read_visible_tree(session)).by_handle) == {"mapas"}
        assert [node.handle for node in await category_tree(session)] == ["mapas"]
        assert [entry.handle for entry in await list_category_entries(session)] == ["mapas"]
        assert (await read_suggestion_source(session)).categories == ()
        assert await read_category_paths(session, [ids["product"]]) == {ids["product"]: []}
        terms = select(SearchTerm.term).where(SearchTerm.product_id == ids["product"])
        assert not {"novela", "novelas"} & set((await session.execute(terms)).scalars())
    listed = (await get(store, "/store/product-categories"))["product_categories"]
    assert [one["handle"] for one in listed] == ["mapas"]
    assert (await store.get(f"/store/product-categories/{ids['novelas']}")).status_code == 404
    await change(shop, ids["libros"], is_active=True)
    async with shop.database.read() as session:
        assert len((await read_visible_tree(session)).by_id) == 4
        assert {"novela", "novelas"} & set((await session.execute(terms)).scalars())


async def test_page_of_a_category_below_a_hidden_category_is_linked_from_nowhere(
    shop: Shop, ids: dict[str, str], store: httpx.AsyncClient
) -> None:
    section = Section(kind=SectionKind.EDITORIAL, title="Novelas", category_id=ids["novelas"])

    async def read_links() -> tuple[str, str, int, list[str], list[str], list[str]]:
        async with shop.database.read() as session:
            (view,) = await list_section_views(session, [section])
            tiles = [tile.handle for tile in await read_category_tiles(session)]
        found = await find_former_address(shop.database, shop.catalog_version, b"/viejas", b"")
        assert found is not None
        query = {"category_id": ids["novelas"], "fields": "*categories"}
        products = (await get(store, "/store/products", **query))["products"]
        (product,) = (await get(store, "/store/products", fields="*categories"))["products"]
        names = [one["handle"] for one in product["categories"]]
        handles = [one["handle"] for one in products]
        return found.page, view.more, len(view.cards), tiles, handles, names

    async with shop.database.transaction() as session:
        target = RedirectTarget(category_id=ids["novelas"])
        await create_redirect(session, ANA, parse_address("/viejas"), target)
    page = "/catalog?category=novelas"
    assert await read_links() == (page, page, 1, ["libros"], ["la-voragine"], ["novelas"])
    await change(shop, ids["libros"], is_active=False)
    assert await read_links() == ("", "", 0, [], [], [])
    async with shop.database.read() as session:
        (row,) = (await redirects_view(session, ANA, {})).rows
    assert row.is_hidden


async def test_category_tree_counts_only_products_that_the_category_page_shows(
    shop: Shop, ids: dict[str, str]
) -> None:
    await change(shop, ids["novelas"], is_active=False)
    async with shop.database.read() as session:
        assert [(node.handle, node.count) for node in await category_tree(session)] == [
            ("libros", 0),
            ("mapas", 0),
        ]
        assert await read_category_tiles(session) == []
        # staff also count the products of hidden categories
        rows = (await categories_page(session, ANA)).rows
    assert [(row.name, row.detail[:1]) for row in rows if row.detail[:1] == "1"] == [
        ("Libros", "1"),
        ("Novelas", "1"),
    ]


def test_only_the_category_tree_module_reads_is_active_of_categories() -> None:
    """Check that no other module reads `is_active`: a category is also hidden if one of its ancestors is."""
    places = [path.name for path in BACKEND.rglob("*.py") if "Category.is_active" in path.read_text("utf-8")]
    assert places == ["category_tree.py"]


async def test_admin_api_lists_hidden_categories(
    shop: Shop, ids: dict[str, str], admin: httpx.AsyncClient
) -> None:
    changed = await post(admin, f"/admin/product-categories/{ids['mapas']}", {"is_active": False})
    assert changed["product_category"]["is_active"] is False
    for is_active, handles in (("false", {"mapas"}), ("true", {"libros", "novelas", "cuentos"})):
        answer = await get(admin, "/admin/product-categories", is_active=is_active)
        assert {one["handle"] for one in answer["product_categories"]} == handles
    made = await post(admin, "/admin/product-categories", {"name": "Atlas", "is_active": False})
    assert made["product_category"]["is_active"] is False


async def test_former_handle_leads_to_its_category_until_another_category_has_it(
    shop: Shop, ids: dict[str, str]
) -> None:
    await change(shop, ids["novelas"], handle="novela")
    await change(shop, ids["novelas"], handle="ficcion")
    assert [await find_moved(shop, handle) for handle in ("novelas", "novela", "ficcion")] == [
        "ficcion",
        "ficcion",
        "",
    ]
    await change(shop, ids["cuentos"], handle="novela")
    assert [await find_moved(shop, handle) for handle in ("novelas", "novela", "cuentos")] == [
        "ficcion",
        "",
        "novela",
    ]
    await change(shop, ids["novelas"], is_active=False)
    assert await find_moved(shop, "novelas") == ""
    await change(shop, ids["novelas"], handle="novelas")
    assert await find_moved(shop, "novelas") == ""


@pytest.mark.parametrize("heir", ["libros", "mapas"])
async def test_addresses_of_a_deleted_category_redirect_to_the_category_that_replaces_it(
    shop: Shop, ids: dict[str, str], heir: str
) -> None:
    await change(shop, ids["novelas"], handle="ficcion")
    async with shop.database.transaction() as session:
        heir_id = None if heir == "libros" else ids[heir]  # the parent is the default
        await delete_category(session, ANA, ids["novelas"], heir_id=heir_id)
    assert [await find_moved(shop, handle) for handle in ("novelas", "ficcion")] == [heir, heir]


async def test_address_of_a_root_category_deleted_without_a_replacement_leads_nowhere(
    shop: Shop, ids: dict[str, str]
) -> None:
    async with shop.database.transaction() as session:
        await delete_category(session, ANA, ids["mapas"])
    assert await find_moved(shop, "mapas") == ""
    with pytest.raises(NotAllowed):
        async with shop.database.transaction() as session:
            await delete_category(session, ANA, ids["libros"])


@pytest.mark.parametrize(
    ("place", "target", "siblings"),
    [
        (MovePosition.BEFORE, "novelas", ["mapas", "novelas", "cuentos"]),
        (MovePosition.AFTER, "novelas", ["novelas", "mapas", "cuentos"]),
        (MovePosition.INSIDE, "libros", ["novelas", "cuentos", "mapas"]),
        (MovePosition.BEFORE, "libros", ["mapas", "libros"]),
        (MovePosition.AFTER, "libros", ["libros", "mapas"]),
    ],
)
async def test_category_is_moved_next_to_or_into_another(
    shop: Shop, ids: dict[str, str], place: MovePosition, target: str, siblings: list[str]
) -> None:
    await move(shop, ids["mapas"], place, ids[target])
    parent_id = ids["libros"] if "novelas" in siblings else None
    assert await read_handles(shop, parent_id) == siblings
    async with shop.database.read() as session:
        ranks = [one.rank for one in (await read_tree(session)).children(parent_id)]
        assert ranks == list(range(len(siblings)))
        entries = select(AuditEntry.action).where(AuditEntry.subject_id == ids["mapas"])
        assert list((await session.execute(entries.order_by(AuditEntry.id))).scalars()) == [
            "created",
            "changed",
        ]


@pytest.mark.parametrize("target", ["libros", "novelas"])
async def test_category_cannot_be_moved_into_itself(shop: Shop, ids: dict[str, str], target: str) -> None:
    with pytest.raises(NotAllowed):
        await move(shop, ids["libros"], MovePosition.INSIDE, ids[target])
    assert await read_handles(shop) == ["libros", "mapas"]


@pytest.mark.parametrize("place", [MovePosition.BEFORE, MovePosition.AFTER])
async def test_move_next_to_the_category_itself_changes_nothing(
    shop: Shop, ids: dict[str, str], place: MovePosition
) -> None:
    await move(shop, ids["libros"], place, ids["libros"])
    assert await read_handles(shop) == ["libros", "mapas"]


async def test_category_beyond_the_maximum_depth_or_number_is_refused(
    shop: Shop, ids: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "MAX_DEPTH", 2)
    with pytest.raises(NotAllowed):
        async with shop.database.transaction() as session:
            await create_category(session, ANA, name="Terror", parent_id=ids["novelas"])
    with pytest.raises(NotAllowed):  # the moved category has children
        await move(shop, ids["libros"], MovePosition.INSIDE, ids["mapas"])
    await move(shop, ids["novelas"], MovePosition.INSIDE, ids["mapas"])
    monkeypatch.setattr(module, "MAX_CATEGORIES", 4)
    with pytest.raises(NotAllowed):
        async with shop.database.transaction() as session:
            await create_category(session, ANA, name="Atlas")


async def test_two_concurrent_moves_of_categories_are_both_kept(shop: Shop, ids: dict[str, str]) -> None:
    async def rival(session: AsyncSession) -> None:
        await move_category(session, ANA, ids["mapas"], MovePosition.BEFORE, ids["cuentos"])

    await run_against_rival(
        shop.database, rival, lambda: move(shop, ids["novelas"], MovePosition.AFTER, ids["cuentos"])
    )
    assert await read_handles(shop, ids["libros"]) == ["mapas", "cuentos", "novelas"]
    async with shop.database.read() as session:
        assert [one.rank for one in (await read_tree(session)).children(ids["libros"])] == [0, 1, 2]


async def test_two_concurrent_moves_of_categories_cannot_create_a_cycle(
    shop: Shop, ids: dict[str, str]
) -> None:
    async def rival(session: AsyncSession) -> None:
        await move_category(session, ANA, ids["libros"], MovePosition.INSIDE, ids["mapas"])

    with pytest.raises(NotAllowed):
        await run_against_rival(
            shop.database, rival, lambda: move(shop, ids["mapas"], MovePosition.INSIDE, ids["libros"])
        )
    assert await read_handles(shop) == ["mapas"]


async def test_move_into_a_concurrently_deleted_category_is_refused(shop: Shop, ids: dict[str, str]) -> None:
    async def rival(session: AsyncSession) -> None:
        await delete_category(session, ANA, ids["mapas"])

    with pytest.raises(NotFound):
        await run_against_rival(
            shop.database, rival, lambda: move(shop, ids["novelas"], MovePosition.INSIDE, ids["mapas"])
        )


async def test_category_move_is_refused_without_the_right(shop: Shop, ids: dict[str, str]) -> None:
    packer = Actor("user_leo", Role.STOCKROOM)
    with pytest.raises(Forbidden):
        async with shop.database.transaction() as session:
            await move_category(session, packer, ids["mapas"], MovePosition.INSIDE, ids["libros"])
