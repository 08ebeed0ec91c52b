"""The checkout's page: the form and the purchase, and nothing that leads away from them."""

import reflex as rx

from backend.core.texts import _
from backend.legal.consents import BOXES
from storefront.components.cart import REMOVE_BUTTONS, cart_news
from storefront.components.change_bank import change_bank_button
from storefront.components.consents import consent_box
from storefront.components.forms import spinner_or
from storefront.components.frame import CONTENT, notices, skip_link
from storefront.components.header import logo
from storefront.components.icons import icon
from storefront.components.placeholders import bar, empty_cart, empty_state, waiting
from storefront.components.react_components import Arrival, CartTabs, KeepFocus, SessionWatch
from storefront.components.sharing import whatsapp
from storefront.links import CART, CHECKOUT, LEGAL_LINKS
from storefront.pages.checkout import texts
from storefront.pages.checkout.delivery import contact, shipping
from storefront.pages.checkout.error_texts import INTERRUPTED
from storefront.pages.checkout.fields import LABELS, WHERE, WHO
from storefront.pages.checkout.form import (
    BOOK,
    FORM,
    GO_TO_FIELD,
    IS_FREE,
    LIVE,
    Checkout,
    Departure,
    field_id,
    problem_at,
    tick,
)
from storefront.pages.checkout.payment import payment
from storefront.pages.checkout.state import CheckoutState
from storefront.pages.checkout.summary import summary
from storefront.reflex_ext.hooks import ABSENT, lasting
from storefront.state.cart import CartState
from storefront.state.frame import FrameState

SHOP = FrameState.shop
LAST = CheckoutState.last


def quiet_frame(*content: rx.Component) -> rx.Component:
    """The page around its content: the shop's name, the way back, and who answers when something goes wrong."""
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
                rx.el.a(icon("phone", size=20), SHOP.phone, href=SHOP.phone_link),
                rx.el.a(icon("mail", size=20), SHOP.email, href=SHOP.email_link),
                whatsapp(
                    _("Hola, tengo una pregunta sobre mi compra: {page}").format(
                        page=f"{SHOP.site}{CHECKOUT}"
                    ),
                    _("Escríbenos por WhatsApp"),
                ),
            ),
            rx.el.p(SHOP.legal, class_name="checkout__legal"),
            rx.el.ul(
                *(rx.el.li(rx.el.a(title, href=path, target="_blank")) for path, title in LEGAL_LINKS),
                class_name="checkout__links",
            ),
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
        news(),
        rx.el.div(
            summary(),
            rx.el.form(
                contact(),
                shipping(),
                payment(),
                rx.el.div(consents(), failure(), pay_button(), class_name="checkout__end"),
                class_name="checkout__form",
                no_validate=True,
                special_props=[FORM.form],
            ),
            class_name="checkout",
        ),
        CartTabs.create(cart=cart.id, on_stale=CheckoutState.follow),
        cart=cart.id,
        total=cart.total,
        draft=CheckoutState.draft,
        loaded_at=CheckoutState.loaded_at,
        noted=CheckoutState.noted,
        shipping=CheckoutState.shipping,
        answer=CheckoutState.answer,
        interrupted=INTERRUPTED,
        book=BOOK,
        where=WHERE,
        who=WHO,
        fields=list(LABELS),
        on_note=CheckoutState.note,
        on_ship=CheckoutState.ship,
        on_place=CheckoutState.place,
    )


def news() -> rx.Component:
    """Show what happened to the cart, before the shopper came here or since."""
    return KeepFocus.create(cart_news(), buttons=REMOVE_BUTTONS)


def consents() -> rx.Component:
    """The boxes that nobody buys without; they are empty until the shopper ticks them."""
    boxes = [
        consent_box(
            name, element_id=field_id(name), problem=problem_at(name), live=LIVE, special_props=tick(name)
        )
        for name in BOXES
    ]
    return rx.cond(CheckoutState.is_payable | IS_FREE, rx.el.div(*boxes, class_name="consents"))


def failure() -> rx.Component:
    """What the last press of the button came to, while there is something to do about it."""
    told = FORM.failure
    marked = [
        rx.cond(
            problem_at(name),
            rx.el.li(
                rx.el.a(label, href=f"#{field_id(name)}", custom_attrs={"onClick": GO_TO_FIELD}), key=name
            ),
        )
        for name, label in LABELS.items()
    ]
    fields = rx.cond(
        CheckoutState.problems.length() > 0,
        rx.el.div(
            icon("warning"),
            rx.el.div(
                rx.el.p(_("Revisa estos datos para poder pagar:"), class_name="alert__title"),
                rx.el.ul(*marked, class_name="alert__list"),
            ),
            class_name="alert",
        ),
    )
    to_cart = rx.fragment(" ", rx.el.a(_("Revisar mi carrito"), href=CART))
    other = rx.el.div(
        icon("warning"),
        rx.el.p(told.text, rx.cond(told.kind == "stock", to_cart)),
        class_name="alert",
        data_kind=told.kind,
    )
    return rx.el.div(
        rx.cond(FORM.failure, rx.cond(told.kind == "fields", fields, other)),
        role="alert",
        data_testid="checkout-alert",
        custom_attrs={"tabIndex": -1, "data-failure": ""},
    )


def pay_button() -> rx.Component:
    """Build the button that says what will be paid; while that is not known, or it is being placed, it waits."""
    is_busy = FORM.is_placing | FORM.is_pricing
    by_pse = _("Pagar {total} con PSE").format(total=CartState.cart.total_label)
    total = rx.cond(IS_FREE, _("Confirmar pedido: nada por pagar"), by_pse)
    words = rx.cond(
        FORM.is_placing,
        rx.cond(IS_FREE, _("Confirmando tu pedido…"), _("Abriendo tu banco…")),
        rx.cond(FORM.is_pricing, texts.PRICING, rx.cond(FORM.has_price, total, _("Pagar con PSE"))),
    )
    return rx.cond(
        CheckoutState.is_payable | IS_FREE,
        rx.el.button(
            spinner_or("lock", is_busy),
            rx.el.span(words),
            type="submit",
            class_name="button button--primary button--wide pay",
            data_testid="place-order",
            custom_attrs={
                "aria-disabled": rx.cond(is_busy, "true", ABSENT),
                "aria-busy": rx.cond(is_busy, "true", ABSENT),
            },
        ),
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
        change_bank_button(CheckoutState.changes, CheckoutState.change_bank),
        test_id="order-waiting",
    )


def nothing() -> rx.Component:
    """No cart; an order that was placed here before is still within reach."""
    return rx.fragment(
        news(),
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
    """The whole page: the stage that the purchase is in, which stays while a new connection does not know it yet."""
    now = rx.cond(rx.State.is_hydrated, CheckoutState.stage, "waiting")  # what was before `load` is old news
    return quiet_frame(
        Departure.create(answer=CheckoutState.answer),
        rx.match(
            lasting(now, now != "waiting").to(str),
            ("open", open_checkout()),
            ("placed", placed()),
            ("empty", nothing()),
            skeleton(),
        ),
    )
