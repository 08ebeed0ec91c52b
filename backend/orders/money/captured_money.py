"""The captured money of an order, which may differ from its total."""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

from sqlalchemy.ext.asyncio import AsyncSession

from backend.core.money import Cop, format_cop, format_exact
from backend.orders.models import Order
from backend.payment.models import PaymentSession
from backend.payment.sessions import list_payment_sessions
from backend.payment.transitions import get_exact_captured_amount, pays


@dataclass(frozen=True, slots=True)
class OrderMoney:
    """The money that was captured for an order, before refunds.

    A bank may report cents. The captured amount is shown exactly. The missing or excess amount is in whole
    pesos: customers cannot pay cents, and invoices and reports have none.

    Attributes:
        exact: the amount that the providers reported, in pesos and cents.
        paid: the sum of the payments, each in whole pesos.
    """

    total: Cop
    paid: Cop
    exact: Decimal

    @property
    def missing(self) -> Cop:
        """Unpaid pesos of the total; 0 if nothing was captured, because then the order is unpaid as a whole."""
        return max(0, self.total - self.paid) if self.paid else 0

    @property
    def surplus(self) -> Cop:
        """Captured pesos in excess of the order's total."""
        return max(0, self.paid - self.total)

    @property
    def is_different(self) -> bool:
        """True if money was captured, and its exact amount is not the total."""
        return bool(self.paid) and self.exact != self.total

    @property
    def paid_label(self) -> str:
        """The paid amount, with cents if there are some."""
        return format_exact(self.exact)

    @property
    def missing_label(self) -> str:
        """The missing amount; empty if nothing is missing."""
        return format_cop(self.missing) if self.missing else ""

    @property
    def surplus_label(self) -> str:
        """The captured amount in excess of the total, formatted; empty if there is no excess."""
        return format_cop(self.surplus) if self.surplus else ""


async def read_order_money(session: AsyncSession, order: Order) -> OrderMoney:
    """Return the money captured for the order. Leave out money that did not pay the order and was refunded."""
    return compute_order_money(order, await list_payment_sessions(session, order.cart_id))


def compute_order_money(order: Order, payment_sessions: Sequence[PaymentSession]) -> OrderMoney:
    """Return the money captured for the order. See `read_order_money`."""
    paid = [one for one in payment_sessions if pays(one)]
    exact = sum((get_exact_captured_amount(one) for one in paid), Decimal())
    return OrderMoney(order.total, sum(one.captured_amount or 0 for one in paid), exact)
