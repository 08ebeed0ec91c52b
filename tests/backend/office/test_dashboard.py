"""Requests of the platform's official dashboard to the Admin API that other programs do not send."""

from typing import Any

import httpx
import pytest

from backend.app import Shop
from backend.catalog.models import Category, Collection, Product, ProductCategory, Variant
from tests.store_defaults import Defaults, add_product
from tests.store_steps import complete_purchase, get, post

FULFILLING = (
    "id,*items,*items.variant,+items.variant.product.shipping_profile.id,*customer,*sales_channel,*region"
)
NOT_KEPT = {"upc": None, "barcode": None, "material": None, "weight": None, "hs_code": None, "width": None}


@pytest.fixture
def database_url(sqlite_url: str) -> str:
    return sqlite_url


@pytest.fixture
async def trompo(shop: Shop, shop_defaults: Defaults) -> Variant:
    """Create a product in a collection and a category, and return its variant."""
    async with shop.database.transaction() as session:
        picks = Collection(title="Novedades", handle="novedades")
        tops = Category(name="Trompos", handle="trompos")
        session.add_all([picks, tops])
        await session.flush()
        variant = await session.get_one(Variant, await add_product(session, shop_defaults, "trompo", stock=5))
        (await session.get_one(Product, variant.product_id)).collection_id = picks.id
        session.add(ProductCategory(product_id=variant.product_id, category_id=tops.id))
    return variant


async def refusal(admin: httpx.AsyncClient, path: str, body: Any) -> str:
    answer = await admin.post(path, json=body)
    assert answer.status_code == 400, answer.text
    return str(answer.json()["message"])


async def test_variant_contains_its_inventory_item_with_stock(
    admin: httpx.AsyncClient, shop_defaults: Defaults, trompo: Variant
) -> None:
    of_product = f"/admin/products/{trompo.product_id}/variants"
    wish = "title,*inventory_items.inventory.location_levels"
    (listed,) = (await get(admin, of_product, fields=wish))["variants"]
    (link,) = listed["inventory_items"]
    assert link["inventory"]["location_levels"][0]["location_id"] == shop_defaults.location_id
    one = (await get(admin, f"{of_product}/{trompo.id}", fields="*inventory,*inventory_items"))["variant"]
    assert one["inventory"] == [one["inventory_items"][0]["inventory"]]
    assert (one["inventory"][0]["stocked_quantity"], one["inventory_items"][0]["required_quantity"]) == (5, 1)
    item = (await get(admin, f"/admin/inventory-items/{one['inventory'][0]['id']}"))["inventory_item"]
    (variant,) = item["variants"]
    assert [option["value"] for option in variant["options"]] == [trompo.title]
    assert variant["product"]["id"] == trompo.product_id
    product = (await get(admin, f"/admin/products/{trompo.product_id}"))["product"]
    assert "inventory_items" not in product["variants"][0]  # only with `fields`


async def test_unchanged_product_fields_that_are_sent_back_are_accepted(
    admin: httpx.AsyncClient, trompo: Variant
) -> None:
    path = f"/admin/products/{trompo.product_id}"
    has = (await get(admin, path, fields="collection_id,*categories"))["product"]
    places = {"collection_id": has["collection_id"], "categories": [{"id": has["categories"][0]["id"]}]}
    changed = await post(admin, path, {"subtitle": "Baila", "additional_data": {}, **places})
    assert changed["product"]["subtitle"] == "Baila"
    other: dict[str, Any] = {"collection_id": None, "categories": [], "subtitle": "No"}
    assert await refusal(admin, path, other) == (
        "Invalid request: Unrecognized fields: 'collection_id, categories'"
    )
    assert "additional_data" in await refusal(admin, path, {"additional_data": {"a": 1}})
    assert (await get(admin, path))["product"]["subtitle"] == "Baila"


async def test_unsupported_variant_fields_accept_only_null(admin: httpx.AsyncClient, trompo: Variant) -> None:
    path = f"/admin/products/{trompo.product_id}/variants/{trompo.id}"
    await post(admin, path, {"id": trompo.id, "title": "Grande", **NOT_KEPT})
    assert "weight" in await refusal(admin, path, {"weight": 5})
    assert "'id'" in await refusal(admin, path, {"id": "variant_other", "title": "No"})
    assert (await get(admin, path))["variant"]["title"] == "Grande"


async def test_dashboard_form_creates_a_product(admin: httpx.AsyncClient, trompo: Variant) -> None:
    variant = {"title": "Única", "inventory_items": [], "prices": [{"currency_code": "cop", "amount": 9_000}]}
    body = {
        "title": "Trompo del tablero",
        "handle": "",
        "categories": [],
        "options": [{"title": "Talla", "values": ["Única"], "is_exclusive": True}],
        "variants": [{**variant, "options": {"Talla": "Única"}}],
    }
    assert (await post(admin, "/admin/products", body))["product"]["handle"] == "trompo-del-tablero"
    elsewhere = {**body, "title": "Otro", "categories": [{"id": "pcat_other"}]}
    refused = await refusal(admin, "/admin/products", elsewhere)
    assert refused == "Invalid request: Unrecognized fields: 'categories'"
    assert (await get(admin, "/admin/products", q="Otro"))["count"] == 0


