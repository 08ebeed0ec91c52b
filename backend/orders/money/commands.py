"""Commands of the refund service. The Admin API and the payout of a return create them."""

from collections.abc import Sequence
from dataclasses import dataclass

from backend.core.money import Cop
from backend.payment.manual_methods import ManualMethod


@dataclass(frozen=True, slots=True, kw_only=True)
class ReturnedUnits:
    """Units of an order's line that the customer returned, or that will not be sent.

    Attributes:
        restock: True if they can be sold again.
    """

    line_id: str
    quantity: int
    restock: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class CreateRefund:
    """A refund that staff paid by a bank transfer, or in cash.

    Attributes:
        amount: whole pesos.
        reference: the reference of the transfer.
        note: for the staff.
        lines: units that the customer returned, or that will not be sent.
        payment_session_id: the payment to refund, if the order has several.
        cancel: True if the refund must cancel the order.
        method: a `backend.payment.manual_methods.ManualMethod`, or `EXCHANGE_CREDIT` of that module.
    """

    amount: Cop
    reference: str
    reason: str = ""
    note: str | None = None
    lines: Sequence[ReturnedUnits] = ()
    payment_session_id: str | None = None
    cancel: bool = False
    method: str = ManualMethod.TRANSFER
