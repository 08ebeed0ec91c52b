"""Provider for an accountant's program, which imports the documents as files by period and issues them itself.

The files are the exports `invoices` and `invoice_lines` of `backend.exports`. A document is included as soon as it
has its number.
"""

from typing import ClassVar

from backend.core.config.modules import INVOICE_FILE
from backend.invoices.documents import Document
from backend.invoices.providers.base import InvoiceProvider, Issued


class FileProvider(InvoiceProvider):
    """Provider that sends nothing: each document counts as issued immediately and is then in the export files."""

    id: ClassVar[str] = INVOICE_FILE
    is_electronic: ClassVar[bool] = False

    async def issue(self, document: Document) -> Issued:  # noqa: ARG002 - the interface's
        """Return a result without code or XML. From now on the export files include the invoice."""
        return Issued()

    async def credit(self, document: Document) -> Issued:  # noqa: ARG002 - the interface's
        """Return a result without code or XML. From now on the export files include the credit note."""
        return Issued()

    async def find(self, document: Document) -> Issued | None:  # noqa: ARG002 - the interface's
        """Return None: there is no external service to search."""
        return None
