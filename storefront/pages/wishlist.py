"""The wishlist's page: the products saved in this browser, with their current data (spec: Storefront view rules 7)."""

import reflex as rx
from reflex.vars import NumberVar, ObjectVar

from backend.catalog.views import ProductCard
from backend.core.texts import _
from storefront.components.cart import CONTROLS, added_number
from storefront.components.frame import page_frame
from storefront.components.icons import icon
from storefront.components.placeholders import empty_state, grid_skeleton, link_button, loading_notice
from storefront.components.product_card import product_card
from storefront.components.product_suggestions import suggested_products
from storefront.components.react_components import AddToCart, KeepFocus, WishlistLoader
from storefront.components.wishlist import WISHES, is_saved
from storefront.links import product_href
from storefront.meta import NOINDEX, DocumentMeta
from storefront.pages.page_loader import PageData, PageParams
from storefront.reflex_ext.hooks import props
from storefront.state.cart import CartState
from storefront.state.wishlist import WishlistState

TITLE = _("Tus favoritos")
AVAILABLE_COUNT: NumberVar[int] = props(WISHES.count_without, WishlistState.gone_handles).to(int)
"""Number of products in the wishlist that are still sold. Products that were not loaded yet are counted too."""


async def load(_params: PageParams) -> PageData[None]:
    """Return only the status and head of the document, because only the browser knows its wishlist."""
    return PageData(None, DocumentMeta(title=TITLE, robots=NOINDEX))


@rx.memo
def add_button(title: rx.Var[str]) -> rx.Component:
    """Build the button that adds a product to the cart. It must be inside the product's `AddToCart`."""
    is_ready = CONTROLS.step == "ready"
    return rx.el.button(
        rx.cond(is_ready, _("Agregar al carrito"), rx.fragment(icon("check", size=20), _("Agregado"))),
        rx.el.span(" · ", title, class_name="sr-only"),
        type="button",
        class_name="button button--primary button--small add__button",
        data_testid="wish-to-cart",
        special_props=[CONTROLS.button, CONTROLS.place],
    )


def wish_action(card: ObjectVar[ProductCard]) -> rx.Component:
    """Build the add button or, if a variant must be chosen first, a link to the product; nothing if it is sold out."""
    choose = rx.el.a(
        _("Escoger"),
        rx.el.span(" · ", card.title, class_name="sr-only"),
        href=product_href(card.handle),
        class_name="button button--quiet button--small",
    )
    add = AddToCart.create(
        add_button(title=card.title),
        variant_id=card.variant_id,
        max=1,
        answers=CartState.answers,
        added=added_number(card.variant_id),
        on_add=CartState.add,
    )
    return rx.cond(card.available, rx.cond(card.has_choice, choose, add))


def wish_card(card: ObjectVar[ProductCard]) -> rx.Component:
    """Build a product's card. It is hidden when the product is removed from the wishlist."""
    item = rx.el.li(
        product_card(card=card, is_first=False, has_add=False), wish_action(card), class_name="wish"
    )
    return rx.fragment(rx.cond(is_saved(card.handle), item), key=card.id)


def gone_notice() -> rx.Component:
    """Build the notice of products in the wishlist that are no longer sold, with a button that removes them."""
    count = WISHES.count.to(int) - AVAILABLE_COUNT
    return rx.cond(
        count > 0,
        rx.el.div(
            rx.el.p(
                rx.cond(
                    count == 1,
                    _("1 de tus favoritos ya no se vende."),
                    _("{n} de tus favoritos ya no se venden.").format(n=count),
                )
            ),
            rx.el.button(
                _("Quitar de favoritos"),
                type="button",
                class_name="button button--quiet button--small wishes-gone__button",
                data_testid="drop-gone",
                special_props=[props(WISHES.remove, WishlistState.gone_handles)],
            ),
            class_name="wishes-gone",
            data_testid="wishes-gone",
        ),
    )


def empty_wishlist() -> rx.Component:
    """Build the content of a page without cards.

    It explains how to save products. If the wishlist has only products that are no longer sold, it is just a link
    to the catalogue, below `gone_notice`.
    """
    catalog = link_button(_("Ver el catálogo"), "/catalog")
    return rx.cond(
        WISHES.count.to(int) > 0,
        catalog,
        empty_state(
            "empty-wishlist",
            _("Todavía no guardas nada"),
            _("Toca el corazón de un producto y lo encontrarás aquí, aunque cierres la página."),
            catalog,
            level=2,
        ),
    )


def page() -> rx.Component:
    """Build the whole page."""
    return page_frame(
        WishlistLoader.create(
            state=WishlistState.get_full_name(),
            moved=WishlistState.moved_handles,
            on_wishes=WishlistState.show_wishes,
        ),
        rx.el.div(rx.el.h1(_("Tus favoritos"), class_name="page-title"), class_name="page-head"),
        rx.cond(
            WishlistState.is_loaded,
            KeepFocus.create(
                gone_notice(),
                rx.cond(
                    AVAILABLE_COUNT > 0,
                    rx.fragment(
                        rx.el.h2(_("Productos"), class_name="sr-only"),
                        rx.el.ul(rx.foreach(WishlistState.cards, wish_card), class_name="grid"),
                    ),
                    empty_wishlist(),
                ),
                buttons=".heart, .wishes-gone__button",
            ),
            rx.fragment(grid_skeleton(4), loading_notice()),
        ),
        # outside `KeepFocus`: these buttons add products to the list
        rx.cond(WishlistState.is_loaded & (AVAILABLE_COUNT == 0), suggested_products()),
    )
