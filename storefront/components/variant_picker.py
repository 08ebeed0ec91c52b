"""The pickers of a product's options: the stock and price of each value, and the current choice."""

from dataclasses import dataclass
from typing import Any

import reflex as rx
from reflex.vars import ArrayVar, FunctionVar, NumberVar, ObjectVar

from backend.catalog.views import OptionView, VariantView
from backend.core.texts import _
from storefront.reflex_ext.hooks import props, script, view

SCRIPT = script("variants")
LOW_STOCK_UNITS = 5


@dataclass(frozen=True, slots=True)
class ChosenVariant:
    """The chosen variant, and functions for the other values of the options.

    Attributes:
        shown: the chosen variant; if the combination of values does not exist, a placeholder that cannot be bought.
        picture: index of the picture that shows the customer's choice; -1 before a choice, and without such a picture.
        is_missing: True if the combination does not exist.
        query: query parameter that selects the variant in a URL; empty for the default variant.
        picked: the chosen value of each option.
        choice: function of an option's index and a value; returns a `Choice`.
        radio: function of the same arguments; returns the React props of the value's radio button.
    """

    shown: VariantView
    picture: int
    is_missing: bool
    query: str
    picked: list[str]
    choice: Any
    radio: Any


@dataclass(frozen=True, slots=True)
class Choice:
    """The variant that the customer would get by choosing a value.

    `kind` is `ready`, `out` (sold out) or `missing` (no such variant). `price` is empty if all variants have the
    same price.
    """

    kind: str
    stock: int
    price: str


CHOSEN = view(SCRIPT, "useVariant", ChosenVariant)
"""State of the enclosing `VariantChoice`."""
SHOWN_VARIANT = CHOSEN.shown


class VariantChoice(rx.Component):
    """A wrapper that provides the chosen variant to the elements inside it: see `assets/scripts/variants.jsx`."""

    library = SCRIPT
    tag = "VariantChoice"
    options: rx.Var[list[OptionView]]
    variants: rx.Var[list[VariantView]]
    default_id: rx.Var[str]
    missing_label: rx.Var[str]


def swatch(color: rx.Var[str]) -> rx.Component:
    """Build a chip of this colour. The colour's name must be next to it, because screen readers skip the chip."""
    return rx.el.span(
        class_name="swatch", aria_hidden="true", custom_attrs={"style": {"backgroundColor": color}}
    )


def choice_note(choice: ObjectVar[Choice]) -> rx.Component:
    """Build the note below an option's value: its price, or the reason why it cannot be bought.

    If few units are left, the note also has their number.
    """
    few = (choice.stock.to(int) <= LOW_STOCK_UNITS) & (choice.kind == "ready")
    left = rx.cond(choice.stock.to(int) == 1, _("Queda 1"), _("Quedan {n}").format(n=choice.stock))
    return rx.el.span(
        rx.match(
            choice.kind,
            ("missing", _("No existe")),
            ("out", _("Agotado")),
            choice.price,
        ),
        rx.cond(few, rx.el.span(left, class_name="choice__few")),
        class_name="choice__note",
    )


def option_pickers(options: ArrayVar[list[OptionView]]) -> rx.Component:
    """Build a group of radio buttons for each option."""

    def button(value: rx.Var[str], place: NumberVar[int], color: rx.Var[str]) -> rx.Component:
        choice = CHOSEN.choice.to(FunctionVar).call(place, value).to(ObjectVar, Choice)
        return rx.el.label(
            rx.el.input(special_props=[props(CHOSEN.radio, place, value)]),
            rx.el.span(rx.cond(color != "", swatch(color)), value, class_name="choice__value"),
            choice_note(choice),
            class_name="choice",
            data_kind=choice.kind,
            data_testid="variant-option",
            key=value,
        )

    def group(option: ObjectVar[OptionView], place: NumberVar[int]) -> rx.Component:
        colors = option.colors.to(ArrayVar, list[str])
        return rx.el.fieldset(
            rx.el.legend(
                option.title,
                ": ",
                rx.el.strong(CHOSEN.picked.to(list[str])[place]),
                class_name="option__title",
            ),
            rx.el.div(
                rx.foreach(option.choices, lambda value, number: button(value, place, colors[number])),
                class_name="option__values",
            ),
            class_name="option",
            key=option.title,
        )

    return rx.cond(options.length() > 0, rx.el.div(rx.foreach(options, group), class_name="options"))
