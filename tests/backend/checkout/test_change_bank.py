"""Close a payment at the bank for another one: the cart is restored, no approval is lost, and none counts twice."""

import asyncio

import pytest
from sqlalchemy import select, update

from backend.attention.kinds import Action
from backend.attention.models import Attention
from backend.attention.service import AttentionService, Decision
from backend.cart.access import read_cart
from backend.cart.contents import read_lines
from backend.cart.lines import change_line
from backend.cart.owners import find_browser_cart
from backend.cart.purchase_chains import read_chain
from backend.cart.views import read_cart_view
from backend.catalog.models import Product
from backend.checkout.attention_resolvers import create_money_resolvers
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


async def _change_bank(till: Till, units: int = 2, stock: int = 3) -> tuple[str, Order, PaymentSession, str]:
    """Return the result of a change of bank: the product, the order, its closed payment, and the restored cart."""
    trompo = await till.make_variant(stock=stock)
    order, payment = await till.order(trompo, units)
    cart_id = await till.placed_orders.change_bank(order.id, till.token(order))
    return trompo, order, payment, cart_id


async def _read_content(till: Till, cart_id: str) -> dict[str, int]:
    async with till.database.read() as session:
        return {line.variant_id: line.quantity for line in (await read_cart_view(session, cart_id)).lines}


async def _pay(till: Till, cart_id: str) -> tuple[Order, PaymentSession]:
    await till.ship(cart_id)
    payment = await till.start(cart_id)
    return (await till.checkout.complete(cart_id)).order, payment


async def _resolve_refunded(till: Till) -> None:
    """Resolve the only attention row: staff report that they refunded the money."""
    async with till.database.read() as session:
        row_id = (await session.execute(select(Attention.id))).scalar_one()
    decision = Decision(Action.REFUNDED, by=COMMAND_LINE, reference="0012345678")
    await AttentionService(till.database, create_money_resolvers()).resolve(row_id, decision)


async def test_change_of_bank_restores_the_cart_and_cancels_the_order(till: Till) -> None:
    trompo, order, payment, cart_id = await _change_bank(till)
    assert await _read_content(till, cart_id) == {trompo: 2}
    lost = await till.read_order(order.id)
    assert (lost.status, await till.state(payment)) == ("canceled", "closed")
    assert await till.available(trompo) == 3
    assert "order_lost" not in await till.mails()
    async with till.database.read() as session:
        assert (await read_cart(session, cart_id)).replaces_cart_id == order.cart_id


async def test_units_that_could_not_be_restored_add_one_notice_to_the_cart(till: Till) -> None:
    """Hide the product while its payment is at the bank, and restore the cart twice: it has only one notice."""
    trompo = await till.make_variant(stock=3)
    order, _payment = await till.order(trompo, 3)
    async with till.database.transaction() as session:
        await session.execute(update(Product).values(status="draft"))
    for _time in range(2):
        cart_id = await till.placed_orders.change_bank(order.id, till.token(order))
    assert await _read_content(till, cart_id) == {}
    async with till.database.read() as session:
        (news,) = (await read_cart_view(session, cart_id)).news
    assert news.text.startswith("Esto ya no está disponible y no pasó a tu carrito: 3 × ")
    assert (news.target, news.is_dismissible) == ("catalog", True)


async def test_concurrent_changes_of_bank_restore_one_cart(till: Till) -> None:
    trompo = await till.make_variant()
    order, _ = await till.order(trompo, 2)
    press = (till.placed_orders.change_bank(order.id, till.token(order)) for _ in range(3))
    assert len(set(await asyncio.gather(*press))) == 1


async def test_payment_of_another_customer_cannot_be_closed(till: Till) -> None:
    trompo = await till.make_variant()
    order, payment = await till.order(trompo)
    with pytest.raises(NotFound):
        await till.placed_orders.change_bank(order.id, "forged")
    assert await till.state(payment) == "pending_authorization"


