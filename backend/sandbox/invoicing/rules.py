"""The embedded invoice provider's checks of a document, with the numbers of the DIAN's rules (annex 1.9).

The CUFE is computed again from the XML. The code is separate from the shop's, so that the check is independent.
"""

import hashlib
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal, InvalidOperation
from xml.etree import ElementTree as ET

from backend.core.clock import now

UBL = "urn:oasis:names:specification:ubl:schema:xsd:"
NS = {
    "cac": f"{UBL}CommonAggregateComponents-2",
    "cbc": f"{UBL}CommonBasicComponents-2",
    "ext": f"{UBL}CommonExtensionComponents-2",
    "sts": "dian:gov:co:facturaelectronica:Structures-2-1",
}
ROOTS = {f"{{{UBL}Invoice-2}}Invoice": "invoice", f"{{{UBL}CreditNote-2}}CreditNote": "credit_note"}
LINES = {"invoice": "cac:InvoiceLine", "credit_note": "cac:CreditNoteLine"}
PROFILES = {
    "invoice": ("10", "DIAN 2.1: Factura Electrónica de Venta"),
    "credit_note": ("20", "DIAN 2.1: Nota Crédito de Factura Electrónica de Venta"),
}
TOLERANCE = Decimal(2)
"""Tolerance in pesos (annex 5.2.1.1)."""


@dataclass(frozen=True, slots=True)
class Rejection:
    """A rule that an invoice or credit note violates."""

    rule: str
    message: str


@dataclass(frozen=True, slots=True)
class AcceptedDocument:
    """An invoice or credit note that follows the rules. `code` is its CUFE or CUDE."""

    kind: str
    number: str
    code: str
    issued_at: datetime


class UnreadableDocument(ValueError):
    """The XML lacks a value that every invoice and credit note has."""


def read_document(
    xml: bytes, keys: Mapping[str, str], software: tuple[str, str]
) -> AcceptedDocument | list[Rejection]:
    """Parse an invoice or credit note. Return it if it is valid, otherwise the rules that it violates.

    Args:
        xml: the invoice or credit note.
        keys: the technical keys by the number of the DIAN's resolution that assigned them.
        software: the id and the PIN of the software that may send invoices.
    """
    if b"<!DOCTYPE" in xml[:1000] or b"<!ENTITY" in xml or b"\x00" in xml:  # UTF-16 would hide them
        return [Rejection("ZB01", "El documento no es un XML permitido")]
    try:
        root = ET.fromstring(xml)  # noqa: S314 - without a DTD there are no entities to expand
        kind = ROOTS[root.tag]
        document = _Document(root, kind)
        problems = list(document.problems(keys, software))
        return problems or AcceptedDocument(
            kind, document.text("cbc:ID"), document.text("cbc:UUID"), document.moment
        )
    except (ET.ParseError, KeyError, UnreadableDocument) as error:
        return [Rejection("ZB01", f"Fallo en el esquema XML del archivo: {error}")]


