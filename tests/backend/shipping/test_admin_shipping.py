"""Warehouses and shipping options over the Admin API, on both databases (spec: Admin API; Errors)."""

from typing import Any

import httpx
import pytest

from backend.app import Shop
from backend.orders.models import Fulfillment
from tests.store_defaults import Defaults, add_product
from tests.store_steps import create_addressed_cart, find_shipping_option, get, post

NOT_ENABLED = "Providers ({}) are not enabled for the service location"


@pytest.fixture
async def trompo(shop: Shop, shop_defaults: Defaults) -> str:
    async with shop.database.transaction() as session:
        return await add_product(session, shop_defaults, "trompo", stock=5, price=40_000)


async def find_by_price_type(admin: httpx.AsyncClient, price_type: str) -> dict[str, Any]:
    options = (await get(admin, "/admin/shipping-options"))["shipping_options"]
    return next(option for option in options if option["price_type"] == price_type)


async def test_shipping_option_is_available_only_while_its_provider_is_linked(
    admin: httpx.AsyncClient, store: httpx.AsyncClient, shop_defaults: Defaults, trompo: str
) -> None:
    """Unlink the provider, and link it again (spec: Errors, provider not linked to the stock location)."""
    cart_id = await create_addressed_cart(store, trompo)
    chosen = {"option_id": (await find_shipping_option(store, cart_id, "calculated"))["id"]}
    links = f"/admin/stock-locations/{shop_defaults.location_id}/fulfillment-providers"
    location = (await post(admin, links, {"remove": ["carrier_standard"]}))["stock_location"]
    assert "fulfillment_providers" not in location
    refused = await store.post(f"/store/carts/{cart_id}/shipping-methods", json=chosen)
    message = NOT_ENABLED.format("carrier_standard")
    assert (refused.status_code, refused.json()) == (400, {"type": "not_allowed", "message": message})
    linked = await post(admin, f"{links}?fields=*fulfillment_providers", {"add": ["carrier_standard"]})
    ids = [provider["id"] for provider in linked["stock_location"]["fulfillment_providers"]]
    assert ids == ["carrier_standard", "manual_manual"]
    await post(store, f"/store/carts/{cart_id}/shipping-methods", chosen)


async def test_shipping_options_are_offered_only_while_the_sales_channel_is_linked(
    admin: httpx.AsyncClient, store: httpx.AsyncClient, shop_defaults: Defaults, trompo: str
) -> None:
    """Unlink the channel, and link it again (spec: Errors, Stock location not linked to the sales channel)."""
    cart_id = await create_addressed_cart(store, trompo)
    links = f"/admin/stock-locations/{shop_defaults.location_id}/sales-channels"
    await post(admin, links, {"remove": [shop_defaults.channel_id]})
    assert await get(store, "/store/shipping-options", cart_id=cart_id) == {"shipping_options": []}
    for _ in range(2):  # adding again is fine
        await post(admin, links, {"add": [shop_defaults.channel_id]})
    assert len((await get(store, "/store/shipping-options", cart_id=cart_id))["shipping_options"]) == 2


async def test_flat_shipping_option_becomes_calculated(
    admin: httpx.AsyncClient, store: httpx.AsyncClient, trompo: str
) -> None:
    """Change the option to the carrier's live price, and back (spec: States and transitions, Shipping option)."""
    flat = await find_by_price_type(admin, "flat")
    path = f"/admin/shipping-options/{flat['id']}"
    assert flat["prices"][0]["amount"] == 0
    change = {"provider_id": "carrier_standard", "price_type": "calculated"}
    changed = (await post(admin, path, change))["shipping_option"]
    assert (changed["provider_id"], changed["price_type"], changed["prices"]) == (
        "carrier_standard",
        "calculated",
        [],
    )
    offered = await get(store, "/store/shipping-options", cart_id=await create_addressed_cart(store, trompo))
    quoted = next(option for option in offered["shipping_options"] if option["id"] == flat["id"])
    assert quoted["amount"] > 0
    back = {"provider_id": "manual_manual", "price_type": "flat", "prices": [{"amount": 7_000}]}
    assert (await post(admin, path, back))["shipping_option"]["prices"][0]["amount"] == 7_000


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"price_type": "calculated"}, "Cannot calcuate pricing for: [] shipping option(s)."),
        (
            {"price_type": "free"},
            "Invalid request: Expected: 'calculated, flat' for field 'price_type', but got: 'free'",
        ),
        (
            {"prices": [{"amount": -1}]},
            "Invalid request: Value for field 'prices, 0, amount' too small, expected at least: '0'",
        ),
        ({"provider_id": "manual_second", "price_type": "flat"}, NOT_ENABLED.format("manual_second")),
        ({"nosuch": 1}, "Invalid request: Unrecognized fields: 'nosuch'"),
        (
            {"prices": [{"amount": 1}, {"amount": 2, "currency_code": "cop"}]},
            "A shipping option has one price, in cop",
        ),
        ({"shipping_profile_id": "sp_nosuch"}, "Shipping profile with id: sp_nosuch was not found"),
    ],
)
async def test_invalid_change_of_an_option_is_refused(
    admin: httpx.AsyncClient, shop_defaults: Defaults, change: dict[str, Any], message: str
) -> None:
    """Check each message, and that the option is unchanged (wire: commerce-api, Error bodies)."""
    flat = await find_by_price_type(admin, "flat")
    refused = await admin.post(f"/admin/shipping-options/{flat['id']}", json=change)
    assert refused.status_code in (400, 404)
    assert refused.json()["message"] == message
    assert await find_by_price_type(admin, "flat") == flat


