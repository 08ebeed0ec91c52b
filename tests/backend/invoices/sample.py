"""Sample documents of every kind, without a shop."""

from dataclasses import replace
from datetime import UTC, date, datetime

from backend.core.config.settings import Identity
from backend.invoices.documents import CorrectedInvoice, Document, DocumentLine, DocumentPlace, Party, Range
from backend.invoices.parties import build_seller
from backend.invoices.states import InvoiceKind

LINES = (
    DocumentLine("SKU-1", "Trompo", 3, 100_000, 10_001, 19, 17_100),
    DocumentLine("SKU-2", "Libro", 1, 20_000, 0, 0, 0),
    DocumentLine("SKU-3", "Rollo", 7, 33_333, 33_333, 5, 0),
)
EXCLUDED = DocumentLine("SKU-4", "Cuaderno", 2, 9_000, 0, 0, 0, is_excluded=True)
CONSUMER = Party("consumidor final", "13", "222222222222", "", False, "R-99-PN", "ZZ", "", "", None)
COMPANY = Party(
    "Łukasz & Hijos <SAS>", "31", "900373076", "4", True, "R-99-PN", "ZZ", "pagos@example.com", "",
    DocumentPlace("91001", "Leticia", "91", "Amazonas", "Calle 8 # 9-10"),
)  # fmt: skip
INVOICE = Document(
    kind=InvoiceKind.INVOICE,
    prefix="SETP",
    number=990_000_000,
    issued_at=datetime(2026, 3, 11, 4, 59, 59, tzinfo=UTC),
    order_number=1024,
    is_transfer=True,
    seller=build_seller(Identity(), "O-47"),
    buyer=CONSUMER,
    lines=LINES,
    range=Range(
        "18760000001",
        date(2026, 1, 2),
        990_000_000,
        995_000_000,
        date(2026, 1, 1),
        date(2027, 1, 1),
        "k" * 40,
    ),
)
NOTE = replace(
    INVOICE,
    kind=InvoiceKind.CREDIT_NOTE,
    prefix="NC",
    number=1,
    buyer=COMPANY,
    is_transfer=False,
    lines=LINES[:2],
    range=None,
    corrects=CorrectedInvoice(
        "SETP990000000", "a" * 96, date(2026, 3, 10), "2", "Anulación de factura electrónica"
    ),
)
SAMPLES = (
    INVOICE, replace(INVOICE, prefix="", buyer=COMPANY), NOTE, replace(NOTE, lines=LINES * 20),
    replace(INVOICE, lines=(*LINES, EXCLUDED)), replace(NOTE, lines=(EXCLUDED,)),
)  # fmt: skip
