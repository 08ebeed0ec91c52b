"""A price of 0 is sold only if the variant is marked with `is_free`; else the variant is not available.

| price | `is_free` | cart | card, page, lists, Store API |
|---|---|---|---|
| 0 | no | refused | not available, 0 units |
| 0 | yes | accepted at 0 | available, its units |
| above 0 | either | accepted at its price | available, its units |
| 0, next to a variant with a price | no | refused | the product has the other variant's price, and is available |
| 0, the gift wrapping | no | accepted | `tests/backend/checkout/test_gifts.py` |
"""

from typing import Any

import httpx
import pytest
from sqlalchemy import select, update

from backend.audit import AuditEntry
from backend.cart.views import read_cart_view
from backend.catalog.bulk.changes import Action, Change, Problem, compute_changes
from backend.catalog.bulk.service import read_current_values
from backend.catalog.models import Product, Variant
from backend.catalog.price_labels import format_sold_price
from backend.catalog.storefront.page_content import home_content, product_detail, with_current_units
from backend.catalog.storefront.product_list import catalog_page
from backend.catalog.views import CatalogFilter
from backend.inventory.models import InventoryLevel
from backend.shop import Shop
from backend.stock_notices.service import is_available
from tests.amounts import cop
from tests.store_defaults import Defaults, add_product
from tests.store_steps import get, post

CART: dict[str, Any] = {}


@pytest.fixture
async def variants_by_handle(shop: Shop, shop_defaults: Defaults) -> dict[str, str]:
    """Create three products: without a price, free, and marked as free with a price. Return their variants."""
    async with shop.database.transaction() as session:
        ids = {
            handle: await add_product(session, shop_defaults, handle, stock=7, price=price, featured=True)
            for handle, price in {"unpriced": 0, "free": 0, "priced": 30_000}.items()
        }
        marked = Variant.id.in_([ids["free"], ids["priced"]])
        await session.execute(update(Variant).where(marked).values(is_free=True))
    return ids


async def add_to_cart(store: httpx.AsyncClient, variant_id: str) -> httpx.Response:
    cart = (await post(store, "/store/carts", CART))["cart"]
    path = f"/store/carts/{cart['id']}/line-items"
    return await store.post(path, json={"variant_id": variant_id, "quantity": 2})


async def test_variant_with_a_price_of_0_is_sold_only_if_marked_as_free(
    store: httpx.AsyncClient, variants_by_handle: dict[str, str]
) -> None:
    answers = {
        handle: await add_to_cart(store, variant_id) for handle, variant_id in variants_by_handle.items()
    }
    assert {handle: answer.status_code for handle, answer in answers.items()} == {
        "unpriced": 400,
        "free": 200,
        "priced": 200,
    }
    totals = {handle: answers[handle].json()["cart"]["item_total"] for handle in ("free", "priced")}
    assert totals == {"free": 0, "priced": 60_000}


async def test_free_variant_is_displayed_as_free(
    shop: Shop, store: httpx.AsyncClient, variants_by_handle: dict[str, str]
) -> None:
    """Check how a price of 0 is displayed.

    | price | `is_free` | list, product, cart | structured data |
    |---|---|---|---|
    | 0 | yes | «Gratis» | 0 |
    | 0 | no | `$ 0`, not available | 0 |
    | above 0 | yes | its price | its price |
    | 0, and a second variant has a price | yes | «Desde $ 0»; once the free one is chosen, «Gratis» | 0 |
    """
    shown = {"unpriced": cop("$ 0"), "free": "Gratis", "priced": cop("$ 30.000")}
    async with shop.database.read() as session:
        details = {handle: await product_detail(session, handle) for handle in variants_by_handle}
        page = await catalog_page(session, CatalogFilter())
    assert {card.handle: card.price_label for card in page.cards} == shown
    labels = {handle: one.variants[0].price_label for handle, one in details.items()}
    assert labels == shown
    prices = {handle: one.card.price for handle, one in details.items()}  # in the structured data
    assert prices == {"unpriced": 0, "free": 0, "priced": 30_000}
    assert [format_sold_price(price) for price in (0, 950)] == [
        "Gratis",
        cop("$ 950"),
    ]  # in the lines of an order
    carts = {
        handle: (await add_to_cart(store, variants_by_handle[handle])).json()["cart"]["id"]
        for handle in ("free", "priced")
    }
    async with shop.database.read() as session:
        lines = {handle: (await read_cart_view(session, id_)).lines[0] for handle, id_ in carts.items()}
    assert (lines["free"].unit_price_label, lines["free"].line_total_label) == ("Gratis", "Gratis")
    assert lines["priced"].line_total_label == cop("$ 60.000")
    async with shop.database.transaction() as session:
        free = await session.get_one(Variant, variants_by_handle["free"])
        session.add(Variant(product_id=free.product_id, title="Grande", price=9_000, rank=1))
    async with shop.database.read() as session:
        detail = await product_detail(session, "free")
    assert detail.card.price_label == cop("Desde $ 0")
    assert detail.variants[0].price_label == "Gratis"