async def test_rename_of_a_shipping_option_requires_its_provider_to_be_linked(
    admin: httpx.AsyncClient, shop_defaults: Defaults
) -> None:
    """Check that the platform's refusal also applies to a plain rename (wire: commerce-api)."""
    flat = await find_by_price_type(admin, "flat")
    links = f"/admin/stock-locations/{shop_defaults.location_id}/fulfillment-providers"
    await post(admin, links, {"remove": ["manual_manual"]})
    refused = await admin.post(f"/admin/shipping-options/{flat['id']}", json={"name": "Otro"})
    assert refused.json()["message"] == NOT_ENABLED.format("manual_manual")


async def test_new_warehouse_with_its_first_shipping_option_is_created_and_deleted(
    admin: httpx.AsyncClient, store: httpx.AsyncClient, shop_defaults: Defaults, trompo: str
) -> None:
    address = {
        "address_1": "Calle 1",
        "city": "Cali",
        "country_code": "co",
        "metadata": {"dane_code": "76001000"},
    }
    location = (await post(admin, "/admin/stock-locations", {"name": "Cali", "address": address}))[
        "stock_location"
    ]
    path = f"/admin/stock-locations/{location['id']}"
    too_long = await admin.post(path, json={"address": {"address_1": "x" * 90, "address_2": "y" * 60}})
    assert (too_long.status_code, "not fit on a label" in too_long.json()["message"]) == (400, True)
    assert location["address"]["metadata"]["dane_code"] == "76001000"
    made = await post(
        admin, f"{path}/fulfillment-sets?fields=*fulfillment_sets", {"name": "Envíos", "type": "shipping"}
    )
    (fulfillment_set,) = made["stock_location"]["fulfillment_sets"]
    sets = f"/admin/fulfillment-sets/{fulfillment_set['id']}"
    zone = {"name": "Colombia", "geo_zones": [{"type": "country", "country_code": "co"}]}
    (zone,) = (await post(admin, f"{sets}/service-zones", zone))["fulfillment_set"]["service_zones"]
    assert zone["geo_zones"][0]["country_code"] == "co"
    profile = (await get(admin, "/admin/shipping-profiles"))["shipping_profiles"][0]
    new = {
        "name": "Domicilio en Cali",
        "service_zone_id": zone["id"],
        "shipping_profile_id": profile["id"],
        "provider_id": "manual_manual",
        "price_type": "flat",
        "type": {"label": "Express", "description": "Hoy", "code": "express"},
        "prices": [{"currency_code": "cop", "amount": 9_900}],
        "rules": [{"attribute": "enabled_in_store", "operator": "eq", "value": "true"}],
    }
    unlinked = await admin.post("/admin/shipping-options", json=new)
    assert unlinked.json()["message"] == NOT_ENABLED.format("manual_manual")
    await post(admin, f"{path}/fulfillment-providers", {"add": ["manual_manual"]})
    await post(admin, f"{path}/sales-channels", {"add": [shop_defaults.channel_id]})
    priceless = await admin.post("/admin/shipping-options", json={**new, "prices": []})
    assert priceless.status_code == 400
    made_option = (await post(admin, "/admin/shipping-options", new))["shipping_option"]
    assert (made_option["type"]["code"], made_option["metadata"]) == ("express", None)
    for wrong, status in (
        ({"type": new["type"], "type_id": made_option["type"]["id"]}, 400),
        ({"type": None, "type_id": "sotype_nosuch"}, 404),
    ):
        assert (await admin.post("/admin/shipping-options", json={**new, **wrong})).status_code == status
    same = {**new, "type": None, "type_id": made_option["type"]["id"]}
    alike = (await post(admin, "/admin/shipping-options", same))["shipping_option"]
    assert [alike["type"][name] for name in new["type"]] == list(new["type"].values())
    assert (await admin.delete(f"/admin/shipping-options/{alike['id']}")).status_code == 200
    cart_id = await create_addressed_cart(store, trompo)
    offered = await get(store, "/store/shipping-options", cart_id=cart_id)
    assert 9_900 in [choice["amount"] for choice in offered["shipping_options"]]
    full = await admin.delete(f"{sets}/service-zones/{zone['id']}")
    assert full.json()["message"] == "Delete the zone's shipping options first"
    gone = (await admin.delete(f"/admin/shipping-options/{made_option['id']}")).json()
    assert gone == {"id": made_option["id"], "object": "shipping_option", "deleted": True}
    assert (await admin.get(f"/admin/shipping-options/{made_option['id']}")).status_code == 404
    assert (await admin.delete(f"{sets}/service-zones/{zone['id']}")).status_code == 200
    assert (await admin.delete(sets)).status_code == 200
    assert (await admin.delete(path)).status_code == 200
    stocked = await admin.delete(f"/admin/stock-locations/{shop_defaults.location_id}")
    assert stocked.json()["type"] == "not_allowed"


