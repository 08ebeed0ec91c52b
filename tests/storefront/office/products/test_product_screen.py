"""Producto, as a browser at which somebody of the shop is signed in."""

import json
from typing import Any

import pytest

from backend.app import Shop
from backend.catalog.models import Product, Variant
from backend.catalog.storefront.page_content import product_detail
from backend.core.errors import NotFound
from backend.staff.rights import Role
from storefront.office.products.editor_state import ProductState
from storefront.office.products.preview import PreviewState
from tests.store_defaults import Defaults, make_toy
from tests.storefront.office.conftest import At

UPLOADED = "/pictures/0011223344556677/foto-960x720-960.webp"


@pytest.fixture
async def toy(shop: Shop, defaults: Defaults) -> str:
    """Ten wooden tops."""
    async with shop.database.transaction() as session:
        variant_id = await make_toy(session, defaults, "trompo-de-madera", stock=10)
        return (await session.get_one(Variant, variant_id)).product_id


async def sent(screen: Any, name: str, *arguments: Any) -> Any:
    """What a browser sends."""
    return await ProductState.event_handlers[name].fn(screen, *arguments)


async def opened(browser_of: At, product_id: str, role: Role = Role.SHOP) -> Any:
    root = await browser_of(role, f"/oficina/productos/{product_id}")
    screen: Any = await root.get_state(ProductState)
    await sent(screen, "load")
    return screen


def form_of(screen: Any, **typed: Any) -> dict[str, Any]:
    """What the page sends when these fields were typed into."""
    shown = screen.content
    rows = [*shown.pictures, *screen.added]
    form = {
        **shown.texts,
        **({"is_published": "on"} if shown.is_published else {}),
        "category": [one.id for one in shown.categories if one.is_chosen],
        "picture": [one.url for one in rows],
        "alt": [one.alt for one in rows],
        "variant": [one.key for one in shown.variants],
        "variant_title": [one.title for one in shown.variants],
        **{
            name: [getattr(one, name) for one in shown.variants] for name in ("price", "before", "sku", "ean")
        },
        "is_free": [one.key for one in shown.variants if one.is_free],
        "units": ["" for _one in shown.variants],
        "location_id": shown.locations[0].id,
        "seen": shown.seen,
    }
    return {**form, **typed}


async def test_a_new_toy(shop: Shop, defaults: Defaults, browser_of: At) -> None:
    del defaults
    screen = await opened(browser_of, "nuevo")
    assert screen.content.is_new
    await sent(screen, "save", form_of(screen, units=["x"]))
    assert list(screen.problems) == ["units-new-0"]
    await sent(screen, "save", form_of(screen))
    assert set(screen.problems) == {"title", "price-new-0"}
    assert screen.told.tone == "problem"
    await sent(screen, "add_pictures", [UPLOADED, UPLOADED, "/pictures/none.webp"])
    (added,) = screen.added
    assert added.is_added
    answer = await sent(
        screen, "save", form_of(screen, title="Balero", price=["12.000"], units=["3"], alt=["Un balero"])
    )
    product_id = screen.content.id
    assert f"/oficina/productos/{product_id}" in str(answer)
    assert (screen.problems, screen.added, screen.told.tone) == ({}, [], "news")
    assert (screen.content.variants[0].stocked, screen.content.page_path) == ("3 libres", "/product/balero")
    assert [(one.url, one.alt, one.is_added) for one in screen.content.pictures] == [
        (UPLOADED, "Un balero", False)
    ]
    async with shop.database.read() as session:
        assert (await session.get_one(Product, product_id)).status == "published"


