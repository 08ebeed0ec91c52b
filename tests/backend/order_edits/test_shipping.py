"""An edit gives the order another shipping option: its price, its promise and its books follow, on both databases.

| fault | outcome |
|---|---|
| products or address change after the shipping was chosen | the confirmation is refused until it is chosen again |
| the zone of own delivery becomes dearer | the confirmation is refused |
| the address is corrected while the carrier answers | the price is requested again, for the new address |
| the option does not exist | refused |
| another price than the live one is expected | refused, nothing is stored |
| the order has no address | refused |
| a role without the right | refused |
"""

from dataclasses import replace
from datetime import timedelta

import pytest
from sqlalchemy import select, update

from backend.audit.models import AuditEntry
from backend.core.clock import now
from backend.core.db.tables import JsonObject
from backend.core.errors import Forbidden, InvalidData, NotAllowed, NotFound, TotalChanged
from backend.mail.messages import compose_message
from backend.mail.models import Mail, MailKind
from backend.order_edits.confirmation import ShippingOutdated
from backend.order_edits.editing import add_variant, cancel_edit, open_edit
from backend.order_edits.shipping_choice import (
    choose_edit_shipping,
    find_shipping_of_edit,
    list_edit_shipping,
    remove_edit_shipping,
)
from backend.orders.admin.corrections import correct_address
from backend.orders.delivery_kinds import DeliveryKind, read_delivery
from backend.orders.models import Order
from backend.orders.service import compute_order_totals, list_order_lines
from backend.payment.cash import sum_cash
from backend.pricing import tax_inside
from backend.shipping.models import ShippingOption
from backend.shipping.offered_options import OptionNotOffered
from backend.shipping.providers.registry import OwnDeliveryProvider
from tests.amounts import cop
from tests.backend.checkout.paying_kit import PRICE, Till
from tests.backend.checkout.scripted_carrier import LETICIA, ScriptedCarrier
from tests.backend.draft_orders.selling import OWNER, SELLER, STOCKROOM
from tests.backend.order_edits.editing_kit import (
    choose_shipping,
    confirm,
    find_option,
    list_edits,
    place_paid_order,
    read_total,
    receive,
    write_edit,
)
from tests.checkout_steps import add_own_delivery

DELIVERY, QUOTED, FAR = 8_000, 12_000, 48_000
LETICIA_ADDRESS: JsonObject = {"city": "Leticia", "province": "Amazonas", "metadata": {"dane_code": LETICIA}}


@pytest.fixture
def carrier() -> ScriptedCarrier:
    return ScriptedCarrier()


@pytest.fixture
async def order(till: Till, carrier: ScriptedCarrier) -> Order:
    """Return a paid pickup order of one trompo, in a shop with own delivery and a carrier."""
    await add_own_delivery(till.database, DELIVERY)
    providers = {"own_delivery": OwnDeliveryProvider(), "carrier_standard": carrier}
    known = till.checkout.fulfillment_providers
    till.checkout = replace(till.checkout, fulfillment_providers={**known, **providers})
    return await place_paid_order(till, await till.make_variant(stock=5))


async def correct(till: Till, order: Order, address: JsonObject) -> None:
    async with till.database.transaction() as session:
        await correct_address(session, OWNER, order.id, address)


async def test_shipping_options_of_an_edit_are_listed_with_current_prices(
    till: Till, order: Order, carrier: ScriptedCarrier
) -> None:
    offer = await list_edit_shipping(till.checkout, SELLER, order.id)
    assert {one.amount for one in offer.choices} == {0, DELIVERY, QUOTED}
    assert offer.chosen == order.shipping_option_id
    assert await list_edits(till) == []  # the list begins no edit
    edit = await choose_shipping(till, order, "carrier_standard")
    assert carrier.asked == [order.shipping_address["metadata"]["dane_code"]]  # the listed price is stored
    assert (await list_edit_shipping(till.checkout, SELLER, order.id)).chosen != offer.chosen
    assert await read_total(till, edit) == PRICE + QUOTED


