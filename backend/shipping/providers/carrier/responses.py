"""What the carrier answers: rates, labels, tracking and errors (wire: carrier 2.1 to 2.5).

Everything is read leniently: one missing or odd field does not lose the others.
"""

import base64
import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import timedelta, timezone
from decimal import ROUND_CEILING
from itertools import islice

from backend.core.db.tables import JsonObject
from backend.core.errors import OutsideFailure
from backend.core.money import Cop
from backend.core.web.contact import one_line
from backend.core.web.outside_values import (
    parse_identifier,
    parse_integer,
    parse_moment,
    parse_price,
    parse_text,
    parse_web_address,
)
from backend.shipping.providers.base import Label, TrackingUpdate
from backend.shipping.providers.carrier.statuses import join_words, stage_of

COLOMBIA = timezone(timedelta(hours=-5), "Colombia")
"""Colombia has no summer time. The carrier's times are local and name no zone."""

PDF_START = b"%PDF"
MAX_RATE = 20_000_000
"""No shipment within the carrier's limits costs this much; a rate that says so is a mistake."""
MAX_DELIVERY_DAYS = 365
MAX_SENTENCES = 100
"""Sentences of a refusal that are read."""
MAX_WORDS = 200
"""Characters of the carrier's own words that are kept."""


class CarrierError(OutsideFailure):
    """The carrier refused, failed or answered what cannot be understood. `fields` holds its words by field.

    Attributes:
        http_status: what it answered with; None when there was no answer.
        may_have_acted: whether the request may have had its effect nevertheless.
        is_passing: whether the same question may well be answered a moment later.
    """

    def __init__(
        self,
        message: str,
        *,
        http_status: int | None = None,
        fields: Mapping[str, str] | None = None,
        staff_text: str = "",
        may_have_acted: bool = False,
        is_passing: bool = False,
    ) -> None:
        super().__init__(message, fields=fields, staff_text=staff_text)
        self.http_status = http_status
        self.may_have_acted = may_have_acted
        self.is_passing = is_passing


@dataclass(frozen=True, slots=True)
class Problem:
    """The carrier's own words: sentences, and messages by dotted field name (`destination.phone`)."""

    sentences: tuple[str, ...] = ()
    fields: Mapping[str, str] = field(default_factory=dict)

    def __str__(self) -> str:
        return self._told(self.sentences)

    @property
    def words(self) -> str:
        """What is told people, on one line: all of it but the title that stands before the rest."""
        is_alone = len(self.sentences) == 1 and not self.fields
        return one_line(self._told(self.sentences if is_alone else self.sentences[1:]))

    def _told(self, sentences: tuple[str, ...]) -> str:
        return " ".join((*sentences, *(f"{name}: {text}" for name, text in self.fields.items())))


def problem_in(body: object) -> Problem:
    """What an error body says.

    `status_messages` is a list of objects, in older answers one object; its `error` is a sentence, or a title
    and then a sentence, or messages by field, which may be nested (wire: carrier 2.1).
    """
    if not isinstance(body, Mapping):
        return Problem()
    messages = body.get("status_messages")
    errors = [
        message["error"]
        for message in (messages if isinstance(messages, list) else [messages])
        if isinstance(message, Mapping) and "error" in message
    ]
    texts: dict[str, list[str]] = {}
    for name, text in islice(_said(errors, ""), MAX_SENTENCES):
        texts.setdefault(name, []).append(text)
    sentences = texts.pop("", ())
    return Problem(tuple(sentences), {name: " ".join(said) for name, said in texts.items()})


@dataclass(frozen=True, slots=True)
class Rate:
    """One courier's offer. `price` is what a shopper pays, in whole pesos: flete + minimumInsurance."""

    id: int
    price: Cop
    carrier: str
    product: str
    delivery_days: int | None
    data: JsonObject


def cheapest(rates: Iterable[object], *, min_price: Cop = 0) -> Rate | None:
    """Return the valid rate with the lowest price; the faster, then the first, among equals. None if none is valid.

    One below `min_price` (whole pesos) is a mistake and not valid.
    """
    offers = [offer for rate in rates if (offer := read_rate(rate)) is not None]
    valid = [offer for offer in offers if offer.price >= min_price]
    return min(valid, key=lambda offer: (offer.price, _days(offer)), default=None)


