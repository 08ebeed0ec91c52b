"""The shop's books after something went wrong: what was paid, what is promised, and what waits for a person."""

from collections import Counter
from dataclasses import dataclass

from sqlalchemy import func, select

from backend.attention import AttentionKind
from backend.attention.models import Attention
from backend.core.db.database import Database
from backend.inventory.models import InventoryLevel, Reservation
from backend.orders.models import Fulfillment, Order, OrderLine
from backend.orders.states import LabelState
from backend.payment.models import PaymentCollection, PaymentSession

PAID = ("captured", "partially_refunded", "refunded")
OVER = ("captured", "rejected", "canceled", "expired", "failed")
"""States of a payment of which the gateway has told how it ended."""


@dataclass(frozen=True)
class Payment:
    """One payment session. `is_in_attention`: a person must settle it."""

    id: str
    invoice: str
    state: str
    amount: int
    cart_id: str
    is_in_attention: bool


@dataclass(frozen=True)
class Purchase:
    """One order with the units it was made of and that have not left the warehouse, by variant."""

    id: str
    cart_id: str
    total: int
    payment_status: str
    is_in_attention: bool
    units: tuple[tuple[str, int], ...]


@dataclass(frozen=True)
class Books:
    """Everything at one moment.

    Attributes:
        promised: units by holder and variant, with whether the promise ends.
        attention: the kinds of the open rows.
        failed_jobs: the kinds of the jobs that are in attention.
    """

    payments: list[Payment]
    orders: dict[str, Purchase]
    promised: dict[tuple[str, str], tuple[int, bool]]
    levels_agree: bool
    attention: list[str]
    failed_jobs: list[str]

    @property
    def paid(self) -> int:
        """How many orders are paid, refunded ones included."""
        return sum(order.payment_status in PAID for order in self.orders.values())

    @property
    def refunded(self) -> int:
        """How many paid orders were given back in whole."""
        return sum(order.payment_status == "refunded" for order in self.orders.values())

    @property
    def accounted_for(self) -> set[str]:
        """The invoices that have paid their order, or wait for a person."""
        return {
            payment.invoice for payment in self.payments if payment.is_in_attention or self._has_paid(payment)
        }

    def _has_paid(self, payment: Payment) -> bool:
        order = self.orders.get(payment.cart_id)
        return payment.state == "captured" and order is not None and order.payment_status in PAID

    def check(self, approved: set[str], *, is_over: bool = False) -> None:
        """Compare with what the bank approved; with `is_over`, every payment must have come to its end.

        Raises:
            AssertionError: money and orders do not agree, or units are held for nothing.
        """
        lost = approved - self.accounted_for
        assert not lost, [one for one in self.payments if one.invoice in lost] or lost
        captured = {payment.invoice for payment in self.payments if payment.state == "captured"}
        assert captured <= approved, "money is booked that the bank never moved"
        received: Counter[str] = Counter()
        for payment in self.payments:
            if payment.state == "captured" and not payment.is_in_attention:
                received[payment.cart_id] += payment.amount
        for order in self.orders.values():
            if order.payment_status in PAID:
                assert received[order.cart_id] == order.total or order.is_in_attention, (
                    "captured is not the total"
                )
            else:
                assert not received[order.cart_id], "an order is not marked as paid, and money came for it"
        self._check_stock(is_over=is_over)
        if is_over:
            unended = [one for one in self.payments if one.state not in OVER and not one.is_in_attention]
            assert not unended, f"payments without an end: {unended}"

    def _check_stock(self, *, is_over: bool) -> None:
        assert self.levels_agree, "what a level has reserved is not the sum of the reservations"
        orders = {order.cart_id: order for order in self.orders.values()}
        for (holder, variant), (units, ends) in self.promised.items():
            order = orders.get(holder)
            if ends:
                assert not is_over, "a reservation is left"
                continue
            assert order is not None, "units are kept without an order"
            assert order.payment_status in ("captured", "partially_refunded"), (
                "units are kept for an order without money"
            )
            assert dict(order.units)[variant] >= units
        for order in self.orders.values():
            if order.payment_status == "captured" and not order.is_in_attention:
                held = {
                    variant: self.promised.get((order.cart_id, variant), (0, False))
                    for variant, _ in order.units
                }
                assert held == {variant: (units, False) for variant, units in order.units}, (
                    "a paid order holds no units"
                )


async def read_books(database: Database) -> Books:
    """The books as they are now."""
    async with database.read() as session:
        attention = (
            (await session.execute(select(Attention).where(Attention.resolved_at.is_(None)))).scalars().all()
        )
        concerned = {one.payment_session_id or one.subject_id for one in attention}
        orders_concerned = {
            one.order_id for one in attention if one.kind in ("stock_short", "amount_differs")
        }
        payments = [
            Payment(*row, is_in_attention=row[0] in concerned)
            for row in await session.execute(
                select(
                    PaymentSession.id,
                    PaymentSession.invoice,
                    PaymentSession.state,
                    PaymentSession.amount,
                    PaymentCollection.cart_id,
                ).join(PaymentCollection, PaymentCollection.id == PaymentSession.collection_id)
            )
        ]
        sent: Counter[tuple[str, str]] = Counter()
        made = select(Fulfillment.order_id, Fulfillment.items).where(Fulfillment.state == LabelState.CREATED)
        for order_id, items in await session.execute(made):
            for item in items:
                sent[order_id, item["variant_id"]] += item["quantity"]
        units: dict[str, list[tuple[str, int]]] = {}
        for order_id, variant_id, quantity in await session.execute(
            select(OrderLine.order_id, OrderLine.variant_id, OrderLine.quantity)
        ):
            units.setdefault(order_id, []).append((variant_id, quantity - sent[order_id, variant_id]))
        orders = {
            cart_id: Purchase(
                order_id, cart_id, total, status, order_id in orders_concerned, tuple(units.get(order_id, ()))
            )
            for order_id, cart_id, total, status in await session.execute(
                select(Order.id, Order.cart_id, Order.total, Order.payment_status)
            )
        }
        promised = {
            (holder, variant): (quantity, ends_at is not None)
            for holder, variant, quantity, ends_at in await session.execute(
                select(
                    Reservation.holder,
                    InventoryLevel.variant_id,
                    Reservation.quantity,
                    Reservation.expires_at,
                ).join(InventoryLevel, InventoryLevel.id == Reservation.level_id)
            )
        }
        reserved = dict(
            (
                await session.execute(
                    select(Reservation.level_id, func.sum(Reservation.quantity)).group_by(
                        Reservation.level_id
                    )
                )
            ).all()
        )
        levels = await session.execute(select(InventoryLevel.id, InventoryLevel.reserved))
        levels_agree = all(kept == reserved.get(level_id, 0) for level_id, kept in levels)
    return Books(
        payments,
        orders,
        promised,
        levels_agree,
        attention=[one.kind for one in attention],
        failed_jobs=[one.data["kind"] for one in attention if one.kind == AttentionKind.JOB_FAILED],
    )