async def test_pickup_order_is_changed_to_own_delivery(till: Till, order: Order) -> None:
    edit = await choose_shipping(till, order, "own_delivery", DELIVERY)
    assert (await till.read_order(order.id)).shipping_total == 0  # before the confirmation nothing changes
    edited = await confirm(till, edit, PRICE + DELIVERY)
    assert (edited.total, edited.shipping_total, edited.item_total) == (PRICE + DELIVERY, DELIVERY, PRICE)
    assert (edited.shipping_name, edited.payment_status) == ("Domicilio", "partially_captured")
    assert edited.promised_day is not None
    assert edited.shipping_data["promised_day"] == edited.promised_day.isoformat()
    async with till.database.read() as session:
        assert (await read_delivery(session, edited))[0] is DeliveryKind.OWN
        totals = compute_order_totals(edited, await list_order_lines(session, order.id))
        assert totals.tax_total == tax_inside(PRICE, 19) + tax_inside(DELIVERY, 19)
        actions = select(AuditEntry.action).where(AuditEntry.subject_id == order.id)
        assert {"order edit written", "order edited"} <= set((await session.execute(actions)).scalars())
        mail = (await session.execute(select(Mail).where(Mail.kind == MailKind.ORDER_EDITED))).scalar_one()
        message = await compose_message(session, till.checkout.settings, mail)
    assert message is not None
    assert message.values["changes"] == [cop(f"Envío: Domicilio, $ 8.000, en vez de {order.shipping_name}")]
    assert [(kind, amount) for kind, _text, amount in await till.attention()] == [("edit_owed", DELIVERY)]
    await receive(till, order, DELIVERY)
    assert (await till.read_order(order.id)).payment_status == "captured"
    async with till.database.read() as session:
        period = (now() - timedelta(hours=1), now() + timedelta(hours=1))
        [cash] = await sum_cash(session, [period])
        assert cash.captured == PRICE + DELIVERY


async def test_cheaper_shipping_raises_attention_to_refund_the_difference(till: Till, order: Order) -> None:
    await confirm(till, await choose_shipping(till, order, "carrier_standard"))
    await receive(till, order, QUOTED)
    edited = await confirm(till, await choose_shipping(till, order, "own_delivery"))
    assert (edited.total, edited.payment_status) == (PRICE + DELIVERY, "captured")
    kinds = [(kind, amount) for kind, _text, amount in await till.attention()]
    assert kinds[-1:] == [("edit_refund", QUOTED - DELIVERY)]


async def test_products_and_shipping_are_changed_in_one_edit(till: Till, order: Order) -> None:
    yoyo = await till.make_variant("yoyo", stock=5, price=15_000)
    await write_edit(till, order, added={yoyo: 2})
    edit = await choose_shipping(till, order, "carrier_standard")
    edited = await confirm(till, edit, PRICE + 30_000 + QUOTED)
    (stored,) = await list_edits(till)
    assert [one.get("line_id") is None for one in stored.changes] == [False, True]
    assert edited.shipping_total == QUOTED


async def test_own_delivery_is_free_once_the_order_reaches_the_free_amount(till: Till, order: Order) -> None:
    async with till.database.transaction() as session:
        option = (
            await session.execute(select(ShippingOption).where(ShippingOption.provider_id == "own_delivery"))
        ).scalar_one()
        option.data = {**option.data, "free_from": 2 * PRICE}
    edit = await choose_shipping(till, order, "own_delivery")
    assert await read_total(till, edit) == PRICE + DELIVERY
    async with till.database.read() as session:
        (line,) = await list_order_lines(session, order.id)
    edit = await write_edit(till, order, quantities={line.variant_id: 2})
    edited = await confirm(till, edit, 2 * PRICE)
    assert edited.shipping_total == 0


async def test_quoted_shipping_must_be_chosen_again_after_products_change(till: Till, order: Order) -> None:
    edit = await choose_shipping(till, order, "carrier_standard")
    yoyo = await till.make_variant("yoyo", stock=5, price=15_000)
    async with till.database.transaction() as session:
        await add_variant(session, SELLER, edit.id, yoyo)
    with pytest.raises(ShippingOutdated):
        await confirm(till, edit)
    await choose_shipping(till, order, "carrier_standard")
    assert (await confirm(till, edit)).total == PRICE + 15_000 + QUOTED


