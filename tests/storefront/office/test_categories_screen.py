"""The screens of categories, used by a staff member of the shop's role."""

from typing import Any

import pytest
from sqlalchemy import select

from backend.app import Shop
from backend.audit import AuditEntry
from backend.catalog.categories import create_category
from backend.catalog.category_tree import read_tree
from backend.catalog.models import Category, Product
from backend.office.catalog.category_page import categories_page
from backend.office.catalog.category_saving import CHANGED_TEXT
from backend.staff.rights import Actor, Role
from storefront.office.catalog.categories import CategoriesState
from storefront.office.catalog.category_editor import CategoryState
from storefront.pages import catalog_list
from storefront.pages.page_loader import PageParams
from tests.store_defaults import Defaults, add_product
from tests.storefront.office.conftest import BrowserFactory
from tests.storefront.office.events import open_screen, send_event

ANA = Actor("user_ana", Role.SHOP)
PICTURE = "/pictures/0123456789abcdef/foto-640x480-640.webp"


@pytest.fixture
async def ids(shop: Shop, defaults: Defaults) -> dict[str, str]:
    """Create two products, and the category Libros with the subcategory Novelas. Return the ids by handle."""
    async with shop.database.transaction() as session:
        for handle in ("la-voragine", "maria"):
            await add_product(session, defaults, handle, stock=3)
        books = await create_category(session, ANA, name="Libros")
        novels = await create_category(session, ANA, name="Novelas", parent_id=books.id)
        products = dict((await session.execute(select(Product.handle, Product.id))).all())
        return {"libros": books.id, "novelas": novels.id} | products


async def open_list(browser_of: BrowserFactory) -> Any:
    return await open_screen(browser_of, Role.SHOP, "/oficina/categorias", CategoriesState)


async def open_editor(browser_of: BrowserFactory, category_id: str) -> Any:
    return await open_screen(browser_of, Role.SHOP, f"/oficina/categorias/{category_id}", CategoryState)


def form_of(screen: Any, **changed: str) -> dict[str, str]:
    shown = screen.content
    return {
        "name": shown.name,
        "handle": shown.handle,
        "description": shown.description,
        "parent_id": shown.parent_id,
        "is_active": "on",
        "product_ids": " ".join(row.id for row in shown.products),
        "seen": shown.version,
        **changed,
    }


async def test_categories_are_created_moved_and_hidden(
    shop: Shop, ids: dict[str, str], browser_of: BrowserFactory
) -> None:
    screen = await open_list(browser_of)
    await send_event(screen, "create", {"name": "  Cuentos 📚 ", "parent_id": ids["libros"]})
    await send_event(screen, "create", {"name": "Mapas", "parent_id": ""})
    rows = screen.content.rows
    assert [(row.name, row.depth) for row in rows] == [
        ("Libros", 0),
        ("Novelas", 1),
        ("Cuentos 📚", 1),
        ("Mapas", 0),
    ]
    assert (rows[2].previous_id, rows[2].next_id, screen.created_count) == (ids["novelas"], "", 2)
    await send_event(screen, "move", rows[2].id, "before", ids["novelas"])
    assert [row.name for row in screen.content.rows] == ["Libros", "Cuentos 📚", "Novelas", "Mapas"]
    await send_event(screen, "set_active", ids["libros"], False)
    assert [row.is_visible for row in screen.content.rows] == [False, False, False, True]
    await send_event(screen, "set_active", ids["libros"], True)
    assert all(row.is_visible for row in screen.content.rows)


@pytest.mark.parametrize("name", ["", "   ", "novélas", "N" * 101])
async def test_invalid_or_repeated_name_is_refused(
    shop: Shop, ids: dict[str, str], browser_of: BrowserFactory, name: str
) -> None:
    screen = await open_list(browser_of)
    await send_event(screen, "create", {"name": name, "parent_id": ids["libros"]})
    assert (screen.announcement.tone, list(screen.problems)) == ("problem", ["name"])
    assert len(screen.content.rows) == 2


async def test_new_category_gets_a_unique_handle_from_any_name(
    shop: Shop, ids: dict[str, str], browser_of: BrowserFactory
) -> None:
    screen = await open_list(browser_of)
    for name in ("Novelas", "ñ" * 100, "📚", "🎲"):
        await send_event(screen, "create", {"name": name, "parent_id": ""})
    async with shop.database.read() as session:
        handles = set((await session.execute(select(Category.handle))).scalars())
    assert handles == {"libros", "novelas", "novelas-2", "n" * 94, "categoria", "categoria-2"}


