"""The lines of the cart, and the drawer that displays them on top of any page."""

from dataclasses import dataclass
from typing import Any

import reflex as rx
from reflex.vars import ObjectVar

from backend.cart.lines import MAX_QUANTITY
from backend.cart.notice_views import NewsView
from backend.cart.views import CartLine
from backend.core.texts import _
from storefront.components.header import CART_SHEET
from storefront.components.icons import icon
from storefront.components.pictures import product_picture
from storefront.components.placeholders import empty_cart
from storefront.components.react_components import CART_SCRIPT, KeepFocus, LineQuantity, sheet
from storefront.links import CART, CATALOG, CHECKOUT, category_href, product_href, variant_href
from storefront.reflex_ext.hooks import view
from storefront.state.cart import CartState


@dataclass(frozen=True, slots=True)
class Controls:
    """State and React props of the controls that add a product to the cart or change its quantity.

    Attributes:
        fewer, field, more: React props of the minus button, the quantity input and the plus button.
        limit: the maximum quantity.
        is_at_limit: True if the quantity is the maximum.
        step: progress of adding: `ready`, `adding` or `added`.
        is_scrolled_past: True if the add button was scrolled out of view.
        button: React props of every add button.
        place: React props of the one add button whose scroll position sets `is_scrolled_past`.
    """

    fewer: Any
    field: Any
    more: Any
    limit: int
    is_at_limit: bool
    step: str
    is_scrolled_past: bool
    button: Any
    place: Any


REMOVE_BUTTONS = ".line__remove, .cart-news__dismiss"
"""CSS selector of the buttons that remove a line or a notice from the displayed cart."""
CONTROLS = view(CART_SCRIPT, "useControls", Controls)
"""Controls of the enclosing `AddToCart` or `LineQuantity`; a `LineQuantity` has no button."""


def added_number(variant_id: rx.Var[str]) -> rx.Var[int]:
    """Return the number of the latest addition to the cart if it added this variant, otherwise 0."""
    latest = CartState.last_added
    return rx.cond(latest.variant_id == variant_id, latest.number, 0).to(int)


@rx.memo
def quantity_stepper() -> rx.Component:
    """Build the quantity input with a minus and a plus button.

    It must be inside an `AddToCart` or a `LineQuantity`.
    """
    quantity = _("Cantidad")

    def button(shape: str, label: str, pressed: rx.Var[Any]) -> rx.Component:
        return rx.el.button(
            icon(shape, size=20),
            type="button",
            class_name="stepper__button",
            aria_label=label,
            special_props=[pressed],
        )

    limit = CONTROLS.limit.to(int)
    few_left = rx.cond(limit == 1, _("Es la última unidad."), _("No hay más de {n}.").format(n=limit))
    limit_text = rx.cond(limit == MAX_QUANTITY, _("Máximo {n} por compra.").format(n=limit), few_left)
    stepper = rx.el.div(
        button("minus", _("Quitar una unidad"), CONTROLS.fewer),
        rx.el.input(
            class_name="stepper__value",
            input_mode="numeric",
            aria_label=quantity,
            data_testid="quantity",
            special_props=[CONTROLS.field],
        ),
        button("plus", _("Agregar una unidad"), CONTROLS.more),
        class_name="stepper",
        role="group",
        aria_label=quantity,
    )
    return rx.el.div(
        stepper,
        rx.el.p(rx.cond(CONTROLS.is_at_limit, limit_text, ""), class_name="quantity__limit", role="status"),
        class_name="quantity",
    )