@pytest.mark.parametrize(
    ("says", "state"), [(ProviderState.CAPTURED, "captured"), (ProviderState.HELD, "held")]
)
async def test_payment_approved_in_the_meantime_is_not_closed(
    till: Till, says: ProviderState, state: str
) -> None:
    trompo = await till.make_variant()
    order, payment = await till.order(trompo)
    till.bank.states[payment.invoice] = says
    with pytest.raises(Conflict):
        await till.placed_orders.change_bank(order.id, till.token(order))
    assert await till.state(payment) == state
    assert (await till.read_order(order.id)).status == "pending"


async def test_late_approval_of_a_closed_payment_pays_its_unpaid_order(till: Till) -> None:
    trompo, order, payment, _ = await _change_bank(till)
    assert await till.decide(payment, ProviderState.CAPTURED) == "captured"
    stands = await till.read_order(order.id)
    assert (stands.status, stands.payment_status) == ("pending", "captured")
    assert await till.available(trompo) == 1
    assert await till.attention() == []


async def test_late_approval_of_an_order_whose_units_are_sold_out_raises_attention(till: Till) -> None:
    trompo, order, payment, _ = await _change_bank(till, units=3)
    await till.order(trompo, 1)
    await till.decide(payment, ProviderState.CAPTURED)
    assert (await till.read_order(order.id)).payment_status == "captured"
    assert await till.attention() == [("stock_short", order.id, 3 * PRICE)]


async def _sign_in_and_pay_twice(till: Till, guests: str, old: PaymentSession, *, old_is_first: bool) -> None:
    """Move the guest's lines to an account's cart by signing in, and pay that cart. Then approve both payments.

    Check that the payment approved first is captured, and that the other one is held and raises attention.
    """
    async with till.database.transaction() as session:
        ana = Customer(email="ana@example.com")
        session.add(ana)
    own = await find_browser_cart(till.database, await till.cart(await till.make_variant("yoyo")), ana.id)
    assert await find_browser_cart(till.database, guests, ana.id) == own
    _, new = await _pay(till, own)
    first, second = (old, new) if old_is_first else (new, old)
    assert await till.decide(first, ProviderState.CAPTURED) == "captured"
    assert await till.decide(second, ProviderState.CAPTURED) == "held"
    assert await till.attention() == [("paid_twice", second.id, second.amount)]


@pytest.mark.parametrize("old_is_first", [True, False])
async def test_only_the_first_of_two_approvals_pays_and_the_second_raises_attention(
    till: Till, old_is_first: bool
) -> None:
    _, old_order, old, cart_id = await _change_bank(till, units=1)
    new_order, new = await _pay(till, cart_id)
    first, second = (old, new) if old_is_first else (new, old)
    paid, unpaid = (old_order, new_order) if old_is_first else (new_order, old_order)
    assert await till.decide(first, ProviderState.CAPTURED) == "captured"
    assert await till.decide(second, ProviderState.CAPTURED) == "held"
    assert (await till.read_order(paid.id)).payment_status == "captured"
    assert (await till.read_order(unpaid.id)).payment_status in ("awaiting", "canceled")
    assert await till.attention() == [("paid_twice", second.id, PRICE)]


async def test_only_one_of_two_concurrent_approvals_is_captured(till: Till) -> None:
    _, _, old, cart_id = await _change_bank(till, units=1)
    _, new = await _pay(till, cart_id)
    states = await asyncio.gather(
        till.decide(old, ProviderState.CAPTURED), till.decide(new, ProviderState.CAPTURED)
    )
    assert sorted(states) == ["captured", "held"]
    assert len(await till.attention()) == 1


async def test_second_approval_of_a_purchase_that_was_restored_twice_raises_attention(till: Till) -> None:
    """Change the bank twice. After the third payment is captured, the bank approves the first one."""
    trompo = await till.make_variant(stock=5)
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
async def test_restored_guest_purchase_is_paid_only_once_after_a_sign_in(
    till: Till, old_is_first: bool
) -> None:
    """Restore a guest's cart, whose lines a sign-in then moves to the account's cart."""
    _, _, old, guests = await _change_bank(till, units=1)
    await _sign_in_and_pay_twice(till, guests, old, old_is_first=old_is_first)


