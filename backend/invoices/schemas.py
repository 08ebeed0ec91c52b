"""What the Admin API says of invoices. Ours: the platform has nothing of them."""

from pydantic import BaseModel, Field

from backend.edge.schemas import ListParameters, ListResponse, Name, ResponseModel
from backend.edge.wire import JsonDict, iso, stamps
from backend.invoices.models import Invoice


class InvoiceParameters(ListParameters):
    """Which documents."""

    kind: list[Name] | None = Field(None, description="`invoice` or `credit_note`.")
    state: list[Name] | None = Field(None, description="`pending`, `issued` or `rejected`.")
    order_id: list[Name] | None = None


class InvoiceOut(ResponseModel):
    """An invoice or a credit note."""

    id: str
    kind: str = ""
    state: str = ""
    order_id: str = ""
    refund_id: str | None = Field(None, description="What a credit note gives back.")
    provider_id: str = ""
    number: str = Field("", description="Prefix and number; empty before it has one.")
    code: str = Field("", description="The CUFE, or a credit note's CUDE.")
    amount: int = Field(0, description="In whole pesos.")
    reason: str = Field("", description="Why it was rejected.")
    has_xml: bool = False
    issued_at: str | None = None


class InvoiceAnswer(BaseModel):
    """One document."""

    invoice: InvoiceOut


class InvoicesAnswer(ListResponse):
    """A page of documents."""

    invoices: list[InvoiceOut]


def invoice_wire(row: Invoice) -> JsonDict:
    """The document on the wire."""
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
