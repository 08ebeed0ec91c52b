"""How much money an order has, where that is not simply its total."""

from dataclasses import dataclass
from decimal import Decimal

from sqlalchemy.ext.asyncio import AsyncSession

from backend.core.money import Cop, format_cop, format_exact
from backend.orders.models import Order
from backend.payment.sessions import sessions_of
from backend.payment.transitions import captured_exactly, pays


@dataclass(frozen=True, slots=True)
class OrderMoney:
    """The money that was captured for an order, refunds aside.

    Attributes:
        exact: what the providers said that they took, in pesos and cents.
        paid: whole pesos of it.
    """

    total: Cop
    paid: Cop
    exact: Decimal

    @property
    def missing(self) -> Cop:
        """Pesos of the total that were not paid; 0 where nothing was captured: then the order is simply unpaid."""
        return max(0, self.total - self.paid) if self.paid else 0

    @property
    def surplus(self) -> Cop:
        """Pesos beyond the total."""
        return max(0, self.paid - self.total)

    @property
    def is_different(self) -> bool:
        """True if another amount was paid than the total."""
        return bool(self.paid) and self.exact != self.total

    @property
    def paid_label(self) -> str:
        """What was paid, with cents where there are some."""
        return format_exact(self.exact)

    @property
    def missing_label(self) -> str:
        """What is missing; empty where nothing is."""
        return format_cop(self.missing) if self.missing else ""

    @property
    def surplus_label(self) -> str:
        """What came beyond the total; empty where nothing did."""
        return format_cop(self.surplus) if self.surplus else ""


async def read_money(session: AsyncSession, order: Order) -> OrderMoney:
    """Return what was captured for the order. Money that was given back without paying it is left out."""
    paid = [one for one in await sessions_of(session, order.cart_id) if pays(one)]
    exact = sum((captured_exactly(one) for one in paid), Decimal())
    return OrderMoney(order.total, sum(one.captured_amount or 0 for one in paid), exact)