async def test_pages_and_store_api_offer_exactly_the_variants_that_a_cart_accepts(
    shop: Shop, store: httpx.AsyncClient, admin: httpx.AsyncClient, variants_by_handle: dict[str, str]
) -> None:
    sold = {"unpriced": False, "free": True, "priced": True}
    async with shop.database.read() as session:
        details = {handle: await product_detail(session, handle) for handle in variants_by_handle}
        now = {handle: await with_current_units(session, detail) for handle, detail in details.items()}
        page = await catalog_page(session, CatalogFilter())
        slides = (await home_content(session)).slides
        back = {
            handle: await is_available(session, variant_id)
            for handle, variant_id in variants_by_handle.items()
        }
    assert {handle: one.variants[0].available for handle, one in details.items()} == sold
    assert {handle: one.variants[0].available for handle, one in now.items()} == sold
    assert {card.handle: card.available for card in page.cards} == sold
    assert page.cards[-1].handle == "unpriced"  # available products come first
    assert {card.handle for card in slides} == {"free", "priced"}
    assert back == sold
    fields = "+variants.inventory_quantity,+variants.metadata"
    units = {}
    for handle in variants_by_handle:
        (found,) = (await get(store, "/store/products", handle=handle, fields=fields))["products"]
        units[handle] = (found["variants"][0]["inventory_quantity"], found["variants"][0]["metadata"])
    assert units == {"unpriced": (0, None), "free": (7, {"is_free": True}), "priced": (7, {"is_free": True})}
    (shown,) = (
        await get(
            store, "/store/product-variants", id=variants_by_handle["unpriced"], fields="+inventory_quantity"
        )
    )["variants"]
    assert shown["inventory_quantity"] == 0
    (counted,) = (await get(admin, "/admin/product-variants", id=variants_by_handle["unpriced"]))["variants"]
    assert counted["inventory_quantity"] == 7  # staff see the counted units


async def test_unpriced_variant_does_not_affect_the_price_of_its_product(
    shop: Shop, shop_defaults: Defaults, variants_by_handle: dict[str, str]
) -> None:
    async with shop.database.transaction() as session:
        product_id = (await session.get_one(Variant, variants_by_handle["priced"])).product_id
        other = Variant(product_id=product_id, title="Azul", sku="AZUL", price=0, rank=1)
        session.add(other)
        await session.flush()
        session.add(InventoryLevel(variant_id=other.id, location_id=shop_defaults.location_id, stocked=3))
    async with shop.database.read() as session:
        detail = await product_detail(session, "priced")
        between = await catalog_page(session, CatalogFilter(min_price=20_000, max_price=40_000))
        ascending = await catalog_page(session, CatalogFilter(sort="price_asc"))
    assert (detail.card.price_label, detail.card.available) == (cop("$ 30.000"), True)
    assert {one.title: one.available for one in detail.variants} == {"Única": True, "Azul": False}
    assert [card.handle for card in between.cards] == ["priced"]
    assert [card.handle for card in ascending.cards][-1] == "priced"
    assert len(ascending.cards) == 3


