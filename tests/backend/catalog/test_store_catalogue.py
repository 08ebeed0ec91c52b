"""The catalogue over the Store API, on both databases (wire: commerce-api, Store catalogue)."""

from dataclasses import dataclass
from typing import Any

import httpx
import pytest
from sqlalchemy import select

from backend.app import Shop
from backend.catalog.models import Category, Collection, Picture, Product, ProductCategory, Variant
from backend.catalog.search.index import index_products
from backend.channels.models import Region
from tests.store_defaults import Defaults, add_product
from tests.store_steps import get


@dataclass
class Shelf:
    """Ids of the test data by handle."""

    product: dict[str, str]
    category: dict[str, str]
    collection_id: str
    region_id: str


@pytest.fixture
async def shelf(shop: Shop, shop_defaults: Defaults) -> Shelf:
    """Create the categories Juguetes > Madera > Trompos, with a top, a yo-yo on sale and a draft."""
    async with shop.database.transaction() as session:
        root = Category(name="Juguetes", handle="juguetes")
        wooden = Category(name="Madera", handle="madera", parent_id=root.id, rank=1)
        tops = Category(name="Trompos", handle="trompos", parent_id=wooden.id, rank=2)
        for category in (root, wooden, tops):
            session.add(category)
            await session.flush()
        picks = Collection(title="Novedades", handle="novedades")
        session.add(picks)
        await session.flush()
        products: dict[str, str] = {}
        for handle, price, more in (
            ("trompo", 12_000, {"title": "Trompo de lámina", "brand": "Artesanos", "age_range": "6-8"}),
            ("yoyo", 9_000, {"title": "Yoyó clásico", "collection_id": picks.id, "weight": 0.2}),
            ("balero", 15_000, {"title": "Balero", "status": "draft"}),
        ):
            variant_id = await add_product(session, shop_defaults, handle, price=price, stock=3, **more)
            variant = await session.get_one(Variant, variant_id)
            products[handle] = variant.product_id
        yoyo = (
            await session.execute(select(Variant).where(Variant.product_id == products["yoyo"]))
        ).scalar_one()
        yoyo.compare_at_price = 12_000
        session.add(ProductCategory(product_id=products["trompo"], category_id=tops.id))
        session.add(ProductCategory(product_id=products["yoyo"], category_id=wooden.id))
        session.add(Picture(product_id=products["trompo"], url="/demo/trompo (1).webp", alt="Un trompo"))
        await session.flush()
        await index_products(session, list(products.values()))
        region_id = (await session.execute(select(Region.id))).scalar_one()
    categories = {category.handle: category.id for category in (root, wooden, tops)}
    return Shelf(products, categories, picks.id, region_id)


async def test_product_list_is_filtered_by_option_by_variant_and_by_date(
    store: httpx.AsyncClient, shelf: Shelf
) -> None:
    """Check the parameters of GET /store/products (wire: commerce-api, Store catalogue)."""
    top = (await get(store, f"/store/products/{shelf.product['trompo']}"))["product"]
    (option,), (variant,) = top["options"], top["variants"]
    assert await handles(store, "option_id=opt_nosuch") == []
    for query in (
        f"option_id={option['id']}",
        f"option_value_id[]={option['values'][0]['id']}&option_value_id[]=optval_nosuch",
        f"variants[id]={variant['id']}",
        f"variants[sku]={variant['sku']}",
        f"variants[sku][]={variant['sku']}&variants[title]={variant['title']}",
        f"id={top['id']}&created_at={top['created_at']}",
        f"id={top['id']}&updated_at[$eq]={top['updated_at']}&with_deleted=false",
    ):
        assert await handles(store, query) == ["trompo"], query
    for query in (
        "option_value_id=optval_nosuch",
        f"variants[sku]={variant['sku']}&variants[title]=Otro",
        "variants[ean]=7701234567897",
        "external_id=x",
        "created_at=2001-01-01",
        "created_at=9999-12-31T23:59:59.999999Z",
        "updated_at[$eq]=2001-01-01T00:00:00.001Z",
    ):
        assert await handles(store, query) == [], query
    for query in ("with_deleted=true", "deleted_at[$gt]=2001-01-01", "created_at=yesterday"):
        assert (await store.get(f"/store/products?{query}")).status_code == 400, query


