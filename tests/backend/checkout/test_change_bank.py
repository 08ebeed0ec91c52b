"""Giving up a payment at the bank for another: the cart comes back, no approval is lost, and none counts twice."""

import asyncio

import pytest
from sqlalchemy import select, update

from backend.attention.kinds import Action
from backend.attention.models import Attention
from backend.attention.service import AttentionService, Decision
from backend.cart.access import read_cart
from backend.cart.contents import lines_of
from backend.cart.lines import change_line
from backend.cart.owners import cart_for
from backend.cart.purchase_chains import chain_of
from backend.cart.views import cart_view
from backend.catalog.models import Product
from backend.checkout.attention_resolvers import money_resolvers
from backend.checkout.payment.paid_purchases import PurchasePaid
from backend.core.errors import Conflict, InvalidData, NotFound, OutcomeUnknown
from backend.customers.models import Customer
from backend.orders.models import Order
from backend.orders.money.commands import CreateRefund
from backend.orders.money.refunds import refund_order
from backend.payment.models import PaymentSession
from backend.payment.providers.base import CheckedPayer, ProviderState
from backend.staff.rights import COMMAND_LINE
from tests.backend.checkout.paying_kit import PRICE, Till


async def _changed(till: Till, units: int = 2, stock: int = 3) -> tuple[str, Order, PaymentSession, str]:
    """An order whose shopper chose another bank: the toy, the order, its closed payment, the cart that came back."""
    trompo = await till.toy(stock=stock)
    order, payment = await till.order(trompo, units)
    cart_id = await till.placed_orders.change_bank(order.id, till.token(order))
    return trompo, order, payment, cart_id


async def _content(till: Till, cart_id: str) -> dict[str, int]:
    async with till.database.read() as session:
        return {line.variant_id: line.quantity for line in (await cart_view(session, cart_id)).lines}


async def _pay(till: Till, cart_id: str) -> tuple[Order, PaymentSession]:
    await till.ship(cart_id)
    payment = await till.start(cart_id)
    return (await till.checkout.complete(cart_id)).order, payment


async def _give_back(till: Till) -> None:
    """The staff have given the money of the one open row back."""
    async with till.database.read() as session:
        row_id = (await session.execute(select(Attention.id))).scalar_one()
    decision = Decision(Action.REFUNDED, by=COMMAND_LINE, reference="0012345678")
    await AttentionService(till.database, money_resolvers()).resolve(row_id, decision)


async def test_the_cart_comes_back_and_the_order_is_cancelled(till: Till) -> None:
    trompo, order, payment, cart_id = await _changed(till)
    assert await _content(till, cart_id) == {trompo: 2}
    lost = await till.read_order(order.id)
    assert (lost.status, await till.state(payment)) == ("canceled", "closed")
    assert await till.available(trompo) == 3
    assert "order_lost" not in await till.mails()
    async with till.database.read() as session:
        assert (await read_cart(session, cart_id)).replaces_cart_id == order.cart_id


async def test_units_that_did_not_come_back_are_said_once(till: Till) -> None:
    """A product is hidden while its payment is at the bank: the cart says it once, however often it is restored."""
    trompo = await till.toy(stock=3)
    order, _payment = await till.order(trompo, 3)
    async with till.database.transaction() as session:
        await session.execute(update(Product).values(status="draft"))
    for _time in range(2):
        cart_id = await till.placed_orders.change_bank(order.id, till.token(order))
    assert await _content(till, cart_id) == {}
    async with till.database.read() as session:
        (news,) = (await cart_view(session, cart_id)).news
    assert news.text.startswith("Esto ya no está disponible y no pasó a tu carrito: 3 × ")
    assert (news.target, news.is_dismissible) == ("catalog", True)


async def test_pressed_twice_at_once_it_is_one_cart(till: Till) -> None:
    trompo = await till.toy()
    order, _ = await till.order(trompo, 2)
    press = (till.placed_orders.change_bank(order.id, till.token(order)) for _ in range(3))
    assert len(set(await asyncio.gather(*press))) == 1


async def test_nobody_gives_up_the_payment_of_somebody_else(till: Till) -> None:
    trompo = await till.toy()
    order, payment = await till.order(trompo)
    with pytest.raises(NotFound):
        await till.placed_orders.change_bank(order.id, "forged")
    assert await till.state(payment) == "pending_authorization"


