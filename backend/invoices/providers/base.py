"""The port of invoice providers: whoever makes a document legal, or hands it to somebody who does.

A provider knows nothing of orders or the database: it gets a document with its number. It is told a number once, and
once more only after `find` has said that it does not know it.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from datetime import datetime
from typing import ClassVar

from backend.core.errors import ShopError
from backend.invoices.documents import Document


@dataclass(frozen=True, slots=True)
class Issued:
    """The document was made.

    Attributes:
        code: its CUFE or CUDE; empty where the provider makes none.
        xml: as it was made; None where there is none.
        issued_at: when, where that is another moment than the document's own.
    """

    code: str = ""
    xml: bytes | None = None
    issued_at: datetime | None = None


class DocumentRejected(ShopError):
    """The document was refused, and does not exist: its data must be corrected. The message is the provider's."""

    status, type = 422, "invalid_data"


class InvoiceProvider(ABC):
    """A way to make invoices and credit notes."""

    id: ClassVar[str]
    is_electronic: ClassVar[bool] = True
    """Whether what it makes is the buyer's invoice, with code, XML and a picture of it. Else somebody makes that."""

    is_test: bool = False
    """Whether what it makes is for trying out only, and no invoice."""

    @abstractmethod
    async def issue(self, document: Document) -> Issued:
        """Make this invoice.

        Raises:
            DocumentRejected: it was refused.
            NoAnswer: nobody knows whether it was made: `find` says so later.
            ServiceUnavailable: it was not made, and may be made later.
        """

    @abstractmethod
    async def credit(self, document: Document) -> Issued:
        """Make this credit note. Raises what `issue` raises."""

    @abstractmethod
    async def find(self, document: Document) -> Issued | None:
        """What was made with this document's number; None when nothing was.

        Raises:
            ServiceUnavailable: nobody knows: ask again.
        """

    def qr(self, document: Document, code: str) -> str:  # noqa: ARG002 - for those that have one
        """What the QR of the document says; empty where it has none."""
        return ""

    async def close(self) -> None:  # noqa: B027 - most have none
        """Give its connections back."""
