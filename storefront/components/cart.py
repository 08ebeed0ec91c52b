"""The lines of the cart, and the drawer that shows them beside any page."""

import reflex as rx
from reflex.vars import ObjectVar

from backend.cart.views import CartLine
from backend.texts import _
from storefront.components.browser import KeepFocus, LineQuantity, Sheet, icon
from storefront.components.header import CART_SHEET
from storefront.components.links import CART, CHECKOUT, to_product
from storefront.components.pictures import picture
from storefront.components.placeholders import empty_cart
from storefront.state.cart import CartState

QUANTITY_TEXTS = {"quantity": _("Cantidad"), "fewer": _("Quitar una unidad"), "more": _("Agregar una unidad")}


def problem(line: ObjectVar[CartLine]) -> rx.Component:
    """What must be known before paying."""
    return rx.match(
        line.problem,
        ("gone", rx.el.p(_("Se agotó. Quítalo para poder pagar."), class_name="line__problem", role="alert")),
        (
            "short",
            rx.el.p(
                rx.cond(
                    line.max_quantity == 1,
                    _("Solo queda 1 unidad."),
                    _("Solo quedan {n} unidades.").format(n=line.max_quantity),
                ),
                class_name="line__problem",
                role="alert",
            ),
        ),
        rx.fragment(),
    )


@rx.memo
def cart_line(line: ObjectVar[CartLine]) -> rx.Component:
    """One line: picture, name, quantity, price and a way out."""
    return rx.el.div(
        rx.el.div(
            rx.cond(line.picture, picture(line.picture, "112px", alt=""), icon("top", size=40)),
            class_name="line__picture",
        ),
        rx.el.div(
            rx.cond(
                line.product_handle != "",
                rx.el.a(line.title, href=to_product(line.product_handle), class_name="line__title"),
                rx.el.span(line.title, class_name="line__title"),
            ),
            rx.el.p(
                line.brand,
                rx.el.span(_("{price} c/u").format(price=line.unit_price_label), class_name="line__unit"),
                class_name="line__meta",
            ),
            problem(line),
            class_name="line__words",
        ),
        rx.el.div(
            rx.cond(
                line.max_quantity.to(int) > 0,
                LineQuantity.create(
                    line_id=line.id,
                    quantity=line.quantity,
                    max=line.max_quantity,
                    answers=CartState.answers,
                    texts=QUANTITY_TEXTS,
                    on_change=CartState.set_quantity,
                ),
            ),
            class_name="line__quantity",
        ),
        rx.el.button(
            icon("trash", size=22),
            type="button",
            class_name="icon-button line__remove",
            aria_label=_("Quitar {toy}").format(toy=line.title),
            data_testid="remove-line",
            on_click=CartState.remove(line.id),  # type: ignore[call-arg, arg-type]
        ),
        rx.el.p(line.line_total_label, class_name="line__total"),
        class_name="line",
        data_testid="cart-line",
    )


def cart_lines() -> rx.Component:
    """Every line."""
    return rx.el.ul(
        rx.foreach(
            CartState.cart.lines,
            lambda line: rx.el.li(cart_line(line=line), key=line.id),
        ),
        class_name="lines",
    )


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
