"""Toys that a page offers beside its own: what this browser looked at last, and what the shop puts forward."""

from dataclasses import dataclass
from typing import Any

import reflex as rx

from backend.core.texts import _
from storefront.components.frame import section
from storefront.components.placeholders import grid_skeleton
from storefront.components.product_card import product_grid
from storefront.components.react_components import on_nothing, on_value
from storefront.reflex_ext.hooks import script, view
from storefront.state.product_suggestions import OFFERED, OfferedState, ViewedState

SCRIPT = script("toys")
ROW = "grid grid--row"


@dataclass(frozen=True, slots=True)
class ViewedToys:
    """How many toys this browser looked at, and properties of the button that forgets them."""

    count: int
    forget: Any


VIEWED = view(SCRIPT, "useViewed", ViewedToys)


class Viewed(rx.Component):
    """Notes that the toy of this handle is looked at, and tells the state of that name what was before."""

    library = SCRIPT
    tag = "Viewed"
    state: rx.Var[str]
    handle: rx.Var[str]
    on_viewed: rx.EventHandler[on_value]  # type: ignore[type-arg, valid-type]


class Offered(rx.Component):
    """Asks the state of that name for toys to offer."""

    library = SCRIPT
    tag = "Offered"
    state: rx.Var[str]
    on_offered: rx.EventHandler[on_nothing]  # type: ignore[type-arg, valid-type]


def viewed_toys(handle: rx.Var[str]) -> rx.Component:
    """What was looked at before the toy of this handle, with a way to forget it. It stands where nothing follows."""
    forget = rx.el.button(
        _("Borrar lo visto"),
        type="button",
        class_name="button button--quiet button--small",
        data_testid="forget-viewed",
        special_props=[VIEWED.forget],
    )
    return rx.fragment(
        Viewed.create(state=ViewedState.get_full_name(), handle=handle, on_viewed=ViewedState.show),
        rx.cond(
            (ViewedState.cards.length() > 0) & (VIEWED.count.to(int) > 0),
            rx.el.div(
                section(_("Vistos hace poco"), product_grid(ViewedState.cards, class_name=ROW), forget),
                data_testid="viewed",
            ),
        ),
    )


def offered_toys() -> rx.Component:
    """Toys for a page that has nothing to show. Their places are there from the start, so that nothing moves."""
    return rx.fragment(
        Offered.create(state=OfferedState.get_full_name(), on_offered=OfferedState.offer),
        rx.cond(
            OfferedState.is_known,
            rx.cond(
                OfferedState.cards.length() > 0,
                section(_("Mientras tanto, mira estos"), product_grid(OfferedState.cards, class_name=ROW)),
            ),
            section(_("Mientras tanto, mira estos"), grid_skeleton(OFFERED, class_name=ROW)),
        ),
    )
