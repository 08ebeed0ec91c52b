"""The card of a product in a list."""

import reflex as rx
from reflex.vars import ObjectVar

from backend.catalog.views import ProductCard, VariantView
from backend.content.home import SlideView
from backend.core.texts import _
from storefront.components.cart import CONTROLS, added_number
from storefront.components.icons import icon
from storefront.components.pictures import picture, product_picture
from storefront.components.react_components import AddToCart
from storefront.components.reviews import card_rating
from storefront.components.variant_picker import swatch
from storefront.components.wishlist import heart_button
from storefront.links import product_href
from storefront.state.cart import CartState

CARD_SIZES = "(min-width: 1280px) 280px, (min-width: 1024px) 22vw, (min-width: 640px) 31vw, 46vw"


def discount_badge(
    card: ObjectVar[ProductCard] | ObjectVar[VariantView] | ObjectVar[SlideView],
) -> rx.Component:
    """Build the badge with the discount in percent of the previous price (spec: Storefront view rules 1)."""
    return rx.cond(
        card.percent_off,
        rx.el.span(
            _("{percent}% OFF").format(percent=card.percent_off),
            class_name="badge badge--sale",
            data_testid="discount-badge",
        ),
    )


def price_tag(card: ObjectVar[ProductCard] | ObjectVar[VariantView] | ObjectVar[SlideView]) -> rx.Component:
    """Build the price, and the previous price if it was reduced."""
    return rx.el.p(
        rx.el.span(card.price_label, class_name="price__now"),
        rx.cond(
            card.compare_at_label,
            rx.el.span(
                rx.el.span(_("Antes"), " ", class_name="sr-only"),
                rx.el.s(card.compare_at_label),
                class_name="price__before",
            ),
        ),
        class_name="price",
    )


def age_label(card: ObjectVar[ProductCard]) -> rx.Component:
    """Build the label of the product's age range."""
    return rx.cond(card.age_range != "", rx.el.span(_("{ages} años").format(ages=card.age_range)))


def card_swatches(card: ObjectVar[ProductCard]) -> rx.Component:
    """Build the colours of a product, if it has a choice of colours."""
    return rx.cond(
        card.swatches.length() > 0,
        rx.el.p(
            rx.el.span(_("Colores:"), class_name="sr-only"),
            rx.foreach(
                card.swatches,
                lambda shown: rx.fragment(
                    swatch(shown.color), rx.el.span(shown.name, class_name="sr-only"), key=shown.name
                ),
            ),
            class_name="card__swatches",
        ),
    )


@rx.memo
def quick_add_button(title: rx.Var[str]) -> rx.Component:
    """Build the round button that adds one unit. It must be inside the product's `AddToCart`."""
    is_ready = CONTROLS.step == "ready"
    return rx.el.button(
        icon(rx.cond(is_ready, "plus", "check")),
        type="button",
        class_name="icon-button card__add",
        aria_label=rx.cond(
            is_ready, _("Agregar al carrito: {toy}").format(toy=title), _("Agregado: {toy}").format(toy=title)
        ),
        data_testid="quick-add",
        special_props=[CONTROLS.button],
    )


@rx.memo
def quick_add(variant_id: rx.Var[str], title: rx.Var[str]) -> rx.Component:
    """Build the button that adds a product without a choice of variants to the cart, from its card."""
    return AddToCart.create(
        quick_add_button(title=title),
        variant_id=variant_id,
        max=1,
        answers=CartState.answers,
        added=added_number(variant_id),
        on_add=CartState.add,
    )


@rx.memo
def product_card(card: ObjectVar[ProductCard], is_first: rx.Var[bool], has_add: rx.Var[bool]) -> rx.Component:
    """Build a product's card. The whole card is a link; the heart saves the product in the wishlist.

    With `has_add`, a product that has only one variant can be added to the cart.
    """
    return rx.el.article(
        rx.el.div(
            product_picture(card.picture, CARD_SIZES, is_first=is_first, class_name="card__image", alt=""),
            rx.cond(
                card.second_picture,
                picture(
                    card.second_picture, CARD_SIZES, class_name="card__image card__image--second", alt=""
                ),
            ),
            rx.el.div(
                discount_badge(card),
                rx.cond(
                    card.is_new & ~card.percent_off & ~card.is_preorder,
                    rx.el.span(_("Nuevo"), class_name="badge badge--new"),
                ),
                rx.cond(card.is_preorder, rx.el.span(_("Preventa"), class_name="badge badge--new")),
                rx.cond(~card.available, rx.el.span(_("Agotado"), class_name="badge badge--out")),
                class_name="card__badges",
            ),
            class_name="card__picture",
        ),
        rx.el.div(
            rx.el.h3(
                rx.el.a(card.title, href=product_href(card.handle), class_name="card__link"),
                class_name="card__title",
            ),
            rx.el.p(rx.el.span(card.brand), age_label(card), class_name="card__meta"),
            card_rating(card.rating),
            price_tag(card),
            card_swatches(card),
            class_name="card__text",
        ),
        heart_button(handle=card.handle, title=card.title),
        rx.cond(
            has_add & card.available & ~card.has_choice,
            quick_add(variant_id=card.variant_id, title=card.title),
        ),
        class_name="card",
        data_testid="product-card",
    )


def product_grid(
    cards: rx.Var[list[ProductCard]], *, eager: int = 0, class_name: str = "grid"
) -> rx.Component:
    """Build a grid of cards. The first `eager` pictures load immediately."""
    return rx.el.ul(
        rx.foreach(
            cards,
            lambda card, place: rx.el.li(
                product_card(card=card, is_first=place < eager, has_add=True), key=card.id
            ),
        ),
        class_name=class_name,
    )
