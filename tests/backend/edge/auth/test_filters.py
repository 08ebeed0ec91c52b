"""Lists with the platform's filters return exactly the requested items."""

from datetime import timedelta
from typing import Any

import httpx
import pytest
from sqlalchemy import select

from backend.app import Shop
from backend.core.clock import now
from backend.customers.models import Customer
from backend.edge.auth.bearer_tokens import CUSTOMER, TokenOwner, issue_token
from backend.inventory.models import InventoryLevel
from backend.orders.models import Order
from backend.shipping.models import StockLocation
from tests.store_defaults import Defaults, add_product
from tests.store_steps import complete_purchase, get, post


@pytest.fixture
async def variants(shop: Shop, shop_defaults: Defaults) -> tuple[str, str]:
    """Create two variants and return their ids. The second one is also stocked at a second location."""
    async with shop.database.transaction() as session:
        first, second = [
            await add_product(session, shop_defaults, name, stock=9) for name in ("trompo", "yoyo")
        ]
        known = (await session.execute(select(StockLocation))).scalar_one()
        other = StockLocation(name="Feria", address=known.address)
        session.add(other)
        await session.flush()
        session.add(InventoryLevel(variant_id=second, location_id=other.id, stocked=1))
    return first, second


async def list_ids(client: httpx.AsyncClient, path: str, **parameters: Any) -> list[str]:
    (items,) = [
        part
        for part in (await get(client, path, fields="id", **parameters)).values()
        if isinstance(part, list)
    ]
    return [item["id"] for item in items]


async def test_customer_orders_can_be_filtered_by_status_and_id(
    store: httpx.AsyncClient, admin: httpx.AsyncClient, shop: Shop, variants: tuple[str, str]
) -> None:
    async with shop.database.transaction() as session:
        ana = Customer(email="ana@example.com")
        session.add(ana)
        await session.flush()
    await complete_purchase(store, variants[0])  # a guest's
    token = issue_token(shop.settings.signing_key, TokenOwner(ana.id, CUSTOMER))
    store.headers["authorization"] = f"Bearer {token}"
    first, second = [(await complete_purchase(store, variants[0]))["id"] for _ in range(2)]
    await post(admin, f"/admin/orders/{first}/cancel")
    assert await list_ids(store, "/store/orders") == [second, first]
    assert await list_ids(store, "/store/orders", status="canceled") == [first]
    assert await list_ids(store, "/store/orders", **{"status[]": ["canceled", "pending"]}) == [second, first]
    assert await list_ids(store, "/store/orders", **{"id[]": [second, "order_nosuch"]}) == [second]
    async with shop.database.read() as session:
        guests = (await session.execute(select(Order.id).where(Order.customer_id.is_(None)))).scalar_one()
    assert await list_ids(store, "/store/orders", id=guests) == []


async def test_regions_channels_and_keys_can_be_searched(admin: httpx.AsyncClient) -> None:
    (key,) = (await get(admin, "/admin/api-keys"))["api_keys"]
    title = key["title"]
    assert await list_ids(admin, "/admin/api-keys", title=title) == [key["id"]]
    for path, word in (
        ("/admin/regions", "colom"),
        ("/admin/sales-channels", "tienda"),
        ("/admin/api-keys", title[2:5].upper()),
    ):
        every = await list_ids(admin, path)
        assert len(every) == 1
        assert await list_ids(admin, path, q=word) == every, path
        assert await list_ids(admin, path, q="nosuch") == [], path
        assert await list_ids(admin, path, **{"id[]": [every[0], "nosuch"]}) == every
    assert await list_ids(admin, "/admin/regions", currency_code="usd") == []
    assert len(await list_ids(admin, "/admin/api-keys", type="publishable")) == 1
    assert await list_ids(admin, "/admin/api-keys", type="secret") == []


async def test_inventory_can_be_filtered_by_location(
    admin: httpx.AsyncClient, shop: Shop, variants: tuple[str, str]
) -> None:
    async with shop.database.read() as session:
        found = await session.execute(select(StockLocation.name, StockLocation.id))
        places = {row.name: row.id for row in found}
    path, by_place = "/admin/inventory-items", "location_levels[location_id]"
    items = [variant.replace("variant_", "iitem_") for variant in variants]
    assert await list_ids(admin, path, **{by_place: places.pop("Feria")}) == [items[1]]
    assert sorted(await list_ids(admin, path, **{f"{by_place}[0]": places.popitem()[1]})) == sorted(items)
    assert await list_ids(admin, path, **{by_place: "sloc_nosuch"}) == []