async def test_location_with_fulfillments_cannot_be_deleted(admin: httpx.AsyncClient, shop: Shop) -> None:
    made = (await post(admin, "/admin/stock-locations", {"name": "Bodega Cali"}))["stock_location"]
    sent = Fulfillment(
        order_id="order_1", reference="1-1", location_id=made["id"], provider_id="manual_manual"
    )
    async with shop.database.transaction() as session:
        session.add(sent)
    path = f"/admin/stock-locations/{made['id']}"
    refused = await admin.delete(path)
    assert (refused.status_code, refused.json()["type"]) == (400, "not_allowed")
    assert (await get(admin, path))["stock_location"]["name"] == "Bodega Cali"
    async with shop.database.transaction() as session:
        await session.delete(await session.get_one(Fulfillment, sent.id))
    assert (await admin.delete(path)).status_code == 200


async def test_unknown_provider_or_channel_cannot_be_linked(
    admin: httpx.AsyncClient, shop_defaults: Defaults
) -> None:
    path = f"/admin/stock-locations/{shop_defaults.location_id}"
    provider = await admin.post(f"{path}/fulfillment-providers", json={"add": ["nosuch_nosuch"]})
    assert provider.status_code == 404
    channel = await admin.post(f"{path}/sales-channels", json={"add": ["sc_nosuch"]})
    assert channel.status_code == 404
    location = await admin.post("/admin/stock-locations/sloc_nosuch/sales-channels", json={"add": []})
    assert location.status_code == 404
    malformed = await admin.post(f"{path}/sales-channels", json={"add": "x"})
    message = "Invalid request: Expected type: 'array' for field 'add', got: 'x'"
    assert malformed.json()["message"] == message


async def test_shipping_option_types_and_provider_options_are_listed(admin: httpx.AsyncClient) -> None:
    options = (await get(admin, "/admin/shipping-options"))["shipping_options"]
    types = (await get(admin, "/admin/shipping-option-types"))["shipping_option_types"]
    assert types == [option["type"] for option in options]
    one = await get(admin, f"/admin/shipping-option-types/{types[0]['id']}")
    assert one["shipping_option_type"] == types[0]
    offered = await get(admin, "/admin/fulfillment-providers/carrier_standard/options")
    assert offered["fulfillment_options"] == [{"id": "carrier_standard", "is_return": False}]
    for missing in ("shipping-option-types/sotype_nosuch", "fulfillment-providers/nosuch/options"):
        assert (await admin.get(f"/admin/{missing}")).status_code == 404


async def test_configured_providers_are_listed(admin: httpx.AsyncClient) -> None:
    """Check that all are enabled (spec: What the service does 7)."""
    providers = (await get(admin, "/admin/fulfillment-providers"))["fulfillment_providers"]
    assert [provider["id"] for provider in providers] == ["carrier_standard", "manual_manual", "own_delivery"]
    assert (await get(admin, "/admin/fulfillment-providers", is_enabled="false"))["count"] == 0


async def test_stock_is_never_set_below_the_reservations(
    admin: httpx.AsyncClient, store: httpx.AsyncClient, shop_defaults: Defaults, trompo: str
) -> None:
    from tests.store_steps import complete_purchase

    (item,) = (await get(admin, "/admin/inventory-items", q="sku-trompo"))["inventory_items"]
    path = f"/admin/inventory-items/{item['id']}/location-levels"
    assert (item["stocked_quantity"], item["reserved_quantity"]) == (5, 0)
    await complete_purchase(store, trompo, 3)
    (level,) = (await get(admin, path))["inventory_levels"]
    assert (level["stocked_quantity"], level["reserved_quantity"], level["available_quantity"]) == (5, 3, 2)
    changed = await post(admin, f"{path}/{shop_defaults.location_id}", {"stocked_quantity": 20})
    assert changed["inventory_item"]["location_levels"][0]["available_quantity"] == 17
    fewer = await admin.post(f"{path}/{shop_defaults.location_id}", json={"stocked_quantity": 2})
    assert fewer.status_code == 400
    assert (await get(admin, path))["inventory_levels"][0]["stocked_quantity"] == 20
    other = (await post(admin, "/admin/stock-locations", {"name": "Cali"}))["stock_location"]["id"]
    both = await post(admin, path, {"location_id": other, "stocked_quantity": 4})
    assert both["inventory_item"]["stocked_quantity"] == 24
    for unknown in (f"{path}/sloc_nosuch", f"/admin/inventory-items/iitem_nosuch/location-levels/{other}"):
        assert (await admin.post(unknown, json={"stocked_quantity": 1})).status_code == 404
    negative = await admin.post(f"{path}/{other}", json={"stocked_quantity": -1})
    assert negative.status_code == 400