@pytest.mark.parametrize("provider_id", ["carrier_standard", "own_delivery"])
async def test_shipping_must_be_chosen_again_after_the_address_changes(
    till: Till, order: Order, provider_id: str
) -> None:
    edit = await choose_shipping(till, order, provider_id)
    await correct(till, order, LETICIA_ADDRESS)
    with pytest.raises((ShippingOutdated, OptionNotOffered)):
        await confirm(till, edit)
    assert (await till.read_order(order.id)).shipping_total == 0


async def test_edit_is_refused_if_its_shipping_became_dearer_until_shipping_is_chosen_again(
    till: Till, order: Order
) -> None:
    edit = await choose_shipping(till, order, "own_delivery")
    async with till.database.transaction() as session:
        dearer = update(ShippingOption).where(ShippingOption.provider_id == "own_delivery")
        await session.execute(dearer.values(amount=2 * DELIVERY))
    with pytest.raises(TotalChanged):
        await confirm(till, edit)
    await choose_shipping(till, order, "own_delivery")
    assert (await confirm(till, edit)).shipping_total == 2 * DELIVERY


async def test_address_that_changes_while_the_carrier_answers_is_priced_again(
    till: Till, order: Order, carrier: ScriptedCarrier
) -> None:
    async def move() -> None:
        carrier.on_call = None
        await correct(till, order, LETICIA_ADDRESS)

    carrier.on_call = move
    edit = await choose_shipping(till, order, "carrier_standard")
    assert await read_total(till, edit) == PRICE + FAR
    assert carrier.asked[-1] == LETICIA


async def test_refused_choice_of_shipping_is_not_stored_in_the_edit(till: Till, order: Order) -> None:
    async with till.database.transaction() as session:
        edit = await open_edit(session, SELLER, order.id)
    with pytest.raises(OptionNotOffered):
        await choose_edit_shipping(till.checkout, SELLER, edit.id, "so_unknown")
    with pytest.raises(InvalidData):
        await choose_shipping(till, order, "own_delivery", expected=1)
    with pytest.raises(Forbidden):
        await choose_shipping(till, order, "own_delivery", actor=STOCKROOM)
    with pytest.raises(Forbidden):
        await list_edit_shipping(till.checkout, STOCKROOM, order.id)
    async with till.database.transaction() as session:
        await session.execute(update(Order).values(shipping_address={}))
    for call in (
        list_edit_shipping(till.checkout, SELLER, order.id),
        choose_edit_shipping(till.checkout, SELLER, edit.id, await find_option(till, "own_delivery")),
    ):
        with pytest.raises(NotAllowed):
            await call
    assert [one.shipping for one in await list_edits(till)] == [None]


async def test_chosen_shipping_is_removed(till: Till, order: Order) -> None:
    edit = await choose_shipping(till, order, "own_delivery")
    (stored,) = await list_edits(till)
    assert stored.shipping is not None
    async with till.database.transaction() as session:
        with pytest.raises(NotFound):
            await find_shipping_of_edit(session, SELLER, edit.id, "ordchact_x")
        found = await find_shipping_of_edit(session, SELLER, edit.id, stored.shipping["id"])
        assert found.amount == DELIVERY
        await remove_edit_shipping(session, SELLER, edit.id)
    assert await read_total(till, edit) == PRICE
    with pytest.raises(InvalidData):
        await confirm(till, edit)
    await choose_shipping(till, order, "own_delivery")
    async with till.database.transaction() as session:
        await cancel_edit(session, SELLER, edit.id)
    assert [one.shipping for one in await list_edits(till)] == [None]


async def test_same_option_at_the_same_price_changes_nothing(till: Till, order: Order) -> None:
    edit = await choose_shipping(till, order, "manual_manual")
    with pytest.raises(InvalidData):
        await confirm(till, edit)