@pytest.mark.parametrize("old_is_first", [True, False])
async def test_guest_payment_without_a_bank_answer_is_remembered_after_a_sign_in(
    till: Till, old_is_first: bool
) -> None:
    """Start a guest's payment, which the bank does not answer. Then sign in, and pay the account's cart."""
    guests = await till.cart(await till.make_variant())
    till.bank.refusal = OutcomeUnknown("no answer")
    with pytest.raises(OutcomeUnknown):
        await till.start(guests)
    till.bank.refusal = None
    old = await till.session_of(guests)
    await _sign_in_and_pay_twice(till, guests, old, old_is_first=old_is_first)


async def test_sign_in_during_an_approval_keeps_both_carts_in_one_purchase(till: Till) -> None:
    _, _, old, guests = await _change_bank(till, units=1)
    async with till.database.transaction() as session:
        ana = Customer(email="ana@example.com")
        session.add(ana)
    own = await find_browser_cart(till.database, await till.cart(await till.make_variant("yoyo")), ana.id)
    await asyncio.gather(
        *(find_browser_cart(till.database, guests, ana.id) for _ in range(3)),
        till.decide(old, ProviderState.CAPTURED),
    )
    async with till.database.read() as session:
        assert await read_chain(session, own) == await read_chain(session, guests)
    assert await till.state(old) == "captured"


async def test_payment_after_a_refunded_one_is_not_reported_as_a_double_payment(till: Till) -> None:
    order, late = await till.order(await till.make_variant())
    await till.decide(late, ProviderState.REJECTED)
    cart_id = await till.placed_orders.restore_canceled_cart(order.id, till.token(order))
    await till.decide(late, ProviderState.CAPTURED)
    assert await till.attention() == [("approved_late", late.id, PRICE)]
    await _resolve_refunded(till)
    new_order, new = await _pay(till, cart_id)
    assert await till.decide(new, ProviderState.CAPTURED) == "captured"
    assert (await till.read_order(new_order.id)).payment_status == "captured"
    assert await till.attention() == [("approved_late", late.id, PRICE)]
    assert (await till.read_order(order.id)).payment_status == "refunded"


async def test_paid_purchase_is_not_paid_again_from_the_restored_cart(till: Till) -> None:
    trompo, order, old, cart_id = await _change_bank(till, stock=9)
    yoyo = await till.make_variant("yoyo")
    await till.add(cart_id, yoyo)
    await till.add(cart_id, trompo)
    await till.ship(cart_id)
    await till.decide(old, ProviderState.CAPTURED)
    for _ in range(2):  # the change removed the shipping
        with pytest.raises((PurchasePaid, InvalidData)):
            await till.start(cart_id)
    assert await _read_content(till, cart_id) == {yoyo: 1, trompo: 1}
    new_order, new = await _pay(till, cart_id)
    assert len(till.bank.started) == 2
    assert await till.decide(new, ProviderState.CAPTURED) == "captured"
    assert await till.sold(new_order.id) == {yoyo: 1, trompo: 1}
    assert (await till.read_order(order.id)).payment_status == "captured"
    assert await till.attention() == []


