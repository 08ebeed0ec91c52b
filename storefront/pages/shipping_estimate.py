"""The box that estimates shipping cost and delivery day before the checkout, on the pages of a product and of the cart.

Only the browser stores the chosen municipality, for the next visit: see `assets/scripts/estimate.jsx`.
"""

import logging
from dataclasses import dataclass, field, replace
from datetime import datetime
from math import ceil
from typing import Any

import reflex as rx
from reflex.vars import ObjectVar

from backend.app import current_shop
from backend.checkout.shipping_estimates import ShippingEstimate
from backend.core.clock import now
from backend.core.errors import ShopError, TooManyRequests
from backend.core.outage import DatabaseUnavailable
from backend.core.texts import _
from backend.rate_limit.limiter import Client
from backend.shipping.municipalities import search_municipalities
from storefront.components.forms import MAX_TEXT_LENGTH, Town, town_field, town_panel, town_view
from storefront.components.icons import icon
from storefront.pages.checkout.views import ShippingCard, describe_choice_promise, shipping_card
from storefront.reflex_ext.hooks import ABSENT, props, script, view
from storefront.state.cart import CartState
from storefront.state.frame import errors_as_notices
from storefront.state.handlers import checked_id, checked_text, event
from storefront.state.session import find_usable_cart, get_client_ip

log = logging.getLogger(__name__)

