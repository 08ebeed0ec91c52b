"""The product editor (Producto), used by a staff member with the shop role."""

import json
from typing import Any

import pytest

from backend.app import Shop
from backend.catalog.models import Product, Variant
from backend.catalog.storefront.page_content import product_detail
from backend.core.errors import NotFound
from backend.staff.rights import Role
from storefront.live.refresh import update_state
from storefront.office.products.editor_state import ProductState
from storefront.office.products.preview import PreviewState
from tests.amounts import cop
from tests.store_defaults import Defaults, add_product
from tests.storefront.office.conftest import BrowserFactory
from tests.storefront.office.events import send_event

UPLOADED = "/pictures/0011223344556677/foto-960x720-960.webp"


@pytest.fixture
async def product_id(shop: Shop, defaults: Defaults) -> str:
    """Create ten wooden tops and return the product's id."""
    async with shop.database.transaction() as session:
        variant_id = await add_product(session, defaults, "trompo-de-madera", stock=10)
        return (await session.get_one(Variant, variant_id)).product_id


async def open_editor(browser_of: BrowserFactory, product_id: str, role: Role = Role.SHOP) -> Any:
    root = await browser_of(role, f"/oficina/productos/{product_id}")
    screen: Any = await root.get_state(ProductState)
    await send_event(screen, "load")
    return screen


def editor_form(screen: Any, **typed: Any) -> dict[str, Any]:
    """Return the form data that the page sends after these fields were changed."""
    shown = screen.content
    rows = [*shown.pictures, *screen.added_pictures]
    form = {
        **shown.texts,
        **({"is_published": "on"} if shown.is_published else {}),
        "category": [row.id for row in shown.categories if row.is_chosen],
        "picture": [row.url for row in rows],
        "alt": [row.alt for row in rows],
        "variant": [row.key for row in shown.variants],
        "variant_title": [row.title for row in shown.variants],
        **{
            name: [getattr(row, name) for row in shown.variants]
            for name in ("price", "before", "sku", "ean", "cost")
        },
        "is_free": [row.key for row in shown.variants if row.is_free],
        "units": ["" for _one in shown.variants],
        "location_id": shown.locations[0].id,
        "seen": shown.seen,
    }
    return {**form, **typed}


async def test_new_product_is_saved(shop: Shop, defaults: Defaults, browser_of: BrowserFactory) -> None:
    del defaults
    screen = await open_editor(browser_of, "nuevo")
    assert screen.content.is_new
    await send_event(screen, "save", editor_form(screen, units=["x"]))
    assert list(screen.problems) == ["units-new-0"]
    await send_event(screen, "save", editor_form(screen))
    assert set(screen.problems) == {"title", "price-new-0"}
    assert screen.announcement.tone == "problem"
    await send_event(screen, "add_pictures", [UPLOADED, UPLOADED, "/pictures/none.webp"])
    (added,) = screen.added_pictures
    assert added.is_added
    answer = await send_event(
        screen, "save", editor_form(screen, title="Balero", price=["12.000"], units=["3"], alt=["Un balero"])
    )
    product_id = screen.content.id
    assert f"/oficina/productos/{product_id}" in str(answer)
    assert (screen.problems, screen.added_pictures, screen.announcement.tone) == ({}, [], "news")
    assert (screen.content.variants[0].stocked, screen.content.page_path) == ("3 libres", "/product/balero")
    assert [(row.url, row.alt, row.is_added) for row in screen.content.pictures] == [
        (UPLOADED, "Un balero", False)
    ]
    async with shop.database.read() as session:
        assert (await session.get_one(Product, product_id)).status == "published"


async def test_new_product_stays_on_the_screen_if_a_refresh_precedes_the_redirect(
    defaults: Defaults, browser_of: BrowserFactory
) -> None:
    del defaults
    screen = await open_editor(browser_of, "nuevo")
    await send_event(screen, "save", editor_form(screen, title="Balero", price=["12.000"]))
    saved = screen.content
    await update_state(screen)
    assert screen.content == saved
    assert not screen.content.is_new


async def test_second_editor_of_a_product_sees_conflicting_values(
    product_id: str, browser_of: BrowserFactory
) -> None:
    lina, berta = await open_editor(browser_of, product_id), await open_editor(browser_of, product_id)
    lina_form = editor_form(lina, title="Trompo azul", price=["60000"], brand="Artesanos")
    await send_event(berta, "save", editor_form(berta, title="Trompo rojo", price=["55000"], is_published=""))
    await send_event(lina, "save", lina_form)
    key = lina.content.variants[0].key
    assert [(row.label, row.mine, row.theirs, row.field, row.value) for row in lina.clashes] == [
        ("Título", "Trompo azul", "Trompo rojo", "product-title", "Trompo rojo"),
        ("Precio", cop("$ 60.000"), cop("$ 55.000"), f"product-price-{key}", "55.000"),
    ]
    assert (lina.announcement.tone, lina.clash_count > 0) == ("problem", True)
    await send_event(lina, "save", {**lina_form, "is_published": "", "seen": lina.content.seen})
    assert (lina.clashes, lina.announcement.tone) == ([], "news")
    await update_state(berta)
    shown = berta.content
    assert (shown.texts["title"], shown.texts["brand"], shown.variants[0].price) == (
        "Trompo azul",
        "Artesanos",
        "60.000",
    )
    assert not shown.is_published


