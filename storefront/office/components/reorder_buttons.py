"""Buttons that move rows of a list up or down: see `storefront.office.react_components.ReorderableRows`."""

from typing import Any

import reflex as rx

from storefront.office.icons import icon


def move_button(step: int, label: str) -> rx.Component:
    """Render a button that moves a row by `step` places: 1 or -1."""
    return rx.el.button(
        icon("left" if step < 0 else "right", size=18),
        type="button",
        data_moves=str(step),
        aria_label=label,
        class_name="o-toy__button",
    )


def drop_button(label: Any) -> rx.Component:
    """Render a button that removes a row."""
    return rx.el.button(
        icon("close", size=18), type="button", data_drops="", aria_label=label, class_name="o-toy__button"
    )


def add_button(label: str) -> rx.Component:
    """Render a button that adds a blank row."""
    return rx.el.button(icon("plus", size=18), label, type="button", data_adds="", class_name="o-disclosure")
