"""Values that the checkout's state sends to its page."""

from dataclasses import dataclass, field
from datetime import datetime

from backend.checkout.shipping_options import ShippingChoice
from backend.core.config.modules import GATEWAY_PSE
from backend.core.texts import _
from backend.shipping.delivery_promise import DeliveryPromise
from backend.shipping.promise_texts import describe_offer


@dataclass(frozen=True, slots=True)
class SelectOption:
    """An option of a select element."""

    value: str
    label: str


@dataclass(frozen=True, slots=True)
class PaymentField:
    """A field that a payment provider adds: a select element if it has `options`, else a text field."""

    name: str
    label: str
    hint: str
    options: list[SelectOption]


@dataclass(frozen=True, slots=True)
class PaymentMethod:
    """A payment method as displayed on its card."""

    id: str
    name: str
    note: str
    fields: list[PaymentField]


@dataclass(frozen=True, slots=True)
class PaymentChoice:
    """The payment methods for the cart.

    Attributes:
        methods: the content of each method's card.
        has_cards: False if PSE is the only method: the page then has no cards.
        with_document: ids of the methods for which the form asks for the payer's document.
        field_names: names of the fields that the providers add.
    """

    methods: list[PaymentMethod] = field(default_factory=list)
    has_cards: bool = False
    with_document: list[str] = field(default_factory=lambda: [GATEWAY_PSE])
    field_names: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class ShippingCard:
    """A shipping option as displayed on its card. `day` is the promised day as an ISO date; empty without one."""

    id: str
    name: str
    note: str
    price: str
    is_pickup: bool
    day: str = ""


@dataclass(frozen=True, slots=True)
class Shipping:
    """The shipping options for the municipality `dane_code`.

    Attributes:
        status: `none` (no municipality yet), `quoting` (another address is being priced), `choosing` (another
            option is being priced), `ready` or `failed`.
        choices: the options.
        chosen: id of the chosen option, or empty.
        problem: the reason of a failure, if it is known.
        notice: the reason why an option is missing, or empty.
    """

    status: str = "none"
    dane_code: str = ""
    choices: list[ShippingCard] = field(default_factory=list)
    chosen: str = ""
    problem: str = ""
    notice: str = ""

    def is_ready_for(self, dane_code: str) -> bool:
        """Return True if the options for this municipality are priced and displayed."""
        return self.status == "ready" and self.dane_code == dane_code


@dataclass(frozen=True, slots=True)
class PlacingResult:
    """Result of the latest attempt to place the order.

    Attributes:
        number: a number that is different for every attempt.
        kind: `placed`, or the reason of the failure: `fields` (invalid), `total` (changed), `day` (the order would
            arrive later), `shipping` (no longer offered), `stock` (too few units) or `failed`.
        text: the message for the customer.
        address: the bank's page, if `kind` is `placed`.
    """

    number: int = 0
    kind: str = ""
    text: str = ""
    address: str = ""


@dataclass(frozen=True, slots=True)
class LastOrder:
    """The latest order of this browser. `bank_url` is the bank's page to pay it; empty if it cannot be paid there."""

    number: int = 0
    page: str = ""
    bank_url: str = ""


def shipping_card(choice: ShippingChoice, moment: datetime) -> ShippingCard:
    """Return the card of a shipping option. Its promise is worded for this moment, for example with «hoy»."""
    return ShippingCard(
        id=choice.id,
        name=choice.name,
        note=_note(choice, moment),
        price=choice.amount_label if choice.amount else _("Gratis"),
        is_pickup=choice.is_pickup,
        day=choice.promise.day.isoformat() if choice.promise is not None else "",
    )


_NO_ANSWER = _("Tarifa fija: la transportadora no alcanzó a responder con su precio.")
_NO_COURIER = _("Tarifa fija: todavía no hay transportadora con precio para tu municipio.")


def _note(choice: ShippingChoice, moment: datetime) -> str:
    if choice.promise is None:
        return _describe_option(choice)
    sentence = describe_choice_promise(choice, choice.promise, moment)
    return sentence if choice.is_pickup else f"{_describe_option(choice)} {sentence}"


def describe_choice_promise(choice: ShippingChoice, promise: DeliveryPromise, moment: datetime) -> str:
    """Return the sentence about the promised day. For a pickup point, put its address and hours before it."""
    sentence = describe_offer(promise, moment, is_pickup=choice.is_pickup)
    return f"{_end_sentence(choice.detail)} {sentence}" if choice.is_pickup and choice.detail else sentence


def _end_sentence(text: str) -> str:
    """Return the text with exactly one full stop at its end. An hour such as «6 p. m.» already has one."""
    return text.removesuffix(".") + "."


def _describe_option(choice: ShippingChoice) -> str:
    if choice.is_fallback:
        return _NO_COURIER if choice.no_courier else _NO_ANSWER
    if choice.is_pickup:
        return choice.detail or _("Lo recoges tú, sin costo de envío.")
    if choice.is_own:
        text = _end_sentence(_("Te lo llevamos nosotros: {hours}").format(hours=choice.detail))
        if not choice.free_from_label:
            return text
        return f"{text} {_('Gratis desde {price}.').format(price=choice.free_from_label)}"
    return _("Con {carrier}.").format(carrier=choice.carrier) if choice.carrier else _("Tarifa fija.")
