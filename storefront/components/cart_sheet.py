"""The cart beside the page, without leaving it."""

import reflex as rx

from backend.texts import _
from storefront.components.browser import KeepFocus, Sheet
from storefront.components.cart_lines import cart_lines
from storefront.components.empty import empty_cart
from storefront.components.header import CART_SHEET
from storefront.components.links import CART, CHECKOUT
from storefront.state.cart import CartState


@rx.memo
def cart_sheet() -> rx.Component:
    """The drawer: lines, total and the two ways on."""
    cart = CartState.cart
    return Sheet.create(
        KeepFocus.create(
            rx.cond(
                cart.count.to(int) > 0,
                rx.el.div(
                    cart_lines(),
                    rx.el.div(
                        rx.el.p(
                            rx.el.span(_("Subtotal")),
                            rx.el.strong(cart.item_total_label, data_testid="drawer-total"),
                            class_name="sum",
                        ),
                        rx.el.p(_("El envío se calcula con tu dirección."), class_name="sum__note"),
                        rx.el.a(
                            _("Ir a pagar"), href=CHECKOUT, class_name="button button--primary button--wide"
                        ),
                        rx.el.a(
                            _("Ver el carrito"), href=CART, class_name="button button--quiet button--wide"
                        ),
                        class_name="cart-sheet__end",
                    ),
                    class_name="cart-sheet",
                ),
                empty_cart(level=2),
            ),
            buttons=".line__remove",
        ),
        name=CART_SHEET,
        label=_("Tu carrito"),
        close_label=_("Cerrar el carrito"),
    )
