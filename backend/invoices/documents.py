"""A document as its provider is told it: everything that an invoice or a credit note says, frozen with its number.

Amounts are whole pesos. `gross`, `discount` and `base` are without IVA, `total` is with it: a line's base is its gross
less its discount, its total is its base and its tax, and the document's totals are the sums of its lines.
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
class Place:
    """A municipality with DANE's codes (DIVIPOLA): five digits, and two of its department."""

    code: str
    name: str
    department_code: str
    department: str
    address: str


@dataclass(frozen=True, slots=True)
class Party:
    """Who sells, or who buys.

    Attributes:
        document_type: DIAN's code (annex 1.9, table 13.2.1); `31` is a NIT.
        check_digit: of a NIT; empty for other documents.
        tax_level: the fiscal responsibility (table 13.2.6.1).
        tax_scheme: `01` for IVA, `ZZ` for none (table 13.2.6.2).
        place: where; None where it is not known, which a buyer need not say.
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
    place: Place | None


@dataclass(frozen=True, slots=True)
class DocumentLine:
    """A line. `rate` is the IVA that it bears, in percent."""

    code: str
    title: str
    quantity: int
    gross: Cop
    discount: Cop
    rate: int
    tax: Cop

    @property
    def base(self) -> Cop:
        """What the IVA is of."""
        return self.gross - self.discount

    @property
    def total(self) -> Cop:
        """What is paid for it."""
        return self.base + self.tax


@dataclass(frozen=True, slots=True)
class Range:
    """The numbers that the DIAN authorized by a resolution, and its key for the CUFE."""

    resolution: str
    dated: date
    first: int
    last: int
    valid_from: date
    valid_until: date
    technical_key: str


@dataclass(frozen=True, slots=True)
class Corrected:
    """The invoice that a credit note corrects, and why: DIAN's code (table 13.2.4) and its words."""

    number: str
    code: str
    issued_on: date
    concept: str
    description: str


@dataclass(frozen=True, slots=True)
class Document:
    """An invoice (with a `range`) or a credit note (with what it corrects).

    Attributes:
        order_number: the order's, as people read it.
        is_transfer: whether the money came by a transfer through PSE.
        prepaid: what was paid of an invoice that is paid in part; the rest is a debt. None: all of it was paid.
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
    corrects: Corrected | None = None
    prepaid: Cop | None = None

    @property
    def full_number(self) -> str:
        """Prefix and number, as they identify the document."""
        return f"{self.prefix}{self.number}"

    @property
    def local(self) -> datetime:
        """When it was issued, by the clocks in Colombia, to the second."""
        return self.issued_at.astimezone(TIME_ZONE).replace(microsecond=0)

    @property
    def base(self) -> Cop:
        """All lines without IVA, after discounts."""
        return sum(line.base for line in self.lines)

    @property
    def tax(self) -> Cop:
        """All IVA."""
        return sum(line.tax for line in self.lines)

    @property
    def discount(self) -> Cop:
        """What was taken off the lines, without IVA."""
        return sum(line.discount for line in self.lines)

    @property
    def total(self) -> Cop:
        """What is paid, or given back."""
        return sum(line.total for line in self.lines)

    @property
    def payable(self) -> Cop:
        """What is still to be paid of an invoice that is paid in part; else the total."""
        return self.total - (self.prepaid or 0)

    def as_json(self) -> JsonObject:
        """The document as plain values."""
        stored: JsonObject = _ADAPTER.dump_python(self, mode="json")
        return stored


_ADAPTER: TypeAdapter[Document] = TypeAdapter(Document)


def document_from(stored: Any) -> Document:
    """The document of which `as_json` made these values."""
    return _ADAPTER.validate_python(stored)


def by_rate(lines: Iterable[DocumentLine]) -> list[tuple[int, Cop, Cop]]:
    """Each rate of IVA with the base and the tax of its lines, the lowest first."""
    sums: dict[int, tuple[Cop, Cop]] = {}
    for line in lines:
        base, tax = sums.get(line.rate, (0, 0))
        sums[line.rate] = base + line.base, tax + line.tax
    return [(rate, *sums[rate]) for rate in sorted(sums)]
