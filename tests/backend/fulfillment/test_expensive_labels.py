"""A label that costs much more than the shipping did, before discounts, is not bought without a person's word."""

from collections.abc import Callable
from dataclasses import asdict
from typing import Any

import httpx
import pytest
from sqlalchemy import select, update

from backend.app import Shop
from backend.core.config.modules import CARRIER
from backend.inventory import service as inventory
from backend.inventory.models import InventoryLevel
from backend.orders.models import Fulfillment, Order
from backend.pricing import SHIPPING, Adjustment
from backend.sandbox.carrier import SandboxCarrier
from backend.shipping.providers.carrier.provider import CarrierStandard
from tests.store_defaults import Defaults, make_toy
from tests.store_steps import bought, get, post

Charge = Callable[[int], None]


@pytest.fixture
def charge(shop: Shop, monkeypatch: pytest.MonkeyPatch) -> Charge:
    """Let every courier ask for this much from now on."""
    provider = shop.fulfillment_providers[CARRIER]
    assert isinstance(provider, CarrierStandard)
    clients = (provider._client, provider._quotes._client)  # of labels, and of shoppers' quotations
    quotation = provider._client.quotation

    def at(price: int) -> None:
        async def dear(asked: Any) -> list[object]:
            rates: list[Any] = list(await quotation(asked))
            return [{**rate, "flete": price, "minimumInsurance": 0} for rate in rates]

        for client in clients:
            monkeypatch.setattr(client, "quotation", dear)

    return at


@pytest.fixture
def carrier(shop: Shop) -> SandboxCarrier:
    assert shop.sandbox.carrier
    return shop.sandbox.carrier


@pytest.fixture
async def order(
    shop: Shop, shop_defaults: Defaults, store: httpx.AsyncClient, charge: Charge
) -> dict[str, Any]:
    """Two toys, and 15 046 pesos paid for shipping them."""
    async with shop.database.transaction() as session:
        variant = await make_toy(session, shop_defaults, "trompo", stock=5)
    charge(15_046)
    order = await bought(store, variant, 2, price_type="calculated")
    assert order["shipping_total"] == 15_046
    return order


def packed(order: dict[str, Any]) -> dict[str, Any]:
    return {"items": [{"id": order["items"][0]["id"], "quantity": 2}]}


async def waiting(admin: httpx.AsyncClient) -> list[dict[str, Any]]:
    query = {"kind": "label_too_expensive", "status": "open"}
    rows: list[dict[str, Any]] = (await get(admin, "/admin/attention", **query))["attention"]
    return rows


async def state_of(admin: httpx.AsyncClient, order: dict[str, Any]) -> str:
    shown = (await get(admin, f"/admin/orders/{order['id']}"))["order"]
    return str(shown["fulfillments"][0]["data"]["state"])


async def send(admin: httpx.AsyncClient, order: dict[str, Any]) -> httpx.Response:
    return await admin.post(f"/admin/orders/{order['id']}/fulfillments", json=packed(order))


@pytest.fixture
async def row(admin: httpx.AsyncClient, order: dict[str, Any], charge: Charge) -> dict[str, Any]:
    """What waits for a decision: the label costs 90 000 pesos."""
    charge(90_000)
    refused = await send(admin, order)
    assert (refused.status_code, refused.json()["type"]) == (400, "not_allowed")
    assert "costs 90000 and may cost 25046" in refused.json()["message"]
    (row,) = await waiting(admin)
    return row


async def test_a_label_within_the_limit_is_bought(
    admin: httpx.AsyncClient, order: dict[str, Any], charge: Charge, carrier: SandboxCarrier
) -> None:
    charge(25_046)
    assert (await send(admin, order)).status_code == 200
    assert len(await carrier.ledger.labels()) == 1
    assert await waiting(admin) == []


async def test_what_an_offer_took_off_the_shipping_makes_no_label_too_expensive(
    *, shop: Shop, admin: httpx.AsyncClient, order: dict[str, Any], charge: Charge
) -> None:
    async with shop.database.transaction() as session:
        taken = asdict(Adjustment(15_046, SHIPPING, "ENVIOGRATIS"))
        free = {"shipping_total": 0, "total": order["item_total"], "adjustments": [taken]}
        await session.execute(update(Order).values(**free))
    charge(25_047)
    refused = await send(admin, order)
    assert "costs 25047 and may cost 25046" in refused.json()["message"]
    (row,) = await waiting(admin)
    no = {"action": "dismissed", "note": "Too dear"}
    await post(admin, f"/admin/attention/{row['id']}/resolve", no)
    charge(25_046)
    assert (await send(admin, order)).status_code == 200


async def test_a_label_beyond_it_is_not_bought_and_waits(
    *,
    shop: Shop,
    admin: httpx.AsyncClient,
    order: dict[str, Any],
    row: dict[str, Any],
    carrier: SandboxCarrier,
) -> None:
    assert await carrier.ledger.labels() == []
    assert (row["amount"], row["order_id"], row["actions"]) == (90_000, order["id"], ["honor", "dismissed"])
    assert await state_of(admin, order) == "too_expensive"
    assert (await send(admin, order)).status_code == 409
    assert len(await waiting(admin)) == 1
    async with shop.database.read() as session:
        level = (await session.execute(select(InventoryLevel))).scalar_one()
    assert (level.stocked, level.reserved) == (5, 2)


