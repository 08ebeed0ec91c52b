"""Events of invoices, for the packages that send e-mails about them."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class InvoiceIssued:
    """A document for the customer was issued. Published in the transaction that stores it."""

    invoice_id: str
