"""PDF of a document with its lines, IVA by rate, code and QR, always in Spanish.

It uses the standard PDF fonts, which have Western European letters only. A letter that the fonts do not have is
printed without its accent; the XML contains the original letter.
"""

import unicodedata
from dataclasses import dataclass
from io import BytesIO
from typing import TYPE_CHECKING

from backend.content.brand import Brand
from backend.content.fonts import FontName
from backend.content.palette import derive_variables
from backend.core.dates import TIME_ZONE
from backend.core.money import Cop, format_cop
from backend.invoices.documents import Document, Party, sum_by_rate
from backend.invoices.parties import FINAL_CONSUMER, FINAL_CONSUMER_NAME
from backend.invoices.states import InvoiceKind

if TYPE_CHECKING:
    from fpdf import FPDF

TITLES = {
    InvoiceKind.INVOICE: "Factura electrónica de venta",
    InvoiceKind.CREDIT_NOTE: "Nota crédito electrónica",
}
DOCUMENT_NAMES = {
    "11": "Registro civil", "12": "Tarjeta de identidad", "13": "Cédula de ciudadanía", "22": "Cédula de extranjería",
    "31": "NIT", "41": "Pasaporte", "42": "Documento extranjero", "47": "PEP", "48": "PPT", "50": "NIT de otro país",
}  # fmt: skip
MARGIN, WIDTH = 16, 178
"""Millimetres; A4 is 210 wide."""
QR_SIZE = 38
LOGO_WIDTH, LOGO_HEIGHT = 60, 16
"""Size of the box into which the logo is fitted."""
DEMO_BAR_COLOR = "#f5f1e9"
SANS = "Helvetica"
UNDECOMPOSED = str.maketrans("ŁłĐđĦħŦŧı", "LlDdHhTti")
"""Letters with a stroke, which Unicode does not decompose."""
COLUMNS = (
    ("Descripción", 74, "L"), ("Cant.", 14, "R"), ("Valor", 26, "R"), ("Dcto.", 22, "R"), ("IVA", 14, "R"),
    ("Total", 28, "R"),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class DocumentLook:
    """The shop's brand on a document.

    Attributes:
        logo: the logo as PNG, or empty.
        bar_color: colour of the bars as `#rrggbb`.
        heading_font: PDF font of the headings.
    """

    logo: bytes = b""
    bar_color: str = DEMO_BAR_COLOR
    heading_font: str = SANS


def find_bar_color(brand: Brand) -> str:
    """Return the colour of the bars on a document with this brand."""
    return derive_variables(brand.palette)["paper-deep"] if brand.has_own_colors else DEMO_BAR_COLOR


def find_heading_font(brand: Brand) -> str:
    """Return the standard PDF font that is most like the font of the shop's headings."""
    return "Times" if brand.font == FontName.SERIF else SANS


def build_document_pdf(
    document: Document, code: str, qr: str, *, is_test: bool = False, look: DocumentLook | None = None
) -> bytes:
    """Return the document's PDF. `qr` is the text of its QR code.

    With `is_test`, a heading says that the document is not valid.
    """
    look = look or DocumentLook()
    from fpdf import FPDF  # uses 20 MiB, which most processes never need

    pdf = FPDF(format="A4", unit="mm")
    pdf.set_margins(MARGIN, MARGIN)
    pdf.set_auto_page_break(auto=True, margin=MARGIN)
    pdf.set_title(f"{TITLES[document.kind]} {document.full_number}")
    pdf.set_lang("es-CO")
    pdf.set_creation_date(document.local)
    pdf.add_page()
    if is_test:
        _write(pdf, "DOCUMENTO DE PRUEBA, SIN VALIDEZ FISCAL", 11, "B", align="C")
        pdf.ln(2)
    _draw_logo(pdf, look.logo)
    _write_head(pdf, document, look.heading_font)
    _write_parties(pdf, document, look.bar_color)
    _write_lines(pdf, document)
    _write_totals(pdf, document)
    _write_proof(pdf, document, code, qr)
    return bytes(pdf.output())


def _replace_unsupported(text: str) -> str:
    """Replace letters that the fonts do not have."""
    shown = []
    for letter in text.translate(UNDECOMPOSED):
        try:
            letter.encode("cp1252")
        except UnicodeEncodeError:
            base = unicodedata.normalize("NFKD", letter)[0]
            shown.append(base if base.isascii() and base.isprintable() else "?")
        else:
            shown.append(letter)
    return "".join(shown).encode("cp1252", "replace").decode("cp1252")


def _write(
    pdf: "FPDF",
    text: str,
    size: float = 9,
    style: str = "",
    *,
    width: float = WIDTH,
    align: str = "L",
    font: str = SANS,
) -> None:
    """Write lines of text at the cursor, and move the cursor below them."""
    pdf.set_font(font, style, size)
    pdf.multi_cell(width, size * 0.48, _replace_unsupported(text), align=align, new_x="LEFT", new_y="NEXT")


def _draw_logo(pdf: "FPDF", logo: bytes) -> None:
    """Draw the logo at the cursor, if there is one, and move the cursor below it."""
    if not logo:
        return
    top = pdf.get_y()
    width, height = _fit_logo(logo)
    pdf.image(BytesIO(logo), MARGIN, top, width, height, alt_text="Logo")
    pdf.set_xy(MARGIN, top + height + 3)


def _fit_logo(logo: bytes) -> tuple[float, float]:
    """Return the width and height of the logo in millimetres."""
    from PIL import Image  # fpdf uses it too

    with Image.open(BytesIO(logo), formats=["PNG"]) as image:
        factor = min(LOGO_WIDTH / image.width, LOGO_HEIGHT / image.height)
        return image.width * factor, image.height * factor


def _write_head(pdf: "FPDF", document: Document, font: str) -> None:
    seller = document.seller
    top = pdf.get_y()
    _write(pdf, seller.name, 15, "B", width=104, font=font)
    _write(pdf, _format_identity(seller), 9, width=104)
    _write(pdf, "Responsable de IVA", 9, width=104)
    if seller.place is not None:
        _write(pdf, f"{seller.place.address}, {seller.place.name}, {seller.place.department}", 9, width=104)
    _write(pdf, f"{seller.phone} · {seller.email}", 9, width=104)
    bottom = pdf.get_y()
    pdf.set_xy(MARGIN + 108, top)
    _write(pdf, TITLES[document.kind], 11, "B", width=70, align="R", font=font)
    pdf.set_x(MARGIN + 108)
    _write(pdf, document.full_number, 15, "B", width=70, align="R", font=font)
    pdf.set_x(MARGIN + 108)
    terms = "Pago de contado" if document.prepaid is None else "Pagada en parte"
    moment = document.local.astimezone(TIME_ZONE).strftime("%d/%m/%Y %H:%M:%S")
    _write(
        pdf,
        f"Generada y validada: {moment}\nPedido {document.order_number}\nMoneda: COP · {terms}",
        9,
        width=70,
        align="R",
    )
    pdf.set_xy(MARGIN, max(bottom, pdf.get_y()) + 4)


def _format_identity(party: Party) -> str:
    number = f"{party.document}-{party.check_digit}" if party.check_digit else party.document
    return f"{DOCUMENT_NAMES.get(party.document_type, 'Documento')} {number}"


def _write_parties(pdf: "FPDF", document: Document, bar_color: str) -> None:
    buyer = document.buyer
    pdf.set_fill_color(bar_color)
    pdf.set_font(SANS, "B", 9)
    pdf.cell(WIDTH, 6, "Adquirente", fill=True, new_x="LMARGIN", new_y="NEXT")
    _write(
        pdf,
        f"{buyer.name} · {_format_identity(buyer)}"
        if buyer.document != FINAL_CONSUMER
        else FINAL_CONSUMER_NAME.capitalize(),
    )
    if buyer.place is not None:
        _write(pdf, f"{buyer.place.address}, {buyer.place.name}, {buyer.place.department}")
    if buyer.email:
        _write(pdf, buyer.email)
    if document.corrects is not None:
        corrected = document.corrects
        _write(
            pdf,
            f"Corrige la factura {corrected.number} del {corrected.issued_on:%d/%m/%Y}: {corrected.description}",
        )
    pdf.ln(3)


def _write_lines(pdf: "FPDF", document: Document) -> None:
    pdf.set_font(SANS, size=8.5)
    pdf.set_draw_color(190, 184, 172)
    pdf.set_fill_color(255, 255, 255)
    with pdf.table(
        width=WIDTH,
        col_widths=tuple(width for _name, width, _align in COLUMNS),
        text_align=tuple(align for _name, _width, align in COLUMNS),
        borders_layout="HORIZONTAL_LINES",
        line_height=4.6,
        padding=0.8,
    ) as table:
        heading = table.row()
        for name, _width, _align in COLUMNS:
            heading.cell(name)
        for line in document.lines:
            row = table.row()
            discount = format_cop(line.discount) if line.discount else ""
            for value in (
                f"{line.title}\n{line.code}", str(line.quantity), format_cop(line.gross), discount,
                "Excluido" if line.is_excluded else f"{line.rate} %", format_cop(line.total),
            ):  # fmt: skip
                row.cell(_replace_unsupported(value))
    pdf.ln(3)


def _write_totals(pdf: "FPDF", document: Document) -> None:
    if pdf.will_page_break(QR_SIZE + 30):
        pdf.add_page()
    rows: list[tuple[str, Cop]] = [("Valor bruto, sin IVA", document.base + document.discount)]
    if document.discount:
        rows.append(("Descuentos, sin IVA", -document.discount))
    for rate, base, tax in sum_by_rate(document.lines):
        rows.append((f"IVA {rate} % sobre {format_cop(base)}", tax))
    if document.excluded:
        rows.append((f"Excluido de IVA: {format_cop(document.excluded)}", 0))
    for label, amount in rows:
        _write_total(pdf, label, amount)
    pdf.set_font(SANS, "B", 11)
    _write_total(pdf, "Total", document.total, is_whole=True)
    if document.prepaid is not None:
        _write_total(pdf, "Anticipo recibido", -document.prepaid)
        _write_total(pdf, "Saldo por pagar", document.payable, is_whole=True)
    pdf.ln(3)


def _write_total(pdf: "FPDF", label: str, amount: Cop, *, is_whole: bool = False) -> None:
    pdf.set_font(SANS, "B" if is_whole else "", 11 if is_whole else 9)
    pdf.cell(WIDTH - 36, 5.5, _replace_unsupported(label), align="R")
    pdf.cell(36, 5.5, _replace_unsupported(format_cop(amount)), align="R", new_x="LMARGIN", new_y="NEXT")


def _write_proof(pdf: "FPDF", document: Document, code: str, qr: str) -> None:
    top = pdf.get_y()
    if qr:
        _draw_qr(pdf, qr, MARGIN, top)
    pdf.set_xy(MARGIN + QR_SIZE + 6, top)
    width = WIDTH - QR_SIZE - 6
    name = "CUFE" if document.kind is InvoiceKind.INVOICE else "CUDE"
    _write(pdf, name, 9, "B", width=width)
    _write(pdf, code, 8, width=width)
    if document.range is not None:
        within = document.range
        _write(
            pdf,
            f"\nAutorización de numeración DIAN {within.resolution} del {within.dated:%d/%m/%Y}, prefijo "
            f"{document.prefix or '(sin prefijo)'}, del {within.first} al {within.last}, vigente del "
            f"{within.valid_from:%d/%m/%Y} al {within.valid_until:%d/%m/%Y}.",
            8,
            width=width,
        )
    _write(
        pdf,
        "\nRepresentación gráfica de un documento electrónico. El original es el archivo XML.",
        8,
        width=width,
    )


def _draw_qr(pdf: "FPDF", text: str, left: float, top: float) -> None:
    """Draw the QR as black squares."""
    import segno  # loaded only to print an invoice

    matrix = segno.make(text, error="m").matrix
    side = QR_SIZE / len(matrix)
    pdf.set_fill_color(0, 0, 0)
    for row, line in enumerate(matrix):
        for column, is_dark in enumerate(line):
            if is_dark:
                pdf.rect(left + column * side, top + row * side, side + 0.02, side + 0.02, style="F")
