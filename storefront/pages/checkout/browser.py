"""The checkout's parts that live in the browser: see `assets/scripts/checkout-form.jsx` and `checkout-fields.jsx`."""

from typing import Any

import reflex as rx

from backend.checkout.account_page import AddressView
from storefront.components.browser import Texts, on_nothing, on_text
from storefront.pages.checkout.views import Answer, Choice, Shipping, Town

FORM = "$/public/scripts/checkout-form.jsx"
FIELDS = "$/public/scripts/checkout-fields.jsx"
Options = list[dict[str, str]]


def on_note(values: rx.Var[Any], reached: rx.Var[Any], number: rx.Var[Any]) -> list[rx.Var[Any]]:
    """What is typed, the fields that were reached, and the number of this note."""
    return [values, reached, number]


def on_ship(dane_code: rx.Var[Any], address: rx.Var[Any], option_id: rx.Var[Any]) -> list[rx.Var[Any]]:
    """A place, and a way to ship to it."""
    return [dane_code, address, option_id]


def on_place(values: rx.Var[Any], total: rx.Var[Any]) -> list[rx.Var[Any]]:
    """What is typed, and the total that the shopper sees."""
    return [values, total]


class Stages(rx.Component):
    """Shows the stage that the purchase is in; keeps showing it while a new connection does not know it yet."""

    library = FORM
    tag = "Stages"
    now: rx.Var[str]


class Stage(rx.Component):
    """Shows its children in this stage."""

    library = FORM
    tag = "Stage"
    name: rx.Var[str]


class Checkout(rx.Component):
    """Holds what is typed, around the form and the purchase."""

    library = FORM
    tag = "Checkout"
    cart: rx.Var[str]
    total: rx.Var[int]
    total_label: rx.Var[str]
    draft: rx.Var[dict[str, str]]
    loaded_at: rx.Var[int]
    noted: rx.Var[int]
    problems: rx.Var[dict[str, str]]
    shipping: rx.Var[Shipping]
    answer: rx.Var[Answer]
    is_payable: rx.Var[bool]
    texts: rx.Var[dict[str, Any]]
    on_note: rx.EventHandler[on_note]  # type: ignore[type-arg, valid-type]
    on_ship: rx.EventHandler[on_ship]  # type: ignore[type-arg, valid-type]
    on_place: rx.EventHandler[on_place]  # type: ignore[type-arg, valid-type]
    on_stale: rx.EventHandler[on_nothing]  # type: ignore[type-arg, valid-type]


class CheckoutForm(rx.Component):
    """The form, with its button at the end."""

    library = FORM
    tag = "CheckoutForm"


class Fold(rx.Component):
    """The purchase, folded away on phones."""

    library = FORM
    tag = "Fold"
    label: rx.Var[str]
    amount: rx.Var[Any]


class Amount(rx.Component):
    """An amount that shipping is part of."""

    library = FORM
    tag = "Amount"
    text: rx.Var[str]
    otherwise: rx.Var[str]


class Field(rx.Component):
    """A line to write on."""

    library = FIELDS
    tag = "Field"
    name: rx.Var[str]
    type: rx.Var[str]
    label: rx.Var[str]
    hint: rx.Var[str]
    optional: rx.Var[str]
    placeholder: rx.Var[str]
    auto_complete: rx.Var[str]
    input_mode: rx.Var[str]
    auto_capitalize: rx.Var[str]


class SelectField(rx.Component):
    """A list to choose from."""

    library = FIELDS
    tag = "SelectField"
    name: rx.Var[str]
    label: rx.Var[str]
    hint: rx.Var[str]
    placeholder: rx.Var[str]
    options: rx.Var[list[Choice]]
    test_id: rx.Var[str]


class PersonCards(rx.Component):
    """Who pays: a person or a company."""

    library = FIELDS
    tag = "PersonCards"
    label: rx.Var[str]
    options: rx.Var[Options]
    documents: rx.Var[dict[str, Options]]


class DocumentField(rx.Component):
    """The documents that who pays may have."""

    library = FIELDS
    tag = "DocumentField"
    label: rx.Var[str]
    placeholder: rx.Var[str]
    documents: rx.Var[dict[str, Options]]


class DocumentNumber(rx.Component):
    """The number of the document."""

    library = FIELDS
    tag = "DocumentNumber"
    label: rx.Var[str]
    hint: rx.Var[str]
    auto_complete: rx.Var[str]


class SavedAddresses(rx.Component):
    """The customer's addresses to choose from. Nothing for whoever has none."""

    library = FIELDS
    tag = "SavedAddresses"
    label: rx.Var[str]
    other: rx.Var[str]
    book: rx.Var[list[AddressView]]


class TownField(rx.Component):
    """The municipality, searched for and picked from the list."""

    library = FIELDS
    tag = "TownField"
    label: rx.Var[str]
    hint: rx.Var[str]
    texts: rx.Var[Texts]
    towns: rx.Var[list[Town]]
    answered: rx.Var[str]
    on_find: rx.EventHandler[on_text]  # type: ignore[type-arg, valid-type]


class ShippingChoices(rx.Component):
    """The ways to ship, with their prices."""

    library = FIELDS
    tag = "ShippingChoices"
    label: rx.Var[str]
    texts: rx.Var[Texts]
