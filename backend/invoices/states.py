"""States of an invoice or a credit note, and the allowed transitions.

from       to         reason
---------  ---------  -----------------------------------------------
pending    issued     its provider issued it
           rejected   its provider, or the DIAN, refuses it
rejected   pending    staff corrected the data: it is tried again
"""

from enum import StrEnum

from backend.core.texts import _
from backend.core.transitions import Transitions


class InvoiceKind(StrEnum):
    """Kind of a document: invoice or credit note."""

    INVOICE = "invoice"
    CREDIT_NOTE = "credit_note"


class InvoiceState(StrEnum):
    """State of an invoice or a credit note."""

    PENDING = "pending"
    ISSUED = "issued"
    REJECTED = "rejected"


KIND_NAMES = {InvoiceKind.INVOICE: _("Factura"), InvoiceKind.CREDIT_NOTE: _("Nota crédito")}
STATE_NAMES = {
    InvoiceState.PENDING: _("Pendiente"),
    InvoiceState.ISSUED: _("Emitida"),
    InvoiceState.REJECTED: _("Rechazada"),
}
STEPS: Transitions[InvoiceState] = Transitions(
    "invoice",
    {
        InvoiceState.PENDING: frozenset({InvoiceState.ISSUED, InvoiceState.REJECTED}),
        InvoiceState.REJECTED: frozenset({InvoiceState.PENDING}),
    },
)
