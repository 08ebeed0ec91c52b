"""Variants of all products and their reservations in the Admin API, on both databases."""

from typing import Any

import httpx
import pytest

from backend.app import Shop
from backend.catalog.models import Variant
from tests.store_defaults import Defaults, add_product
from tests.store_steps import complete_purchase, get


@pytest.fixture
async def sample_variants(shop: Shop, shop_defaults: Defaults) -> list[str]:
    """Create a kite and a top. Return their variants."""
    async with shop.database.transaction() as session:
        return [await add_product(session, shop_defaults, handle) for handle in ("cometa", "trompo-50%")]


async def test_variants_of_all_products_are_listed(
    admin: httpx.AsyncClient, sample_variants: list[str]
) -> None:
    kite, top = sample_variants

    async def find_skus(**asked: Any) -> list[str]:
        return [one["id"] for one in (await get(admin, "/admin/product-variants", **asked))["variants"]]

    assert sorted(await find_skus()) == sorted(sample_variants)
    assert await find_skus(q="50%") == [top]
    assert await find_skus(q="_") == []
    assert await find_skus(q="sku trómp") == [top]
    assert await find_skus(sku="SKU-cometa") == [kite]
    assert await find_skus(order="-sku") == [top, kite]
    assert await find_skus(order="sku", limit=1, offset=1) == [top]
    one = (await get(admin, "/admin/product-variants", id=kite))["variants"][0]
    assert (one["product"]["title"], one["inventory_quantity"], one["prices"][0]["amount"]) == (
        "Cometa",
        10,
        50_000,
    )
    path = f"/admin/products/{one['product_id']}/variants"
    assert (await get(admin, f"{path}/{kite}"))["variant"] == one
    assert (await get(admin, f"{path}/{kite}", fields="id,sku"))["variant"] == {
        "id": kite,
        "sku": "SKU-cometa",
    }
    assert (await admin.get(f"{path}/{top}")).status_code == 404  # belongs to another product

    assert (await admin.delete(f"/admin/products/{one['product_id']}")).status_code == 200
    assert await find_skus() == [top]
    assert (await admin.get(f"{path}/{kite}")).status_code == 404


@pytest.mark.parametrize(
    ("path", "list_"),
    [("/admin/product-variants", "variants"), ("/admin/inventory-items", "inventory_items")],
)
async def test_variants_and_inventory_items_are_found_by_words(
    admin: httpx.AsyncClient,
    shop: Shop,
    shop_defaults: Defaults,
    *,
    statements: list[str],
    path: str,
    list_: str,
) -> None:
    async with shop.database.transaction() as session:
        doll = await add_product(session, shop_defaults, "muneca", title="Muñeca Käthe N.º 3 LEGO™")
        other = Variant(
            product_id=(await session.get_one(Variant, doll)).product_id,
            title="Niño ½",
            sku="KK-Ñ",
            ean="7701234567897",
            price=1_000,
        )
        session.add(other)
        await add_product(session, shop_defaults, "cometa")

    async def find_skus(text: str) -> set[str]:
        return {one["sku"] for one in (await get(admin, path, q=text))[list_]}

    both = {"SKU-muneca", "KK-Ñ"}
    for text in ("muneca", "MUÑECA", "kathe", "Käthe", "N.º 3", "LEGO™", "muñeca KATHE"):
        assert await find_skus(text) == both, text
    for text in ("kk-", "KK-Ñ", "7701234567897", "77012", "Niño", "½", "muneca niño", "Niño 7701"):
        assert await find_skus(text) == {"KK-Ñ"}, text
    assert await find_skus("sku-muneca") == {"SKU-muneca"}
    assert await find_skus("muneca cometa") == set()
    assert len(await find_skus("")) == 3
    searches = [statement for statement in statements if " LIKE " in statement]
    assert searches
    assert not any("replace(" in statement for statement in searches)  # reads every row in a large shop


async def test_reservations_of_an_order_are_listed(
    admin: httpx.AsyncClient, store: httpx.AsyncClient, sample_variants: list[str], shop_defaults: Defaults
) -> None:
    order = await complete_purchase(store, sample_variants[0], 3)
    (reserved,) = (await get(admin, "/admin/reservations"))["reservations"]
    item = sample_variants[0].replace("variant", "iitem")
    assert (reserved["inventory_item_id"], reserved["location_id"], reserved["quantity"]) == (
        item,
        shop_defaults.location_id,
        3,
    )
    path = f"/admin/reservations/{reserved['id']}"
    assert (await get(admin, path))["reservation"] == reserved
    assert (await admin.get("/admin/reservations/resitem_nosuch")).status_code == 404

    async def count(**asked: Any) -> int:
        return int((await get(admin, "/admin/reservations", **asked))["count"])

    assert await count(inventory_item_id=item, location_id=shop_defaults.location_id) == 1
    assert await count(inventory_item_id=sample_variants[1].replace("variant", "iitem")) == 0

    lines = await get(admin, f"/admin/orders/{order['id']}/line-items")
    assert [(line["quantity"], line["item"]["variant_id"]) for line in lines["order_items"]] == [
        (3, sample_variants[0])
    ]
    assert (await get(admin, f"/admin/orders/{order['id']}/changes"))["order_changes"] == []
    preview = (await get(admin, f"/admin/orders/{order['id']}/preview"))["order"]
    shown = (await get(admin, f"/admin/orders/{order['id']}"))["order"]
    assert preview == {**shown, "order_change": None}
    for part in ("line-items", "changes", "preview"):
        assert (await admin.get(f"/admin/orders/order_nosuch/{part}")).status_code == 404
