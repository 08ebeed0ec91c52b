"""Delivery of an exchange's new order: taken along, picked up later, or sent. All or nothing, on both databases.

| fault | outcome |
|---|---|
| the order has no address, and the customer comes back another day | pickup, without an address form |
| the products change after a pickup was chosen | the pickup stays, with or without an address of the order |
| the address of the order names no municipality | pickup works, also when it is priced again; a carrier is refused |
| the option has another price than the expected one, or is unknown, or no e-mail address is known | nothing changes |
| the products change while the carrier answers | the price is requested again |
| its price is requested again while its address is corrected | the corrected address stays |
| its price is requested again while another delivery or none is chosen | refused as unknown; that choice stays |
| a role without the right | refused |
"""

from dataclasses import replace

import pytest
from sqlalchemy import delete, select, update

from backend.audit.models import AuditEntry
from backend.cart.models import Cart, ShippingQuote
from backend.cart.shipping_method import find_shipping_method
from backend.checkout.carts.changes import set_shipping_address
from backend.content.brand import read_brand
from backend.core.db.tables import JsonObject
from backend.core.errors import Forbidden, InvalidData, NotAllowed, NotFound, ShopError
from backend.draft_orders.contact import parse_contact
from backend.draft_orders.models import DraftOrder
from backend.exchanges.delivery import (
    deliver_with_option,
    list_pickups,
    price_delivery_again,
    take_new_order_along,
)
from backend.exchanges.models import Exchange
from backend.exchanges.preparation import add_outbound_units, lock_outbound_cart
from backend.fulfillment.bulk_fulfillment import hand_over
from backend.fulfillment.printing import render_packing_slips
from backend.office.sell import describe_destination
from backend.order_edits.difference import DifferenceReceipt
from backend.orders.delivery_kinds import DeliveryKind, read_delivery
from backend.orders.models import Order
from backend.orders.service import read_order
from backend.shipping.models import ShippingOption
from backend.shipping.offered_options import OptionNotOffered
from backend.shipping.terms.own_delivery import PickupPoint
from tests.backend.checkout.paying_kit import PRICE, Till
from tests.backend.checkout.scripted_carrier import LETICIA, ScriptedCarrier
from tests.backend.draft_orders.selling import SELLER, STOCKROOM, prepare, take_money
from tests.backend.exchanges.exchange_kit import CASH, sell_one, settle, write_exchange
from tests.backend.order_edits.editing_kit import find_option, pack_order, receive

DEARER = PRICE + 5_000
QUOTED = 12_000
ADDRESS: JsonObject = {
    "first_name": "Beatriz",
    "last_name": "Rojas",
    "phone": "3109876543",
    "address_1": "Calle 10 # 5-51",
    "city": "Medellín",
    "province": "Antioquia",
    "country_code": "co",
}
FAR_ADDRESS: JsonObject = {**ADDRESS, "city": "Leticia", "province": "Amazonas"}


@pytest.fixture
def carrier() -> ScriptedCarrier:
    return ScriptedCarrier()


@pytest.fixture
async def products(till: Till, carrier: ScriptedCarrier) -> tuple[str, str]:
    """Return a product and a dearer one, in a shop with pickup and a carrier."""
    known = till.checkout.fulfillment_providers
    till.checkout = replace(till.checkout, fulfillment_providers={**known, "carrier_standard": carrier})
    return await till.make_variant("trompo", stock=3), await till.make_variant("balero", price=DEARER)


async def choose(
    till: Till,
    exchange: Exchange,
    provider_id: str,
    expected: int | None = None,
    address: JsonObject | None = None,
) -> None:
    option_id = await find_option(till, provider_id)
    await deliver_with_option(till.checkout, SELLER, exchange.id, option_id, expected, address)


async def sell_and_send(till: Till, old: str, new: str) -> Exchange:
    """Return an exchange whose new order is sent to `ADDRESS`. Its carrier would be asked again for the price."""
    draft = await prepare(till, {old: 1})
    order = await take_money(till, draft, PRICE, contact=parse_contact({"email": "ana@example.com"}))
    exchange = await write_exchange(till, order, {old: 1}, {new: 1})
    await choose(till, exchange, "carrier_standard", QUOTED, ADDRESS)
    async with till.database.transaction() as session:
        await session.execute(delete(ShippingQuote))
    return exchange


async def price_again(till: Till, exchange: Exchange) -> None:
    async with till.database.read() as session:
        draft = await session.get_one(DraftOrder, exchange.draft_order_id)
        method = await find_shipping_method(session, draft.cart_id)
    assert method is not None
    await price_delivery_again(till.checkout, SELLER, exchange.id, method.id, None)


