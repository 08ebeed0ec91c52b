"""What the browser keeps of the checkout: see `assets/scripts/checkout.jsx`."""

from dataclasses import dataclass
from typing import Any

import reflex as rx

from backend.storefront_views.account_page import AddressView
from storefront.components.forms import field
from storefront.pages.checkout.fields import LABELS
from storefront.pages.checkout.state import CheckoutState
from storefront.pages.checkout.views import Answer, Shipping
from storefront.reflex_ext.hooks import ABSENT, function, lasting, props, script, text_at, view
from storefront.state.cart import CartState

SCRIPT = script("checkout")


@dataclass(frozen=True, slots=True)
class Form:
    """What is typed, and how far the purchase is.

    `chosen` is the way to ship. `is_pricing`: its price is on its way, since long if `is_slow`; `is_waiting`: no price
    stands meanwhile. `has_price`: there is one, of just what the form says. `failure` is what the last press of the
    button came to, none while there is nothing to tell. Properties: `form` of the form itself, in which Enter goes from
    field to field, and a vain try to what is to be done; `unfolding` of the button that shows the purchase on phones.
    """

    typed: dict[str, str]
    chosen: str
    is_priced: bool
    is_pricing: bool
    is_slow: bool
    is_waiting: bool
    has_price: bool
    is_placing: bool
    failure: Answer | None
    ship: Any
    control: Any
    choice: Any
    tick: Any
    town: Any
    address: Any
    form: Any
    unfolding: Any


FORM = view(SCRIPT, "useForm", Form)
IS_FREE = CartState.cart.is_free
BOOK = lasting(CheckoutState.book, CheckoutState.book.length() > 0)
"""The customer's addresses."""
GO_TO_FIELD = function(SCRIPT, "goToField")
LIVE = rx.cond(FORM.failure, "off", "polite")
"""After a vain try to pay, the list over the button says all problems at once."""


def typed(name: str) -> rx.Var[str]:
    """What stands in a field."""
    return text_at(FORM.typed, name)


def problem_at(name: str) -> rx.Var[str]:
    """What is wrong with a field."""
    return text_at(CheckoutState.problems, name)


def field_id(name: str) -> str:
    """The id of a field's element."""
    return f"campo-{name.replace('_', '-')}"


def control(name: str) -> list[rx.Var[Any]]:
    """What makes an element the one that a text is typed into, or chosen from."""
    return [props(FORM.control, name)]


def choice(
    name: str, value: Any, *, is_chosen: rx.Var[bool] | None = None, also: dict[str, str] | None = None
) -> list[rx.Var[Any]]:
    """What makes an input a radio button.

    Args:
        name: its field.
        value: what is chosen with it.
        is_chosen: whether it is, where the field does not tell.
        also: other fields that change with it.
    """
    return [props(FORM.choice, name, value, ABSENT if is_chosen is None else is_chosen, also or {})]


def tick(name: str) -> list[rx.Var[Any]]:
    """What makes an input the box of a field."""
    return [props(FORM.tick, name)]


def line(name: str, hint: str = "", *, is_optional: bool = False, **more: Any) -> rx.Component:
    """A line to write on."""
    return field(
        name,
        LABELS[name],
        element_id=field_id(name),
        problem=problem_at(name),
        hint=hint,
        is_optional=is_optional,
        live=LIVE,
        enter_key_hint="next",
        special_props=control(name),
        **more,
    )


def on_note(values: rx.Var[Any], reached: rx.Var[Any], number: rx.Var[Any]) -> list[rx.Var[Any]]:
    """What is typed, the fields that were reached, and the number of this note."""
    return [values, reached, number]


def on_ship(dane_code: rx.Var[Any], address: rx.Var[Any], option_id: rx.Var[Any]) -> list[rx.Var[Any]]:
    """A place, and a way to ship to it."""
    return [dane_code, address, option_id]


def on_place(values: rx.Var[Any], total: rx.Var[Any]) -> list[rx.Var[Any]]:
    """What is typed, and the total that the shopper sees."""
    return [values, total]


class Departure(rx.Component):
    """Leaves for the bank once the order is placed, whatever the page shows by then."""

    library = SCRIPT
    tag = "Departure"
    answer: rx.Var[Answer]


class Checkout(rx.Component):
    """Holds what is typed, around the form and the purchase."""

    library = SCRIPT
    tag = "Checkout"
    cart: rx.Var[str]
    total: rx.Var[int]
    draft: rx.Var[dict[str, str]]
    loaded_at: rx.Var[int]
    noted: rx.Var[int]
    shipping: rx.Var[Shipping]
    answer: rx.Var[Answer]
    interrupted: rx.Var[str]
    book: rx.Var[list[AddressView]]
    where: rx.Var[list[str]]
    who: rx.Var[list[str]]
    fields: rx.Var[list[str]]
    on_note: rx.EventHandler[on_note]  # type: ignore[type-arg, valid-type]
    on_ship: rx.EventHandler[on_ship]  # type: ignore[type-arg, valid-type]
    on_place: rx.EventHandler[on_place]  # type: ignore[type-arg, valid-type]
