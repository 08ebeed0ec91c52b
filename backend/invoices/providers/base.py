"""Interface of invoice providers, which issue documents legally or pass them to a service that does.

A provider does not depend on orders or the database: it gets a document with its number. A document is sent once.
It is sent again only after `find` has reported that the provider does not know the number.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from datetime import datetime
from typing import ClassVar

from backend.core.errors import ShopError
from backend.invoices.documents import Document


@dataclass(frozen=True, slots=True)
class Issued:
    """The provider's result for a document that it has issued.

    Attributes:
        code: its CUFE or CUDE; empty if the provider creates none.
        xml: the issued XML; None if there is none.
        issued_at: the issue time, if it differs from the document's own.
    """

    code: str = ""
    xml: bytes | None = None
    issued_at: datetime | None = None


class DocumentRejected(ShopError):
    """The document was rejected and is not issued: its data must be corrected. The message is the provider's."""

    status, type = 422, "invalid_data"


class InvoiceProvider(ABC):
    """A service that issues invoices and credit notes."""

    id: ClassVar[str]
    is_electronic: ClassVar[bool] = True
    """True if it issues the customer's invoice, with code, XML and PDF. False if another program issues the invoice."""

    is_test: bool = False
    """True if its documents are only tests and not valid invoices."""

    @abstractmethod
    async def issue(self, document: Document) -> Issued:
        """Issue an invoice.

        Raises:
            DocumentRejected: the invoice was rejected.
            NoAnswer: the invoice may have been issued; a later call of `find` reports it.
            ServiceUnavailable: the invoice was not issued; the call may be repeated.
        """

    @abstractmethod
    async def credit(self, document: Document) -> Issued:
        """Issue a credit note. Raise the same errors as `issue`."""

    @abstractmethod
    async def find(self, document: Document) -> Issued | None:
        """Return the result of issuing the document with this number; None if it was not issued.

        Raises:
            ServiceUnavailable: it is unknown if the document exists; repeat the call.
        """

    def qr(self, document: Document, code: str) -> str:  # noqa: ARG002 - for providers with a QR
        """Return the text of the document's QR code; empty if it has none."""
        return ""

    async def close(self) -> None:  # noqa: B027 - most providers have none
        """Close the provider's connections."""
