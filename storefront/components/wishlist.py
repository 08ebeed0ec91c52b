"""Hearts: what is wished for is known by the browser alone (spec: Storefront view rules 7)."""

from dataclasses import dataclass
from typing import Any

import reflex as rx

from backend.core.texts import _
from storefront.components.icons import icon
from storefront.reflex_ext.hooks import ABSENT, props, script, view


@dataclass(frozen=True, slots=True)
class Wishes:
    """What is wished for: how much, whether a product is among it, and properties of its heart.

    `left`: how much without these handles. `drop`: properties of a button that takes them back.
    """

    count: int
    left: Any
    has: Any
    heart: Any
    drop: Any


WISHES = view(script("wishlist"), "useWishes", Wishes)


def is_saved(handle: rx.Var[str]) -> rx.Var[bool]:
    """Whether a product is wished for."""
    return props(WISHES.has, handle).to(bool)


@rx.memo
def heart(handle: rx.Var[str], title: rx.Var[str]) -> rx.Component:
    """Saves a product, and takes it back."""
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
    """How many products are wished for."""
    return rx.el.span(
        rx.el.span(WISHES.count, data_testid="wishlist-count"),
        rx.el.span(" ", _("guardados"), class_name="sr-only"),
        class_name="count",
        data_zero=rx.cond(WISHES.count == 0, "true", ABSENT),
    )
