"""Settle an exchange: the return, its refund, the new order and the difference change in one transaction.

The refund of the returned units pays the new order: no money moves, and both orders keep exact books. The refund has a
credit note, and the new order has an invoice, like every refund and every sale. If the new order and the returned units
differ in price, the difference is treated like that of an edited order (`backend.order_edits.difference`): staff
receive it or give it back at once, the customer pays it with a link, or it waits in an attention row.

The carts of both orders are locked first, then the refunded payment, the order with its exchange and its return, the
promotions, and the stock. Everything is read again under these locks.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sqlalchemy.ext.asyncio import AsyncSession

from backend.audit import Subject, SubjectType, record
from backend.cart.access import lock_cart
from backend.cart.models import Cart
from backend.cart.purchase_chains import lock_carts
from backend.checkout.cart_snapshot import (
    PayableCart,
    PricedCart,
    read_payable_cart,
    read_priced_cart,
    to_promotion_claims,
)
from backend.core.db.database import database_now
from backend.core.errors import InvalidData, TotalChanged
from backend.core.money import Cop
from backend.core.texts import _
from backend.draft_orders.counter_sale import SaleMoney, build_counter_sale, create_captured_order
from backend.draft_orders.drafts import reread_draft
from backend.draft_orders.models import DraftOrder
from backend.exchanges.models import Exchange, ExchangeStatus
from backend.exchanges.preparation import lock_exchange, read_exchange, require_exchange_rights
from backend.inventory.stock_fulfillment import lock_all_levels
from backend.order_edits.difference import (
    REFUND_REASON,
    DifferenceReceipt,
    capture_difference,
    settle_difference,
)
from backend.orders.models import Order, OrderLine
from backend.orders.money.commands import CreateRefund
from backend.orders.money.refunds import book_manual_refund, find_refund_session
from backend.orders.money.unit_worth import compute_unit_worth
from backend.orders.service import list_order_lines, lock_order_of_cart, read_order
from backend.payment.manual_methods import EXCHANGE_CREDIT, ManualMethod, check_reference
from backend.payment.models import PaymentSession
from backend.payment.sessions import list_payment_sessions
from backend.payment.transitions import PAID_BY_EXCHANGE, lock_session
from backend.promotions.uses import lock_promotions
from backend.returns.drafts import confirm_request
from backend.returns.models import KIND_NAMES, Return, ReturnKind
from backend.returns.processing import approve, book_payment, list_return_lines, read_return, receive
from backend.returns.refund_amounts import compute_remaining_money, sum_granted_units
from backend.returns.states import ReturnState
from backend.staff.rights import Actor, Right

CHOOSE_DELIVERY = _("Cambió lo que se lleva: elige otra vez cómo lo recibe.")
NOT_PAID = _("Lo que se lleva cuesta más: cobra la diferencia ahora, o envíalo y cóbrala con un enlace.")


class ExchangeChanged(TotalChanged):
    """The difference is no longer the one that the actor saw."""

    staff_text = _("Cambió lo que hay que pagar o devolver. Míralo y hazlo otra vez.")


@dataclass(frozen=True, slots=True)
class SeenExchange:
    """Facts about an exchange that the staff member saw before settling it.

    Attributes:
        difference: the price of the new order less that of the returned units, in whole pesos; negative if the shop
            gives money back. None to accept any.
        is_damaged: True if the units are damaged, so that they are not sold again. Ignored if their arrival was
            recorded before.
    """

    difference: Cop | None
    is_damaged: bool = False


async def settle_exchange(
    session: AsyncSession,
    actor: Actor,
    exchange_id: str,
    seen: SeenExchange,
    money: DifferenceReceipt | None = None,
) -> Order:
    """Settle the exchange, and return its new order. A repeated call returns the same order.

    Without a shipping method the customer takes the products along, so a difference that they owe must be paid now.
    `money` is the difference that the staff member has received or given back; without it, the difference is settled
    later.

    Raises:
        NotFound: there is no such exchange.
        ExchangeEnded: it was cancelled.
        InvalidData: no units come back or go out; or more than can be returned; or the difference must be paid now;
            or its reference is missing; or a part of the delivery address is missing; or the delivery must be chosen
            again.
        NotAllowed: the original order was not paid, or its money was refunded.
        InsufficientStock: the units that go out are sold out.
        ExchangeChanged: the difference is not the one that the staff member saw.
        Forbidden: money is given back, and the actor may not book refunds.
        Conflict: staff have already approved or denied a refund of the returned units in money.
    """
    require_exchange_rights(actor)
    known = await read_exchange(session, actor, exchange_id)
    original = await read_order(session, known.order_id)
    draft = await session.get_one(DraftOrder, known.draft_order_id)
    await lock_carts(session, {original.cart_id, draft.cart_id})
    cart = await lock_cart(session, draft.cart_id)
    if (existing := await lock_order_of_cart(session, cart.id)) is not None:
        return existing
    any_money = CreateRefund(amount=1, reference="")
    payment, _cart = await lock_session(session, await find_refund_session(session, original, any_money))
    locked = await lock_exchange(session, actor, exchange_id)
    exchange, order = locked.exchange, locked.order
    draft = await reread_draft(session, draft.id, exchange.id)
    payable, priced = await _price(session, cart)
    cart.origin = order.origin
    sale = await build_counter_sale(session, cart, priced)
    await lock_promotions(session, to_promotion_claims(cart, sale, may_hold_uses=priced.may_hold_uses))
    sold = await list_order_lines(session, order.id)
    await lock_all_levels(session, {line.variant_id for line in sold} | set(sale.units))
    was = ExchangeStatus(exchange.status)
    exchange.status, exchange.completed_at = ExchangeStatus.COMPLETED, await database_now(session)
    exchange.requested_at = exchange.requested_at or exchange.completed_at
    row = await _receive_units(session, actor, exchange, was, is_damaged=seen.is_damaged)
    credit = await compute_credit(session, order, sold, await _count_arrived(session, row), row.id)
    difference = priced.total - credit
    if seen.difference not in (None, difference):
        raise ExchangeChanged(f"The difference is now {difference}, not {seen.difference}")
    _require_money(difference, money, is_delivered=priced.shipping is not None)
    await _record(session, actor, order.id, "exchanged", priced.total, credit, money)
    await _record(session, actor, cart.order_id, "sold in exchange", priced.total, credit, money)
    exchange.credit = credit
    await approve(session, actor, row.id, credit, restock=True)
    new_order = await create_captured_order(
        session,
        actor,
        cart,
        payable.payments,
        priced,
        money=SaleMoney(credit, {PAID_BY_EXCHANGE: exchange.id}, reference=str(order.number)),
        payer=order.payer or {},
    )
    await _refund(session, actor, payment, order, row, credit, new_order)
    await _settle_money(session, actor, cart, new_order, difference, money)
    await session.flush()
    return new_order


async def compute_credit(
    session: AsyncSession, order: Order, sold: Sequence[OrderLine], units: Mapping[str, int], return_id: str
) -> Cop:
    """Return the credit for the new order: the price of these returned units, at most the order's remaining money.

    The shipping is not included. `return_id` is the return of these units, which is not counted as an earlier return.

    Raises:
        InvalidData: the credit is zero: there are no units, they were free, or the order has no money left.
    """
    before = await sum_granted_units(session, order, excluded_return_id=return_id)
    worth = compute_unit_worth(order, sold, units, before, with_shipping=False)
    credit = min(worth, await compute_remaining_money(session, order, excluded_return_id=return_id))
    if credit <= 0:
        raise InvalidData(
            "The returned units cost nothing",
            staff_text=_("Lo que devuelve no costó nada: véndele lo nuevo en Vender."),
        )
    return credit


async def _price(session: AsyncSession, cart: Cart) -> tuple[PayableCart, PricedCart]:
    payable = await read_payable_cart(session, cart.id)
    if not payable.contents.lines:
        raise InvalidData("Nothing goes out", staff_text=_("Elige qué se lleva a cambio."))
    priced = await read_priced_cart(session, cart, payable.contents)
    if cart.shipping_address and priced.shipping is None:
        raise InvalidData("The delivery must be chosen again", staff_text=CHOOSE_DELIVERY)
    return payable, priced


async def _receive_units(
    session: AsyncSession, actor: Actor, exchange: Exchange, was: ExchangeStatus, *, is_damaged: bool
) -> Return:
    """Request the exchange's return if it is a draft, record that its units arrived, and return it."""
    if was is ExchangeStatus.OPEN:
        await confirm_request(session, actor, exchange.return_id)
    row = await read_return(session, exchange.return_id, lock=True)
    if row.state == ReturnState.REQUESTED:
        lines = await list_return_lines(session, row.id)
        arrived = {line.line_id: (0, line.quantity) if is_damaged else (line.quantity, 0) for line in lines}
        await receive(session, actor, row.id, arrived)
    return row


