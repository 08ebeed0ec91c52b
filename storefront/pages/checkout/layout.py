"""The checkout's page: the form and the purchase, and nothing that leads away from them."""

import reflex as rx

from backend.settings import load_settings
from backend.texts import _
from storefront.components.browser import Arrival, SessionWatch, icon
from storefront.components.change_bank import TEXTS as CHANGE_BANK
from storefront.components.change_bank import ChangeBank
from storefront.components.frame import CONTENT, notices, skip_link
from storefront.components.header import logo
from storefront.components.links import CART
from storefront.components.placeholders import bar, empty_cart, empty_state, waiting
from storefront.pages.checkout import texts
from storefront.pages.checkout.browser import Checkout, CheckoutForm, Stage, Stages
from storefront.pages.checkout.sections import contact, payment, shipping
from storefront.pages.checkout.state import CheckoutState
from storefront.pages.checkout.summary import summary
from storefront.state.cart import CartState

SETTINGS = load_settings()
LAST = CheckoutState.last


def quiet_frame(*content: rx.Component) -> rx.Component:
    """The page around its content: the shop's name, the way back, and who answers when something goes wrong."""
    dial = SETTINGS.store_phone.replace(" ", "")
    return rx.fragment(
        skip_link(),
        rx.el.header(
            rx.el.div(
                logo(),
                rx.el.a(
                    icon("left", size=20), _("Volver al carrito"), href=CART, class_name="checkout__back"
                ),
                class_name="header__row header__row--quiet",
            ),
            class_name="header",
        ),
        rx.el.main(*content, id=CONTENT, class_name="main main--checkout", custom_attrs={"tabIndex": -1}),
        rx.el.footer(
            rx.el.p(
                _("¿Dudas con tu compra?"),
                rx.el.a(icon("phone", size=20), SETTINGS.store_phone, href=f"tel:+57{dial}"),
                rx.el.a(icon("mail", size=20), SETTINGS.store_email, href=f"mailto:{SETTINGS.store_email}"),
            ),
            rx.el.p(f"{SETTINGS.store_legal_name} · NIT {SETTINGS.store_nit}", class_name="checkout__legal"),
            class_name="checkout__footer",
        ),
        notices(),
        Arrival.create(target=CONTENT),
        SessionWatch.create(),
    )


def open_checkout() -> rx.Component:
    """The form beside the purchase."""
    cart = CartState.cart
    return Checkout.create(
        rx.el.h1(_("Finaliza tu compra"), class_name="page-title"),
        rx.el.div(
            summary(),
            CheckoutForm.create(contact(), shipping(), payment()),
            class_name="checkout",
        ),
        cart=cart.id,
        total=cart.total,
        total_label=cart.total_label,
        draft=CheckoutState.draft,
        loaded_at=CheckoutState.loaded_at,
        noted=CheckoutState.noted,
        problems=CheckoutState.problems,
        shipping=CheckoutState.shipping,
        answer=CheckoutState.answer,
        is_payable=CheckoutState.is_payable,
        texts=texts.FORM,
        on_note=CheckoutState.note,
        on_ship=CheckoutState.ship,
        on_place=CheckoutState.place,
        on_stale=CheckoutState.follow,
    )


def order_link(text: str, kind: str = "quiet") -> rx.Component:
    """The way to the order that was placed last."""
    return rx.el.a(text, href=LAST.page, class_name=f"button button--{kind}", data_testid="see-order")


def placed() -> rx.Component:
    """The order exists and waits for its payment: the shopper is back from the bank, or never got there."""
    return empty_state(
        "order-pending",
        _("Tu pedido está esperando el pago"),
        _("Ya guardamos tu pedido y apartamos tus juguetes. Termina el pago en tu banco o mira cómo va."),
        rx.el.a(
            _("Ir a mi banco"),
            href=LAST.bank,
            class_name="button button--primary",
            custom_attrs={"reloadDocument": True},
            data_testid="go-to-bank",
        ),
        order_link(_("Ver mi pedido")),
        ChangeBank.create(
            answers=CheckoutState.changes, texts=CHANGE_BANK, on_change=CheckoutState.change_bank
        ),
        test_id="order-waiting",
    )


def nothing() -> rx.Component:
    """No cart; an order that was placed here before is still within reach."""
    return rx.fragment(
        empty_cart(),
        rx.cond(
            LAST.page != "",
            rx.el.p(
                rx.el.a(
                    _("Ver mi último pedido, el "),
                    LAST.number,
                    href=LAST.page,
                    data_testid="see-order",
                ),
                class_name="checkout__last",
            ),
        ),
    )


def skeleton() -> rx.Component:
    """The form to come."""

    def box(rows: int) -> rx.Component:
        lines = [rx.el.div(bar("30%"), bar("100%", "3rem"), class_name="field") for _row in range(rows)]
        return rx.el.section(
            bar("50%", "1.6rem"), rx.el.div(*lines, class_name="step__body"), class_name="step"
        )

    return rx.fragment(
        rx.el.h1(_("Finaliza tu compra"), class_name="page-title"),
        rx.el.div(
            rx.el.aside(rx.el.div(bar("100%", "3.25rem")), class_name="checkout__summary"),
            rx.el.div(box(5), box(1), class_name="checkout__form"),
            class_name="checkout",
            aria_hidden="true",
        ),
        waiting(),
    )


def page() -> rx.Component:
    """The whole page."""
    return quiet_frame(
        Stages.create(
            Stage.create(skeleton(), name="waiting"),
            Stage.create(open_checkout(), name="open"),
            Stage.create(placed(), name="placed"),
            Stage.create(nothing(), name="empty"),
            now=rx.cond(
                rx.State.is_hydrated, CheckoutState.stage, "waiting"
            ),  # what was before `load` is old news
        )
    )