async def test_search_of_programs_finds_no_misspelled_and_no_similar_words(
    store: httpx.AsyncClient, shop: Shop, shop_defaults: Defaults
) -> None:
    async with shop.database.transaction() as session:
        await add_product(session, shop_defaults, "rompecabezas", title="Rompecabezas")
        await add_product(session, shop_defaults, "cometa", title="Cometa")
    found = {"rompecabezas": 1, "rompe": 1, "cometas": 1, "barrilete": 1}
    for word in ("rompecavezas", "rompekavesas", "kometa", "kometas", "bolantin", "cometq"):
        found[word] = 0
    for word, count in found.items():
        assert len(await handles(store, f"q={word}")) == count, word
        variants = await get(store, "/store/product-variants", q=word)
        assert variants["count"] == count, word


async def handles(store: httpx.AsyncClient, query: str) -> list[str]:
    answer = await get(store, f"/store/products?{query}")
    assert answer["count"] >= len(answer["products"])
    return [product["handle"] for product in answer["products"]]


async def test_list_has_the_default_fields_of_the_platform(store: httpx.AsyncClient, shelf: Shelf) -> None:
    answer = await get(store, "/store/products")
    assert (answer["count"], answer["offset"], answer["limit"]) == (2, 0, 50)
    trompo = next(product for product in answer["products"] if product["handle"] == "trompo")
    hidden = {"status", "metadata", "categories", "featured"}
    assert not hidden & trompo.keys()
    assert trompo["images"][0]["url"] == "http://localhost:3000/demo/trompo%20%281%29.webp"
    (variant,) = trompo["variants"]
    assert "calculated_price" not in variant
    assert variant["options"][0]["option"]["id"] == trompo["options"][0]["id"]
    assert trompo["options"][0]["values"][0]["value"] == variant["title"]


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("q=lamina", ["trompo"]),  # without the accent
        ("q=tromp", ["trompo"]),
        ("q=SKU-yoyo", ["yoyo"]),
        ("q=yoyo%20clasico", ["yoyo"]),
        ("q=nada", []),
        ("q=%21%21", []),
        ("handle=yoyo", ["yoyo"]),
        ("handle=nosuch", []),
        ("handle=balero", []),  # a draft
        ("handle[]=yoyo&handle[]=trompo&order=handle", ["trompo", "yoyo"]),
        ("handle[0]=yoyo&handle[1]=trompo&order=-handle", ["yoyo", "trompo"]),
        ("handle%5B%5D=yoyo", ["yoyo"]),
        ("order=title&limit=1", ["trompo"]),
        ("order=title&limit=1&offset=1", ["yoyo"]),
        ("order=-title&limit=1", ["yoyo"]),
        ("order=price", ["yoyo", "trompo"]),
        ("limit=0", []),
        ("offset=100", []),
        ("is_giftcard=true", []),
        ("created_at[$gt]=2020-01-01&order=title", ["trompo", "yoyo"]),
        ("created_at[$lt]=2020-01-01T00:00:00Z", []),
        ("sales_channel_id=sc_other", []),
    ],
)
async def test_store_api_filters_return_only_matching_products(
    store: httpx.AsyncClient, shelf: Shelf, query: str, expected: list[str]
) -> None:
    assert await handles(store, query) == expected


async def test_category_filter_includes_descendants(store: httpx.AsyncClient, shelf: Shelf) -> None:
    """Check that a category also finds the products of its descendants (wire: commerce-api, preface)."""
    ids = shelf.category
    assert await handles(store, f"category_id={ids['juguetes']}&order=title") == ["trompo", "yoyo"]
    assert await handles(store, f"category_id={ids['trompos']}") == ["trompo"]
    assert await handles(store, f"category_id[]={ids['trompos']}&category_id[]=pcat_nosuch") == ["trompo"]
    assert await handles(store, "category_id=pcat_nosuch") == []
    assert await handles(store, f"collection_id={shelf.collection_id}") == ["yoyo"]
    assert await handles(store, f"id={shelf.product['yoyo']}") == ["yoyo"]


async def test_count_of_products_is_exact_beyond_the_last_page(
    store: httpx.AsyncClient, shelf: Shelf
) -> None:
    assert (await get(store, "/store/products", offset=50))["count"] == 2
    assert (await get(store, "/store/products", limit=0))["count"] == 2