async def test_preview_of_a_hidden_product_shows_its_page(
    shop: Shop, product_id: str, browser_of: BrowserFactory
) -> None:
    screen = await open_editor(browser_of, product_id)
    await send_event(
        screen, "save", editor_form(screen, title="Trompo azul", is_published="", description="Gira.")
    )
    root = await browser_of(Role.STOCKROOM, f"/oficina/productos/{product_id}/vista")
    preview: Any = await root.get_state(PreviewState)
    await PreviewState.event_handlers["load"].fn(preview)
    detail = preview.content.detail
    assert (detail.card.title, detail.variants[0].stock, detail.description) == ("Trompo azul", 10, "Gira.")
    with pytest.raises(NotFound):
        async with shop.database.read() as session:
            await product_detail(session, "trompo-de-madera")
    for missing_id in ("prod_gone", "nuevo"):
        root = await browser_of(Role.SHOP, f"/oficina/productos/{missing_id}/vista")
        preview = await root.get_state(PreviewState)
        await PreviewState.event_handlers["load"].fn(preview)
        assert (preview.problem, preview.content) == ("missing", None)


async def test_product_is_read_only_without_the_right(product_id: str, browser_of: BrowserFactory) -> None:
    screen = await open_editor(browser_of, product_id, Role.STOCKROOM)
    assert screen.content.texts["title"] == "Trompo de madera"
    await send_event(screen, "save", editor_form(screen, title="X"))
    assert (screen.announcement.tone, screen.content.texts["title"]) == ("problem", "Trompo de madera")
    assert (await open_editor(browser_of, "nuevo", Role.STOCKROOM)).problem == "missing"
    assert (await open_editor(browser_of, "prod_none", Role.SHOP)).problem == "missing"


async def test_uploaded_pictures_are_kept_after_a_new_connection(
    product_id: str, browser_of: BrowserFactory
) -> None:
    screen = await open_editor(browser_of, product_id)
    await send_event(screen, "add_pictures", [UPLOADED])
    await send_event(screen, "load")
    assert [row.url for row in screen.added_pictures] == [UPLOADED]
    await send_event(screen, "discard")
    assert screen.added_pictures == []


async def test_invalid_input_of_the_product_screen_changes_nothing(
    shop: Shop, product_id: str, browser_of: BrowserFactory
) -> None:
    screen = await open_editor(browser_of, product_id)
    form = editor_form(screen, title="Nonsense")
    seen = json.loads(form["seen"])
    wrongs: tuple[dict[str, Any], ...] = (
        {"seen": ""},
        {"seen": "{}"},
        {"seen": ["x"]},
        {"seen": json.dumps({**seen, "id": ""})},
        {"seen": json.dumps({**seen, "is_new": True, "id": "x"})},
        {"seen": json.dumps({**seen, "stocked": {"a": "b"}})},
        {"variant": "x"},
        {"variant": ["a", "b"]},
        {"variant": [*form["variant"], *form["variant"]], "price": ["1", "1"]},
        {"price": [1]},
        {"price": ["1", "2"]},
        {"picture": ["/pictures/x"]},
        {"category": [None]},
        {"title": "x" * 1000},
        {"title": ["x"]},
        {"location_id": {}},
        {"variant": ["variant_of_another"]},
        {"category": ["pcat_none"]},
        {"cost": [1]},
        {"cost": ["1", "2"]},
        {"picture_value": "x"},
        {"picture_value": ["optval_of_another"]},
        {"picture": [UPLOADED], "alt": [""], "picture_value": ["optval_of_another"]},
        {"seo_title": ["x"]},
        {"seo_description": "x" * 1000},
        {"preorder_day": ["2027-01-01"]},
        {"preorder_units": {}},
        {"option_1": ["Color"]},
        {"option_1": "Color", "option_key_1": "opt_of_another", "value_key_1": [], "value_1": []},
        {"option_1": "Color", "value_key_1": ["optval_of_another"], "value_1": ["Rojo"]},
        {"option_1": "Color", "value_key_1": ["new-1", "new-1"], "value_1": ["Rojo", "Azul"]},
    )
    for wrong in wrongs:
        await send_event(screen, "save", {**form, **wrong})
        assert screen.announcement.tone == "problem", wrong
    arguments: tuple[Any, ...] = ({}, {"form": 1}, None, "x", [])
    for argument in arguments:
        await send_event(screen, "save", argument)
        assert screen.announcement.tone == "problem"
    lists: tuple[Any, ...] = (None, "x", [1], {})
    for urls in lists:
        await send_event(screen, "add_pictures", urls)
        await send_event(screen, "add_video", urls)
    await send_event(screen, "add_video", [UPLOADED])  # not a video
    assert screen.announcement.tone == "problem"
    assert (screen.added_pictures, screen.added_videos) == ([], [])
    for day in ("20261125", "20261126"):
        await send_event(screen, "add_video", [f"/pictures/0123456789abcdef/video-{day}.mp4"])
    assert [row.url[-12:] for row in screen.added_videos] == [
        "20261126.mp4"
    ]  # a video replaces the one before
    async with shop.database.read() as session:
        assert (await session.get_one(Product, product_id)).title == "Trompo de madera"
