"""Content areas: validation of the form, preview, publishing and rights."""

from typing import Any

import pytest
from sqlalchemy import select

from backend.app import Shop
from backend.audit import AuditEntry
from backend.catalog.models import Product, Variant
from backend.content.areas import Area, BannerBody
from backend.content.versions import read_current_version
from backend.core.clock import now
from backend.media.picture_widths import build_uploaded_picture
from backend.staff.rights import Role
from storefront.office.content.area_state import AreaState
from tests.store_defaults import Defaults, add_product
from tests.storefront.office.conftest import BrowserFactory
from tests.storefront.office.events import send_event

PICTURE = build_uploaded_picture("0123456789abcdef", 960, 640).url
CELLS = (
    "kind",
    "picture",
    "title",
    "text",
    "alt",
    "link",
    "label",
    "product_ids",
    "category_id",
    "visibility",
    "starts",
    "ends",
)


async def open_area(browser_of: BrowserFactory, name: str, role: Role = Role.SHOP) -> Any:
    root = await browser_of(role, f"/oficina/contenido/{name}")
    screen: Any = await root.get_state(AreaState)
    await send_event(screen, "load")
    return screen


def area_form(*rows: dict[str, str], **texts: str) -> dict[str, Any]:
    """Return the form data that a browser sends for these rows."""
    columns = {f"cell_{cell}": [row.get(cell, "") for row in rows] for cell in CELLS}
    return {**texts, "row": [f"new-{number}" for number, _row in enumerate(rows)], **columns}


async def read_version(shop: Shop, area: Area) -> int:
    async with shop.database.read() as session:
        return (await read_current_version(session, area)).version


async def test_content_area_is_published_only_after_its_preview(
    shop: Shop, browser_of: BrowserFactory
) -> None:
    screen = await open_area(browser_of, "aviso")
    await send_event(screen, "publish")
    assert (screen.announcement.tone, await read_version(shop, Area.ANNOUNCEMENT)) == ("problem", 0)
    await send_event(screen, "preview_changes", {"text": "Hola", "link": "/catalog", "ends": "2020-01-01"})
    assert (screen.preview.announcement.text, len(screen.preview.notes)) == ("Hola", 1)
    assert await read_version(shop, Area.ANNOUNCEMENT) == 0
    await send_event(screen, "publish")
    assert (screen.announcement.subject, screen.content.version, screen.preview) == ("0", 1, None)
    await send_event(screen, "publish")
    assert (screen.announcement.tone, await read_version(shop, Area.ANNOUNCEMENT)) == ("problem", 1), (
        "clicked twice"
    )
    await send_event(screen, "undo", "0")
    assert (await read_version(shop, Area.ANNOUNCEMENT), screen.content.texts["text"]) == (2, "")


async def test_invalid_value_in_the_area_form_marks_its_row(browser_of: BrowserFactory) -> None:
    screen = await open_area(browser_of, "carrusel")
    rows = (
        {"kind": "product", "product_ids": "prod_none", "starts": "ayer"},
        {"kind": "picture", "picture": PICTURE, "title": "Uno", "link": "javascript:alert(1)"},
    )
    await send_event(screen, "preview_changes", area_form(*rows))
    assert set(screen.problems) == {"product_ids-new-0", "starts-new-0", "link-new-1"}
    assert screen.preview is None
    screen = await open_area(browser_of, "secciones")
    own = [{"kind": row.kind} for row in screen.content.rows]
    await send_event(
        screen,
        "preview_changes",
        area_form(*own, {"kind": "editorial", "title": "Playa", "product_ids": "nada\nde nada"}),
    )
    assert set(screen.problems) == {"product_ids-new-4"}
    await send_event(screen, "preview_changes", area_form(*own[1:]))
    assert set(screen.problems) == {"rows"}


async def test_banner_slide_stores_the_picked_product(
    shop: Shop, defaults: Defaults, browser_of: BrowserFactory
) -> None:
    """Check two products with the same title. A slide without a product, or with two, is refused."""
    async with shop.database.transaction() as session:
        added = [await add_product(session, defaults, f"trompo-{n}", title="Trompo") for n in (1, 2)]
    async with shop.database.read() as session:
        ids = [(await session.get_one(Variant, one)).product_id for one in reversed(added)]
    screen = await open_area(browser_of, "carrusel")
    for product_ids in ("", " ".join(ids)):
        await send_event(
            screen, "preview_changes", area_form({"kind": "product", "product_ids": product_ids})
        )
        assert set(screen.problems) == {"product_ids-new-0"}, product_ids
    await send_event(
        screen, "preview_changes", area_form(*({"kind": "product", "product_ids": one} for one in ids))
    )
    await send_event(screen, "publish")
    assert [(row.product_ids, [one.id for one in row.products]) for row in screen.content.rows] == [
        (one, [one]) for one in ids
    ]
    async with shop.database.transaction() as session:
        (await session.get_one(Product, ids[0])).deleted_at = now()
        body = (await read_current_version(session, Area.BANNER)).body
    assert isinstance(body, BannerBody)
    assert [slide.product_id for slide in body.slides] == ids
    screen = await open_area(browser_of, "carrusel")
    assert [row.product_ids for row in screen.content.rows] == ["", ids[1]]