def read_rate(rate: object) -> Rate | None:
    """The element of `data.rates[]` as an offer, or None when it is none (wire: carrier 2.2).

    A valid rate has a whole `idRate`, a positive `flete` and a `minimumInsurance` that is not negative, both
    numbers or texts of numbers, and a sum below `MAX_RATE`. The sum is rounded up to the peso, so that the shop never
    pays the rest.
    """
    if not isinstance(rate, dict):
        return None
    rate_id, flete, insurance = (
        parse_integer(rate.get("idRate")),
        parse_price(rate.get("flete"), MAX_RATE),
        parse_price(rate.get("minimumInsurance"), MAX_RATE),
    )
    if rate_id is None or flete is None or insurance is None or flete == 0:
        return None
    if flete + insurance >= MAX_RATE:
        return None
    numbers = {name: parse_integer(rate.get(name)) for name in ("idRate", "idProduct", "idCarrier")}
    return Rate(
        id=rate_id,
        price=int((flete + insurance).to_integral_value(ROUND_CEILING)),
        carrier=one_line(rate.get("carrier"))[:MAX_WORDS],
        product=one_line(rate.get("product"))[:MAX_WORDS],
        delivery_days=parse_integer(rate.get("deliveryDays"), maximum=MAX_DELIVERY_DAYS),
        data={name: number for name, number in numbers.items() if number is not None}
        | {"flete": float(flete), "minimumInsurance": float(insurance)},
    )


def read_label(data: JsonObject) -> Label:
    """The label that a shipment made (wire: carrier 2.3).

    Raises:
        CarrierError: without an idOrder nothing can be done with it. It may exist all the same.
    """
    order_id = whole(data.get("idOrder"))
    if order_id is None:
        raise CarrierError("the carrier's answer to a shipment has no idOrder", may_have_acted=True)
    return Label(
        tracking_number=parse_identifier(data.get("tracker")),
        carrier_order_id=order_id,
        label_url=parse_web_address(data.get("url")),
        label_pdf=_pdf(data.get("guide")),
        data={"carrier": one_line(data.get("carrier"))[:MAX_WORDS] or None},
    )


def read_tracking(data: object) -> TrackingUpdate | None:
    """Where a shipment is; None when the carrier does not know it and sends a sentence (wire: carrier 2.4)."""
    if not isinstance(data, dict) or not isinstance(data.get("status"), str):
        return None
    status, detail = parse_text(data["status"]), parse_text(data.get("statusDetail"))
    return TrackingUpdate(
        stage=stage_of(status, detail),
        words=join_words(status, detail)[:MAX_WORDS],
        picked_up_at=parse_moment(data.get("realPickupDate"), COLOMBIA),
        delivered_at=parse_moment(data.get("realDeliveryDate"), COLOMBIA),
        expected_at=parse_moment(data.get("arrivalDate"), COLOMBIA),
        received_by=parse_text(data.get("receivedBy"), MAX_WORDS),
    )


def read_cancelled(data: JsonObject) -> frozenset[int]:
    """The cancelled orders: those to refund or only to cancel, and no others (wire: carrier 2.5)."""
    return frozenset(
        order_id
        for name in ("to_refund_orders", "only_cancel_orders")
        for order_id in _wholes(data.get(name))
    )


def whole(value: object) -> int | None:
    """Return a whole number that the database can hold, also one that comes as text; None for anything else."""
    return parse_integer(value)


def _said(value: object, name: str) -> Iterator[tuple[str, str]]:
    """Every sentence inside the value with the dotted name of the field it is about."""
    if isinstance(value, Mapping):
        for key, inner in value.items():
            yield from _said(inner, f"{name}.{key}" if name else str(key))
    elif isinstance(value, list):
        for inner in value:
            yield from _said(inner, name)
    elif isinstance(value, str):
        yield name, value


def _days(rate: Rate) -> float:
    return math.inf if rate.delivery_days is None else rate.delivery_days


def _wholes(value: object) -> Iterable[int]:
    candidates = map(whole, value) if isinstance(value, list) else ()
    return [number for number in candidates if number is not None]


def _pdf(value: object) -> bytes | None:
    try:
        content = base64.b64decode(value, validate=True) if isinstance(value, str) else b""
    except ValueError:  # no base64, or not even ASCII
        return None  # the label exists all the same; the file can be had from its url
    return content if content.startswith(PDF_START) else None
