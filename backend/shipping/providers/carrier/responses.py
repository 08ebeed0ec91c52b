"""Parsing of the carrier's responses: rates, labels, tracking and errors (wire: carrier 2.1 to 2.5).

Parsing is lenient: one missing or invalid field does not affect the others.
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
from backend.core.web.contact import to_one_line
from backend.core.web.outside_values import (
    parse_identifier,
    parse_integer,
    parse_moment,
    parse_price,
    parse_text,
    parse_web_address,
)
from backend.shipping.providers.base import Label, TrackingUpdate
from backend.shipping.providers.carrier.statuses import join_words, parse_stage

COLOMBIA = timezone(timedelta(hours=-5), "Colombia")
"""Colombia's time zone, without summer time. The carrier's times are local and have no zone."""

PDF_START = b"%PDF"
MAX_RATE = 20_000_000
"""Upper bound of a valid rate: no shipment within the carrier's limits costs this much."""
MAX_DELIVERY_DAYS = 365
MAX_SENTENCES = 100
"""Maximum number of sentences of a refusal that are parsed."""
MAX_WORDS = 200
"""Maximum number of characters of the carrier's own words that are stored."""


class CarrierError(OutsideFailure):
    """The carrier refused, failed or sent an unreadable response. `fields` has the carrier's messages by field.

    Attributes:
        http_status: status of the response; None if there was no response.
        may_have_acted: True if the carrier may have executed the request.
        is_passing: True if the failure is temporary, so that a retry may succeed.
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
    """The messages of the carrier: sentences, and messages by dotted field name (`destination.phone`)."""

    sentences: tuple[str, ...] = ()
    fields: Mapping[str, str] = field(default_factory=dict)

    def __str__(self) -> str:
        return self._join_texts(self.sentences)

    @property
    def words(self) -> str:
        """The message for staff, on one line, without the title that the carrier writes before it."""
        is_alone = len(self.sentences) == 1 and not self.fields
        return to_one_line(self._join_texts(self.sentences if is_alone else self.sentences[1:]))

    def _join_texts(self, sentences: tuple[str, ...]) -> str:
        return " ".join((*sentences, *(f"{name}: {text}" for name, text in self.fields.items())))


def parse_problem(body: object) -> Problem:
    """Parse the messages of an error body.

    `status_messages` is a list of objects; in older responses it is one object. The `error` of an object is a
    sentence, or a list of a title and a sentence, or messages by field, which may be nested (wire: carrier 2.1).
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
    for name, text in islice(_iterate_sentences(errors, ""), MAX_SENTENCES):
        texts.setdefault(name, []).append(text)
    sentences = texts.pop("", ())
    return Problem(tuple(sentences), {name: " ".join(parts) for name, parts in texts.items()})


@dataclass(frozen=True, slots=True)
class Rate:
    """A courier's offer. `price` is the shopper's price in whole pesos: flete + minimumInsurance."""

    id: int
    price: Cop
    carrier: str
    product: str
    delivery_days: int | None
    data: JsonObject


def find_cheapest_rate(rates: Iterable[object], *, min_price: Cop = 0) -> Rate | None:
    """Return the valid rate with the lowest price; None if no rate is valid.

    Of rates with the same price, the faster is returned, then the first. A rate below `min_price` (whole pesos) is
    an error of the carrier, and not valid.
    """
    offers = [offer for rate in rates if (offer := parse_rate(rate)) is not None]
    valid = [offer for offer in offers if offer.price >= min_price]
    return min(valid, key=lambda offer: (offer.price, _get_delivery_days(offer)), default=None)


def parse_rate(rate: object) -> Rate | None:
    """Parse an element of `data.rates[]`; None if it is not valid (wire: carrier 2.2).

    A valid rate has an integer `idRate`, a positive `flete` and a `minimumInsurance` of at least 0. The amounts may
    be numbers or texts of numbers. Their sum must be below `MAX_RATE`; it is rounded up to the peso, so that the
    shop never pays the difference.
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
        carrier=to_one_line(rate.get("carrier"))[:MAX_WORDS],
        product=to_one_line(rate.get("product"))[:MAX_WORDS],
        delivery_days=parse_integer(rate.get("deliveryDays"), maximum=MAX_DELIVERY_DAYS),
        data={name: number for name, number in numbers.items() if number is not None}
        | {"flete": float(flete), "minimumInsurance": float(insurance)},
    )


def parse_label(data: JsonObject) -> Label:
    """Parse the label of a shipment (wire: carrier 2.3).

    Raises:
        CarrierError: the response has no `idOrder`, so the label cannot be used. The label may exist nevertheless.
    """
    order_id = parse_whole(data.get("idOrder"))
    if order_id is None:
        raise CarrierError("the carrier's answer to a shipment has no idOrder", may_have_acted=True)
    return Label(
        tracking_number=parse_identifier(data.get("tracker")),
        carrier_order_id=order_id,
        label_url=parse_web_address(data.get("url")),
        label_pdf=_parse_pdf(data.get("guide")),
        data={"carrier": to_one_line(data.get("carrier"))[:MAX_WORDS] or None},
    )


def parse_tracking(data: object) -> TrackingUpdate | None:
    """Parse the progress of a shipment (wire: carrier 2.4).

    None if the carrier answers with a sentence, because it does not know the shipment.
    """
    if not isinstance(data, dict) or not isinstance(data.get("status"), str):
        return None
    status, detail = parse_text(data["status"]), parse_text(data.get("statusDetail"))
    return TrackingUpdate(
        stage=parse_stage(status, detail),
        words=join_words(status, detail)[:MAX_WORDS],
        picked_up_at=parse_moment(data.get("realPickupDate"), COLOMBIA),
        delivered_at=parse_moment(data.get("realDeliveryDate"), COLOMBIA),
        expected_at=parse_moment(data.get("arrivalDate"), COLOMBIA),
        received_by=parse_text(data.get("receivedBy"), MAX_WORDS),
    )


def parse_cancelled(data: JsonObject) -> frozenset[int]:
    """Return the ids of the cancelled orders, with or without a refund of their price (wire: carrier 2.5)."""
    return frozenset(
        order_id
        for name in ("to_refund_orders", "only_cancel_orders")
        for order_id in _parse_wholes(data.get(name))
    )


def parse_whole(value: object) -> int | None:
    """Return the value as an integer; texts of numbers are accepted.

    None if it is anything else or too large to be stored.
    """
    return parse_integer(value)


def _iterate_sentences(value: object, name: str) -> Iterator[tuple[str, str]]:
    """Yield every sentence in the value, with the dotted name of the field that contains it."""
    if isinstance(value, Mapping):
        for key, inner in value.items():
            yield from _iterate_sentences(inner, f"{name}.{key}" if name else str(key))
    elif isinstance(value, list):
        for inner in value:
            yield from _iterate_sentences(inner, name)
    elif isinstance(value, str):
        yield name, value


def _get_delivery_days(rate: Rate) -> float:
    return math.inf if rate.delivery_days is None else rate.delivery_days


def _parse_wholes(value: object) -> Iterable[int]:
    candidates = map(parse_whole, value) if isinstance(value, list) else ()
    return [number for number in candidates if number is not None]


def _parse_pdf(value: object) -> bytes | None:
    try:
        content = base64.b64decode(value, validate=True) if isinstance(value, str) else b""
    except ValueError:  # not base64, or not ASCII
        return None  # the label exists nevertheless; its file is available at its url
    return content if content.startswith(PDF_START) else None
