"""A label that costs much more than the shipping price before discounts is bought only after a decision by staff."""

from collections.abc import Callable
from dataclasses import asdict
from typing import Any

import httpx
import pytest
from sqlalchemy import select, update

from backend.app import Shop
from backend.inventory import service as inventory
from backend.inventory.models import InventoryLevel
from backend.orders.models import Fulfillment, Order
from backend.pricing import SHIPPING, Adjustment
from backend.sandbox.carrier import SandboxCarrier
from backend.shipping.providers.carrier.client import CarrierClient
from tests.store_defaults import Defaults, add_product
from tests.store_steps import complete_purchase, get, post

Charge = Callable[[int], None]


@pytest.fixture
def charge(monkeypatch: pytest.MonkeyPatch) -> Charge:
    """Return a function that sets the price of every courier."""
    quotation = CarrierClient.request_quotation

    def at(price: int) -> None:
        async def dear(client: CarrierClient, asked: Any) -> list[object]:
            rates: list[Any] = list(await quotation(client, asked))
            return [{**rate, "flete": price, "minimumInsurance": 0} for rate in rates]

        monkeypatch.setattr(CarrierClient, "request_quotation", dear)

    return at


@pytest.fixture
def carrier(shop: Shop) -> SandboxCarrier:
    assert shop.sandbox.carrier
    return shop.sandbox.carrier


@pytest.fixture
async def order(
    shop: Shop, shop_defaults: Defaults, store: httpx.AsyncClient, charge: Charge
) -> dict[str, Any]:
    """Return an order of two units with a shipping price of 15 046 pesos."""
    async with shop.database.transaction() as session:
        variant = await add_product(session, shop_defaults, "trompo", stock=5)
    charge(15_046)
    order = await complete_purchase(store, variant, 2, price_type="calculated")
    assert order["shipping_total"] == 15_046
    return order


def fulfillment_body(order: dict[str, Any]) -> dict[str, Any]:
    return {"items": [{"id": order["items"][0]["id"], "quantity": 2}]}


async def list_waiting(admin: httpx.AsyncClient) -> list[dict[str, Any]]:
    query = {"kind": "label_too_expensive", "status": "open"}
    rows: list[dict[str, Any]] = (await get(admin, "/admin/attention", **query))["attention"]
    return rows


async def read_state(admin: httpx.AsyncClient, order: dict[str, Any]) -> str:
    shown = (await get(admin, f"/admin/orders/{order['id']}"))["order"]
    return str(shown["fulfillments"][0]["data"]["state"])


async def send_order(admin: httpx.AsyncClient, order: dict[str, Any]) -> httpx.Response:
    return await admin.post(f"/admin/orders/{order['id']}/fulfillments", json=fulfillment_body(order))


@pytest.fixture
async def row(admin: httpx.AsyncClient, order: dict[str, Any], charge: Charge) -> dict[str, Any]:
    """Return the attention row of a label that is refused because it costs 90 000 pesos."""
    charge(90_000)
    refused = await send_order(admin, order)
    assert (refused.status_code, refused.json()["type"]) == (400, "not_allowed")
    assert "costs 90000, above the limit of 25046" in refused.json()["message"]
    (row,) = await list_waiting(admin)
    return row


async def test_label_within_the_limit_is_bought(
    admin: httpx.AsyncClient, order: dict[str, Any], charge: Charge, carrier: SandboxCarrier
) -> None:
    charge(25_046)
    assert (await send_order(admin, order)).status_code == 200
    assert len(await carrier.ledger.list_labels()) == 1
    assert await list_waiting(admin) == []


async def test_shipping_discount_does_not_reduce_the_label_limit(
    *, shop: Shop, admin: httpx.AsyncClient, order: dict[str, Any], charge: Charge
) -> None:
    async with shop.database.transaction() as session:
        taken = asdict(Adjustment(15_046, SHIPPING, "ENVIOGRATIS"))
        free = {"shipping_total": 0, "total": order["item_total"], "adjustments": [taken]}
        await session.execute(update(Order).values(**free))
    charge(25_047)
    refused = await send_order(admin, order)
    assert "costs 25047, above the limit of 25046" in refused.json()["message"]
    (row,) = await list_waiting(admin)
    no = {"action": "dismissed", "note": "Too dear"}
    await post(admin, f"/admin/attention/{row['id']}/resolve", no)
    charge(25_046)
    assert (await send_order(admin, order)).status_code == 200


async def test_label_above_the_limit_waits_for_a_decision(
    *,
    shop: Shop,
    admin: httpx.AsyncClient,
    order: dict[str, Any],
    row: dict[str, Any],
    carrier: SandboxCarrier,
) -> None:
    assert await carrier.ledger.list_labels() == []
    assert (row["amount"], row["order_id"], row["actions"]) == (90_000, order["id"], ["honor", "dismissed"])
    assert await read_state(admin, order) == "too_expensive"
    assert (await send_order(admin, order)).status_code == 409
    assert len(await list_waiting(admin)) == 1
    async with shop.database.read() as session:
        level = (await session.execute(select(InventoryLevel))).scalar_one()
    assert (level.stocked, level.reserved) == (5, 2)