async def read_delivery_of(till: Till, exchange: Exchange) -> tuple[JsonObject | None, str, int]:
    """Return the address of the new order, and the name and the price of its shipping."""
    async with till.database.read() as session:
        draft = await session.get_one(DraftOrder, exchange.draft_order_id)
        cart = await session.get_one(Cart, draft.cart_id)
        method = await find_shipping_method(session, cart.id)
        return cart.shipping_address, method.name if method else "", method.amount if method else 0


async def test_exchange_order_without_an_address_can_be_picked_up_and_paid_later(
    till: Till, products: tuple[str, str]
) -> None:
    old, new = products
    beatriz = parse_contact({"first_name": "Beatriz", "last_name": "Rojas"})
    order = await take_money(till, await prepare(till, {old: 1}), PRICE, contact=beatriz)
    exchange = await write_exchange(till, order, {old: 1}, {new: 1})
    async with till.database.read() as session:
        (pickup,) = await list_pickups(session, order)
    await deliver_with_option(till.checkout, SELLER, exchange.id, pickup.id)
    assert await read_delivery_of(till, exchange) == (None, pickup.name, 0)
    made = await settle(till, exchange, 5_000)  # the difference is paid when it is picked up
    assert (made.fulfillment_status, made.payment_status, made.shipping_name) == (
        "not_fulfilled",
        "partially_captured",
        pickup.name,
    )
    await receive(till, made, 5_000)
    made = await till.read_order(made.id)
    assert made.payment_status == "captured"
    async with till.database.read() as session:
        assert (await read_delivery(session, made))[0] is DeliveryKind.PICKUP
        entries = select(AuditEntry.action).where(AuditEntry.subject_id == order.id)
        assert {"exchange written", "exchanged"} <= set((await session.execute(entries)).scalars())
        brand = await read_brand(session, till.checkout.settings)
        slip = await render_packing_slips(session, SELLER, brand, [made.id])
    assert "Beatriz Rojas" in slip
    await pack_order(till, made)
    assert await till.available(new) == 2
    async with till.database.transaction() as session:
        assert (await hand_over(session, SELLER, made.id)).is_done
    assert (await till.read_order(made.id)).fulfillment_status == "delivered"


async def test_pickup_remains_chosen_when_the_products_of_an_exchange_change(
    till: Till, products: tuple[str, str]
) -> None:
    old, new = products
    exchange = await write_exchange(till, await sell_one(till, old), {old: 1}, {new: 1})
    await choose(till, exchange, "manual_manual", 0)
    picked_up = await read_delivery_of(till, exchange)
    async with till.database.transaction() as session:
        await add_outbound_units(session, SELLER, exchange.id, new)
    assert await read_delivery_of(till, exchange) == picked_up
    async with till.database.transaction() as session:
        await take_new_order_along(session, SELLER, exchange.id)
    assert await read_delivery_of(till, exchange) == (None, "", 0)
    made = await settle(till, exchange, PRICE + 10_000, DifferenceReceipt(PRICE + 10_000, CASH))
    assert made.fulfillment_status == "delivered"


@pytest.mark.parametrize("town", ["Medellín", "Macondo"])
async def test_pickup_for_an_order_with_an_address_remains_chosen_when_products_change(
    till: Till, products: tuple[str, str], town: str
) -> None:
    old, new = products
    order = await sell_one(till, old)
    address = {**ADDRESS, "city": town}
    async with till.database.transaction() as session:
        option = await session.get_one(ShippingOption, await find_option(till, "manual_manual"))
        option.data = PickupPoint("Calle 93 # 11-26").to_data()
        await session.execute(
            update(Order)
            .where(Order.id == order.id)
            .values(shipping_address=address, email="ana@example.com")
        )
    exchange = await write_exchange(till, order, {old: 1}, {new: 1})
    async with till.database.read() as session:
        (pickup,) = await list_pickups(session, await read_order(session, order.id))
    if town == "Macondo":
        with pytest.raises(InvalidData):
            await choose(till, exchange, "carrier_standard")
    await deliver_with_option(till.checkout, SELLER, exchange.id, pickup.id)
    async with till.database.transaction() as session:
        await add_outbound_units(session, SELLER, exchange.id, new)
    async with till.database.read() as session:
        draft = await session.get_one(DraftOrder, exchange.draft_order_id)
        cart = await session.get_one(Cart, draft.cart_id)
        method = await find_shipping_method(session, cart.id)
        assert await describe_destination(session, cart) == ["Calle 93 # 11-26"]
    assert method is not None
    await price_delivery_again(till.checkout, SELLER, exchange.id, method.id, 0)
    assert await read_delivery_of(till, exchange) == (address, pickup.name, 0)
    made = await settle(till, exchange, PRICE + 10_000)
    async with till.database.read() as session:
        assert (await read_delivery(session, made))[0] is DeliveryKind.PICKUP
        brand = await read_brand(session, till.checkout.settings)
        slip = await render_packing_slips(session, SELLER, brand, [made.id])
    assert ("Beatriz Rojas" in slip, "Calle 10" in slip) == (True, False)