async def test_api_clients_can_mark_variants_as_free(
    shop: Shop, admin: httpx.AsyncClient, shop_defaults: Defaults
) -> None:
    """Set the mark in a new product, a product change, the variant routes and a batch; `null` and false remove it."""
    free = {"prices": [{"amount": 0}], "metadata": {"is_free": True}}
    usual = {"prices": [{"amount": 5_000}]}
    body = {
        "title": "Calcomanías",
        "options": [{"title": "Color", "values": ["Azul", "Rojo"]}],
        "variants": [
            {"title": "Azul", "options": {"Color": "Azul"}, **free},
            {"title": "Rojo", "options": {"Color": "Rojo"}, **usual},
        ],
    }
    made = (await post(admin, "/admin/products", body))["product"]
    path = f"/admin/products/{made['id']}"
    blue, red = (one["id"] for one in made["variants"])

    async def read_marks() -> list[Any]:
        variants = (await get(admin, path))["product"]["variants"]
        return [one["metadata"] for one in variants]

    mark = {"is_free": True}
    assert [one["metadata"] for one in made["variants"]] == [mark, None]
    await post(admin, f"{path}/variants/{blue}", {"prices": [{"amount": 0}], "metadata": None})
    assert await read_marks() == [mark, None]
    await post(admin, f"{path}/variants/{blue}", {"metadata": {"is_free": False}})
    assert await read_marks() == [None, None]
    await post(admin, path, {"variants": [{"id": blue}, {"id": red, "metadata": mark}]})
    assert await read_marks() == [None, mark]
    batch = {"update": [{"id": blue, "metadata": mark}, {"id": red, "metadata": {"is_free": None}}]}
    await post(admin, f"{path}/variants/batch", batch)
    assert await read_marks() == [mark, None]
    async with shop.database.read() as session:
        query = select(AuditEntry.changes).where(AuditEntry.subject_id.in_([blue, red, made["id"]]))
        entries = (await session.execute(query)).scalars().all()
    assert any("is_free" in str(changes) for changes in entries)


async def test_cost_of_a_variant_is_only_in_the_admin_api(
    admin: httpx.AsyncClient, store: httpx.AsyncClient, shop_defaults: Defaults
) -> None:
    """Set, change and clear the cost; the Store API never has it, whatever `fields` names."""
    variant = {
        "title": "Única",
        "prices": [{"amount": 90_000}],
        "metadata": {"cost": 43_210, "is_free": False},
    }
    body = {"title": "Balero", "handle": "balero", "status": "published", "variants": [variant]}
    made = (await post(admin, "/admin/products", body))["product"]
    path = f"/admin/products/{made['id']}/variants/{made['variants'][0]['id']}"
    assert made["variants"][0]["metadata"] == {"cost": 43_210}
    for query in ("", "?fields=*variants,%2Bmetadata", "?fields=%2Bvariants.metadata,%2Bvariants.cost"):
        answer = await store.get(f"/store/products/{made['id']}{query}")
        assert (answer.status_code, "43210" in answer.text) == (200, False)
    for sent, kept in (
        (None, 43_210),
        ({"is_free": False}, 43_210),
        ({"cost": 0}, 0),
        ({"cost": None}, None),
    ):
        changed = (await post(admin, path, {"metadata": sent}))["product"]["variants"][0]["metadata"]
        assert (changed or {}).get("cost") == kept


@pytest.mark.parametrize(
    "metadata",
    [
        {"cost": -1},
        {"cost": 1.5},
        {"cost": "x"},
        {"cost": True},
        {"is_free": "sí"},
        {"is_free": 1},
        {"is_free": True, "x": 1},
        {"x": "a"},
        [],
        "a",
    ],
)
async def test_other_metadata_of_a_variant_is_refused(admin: httpx.AsyncClient, metadata: object) -> None:
    variant = {"title": "Azul", "prices": [{"amount": 0}], "metadata": metadata}
    answer = await admin.post("/admin/products", json={"title": "Calcomanías", "variants": [variant]})
    assert (answer.status_code, answer.json()["type"]) == (400, "invalid_data")
    assert "metadata" in answer.json()["message"]


async def test_bulk_publishing_requires_a_price_or_the_free_mark(
    shop: Shop, variants_by_handle: dict[str, str]
) -> None:
    change = Change(Action.PUBLISH)
    async with shop.database.transaction() as session:
        await session.execute(update(Product).values(status="draft"))
        query = select(Product.handle, Product.id)
        ids = dict((await session.execute(query)).all())
        facts = await read_current_values(session, change, list(ids.values()))
    found = {handle: compute_changes(change, facts[product_id]) for handle, product_id in ids.items()}
    assert {handle: value is Problem.NO_PRICE for handle, value in found.items()} == {
        "unpriced": True,
        "free": False,
        "priced": False,
    }
