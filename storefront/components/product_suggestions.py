"""Products that a page suggests: products viewed recently in this browser, and products that the shop features."""

from dataclasses import dataclass
from typing import Any

import reflex as rx

from backend.core.texts import _
from storefront.components.frame import section
from storefront.components.placeholders import grid_skeleton
from storefront.components.product_card import product_grid
from storefront.components.react_components import on_nothing, on_value
from storefront.reflex_ext.hooks import script, view
from storefront.state.product_suggestions import SUGGESTED_COUNT, SuggestedProductsState, ViewedProductsState

SCRIPT = script("product_suggestions")
ROW = "grid grid--row"


@dataclass(frozen=True, slots=True)
class ViewedProducts:
    """The number of products viewed in this browser, and the React props of the button that forgets them."""

    count: int
    forget: Any


VIEWED = view(SCRIPT, "useViewed", ViewedProducts)


class ViewedTracker(rx.Component):
    """A component that records a view of the product with this handle.

    It also sends the list of products viewed before to the Reflex state `state`.
    """

    library = SCRIPT
    tag = "ViewedTracker"
    state: rx.Var[str]
    handle: rx.Var[str]
    on_viewed: rx.EventHandler[on_value]  # type: ignore[type-arg, valid-type]


class SuggestionsLoader(rx.Component):
    """Requests suggested products from `state`."""

    library = SCRIPT
    tag = "SuggestionsLoader"
    state: rx.Var[str]
    on_request: rx.EventHandler[on_nothing]  # type: ignore[type-arg, valid-type]


def viewed_products(handle: rx.Var[str]) -> rx.Component:
    """Build the products viewed before this one, with a button to forget them.

    Use it at the end of a page, because it grows when the products arrive and would move content below it.
    """
    forget = rx.el.button(
        _("Borrar lo visto"),
        type="button",
        class_name="button button--quiet button--small",
        data_testid="forget-viewed",
        special_props=[VIEWED.forget],
    )
    return rx.fragment(
        ViewedTracker.create(
            state=ViewedProductsState.get_full_name(),
            handle=handle,
            on_viewed=ViewedProductsState.show_viewed,
        ),
        rx.cond(
            (ViewedProductsState.cards.length() > 0) & (VIEWED.count.to(int) > 0),
            rx.el.div(
                section(
                    _("Vistos hace poco"), product_grid(ViewedProductsState.cards, class_name=ROW), forget
                ),
                data_testid="viewed",
            ),
        ),
    )


def suggested_products() -> rx.Component:
    """Build suggested products for a page without content. Their space is reserved, so that the page does not move."""
    return rx.fragment(
        SuggestionsLoader.create(
            state=SuggestedProductsState.get_full_name(), on_request=SuggestedProductsState.load_suggestions
        ),
        rx.cond(
            SuggestedProductsState.is_loaded,
            rx.cond(
                SuggestedProductsState.cards.length() > 0,
                section(
                    _("Mientras tanto, mira estos"),
                    product_grid(SuggestedProductsState.cards, class_name=ROW),
                ),
            ),
            section(_("Mientras tanto, mira estos"), grid_skeleton(SUGGESTED_COUNT, class_name=ROW)),
        ),
    )
