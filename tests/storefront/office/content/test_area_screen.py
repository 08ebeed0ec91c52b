"""Contenido's areas: what the office takes from a browser before anything is published."""

from typing import Any

import pytest

from backend.app import Shop
from backend.catalog.models import Variant
from backend.content.areas import Area, BannerBody
from backend.content.versions import current_content
from backend.media.picture_widths import prepared_upload
from backend.staff.rights import Role
from storefront.office.content.area_state import AreaState
from tests.store_defaults import Defaults, make_toy
from tests.storefront.office.conftest import At
from tests.storefront.office.content.test_content_screen import sent

PICTURE = prepared_upload("0123456789abcdef", 960, 640).url
CELLS = (
    "kind",
    "picture",
    "toy",
    "title",
    "text",
    "alt",
    "link",
    "label",
    "toys",
    "category_id",
    "starts",
    "ends",
)


async def opened(browser_of: At, name: str, role: Role = Role.SHOP) -> Any:
    root = await browser_of(role, f"/oficina/contenido/{name}")
    screen: Any = await root.get_state(AreaState)
    await sent(screen, "load")
    return screen


def form(*rows: dict[str, str], **texts: str) -> dict[str, Any]:
    """What a browser sends of a form with these rows."""
    columns = {f"cell_{cell}": [row.get(cell, "") for row in rows] for cell in CELLS}
    return {**texts, "row": [f"new-{number}" for number, _row in enumerate(rows)], **columns}


async def version(shop: Shop, area: Area) -> int:
    async with shop.database.read() as session:
        return (await current_content(session, area)).version


async def test_nothing_is_published_before_it_was_seen(shop: Shop, browser_of: At) -> None:
    screen = await opened(browser_of, "aviso")
    await sent(screen, "publish")
    assert (screen.told.tone, await version(shop, Area.ANNOUNCEMENT)) == ("problem", 0)
    await sent(screen, "look", {"text": "Hola", "link": "/catalog", "ends": "2020-01-01"})
    assert (screen.preview.announcement.text, len(screen.preview.notes)) == ("Hola", 1)
    assert await version(shop, Area.ANNOUNCEMENT) == 0
    await sent(screen, "publish")
    assert (screen.told.subject, screen.content.version, screen.preview) == ("0", 1, None)
    await sent(screen, "publish")
    assert (screen.told.tone, await version(shop, Area.ANNOUNCEMENT)) == ("problem", 1), "pressed twice"
    await sent(screen, "undo", "0")
    assert (await version(shop, Area.ANNOUNCEMENT), screen.content.texts["text"]) == (2, "")


async def test_what_is_wrong_is_said_beside_its_row(browser_of: At) -> None:
    screen = await opened(browser_of, "carrusel")
    rows = (
        {"kind": "toy", "toy": "ninguno", "starts": "ayer"},
        {"kind": "picture", "picture": PICTURE, "title": "Uno", "link": "javascript:alert(1)"},
    )
    await sent(screen, "look", form(*rows))
    assert set(screen.problems) == {"toy-new-0", "starts-new-0", "link-new-1"}
    assert screen.preview is None
    screen = await opened(browser_of, "secciones")
    own = [{"kind": row.kind} for row in screen.content.rows]
    await sent(screen, "look", form(*own, {"kind": "editorial", "title": "Playa", "toys": "nada\nde nada"}))
    assert set(screen.problems) == {"toys-new-4"}
    await sent(screen, "look", form(*own[1:]))
    assert set(screen.problems) == {"rows"}


async def test_toys_of_the_same_name_are_told_apart_by_their_codes(
    shop: Shop, defaults: Defaults, browser_of: At
) -> None:
    async with shop.database.transaction() as session:
        twins = [await make_toy(session, defaults, f"trompo-{n}", title="Trompo") for n in (1, 2)]
    screen = await opened(browser_of, "carrusel")
    await sent(screen, "look", form({"kind": "toy", "toy": "Trompo"}))
    assert screen.problems == {
        "toy-new-0": "Hay más de un juguete con ese nombre; escribe su código (SKU): Trompo"
    }
    await sent(screen, "look", form(*({"kind": "toy", "toy": f"SKU-trompo-{n}"} for n in (1, 2))))
    await sent(screen, "publish")
    assert [row.toy for row in screen.content.rows] == ["SKU-trompo-1", "SKU-trompo-2"]
    async with shop.database.read() as session:
        body = (await current_content(session, Area.BANNER)).body
        named = [(await session.get_one(Variant, twin)).product_id for twin in twins]
    assert isinstance(body, BannerBody)
    assert [slide.product_id for slide in body.slides] == named


@pytest.mark.parametrize(
    ("event", "argument"),
    [
        ("look", 7), ("look", {"text": ["a"]}), ("look", {"text": "x" * 5000}), ("look", {"row": "a"}),
        ("look", {"row": ["a", "a"]}), ("look", {"row": ["a"]}), ("look", {"row": [["a"]] * 30}),
        ("undo", "x"), ("undo", "7"), ("restore", -1), ("restore", True), ("show_version", 9), ("add_pictures", "x"),
    ],
)  # fmt: skip
async def test_what_no_form_sends_changes_nothing(
    shop: Shop, browser_of: At, event: str, argument: Any
) -> None:
    screen = await opened(browser_of, "carrusel")
    await sent(screen, event, argument)
    assert (screen.told.tone, await version(shop, Area.BANNER), screen.added) == ("problem", 0, [])


async def test_only_uploaded_pictures_become_rows(browser_of: At) -> None:
    screen = await opened(browser_of, "carrusel")
    await sent(screen, "add_pictures", ["https://otro.example/a.jpg", PICTURE])
    assert [(row.kind, row.picture, row.is_added) for row in screen.added] == [("picture", PICTURE, True)]


async def test_others_look_and_do_not_touch(shop: Shop, browser_of: At) -> None:
    screen = await opened(browser_of, "aviso", Role.STOCKROOM)
    assert screen.content.title == "Aviso de arriba"
    for event, arguments in (
        ("look", [{"text": "Hola"}]),
        ("publish", []),
        ("restore", [0]),
        ("undo", ["0"]),
    ):
        await sent(screen, event, *arguments)
        assert screen.told.text == "Tu rol no permite hacer esto."
    assert await version(shop, Area.ANNOUNCEMENT) == 0


async def test_an_area_that_is_not_there_is_said(browser_of: At) -> None:
    assert (await opened(browser_of, "nada")).problem == "missing"