def line_problem(line: ObjectVar[CartLine]) -> rx.Component:
    """Build the message about a line that prevents the payment: it is sold out, or has too few units."""
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
    """Build one line of the cart: picture, name, quantity, price and a remove button."""
    return rx.el.div(
        rx.el.div(
            product_picture(line.picture, "112px", alt=""),
            class_name="line__picture",
        ),
        rx.el.div(
            rx.cond(
                line.product_handle != "",
                rx.el.a(
                    line.title,
                    href=variant_href(line.product_handle, line.variant, line.variant_id),
                    class_name="line__title",
                ),
                rx.el.span(line.title, class_name="line__title"),
            ),
            rx.cond(line.variant != "", rx.el.p(line.variant, class_name="line__variant")),
            rx.el.p(
                line.brand,
                rx.el.span(
                    rx.cond(
                        line.unit_price == 0,
                        line.unit_price_label,
                        _("{price} c/u").format(price=line.unit_price_label),
                    ),
                    class_name="line__unit",
                ),
                class_name="line__meta",
            ),
            line_problem(line),
            class_name="line__words",
        ),
        rx.el.div(
            rx.cond(
                line.max_quantity.to(int) > 0,
                LineQuantity.create(
                    quantity_stepper(),
                    line_id=line.id,
                    quantity=line.quantity,
                    max=line.max_quantity,
                    answers=CartState.answers,
                    on_change=CartState.set_quantity,
                ),
            ),
            class_name="line__quantity",
        ),
        rx.el.button(
            icon("trash", size=22),
            type="button",
            class_name="icon-button line__remove",
            aria_label=_("Quitar {toy}").format(
                toy=rx.cond(line.variant != "", f"{line.title}, {line.variant}", line.title)
            ),
            data_testid="remove-line",
            on_click=CartState.remove(line.id),  # type: ignore[call-arg, arg-type]
        ),
        rx.el.p(line.line_total_label, class_name="line__total"),
        class_name="line",
        data_testid="cart-line",
    )


def cart_lines() -> rx.Component:
    """Build the list of all lines of the cart."""
    return rx.el.ul(
        rx.foreach(
            CartState.cart.lines,
            lambda line: rx.el.li(cart_line(line=line), key=line.id),
        ),
        class_name="lines",
    )


def news_entry(news: ObjectVar[NewsView]) -> rx.Component:
    """Build one notice of the cart, with a link (to the product, similar ones or the cart) and a dismiss button."""
    link, label = (
        rx.match(
            news.target,
            ("product", product_href(news.handle)),
            ("category", category_href(news.handle)),
            ("catalog", CATALOG),
            CART,
        ),
        rx.match(
            news.target,
            ("product", _("Ver el producto")),
            ("category", _("Ver parecidos")),
            ("catalog", _("Ver el catálogo")),
            _("Ver el carrito"),
        ),
    )
    return rx.el.li(
        rx.el.p(news.text, " ", rx.el.a(label, href=link, class_name="link"), class_name="cart-news__words"),
        rx.cond(
            news.is_dismissible,
            rx.el.button(
                icon("close", size=18),
                type="button",
                class_name="icon-button cart-news__dismiss",
                aria_label=_("Cerrar este aviso"),
                data_testid="cart-news-dismiss",
                on_click=CartState.dismiss_news(news.id),  # type: ignore[call-arg, arg-type]
            ),
        ),
        key=news.id,
        class_name="cart-news__entry",
        data_testid="cart-news-entry",
    )


def cart_news() -> rx.Component:
    """Build the notices of changes that the customer did not make. Screen readers announce new ones."""
    return rx.el.div(
        rx.cond(
            CartState.cart.news.length() > 0,
            rx.el.ul(
                rx.foreach(CartState.cart.news, news_entry), class_name="cart-news", data_testid="cart-news"
            ),
        ),
        role="status",
    )


@rx.memo
def cart_sheet() -> rx.Component:
    """Build the drawer: lines, total and the links to the checkout and to the cart."""
    cart = CartState.cart
    return sheet(
        KeepFocus.create(
            cart_news(),
            rx.cond(
                cart.count.to(int) > 0,
                rx.el.div(
                    cart_lines(),
                    rx.el.div(
                        rx.el.p(
                            rx.el.span(_("Subtotal")),
                            rx.el.strong(cart.subtotal_label, data_testid="drawer-total"),
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
            buttons=REMOVE_BUTTONS,
        ),
        name=CART_SHEET,
        label=_("Tu carrito"),
        close_label=_("Cerrar el carrito"),
        side="right",
    )