async def _count_arrived(session: AsyncSession, row: Return) -> dict[str, int]:
    return {line.line_id: line.good + line.damaged for line in await list_return_lines(session, row.id)}


def _require_money(difference: Cop, money: DifferenceReceipt | None, *, is_delivered: bool) -> None:
    """Check that a new order without delivery is paid now, and that `money` is exactly the difference.

    Raises:
        InvalidData: the difference must be paid now, or the reference is missing or too long.
        ExchangeChanged: the amount of `money` is not the difference.
    """
    if money is None:
        if difference > 0 and not is_delivered:
            raise InvalidData("The difference must be paid now", fields={"method": NOT_PAID})
        return
    if money.amount != abs(difference):
        raise ExchangeChanged(f"The difference is now {difference}, not {money.amount}")
    if difference:
        check_reference(money.reference, is_needed=money.method is not ManualMethod.CASH)


async def _record(  # noqa: PLR0917
    session: AsyncSession,
    actor: Actor,
    order_id: str,
    action: str,
    total: Cop,
    credit: Cop,
    money: DifferenceReceipt | None,
) -> None:
    change = {
        "total": (None, total),
        "credit": (None, credit),
        "difference": (None, total - credit),
        "way": (None, money.method if money is not None and total != credit else None),
        "reference": (None, money.reference or None if money is not None else None),
    }
    await record(session, actor, action, Subject(SubjectType.ORDER, order_id), change)


