"""Documents as sent to providers: the complete content of an invoice or a credit note, stored together with its number.

Amounts are whole pesos. `gross`, `discount` and `base` exclude IVA, `total` includes it. The base of a line is its
gross minus its discount, its total is its base plus its tax, and the document's totals are the sums of its lines.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

from pydantic import TypeAdapter

from backend.core.dates import TIME_ZONE
from backend.core.db.tables import JsonObject
from backend.core.money import Cop
from backend.invoices.states import InvoiceKind


@dataclass(frozen=True, slots=True)
class DocumentPlace:
    """A street address in a municipality.

    `code` and `department_code` are DANE codes (DIVIPOLA) of five and of two digits.
    """

    code: str
    name: str
    department_code: str
    department: str
    address: str


@dataclass(frozen=True, slots=True)
class Party:
    """The seller or the customer of a document.

    Attributes:
        document_type: DIAN's code of the identity document (annex 1.9, table 13.2.1); `31` is a NIT.
        check_digit: the check digit of a NIT; empty for other identity documents.
        tax_level: the fiscal responsibility (table 13.2.6.1).
        tax_scheme: `01` for IVA, `ZZ` for none (table 13.2.6.2).
        place: the address; None if it is unknown. It is optional for customers.
    """

    name: str
    document_type: str
    document: str
    check_digit: str
    is_company: bool
    tax_level: str
    tax_scheme: str
    email: str
    phone: str
    place: DocumentPlace | None


@dataclass(frozen=True, slots=True)
class DocumentLine:
    """A line of an invoice or a credit note.

    `rate` is its rate of IVA, in percent; a line that is excluded from IVA has none.
    """

    code: str
    title: str
    quantity: int
    gross: Cop
    discount: Cop
    rate: int
    tax: Cop
    is_excluded: bool = False

    @property
    def base(self) -> Cop:
        """The amount of the line without IVA, after the discount."""
        return self.gross - self.discount

    @property
    def total(self) -> Cop:
        """The amount of the line with IVA, after the discount."""
        return self.base + self.tax


@dataclass(frozen=True, slots=True)
class Range:
    """A range of invoice numbers authorized by a resolution of the DIAN, and its technical key for the CUFE."""

    resolution: str
    dated: date
    first: int
    last: int
    valid_from: date
    valid_until: date
    technical_key: str


@dataclass(frozen=True, slots=True)
class CorrectedInvoice:
    """The invoice that a credit note corrects, and the reason: DIAN's code (table 13.2.4) and its text."""

    number: str
    code: str
    issued_on: date
    concept: str
    description: str


@dataclass(frozen=True, slots=True)
class Document:
    """An invoice (with a `range`) or a credit note (with the invoice that it corrects).

    Attributes:
        order_number: the order's number, as customers and staff use it.
        is_transfer: True if the order was paid by a transfer through PSE.
        prepaid: the paid part of a partly paid invoice; the rest is a debt. None: the invoice was paid in full.
    """

    kind: InvoiceKind
    prefix: str
    number: int
    issued_at: datetime
    order_number: int
    is_transfer: bool
    seller: Party
    buyer: Party
    lines: tuple[DocumentLine, ...]
    range: Range | None = None
    corrects: CorrectedInvoice | None = None
    prepaid: Cop | None = None

    @property
    def full_number(self) -> str:
        """Prefix and number, which together identify the document."""
        return f"{self.prefix}{self.number}"

    @property
    def local(self) -> datetime:
        """The time of issue in Colombia, to the second."""
        return self.issued_at.astimezone(TIME_ZONE).replace(microsecond=0)

    @property
    def base(self) -> Cop:
        """The sum of all lines without IVA, after discounts."""
        return sum(line.base for line in self.lines)

    @property
    def excluded(self) -> Cop:
        """The sum of the lines that are excluded from IVA, after discounts."""
        return sum(line.base for line in self.lines if line.is_excluded)

    @property
    def tax(self) -> Cop:
        """The sum of the IVA of all lines."""
        return sum(line.tax for line in self.lines)

    @property
    def discount(self) -> Cop:
        """The sum of the discounts of all lines, without IVA."""
        return sum(line.discount for line in self.lines)

    @property
    def total(self) -> Cop:
        """The amount paid or refunded, with IVA."""
        return sum(line.total for line in self.lines)

    @property
    def payable(self) -> Cop:
        """The unpaid rest of a partly paid invoice; otherwise the total."""
        return self.total - (self.prepaid or 0)

    def as_json(self) -> JsonObject:
        """Return the document as JSON values."""
        stored: JsonObject = _ADAPTER.dump_python(self, mode="json")
        return stored


_ADAPTER: TypeAdapter[Document] = TypeAdapter(Document)


def restore_document(stored: Any) -> Document:
    """Restore a document from the values of `as_json`."""
    return _ADAPTER.validate_python(stored)


def sum_by_rate(lines: Iterable[DocumentLine]) -> list[tuple[int, Cop, Cop]]:
    """Return each rate of IVA with the sums of base and tax of its lines, the lowest rate first.

    Lines that are excluded from IVA are left out.
    """
    sums: dict[int, tuple[Cop, Cop]] = {}
    for line in (one for one in lines if not one.is_excluded):
        base, tax = sums.get(line.rate, (0, 0))
        sums[line.rate] = base + line.base, tax + line.tax
    return [(rate, *sums[rate]) for rate in sorted(sums)]
