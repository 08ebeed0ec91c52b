"""Commands of the refund service. The Admin API makes them from its bodies, a return when it is paid."""

from collections.abc import Sequence
from dataclasses import dataclass

from backend.core.money import Cop


@dataclass(frozen=True, slots=True, kw_only=True)
class ReturnedUnits:
    """Units of an order's line that come back with a refund, or are not sent at all.

    Attributes:
        restock: True if they can be sold again.
    """

    line_id: str
    quantity: int
    restock: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class CreateRefund:
    """Money that was given back by a bank transfer.

    Attributes:
        amount: whole pesos.
        reference: the transfer's.
        note: for the staff.
        lines: units that move with the refund.
        payment_session_id: the payment, where the order has several.
        cancel: True if the order must be cancelled by it.
    """

    amount: Cop
    reference: str
    reason: str = ""
    note: str | None = None
    lines: Sequence[ReturnedUnits] = ()
    payment_session_id: str | None = None
    cancel: bool = False
