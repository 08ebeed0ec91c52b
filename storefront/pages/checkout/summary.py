"""What is being bought, beside the form: lines and totals."""

import reflex as rx
from reflex.vars import ObjectVar

from backend.cart.views import CartLine
from backend.texts import _
from storefront.components.browser import icon
from storefront.components.cart import problem
from storefront.components.links import CART
from storefront.components.pictures import picture
from storefront.pages.checkout.browser import Amount, Fold
from storefront.state.cart import CartState


def line(item: ObjectVar[CartLine]) -> rx.Component:
    """One line: what, how many, how much."""
    return rx.el.li(
        rx.el.div(
            rx.cond(
                item.picture,
                picture(item.picture, "64px", alt=""),
                icon("top", size=28),
            ),
            rx.el.span(item.quantity, class_name="buy__units", aria_hidden="true"),
            class_name="buy__picture",
        ),
        rx.el.div(
            rx.el.p(item.title, class_name="buy__title"),
            rx.el.p(
                rx.cond(
                    item.quantity.to(int) == 1, _("1 unidad"), item.quantity.to_string() + _(" unidades")
                ),
                class_name="buy__note",
            ),
            problem(item),
            class_name="buy__words",
        ),
        rx.el.p(item.line_total_label, class_name="buy__amount"),
        class_name="buy__line",
        data_testid="checkout-line",
    )


def totals() -> rx.Component:
    """The sums. What shipping is part of waits for its price."""
    cart = CartState.cart
    return rx.fragment(
        rx.el.dl(
            rx.el.div(rx.el.dt(_("Subtotal")), rx.el.dd(cart.item_total_label)),
            rx.el.div(
                rx.el.dt(_("Envío")),
                rx.el.dd(
                    Amount.create(
                        text=rx.cond(cart.shipping_total == 0, _("Gratis"), cart.shipping_total_label),
                        otherwise=_("Según tu municipio"),
                    ),
                    data_testid="checkout-shipping",
                ),
            ),
            rx.el.div(
                rx.el.dt(_("Total")),
                rx.el.dd(
                    Amount.create(text=cart.total_label, otherwise=cart.item_total_label),
                    data_testid="checkout-total",
                ),
                class_name="summary__total",
            ),
            class_name="summary__list",
        ),
        rx.el.p(_("Precios con IVA incluido."), class_name="summary__note"),
        rx.cond(
            CartState.has_problem,
            rx.el.p(
                _("Ajusta tu carrito para poder pagar los juguetes marcados."),
                class_name="summary__problem",
                role="status",
            ),
        ),
    )


def summary() -> rx.Component:
    """The purchase."""
    cart = CartState.cart
    return rx.el.aside(
        Fold.create(
            rx.el.h2(_("Tu compra"), class_name="summary__title"),
            rx.el.ul(
                rx.foreach(cart.lines, line),
                class_name="buy",
            ),
            totals(),
            rx.el.a(_("Cambiar mi carrito"), href=CART, class_name="checkout__change"),
            label=_("Ver tu compra"),
            amount=Amount.create(text=cart.total_label, otherwise=cart.item_total_label),
        ),
        class_name="checkout__summary",
        aria_label=_("Tu compra"),
    )
