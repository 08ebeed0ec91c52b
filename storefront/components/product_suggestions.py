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
VIEWED_TITLE = _("Vistos hace poco")


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


class ViewedLoader(rx.Component):
    """A component that sends the list of viewed products to the Reflex state `state`, if there are any."""

    library = SCRIPT
    tag = "ViewedLoader"
    state: rx.Var[str]
    on_viewed: rx.EventHandler[on_value]  # type: ignore[type-arg, valid-type]


class SuggestionsLoader(rx.Component):
    """A component that requests suggested products from the Reflex state `state`."""

    library = SCRIPT
    tag = "SuggestionsLoader"
    state: rx.Var[str]
    on_request: rx.EventHandler[on_nothing]  # type: ignore[type-arg, valid-type]


def viewed_products(handle: rx.Var[str]) -> rx.Component:
    """Build the products viewed before this one, with a button to forget them.

    Use it at the end of a page, because it grows when the products arrive and would move content below it.
    """
    tracker = ViewedTracker.create(
        state=ViewedProductsState.get_full_name(),
        handle=handle,
        on_viewed=ViewedProductsState.show_viewed,
    )
    return rx.fragment(tracker, _viewed_section())


def recently_viewed_products() -> rx.Component:
    """Build the products viewed in this browser. On a product's page, use `viewed_products` instead.

    The component is empty for a new visitor. Otherwise its space is reserved until the products arrive. Use it at the
    end of a page: only the browser knows if the visitor is new, so content below the component may move.
    """
    loader = ViewedLoader.create(
        state=ViewedProductsState.get_full_name(), on_viewed=ViewedProductsState.show_viewed
    )
    is_waiting = ~ViewedProductsState.is_loaded & (VIEWED.count.to(int) > 0)
    skeleton = section(VIEWED_TITLE, grid_skeleton(SUGGESTED_COUNT, class_name=ROW), _forget_button())
    return rx.fragment(loader, rx.cond(is_waiting, skeleton, _viewed_section()))


def _viewed_section() -> rx.Component:
    return rx.cond(
        (ViewedProductsState.cards.length() > 0) & (VIEWED.count.to(int) > 0),
        rx.el.div(
            section(VIEWED_TITLE, product_grid(ViewedProductsState.cards, class_name=ROW), _forget_button()),
            data_testid="viewed",
        ),
    )


def _forget_button() -> rx.Component:
    return rx.el.button(
        _("Borrar lo visto"),
        type="button",
        class_name="button button--quiet button--small",
        data_testid="forget-viewed",
        special_props=[VIEWED.forget],
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
