"""Small React components of `assets/scripts`, and the Python declarations of their props.

They hold state that must not wait for the network, such as the current slide, the typed text or the wishlist. All
other data reach the Reflex state on the server through events.
"""

from dataclasses import dataclass
from typing import Any

import reflex as rx

from storefront.components.icons import icon
from storefront.reflex_ext.hooks import script, view

SLIDES_SCRIPT = script("slides")
CART_SCRIPT = script("cart")


def on_nothing() -> list[rx.Var[Any]]:
    """Declare an event without arguments."""
    return []


def on_text(text: rx.Var[str]) -> list[rx.Var[str]]:
    """Declare an event with a text."""
    return [text]


def on_amount(item_id: rx.Var[str], amount: rx.Var[int]) -> list[rx.Var[Any]]:
    """Declare an event with an id and a number of units."""
    return [item_id, amount]


def on_value(value: rx.Var[Any]) -> list[rx.Var[Any]]:
    """Declare an event with one value."""
    return [value]


def on_batch(changes: rx.Var[Any], batch: rx.Var[str]) -> list[rx.Var[Any]]:
    """Declare an event that receives a batch: a list of changes, and the id of this list."""
    return [changes, batch]


class Dialog(rx.Component):
    """A dialog over the page. Any element with `data-opens="<name>"` opens it: see `assets/scripts/dialog.jsx`."""

    library = script("dialog")
    tag = "Dialog"
    name: rx.Var[str]


def sheet(content: rx.Component, *, name: str, label: str, close_label: str, side: str) -> rx.Component:
    """Build a panel at a side of the page.

    Args:
        content: the panel's content.
        name: the panel's name: any element with `data-opens="<name>"` opens it.
        label: the panel's title.
        close_label: the accessible name of the close button.
        side: the side from which it slides in: `left`, `right` or `bottom`.
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
    """A row of slides, of which one is visible.

    The next slide follows after `interval_ms` milliseconds; 0 means never.
    """

    library = SLIDES_SCRIPT
    tag = "Slides"
    count: rx.Var[int]
    interval_ms: rx.Var[int]
    wanted: rx.Var[int]
    """Index of a slide to show whenever it changes; -1 for none."""


@dataclass(frozen=True, slots=True)
class SlidesView:
    """State of the enclosing `Slides`, and React props for elements inside.

    Attributes:
        current: index of the visible slide.
        is_wanted: True if the slides advance automatically when no interaction pauses them.
        is_playing: True if the slides are advancing now.
        track: React props of the element that contains the slides.
        mark: function of an index; returns the React props of the mark that selects this slide.
        pause: React props of the pause button.
        interaction_props: React props of the element that pauses the slides when it is hovered or focused.
    """

    current: int
    is_wanted: bool
    is_playing: bool
    track: Any
    mark: Any
    pause: Any
    interaction_props: Any


SLIDES = view(SLIDES_SCRIPT, "useSlides", SlidesView)
"""State of the enclosing slides."""


class WishlistLoader(rx.Component):
    """A component that sends the wishlist's product handles to the Reflex state `state`.

    It sends them at first, after every change, and when the state was lost. A handle that is a key of `moved` is
    replaced by its new handle.
    """

    library = script("wishlist")
    tag = "WishlistLoader"
    state: rx.Var[str]
    moved: rx.Var[dict[str, str]]
    on_wishes: rx.EventHandler[on_value]  # type: ignore[type-arg, valid-type]


class WishlistSync(rx.Component):
    """A component that reports the browser's changes of the wishlist to the account, and shows the account's wishlist.

    Attributes: see `storefront.state.wishlist.AccountWishlistState`.
    """

    library = script("wishlist")
    tag = "WishlistSync"
    is_known: rx.Var[bool]
    account: rx.Var[str]
    handles: rx.Var[list[str]]
    batch: rx.Var[str]
    number: rx.Var[int]
    on_changes: rx.EventHandler[on_batch]  # type: ignore[type-arg, valid-type]


class CartTabs(rx.Component):
    """A component that notifies the browser's other tabs when the cart changes, and is notified by them.

    Attributes:
        answers: a number that increases when the cart changes.
        cart: id of the displayed cart. If it is given, `on_stale` also runs when the browser has no cart any more.
        on_stale: the event that runs when another tab has changed the cart.
    """

    library = CART_SCRIPT
    tag = "CartTabs"
    answers: rx.Var[int]
    cart: rx.Var[str]
    on_stale: rx.EventHandler[on_nothing]  # type: ignore[type-arg, valid-type]


class AddToCart(rx.Component):
    """A wrapper of the controls that add a product to the cart."""

    library = CART_SCRIPT
    tag = "AddToCart"
    variant_id: rx.Var[str]
    max: rx.Var[int]
    answers: rx.Var[int]
    added: rx.Var[int]
    on_add: rx.EventHandler[on_amount]  # type: ignore[type-arg, valid-type]


class LineQuantity(rx.Component):
    """A wrapper of the quantity control of a cart line."""

    library = CART_SCRIPT
    tag = "LineQuantity"
    line_id: rx.Var[str]
    quantity: rx.Var[int]
    max: rx.Var[int]
    answers: rx.Var[int]
    on_change: rx.EventHandler[on_amount]  # type: ignore[type-arg, valid-type]


class SessionWatch(rx.Component):
    """Reloads the page when another tab signs in or out."""

    library = script("session")
    tag = "SessionWatch"


class Arrival(rx.Component):
    """Signals that the page is hydrated, and focuses a new page's content."""

    library = script("arrival")
    tag = "Arrival"
    target: rx.Var[str]


class HeaderScroll(rx.Component):
    """Hides the header of a phone while the shopper scrolls down."""

    library = script("header")
    tag = "HeaderScroll"


class BrandHead(rx.Component):
    """Keeps the colours and the icon of an open page up to date with the shop's brand."""

    library = script("brand")
    tag = "BrandHead"
    rules: rx.Var[str]
    color: rx.Var[str]
    icon: rx.Var[str]


class KeepFocus(rx.Component):
    """A wrapper of a list. When a button in the list removes an item, the wrapper moves the focus to another element.

    `buttons` is the CSS selector of the remove buttons. The wrapper must also exist while the list is empty.
    """

    library = script("focus")
    tag = "KeepFocus"
    buttons: rx.Var[str]