async def test_section_of_the_home_page_has_the_picked_products_and_an_audit_entry(
    shop: Shop, defaults: Defaults, browser_of: BrowserFactory
) -> None:
    async with shop.database.transaction() as session:
        added = [await add_product(session, defaults, f"trompo-{n}", title="Trompo") for n in (1, 2)]
    async with shop.database.read() as session:
        picked = [(await session.get_one(Variant, one)).product_id for one in reversed(added)]
    screen = await open_area(browser_of, "secciones")
    kinds = [{"kind": row.kind} for row in screen.content.rows]
    new = [one for one in kinds if one["kind"] == "new"]
    rest = [one for one in kinds if one["kind"] != "new"]
    rows = [
        {**new[0], "title": "Recién llegados", "product_ids": " ".join(picked), "visibility": "hidden"},
        *rest,
    ]
    await send_event(screen, "preview_changes", area_form(*rows))
    await send_event(screen, "publish")
    first = screen.content.rows[0]
    assert (first.kind, first.title, first.visibility) == ("new", "Recién llegados", "hidden")
    assert (first.product_ids.split(), [one.id for one in first.products]) == (picked, picked)
    async with shop.database.read() as session:
        entry = (
            await session.execute(select(AuditEntry).order_by(AuditEntry.id.desc()).limit(1))
        ).scalar_one()
    assert (entry.action, entry.subject_type, entry.subject_id) == ("changed", "content", Area.HOME)
    assert entry.changes
    full = {**new[0], "product_ids": " ".join(f"prod_{n}" for n in range(13))}
    await send_event(screen, "preview_changes", area_form(full, *rest))
    assert screen.problems == {"product_ids-new-0": "Elige hasta 12 productos."}


@pytest.mark.parametrize(
    ("event", "argument"),
    [
        *(
            ("preview_changes", form)
            for form in (
                7, {"text": ["a"]}, {"text": "x" * 5000}, {"row": "a"}, {"row": ["a", "a"]}, {"row": ["a"]},
                {"row": [["a"]] * 30},
            )
        ),
        ("undo", "x"), ("undo", "7"), ("restore", -1), ("restore", True), ("show_version", 9), ("add_pictures", "x"),
    ],
)  # fmt: skip
async def test_invalid_content_area_form_changes_nothing(
    shop: Shop, browser_of: BrowserFactory, event: str, argument: Any
) -> None:
    screen = await open_area(browser_of, "carrusel")
    await send_event(screen, event, argument)
    assert (screen.announcement.tone, await read_version(shop, Area.BANNER), screen.added_rows) == (
        "problem",
        0,
        [],
    )


async def test_only_pictures_uploaded_to_the_shop_become_slides(browser_of: BrowserFactory) -> None:
    screen = await open_area(browser_of, "carrusel")
    await send_event(screen, "add_pictures", ["https://otro.example/a.jpg", PICTURE])
    assert [(row.kind, row.picture, row.is_added) for row in screen.added_rows] == [
        ("picture", PICTURE, True)
    ]


async def test_content_area_is_read_only_without_the_right(shop: Shop, browser_of: BrowserFactory) -> None:
    screen = await open_area(browser_of, "aviso", Role.STOCKROOM)
    assert screen.content.title == "Aviso de arriba"
    for event, arguments in (
        ("preview_changes", [{"text": "Hola"}]),
        ("publish", []),
        ("restore", [0]),
        ("undo", ["0"]),
    ):
        await send_event(screen, event, *arguments)
        assert screen.announcement.text == "Tu rol no permite hacer esto."
    assert await read_version(shop, Area.ANNOUNCEMENT) == 0


async def test_unknown_content_area_is_shown_as_missing(browser_of: BrowserFactory) -> None:
    assert (await open_area(browser_of, "nada")).problem == "missing"