async def test_order_over_the_admin_api_contains_customer_and_locations(
    admin: httpx.AsyncClient, store: httpx.AsyncClient, trompo: Variant
) -> None:
    order = await complete_purchase(store, trompo.id, 2)
    path = f"/admin/orders/{order['id']}"
    shown = (await get(admin, path, fields=f"{FULFILLING},*items.variant.inventory_items.inventory"))["order"]
    assert (shown["status"], shown["payment_status"], shown["fulfillment_status"]) == (
        "pending",
        "authorized",
        "not_fulfilled",
    )
    assert (shown["customer"]["email"], shown["customer"]["has_account"]) == ("ana@example.com", False)
    assert (shown["sales_channel"]["name"], shown["region"]["currency_code"]) == ("Tienda en línea", "cop")
    (line,) = shown["items"]
    (link,) = line["variant"]["inventory_items"]
    assert (link["inventory"]["stocked_quantity"], link["inventory"]["reserved_quantity"]) == (5, 2)
    (option, *_) = (await get(admin, "/admin/shipping-options"))["shipping_options"]
    assert line["variant"]["product"]["shipping_profile"]["id"] == option["shipping_profile_id"]
    assert option["service_zone"]["fulfillment_set"]["location"]["id"]
    (listed,) = (await get(admin, "/admin/orders", fields="id,*customer"))["orders"]
    assert (listed.keys(), listed["customer"]["email"]) == ({"id", "customer"}, "ana@example.com")
    own = (
        await store.get(f"/store/orders/{order['id']}", params={"fields": "*items.variant.inventory_items"})
    ).json()
    assert "inventory_items" not in own["order"]["items"][0]["variant"]  # stock is hidden from shoppers
    assert (await get(admin, f"{path}/changes", **{"change_type[0]": "edit", "status": "requested"}))[
        "count"
    ] == 0


async def test_reservation_contains_the_id_of_its_order_line(
    admin: httpx.AsyncClient, store: httpx.AsyncClient, trompo: Variant
) -> None:
    lines = [(await complete_purchase(store, trompo.id))["items"][0]["id"] for _ in range(2)]
    asked = {"line_item_id[0]": lines[1], "limit": 1}
    (reservation,) = (await get(admin, "/admin/reservations", **asked))["reservations"]
    assert (reservation["line_item_id"], reservation["quantity"]) == (lines[1], 1)
    path = f"/admin/reservations/{reservation['id']}"
    assert (await get(admin, path))["reservation"]["line_item_id"] == lines[1]
    assert (await get(admin, "/admin/reservations"))["count"] == 2
    assert (await get(admin, "/admin/reservations", line_item_id="ordli_other"))["count"] == 0


async def test_shipment_accepts_the_labels_returned_by_the_api(
    admin: httpx.AsyncClient, store: httpx.AsyncClient, trompo: Variant
) -> None:
    order = await complete_purchase(store, trompo.id, price_type="calculated")
    path = f"/admin/orders/{order['id']}/fulfillments"
    items = [{"id": order["items"][0]["id"], "quantity": 1}]
    (sent,) = (await post(admin, path, {"items": items}))["order"]["fulfillments"]
    shipped = await post(admin, f"{path}/{sent['id']}/shipments", {"items": items, "labels": sent["labels"]})
    assert shipped["order"]["fulfillments"][0]["labels"] == sent["labels"]
    assert shipped["order"]["fulfillment_status"] == "shipped"


async def test_customer_groups_contain_members_and_staff_can_be_searched(
    admin: httpx.AsyncClient, shop_defaults: Defaults
) -> None:
    eva, leo = [
        (await post(admin, "/admin/customers", {"email": f"{name}@example.com"}))["customer"]["id"]
        for name in ("eva", "leo")
    ]
    schools, clubs = [
        (await post(admin, "/admin/customer-groups", {"name": name}))["customer_group"]["id"]
        for name in ("Colegios", "Clubes")
    ]
    await post(admin, f"/admin/customer-groups/{schools}/customers", {"add": [leo, eva]})
    asked = {"fields": "+customers.id", "customers[id]": eva}
    (found,) = (await get(admin, "/admin/customer-groups", **asked))["customer_groups"]
    assert (found["id"], [one["id"] for one in found["customers"]]) == (schools, [eva, leo])
    everybody = (await get(admin, "/admin/customer-groups", fields="id,*customers"))["customer_groups"]
    assert {group["id"]: len(group["customers"]) for group in everybody} == {schools: 2, clubs: 0}
    for part, count in (("ANA@", 1), ("nobody", 0), ("", 1)):
        assert (await get(admin, "/admin/users", q=part))["count"] == count


async def test_feature_flags_route_returns_no_flags(admin: httpx.AsyncClient) -> None:
    assert await get(admin, "/admin/feature-flags") == {"feature_flags": {}}
