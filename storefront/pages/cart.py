"""The cart's page: lines, totals and the link to the checkout."""

from typing import Any

import reflex as rx

from backend.core.texts import _
from storefront.components.cart import REMOVE_BUTTONS, cart_lines, cart_news
from storefront.components.forms import SubmitOnce
from storefront.components.frame import page_frame
from storefront.components.icons import icon
from storefront.components.placeholders import empty_cart, loading_notice, skeleton_bar
from storefront.components.product_suggestions import suggested_products
from storefront.components.promo_code import promo_code, saving_rows
from storefront.components.react_components import KeepFocus
from storefront.links import CATALOG, CHECKOUT
from storefront.meta import NOINDEX, DocumentMeta
from storefront.pages.page_loader import PageData, PageParams
from storefront.pages.shipping_estimate import WHOLE_CART, shipping_estimate
from storefront.state.cart import CartState

TITLE = _("Tu carrito")


async def load(_params: PageParams) -> PageData[None]:
    """Return only the status and head of the document, because only the browser knows its cart."""
    return PageData(None, DocumentMeta(title=TITLE, robots=NOINDEX))


def wrapping_offer() -> rx.Component:
    """Build the offer to add gift wrapping, if the shop sells it and the cart has no wrapping yet."""
    offer = CartState.cart.wrapping
    price = rx.cond(offer.price_label != "", offer.price_label, _("gratis"))
    add = rx.el.button(
        icon("plus", size=18),
        _("Agregar"),
        rx.el.span(" ", offer.title, class_name="sr-only"),
        type="button",
        data_once="",
        class_name="button button--quiet button--small",
        on_click=CartState.add(offer.variant_id, 1),  # type: ignore[call-arg, arg-type]
        data_testid="add-wrapping",
    )
    return rx.cond(
        CartState.cart.wrapping,
        SubmitOnce.create(
            rx.el.div(
                icon("gift", size=28),
                rx.el.p(
                    rx.el.b(_("¿Es un regalo?")),
                    rx.el.span(offer.title, ", ", price),
                    class_name="wrapping__words",
                ),
                add,
                class_name="wrapping",
            ),
            answers=CartState.answers,
        ),
    )


def free_shipping_bar() -> rx.Component:
    """Build the bar that says how much more must be bought until a promotion makes the shipping free."""
    free = CartState.cart.free_shipping
    return rx.cond(
        free,
        rx.el.div(
            icon("truck", size=24),
            rx.el.p(free.text, class_name="free-shipping__words"),
            rx.el.progress(
                value=free.percent, max=100, aria_hidden="true", class_name="free-shipping__track"
            ),
            class_name="free-shipping",
            role="status",
            data_testid="free-shipping-bar",
        ),
    )


def promotion_hint() -> rx.Component:
    """Build the hint that one more unit would complete a promotion such as 2×1."""
    hint = CartState.cart.hint
    return rx.cond(
        hint != "",
        rx.el.p(
            icon("gift", size=24),
            rx.el.span(hint),
            class_name="promotion-hint",
            role="status",
            data_testid="promotion-hint",
        ),
    )


def cart_summary() -> rx.Component:
    """Build the totals, the promotion code, the checkout link and the shipping estimate."""
    cart = CartState.cart
    return rx.el.aside(
        rx.el.h2(_("Resumen"), class_name="summary__title"),
        rx.el.dl(
            rx.el.div(rx.el.dt(_("Subtotal")), rx.el.dd(cart.subtotal_label, data_testid="cart-subtotal")),
            rx.el.div(
                rx.el.dt(_("Envío")),
                rx.el.dd(
                    rx.cond(
                        cart.shipping_total_label != "", cart.shipping_total_label, _("Se calcula al pagar")
                    )
                ),
            ),
            saving_rows(cart.savings),
            rx.el.div(
                rx.el.dt(_("Total")),
                rx.el.dd(cart.total_label, data_testid="cart-total"),
                class_name="summary__total",
            ),
            class_name="summary__list",
        ),
        rx.el.p(_("Incluye IVA por {tax}").format(tax=cart.tax_label), class_name="summary__note"),
        promo_code(),
        checkout_link("button button--primary button--wide", "summary__problem", role="status"),
        rx.el.a(_("Seguir mirando"), href=CATALOG, class_name="button button--quiet button--wide"),
        shipping_estimate(WHOLE_CART, cart.item_total),
        class_name="summary",
    )


def checkout_link(class_name: str, problem_class: str, **problem_props: Any) -> rx.Component:
    """Build the checkout link, or the message that lines of the cart have a problem."""
    return rx.cond(
        CartState.has_problem,
        rx.el.p(
            _("Ajusta los productos marcados para poder pagar."), class_name=problem_class, **problem_props
        ),
        rx.el.a(_("Ir a pagar"), href=CHECKOUT, class_name=class_name, data_testid="go-to-checkout"),
    )


def pay_bar() -> rx.Component:
    """Build the bar with the total and the checkout link that stays at the bottom of the window on phones."""
    return rx.el.div(
        rx.el.p(
            rx.el.span(_("Total"), class_name="pay-bar__label"),
            CartState.cart.total_label,
            class_name="pay-bar__total",
        ),
        checkout_link("button button--primary", "pay-bar__problem"),
        class_name="pay-bar",
        data_testid="pay-bar",
    )


def skeleton() -> rx.Component:
    """Build the skeleton of the cart."""
    line = rx.el.li(
        rx.el.div(class_name="line__picture bone"),
        rx.el.div(skeleton_bar("60%"), skeleton_bar("30%"), class_name="line__words"),
        class_name="line",
    )
    return rx.el.div(page_title(), rx.el.ul(line, line, class_name="lines"), loading_notice())


def page_title() -> rx.Component:
    """Build the page's title, which is displayed before the lines are loaded."""
    return rx.el.h1(_("Tu carrito"), class_name="page-title")


def page() -> rx.Component:
    """Build the whole page."""
    return page_frame(
        rx.cond(
            CartState.is_loaded,
            KeepFocus.create(
                rx.cond(
                    CartState.cart.count.to(int) > 0,
                    rx.fragment(
                        page_title(),
                        cart_news(),
                        rx.el.div(
                            rx.el.div(free_shipping_bar(), promotion_hint(), cart_lines(), wrapping_offer()),
                            cart_summary(),
                            class_name="cart-page",
                        ),
                        pay_bar(),
                    ),
                    rx.fragment(cart_news(), empty_cart(), suggested_products()),
                ),
                buttons=REMOVE_BUTTONS,
            ),
            skeleton(),
        ),
        with_cart_sheet=False,
    )
