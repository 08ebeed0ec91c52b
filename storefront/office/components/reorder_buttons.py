"""Buttons of rows in an order that can be changed: see `storefront.office.react_components.Ordered`."""

from typing import Any

import reflex as rx

from storefront.office.icons import icon


def move(step: int, label: str) -> rx.Component:
    """Puts a row so many places on: 1, or -1."""
    return rx.el.button(
        icon("left" if step < 0 else "right", size=18),
        type="button",
        data_moves=str(step),
        aria_label=label,
        class_name="o-toy__button",
    )


def drop(label: Any) -> rx.Component:
    """Takes a row away."""
    return rx.el.button(
        icon("close", size=18), type="button", data_drops="", aria_label=label, class_name="o-toy__button"
    )


def add(label: str) -> rx.Component:
    """Adds a row, a blank one."""
    return rx.el.button(icon("plus", size=18), label, type="button", data_adds="", class_name="o-disclosure")
