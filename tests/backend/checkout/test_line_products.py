"""Product fields in the lines of carts and orders: those of the platform, and more if they are requested."""

from typing import Any

import httpx
import pytest
from sqlalchemy import select, update

from backend.app import Shop
from backend.catalog.models import Category, Collection, Picture, Product, ProductCategory, Variant
from tests.store_defaults import Defaults, add_product
from tests.store_steps import complete_purchase, create_addressed_cart, get, post

PICTURE, ADDRESS = "/pictures/trompo (1).jpg", "http://localhost:3000/pictures/trompo%20%281%29.jpg"
OF_A_LINE = [
    "id",
    "title",
    "subtitle",
    "thumbnail",
    "variant_id",
    "product_id",
    "product_title",
    "product_description",
    "product_collection",
    "product_handle",
    "variant_sku",
    "variant_title",
    "product_subtitle",
    "product_type",
    "product_type_id",
    "variant_barcode",
    "variant_option_values",
    "compare_at_unit_price",
    "deleted_at",
    "requires_shipping",
    "is_giftcard",
    "is_discountable",
    "is_tax_inclusive",
    "is_custom_price",
    "created_at",
    "updated_at",
    "unit_price",
    "quantity",
    "subtotal",
    "total",
    "original_subtotal",
    "original_total",
    "discount_subtotal",
    "discount_tax_total",
    "discount_total",
    "tax_total",
    "original_tax_total",
    "refundable_total_per_unit",
    "refundable_total",
    "fulfilled_total",
    "shipped_total",
    "return_requested_total",
    "return_received_total",
    "return_dismissed_total",
    "write_off_total",
    "metadata",
    "line_item_metadata",
    "tax_lines",
    "adjustments",
    "detail",
    "variant",
    "raw_unit_price",
    "raw_compare_at_unit_price",
    "raw_quantity",
    "raw_subtotal",
    "raw_total",
    "raw_original_subtotal",
    "raw_original_total",
    "raw_discount_subtotal",
    "raw_discount_tax_total",
    "raw_discount_total",
    "raw_tax_total",
    "raw_original_tax_total",
    "raw_refundable_total_per_unit",
    "raw_refundable_total",
    "raw_fulfilled_total",
    "raw_shipped_total",
    "raw_return_requested_total",
    "raw_return_received_total",
    "raw_return_dismissed_total",
    "raw_write_off_total",
]
OF_A_TAX_LINE = [
    "id",
    "description",
    "tax_rate_id",
    "code",
    "provider_id",
    "item_id",
    "metadata",
    "data",
    "deleted_at",
    "created_at",
    "updated_at",
    "rate",
    "total",
    "subtotal",
    "raw_rate",
    "raw_total",
    "raw_subtotal",
]
OF_A_DETAIL = [
    "id",
    "order_id",
    "item_id",
    "version",
    "quantity",
    "fulfilled_quantity",
    "delivered_quantity",
    "shipped_quantity",
    "return_requested_quantity",
    "return_received_quantity",
    "return_dismissed_quantity",
    "written_off_quantity",
    "raw_unit_price",
    "raw_compare_at_unit_price",
    "deleted_at",
    "unit_price",
    "compare_at_unit_price",
    "created_at",
    "updated_at",
    "metadata",
    "raw_quantity",
    "raw_fulfilled_quantity",
    "raw_delivered_quantity",
    "raw_shipped_quantity",
    "raw_return_requested_quantity",
    "raw_return_received_quantity",
    "raw_return_dismissed_quantity",
    "raw_written_off_quantity",
]
OF_A_VARIANT = [
    "id",
    "title",
    "sku",
    "product_id",
    "barcode",
    "ean",
    "upc",
    "hs_code",
    "origin_country",
    "mid_code",
    "material",
    "weight",
    "length",
    "height",
    "width",
    "metadata",
    "thumbnail",
    "deleted_at",
    "allow_backorder",
    "manage_inventory",
    "variant_rank",
    "created_at",
    "updated_at",
]
OF_A_PRODUCT = [
    "id",
    "title",
    "handle",
    "description",
    "status",
    "thumbnail",
    "collection_id",
    "subtitle",
    "length",
    "height",
    "width",
    "origin_country",
    "hs_code",
    "mid_code",
    "material",
    "external_id",
    "metadata",
    "type_id",
    "deleted_at",
    "is_giftcard",
    "discountable",
    "weight",
    "created_at",
    "updated_at",
]
"""The fields of 2.18 (wire: commerce-api-shapes, order as a guest)."""


