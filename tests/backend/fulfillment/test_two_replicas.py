"""Two replicas of a shop with the embedded carrier: each shows, tracks and cancels the labels of the other."""

from collections.abc import AsyncIterator
from typing import Any

import httpx
import pytest

from backend.app import Shop, create_api
from backend.sandbox.carrier.labels import Status
from tests.backend.conftest import SHOPPER
from tests.store_defaults import Defaults, add_product
from tests.store_steps import complete_purchase, get, post


@pytest.fixture
async def other_shop(shop: Shop) -> AsyncIterator[Shop]:
    """Return a second instance of the shop, as another process opens it."""
    other = Shop(shop.settings)
    yield other
    await other.stop()


@pytest.fixture
async def other_admin(other_shop: Shop, admin: httpx.AsyncClient) -> AsyncIterator[httpx.AsyncClient]:
    """Return the owner's browser, connected to the second instance."""
    transport = httpx.ASGITransport(create_api(other_shop), client=SHOPPER)
    async with httpx.AsyncClient(
        transport=transport, base_url=admin.base_url, headers=admin.headers
    ) as client:
        yield client


@pytest.fixture
async def sent(
    shop: Shop, shop_defaults: Defaults, store: httpx.AsyncClient, admin: httpx.AsyncClient
) -> dict[str, Any]:
    """Return an order whose label the first instance created."""
    async with shop.database.transaction() as session:
        variant = await add_product(session, shop_defaults, "trompo")
    order = await complete_purchase(store, variant, 1, price_type="calculated")
    packed = {"items": [{"id": order["items"][0]["id"], "quantity": 1}]}
    made: dict[str, Any] = (await post(admin, f"/admin/orders/{order['id']}/fulfillments", packed))["order"]
    return made


async def test_label_created_by_one_replica_is_shown_by_another_replica(
    sent: dict[str, Any], other_admin: httpx.AsyncClient
) -> None:
    number = sent["fulfillments"][0]["data"]["carrier_order_id"]
    label = await other_admin.get(f"/sandbox/carrier/labels/{number}.pdf")
    assert (label.status_code, label.headers["content-type"]) == (200, "application/pdf")


async def test_label_created_by_one_replica_is_tracked_by_another_replica(
    sent: dict[str, Any], shop: Shop, other_shop: Shop, other_admin: httpx.AsyncClient
) -> None:
    assert shop.sandbox.carrier
    number = int(sent["fulfillments"][0]["data"]["carrier_order_id"])
    await shop.sandbox.carrier.ledger.move_shipment(number, Status.DELIVERED)
    assert await other_shop.tracker.track_all() == 1
    order = (await get(other_admin, f"/admin/orders/{sent['id']}"))["order"]
    assert order["fulfillment_status"] == "delivered"


async def test_label_created_by_one_replica_is_cancelled_by_another_replica(
    sent: dict[str, Any], other_admin: httpx.AsyncClient
) -> None:
    cancel = f"/admin/orders/{sent['id']}/fulfillments/{sent['fulfillments'][0]['id']}/cancel"
    order = (await post(other_admin, cancel))["order"]
    assert order["fulfillment_status"] == "not_fulfilled"
