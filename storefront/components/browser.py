"""The parts that live in the browser: small React components in `assets/scripts`, with their properties named here.

They hold what must not wait for the network (which slide, which picture, what is typed, what is wished for) and tell
the state the rest through events.
"""

from typing import Any

import reflex as rx

Texts = dict[str, str]


def _script(name: str) -> str:
    return f"$/public/scripts/{name}.jsx"


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


class Icon(rx.Component):
    """A line icon. Decorative: the control around it says its name."""

    library = _script("icons")
    tag = "Icon"
    name: rx.Var[str]
    size: rx.Var[int]


class Sheet(rx.Component):
    """A panel over the page, opened by anything with `data-opens="<name>"`."""

    library = _script("sheet")
    tag = "Sheet"
    name: rx.Var[str]
    label: rx.Var[str]
    close_label: rx.Var[str]
    side: rx.Var[str]


class Carousel(rx.Component):
    """The banner around its slides (spec: Storefront view rules 1)."""

    library = _script("carousel")
    tag = "Carousel"
    count: rx.Var[int]
    label: rx.Var[str]
    texts: rx.Var[Texts]


class Gallery(rx.Component):
    """A product's pictures with thumbnails and zoom (spec: Storefront view rules 4)."""

    library = _script("gallery")
    tag = "Gallery"
    pictures: rx.Var[list[Any]]
    texts: rx.Var[Texts]


class WishlistLoader(rx.Component):
    """Tells the state of that name what is wished for, at first, after every change, and when it has forgotten."""

    library = _script("wishlist")
    tag = "WishlistLoader"
    state: rx.Var[str]
    on_wishes: rx.EventHandler[on_value]  # type: ignore[type-arg, valid-type]


class CartCount(rx.Component):
    """How many units the cart holds, those just asked for included. Another tab's change makes it stale."""

    library = _script("cart")
    tag = "CartCount"
    count: rx.Var[int]
    answers: rx.Var[int]
    texts: rx.Var[Texts]
    on_stale: rx.EventHandler[on_nothing]  # type: ignore[type-arg, valid-type]


class AddToCart(rx.Component):
    """Quantity and button of a product."""

    library = _script("cart")
    tag = "AddToCart"
    variant_id: rx.Var[str]
    max: rx.Var[int]
    answers: rx.Var[int]
    added: rx.Var[int]
    price_label: rx.Var[str]
    texts: rx.Var[Texts]
    on_add: rx.EventHandler[on_amount]  # type: ignore[type-arg, valid-type]


class LineQuantity(rx.Component):
    """The quantity of a line of the cart."""

    library = _script("cart")
    tag = "LineQuantity"
    line_id: rx.Var[str]
    quantity: rx.Var[int]
    max: rx.Var[int]
    answers: rx.Var[int]
    texts: rx.Var[Texts]
    on_change: rx.EventHandler[on_amount]  # type: ignore[type-arg, valid-type]


class SessionWatch(rx.Component):
    """Loads the page again when another tab signs in or out."""

    library = _script("session")
    tag = "SessionWatch"


class Arrival(rx.Component):
    """Says that the page is awake, and puts the focus on a new page's content."""

    library = _script("arrival")
    tag = "Arrival"
    target: rx.Var[str]


class KeepFocus(rx.Component):
    """Stands around a list, the list's being empty included, whose `buttons` (a selector) take its things away."""

    library = _script("focus")
    tag = "KeepFocus"
    buttons: rx.Var[str]


def icon(name: str | rx.Var[str], size: int = 24) -> rx.Component:
    """An icon by its name in `assets/scripts/icons.jsx`."""
    return Icon.create(name=name, size=size)
