"""Wishlist buttons (hearts). The browser stores the wishlist (spec: Storefront view rules 7)."""

from dataclasses import dataclass
from typing import Any

import reflex as rx

from backend.core.texts import _
from storefront.components.icons import icon
from storefront.components.react_components import WishlistSync
from storefront.reflex_ext.hooks import ABSENT, props, script, view
from storefront.state.wishlist import AccountWishlistState


@dataclass(frozen=True, slots=True)
class Wishes:
    """The wishlist: its size, functions of product handles, and React props of its buttons.

    Attributes:
        count: number of products in the wishlist.
        count_without: function of handles; returns the size without these products.
        has: function of a handle; returns True if the product is in the wishlist.
        heart: function of a handle; returns the React props of the product's heart button.
        remove: function of handles; returns the React props of a button that removes these products.
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
    """Build the heart button that adds a product to the wishlist, or removes it."""
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


def wishlist_sync() -> rx.Component:
    """Build the component that merges the browser's wishlist with the account's. It displays nothing."""
    return WishlistSync.create(
        is_known=AccountWishlistState.is_known,
        account=AccountWishlistState.account,
        handles=AccountWishlistState.handles,
        batch=AccountWishlistState.batch,
        number=AccountWishlistState.number,
        on_changes=AccountWishlistState.merge,
    )
