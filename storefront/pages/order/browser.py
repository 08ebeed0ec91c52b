"""The order page's parts that live in the browser: see `assets/scripts/order.jsx`."""

from typing import Any

import reflex as rx

from storefront.components.browser import Texts

SCRIPT = "$/public/scripts/order.jsx"


def on_press() -> list[rx.Var[Any]]:
    """An event without a value."""
    return []


class OrderWatch(rx.Component):
    """Asks how the order stands: often while the bank decides (`bank`), seldom while it travels (`road`)."""

    library = SCRIPT
    tag = "OrderWatch"
    pace: rx.Var[str]
    on_ask: rx.EventHandler[on_press]  # type: ignore[type-arg, valid-type]


class PrintButton(rx.Component):
    """Prints the page."""

    library = SCRIPT
    tag = "PrintButton"
    label: rx.Var[str]


class TryAgain(rx.Component):
    """Brings the cart of a lost order back."""

    library = SCRIPT
    tag = "TryAgain"
    answers: rx.Var[int]
    texts: rx.Var[Texts]
    on_try: rx.EventHandler[on_press]  # type: ignore[type-arg, valid-type]
