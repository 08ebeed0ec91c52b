"""The pickers of a product's options: what there is of each value, at which price, and what is chosen."""

from dataclasses import dataclass
from typing import Any

import reflex as rx
from reflex.vars import ArrayVar, FunctionVar, NumberVar, ObjectVar

from backend.catalog.views import OptionView, VariantView
from backend.core.texts import _
from storefront.reflex_ext.hooks import props, script, view

SCRIPT = script("variants")
FEW_UNITS = 5


@dataclass(frozen=True, slots=True)
class ShownChoice:
    """The variant that is chosen, and how others are.

    Attributes:
        shown: the chosen variant; of a combination that does not exist, nothing that could be bought.
        is_missing: there is no such combination.
        named: what names it in the query of an address; empty for the one that is meant where an address names none.
        picked: the chosen value of each option.
        choice: of an option's place and a value, a `Choice`.
        radio: of both, the properties of its radio button.
    """

    shown: VariantView
    is_missing: bool
    named: str
    picked: list[str]
    choice: Any
    radio: Any


@dataclass(frozen=True, slots=True)
class Choice:
    """What choosing a value leads to: `kind` is `ready`, `out` (sold out) or `missing`.

    `price` is empty where all prices are alike.
    """

    kind: str
    stock: int
    price: str


CHOSEN = view(SCRIPT, "useVariant", ShownChoice)
"""Of the `VariantChoice` around the markup."""
SHOWN = CHOSEN.shown


class VariantChoice(rx.Component):
    """Holds which variant is chosen, around everything that shows or changes it: see `assets/scripts/variants.jsx`."""

    library = SCRIPT
    tag = "VariantChoice"
    options: rx.Var[list[OptionView]]
    variants: rx.Var[list[VariantView]]
    first: rx.Var[str]
    otherwise: rx.Var[str]


def note(choice: ObjectVar[Choice]) -> rx.Component:
    """What is said below a value."""
    few = (choice.stock.to(int) <= FEW_UNITS) & (choice.kind == "ready")
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
    """One group of radio buttons for each option."""

    def button(value: rx.Var[str], place: NumberVar[int]) -> rx.Component:
        choice = CHOSEN.choice.to(FunctionVar).call(place, value).to(ObjectVar, Choice)
        return rx.el.label(
            rx.el.input(special_props=[props(CHOSEN.radio, place, value)]),
            rx.el.span(value, class_name="choice__value"),
            note(choice),
            class_name="choice",
            data_kind=choice.kind,
            data_testid="variant-option",
            key=value,
        )

    def group(option: ObjectVar[OptionView], place: NumberVar[int]) -> rx.Component:
        return rx.el.fieldset(
            rx.el.legend(
                option.title,
                ": ",
                rx.el.strong(CHOSEN.picked.to(list[str])[place]),
                class_name="option__title",
            ),
            rx.el.div(
                rx.foreach(option.choices, lambda value: button(value, place)), class_name="option__values"
            ),
            class_name="option",
            key=option.title,
        )

    return rx.cond(options.length() > 0, rx.el.div(rx.foreach(options, group), class_name="options"))