async def test_approved_label_is_bought_at_its_price(
    *,
    admin: httpx.AsyncClient,
    order: dict[str, Any],
    row: dict[str, Any],
    carrier: SandboxCarrier,
) -> None:
    await post(admin, f"/admin/attention/{row['id']}/resolve", {"action": "honor"})
    assert len(await carrier.ledger.list_labels()) == 1
    assert await read_state(admin, order) == "created"
    again = await admin.post(f"/admin/attention/{row['id']}/resolve", json={"action": "honor"})
    assert again.status_code == 409
    assert len(await carrier.ledger.list_labels()) == 1


async def test_approved_label_whose_price_rose_waits_for_another_decision(
    *,
    admin: httpx.AsyncClient,
    order: dict[str, Any],
    row: dict[str, Any],
    carrier: SandboxCarrier,
    charge: Charge,
) -> None:
    charge(90_001)
    dearer = await admin.post(f"/admin/attention/{row['id']}/resolve", json={"action": "honor"})
    assert dearer.status_code == 400
    assert "costs 90001, above the limit of 90000" in dearer.json()["message"]
    (again,) = await list_waiting(admin)
    assert (again["amount"], again["id"] == row["id"]) == (90_001, False)
    assert await carrier.ledger.list_labels() == []
    await post(admin, f"/admin/attention/{again['id']}/resolve", {"action": "honor"})
    assert len(await carrier.ledger.list_labels()) == 1


async def test_label_whose_high_price_is_rejected_fails_and_can_be_requested_again(
    *,
    admin: httpx.AsyncClient,
    order: dict[str, Any],
    row: dict[str, Any],
    carrier: SandboxCarrier,
    charge: Charge,
) -> None:
    body = {"action": "dismissed", "note": "We ship it ourselves"}
    await post(admin, f"/admin/attention/{row['id']}/resolve", body)
    assert await read_state(admin, order) == "failed"
    assert (await send_order(admin, order)).status_code == 400  # the price is the same: it waits again
    (again,) = await list_waiting(admin)
    await post(admin, f"/admin/attention/{again['id']}/resolve", body)
    charge(15_046)
    assert (await send_order(admin, order)).status_code == 200
    assert len(await carrier.ledger.list_labels()) == 1


# a shop with two warehouses


@pytest.fixture
async def far(admin: httpx.AsyncClient, shop_defaults: Defaults) -> str:
    address = {"address_1": "Carrera 43A # 1-50", "city": "Medellín", "country_code": "co"}
    body = {"name": "Bodega de Medellín", "address": {**address, "metadata": {"dane_code": "05001000"}}}
    return str((await post(admin, "/admin/stock-locations", body))["stock_location"]["id"])


async def set_stock(shop: Shop, order: dict[str, Any], location_id: str, units: int) -> None:
    async with shop.database.transaction() as session:
        await inventory.set_stock(session, order["items"][0]["variant_id"], location_id, units)


async def read_reserved(shop: Shop) -> dict[str, int]:
    """Return the reserved units by location; locations without any are left out."""
    async with shop.database.read() as session:
        levels = (await session.execute(select(InventoryLevel))).scalars()
        return {level.location_id: level.reserved for level in levels if level.reserved}


@pytest.mark.parametrize("state", ["creating", "unknown", "too_expensive", "created"])
async def test_units_of_an_undecided_label_cannot_be_sent_from_another_location(  # noqa: PLR0917
    shop: Shop,
    shop_defaults: Defaults,
    admin: httpx.AsyncClient,
    order: dict[str, Any],
    row: dict[str, Any],
    far: str,
    *,
    state: str,
) -> None:
    await set_stock(shop, order, far, 3)
    async with shop.database.transaction() as session:
        await session.execute(update(Fulfillment).values(state=state))
    path = f"/admin/orders/{order['id']}/fulfillments"
    refused = await admin.post(path, json={**fulfillment_body(order), "location_id": far})
    assert refused.status_code == 409
    assert await read_reserved(shop) == {shop_defaults.location_id: 2}


async def test_label_created_before_a_crash_is_packed_from_its_location(
    shop: Shop, shop_defaults: Defaults, admin: httpx.AsyncClient, order: dict[str, Any], row: dict[str, Any]
) -> None:
    async with shop.database.transaction() as session:
        await session.execute(update(Fulfillment).values(state="created"))
    path = f"/admin/orders/{order['id']}/fulfillments"
    await post(admin, path, {**fulfillment_body(order), "location_id": shop_defaults.location_id})
    assert await read_reserved(shop) == {}


async def test_units_of_an_approved_label_leave_from_its_location(
    *,
    shop: Shop,
    shop_defaults: Defaults,
    admin: httpx.AsyncClient,
    store: httpx.AsyncClient,
    charge: Charge,
    far: str,
) -> None:
    """Reserve two units at each of two locations: the label takes only those of its own location."""
    near = shop_defaults.location_id
    async with shop.database.transaction() as session:
        variant = await add_product(session, shop_defaults, "yoyo", stock=2)
        await inventory.set_stock(session, variant, far, 2)
    charge(15_046)
    order = await complete_purchase(store, variant, 4, price_type="calculated")
    assert await read_reserved(shop) == {near: 2, far: 2}
    charge(90_000)
    path = f"/admin/orders/{order['id']}/fulfillments"
    assert (await admin.post(path, json={**fulfillment_body(order), "location_id": far})).status_code == 400
    (row,) = await list_waiting(admin)
    await post(admin, f"/admin/attention/{row['id']}/resolve", {"action": "honor"})
    (fulfillment,) = (await get(admin, f"/admin/orders/{order['id']}"))["order"]["fulfillments"]
    assert (fulfillment["location_id"], await read_reserved(shop)) == (far, {near: 2})
