"""Documents for the program of the shop's accountant, which makes the invoices: they are fetched as files by period.

The files are `invoices` and `invoice_lines` of `backend.exports`. A document is ready for them once it has its number.
"""

from typing import ClassVar

from backend.core.config.modules import INVOICE_FILE
from backend.invoices.documents import Document
from backend.invoices.providers.base import InvoiceProvider, Issued


class FileProvider(InvoiceProvider):
    """Every document is ready at once; nobody outside is asked."""

    id: ClassVar[str] = INVOICE_FILE
    is_electronic: ClassVar[bool] = False

    async def issue(self, document: Document) -> Issued:  # noqa: ARG002 - the interface's
        """It is in the files from now on."""
        return Issued()

    async def credit(self, document: Document) -> Issued:  # noqa: ARG002 - the interface's
        """It is in the files from now on."""
        return Issued()

    async def find(self, document: Document) -> Issued | None:  # noqa: ARG002 - the interface's
        """Nobody was told of it."""
        return None
