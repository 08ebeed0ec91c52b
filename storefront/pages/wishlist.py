"""The wishlist: what this browser has saved, as it is now (spec: Storefront view rules 7)."""

import reflex as rx
from reflex.vars import ObjectVar

from backend.catalog.views import ProductCard
from backend.texts import _
from storefront.components.browser import KeepFocus, WishlistLoader
from storefront.components.frame import framed
from storefront.components.placeholders import empty_state, grid_skeleton, link_button, waiting
from storefront.components.product_card import product_card
from storefront.components.wishlist import WISHES, is_saved
from storefront.meta import NOINDEX, DocumentMeta
from storefront.pages.loading import PageData, PageParams
from storefront.state.wishlist import WishlistState

TITLE = _("Tus favoritos")


async def load(_params: PageParams) -> PageData[None]:
    """The document knows no wishlist: only the browser does."""
    return PageData(None, DocumentMeta(title=TITLE, robots=NOINDEX))


def saved(card: ObjectVar[ProductCard]) -> rx.Component:
    """A card that goes when its heart is taken back."""
    item = rx.el.li(product_card(card=card, is_first=False))
    return rx.fragment(rx.cond(is_saved(card.handle), item), key=card.id)


def page() -> rx.Component:
    """The whole page."""
    return framed(
        WishlistLoader.create(state=WishlistState.get_full_name(), on_wishes=WishlistState.show),
        rx.el.div(rx.el.h1(_("Tus favoritos"), class_name="page-title"), class_name="page-head"),
        rx.cond(
            WishlistState.is_known,
            KeepFocus.create(
                rx.cond(
                    WISHES.count.to(int) > 0,
                    rx.fragment(
                        rx.el.h2(_("Juguetes"), class_name="sr-only"),
                        rx.el.ul(rx.foreach(WishlistState.cards, saved), class_name="grid"),
                    ),
                    empty_state(
                        "empty-wishlist",
                        _("Todavía no guardas nada"),
                        _("Toca el corazón de un juguete y lo encontrarás aquí, aunque cierres la página."),
                        link_button(_("Ver el catálogo"), "/catalog"),
                        level=2,
                    ),
                ),
                buttons=".heart",
            ),
            rx.fragment(grid_skeleton(4), waiting()),
        ),
    )