async def test_page_size_is_limited(store: httpx.AsyncClient, shelf: Shelf) -> None:
    """Request a larger page than the maximum (wire: commerce-api, preface)."""
    assert (await get(store, "/store/products", limit=100_000))["limit"] == 100


async def test_calculated_price_without_a_region_is_refused(store: httpx.AsyncClient, shelf: Shelf) -> None:
    """Check also the prices with a region (spec: Entities, Region; wire: commerce-api, price)."""
    wish = "*variants.calculated_price,+variants.inventory_quantity"
    answer = await get(store, "/store/products", handle="yoyo", fields=wish, region_id=shelf.region_id)
    (yoyo,) = answer["products"]
    assert yoyo["title"] == "Yoyó clásico"  # includes the default fields
    (variant,) = yoyo["variants"]
    assert variant["inventory_quantity"] == 3
    price = variant["calculated_price"]
    assert (price["calculated_amount"], price["original_amount"], price["currency_code"]) == (
        9_000,
        12_000,
        "cop",
    )
    assert price["calculated_price"]["price_list_type"] == "sale"
    assert price["raw_calculated_amount"] == {"value": "9000", "precision": 20}
    refused = await store.get("/store/products", params={"fields": "*variants.calculated_price"})
    message = "Missing required pricing context to calculate prices - region_id"
    assert refused.json() == {"type": "invalid_data", "message": message}
    unknown = await store.get("/store/products", params={"region_id": "reg_nosuch"})
    assert unknown.status_code == 404


async def test_variant_has_the_pictures_of_its_product_on_request(
    store: httpx.AsyncClient, shelf: Shelf
) -> None:
    """Request `*variants.images`, as the official storefront does to show the chosen variant's pictures."""
    path = f"/store/products/{shelf.product['trompo']}"
    asked = (await get(store, path, fields="*variants.images"))["product"]
    assert asked["variants"][0]["images"] == asked["images"]
    assert [image["rank"] for image in asked["images"]] == [0]
    (alone,) = (await get(store, path, fields="id,variants.images.url"))["product"]["variants"]
    assert alone["images"] == [{"id": asked["images"][0]["id"], "url": asked["images"][0]["url"]}]
    assert "images" not in (await get(store, path))["product"]["variants"][0]
    without = (await get(store, f"/store/products/{shelf.product['yoyo']}", fields="*variants.images"))[
        "product"
    ]
    assert without["variants"][0]["images"] == []


async def test_product_is_read_by_id(store: httpx.AsyncClient, shelf: Shelf) -> None:
    """Read a product's metadata (brand and age range), categories and weight (spec: Entities, Product)."""
    path = f"/store/products/{shelf.product['trompo']}"
    wish = "id,title,metadata,weight,*categories"
    trompo = (await get(store, path, fields=wish))["product"]
    assert trompo.keys() == {"id", "title", "metadata", "weight", "categories"}
    assert (trompo["metadata"], trompo["weight"]) == ({"brand": "Artesanos", "ageRange": "6-8"}, None)
    assert [category["handle"] for category in trompo["categories"]] == ["trompos"]
    for unknown in ("prod_nosuch", shelf.product["balero"]):
        refused = await store.get(f"/store/products/{unknown}")
        message = f"Product with id: {unknown} was not found"
        assert (refused.status_code, refused.json()["message"]) == (404, message)


@pytest.mark.parametrize(
    ("query", "message"),
    [
        ("foo=bar", "Invalid request: Unrecognized fields: 'foo'"),
        ("limit=abc", "Invalid request: Expected type: 'number' for field 'limit', got: 'abc'"),
        ("limit=-1", "Invalid request: Value for field 'limit' too small, expected at least: '0'"),
        (
            "offset=99999999999999999999",
            "Invalid request: Value for field 'offset' too large, expected at most: '1000000'",
        ),
    ],
)
async def test_invalid_query_is_refused_with_the_message_of_the_platform(
    store: httpx.AsyncClient, query: str, message: str
) -> None:
    """Check the status, type and message of each refusal (wire: commerce-api, Error bodies)."""
    refused = await store.get(f"/store/products?{query}")
    assert (refused.status_code, refused.json()) == (400, {"type": "invalid_data", "message": message})