async def test_refused_shipping_choice_does_not_change_the_delivery_of_an_exchange(
    till: Till, products: tuple[str, str], carrier: ScriptedCarrier
) -> None:
    old, new = products
    exchange = await write_exchange(till, await sell_one(till, old), {old: 1}, {new: 1})
    for chosen in (False, True):
        if chosen:
            await choose(till, exchange, "manual_manual")
        before = await read_delivery_of(till, exchange)
        refusals: list[tuple[str, int | None, JsonObject, type[ShopError]]] = [
            ("carrier_standard", 1, ADDRESS, InvalidData),  # another price
            ("carrier_standard", QUOTED, ADDRESS, InvalidData),  # the counter asked for no e-mail address
            ("carrier_standard", None, {**ADDRESS, "city": "Macondo"}, InvalidData),
            ("carrier_standard", None, {**ADDRESS, "phone": ""}, InvalidData),
        ]
        for provider_id, expected, address, error in refusals:
            with pytest.raises(error):
                await choose(till, exchange, provider_id, expected, address)
            assert await read_delivery_of(till, exchange) == before
        with pytest.raises(NotAllowed):
            await choose(till, exchange, "carrier_standard")
        with pytest.raises(OptionNotOffered):
            await deliver_with_option(till.checkout, SELLER, exchange.id, "so_unknown", None, ADDRESS)
        assert await read_delivery_of(till, exchange) == before
    with pytest.raises(Forbidden):
        await deliver_with_option(till.checkout, STOCKROOM, exchange.id, "so_unknown")


async def test_products_that_change_while_the_carrier_answers_are_priced_again(
    till: Till, products: tuple[str, str], carrier: ScriptedCarrier
) -> None:
    old, new = products
    draft = await prepare(till, {old: 1})
    order = await take_money(till, draft, PRICE, contact=parse_contact({"email": "ana@example.com"}))
    exchange = await write_exchange(till, order, {old: 1}, {new: 1})

    async def add_another() -> None:
        carrier.on_call = None
        async with till.database.transaction() as session:
            await add_outbound_units(session, SELLER, exchange.id, new)

    carrier.on_call = add_another
    await choose(till, exchange, "carrier_standard", QUOTED, ADDRESS)
    assert len(carrier.asked) == 2
    address, _name, amount = await read_delivery_of(till, exchange)
    assert (address, amount) == (ADDRESS, QUOTED)


async def test_address_that_is_corrected_while_the_carrier_answers_stays(
    till: Till, products: tuple[str, str], carrier: ScriptedCarrier
) -> None:
    exchange = await sell_and_send(till, *products)
    corrected = {**ADDRESS, "first_name": "Berta"}  # the same place, so the shipping method stays

    async def correct() -> None:
        carrier.on_call = None
        async with till.database.transaction() as session:
            cart = await lock_outbound_cart(session, SELLER, exchange.id)
            await set_shipping_address(session, cart, corrected)

    carrier.on_call = correct
    await price_again(till, exchange)
    address, _name, amount = await read_delivery_of(till, exchange)
    assert (address, amount) == (corrected, QUOTED)


@pytest.mark.parametrize("chosen", ["another address", "pickup", "taken along"])
async def test_delivery_that_is_chosen_while_the_carrier_answers_stays(
    till: Till, products: tuple[str, str], carrier: ScriptedCarrier, chosen: str
) -> None:
    exchange = await sell_and_send(till, *products)
    meanwhile: list[tuple[JsonObject | None, str, int]] = []

    async def choose_meanwhile() -> None:
        carrier.on_call = None
        if chosen == "another address":
            await choose(till, exchange, "carrier_standard", None, FAR_ADDRESS)
        elif chosen == "pickup":
            await choose(till, exchange, "manual_manual", 0, ADDRESS)
        else:
            async with till.database.transaction() as session:
                await take_new_order_along(session, SELLER, exchange.id)
        meanwhile.append(await read_delivery_of(till, exchange))

    carrier.on_call = choose_meanwhile
    with pytest.raises(NotFound):
        await price_again(till, exchange)
    assert [await read_delivery_of(till, exchange)] == meanwhile
    if chosen == "another address":
        assert (meanwhile[0][0], meanwhile[0][2]) == (FAR_ADDRESS, carrier.prices[LETICIA])
