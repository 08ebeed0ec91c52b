"""CUFE and CUDE, the QR's text, the software's fingerprint: annex 1.9 of Res. 165 of 2023, 11.2, 11.4, 11.7, 11.8."""

from dataclasses import dataclass
from datetime import datetime
from hashlib import sha384

from backend.core.money import Cop
from backend.invoices.documents import Document
from backend.invoices.states import InvoiceKind

PRODUCTION, TESTS = "1", "2"
"""The DIAN's environments (table 13.1.1)."""
QR_ADDRESS = {
    PRODUCTION: "https://catalogo-vpfe.dian.gov.co/document/searchqr?documentkey=",
    TESTS: "https://catalogo-vpfe-hab.dian.gov.co/document/searchqr?documentkey=",
}


@dataclass(frozen=True, slots=True)
class Software:
    """The program that makes documents, as it is known to the DIAN.

    Attributes:
        provider_nit: whose it is, without check digit.
        environment: `PRODUCTION` or `TESTS`.
    """

    id: str
    pin: str
    provider_nit: str
    provider_check_digit: str
    environment: str


@dataclass(frozen=True, slots=True)
class CodeParts:
    """What a CUFE or CUDE is made of, in this order. `key` is the technical key, or the software's PIN."""

    number: str
    day: str
    time: str
    base: str
    iva: str
    inc: str
    ica: str
    total: str
    seller: str
    buyer: str
    key: str
    environment: str

    def text(self) -> str:
        """The parts behind each other, the taxes with their codes."""
        return (
            f"{self.number}{self.day}{self.time}{self.base}01{self.iva}04{self.inc}03{self.ica}{self.total}"
            f"{self.seller}{self.buyer}{self.key}{self.environment}"
        )

    def code(self) -> str:
        """Its SHA-384, in hexadecimal digits."""
        return sha384(self.text().encode()).hexdigest()


def amount(pesos: Cop) -> str:
    """Pesos with the two decimals that the annex asks for."""
    return f"{pesos}.00"


def time_text(moment: datetime) -> str:
    """A moment's time with its offset: `10:53:10-05:00`."""
    return moment.strftime("%H:%M:%S") + moment.strftime("%z")[:3] + ":00"


def code_parts(document: Document, software: Software) -> CodeParts:
    """What the document's code is made of."""
    is_invoice = document.kind is InvoiceKind.INVOICE
    key = document.range.technical_key if is_invoice and document.range else software.pin
    return CodeParts(
        number=document.full_number,
        day=document.local.date().isoformat(),
        time=time_text(document.local),
        base=amount(document.base),
        iva=amount(document.tax),
        inc=amount(0),
        ica=amount(0),
        total=amount(document.payable),
        seller=document.seller.document,
        buyer=document.buyer.document,
        key=key,
        environment=software.environment,
    )


def fingerprint(software: Software, number: str) -> str:
    """The `SoftwareSecurityCode`."""
    return sha384(f"{software.id}{software.pin}{number}".encode()).hexdigest()


def qr_address(code: str, environment: str) -> str:
    """Where the DIAN shows the document."""
    return f"{QR_ADDRESS[environment]}{code}"


def qr_text(document: Document, code: str, environment: str) -> str:
    """What the QR on the document says."""
    name = "CUFE" if document.kind is InvoiceKind.INVOICE else "CUDE"
    lines = {
        "NumFac": document.full_number,
        "FecFac": document.local.date().isoformat(),
        "HorFac": time_text(document.local),
        "NitFac": document.seller.document,
        "DocAdq": document.buyer.document,
        "ValFac": amount(document.base),
        "ValIva": amount(document.tax),
        "ValOtroIm": amount(0),
        "ValTolFac": amount(document.payable),
        name: code,
        "QRCode": qr_address(code, environment),
    }
    return "\n".join(f"{label}: {value}" for label, value in lines.items())