async def test_unknown_sort_order_is_refused(store: httpx.AsyncClient) -> None:
    """Check for 400, where the platform answers 500 (wire: commerce-api, preface)."""
    for order in ("variants.calculated_price", "-", "nosuch"):
        assert (await store.get("/store/products", params={"order": order})).status_code == 400
    assert (await store.get("/store/product-categories", params={"order": "x"})).status_code == 400


async def test_category_tree_is_returned(store: httpx.AsyncClient, shelf: Shelf) -> None:
    """Read the tree from its root down, and from a category up (spec: Entities, Product category)."""
    roots = await get(
        store, "/store/product-categories", parent_category_id="null", include_descendants_tree="true"
    )
    assert roots["count"] == 1
    (root,) = roots["product_categories"]
    (wooden,) = root["category_children"]
    (tops,) = wooden["category_children"]
    assert (root["handle"], wooden["handle"], tops["handle"]) == ("juguetes", "madera", "trompos")
    assert tops["mpath"] == ".".join(shelf.category.values())
    by_handle = (await get(store, "/store/product-categories", handle="madera"))["product_categories"]
    assert by_handle[0]["parent_category"]["handle"] == "juguetes"
    assert "category_children" not in by_handle[0]["category_children"][0]
    path = f"/store/product-categories/{shelf.category['trompos']}"
    tops = (await get(store, path, include_ancestors_tree="true"))["product_category"]
    assert tops["parent_category"]["parent_category"]["handle"] == "juguetes"
    assert (await store.get("/store/product-categories/pcat_nosuch")).status_code == 404


async def test_collections_and_regions_are_listed(store: httpx.AsyncClient, shelf: Shelf) -> None:
    (picks,) = (await get(store, "/store/collections", handle="novedades"))["collections"]
    assert picks.keys() == {"id", "title", "handle", "external_id", "created_at", "updated_at"}
    assert (await get(store, f"/store/collections/{picks['id']}"))["collection"] == picks
    assert (await store.get("/store/collections/pcol_nosuch")).status_code == 404
    (region,) = (await get(store, "/store/regions"))["regions"]
    assert (region["name"], region["currency_code"], region["countries"][0]["iso_2"]) == (
        "Colombia",
        "cop",
        "co",
    )
    assert (await get(store, f"/store/regions/{region['id']}"))["region"] == region
    providers = await get(store, "/store/payment-providers", region_id=region["id"])
    assert providers["limit"] == 20
    assert [provider["id"] for provider in providers["payment_providers"]] == [
        "gateway_pse",
        "pp_system_default",
    ]


async def test_publishable_key_is_required(store: httpx.AsyncClient, anyone: httpx.AsyncClient) -> None:
    """Send no key and a wrong one (wire: commerce-api, Error bodies, publishable key)."""
    missing = await anyone.get("/store/products")
    assert (missing.status_code, missing.json()["type"]) == (400, "not_allowed")
    assert missing.json()["message"].startswith("Publishable API key required in the request header")
    wrong = await anyone.get("/store/products", headers={"x-publishable-api-key": "pk_wrong"})
    message = "A valid publishable key is required to proceed with the request"
    assert wrong.json() == {"type": "not_allowed", "message": message}


async def test_unchanged_response_has_status_304(store: httpx.AsyncClient, shop: Shop, shelf: Shelf) -> None:
    """Send the ETag before and after a change (wire: commerce-api, Conventions; spec: Storefront view rules 5)."""
    first = await store.get("/store/products")
    known = {"if-none-match": first.headers["etag"]}
    assert (await store.get("/store/products", headers=known)).status_code == 304
    async with shop.database.transaction() as session:
        product = (
            await session.execute(select(Product).where(Product.id == shelf.product["trompo"]))
        ).scalar_one()
        product.title = "Otro nombre"
    fresh = await store.get("/store/products", headers=known)
    assert fresh.status_code == 200
    assert "Otro nombre" in fresh.text


@pytest.mark.parametrize(
    ("method", "path", "status"), [("GET", "/store/nosuch", 404), ("PUT", "/store/products", 405)]
)
async def test_unknown_route_returns_a_json_error(
    store: httpx.AsyncClient, method: str, path: str, status: int
) -> None:
    """Check that the body of the error is JSON (wire: commerce-api, preface)."""
    refused = await store.request(method, path)
    body: dict[str, Any] = refused.json()
    assert (refused.status_code, body["message"]) == (status, f"Cannot {method} {path}")