async def test_honoured_it_is_bought_at_that_price(
    *,
    admin: httpx.AsyncClient,
    order: dict[str, Any],
    row: dict[str, Any],
    carrier: SandboxCarrier,
) -> None:
    await post(admin, f"/admin/attention/{row['id']}/resolve", {"action": "honor"})
    assert len(await carrier.ledger.labels()) == 1
    assert await state_of(admin, order) == "created"
    again = await admin.post(f"/admin/attention/{row['id']}/resolve", json={"action": "honor"})
    assert again.status_code == 409
    assert len(await carrier.ledger.labels()) == 1


async def test_honoured_and_dearer_by_then_it_waits_again(
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
    assert "costs 90001 and may cost 90000" in dearer.json()["message"]
    (again,) = await waiting(admin)
    assert (again["amount"], again["id"] == row["id"]) == (90_001, False)
    assert await carrier.ledger.labels() == []
    await post(admin, f"/admin/attention/{again['id']}/resolve", {"action": "honor"})
    assert len(await carrier.ledger.labels()) == 1


async def test_dismissed_it_has_failed_and_may_be_tried_again(
    *,
    admin: httpx.AsyncClient,
    order: dict[str, Any],
    row: dict[str, Any],
    carrier: SandboxCarrier,
    charge: Charge,
) -> None:
    body = {"action": "dismissed", "note": "We ship it ourselves"}
    await post(admin, f"/admin/attention/{row['id']}/resolve", body)
    assert await state_of(admin, order) == "failed"
    assert (await send(admin, order)).status_code == 400  # still as dear: it waits once more
    (again,) = await waiting(admin)
    await post(admin, f"/admin/attention/{again['id']}/resolve", body)
    charge(15_046)
    assert (await send(admin, order)).status_code == 200
    assert len(await carrier.ledger.labels()) == 1


# of a shop with two warehouses


@pytest.fixture
async def far(admin: httpx.AsyncClient, shop_defaults: Defaults) -> str:
    address = {"address_1": "Carrera 43A # 1-50", "city": "Medellín", "country_code": "co"}
    body = {"name": "Bodega de Medellín", "address": {**address, "metadata": {"dane_code": "05001000"}}}
    return str((await post(admin, "/admin/stock-locations", body))["stock_location"]["id"])


async def put(shop: Shop, order: dict[str, Any], location_id: str, units: int) -> None:
    async with shop.database.transaction() as session:
        await inventory.set_stock(session, order["items"][0]["variant_id"], location_id, units)


async def reserved(shop: Shop) -> dict[str, int]:
    """Units by location."""
    async with shop.database.read() as session:
        levels = (await session.execute(select(InventoryLevel))).scalars()
        return {level.location_id: level.reserved for level in levels if level.reserved}


@pytest.mark.parametrize("state", ["creating", "unknown", "too_expensive", "created"])
async def test_a_label_that_is_not_decided_holds_its_units_where_they_are(  # noqa: PLR0917
    shop: Shop,
    shop_defaults: Defaults,
    admin: httpx.AsyncClient,
    order: dict[str, Any],
    row: dict[str, Any],
    far: str,
    *,
    state: str,
) -> None:
    await put(shop, order, far, 3)
    async with shop.database.transaction() as session:
        await session.execute(update(Fulfillment).values(state=state))
    path = f"/admin/orders/{order['id']}/fulfillments"
    refused = await admin.post(path, json={**packed(order), "location_id": far})
    assert refused.status_code == 409
    assert await reserved(shop) == {shop_defaults.location_id: 2}


async def test_a_label_that_was_made_before_a_crash_is_packed_from_its_own_location(
    shop: Shop, shop_defaults: Defaults, admin: httpx.AsyncClient, order: dict[str, Any], row: dict[str, Any]
) -> None:
    async with shop.database.transaction() as session:
        await session.execute(update(Fulfillment).values(state="created"))
    path = f"/admin/orders/{order['id']}/fulfillments"
    await post(admin, path, {**packed(order), "location_id": shop_defaults.location_id})
    assert await reserved(shop) == {}


async def test_honoured_it_leaves_from_its_own_location(
    *,
    shop: Shop,
    shop_defaults: Defaults,
    admin: httpx.AsyncClient,
    store: httpx.AsyncClient,
    charge: Charge,
    far: str,
) -> None:
    """Though the usual one holds as many."""
    near = shop_defaults.location_id
    async with shop.database.transaction() as session:
        variant = await make_toy(session, shop_defaults, "yoyo", stock=2)
        await inventory.set_stock(session, variant, far, 2)
    charge(15_046)
    order = await bought(store, variant, 4, price_type="calculated")
    assert await reserved(shop) == {near: 2, far: 2}
    charge(90_000)
    path = f"/admin/orders/{order['id']}/fulfillments"
    assert (await admin.post(path, json={**packed(order), "location_id": far})).status_code == 400
    (row,) = await waiting(admin)
    await post(admin, f"/admin/attention/{row['id']}/resolve", {"action": "honor"})
    (fulfillment,) = (await get(admin, f"/admin/orders/{order['id']}"))["order"]["fulfillments"]
    assert (fulfillment["location_id"], await reserved(shop)) == (far, {near: 2})
