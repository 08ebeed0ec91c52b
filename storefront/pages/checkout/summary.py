"""The order summary next to the checkout's form: lines and totals."""

import reflex as rx
from reflex.vars import ObjectVar

from backend.cart.views import CartLine
from backend.core.texts import _
from storefront.components.cart import line_problem
from storefront.components.icons import icon
from storefront.components.pictures import product_picture
from storefront.components.promo_code import promo_code, saving_rows
from storefront.links import CART
from storefront.pages.checkout import texts
from storefront.pages.checkout.form import FORM
from storefront.state.cart import CartState

BODY = "tu-compra"


def summary_line(item: ObjectVar[CartLine]) -> rx.Component:
    """Build one line of the order summary: product, quantity and amount."""
    return rx.el.li(
        rx.el.div(
            product_picture(item.picture, "64px", alt=""),
            rx.el.span(item.quantity, class_name="buy__units", aria_hidden="true"),
            class_name="buy__picture",
        ),
        rx.el.div(
            rx.el.p(item.title, class_name="buy__title"),
            rx.cond(item.variant != "", rx.el.p(item.variant, class_name="buy__variant")),
            rx.el.p(
                rx.cond(
                    item.quantity.to(int) == 1, _("1 unidad"), item.quantity.to_string() + _(" unidades")
                ),
                class_name="buy__note",
            ),
            line_problem(item),
            class_name="buy__words",
        ),
        rx.el.p(item.line_total_label, class_name="buy__amount"),
        class_name="buy__line",
        data_testid="checkout-line",
    )


def amount(text: rx.Var[str], otherwise: str | rx.Var[str]) -> rx.Component:
    """Build an amount that includes shipping, or `otherwise` if the shipping has no price.

    While the price is being calculated, a placeholder hides the previous amount, which may be wrong now.
    """
    pricing = rx.el.span(rx.el.span(texts.PRICING, class_name="sr-only"), class_name="bone amount__bone")
    return rx.cond(FORM.is_pricing, pricing, rx.cond(FORM.has_price, text, otherwise))


def totals() -> rx.Component:
    """Build the totals. Amounts that include shipping are displayed when the shipping is priced."""
    cart = CartState.cart
    return rx.fragment(
        rx.el.dl(
            rx.el.div(rx.el.dt(_("Subtotal")), rx.el.dd(cart.subtotal_label)),
            rx.el.div(
                rx.el.dt(_("Envío")),
                rx.el.dd(
                    amount(
                        rx.cond(cart.shipping_total == 0, _("Gratis"), cart.shipping_total_label),
                        _("Según tu municipio"),
                    ),
                    data_testid="checkout-shipping",
                ),
            ),
            saving_rows(cart.savings),
            rx.el.div(
                rx.el.dt(_("Total")),
                rx.el.dd(
                    amount(cart.total_label, cart.item_total_label),
                    data_testid="checkout-total",
                ),
                class_name="summary__total",
            ),
            class_name="summary__list",
        ),
        rx.el.p(_("Precios con IVA incluido."), class_name="summary__note"),
        promo_code(),
        rx.cond(
            CartState.has_problem,
            rx.el.p(
                _("Ajusta tu carrito para poder pagar los productos marcados."),
                class_name="summary__problem",
                role="status",
            ),
        ),
    )


def purchase_summary() -> rx.Component:
    """Build the order summary: the lines and the amounts."""
    cart = CartState.cart
    return rx.el.aside(
        rx.el.div(
            rx.el.button(
                icon("cart", size=22),
                rx.el.span(_("Ver tu compra"), class_name="fold__label"),
                icon("down", size=18),
                rx.el.span(amount(cart.total_label, cart.item_total_label), class_name="fold__amount"),
                type="button",
                class_name="fold__button",
                custom_attrs={"aria-controls": BODY},
                special_props=[FORM.unfold_button],
            ),
            rx.el.div(
                rx.el.h2(_("Tu compra"), class_name="summary__title"),
                rx.el.ul(
                    rx.foreach(cart.lines, summary_line),
                    class_name="buy",
                ),
                totals(),
                rx.el.a(_("Cambiar mi carrito"), href=CART, class_name="checkout__change"),
                id=BODY,
                class_name="fold__body",
            ),
            class_name="fold",
        ),
        class_name="checkout__summary",
        aria_label=_("Tu compra"),
    )