@pytest.mark.parametrize(
    ("says", "state"), [(ProviderState.CAPTURED, "captured"), (ProviderState.HELD, "held")]
)
async def test_what_the_bank_has_approved_meanwhile_stands(
    till: Till, says: ProviderState, state: str
) -> None:
    trompo = await till.toy()
    order, payment = await till.order(trompo)
    till.bank.states[payment.invoice] = says
    with pytest.raises(Conflict):
        await till.placed_orders.change_bank(order.id, till.token(order))
    assert await till.state(payment) == state
    assert (await till.read_order(order.id)).status == "pending"


async def test_an_approval_of_the_old_payment_pays_its_order_when_nothing_else_has(till: Till) -> None:
    trompo, order, payment, _ = await _changed(till)
    assert await till.decide(payment, ProviderState.CAPTURED) == "captured"
    stands = await till.read_order(order.id)
    assert (stands.status, stands.payment_status) == ("pending", "captured")
    assert await till.available(trompo) == 1
    assert await till.attention() == []


async def test_an_approval_whose_units_are_gone_is_told(till: Till) -> None:
    trompo, order, payment, _ = await _changed(till, units=3)
    await till.order(trompo, 1)
    await till.decide(payment, ProviderState.CAPTURED)
    assert (await till.read_order(order.id)).payment_status == "captured"
    assert await till.attention() == [("stock_short", order.id, 3 * PRICE)]


async def _sign_in_and_pay_twice(till: Till, guests: str, old: PaymentSession, *, old_is_first: bool) -> None:
    """Sign in with the guest's cart to an account with a cart, and pay that: of both payments the first one pays."""
    async with till.database.transaction() as session:
        ana = Customer(email="ana@example.com")
        session.add(ana)
    own = await cart_for(till.database, await till.cart(await till.toy("yoyo")), ana.id)
    assert await cart_for(till.database, guests, ana.id) == own
    _, new = await _pay(till, own)
    first, second = (old, new) if old_is_first else (new, old)
    assert await till.decide(first, ProviderState.CAPTURED) == "captured"
    assert await till.decide(second, ProviderState.CAPTURED) == "held"
    assert await till.attention() == [("paid_twice", second.id, second.amount)]


@pytest.mark.parametrize("old_is_first", [True, False])
async def test_of_two_approvals_one_pays_and_the_other_is_to_be_given_back(
    till: Till, old_is_first: bool
) -> None:
    _, old_order, old, cart_id = await _changed(till, units=1)
    new_order, new = await _pay(till, cart_id)
    first, second = (old, new) if old_is_first else (new, old)
    paid, unpaid = (old_order, new_order) if old_is_first else (new_order, old_order)
    assert await till.decide(first, ProviderState.CAPTURED) == "captured"
    assert await till.decide(second, ProviderState.CAPTURED) == "held"
    assert (await till.read_order(paid.id)).payment_status == "captured"
    assert (await till.read_order(unpaid.id)).payment_status in ("awaiting", "canceled")
    assert await till.attention() == [("paid_twice", second.id, PRICE)]


async def test_two_approvals_at_the_same_moment_are_still_one_payment(till: Till) -> None:
    _, _, old, cart_id = await _changed(till, units=1)
    _, new = await _pay(till, cart_id)
    states = await asyncio.gather(
        till.decide(old, ProviderState.CAPTURED), till.decide(new, ProviderState.CAPTURED)
    )
    assert sorted(states) == ["captured", "held"]
    assert len(await till.attention()) == 1


async def test_carts_that_join_another_stay_one_purchase(till: Till) -> None:
    """Two banks were given up, both into the cart in use: it is known of each."""
    trompo = await till.toy(stock=5)
    first, one = await till.order(trompo)
    cart_id = await till.placed_orders.change_bank(first.id, till.token(first))
    await till.ship(cart_id)
    await till.start(cart_id)
    second = (await till.checkout.complete(cart_id)).order
    third_cart = await till.placed_orders.change_bank(second.id, till.token(second))
    third, paying = await _pay(till, third_cart)
    await till.decide(paying, ProviderState.CAPTURED)
    assert await till.decide(one, ProviderState.CAPTURED) == "held"
    assert (await till.read_order(third.id)).payment_status == "captured"
    assert await till.attention() == [("paid_twice", one.id, PRICE)]


