"""The parts that live in the browser: small React components in `assets/scripts`, with their properties named here.

They hold what must not wait for the network (which slide, which picture, what is typed, what is wished for) and tell
the state the rest through events.
"""

from dataclasses import dataclass
from typing import Any

import reflex as rx

from storefront.components.icons import icon
from storefront.reflex_ext.hooks import script, view

SLIDES_SCRIPT = script("slides")
CART_SCRIPT = script("cart")


def on_nothing() -> list[rx.Var[Any]]:
    """An event that carries nothing."""
    return []


def on_text(text: rx.Var[str]) -> list[rx.Var[str]]:
    """An event that carries a text."""
    return [text]


def on_amount(thing: rx.Var[str], amount: rx.Var[int]) -> list[rx.Var[Any]]:
    """An event that carries an id and a number of units."""
    return [thing, amount]


def on_value(value: rx.Var[Any]) -> list[rx.Var[Any]]:
    """An event that carries one value."""
    return [value]


class Dialog(rx.Component):
    """What lies over the page, opened by anything with `data-opens="<name>"`: see `assets/scripts/dialog.jsx`."""

    library = script("dialog")
    tag = "Dialog"
    name: rx.Var[str]


def sheet(content: rx.Component, *, name: str, label: str, close_label: str, side: str) -> rx.Component:
    """A panel at a side of the page.

    Args:
        content: what is in it.
        name: what opens it: anything with `data-opens="<name>"`.
        label: its title.
        close_label: what its button to close it is called.
        side: where it slides in: `left`, `right` or `bottom`.
    """
    title = f"{name}-sheet"
    close = rx.el.button(
        icon("close"), type="button", class_name="icon-button", aria_label=close_label, data_closes=""
    )
    return Dialog.create(
        rx.el.div(
            rx.el.div(
                rx.el.h2(label, id=rx.Var.create(title), class_name="sheet__title"),
                close,
                class_name="sheet__head",
            ),
            content,
            class_name="sheet__body",
        ),
        name=name,
        class_name=f"sheet sheet--{side}",
        aria_labelledby=title,
    )


class Slides(rx.Component):
    """Slides side by side, of which one is in view; `every` (ms) they go on by themselves, unless it is 0."""

    library = SLIDES_SCRIPT
    tag = "Slides"
    count: rx.Var[int]
    every: rx.Var[int]


@dataclass(frozen=True, slots=True)
class ShownSlides:
    """How slides stand, and properties: of their track, of a mark that leads to one by its place, of what stops them.

    `is_wanted`: they go on by themselves unless something has them rest; `is_playing`: they do. `resting` is for what
    has them rest while a shopper is at it.
    """

    current: int
    is_wanted: bool
    is_playing: bool
    track: Any
    mark: Any
    pause: Any
    resting: Any


SLIDES = view(SLIDES_SCRIPT, "useSlides", ShownSlides)
"""Of the slides around the markup."""


class WishlistLoader(rx.Component):
    """Tells the state of that name what is wished for, at first, after every change, and when it has forgotten.

    What is wished for by a handle that has `moved` is wished for by the new one from then on.
    """

    library = script("wishlist")
    tag = "WishlistLoader"
    state: rx.Var[str]
    moved: rx.Var[dict[str, str]]
    on_wishes: rx.EventHandler[on_value]  # type: ignore[type-arg, valid-type]


class CartTabs(rx.Component):
    """Tells other tabs that the cart has changed, which every one of the `answers` may say, and hears it from them.

    Where `cart`, the id of the one that is shown, is said, it is stale as well when there is none any more.
    """

    library = CART_SCRIPT
    tag = "CartTabs"
    answers: rx.Var[int]
    cart: rx.Var[str]
    on_stale: rx.EventHandler[on_nothing]  # type: ignore[type-arg, valid-type]


class AddToCart(rx.Component):
    """Around what puts a product into the cart."""

    library = CART_SCRIPT
    tag = "AddToCart"
    variant_id: rx.Var[str]
    max: rx.Var[int]
    answers: rx.Var[int]
    added: rx.Var[int]
    on_add: rx.EventHandler[on_amount]  # type: ignore[type-arg, valid-type]


class LineQuantity(rx.Component):
    """Around the quantity of a line of the cart."""

    library = CART_SCRIPT
    tag = "LineQuantity"
    line_id: rx.Var[str]
    quantity: rx.Var[int]
    max: rx.Var[int]
    answers: rx.Var[int]
    on_change: rx.EventHandler[on_amount]  # type: ignore[type-arg, valid-type]


class SessionWatch(rx.Component):
    """Loads the page again when another tab signs in or out."""

    library = script("session")
    tag = "SessionWatch"


class Arrival(rx.Component):
    """Says that the page is awake, and puts the focus on a new page's content."""

    library = script("arrival")
    tag = "Arrival"
    target: rx.Var[str]


class KeepFocus(rx.Component):
    """Stands around a list, the list's being empty included, whose `buttons` (a selector) take its things away."""

    library = script("focus")
    tag = "KeepFocus"
    buttons: rx.Var[str]
