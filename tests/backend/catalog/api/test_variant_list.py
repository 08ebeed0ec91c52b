"""The list of variants in the Store API, on both databases (wire: commerce-api-shapes, variants list)."""

from typing import Any

import httpx
import pytest

from backend.app import Shop
from backend.catalog.models import Variant
from tests.store_defaults import Defaults, add_product
from tests.store_steps import get

VARIANTS = "/store/product-variants"


@pytest.fixture
async def sample_variants(shop: Shop, shop_defaults: Defaults) -> dict[str, Variant]:
    """Create a top and a kite for sale, and a draft. Return their variants by handle."""
    made = {}
    async with shop.database.transaction() as session:
        for handle, more in (
            ("trompo", {"title": "Trompo de lámina"}),
            ("cometa", {}),
            ("balero", {"status": "draft"}),
        ):
            variant_id = await add_product(session, shop_defaults, handle, price=12_000, stock=3, **more)
            made[handle] = await session.get_one(Variant, variant_id)
    return made


async def find_skus(store: httpx.AsyncClient, **asked: Any) -> list[str]:
    answer = await get(store, VARIANTS, **asked)
    assert answer["count"] >= len(answer["variants"])
    return [one["id"] for one in answer["variants"]]


async def test_variants_of_products_for_sale_are_listed(
    store: httpx.AsyncClient, sample_variants: dict[str, Variant]
) -> None:
    top, kite, draft = (sample_variants[handle].id for handle in ("trompo", "cometa", "balero"))
    assert sorted(await find_skus(store)) == sorted([top, kite])
    for asked in (
        {"id": top},
        {"sku": "SKU-trompo"},
        {"product_id": sample_variants["trompo"].product_id},
        {"q": "lamina"},
    ):
        assert await find_skus(store, **asked) == [top], asked
    for asked in ({"id": draft}, {"sku": "SKU-balero"}, {"q": "balero"}, {"ean": "7701234567897"}):
        assert await find_skus(store, **asked) == [], asked
    assert await find_skus(store, order="-sku") == [top, kite]
    assert await find_skus(store, order="sku", limit=1, offset=1) == [top]
    either = {"$or[0][sku]": "SKU-cometa", "$or[1][q]": "trompo"}
    assert await find_skus(store, **either, order="sku") == [kite, top]
    assert await find_skus(store, **{"created_at[$gt]": "2999-01-01"}) == []
    assert (await store.get(VARIANTS, params={"order": "price"})).status_code == 400


async def test_variant_has_the_requested_fields(
    store: httpx.AsyncClient, sample_variants: dict[str, Variant]
) -> None:
    sku = {"sku": "SKU-trompo"}
    product_id = sample_variants["trompo"].product_id
    (plain,) = (await get(store, VARIANTS, **sku))["variants"]
    assert plain["product"] == {"id": product_id, "type_id": None}
    assert list(plain["options"][0]["option"]) == ["id"]
    assert plain["images"] == []
    assert not {"calculated_price", "inventory_quantity", "deleted_at"} & plain.keys()
    region_id = (await get(store, "/store/regions"))["regions"][0]["id"]
    more = "+calculated_price,+inventory_quantity,+product.title"
    (whole,) = (await get(store, VARIANTS, **sku, fields=more, region_id=region_id))["variants"]
    assert (whole["calculated_price"]["calculated_amount"], whole["inventory_quantity"]) == (12_000, 3)
    assert whole["product"]["title"] == "Trompo de lámina"
    (least,) = (await get(store, VARIANTS, **sku, fields="sku"))["variants"]
    assert least == {"id": plain["id"], "sku": "SKU-trompo"}
    refused = await store.get(VARIANTS, params={"fields": "+calculated_price"})
    message = "Missing required pricing context to calculate prices - region_id"
    assert (refused.status_code, refused.json()) == (400, {"type": "invalid_data", "message": message})
    assert (await store.get(VARIANTS, params={"region_id": "reg_nosuch"})).status_code == 404


async def test_changed_variant_title_appears_in_the_next_response(
    store: httpx.AsyncClient, shop: Shop, sample_variants: dict[str, Variant]
) -> None:
    asked = {"sku": "SKU-cometa", "fields": "title"}
    for title in ("Azul", "Rojo"):
        async with shop.database.transaction() as session:
            (await session.get_one(Variant, sample_variants["cometa"].id)).title = title
        assert [one["title"] for one in (await get(store, VARIANTS, **asked))["variants"]] == [title]
