"""The labels that the sandbox made, where their shipments are, and their PDF. In memory: a restart forgets them."""

import time
from collections import OrderedDict
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta, timezone
from enum import StrEnum
from typing import Any

from backend.clock import now

TEST_ORDER_ID = 132456
TEST_TRACKER = "123SANDBOX456TRACK789NUMBER"
"""What every test label is called, as with the real carrier (wire: carrier 2.3)."""

KEPT = 10_000
"""So many rates and labels are remembered; the oldest are forgotten first."""

EPOCH = datetime(2026, 1, 1, tzinfo=UTC).timestamp()


class Status(StrEnum):
    """Where a shipment is, in the carrier's words (wire: carrier 2.4)."""

    PENDING = "Pendiente de recolección"
    COLLECTED = "Envío Recolectado"
    IN_TRANSIT = "En tránsito"
    IN_DELIVERY = "En distribución"
    INCIDENT = "Novedad: dirección errada"
    DELIVERED = "Entregado"
    CANCELLED = "Cancelado"
    RETURNED = "Devuelto"


@dataclass(slots=True)
class IssuedLabel:
    """A label and its shipment's state."""

    order_id: int
    tracker: str
    reference: str
    carrier: str
    is_test: bool = False
    status: Status = Status.PENDING
    times: dict[str, str] = field(default_factory=dict)

    def move(self, status: Status) -> None:
        """Let the shipment go on to a state, and remember when."""
        self.status = status
        if status not in (Status.PENDING, Status.CANCELLED, Status.INCIDENT):
            self.times.setdefault("realPickupDate", _local_now())
        if status is Status.DELIVERED:
            self.times.setdefault("realDeliveryDate", _local_now())

    def tracking(self) -> dict[str, Any]:
        """The data of a tracking answer."""
        return {
            "status": self.status,
            "statusDetail": f"{self.status} ({self.carrier})",
            "arrivalDate": self.times.get("arrivalDate"),
            "realPickupDate": self.times.get("realPickupDate"),
            "realDeliveryDate": self.times.get("realDeliveryDate"),
            "receivedBy": "Portería" if self.status is Status.DELIVERED else None,
        }


class Ledger:
    """The rates offered and the labels made. A label's number is never given twice, not even after a restart."""

    def __init__(self) -> None:
        self._rates: OrderedDict[int, str] = OrderedDict()
        self._labels: OrderedDict[int, IssuedLabel] = OrderedDict()
        self._last_number = 0

    def offer(self, carrier: str) -> int:
        """A number for a courier's rate."""
        number = self._next_number()
        _keep(self._rates, number, carrier)
        return number

    def carrier_of(self, rate_id: int) -> str | None:
        """The courier whose rate it is; None for a rate that was never offered or is forgotten."""
        return self._rates.get(rate_id)

    def issue(self, carrier: str, reference: str, *, is_test: bool) -> IssuedLabel:
        """Make a label. All test labels have one number, and making one starts it anew."""
        if is_test:
            label = IssuedLabel(TEST_ORDER_ID, TEST_TRACKER, reference, carrier, is_test=True)
        else:
            number = self._next_number()
            label = IssuedLabel(number, f"TRM{number}", reference, carrier)
        _keep(self._labels, label.order_id, label)
        return label

    def label(self, order_id: int) -> IssuedLabel | None:
        """The label with this number."""
        return self._labels.get(order_id)

    def label_tracked_by(self, tracker: str) -> IssuedLabel | None:
        """The label with this tracking code."""
        return next((label for label in self._labels.values() if label.tracker == tracker), None)

    def labels(self) -> list[IssuedLabel]:
        """Every label, the oldest first."""
        return list(self._labels.values())

    def _next_number(self) -> int:
        """Microseconds since 2026, so that a restart, or another process, does not begin again."""
        self._last_number = max(self._last_number + 1, int((time.time() - EPOCH) * 1_000_000))
        return self._last_number


def _local_now() -> str:
    """Now, as the carrier writes it: Colombia's time, without its zone."""
    return f"{now().astimezone(timezone(timedelta(hours=-5))):%Y-%m-%d %H:%M:%S}"


def _keep(kept: OrderedDict[int, Any], number: int, value: object) -> None:
    kept[number] = value
    kept.move_to_end(number)
    if len(kept) > KEPT:
        kept.popitem(last=False)


PAGE = "/MediaBox [0 0 288 432]"  # 4 x 6 inches, a label printer's size
LINE_HEIGHT = 18


def label_pdf(lines: list[str]) -> bytes:
    """A one-page PDF that shows the lines."""
    shown = (
        f"BT /F1 12 Tf {LINE_HEIGHT} TL 24 396 Td "
        + " ".join(f"({_escaped(line)}) Tj T*" for line in lines)
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
    return _file(objects)


def _file(objects: list[bytes]) -> bytes:
    """The objects one after another, with the table that says where each of them starts."""
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


def _escaped(line: str) -> str:
    return line.replace("\\", r"\\").replace("(", r"\(").replace(")", r"\)")