async def test_second_payment_is_refused_if_the_first_is_approved_before_its_start(
    till: Till, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, _, old, cart_id = await _change_bank(till, stock=9)
    await till.ship(cart_id)

    async def approve_meanwhile(_answers: object) -> CheckedPayer:
        await till.decide(old, ProviderState.CAPTURED)
        return CheckedPayer()

    monkeypatch.setattr(till.bank, "check_payer", approve_meanwhile)
    with pytest.raises(PurchasePaid, match="is already paid"):
        await till.start(cart_id)
    assert (await _read_content(till, cart_id), len(till.bank.started)) == ({}, 1)


async def test_restored_cart_with_other_products_can_be_bought_as_a_second_order(
    till: Till,
) -> None:
    trompo, _, old, cart_id = await _change_bank(till)
    await till.decide(old, ProviderState.CAPTURED)
    yoyo = await till.make_variant("yoyo")
    async with till.database.transaction() as session:
        (line,) = await read_lines(session, cart_id)
        await change_line(session, cart_id, line.item.id, 0)
    await till.add(cart_id, yoyo)
    new_order, new = await _pay(till, cart_id)
    assert await till.decide(new, ProviderState.CAPTURED) == "captured"
    assert (await till.sold(new_order.id), await till.attention()) == ({yoyo: 1}, [])
    assert await till.available(trompo) == 1


async def test_refunded_purchase_can_be_bought_in_the_restored_cart(till: Till) -> None:
    trompo, order, old, cart_id = await _change_bank(till)
    await till.decide(old, ProviderState.CAPTURED)
    body = CreateRefund(amount=2 * PRICE, reference="0012345678")
    await refund_order(till.database, COMMAND_LINE, order.id, body)
    new_order, new = await _pay(till, cart_id)
    assert await till.decide(new, ProviderState.CAPTURED) == "captured"
    assert (await till.sold(new_order.id), await till.attention()) == ({trompo: 2}, [])


@pytest.mark.parametrize("is_ordered", [True, False])
async def test_payment_is_not_replaced_after_the_purchase_is_paid(till: Till, is_ordered: bool) -> None:
    """Check that the pending second payment stays open. If the bank approves it too, staff must refund it."""
    _, _, old, cart_id = await _change_bank(till, stock=9)
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
async def test_late_approval_of_a_closed_payment_from_the_restored_cart_raises_attention(
    till: Till, is_paid_first: bool
) -> None:
    """Let the bank approve two closed payments: the second raises attention, although the cart has changed since."""
    _, _, old, cart_id = await _change_bank(till, stock=9)
    yoyo = await till.make_variant("yoyo")
    await till.ship(cart_id)
    given_up = await till.start(cart_id)
    await till.checkout.close_payment(cart_id)
    await till.decide(old, ProviderState.CAPTURED)
    with pytest.raises(PurchasePaid):
        await till.start(cart_id)
    assert await _read_content(till, cart_id) == {}
    await till.add(cart_id, yoyo)
    _, another = await _pay(till, cart_id)
    if is_paid_first:
        assert await till.decide(another, ProviderState.CAPTURED) == "captured"
    assert await till.decide(given_up, ProviderState.CAPTURED) == "held"
    assert await till.attention() == [("paid_twice", given_up.id, 2 * PRICE)]
    if not is_paid_first:
        assert await till.decide(another, ProviderState.CAPTURED) == "captured"


async def test_bank_can_be_changed_while_the_gateway_is_unreachable(till: Till) -> None:
    trompo = await till.make_variant()
    order, payment = await till.order(trompo)
    till.bank.is_down = True
    cart_id = await till.placed_orders.change_bank(order.id, till.token(order))
    assert (await _read_content(till, cart_id), await till.state(payment)) == ({trompo: 1}, "closed")


async def test_payment_cannot_be_closed_while_its_replacement_is_being_started(till: Till) -> None:
    """Check a payment whose provider has not answered yet, so that it is unknown whether it exists."""
    order, first = await till.order(await till.make_variant())
    refusals: list[str] = []

    async def change_meanwhile() -> None:
        if len(till.bank.started) == 2 and not refusals:
            refusals.append("")
            with pytest.raises(Conflict) as refused:
                await till.placed_orders.change_bank(order.id, till.token(order))
            refusals[0] = refused.value.message

    till.bank.on_call = change_meanwhile
    second = await till.start(order.cart_id, replace=True)
    assert refusals == ["The order's payment cannot be closed now: try again in a moment"]
    assert [await till.state(one) for one in (first, second)] == ["closed", "pending_authorization"]
    assert (await till.read_order(order.id)).status == "pending"