@pytest.fixture
async def trompo(shop: Shop, shop_defaults: Defaults) -> str:
    """Create a product with a picture, in a collection. Return its variant's id."""
    async with shop.database.transaction() as session:
        classics = Collection(title="Clásicos", handle="clasicos")
        session.add(classics)
        await session.flush()
        variant_id = await add_product(
            session,
            shop_defaults,
            "trompo",
            description="De guayacán",
            subtitle="Con su piola",
            weight=120,
            thumbnail=PICTURE,
            collection_id=classics.id,
        )
        variant = await session.get_one(Variant, variant_id)
        session.add(Picture(product_id=variant.product_id, url=PICTURE, rank=0))
    return variant_id


def find_missing(shown: dict[str, Any], *names: str) -> list[str]:
    return [name for name in names if name not in shown]


async def test_cart_lines_show_requested_products(store: httpx.AsyncClient, trompo: str) -> None:
    new = {"items": [{"variant_id": trompo, "quantity": 2}]}
    cart = (await post(store, "/store/carts", new))["cart"]
    (line,) = cart["items"]
    assert line["thumbnail"] == ADDRESS
    assert (line["product"].keys(), "variant" in line) == (
        {"id", "collection_id", "type_id", "categories", "tags"},
        False,
    )

    path = f"/store/carts/{cart['id']}"
    starters = (
        "*items, *region, *items.product, *items.variant, *items.thumbnail, *items.metadata, +items.total"
    )
    (line,) = (await get(store, path, fields=starters))["cart"]["items"]
    assert find_missing(line["variant"], *OF_A_VARIANT) == []
    assert find_missing(line["product"], *OF_A_PRODUCT, "categories", "tags") == []
    assert (line["variant"]["sku"], line["product"]["title"]) == ("SKU-trompo", "Trompo")
    assert (line["product"]["thumbnail"], line["product"]["weight"]) == (ADDRESS, 120)
    assert "images" not in line["product"]

    asked = "items.id,items.variant.sku,*items.variant.product.images,items.variant.inventory_quantity"
    (line,) = (await get(store, path, fields=asked))["cart"]["items"]
    assert line.keys() == {"id", "variant"}
    assert (line["variant"]["sku"], line["variant"]["inventory_quantity"]) == ("SKU-trompo", 10)
    assert [picture["url"] for picture in line["variant"]["product"]["images"]] == [ADDRESS]


async def test_order_lines_show_the_fields_of_the_platform(
    store: httpx.AsyncClient, admin: httpx.AsyncClient, shop: Shop, trompo: str
) -> None:
    order = await complete_purchase(store, trompo, 3)
    path = f"/store/orders/{order['id']}"
    (line,) = (await get(store, path))["order"]["items"]
    assert find_missing(line, *OF_A_LINE) == []
    assert find_missing(line["tax_lines"][0], *OF_A_TAX_LINE) == []
    assert find_missing(line["detail"], *OF_A_DETAIL) == []
    assert find_missing(line["variant"], *OF_A_VARIANT) == []
    assert find_missing(line["variant"]["product"], *OF_A_PRODUCT) == []
    assert (line["product_description"], line["product_subtitle"], line["product_collection"]) == (
        "De guayacán",
        "Con su piola",
        "Clásicos",
    )
    assert line["thumbnail"] == line["variant"]["product"]["thumbnail"] == ADDRESS
    assert (line["total"], line["refundable_total_per_unit"]) == (150_000, 50_000)
    assert (line["refundable_total"], line["fulfilled_total"], line["raw_total"]) == (
        150_000,
        0,
        {"value": "150000", "precision": 20},
    )

    sent = {"items": [{"id": line["id"], "quantity": 2}]}
    await post(admin, f"/admin/orders/{order['id']}/fulfillments", sent)
    starters = "*payment_collections.payments,*items,*items.metadata,*items.variant,*items.product"
    (line,) = (await get(store, path, fields=starters))["order"]["items"]
    assert (line["fulfilled_total"], line["shipped_total"]) == (100_000, 0)
    assert find_missing(line["product"], *OF_A_PRODUCT) == []
    for_staff = await get(admin, f"/admin/orders/{order['id']}", fields="*items.variant.product.images")
    (line,) = for_staff["order"]["items"]
    assert [picture["url"] for picture in line["variant"]["product"]["images"]] == [PICTURE]

    async with shop.database.transaction() as session:  # the order does not change
        await session.execute(update(Product).values(title="Otro", description="Otra", status="draft"))
    (line,) = (await get(store, path))["order"]["items"]
    assert (line["product_title"], line["product_description"]) == ("Trompo", "De guayacán")
    assert line["variant"]["product"]["title"] == "Otro"


