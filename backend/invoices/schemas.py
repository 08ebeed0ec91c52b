"""Responses of the Admin API about invoices. Their format is the shop's own: the commerce platform has no invoices."""

from typing import Annotated

from pydantic import Field
from typing_extensions import TypedDict

from backend.edge.schemas import ListParameters, Name
from backend.edge.wire import Page, Stamps, iso, stamps
from backend.invoices.models import Invoice


class InvoiceParameters(ListParameters):
    """Filters of the list of invoices and credit notes."""

    kind: list[Name] | None = Field(None, description="`invoice` or `credit_note`.")
    state: list[Name] | None = Field(None, description="`pending`, `issued` or `rejected`.")
    order_id: list[Name] | None = None


class InvoiceOut(Stamps):
    """An invoice or a credit note."""

    id: str
    kind: str
    state: str
    order_id: str
    refund_id: Annotated[str | None, Field(description="The refund of a credit note.")]
    provider_id: str
    number: Annotated[str, Field(description="Prefix and number; empty until it has one.")]
    code: Annotated[str, Field(description="The CUFE, or a credit note's CUDE.")]
    amount: Annotated[int, Field(description="In whole pesos.")]
    reason: Annotated[str, Field(description="Reason of the rejection.")]
    has_xml: bool
    issued_at: str | None


class InvoiceAnswer(TypedDict):
    """Response with one invoice or credit note."""

    invoice: InvoiceOut


class InvoicesAnswer(Page):
    """A page of invoices and credit notes."""

    invoices: list[InvoiceOut]


def invoice_wire(row: Invoice) -> InvoiceOut:
    """Convert the invoice or credit note to its API shape."""
    return {
        "id": row.id,
        "kind": row.kind,
        "state": row.state,
        "order_id": row.order_id,
        "refund_id": row.refund_id,
        "provider_id": row.provider_id,
        "number": row.full_number,
        "code": row.code,
        "amount": row.amount,
        "reason": row.reason,
        "has_xml": row.xml is not None,
        "issued_at": iso(row.issued_at),
        **stamps(row.created_at, row.updated_at),
    }