@pytest.mark.parametrize(
    "sent",
    [("pcat_gone", "before", "libros"), ("novelas", "beside", "libros"), ("libros", "inside", "novelas")],
)
async def test_impossible_move_of_a_category_shows_a_problem_and_changes_nothing(
    shop: Shop, ids: dict[str, str], browser_of: BrowserFactory, sent: tuple[str, str, str]
) -> None:
    screen = await open_list(browser_of)
    moved, place, target = sent
    await send_event(screen, "move", ids.get(moved, moved), place, ids[target])
    assert screen.announcement.tone == "problem"
    assert [row.depth for row in screen.content.rows] == [0, 1]


async def test_category_editor_saves_every_field_and_the_old_address_redirects(
    shop: Shop, ids: dict[str, str], browser_of: BrowserFactory
) -> None:
    screen = await open_editor(browser_of, ids["novelas"])
    both = f"{ids['maria']} {ids['la-voragine']}"
    typed = {"name": "Ficción", "handle": "ficcion", "description": "Para leer.", "parent_id": ""}
    await send_event(screen, "save", form_of(screen, **typed, product_ids=both))
    assert screen.announcement.tone == "news"
    assert ([row.title for row in screen.content.products], screen.content.parent_id) == (
        ["La voragine", "Maria"],
        "",
    )
    assert screen.content.former == ["/catalog?category=novelas"]
    moved = await catalog_list.load(PageParams("/catalog", {"category": "novelas"}))
    assert (moved.meta.status, moved.meta.moved_to) == (301, "/catalog?category=ficcion")
    await send_event(screen, "save", form_of(screen, product_ids=ids["maria"]))
    assert [row.title for row in screen.content.products] == ["Maria"]
    async with shop.database.read() as session:
        entries = select(AuditEntry.action).where(AuditEntry.subject_id == ids["novelas"])
        actions = set((await session.execute(entries)).scalars())
    assert actions == {"created", "changed", "products assigned"}


async def test_category_changed_by_another_staff_member_is_not_overwritten(
    shop: Shop, ids: dict[str, str], browser_of: BrowserFactory
) -> None:
    mine, theirs = [await open_editor(browser_of, ids["novelas"]) for _person in range(2)]
    await send_event(theirs, "save", form_of(theirs, name="Ficción"))
    await send_event(mine, "save", form_of(mine, name="Poesía"))
    assert mine.announcement.text == CHANGED_TEXT
    async with shop.database.read() as session:
        assert (await session.get_one(Category, ids["novelas"])).name == "Ficción"


@pytest.mark.parametrize(
    ("typed", "field"),
    [
        ({"name": "  "}, "name"),
        ({"handle": "con espacio"}, "handle"),
        ({"handle": "libros"}, "handle"),
        ({"description": "x" * 2_001}, "description"),
    ],
)
async def test_invalid_field_of_the_category_editor_is_marked(
    shop: Shop, ids: dict[str, str], browser_of: BrowserFactory, typed: dict[str, str], field: str
) -> None:
    screen = await open_editor(browser_of, ids["novelas"])
    await send_event(screen, "save", form_of(screen, **typed))
    assert list(screen.problems) == [field]


async def test_picture_is_set_and_removed(
    shop: Shop, ids: dict[str, str], browser_of: BrowserFactory
) -> None:
    screen = await open_editor(browser_of, ids["novelas"])
    await send_event(screen, "set_picture", ["https://other.example/x.webp"])
    assert (screen.announcement.tone, screen.content.picture) == ("problem", "")
    await send_event(screen, "set_picture", [PICTURE])
    assert screen.content.picture == PICTURE.replace("-640.webp", "-160.webp")
    await send_event(screen, "remove_picture")
    assert screen.content.picture == ""


async def test_products_and_address_of_a_deleted_category_move_to_the_chosen_category(
    shop: Shop, ids: dict[str, str], browser_of: BrowserFactory
) -> None:
    parent = await open_editor(browser_of, ids["libros"])
    await send_event(parent, "delete", {"heir_id": ""})
    assert parent.announcement.tone == "problem"
    screen = await open_editor(browser_of, ids["novelas"])
    await send_event(screen, "save", form_of(screen, product_ids=ids["maria"]))
    await send_event(screen, "delete", {"heir_id": ids["libros"]})
    moved = await catalog_list.load(PageParams("/catalog", {"category": "novelas"}))
    assert moved.meta.moved_to == "/catalog?category=libros"
    await send_event(parent, "load")
    assert [row.title for row in parent.content.products] == ["Maria"]


async def test_tree_of_500_categories_is_read_in_a_few_statements(shop: Shop, ids: dict[str, str]) -> None:
    async with shop.database.transaction() as session:
        session.add_all(
            Category(name=f"Tema {n}", handle=f"tema-{n}", parent_id=ids["novelas"], rank=n)
            for n in range(500)
        )
    async with shop.database.read() as session:
        view = await categories_page(session, ANA)
        assert len((await read_tree(session)).by_id) == 502
    assert [row.name for row in view.rows[2:]] == [f"Tema {n}" for n in range(500)]
