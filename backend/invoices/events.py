"""Events of invoices, for the packages that send mails about them."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class InvoiceIssued:
    """A document of the buyer's was made. Published in the transaction that stores it."""

    invoice_id: str
