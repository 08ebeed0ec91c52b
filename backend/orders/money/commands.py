"""Commands of the refund service. The Admin API creates them from request bodies; paying a return creates one."""

from collections.abc import Sequence
from dataclasses import dataclass

from backend.core.money import Cop


@dataclass(frozen=True, slots=True, kw_only=True)
class ReturnedUnits:
    """Units of an order's line that come back with a refund, or are not sent.

    Attributes:
        restock: True if they can be sold again.
    """

    line_id: str
    quantity: int
    restock: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class CreateRefund:
    """A refund that was paid by a bank transfer.

    Attributes:
        amount: whole pesos.
        reference: the reference of the transfer.
        note: for the staff.
        lines: units that are taken back or withdrawn with the refund.
        payment_session_id: the payment, if the order has several.
        cancel: True if the refund must cancel the order.
    """

    amount: Cop
    reference: str
    reason: str = ""
    note: str | None = None
    lines: Sequence[ReturnedUnits] = ()
    payment_session_id: str | None = None
    cancel: bool = False
