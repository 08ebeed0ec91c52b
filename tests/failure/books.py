"""The shop's books after a failure: payments, orders, reservations, and open attention rows."""

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

PAID_STATES = ("captured", "partially_refunded", "refunded")
FINAL_STATES = ("captured", "rejected", "canceled", "expired", "failed")
"""Final states of a payment: the gateway has reported the result."""


@dataclass(frozen=True)
class Payment:
    """A payment session. `is_in_attention` is true if a staff member must resolve it."""

    id: str
    invoice: str
    state: str
    amount: int
    cart_id: str
    is_in_attention: bool


@dataclass(frozen=True)
class Purchase:
    """An order, with its unshipped units by variant."""

    id: str
    cart_id: str
    total: int
    payment_status: str
    is_in_attention: bool
    units: tuple[tuple[str, int], ...]


@dataclass(frozen=True)
class Books:
    """The payments, orders, reservations and attention rows at one moment.

    Attributes:
        reservations: (units, True if the reservation expires) by (holder, variant).
        attention: the kinds of the open rows.
        failed_jobs: the kinds of the jobs that are in attention.
    """

    payments: list[Payment]
    orders: dict[str, Purchase]
    reservations: dict[tuple[str, str], tuple[int, bool]]
    levels_agree: bool
    attention: list[str]
    failed_jobs: list[str]

    @property
    def paid_count(self) -> int:
        """Return the number of paid orders, including refunded ones."""
        return sum(order.payment_status in PAID_STATES for order in self.orders.values())

    @property
    def refunded_count(self) -> int:
        """Return the number of fully refunded orders."""
        return sum(order.payment_status == "refunded" for order in self.orders.values())

    @property
    def accounted_invoices(self) -> set[str]:
        """Return the invoices whose payment has paid an order, or must be resolved by a staff member."""
        return {
            payment.invoice for payment in self.payments if payment.is_in_attention or self._has_paid(payment)
        }

    def _has_paid(self, payment: Payment) -> bool:
        order = self.orders.get(payment.cart_id)
        return payment.state == "captured" and order is not None and order.payment_status in PAID_STATES

    def check(self, approved: set[str], *, is_finished: bool = False) -> None:
        """Check that the books agree with the payments that the bank approved.

        With `is_finished`, every payment must also have a final state or be in attention, and no reservation
        that expires may be left.

        Raises:
            AssertionError: payments and orders do not agree, or units are reserved without an order.
        """
        lost = approved - self.accounted_invoices
        assert not lost, [payment for payment in self.payments if payment.invoice in lost] or lost
        captured = {payment.invoice for payment in self.payments if payment.state == "captured"}
        assert captured <= approved, "a payment is captured that the bank did not approve"
        received: Counter[str] = Counter()
        for payment in self.payments:
            if payment.state == "captured" and not payment.is_in_attention:
                received[payment.cart_id] += payment.amount
        for order in self.orders.values():
            if order.payment_status in PAID_STATES:
                assert received[order.cart_id] == order.total or order.is_in_attention, (
                    "the captured amount is not the order's total"
                )
            else:
                assert not received[order.cart_id], "a payment was captured, but its order is not paid"
        self._check_stock(is_finished=is_finished)
        if is_finished:
            unfinished = [
                payment
                for payment in self.payments
                if payment.state not in FINAL_STATES and not payment.is_in_attention
            ]
            assert not unfinished, f"payments without a final state: {unfinished}"

    def _check_stock(self, *, is_finished: bool) -> None:
        assert self.levels_agree, "a level's reserved units are not the sum of its reservations"
        orders = {order.cart_id: order for order in self.orders.values()}
        for (holder, variant), (units, expires) in self.reservations.items():
            order = orders.get(holder)
            if expires:
                assert not is_finished, "a reservation is left"
                continue
            assert order is not None, "units are reserved without an order"
            assert order.payment_status in ("captured", "partially_refunded"), (
                "units are reserved for an unpaid order"
            )
            assert dict(order.units)[variant] >= units
        for order in self.orders.values():
            if order.payment_status == "captured" and not order.is_in_attention:
                held = {
                    variant: self.reservations.get((order.cart_id, variant), (0, False))
                    for variant, _ in order.units
                }
                assert held == {variant: (units, False) for variant, units in order.units}, (
                    "a paid order has no reservation"
                )


async def read_books(database: Database) -> Books:
    """Read the current books from the database."""
    async with database.read() as session:
        attention = (
            (await session.execute(select(Attention).where(Attention.resolved_at.is_(None)))).scalars().all()
        )
        payments_in_attention = {row.payment_session_id or row.subject_id for row in attention}
        orders_in_attention = {
            row.order_id for row in attention if row.kind in ("stock_short", "amount_differs")
        }
        payments = [
            Payment(*row, is_in_attention=row[0] in payments_in_attention)
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
        labels = select(Fulfillment.order_id, Fulfillment.items).where(
            Fulfillment.state == LabelState.CREATED
        )
        for order_id, items in await session.execute(labels):
            for item in items:
                sent[order_id, item["variant_id"]] += item["quantity"]
        units: dict[str, list[tuple[str, int]]] = {}
        for order_id, variant_id, quantity in await session.execute(
            select(OrderLine.order_id, OrderLine.variant_id, OrderLine.quantity)
        ):
            units.setdefault(order_id, []).append((variant_id, quantity - sent[order_id, variant_id]))
        orders = {
            cart_id: Purchase(
                order_id,
                cart_id,
                total,
                status,
                order_id in orders_in_attention,
                tuple(units.get(order_id, ())),
            )
            for order_id, cart_id, total, status in await session.execute(
                select(Order.id, Order.cart_id, Order.total, Order.payment_status)
            )
        }
        reservations = {
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
        levels_agree = all(stored == reserved.get(level_id, 0) for level_id, stored in levels)
    return Books(
        payments,
        orders,
        reservations,
        levels_agree,
        attention=[row.kind for row in attention],
        failed_jobs=[row.data["kind"] for row in attention if row.kind == AttentionKind.JOB_FAILED],
    )
