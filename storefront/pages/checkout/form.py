"""The part of the checkout's form that works in the browser: see `assets/scripts/checkout.jsx`."""

from dataclasses import dataclass
from typing import Any

import reflex as rx
from reflex.vars import ObjectVar, StringVar

from backend.checkout.form import PAYMENT_PROVIDER
from backend.core.config.modules import GATEWAY_PSE
from backend.legal.consents import TICKED
from backend.storefront_views.account_page import AddressView
from storefront.components.forms import field
from storefront.pages.checkout.fields import LABELS
from storefront.pages.checkout.state import CheckoutState
from storefront.pages.checkout.views import PaymentField, PlacingResult, Shipping
from storefront.reflex_ext.hooks import ABSENT, function, last_known, props, script, text_at, view
from storefront.state.cart import CartState

SCRIPT = script("checkout")


@dataclass(frozen=True, slots=True)
class FormView:
    """State of the checkout's form in the browser, and React props of its elements.

    Attributes:
        typed: the typed values, by field name.
        chosen: id of the chosen shipping option.
        is_priced: True if the shipping options are priced for the current values.
        is_pricing: True while the price of the chosen option is being calculated.
        is_slow: True if this calculation takes long.
        is_waiting: True if none of the options has a valid price yet, for example after a change of municipality.
        has_price: True if the price of the chosen option is known.
        is_placing: True while the order is being placed.
        failure: the result of a failed attempt to place the order, or None.
        form: React props of the form. Enter moves to the next field; a failed attempt focuses the first invalid
            field.
        unfold_button: React props of the button that expands the order summary on phones.
    """

    typed: dict[str, str]
    chosen: str
    is_priced: bool
    is_pricing: bool
    is_slow: bool
    is_waiting: bool
    has_price: bool
    is_placing: bool
    failure: PlacingResult | None
    quote_shipping: Any
    control: Any
    choice: Any
    checkbox: Any
    suggestion: Any
    town: Any
    address: Any
    form: Any
    unfold_button: Any


FORM = view(SCRIPT, "useForm", FormView)
IS_FREE = CartState.cart.is_free
PAYMENT = CheckoutState.payment
CHOSEN_METHOD = rx.cond(
    text_at(FORM.typed, PAYMENT_PROVIDER), text_at(FORM.typed, PAYMENT_PROVIDER), GATEWAY_PSE
).to(str)
"""Id of the chosen payment provider."""
BOOK = last_known(CheckoutState.book, CheckoutState.book.length() > 0)
"""The customer's addresses."""
GO_TO_FIELD = function(SCRIPT, "goToField")
LIVE = rx.cond(FORM.failure, "off", "polite")
"""`aria-live` of the fields: off after a failed attempt, as the list above the button then announces all problems."""


def typed_text(name: str | rx.Var[str]) -> rx.Var[str]:
    """Return the typed text of a field."""
    return text_at(FORM.typed, name)


def problem_text(name: str | rx.Var[str]) -> rx.Var[str]:
    """Return the problem of a field."""
    return text_at(CheckoutState.problems, name)


def field_id(name: str) -> str:
    """Return the element id of a field."""
    return f"campo-{name.replace('_', '-')}"


def provider_field_id(one: ObjectVar[PaymentField]) -> rx.Var[str]:
    """Return the element id of a field that a payment provider adds."""
    return ("campo-" + one.name.to(StringVar)).to(str)


def control_props(name: str | rx.Var[str]) -> list[rx.Var[Any]]:
    """Return the React props that connect an input or select element to a field."""
    return [props(FORM.control, name)]


def radio_props(
    name: str, value: Any, *, is_chosen: rx.Var[bool] | None = None, also: dict[str, str] | None = None
) -> list[rx.Var[Any]]:
    """Return the React props that connect a radio button to a field.

    Args:
        name: the field.
        value: the value of this button.
        is_chosen: True if the button is chosen. None: it is chosen if the field has its value.
        also: values of other fields that this button sets, by field name.
    """
    return [props(FORM.choice, name, value, ABSENT if is_chosen is None else is_chosen, also or {})]


def checkbox_props(
    name: str, on: str = TICKED, off: str = "", also: dict[str, dict[str, str]] | None = None
) -> list[rx.Var[Any]]:
    """Return the React props that connect a checkbox to a field.

    Args:
        name: the field.
        on: its value when ticked.
        off: its value when not ticked.
        also: values that a click sets in other fields, by this field's new value (`on` or `off`) and field name.
    """
    return [props(FORM.checkbox, name, on, off, also or {})]


def text_line(
    name: str,
    hint: str = "",
    *extra: rx.Component,
    label: str = "",
    is_optional: bool = False,
    **more: Any,
) -> rx.Component:
    """Build a text field of the form. `extra` is displayed below the field; `label` replaces its usual label."""
    return field(
        name,
        label or LABELS[name],
        *extra,
        element_id=field_id(name),
        problem=problem_text(name),
        hint=hint,
        is_optional=is_optional,
        live=LIVE,
        enter_key_hint="next",
        special_props=control_props(name),
        **more,
    )


def letter_counter(name: str, max_count: int) -> rx.Component:
    """Build the counter of a field's characters. Screen readers get the limit from the field's hint instead."""
    text = typed_text(name)
    count = rx.cond(text, text.to(StringVar).length(), 0)
    return rx.el.p(
        count,
        f"/{max_count}",
        class_name="field__count",
        aria_hidden="true",
        data_over=rx.cond(count > max_count, "true", ABSENT),
        data_testid=f"count-{name}",
    )


def on_note(values: rx.Var[Any], reached: rx.Var[Any], number: rx.Var[Any]) -> list[rx.Var[Any]]:
    """Declare the arguments of `save_note`: typed values, fields reached so far, and number of the note."""
    return [values, reached, number]


def on_ship(dane_code: rx.Var[Any], address: rx.Var[Any], option_id: rx.Var[Any]) -> list[rx.Var[Any]]:
    """Declare the arguments of `price_shipping`: municipality, address and shipping option."""
    return [dane_code, address, option_id]


def on_place(values: rx.Var[Any], total: rx.Var[Any], day: rx.Var[Any]) -> list[rx.Var[Any]]:
    """Declare the arguments of `place_order`: typed values, displayed total and displayed day of delivery."""
    return [values, total, day]


class Departure(rx.Component):
    """A component that opens the bank's page when the order is placed, whatever the page displays at that time."""

    library = SCRIPT
    tag = "Departure"
    answer: rx.Var[PlacingResult]


class Checkout(rx.Component):
    """A wrapper of the form and the order summary. It stores the typed values in the browser."""

    library = SCRIPT
    tag = "Checkout"
    cart: rx.Var[str]
    total: rx.Var[int]
    draft: rx.Var[dict[str, str]]
    loaded_at: rx.Var[int]
    noted: rx.Var[int]
    shipping: rx.Var[Shipping]
    answer: rx.Var[PlacingResult]
    interrupted_text: rx.Var[str]
    book: rx.Var[list[AddressView]]
    address_fields: rx.Var[list[str]]
    name_fields: rx.Var[list[str]]
    fields: rx.Var[list[str]]
    on_note: rx.EventHandler[on_note]  # type: ignore[type-arg, valid-type]
    on_ship: rx.EventHandler[on_ship]  # type: ignore[type-arg, valid-type]
    on_place: rx.EventHandler[on_place]  # type: ignore[type-arg, valid-type]