SCRIPT = script("estimate")
DEBOUNCE_MS = 150
WHOLE_CART = "cart"
"""Item id that means the browser's whole cart instead of a variant."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """The answer to a request for an estimate. `question` is the key of the request.

    `status` is `ready`, `busy` (too many requests) or `failed`. `valid_seconds` is the time until the first promised
    day changes; 0 if no day is promised.
    """

    question: str = ""
    status: str = ""
    options: list[ShippingCard] = field(default_factory=list)
    valid_seconds: int = 0


class EstimateState(rx.State):
    """The latest estimate of this page, and the municipalities that match the typed text."""

    towns: rx.Field[list[Town]] = rx.field(default_factory=list)
    towns_for: rx.Field[str] = rx.field("")
    estimate: rx.Field[Estimate] = rx.field(default_factory=Estimate)

    @event(supersedes=True, debounce=DEBOUNCE_MS)
    async def find_towns(self, text: str) -> None:
        """Find the municipalities that match the typed text."""
        async with errors_as_notices(self):
            text = checked_text(text, MAX_TEXT_LENGTH)
            self.towns = [town_view(town) for town in search_municipalities(text)]
            self.towns_for = text

    @event(background=True, supersedes=True)
    async def estimate_shipping(self, question: str, dane_code: str, item_id: str) -> None:
        """Price the shipping of a variant, or of the browser's cart, to a municipality.

        `question`, the key of the request, is returned with the answer.
        """
        estimate = Estimate(status="failed")
        try:
            question, item_id = checked_text(question, MAX_TEXT_LENGTH), checked_id(item_id)
            estimate = replace(estimate, question=question)
            estimates = await self._read_estimates(checked_id(dane_code), item_id)
            moment = now()
            cards = [option_card(item, moment) for item in estimates]
            estimate = Estimate(question, "ready", cards, _count_valid_seconds(estimates, moment))
        except TooManyRequests:
            estimate = replace(estimate, status="busy")
        except ShopError as error:
            log.info("shipping could not be estimated: %s", error.message)
        except DatabaseUnavailable:
            pass  # an outage is logged once, not for every page
        except Exception:
            log.exception("shipping could not be estimated")
        async with self:
            self.estimate = estimate

    async def _read_estimates(self, dane_code: str, item_id: str) -> list[ShippingEstimate]:
        shop = current_shop()
        async with self:
            client = Client.from_ip(get_client_ip(self), shop.settings)
            cart_id = (await self.get_state(CartState)).cart_id
            cart_id = await find_usable_cart(self, cart_id) if item_id == WHOLE_CART else ""
        if item_id == WHOLE_CART:
            return await shop.estimates.estimate_cart(cart_id, dane_code, client)
        return await shop.estimates.estimate_variant(item_id, dane_code, client)


def option_card(option: ShippingEstimate, moment: datetime) -> ShippingCard:
    """Return the card of a shipping option. Its promise is worded for this moment, for example with «hoy»."""
    if option.choice is None:
        note = _("La transportadora está tardando en responder. El precio exacto sale al pagar.")
        return ShippingCard(option.id, option.name, note, "", is_pickup=False)
    card, promise = shipping_card(option.choice, moment), option.choice.promise
    if promise is None:
        return card
    return replace(card, note=describe_choice_promise(option.choice, promise, moment))


def _count_valid_seconds(options: list[ShippingEstimate], moment: datetime) -> int:
    promises = [option.choice.promise for option in options if option.choice is not None]
    left = [promise.pay_before - moment for promise in promises if promise is not None]
    return ceil(min(left).total_seconds()) if left else 0


@dataclass(frozen=True, slots=True)
class PlaceView:
    """State of the estimate box in the browser, and React props of its elements.

    Attributes:
        code: code of the stored municipality; empty if none is stored, or while the customer types another.
        name: name of the stored municipality, without its department; empty if none is stored.
        is_current: True if the answer belongs to the current request.
        field: React props of the input.
        town: function that returns the React props of a municipality's option.
        retry: React props of the button that tries again.
    """

    code: str
    name: str
    is_current: bool
    field: Any
    town: Any
    retry: Any


PLACE = view(SCRIPT, "usePlace", PlaceView)
"""State of the enclosing `EstimateBox`."""


def on_question(question: rx.Var[str], dane_code: rx.Var[str], item_id: rx.Var[str]) -> list[rx.Var[str]]:
    """Declare the arguments of the event that requests an estimate."""
    return [question, dane_code, item_id]


class EstimateBox(rx.Component):
    """A wrapper that stores the chosen municipality.

    It requests an estimate when the municipality or `version` changes, and after `valid_seconds`.

    See `assets/scripts/estimate.jsx`.
    """

    library = SCRIPT
    tag = "EstimateBox"
    item_id: rx.Var[str]
    version: rx.Var[str]
    answered: rx.Var[str]
    valid_seconds: rx.Var[int]
    on_ask: rx.EventHandler[on_question]  # type: ignore[type-arg, valid-type]


def shipping_estimate(item_id: rx.Var[str] | str, version: rx.Var[Any]) -> rx.Component:
    """Build the box that estimates the shipping. It is one line until it is opened.

    Args:
        item_id: a variant's id, `WHOLE_CART`, or empty for no estimate.
        version: a value that changes when the price may have changed.
    """
    return EstimateBox.create(
        rx.el.details(
            estimate_line(),
            town_field(
                _("Municipio"),
                EstimateState.towns,
                EstimateState.towns_for,
                EstimateState.find_towns,
                estimate_towns(),
                element_id="envio-municipio",
                problem=rx.Var.create(""),
                is_picked=PLACE.code != "",
                special_props=[PLACE.field],
            ),
            estimate_result(),
            class_name="estimate",
            data_testid="shipping-estimate",
        ),
        item_id=item_id,
        version=version.to(str),
        answered=EstimateState.estimate.question,
        valid_seconds=EstimateState.estimate.valid_seconds,
        on_ask=EstimateState.estimate_shipping,
    )


@rx.memo
def estimate_line() -> rx.Component:
    """Build the line that opens the box: a question, or the stored municipality and its first option.

    The price and the promised day of the option are displayed.
    """
    options = EstimateState.estimate.options
    bone = rx.el.span(class_name="bone estimate__bone", aria_hidden="true")
    promise = rx.cond(
        PLACE.code == "",
        _("Mira el precio y el día de llegada."),
        rx.cond(PLACE.is_current, rx.cond(options.length() > 0, options[0].note, ""), bone),
    )
    price = rx.cond(
        PLACE.is_current & (options.length() > 0),
        rx.el.span(options[0].price, class_name="estimate__price", data_testid="estimate-price"),
        rx.cond(PLACE.is_current, rx.fragment(), bone),
    )
    return rx.el.summary(
        icon("truck", size=22),
        rx.el.h2(
            rx.cond(
                PLACE.name != "",
                rx.fragment(rx.el.span(_("Envío a"), " ", class_name="estimate__to"), PLACE.name),
                _("¿Cuánto cuesta el envío?"),
            ),
            class_name="estimate__title",
            data_town=rx.cond(PLACE.name != "", "true", ABSENT),
        ),
        rx.cond(PLACE.code != "", price),
        icon("down", size=18),
        rx.el.span(promise, class_name="estimate__promise", data_testid="estimate-promise"),
        class_name="estimate__line",
    )


@rx.memo
def estimate_towns() -> rx.Component:
    """Build the list of municipalities."""
    return town_panel(EstimateState.towns, lambda town: {"special_props": [props(PLACE.town, town)]})


@rx.memo
def estimate_result() -> rx.Component:
    """Build the estimated shipping options, a skeleton or an error message.

    The box is always at least as high as two options, so that the page does not move.
    """
    estimate = EstimateState.estimate
    again = rx.el.button(
        _("Intentar de nuevo"),
        type="button",
        class_name="button button--quiet button--small",
        special_props=[PLACE.retry],
    )

    def failure(text: str) -> rx.Component:
        return rx.el.div(rx.el.p(text), again, class_name="estimate__none")

    bones = [
        rx.el.li(rx.el.span(class_name="bone estimate__bone"), class_name="estimate__way", aria_hidden="true")
        for _way in range(2)
    ]
    return rx.el.div(
        rx.cond(
            PLACE.code == "",
            rx.el.p(
                _("Elige tu municipio y aquí verás el precio y el día de llegada."),
                class_name="estimate__none",
            ),
            rx.cond(
                ~PLACE.is_current.to(bool),
                rx.fragment(
                    rx.el.p(_("Preguntando a la transportadora…"), class_name="sr-only"),
                    rx.el.ul(*bones, class_name="estimate__ways"),
                ),
                rx.match(
                    estimate.status,
                    (
                        "ready",
                        rx.cond(
                            estimate.options.length() > 0,
                            rx.el.ul(rx.foreach(estimate.options, option_row), class_name="estimate__ways"),
                            rx.el.p(
                                _(
                                    "Por ahora no tenemos envíos para este producto. Escríbenos y lo resolvemos."
                                ),
                                class_name="estimate__none",
                            ),
                        ),
                    ),
                    ("busy", failure(_("Has consultado muchas veces seguidas. Espera unos minutos."))),
                    failure(_("No pudimos calcular el envío.")),
                ),
            ),
        ),
        class_name="estimate__answer",
        custom_attrs={"aria-live": "polite"},
    )


def option_row(option: ObjectVar[ShippingCard]) -> rx.Component:
    """Build a shipping option."""
    return rx.el.li(
        icon(rx.cond(option.is_pickup, "store", "truck"), size=22),
        rx.el.span(
            rx.el.b(option.name),
            rx.el.span(option.note, class_name="estimate__note"),
            class_name="estimate__words",
        ),
        rx.el.span(option.price, class_name="estimate__price"),
        class_name="estimate__way",
        key=option.id,
        data_testid="estimate-way",
    )
