"""The buttons that change the quantity of a line: of a sale in progress, or of an edited order."""

from typing import Any

import reflex as rx

from backend.core.texts import _


def unit_steps(
    line: Any, set_quantity: Any, *more: rx.Component, is_minimum: Any = False, is_maximum: Any = False
) -> rx.Component:
    """Render the quantity of a line between the buttons that remove and add one unit, and then `more`.

    Args:
        line: the line, with `id`, `title` and `quantity`.
        set_quantity: the event handler that sets the quantity of the line with this id.
        more: further components of the line.
        is_minimum: True to disable the button that removes a unit.
        is_maximum: True to disable the button that adds a unit.
    """

    def step(text: str, label: str, quantity: Any, is_disabled: Any) -> rx.Component:
        return rx.el.button(
            text,
            type="button",
            disabled=is_disabled,
            aria_label=label.format(toy=line.title),
            class_name="o-sell__step",
            on_click=set_quantity(line.id, quantity),
        )

    return rx.el.div(
        step("−", _("Quitar una de {toy}"), line.quantity - 1, is_minimum),
        rx.el.span(line.quantity, class_name="o-sell__count"),
        step("+", _("Agregar una de {toy}"), line.quantity + 1, is_maximum),
        *more,
        class_name="o-sell__steps",
    )
