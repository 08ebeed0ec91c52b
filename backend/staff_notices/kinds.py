"""Kinds of notices: their names, and the right that a staff member needs to get them."""

from dataclasses import dataclass
from enum import StrEnum

from backend.attention.kinds import AttentionKind
from backend.core.texts import _
from backend.staff.rights import Right


class NoticeKind(StrEnum):
    """The kind of event that a notice reports."""

    ORDER_PAID = "order_paid"
    PQRS = "pqrs"
    RETURN = "return"
    """A customer asked for a return or a retracto."""
    REVIEW = "review"
    STOCK = "stock"
    PAYMENT = "payment"
    """A payment waits for a decision of staff: one of `PAYMENT_ATTENTION_KINDS`."""
    DAILY_SUMMARY = "daily_summary"


@dataclass(frozen=True, slots=True)
class KindRules:
    """The rules for every notice of a kind. Only staff members with `right` get the notice."""

    name: str
    right: Right


RULES = {
    NoticeKind.ORDER_PAID: KindRules(_("Pedido pagado"), Right.FULFILL),
    NoticeKind.PQRS: KindRules(_("PQRS nueva"), Right.RESOLVE_ATTENTION),
    NoticeKind.RETURN: KindRules(_("Devolución o retracto"), Right.HANDLE_RETURNS),
    NoticeKind.REVIEW: KindRules(_("Reseña por leer"), Right.CHANGE_CATALOG),
    NoticeKind.STOCK: KindRules(_("Pocas unidades o agotado"), Right.CHANGE_STOCK),
    NoticeKind.PAYMENT: KindRules(_("Pago por resolver"), Right.RESOLVE_ATTENTION),
    NoticeKind.DAILY_SUMMARY: KindRules(_("Resumen del día"), Right.READ_REPORTS),
}
"""The rules of every kind."""

PAYMENT_ATTENTION_KINDS = frozenset(
    {
        AttentionKind.AMOUNT_DIFFERS,
        AttentionKind.APPROVED_LATE,
        AttentionKind.APPROVED_AFTER_CANCEL,
        AttentionKind.PAID_TWICE,
        AttentionKind.PAID_WITHOUT_ORDER,
        AttentionKind.PAYMENT_CONTRADICTED,
        AttentionKind.PAYMENT_UNRESOLVED,
    }
)
"""Kinds of attention rows about money. Staff get a notice of each row of these kinds."""
