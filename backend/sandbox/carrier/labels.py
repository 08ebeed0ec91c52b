"""States of a label, in the carrier's words, and its PDF."""

from enum import StrEnum

TEST_ORDER_ID = 132456
TEST_TRACKER = "123SANDBOX456TRACK789NUMBER"
"""Tracking code of every test label, as with the real carrier (wire: carrier 2.3)."""


class Status(StrEnum):
    """State of a shipment, in the carrier's words (wire: carrier 2.4)."""

    PENDING = "Pendiente de recolección"
    COLLECTED = "Envío Recolectado"
    IN_TRANSIT = "En tránsito"
    IN_DELIVERY = "En distribución"
    INCIDENT = "Novedad: dirección errada"
    DELIVERED = "Entregado"
    CANCELLED = "Cancelado"
    RETURNED = "Devuelto"


PAGE = "/MediaBox [0 0 288 432]"  # 4 x 6 inches, a label printer's size
LINE_HEIGHT = 18


def build_label_pdf(lines: list[str]) -> bytes:
    """Return a PDF with one page, on which these lines of text are printed."""
    shown = (
        f"BT /F1 12 Tf {LINE_HEIGHT} TL 24 396 Td "
        + " ".join(f"({_escape(line)}) Tj T*" for line in lines)
        + " ET"
    )
    content = shown.encode("cp1252", "replace")
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        f"<< /Type /Page /Parent 2 0 R {PAGE} /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>".encode(),
        f"<< /Length {len(content)} >>\nstream\n".encode() + content + b"\nendstream",
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
    ]
    return _build_pdf(objects)


def _build_pdf(objects: list[bytes]) -> bytes:
    """Join the objects into a PDF, and append the cross-reference table with their positions."""
    pdf = b"%PDF-1.4\n"
    starts = []
    for number, each in enumerate(objects, start=1):
        starts.append(len(pdf))
        pdf += b"%d 0 obj\n%s\nendobj\n" % (number, each)
    table = b"".join(b"%010d 00000 n \n" % start for start in starts)
    return pdf + (
        b"xref\n0 %d\n0000000000 65535 f \n%s" % (len(objects) + 1, table)
        + b"trailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n" % (len(objects) + 1, len(pdf))
    )


def _escape(line: str) -> str:
    return line.replace("\\", r"\\").replace("(", r"\(").replace(")", r"\)")