class _Document:
    """A parsed invoice or credit note."""

    def __init__(self, root: ET.Element, kind: str) -> None:
        self._root = root
        self._kind = kind

    def text(self, path: str) -> str:
        """Return the text of the element at an XML path.

        Raises:
            UnreadableDocument: the path has no text.
        """
        found = self._root.find(path, NS)
        if found is None or not found.text:
            raise UnreadableDocument(f"falta {path}")
        return found.text.strip()

    def amount(self, path: str) -> Decimal:
        """Return the number in the element at an XML path.

        Raises:
            UnreadableDocument: the path has no number.
        """
        return _parse_number(self.text(path))

    @property
    def moment(self) -> datetime:
        """Return the time of issue.

        Raises:
            UnreadableDocument: the XML has no valid date and time of issue.
        """
        try:
            return datetime.fromisoformat(f"{self.text('cbc:IssueDate')}T{self.text('cbc:IssueTime')}")
        except ValueError as error:
            raise UnreadableDocument(str(error)) from None

    def problems(self, keys: Mapping[str, str], software: tuple[str, str]) -> Iterator[Rejection]:
        """Yield the rules of the DIAN's technical annex that the invoice or credit note violates."""
        operation, profile = PROFILES[self._kind]
        if (self.text("cbc:CustomizationID"), self.text("cbc:ProfileID")) != (operation, profile):
            yield Rejection("FAD03", "Tipo de operación o perfil no corresponde")
        if self.moment.date() != now().astimezone(self.moment.tzinfo).date():
            yield Rejection("FAD09e", "La fecha de generación no es la del día")
        yield from self._check_numbering(keys)
        yield from self._check_software(software)
        yield from self._check_totals()
        key = keys.get(self._resolution, "") if self._kind == "invoice" else software[1]
        if self.text("cbc:UUID") != self._compute_code(key):
            yield Rejection("FAD06", "Valor del CUFE o CUDE no está calculado correctamente")

    @property
    def _resolution(self) -> str:
        found = self._root.find(".//sts:InvoiceAuthorization", NS)
        return (found.text or "") if found is not None else ""

    def _check_numbering(self, keys: Mapping[str, str]) -> Iterator[Rejection]:
        if self._kind != "invoice":
            if not self._root.findtext("cac:BillingReference/cac:InvoiceDocumentReference/cbc:UUID", "", NS):
                yield Rejection("CBF01", "La nota crédito no referencia la factura")
            return
        if self._resolution not in keys:
            yield Rejection("FAB05b", "El número de autorización no existe")
        control = ".//sts:InvoiceControl"
        prefix = self._root.find(f"{control}//sts:Prefix", NS)
        written = re.fullmatch(
            rf"{re.escape(prefix.text or '') if prefix is not None else ''}(\d+)", self.text("cbc:ID")
        )
        first, last = (int(self.amount(f"{control}//sts:{name}")) for name in ("From", "To"))
        if written is None or not first <= int(written[1]) <= last:
            yield Rejection("FAD05c", "El número no está dentro del rango autorizado")
        day = self.text("cbc:IssueDate")
        if not self.text(f"{control}//cbc:StartDate") <= day <= self.text(f"{control}//cbc:EndDate"):
            yield Rejection("FAB07b", "La fecha de la factura está fuera de la vigencia")

    def _check_software(self, software: tuple[str, str]) -> Iterator[Rejection]:
        expected = hashlib.sha384("".join((*software, self.text("cbc:ID"))).encode()).hexdigest()
        if self.text(".//sts:SoftwareID") != software[0]:
            yield Rejection("FAB24b", "El software no está autorizado")
        if self.text(".//sts:SoftwareSecurityCode") != expected:
            yield Rejection("FAB27b", "Huella del software no corresponde")

    def _check_totals(self) -> Iterator[Rejection]:
        total = "cac:LegalMonetaryTotal/cbc:"
        lines = self._root.findall(LINES[self._kind], NS)
        bases = sum((_read_number_at(line, "cbc:LineExtensionAmount") for line in lines), Decimal())
        taxed = [
            line for line in lines if line.find("cac:TaxTotal", NS) is not None
        ]  # the others are excluded from IVA
        taxes = sum((_read_number_at(line, "cac:TaxTotal/cbc:TaxAmount") for line in taxed), Decimal())
        taxable = sum((_read_number_at(line, "cbc:LineExtensionAmount") for line in taxed), Decimal())
        if not lines or abs(self.amount(f"{total}LineExtensionAmount") - bases) > TOLERANCE:
            yield Rejection("FAU02", "El valor bruto no es la suma de las líneas")
        if abs(self.amount(f"{total}TaxExclusiveAmount") - taxable) > TOLERANCE:
            yield Rejection("FAU04", "La base imponible no es la suma de las líneas con impuesto")
        tax_total = self._root.find("cac:TaxTotal", NS)
        tax = _read_number_at(tax_total, "cbc:TaxAmount") if tax_total is not None else Decimal()
        if (tax_total is not None) != bool(taxed) or abs(tax - taxes) > TOLERANCE:
            yield Rejection("FAS01", "El impuesto no es la suma de las líneas")
        paid = self._root.findall("cac:PrepaidPayment", NS)
        prepaid = sum((_read_number_at(one, "cbc:PaidAmount") for one in paid), Decimal())
        if prepaid and abs(self.amount(f"{total}PrepaidAmount") - prepaid) > TOLERANCE:
            yield Rejection("FAU12", "El anticipo total no es la suma de los anticipos")
        if abs(self.amount(f"{total}PayableAmount") - bases - taxes + prepaid) > TOLERANCE:
            yield Rejection("FAU14", "El valor a pagar no corresponde")
        for line in lines:
            quantity = line.find("cbc:InvoicedQuantity", NS)
            count = _parse_number((quantity if quantity is not None else line[1]).text or "")
            taken = line.find("cac:AllowanceCharge/cbc:Amount", NS)
            expected = _read_number_at(line, "cac:Price/cbc:PriceAmount") * count
            expected -= _parse_number((taken.text or "") if taken is not None else "0")
            if abs(expected - _read_number_at(line, "cbc:LineExtensionAmount")) > TOLERANCE:
                yield Rejection("FAV06", "El valor de la línea no corresponde a cantidad y precio")

    def _compute_code(self, key: str) -> str:
        taxes = {"01": Decimal(), "04": Decimal(), "03": Decimal()}
        for part in self._root.findall("cac:TaxTotal", NS):
            scheme = part.find("cac:TaxSubtotal/cac:TaxCategory/cac:TaxScheme/cbc:ID", NS)
            if scheme is not None and scheme.text in taxes:
                taxes[scheme.text] += _read_number_at(part, "cbc:TaxAmount")
        parts = [
            self.text("cbc:ID"), self.text("cbc:IssueDate"), self.text("cbc:IssueTime"),
            f"{self.amount('cac:LegalMonetaryTotal/cbc:LineExtensionAmount'):.2f}",
            *(f"{tax}{value:.2f}" for tax, value in taxes.items()),
            f"{self.amount('cac:LegalMonetaryTotal/cbc:PayableAmount'):.2f}",
            self.text("cac:AccountingSupplierParty//cac:PartyTaxScheme/cbc:CompanyID"),
            self.text("cac:AccountingCustomerParty//cac:PartyTaxScheme/cbc:CompanyID"),
            key, self.text("cbc:ProfileExecutionID"),
        ]  # fmt: skip
        return hashlib.sha384("".join(parts).encode()).hexdigest()


def _read_number_at(node: ET.Element, path: str) -> Decimal:
    found = node.find(path, NS)
    if found is None:
        raise UnreadableDocument(f"falta {path}")
    return _parse_number(found.text or "")


def _parse_number(text: str) -> Decimal:
    try:
        return Decimal(text)
    except InvalidOperation:
        raise UnreadableDocument(f"{text[:20]} no es un número") from None
