"""Events about invoices. The mail package listens to them."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class InvoiceIssued:
    """Event: an invoice or credit note was issued. Published in the transaction that stores the result."""

    invoice_id: str
