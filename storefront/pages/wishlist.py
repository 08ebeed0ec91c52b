"""The wishlist: what this browser has saved, as it is now (spec: Storefront view rules 7)."""

import reflex as rx
from reflex.vars import NumberVar, ObjectVar

from backend.catalog.views import ProductCard
from backend.core.texts import _
from storefront.components.cart import CONTROLS
from storefront.components.frame import framed
from storefront.components.icons import icon
from storefront.components.placeholders import empty_state, grid_skeleton, link_button, waiting
from storefront.components.product_card import product_card
from storefront.components.product_suggestions import offered_toys
from storefront.components.react_components import AddToCart, KeepFocus, WishlistLoader
from storefront.components.wishlist import WISHES, is_saved
from storefront.links import to_product
from storefront.meta import NOINDEX, DocumentMeta
from storefront.pages.page_loader import PageData, PageParams
from storefront.reflex_ext.hooks import props
from storefront.state.cart import CartState
from storefront.state.wishlist import WishlistState

TITLE = _("Tus favoritos")
LEFT: NumberVar[int] = props(WISHES.left, WishlistState.gone).to(int)
"""How many of the wishes are still sold, as far as it is known."""


async def load(_params: PageParams) -> PageData[None]:
    """The document knows no wishlist: only the browser does."""
    return PageData(None, DocumentMeta(title=TITLE, robots=NOINDEX))


@rx.memo
def add_button(title: rx.Var[str]) -> rx.Component:
    """Puts the toy of the `AddToCart` around it into the cart."""
    is_ready = CONTROLS.step == "ready"
    return rx.el.button(
        rx.cond(is_ready, _("Agregar al carrito"), rx.fragment(icon("check", size=20), _("Agregado"))),
        rx.el.span(" · ", title, class_name="sr-only"),
        type="button",
        class_name="button button--primary button--small add__button",
        data_testid="wish-to-cart",
        special_props=[CONTROLS.button, CONTROLS.place],
    )


def buying(card: ObjectVar[ProductCard]) -> rx.Component:
    """The next step from a wish to the cart; where there is something to choose, it is chosen on the toy's page."""
    choose = rx.el.a(
        _("Escoger"),
        rx.el.span(" · ", card.title, class_name="sr-only"),
        href=to_product(card.handle),
        class_name="button button--quiet button--small",
    )
    add = AddToCart.create(
        add_button(title=card.title),
        variant_id=card.variant_id,
        max=1,
        answers=CartState.answers,
        added=CartState.added.number,
        on_add=CartState.add,
    )
    return rx.cond(card.available, rx.cond(card.has_choice, choose, add))


def saved(card: ObjectVar[ProductCard]) -> rx.Component:
    """A card that goes when its heart is taken back."""
    item = rx.el.li(product_card(card=card, is_first=False), buying(card), class_name="wish")
    return rx.fragment(rx.cond(is_saved(card.handle), item), key=card.id)


def gone() -> rx.Component:
    """Says how many of the wishes are not sold any more, and lets them go."""
    count = WISHES.count.to(int) - LEFT
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
                special_props=[props(WISHES.drop, WishlistState.gone)],
            ),
            class_name="wishes-gone",
            data_testid="wishes-gone",
        ),
    )


def nothing_left() -> rx.Component:
    """In place of the cards: how one saves a toy, unless some are saved and `gone` says what became of them."""
    catalog = link_button(_("Ver el catálogo"), "/catalog")
    return rx.cond(
        WISHES.count.to(int) > 0,
        catalog,
        empty_state(
            "empty-wishlist",
            _("Todavía no guardas nada"),
            _("Toca el corazón de un juguete y lo encontrarás aquí, aunque cierres la página."),
            catalog,
            level=2,
        ),
    )


def page() -> rx.Component:
    """The whole page."""
    return framed(
        WishlistLoader.create(
            state=WishlistState.get_full_name(), moved=WishlistState.moved, on_wishes=WishlistState.show
        ),
        rx.el.div(rx.el.h1(_("Tus favoritos"), class_name="page-title"), class_name="page-head"),
        rx.cond(
            WishlistState.is_known,
            KeepFocus.create(
                gone(),
                rx.cond(
                    LEFT > 0,
                    rx.fragment(
                        rx.el.h2(_("Juguetes"), class_name="sr-only"),
                        rx.el.ul(rx.foreach(WishlistState.cards, saved), class_name="grid"),
                    ),
                    nothing_left(),
                ),
                buttons=".heart, .wishes-gone__button",
            ),
            rx.fragment(grid_skeleton(4), waiting()),
        ),
        # not inside `KeepFocus`: these hearts put something in
        rx.cond(WishlistState.is_known & (LEFT == 0), offered_toys()),
    )