async def _refund(  # noqa: PLR0917
    session: AsyncSession,
    actor: Actor,
    payment: PaymentSession,
    order: Order,
    row: Return,
    credit: Cop,
    new_order: Order,
) -> None:
    """Book the refund of the returned units. The amount is not paid out: it pays for the new order."""
    refund = CreateRefund(
        amount=credit,
        reference=str(new_order.number),
        reason=KIND_NAMES[ReturnKind.EXCHANGE],
        method=EXCHANGE_CREDIT,
    )
    await record(session, actor, "return paid", Subject(SubjectType.ORDER, order.id))
    await book_payment(session, actor, payment, order, row, refund)


async def _settle_money(  # noqa: PLR0917
    session: AsyncSession,
    actor: Actor,
    cart: Cart,
    new_order: Order,
    difference: Cop,
    money: DifferenceReceipt | None,
) -> None:
    """Book the difference as paid or given back. Without `money`, open the attention row about the difference."""
    if difference and money is not None:
        if difference > 0:
            await capture_difference(session, cart, new_order, money)
        else:
            actor.require(Right.BOOK_REFUNDS)
            (paid,) = await list_payment_sessions(session, cart.id)
            refund = CreateRefund(
                amount=money.amount,
                reference=money.reference or str(new_order.number),
                reason=REFUND_REASON,
                method=money.method,
            )
            await book_manual_refund(session, actor, paid, new_order, refund)
    await settle_difference(session, new_order)