async def test_unknown_relations_in_the_fields_parameter_are_ignored(
    store: httpx.AsyncClient, trompo: str
) -> None:
    """Check that the response is the one without the parameter (wire: commerce-api, Conventions, fields)."""
    order = await complete_purchase(store, trompo)
    path = f"/store/orders/{order['id']}"
    usual = (await get(store, path))["order"]
    assert (await get(store, path, fields="*nosuch,*items.nosuch,+items.nosuch.deeper"))["order"] == usual


async def test_lines_show_product_type_and_tags(
    store: httpx.AsyncClient, admin: httpx.AsyncClient, shop: Shop, trompo: str
) -> None:
    type_ = (await post(admin, "/admin/product-types", {"value": "De madera"}))["product_type"]
    values = ("Clásico", "Regalo")
    tags = [(await post(admin, "/admin/product-tags", {"value": one}))["product_tag"]["id"] for one in values]
    async with shop.database.read() as session:
        product_id = (await session.get_one(Variant, trompo)).product_id
    words = {"type_id": type_["id"], "tags": [{"id": tag} for tag in tags]}
    await post(admin, f"/admin/products/{product_id}", words)

    cart = (await post(store, "/store/carts", {"items": [{"variant_id": trompo, "quantity": 1}]}))["cart"]
    (line,) = cart["items"]
    assert (line["product_type"], line["product_type_id"]) == ("De madera", type_["id"])
    assert line["product"]["type_id"] == type_["id"]
    assert line["product"]["tags"] == [{"id": tag} for tag in sorted(tags)]

    order = await complete_purchase(store, trompo)
    await post(admin, f"/admin/products/{product_id}", {"type_id": None, "tags": []})
    (line,) = (await get(store, f"/store/orders/{order['id']}"))["order"]["items"]
    assert (line["product_type"], line["product_type_id"]) == (
        "De madera",
        type_["id"],
    )  # unchanged since the sale
    (line,) = (await get(store, f"/store/carts/{cart['id']}"))["cart"]["items"]
    assert (line["product_type"], line["product_type_id"]) == (None, None)
    assert (line["product"]["type_id"], line["product"]["tags"]) == (None, [])


async def test_line_shows_collection_and_categories_of_its_product(
    store: httpx.AsyncClient, shop: Shop, trompo: str
) -> None:
    async with shop.database.transaction() as session:
        tops, classics = Category(name="Trompos", handle="trompos"), Collection(title="Clásicos", handle="c")
        session.add_all((tops, classics))
        await session.flush()
        product_id = (await session.execute(select(Product.id))).scalar_one()
        session.add(ProductCategory(product_id=product_id, category_id=tops.id))
        await session.execute(update(Product).values(collection_id=classics.id))
    cart_id = await create_addressed_cart(store, trompo)
    (line,) = (await get(store, f"/store/carts/{cart_id}"))["cart"]["items"]
    assert line["product_collection"] == "Clásicos"
    assert line["product"] == {
        "id": product_id,
        "collection_id": classics.id,
        "type_id": None,
        "categories": [{"id": tops.id}],
        "tags": [],
    }
