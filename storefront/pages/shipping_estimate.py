"""What shipping costs and when it arrives, before the checkout: a box on the product's page and on the cart's.

Which municipality it is for is kept by the browser alone, for the next time: see `assets/scripts/estimate.jsx`.
"""

import logging
from dataclasses import dataclass, field, replace
from typing import Any

import reflex as rx
from reflex.vars import ObjectVar

from backend.app import current_shop
from backend.checkout.shipping_estimates import EstimatedWay
from backend.core.dates import day_name
from backend.core.errors import ShopError, TooManyRequests
from backend.core.outage import DatabaseUnavailable
from backend.core.texts import _
from backend.rate_limit.limiter import Client
from backend.shipping.municipalities import search_municipalities
from storefront.components.forms import LONGEST, Town, town_field, town_panel, town_view
from storefront.components.icons import icon
from storefront.pages.checkout.views import ShippingCard, shipping_card
from storefront.reflex_ext.hooks import props, script, view
from storefront.state.cart import CartState
from storefront.state.frame import errors_as_notices
from storefront.state.handlers import checked_id, checked_text, event
from storefront.state.session import client_of, usable_by

log = logging.getLogger(__name__)

SCRIPT = script("estimate")
PAUSE_MS = 150
CART = "cart"
"""What is asked about where it is no variant."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """What came of a question: `asked` names it. `status`: `ready`, `busy` (asked too often) or `failed`."""

    asked: str = ""
    status: str = ""
    ways: list[ShippingCard] = field(default_factory=list)


class EstimateState(rx.State):
    """The last estimate of this page, and the municipalities that what is typed may mean."""

    towns: rx.Field[list[Town]] = rx.field(default_factory=list)
    towns_for: rx.Field[str] = rx.field("")
    estimate: rx.Field[Estimate] = rx.field(default_factory=Estimate)

    @event(supersedes=True, debounce=PAUSE_MS)
    async def find_towns(self, text: str) -> None:
        """The municipalities that what is typed may mean."""
        async with errors_as_notices(self):
            text = checked_text(text, LONGEST)
            self.towns = [town_view(town) for town in search_municipalities(text)]
            self.towns_for = text

    @event(background=True, supersedes=True)
    async def ask(self, asked: str, dane_code: str, thing: str) -> None:
        """Price a variant, or the browser's own cart, to this municipality. `asked` is given back with the answer."""
        estimate = Estimate(status="failed")
        try:
            asked, thing = checked_text(asked, LONGEST), checked_id(thing)
            estimate = replace(estimate, asked=asked)
            ways = await self._ways(checked_id(dane_code), thing)
            estimate = Estimate(asked, "ready", [way_card(way) for way in ways])
        except TooManyRequests:
            estimate = replace(estimate, status="busy")
        except ShopError as error:
            log.info("shipping could not be estimated: %s", error.message)
        except DatabaseUnavailable:
            pass  # an outage is told once, not by every page
        except Exception:
            log.exception("shipping could not be estimated")
        async with self:
            self.estimate = estimate

    async def _ways(self, dane_code: str, thing: str) -> list[EstimatedWay]:
        shop = current_shop()
        async with self:
            client = Client.at(client_of(self), shop.settings)
            cart_id = (await self.get_state(CartState)).cart_id
            cart_id = await usable_by(self, cart_id) if thing == CART else ""
        if thing == CART:
            return await shop.estimates.of_cart(cart_id, dane_code, client)
        return await shop.estimates.of_variant(thing, dane_code, client)


def way_card(way: EstimatedWay) -> ShippingCard:
    """A way to ship in words, with the day of its arrival where that is known."""
    if way.choice is None:
        note = _("La transportadora está tardando en responder. El precio exacto sale al pagar.")
        return ShippingCard(way.id, way.name, note, "", is_pickup=False)
    card = shipping_card(way.choice)
    if way.arrives is None:
        return card
    return replace(card, note=_("Llega hacia el {day}.").format(day=day_name(way.arrives)))


@dataclass(frozen=True, slots=True)
class Place:
    """The municipality that the browser keeps, how the question stands, and properties of what asks.

    `is_current`: the answer is to what is asked now. Properties: `field` of the input, `town` of an option,
    and `again` of the button that asks once more.
    """

    code: str
    is_current: bool
    field: Any
    town: Any
    again: Any


PLACE = view(SCRIPT, "usePlace", Place)
"""Of the `EstimateBox` around the markup."""


def on_question(asked: rx.Var[str], dane_code: rx.Var[str], thing: rx.Var[str]) -> list[rx.Var[str]]:
    """An event that asks for an estimate."""
    return [asked, dane_code, thing]


class EstimateBox(rx.Component):
    """Holds the municipality and asks, whenever it or `version` changes: see `assets/scripts/estimate.jsx`."""

    library = SCRIPT
    tag = "EstimateBox"
    thing: rx.Var[str]
    version: rx.Var[str]
    answered: rx.Var[str]
    on_ask: rx.EventHandler[on_question]  # type: ignore[type-arg, valid-type]


def shipping_estimate(thing: rx.Var[str] | str, version: rx.Var[Any]) -> rx.Component:
    """The box.

    Args:
        thing: a variant's id, `CART`, or nothing to ask about.
        version: what changes whenever the price may be another.
    """
    return EstimateBox.create(
        rx.el.section(
            rx.el.h2(icon("truck", size=22), _("¿Cuánto cuesta el envío?"), class_name="estimate__title"),
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
            answer(),
            class_name="estimate",
            data_testid="shipping-estimate",
        ),
        thing=thing,
        version=version.to(str),
        answered=EstimateState.estimate.asked,
        on_ask=EstimateState.ask,
    )


@rx.memo
def estimate_towns() -> rx.Component:
    """The municipalities to pick from."""
    return town_panel(EstimateState.towns, lambda town: {"special_props": [props(PLACE.town, town)]})


@rx.memo
def answer() -> rx.Component:
    """The ways to ship, what is waited for, or why there is nothing. Its height is that of two ways from the start."""
    estimate = EstimateState.estimate
    again = rx.el.button(
        _("Intentar de nuevo"),
        type="button",
        class_name="button button--quiet button--small",
        special_props=[PLACE.again],
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
                            estimate.ways.length() > 0,
                            rx.el.ul(rx.foreach(estimate.ways, way_row), class_name="estimate__ways"),
                            rx.el.p(
                                _(
                                    "Por ahora no tenemos envíos para este juguete. Escríbenos y lo resolvemos."
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


def way_row(way: ObjectVar[ShippingCard]) -> rx.Component:
    """A way to ship."""
    return rx.el.li(
        icon(rx.cond(way.is_pickup, "store", "truck"), size=22),
        rx.el.span(
            rx.el.b(way.name),
            rx.el.span(way.note, class_name="estimate__note"),
            class_name="estimate__words",
        ),
        rx.el.span(way.price, class_name="estimate__price"),
        class_name="estimate__way",
        key=way.id,
        data_testid="estimate-way",
    )
