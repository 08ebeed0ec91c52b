"""Where an invoice or a credit note stands, and the only ways between.

from       to         because
---------  ---------  -----------------------------------------------
pending    issued     its provider made it
           rejected   its provider, or the DIAN, refuses it
rejected   pending    somebody has corrected what was wrong: once more
"""

from enum import StrEnum

from backend.core.texts import _
from backend.core.transitions import Transitions


class InvoiceKind(StrEnum):
    """What the document is."""

    INVOICE = "invoice"
    CREDIT_NOTE = "credit_note"


class InvoiceState(StrEnum):
    """How far it is."""

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