@pytest.mark.parametrize("old_is_first", [True, False])
async def test_a_purchase_is_paid_once_though_the_shopper_signs_in_on_the_way(
    till: Till, old_is_first: bool
) -> None:
    """The restored cart was a guest's; signing in moved its toys into the account's own."""
    _, _, old, guests = await _changed(till, units=1)
    await _sign_in_and_pay_twice(till, guests, old, old_is_first=old_is_first)


@pytest.mark.parametrize("old_is_first", [True, False])
async def test_a_payment_without_an_answer_is_not_forgotten_at_sign_in(
    till: Till, old_is_first: bool
) -> None:
    """The guest's cart is no order yet, and its toys are paid in the account's."""
    guests = await till.cart(await till.toy())
    till.bank.refusal = OutcomeUnknown("no answer")
    with pytest.raises(OutcomeUnknown):
        await till.start(guests)
    till.bank.refusal = None
    old = await till.session_of(guests)
    await _sign_in_and_pay_twice(till, guests, old, old_is_first=old_is_first)


async def test_signing_in_while_the_first_bank_approves_is_one_purchase(till: Till) -> None:
    _, _, old, guests = await _changed(till, units=1)
    async with till.database.transaction() as session:
        ana = Customer(email="ana@example.com")
        session.add(ana)
    own = await cart_for(till.database, await till.cart(await till.toy("yoyo")), ana.id)
    await asyncio.gather(
        *(cart_for(till.database, guests, ana.id) for _ in range(3)), till.decide(old, ProviderState.CAPTURED)
    )
    async with till.database.read() as session:
        assert await chain_of(session, own) == await chain_of(session, guests)
    assert await till.state(old) == "captured"


async def test_money_that_went_back_before_the_purchase_was_paid_is_not_paid_twice(till: Till) -> None:
    order, late = await till.order(await till.toy())
    await till.decide(late, ProviderState.REJECTED)
    cart_id = await till.placed_orders.try_again(order.id, till.token(order))
    await till.decide(late, ProviderState.CAPTURED)
    assert await till.attention() == [("approved_late", late.id, PRICE)]
    await _give_back(till)
    new_order, new = await _pay(till, cart_id)
    assert await till.decide(new, ProviderState.CAPTURED) == "captured"
    assert (await till.read_order(new_order.id)).payment_status == "captured"
    assert await till.attention() == [("approved_late", late.id, PRICE)]
    assert (await till.read_order(order.id)).payment_status == "refunded"


async def test_what_is_paid_already_is_not_paid_again_from_the_restored_cart(till: Till) -> None:
    trompo, order, old, cart_id = await _changed(till, stock=9)
    yoyo = await till.toy("yoyo")
    await till.add(cart_id, yoyo)
    await till.add(cart_id, trompo)
    await till.ship(cart_id)
    await till.decide(old, ProviderState.CAPTURED)
    for _ in range(2):  # the shipping went with the change
        with pytest.raises((PurchasePaid, InvalidData)):
            await till.start(cart_id)
    assert await _content(till, cart_id) == {yoyo: 1, trompo: 1}
    new_order, new = await _pay(till, cart_id)
    assert len(till.bank.started) == 2
    assert await till.decide(new, ProviderState.CAPTURED) == "captured"
    assert await till.sold(new_order.id) == {yoyo: 1, trompo: 1}
    assert (await till.read_order(order.id)).payment_status == "captured"
    assert await till.attention() == []