async def test_two_people_are_asked(toy: str, browser_of: At) -> None:
    lina, berta = await opened(browser_of, toy), await opened(browser_of, toy)
    linas = form_of(lina, title="Trompo azul", price=["60000"], brand="Artesanos")
    await sent(berta, "save", form_of(berta, title="Trompo rojo", price=["55000"], is_published=""))
    await sent(lina, "save", linas)
    key = lina.content.variants[0].key
    assert [(one.label, one.mine, one.theirs, one.field, one.value) for one in lina.clashes] == [
        ("Título", "Trompo azul", "Trompo rojo", "product-title", "Trompo rojo"),
        ("Precio", "$ 60.000", "$ 55.000", f"product-price-{key}", "55000"),
    ]
    assert (lina.told.tone, lina.met > 0) == ("problem", True)
    await sent(lina, "save", {**linas, "is_published": "", "seen": lina.content.seen})
    assert (lina.clashes, lina.told.tone) == ([], "news")
    await berta._update()
    shown = berta.content
    assert (shown.texts["title"], shown.texts["brand"], shown.variants[0].price) == (
        "Trompo azul",
        "Artesanos",
        "60000",
    )
    assert not shown.is_published


async def test_a_hidden_toy_is_shown_as_its_page_will_be(shop: Shop, toy: str, browser_of: At) -> None:
    screen = await opened(browser_of, toy)
    await sent(screen, "save", form_of(screen, title="Trompo azul", is_published="", description="Gira."))
    root = await browser_of(Role.STOCKROOM, f"/oficina/productos/{toy}/vista")
    preview: Any = await root.get_state(PreviewState)
    await PreviewState.event_handlers["load"].fn(preview)
    detail = preview.content.detail
    assert (detail.card.title, detail.variants[0].stock, detail.description) == ("Trompo azul", 10, "Gira.")
    with pytest.raises(NotFound):
        async with shop.database.read() as session:
            await product_detail(session, "trompo-de-madera")
    for gone in ("prod_gone", "nuevo"):
        root = await browser_of(Role.SHOP, f"/oficina/productos/{gone}/vista")
        preview = await root.get_state(PreviewState)
        await PreviewState.event_handlers["load"].fn(preview)
        assert (preview.problem, preview.content) == ("missing", None)


async def test_who_may_only_look_looks(toy: str, browser_of: At) -> None:
    screen = await opened(browser_of, toy, Role.STOCKROOM)
    assert screen.content.texts["title"] == "Trompo de madera"
    await sent(screen, "save", form_of(screen, title="X"))
    assert (screen.told.tone, screen.content.texts["title"]) == ("problem", "Trompo de madera")
    assert (await opened(browser_of, "nuevo", Role.STOCKROOM)).problem == "missing"
    assert (await opened(browser_of, "prod_none", Role.SHOP)).problem == "missing"


async def test_what_was_uploaded_outlives_a_new_connection(toy: str, browser_of: At) -> None:
    screen = await opened(browser_of, toy)
    await sent(screen, "add_pictures", [UPLOADED])
    await sent(screen, "load")
    assert [one.url for one in screen.added] == [UPLOADED]
    await sent(screen, "discard")
    assert screen.added == []


async def test_nonsense_changes_nothing(shop: Shop, toy: str, browser_of: At) -> None:
    screen = await opened(browser_of, toy)
    form = form_of(screen, title="Nonsense")
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
    )
    for wrong in wrongs:
        await sent(screen, "save", {**form, **wrong})
        assert screen.told.tone == "problem", wrong
    arguments: tuple[Any, ...] = ({}, {"form": 1}, None, "x", [])
    for argument in arguments:
        await sent(screen, "save", argument)
        assert screen.told.tone == "problem"
    lists: tuple[Any, ...] = (None, "x", [1], {})
    for urls in lists:
        await sent(screen, "add_pictures", urls)
        await sent(screen, "add_video", urls)
    await sent(screen, "add_video", [UPLOADED])  # a picture
    assert screen.told.tone == "problem"
    assert (screen.added, screen.added_videos) == ([], [])
    for day in ("20261125", "20261126"):
        await sent(screen, "add_video", [f"/pictures/0123456789abcdef/video-{day}.mp4"])
    assert [row.url[-12:] for row in screen.added_videos] == [
        "20261126.mp4"
    ]  # one takes the place of another
    async with shop.database.read() as session:
        assert (await session.get_one(Product, toy)).title == "Trompo de madera"
