"""Wishlist buttons (hearts). Only the browser stores the wishlist (spec: Storefront view rules 7)."""

from dataclasses import dataclass
from typing import Any

import reflex as rx

from backend.core.texts import _
from storefront.components.icons import icon
from storefront.reflex_ext.hooks import ABSENT, props, script, view


@dataclass(frozen=True, slots=True)
class Wishes:
    """The wishlist: its size, functions of handles, and the properties of its buttons.

    `count_without`: size without the given handles. `has`: whether a product is in it. `heart`: properties of a
    product's button. `remove`: properties of a button that removes the given handles.
    """

    count: int
    count_without: Any
    has: Any
    heart: Any
    remove: Any


WISHES = view(script("wishlist"), "useWishes", Wishes)


def is_saved(handle: rx.Var[str]) -> rx.Var[bool]:
    """Return a variable that is True if the product is in the wishlist."""
    return props(WISHES.has, handle).to(bool)


@rx.memo
def heart_button(handle: rx.Var[str], title: rx.Var[str]) -> rx.Component:
    """Build the button that adds a product to the wishlist or removes it."""
    return rx.el.button(
        icon("heart"),
        type="button",
        class_name="icon-button heart",
        aria_label=_("Guardar en favoritos: {toy}").format(toy=title),
        data_testid="wishlist-toggle",
        special_props=[props(WISHES.heart, handle)],
    )


@rx.memo
def wishlist_count() -> rx.Component:
    """Build the number of products in the wishlist."""
    return rx.el.span(
        rx.el.span(WISHES.count, data_testid="wishlist-count"),
        rx.el.span(" ", _("guardados"), class_name="sr-only"),
        class_name="count",
        data_zero=rx.cond(WISHES.count == 0, "true", ABSENT),
    )