async def test_an_approval_just_before_the_second_start_is_seen(
    till: Till, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, _, old, cart_id = await _changed(till, stock=9)
    await till.ship(cart_id)

    async def approve_meanwhile(_answers: object) -> CheckedPayer:
        await till.decide(old, ProviderState.CAPTURED)
        return CheckedPayer()

    monkeypatch.setattr(till.bank, "check_payer", approve_meanwhile)
    with pytest.raises(PurchasePaid):
        await till.start(cart_id)
    assert (await _content(till, cart_id), len(till.bank.started)) == ({}, 1)


async def test_another_purchase_in_the_restored_cart_simply_pays(till: Till) -> None:
    trompo, _, old, cart_id = await _changed(till)
    await till.decide(old, ProviderState.CAPTURED)
    yoyo = await till.toy("yoyo")
    async with till.database.transaction() as session:
        (line,) = await lines_of(session, cart_id)
        await change_line(session, cart_id, line.item.id, 0)
    await till.add(cart_id, yoyo)
    new_order, new = await _pay(till, cart_id)
    assert await till.decide(new, ProviderState.CAPTURED) == "captured"
    assert (await till.sold(new_order.id), await till.attention()) == ({yoyo: 1}, [])
    assert await till.available(trompo) == 1


async def test_what_was_paid_and_refunded_can_be_bought_in_the_restored_cart(till: Till) -> None:
    trompo, order, old, cart_id = await _changed(till)
    await till.decide(old, ProviderState.CAPTURED)
    body = CreateRefund(amount=2 * PRICE, reference="0012345678")
    await refund_order(till.database, COMMAND_LINE, order.id, body)
    new_order, new = await _pay(till, cart_id)
    assert await till.decide(new, ProviderState.CAPTURED) == "captured"
    assert (await till.sold(new_order.id), await till.attention()) == ({trompo: 2}, [])


@pytest.mark.parametrize("is_ordered", [True, False])
async def test_no_other_payment_takes_its_place_once_the_purchase_is_paid(
    till: Till, is_ordered: bool
) -> None:
    """The payment at the bank is left to end: if it is approved too, a person gives it back."""
    _, _, old, cart_id = await _changed(till, stock=9)
    await till.ship(cart_id)
    new = await till.start(cart_id)
    if is_ordered:
        await till.checkout.complete(cart_id)
    await till.decide(old, ProviderState.CAPTURED)
    with pytest.raises(PurchasePaid):
        await till.start(cart_id, replace=True)
    assert (await till.state(new), len(till.bank.started)) == ("pending_authorization", 2)
    assert await till.decide(new, ProviderState.CAPTURED) == "held"
    assert await till.attention() == [("paid_twice", new.id, 2 * PRICE)]


@pytest.mark.parametrize("is_paid_first", [True, False])
async def test_a_payment_that_was_given_up_in_the_restored_cart_is_not_forgotten(
    till: Till, is_paid_first: bool
) -> None:
    """It may still be approved: then both have been, and a person is told. Another purchase in the cart is paid."""
    _, _, old, cart_id = await _changed(till, stock=9)
    yoyo = await till.toy("yoyo")
    await till.ship(cart_id)
    given_up = await till.start(cart_id)
    await till.checkout.close_payment(cart_id)
    await till.decide(old, ProviderState.CAPTURED)
    with pytest.raises(PurchasePaid):
        await till.start(cart_id)
    assert await _content(till, cart_id) == {}
    await till.add(cart_id, yoyo)
    _, another = await _pay(till, cart_id)
    if is_paid_first:
        assert await till.decide(another, ProviderState.CAPTURED) == "captured"
    assert await till.decide(given_up, ProviderState.CAPTURED) == "held"
    assert await till.attention() == [("paid_twice", given_up.id, 2 * PRICE)]
    if not is_paid_first:
        assert await till.decide(another, ProviderState.CAPTURED) == "captured"


async def test_the_gateway_is_down_and_the_bank_can_be_changed_all_the_same(till: Till) -> None:
    trompo = await till.toy()
    order, payment = await till.order(trompo)
    till.bank.is_down = True
    cart_id = await till.placed_orders.change_bank(order.id, till.token(order))
    assert (await _content(till, cart_id), await till.state(payment)) == ({trompo: 1}, "closed")


async def test_a_payment_that_is_being_replaced_is_not_given_up(till: Till) -> None:
    """Its provider has not answered yet: nobody knows whether there is anything to give up."""
    order, first = await till.order(await till.toy())
    refusals: list[str] = []

    async def change_meanwhile() -> None:
        if len(till.bank.started) == 2 and not refusals:
            refusals.append("")
            with pytest.raises(Conflict) as refused:
                await till.placed_orders.change_bank(order.id, till.token(order))
            refusals[0] = refused.value.message

    till.bank.meanwhile = change_meanwhile
    second = await till.start(order.cart_id, replace=True)
    assert refusals == ["The order's payment cannot be given up now: look again in a moment"]
    assert [await till.state(one) for one in (first, second)] == ["closed", "pending_authorization"]
    assert (await till.read_order(order.id)).status == "pending"