async def test_removing_an_unused_code_from_a_cart_is_accepted(store: httpx.AsyncClient) -> None:
    cart = (await post(store, "/store/carts"))["cart"]
    path, body = f"/store/carts/{cart['id']}/promotions", {"promo_codes": ["NAVIDAD"]}
    gone = await store.request("DELETE", path, json=body)
    assert (gone.status_code, gone.json()["cart"]["promotions"]) == (200, [])
    assert (await store.post(path, json=body)).status_code == 400


async def test_filters_of_small_lists_are_combined(
    admin: httpx.AsyncClient, variants: tuple[str, str]
) -> None:
    toys_of = {"prices": [{"variant_id": variants[0], "amount": 10}]}
    begin = (now() + timedelta(days=1)).isoformat()
    list_ = {"title": "Navidad", "status": "active", "starts_at": begin, **toys_of}
    (price_list,) = (await post(admin, "/admin/price-lists", list_)).values()
    campaign_body = {"name": "Navidad", "campaign_identifier": "N-1"}
    (campaign,) = (await post(admin, "/admin/campaigns", campaign_body)).values()
    method = {"type": "fixed", "target_type": "order", "value": 1}
    code = {"code": "DIEZ", "type": "standard", "application_method": method}
    (promotion,) = (await post(admin, "/admin/promotions", code)).values()
    for path, one, named in (
        ("/admin/price-lists", price_list["id"], {"q": "navi"}),
        ("/admin/campaigns", campaign["id"], {"campaign_identifier": "N-1"}),
        ("/admin/promotions", promotion["id"], {"code": "DIEZ"}),
        ("/admin/shipping-options", None, {"q": "recoger"}),
    ):
        ((name, value),) = named.items()
        found = await list_ids(admin, path, **named)
        assert len(found) == 1
        assert one in (None, *found)
        assert await list_ids(admin, path, **{"$or[0][id]": "nosuch", f"$or[1][{name}]": value}) == found
        assert await list_ids(admin, path, **{"$and[0][id]": "nosuch", f"$and[1][{name}]": value}) == []


async def test_filters_of_categories_and_regions_are_combined(
    admin: httpx.AsyncClient, store: httpx.AsyncClient
) -> None:
    new = {"name": "De madera", "is_active": True}
    one = (await post(admin, "/admin/product-categories", new))["product_category"]["id"]
    (region,) = await list_ids(store, "/store/regions", name="Colombia")
    lists = (
        (admin, "/admin/product-categories", one),
        (store, "/store/product-categories", one),
        (store, "/store/regions", region),
    )
    for client, path, found in lists:
        assert await list_ids(client, path, id="nosuch") == []
        assert await list_ids(client, path, **{"$or[0][id]": "nosuch", "$or[1][id]": found}) == [found]
        assert await list_ids(client, path, **{"$and[0][id]": "nosuch", "$and[1][id]": found}) == []
        assert (await client.get(path, params={"order": "-nosuch"})).status_code == 400
    active = {"$or[0][is_active]": "false", "$or[1][id]": "nosuch"}
    assert await list_ids(admin, "/admin/product-categories", **active) == []


async def test_filters_of_mails_and_reservations_are_combined(
    admin: httpx.AsyncClient, store: httpx.AsyncClient, variants: tuple[str, str]
) -> None:
    order = await complete_purchase(store, variants[0])
    (mail,) = await list_ids(admin, "/admin/notifications", resource_id=order["id"])
    (kept,) = await list_ids(admin, "/admin/reservations")
    for path, one in (("/admin/notifications", mail), ("/admin/reservations", kept)):
        assert await list_ids(admin, path, **{"$or[0][id]": "nosuch", "$or[1][id]": one}) == [one]
        assert await list_ids(admin, path, **{"$and[0][id]": "nosuch", "$and[1][id]": one}) == []
    assert await list_ids(admin, "/admin/notifications", channel="sms") == []
    assert await list_ids(admin, "/admin/notifications", q="order_pla", channel="email") == [mail]
