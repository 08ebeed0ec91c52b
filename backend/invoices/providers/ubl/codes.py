"""CUFE and CUDE codes, QR text and software fingerprint: Res. 165 of 2023, annex 1.9, 11.2, 11.4, 11.7 and 11.8."""

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
    """The software that creates documents, as registered with the DIAN.

    Attributes:
        provider_nit: the NIT of the software's owner, without check digit.
        environment: `PRODUCTION` or `TESTS`.
    """

    id: str
    pin: str
    provider_nit: str
    provider_check_digit: str
    environment: str


@dataclass(frozen=True, slots=True)
class CodeParts:
    """The input values of a CUFE or CUDE, in the required order.

    `key` is the range's technical key or the software's PIN.
    """

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
        """Return the text whose hash is the code: all parts joined, and before each tax its code in the annex."""
        return (
            f"{self.number}{self.day}{self.time}{self.base}01{self.iva}04{self.inc}03{self.ica}{self.total}"
            f"{self.seller}{self.buyer}{self.key}{self.environment}"
        )

    def code(self) -> str:
        """Return the CUFE or CUDE: the SHA-384 of the joined parts, in hexadecimal."""
        return sha384(self.text().encode()).hexdigest()


def format_amount(pesos: Cop) -> str:
    """Format pesos with two decimals, as the annex requires."""
    return f"{pesos}.00"


def format_time(moment: datetime) -> str:
    """Format the time of day with its UTC offset: `10:53:10-05:00`."""
    return moment.strftime("%H:%M:%S") + moment.strftime("%z")[:3] + ":00"


def build_code_parts(document: Document, software: Software) -> CodeParts:
    """Collect the input values of the document's CUFE or CUDE."""
    is_invoice = document.kind is InvoiceKind.INVOICE
    key = document.range.technical_key if is_invoice and document.range else software.pin
    return CodeParts(
        number=document.full_number,
        day=document.local.date().isoformat(),
        time=format_time(document.local),
        base=format_amount(document.base),
        iva=format_amount(document.tax),
        inc=format_amount(0),
        ica=format_amount(0),
        total=format_amount(document.payable),
        seller=document.seller.document,
        buyer=document.buyer.document,
        key=key,
        environment=software.environment,
    )


def compute_fingerprint(software: Software, number: str) -> str:
    """Return the software fingerprint of the document with this number (`SoftwareSecurityCode`)."""
    return sha384(f"{software.id}{software.pin}{number}".encode()).hexdigest()


def build_qr_address(code: str, environment: str) -> str:
    """Return the URL at which the DIAN shows the document with this CUFE or CUDE."""
    return f"{QR_ADDRESS[environment]}{code}"


def build_qr_text(document: Document, code: str, environment: str) -> str:
    """Return the text of the document's QR code: one labelled value per line."""
    name = "CUFE" if document.kind is InvoiceKind.INVOICE else "CUDE"
    lines = {
        "NumFac": document.full_number,
        "FecFac": document.local.date().isoformat(),
        "HorFac": format_time(document.local),
        "NitFac": document.seller.document,
        "DocAdq": document.buyer.document,
        "ValFac": format_amount(document.base),
        "ValIva": format_amount(document.tax),
        "ValOtroIm": format_amount(0),
        "ValTolFac": format_amount(document.payable),
        name: code,
        "QRCode": build_qr_address(code, environment),
    }
    return "\n".join(f"{label}: {value}" for label, value in lines.items())
