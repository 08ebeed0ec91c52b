"""The checkout's page: the form and the order summary, without links that distract from paying."""

import reflex as rx
from reflex.vars import ArrayVar, StringVar

from backend.core.config.modules import GATEWAY_PSE
from backend.core.texts import _
from backend.legal.consents import CHECKBOXES
from storefront.components.cart import REMOVE_BUTTONS, cart_news
from storefront.components.change_bank import change_bank_button
from storefront.components.consents import consent_box
from storefront.components.forms import Text, spinner_or_icon
from storefront.components.frame import CONTENT_ID, notices, skip_link
from storefront.components.header import logo
from storefront.components.icons import icon
from storefront.components.placeholders import empty_cart, empty_state, loading_notice, skeleton_bar
from storefront.components.react_components import Arrival, CartTabs, KeepFocus, SessionWatch
from storefront.components.sharing import whatsapp_button
from storefront.links import CART, CHECKOUT, LEGAL_LINKS
from storefront.pages.checkout import texts
from storefront.pages.checkout.delivery import contact_step, shipping_step
from storefront.pages.checkout.error_texts import INTERRUPTED
from storefront.pages.checkout.fields import ADDRESS_FIELDS, LABELS, NAME_FIELDS
from storefront.pages.checkout.form import (
    BOOK,
    CHOSEN_METHOD,
    FORM,
    GO_TO_FIELD,
    IS_FREE,
    LIVE,
    PAYMENT,
    Checkout,
    Departure,
    checkbox_props,
    field_id,
    problem_text,
    provider_field_id,
)
from storefront.pages.checkout.payment import payment_step
from storefront.pages.checkout.state import CheckoutState
from storefront.pages.checkout.summary import purchase_summary
from storefront.reflex_ext.hooks import ABSENT, last_known
from storefront.state.cart import CartState
from storefront.state.frame import FrameState

SHOP = FrameState.shop
LAST = CheckoutState.last_order_view


def quiet_frame(*content: rx.Component) -> rx.Component:
    """Build the reduced frame around the content: the shop's name, a link to the cart, and contact data for help."""
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
        rx.el.main(*content, id=CONTENT_ID, class_name="main main--checkout", custom_attrs={"tabIndex": -1}),
        rx.el.footer(
            rx.el.p(
                _("¿Dudas con tu compra?"),
                rx.el.a(icon("phone", size=20), SHOP.phone, href=SHOP.phone_link),
                rx.el.a(icon("mail", size=20), SHOP.email, href=SHOP.email_link),
                whatsapp_button(
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
        Arrival.create(target=CONTENT_ID),
        SessionWatch.create(),
    )


def open_checkout() -> rx.Component:
    """Build the form next to the order summary."""
    cart = CartState.cart
    return Checkout.create(
        rx.el.h1(_("Finaliza tu compra"), class_name="page-title"),
        cart_news_list(),
        rx.el.div(
            purchase_summary(),
            rx.el.form(
                contact_step(),
                shipping_step(),
                payment_step(),
                rx.el.div(consent_list(), failure_alert(), pay_button(), class_name="checkout__end"),
                class_name="checkout__form",
                no_validate=True,
                special_props=[FORM.form],
            ),
            class_name="checkout",
        ),
        CartTabs.create(cart=cart.id, on_stale=CheckoutState.follow_cart),
        cart=cart.id,
        total=cart.total,
        draft=CheckoutState.draft,
        loaded_at=CheckoutState.loaded_at,
        noted=CheckoutState.noted,
        shipping=CheckoutState.shipping,
        answer=CheckoutState.answer,
        interrupted_text=INTERRUPTED,
        book=BOOK,
        address_fields=ADDRESS_FIELDS,
        name_fields=NAME_FIELDS,
        fields=rx.Var.create(list(LABELS)).to(ArrayVar, list[str]) + PAYMENT.field_names,
        on_note=CheckoutState.save_note,
        on_ship=CheckoutState.price_shipping,
        on_place=CheckoutState.place_order,
    )


def cart_news_list() -> rx.Component:
    """Build the notices about changes of the cart."""
    return KeepFocus.create(cart_news(), buttons=REMOVE_BUTTONS)


def consent_list() -> rx.Component:
    """Build the checkboxes that are required to buy. They are not ticked at first."""
    boxes = [
        consent_box(
            name,
            element_id=field_id(name),
            problem=problem_text(name),
            live=LIVE,
            special_props=checkbox_props(name),
        )
        for name in CHECKBOXES
    ]
    return rx.cond(CheckoutState.is_payable | IS_FREE, rx.el.div(*boxes, class_name="consents"))


def failure_alert() -> rx.Component:
    """Build the alert that explains why the latest attempt to place the order failed."""
    result = FORM.failure
    marked = [problem_link(name, label, f"#{field_id(name)}") for name, label in LABELS.items()]
    further = rx.foreach(
        PAYMENT.methods,
        lambda method: rx.foreach(
            method.fields,
            lambda one: problem_link(one.name, one.label, "#" + provider_field_id(one).to(StringVar)),
        ),
    )
    fields = rx.cond(
        CheckoutState.problems.length() > 0,
        rx.el.div(
            icon("warning"),
            rx.el.div(
                rx.el.p(_("Revisa estos datos para poder pagar:"), class_name="alert__title"),
                rx.el.ul(*marked, further, class_name="alert__list"),
            ),
            class_name="alert",
        ),
    )
    to_cart = rx.fragment(" ", rx.el.a(_("Revisar mi carrito"), href=CART))
    other = rx.el.div(
        icon("warning"),
        rx.el.p(result.text, rx.cond(result.kind == "stock", to_cart)),
        class_name="alert",
        data_kind=result.kind,
    )
    return rx.el.div(
        rx.cond(FORM.failure, rx.cond(result.kind == "fields", fields, other)),
        role="alert",
        data_testid="checkout-alert",
        custom_attrs={"tabIndex": -1, "data-failure": ""},
    )


def problem_link(name: Text, label: Text, href: Text) -> rx.Component:
    """Build the link to a field, if the field has a problem."""
    return rx.cond(
        problem_text(name),
        rx.el.li(rx.el.a(label, href=href, custom_attrs={"onClick": GO_TO_FIELD}), key=name),
    )


def pay_button() -> rx.Component:
    """Build the button that pays, with the amount. It is busy while the price is calculated or the order is placed."""
    is_busy = FORM.is_placing | FORM.is_pricing
    is_by_pse = CHOSEN_METHOD == GATEWAY_PSE
    total = CartState.cart.total_label
    priced = rx.cond(
        is_by_pse,
        _("Pagar {total} con PSE").format(total=total),
        _("Confirmar pedido por {total}").format(total=total),
    )
    unpriced = rx.cond(is_by_pse, _("Pagar con PSE"), _("Confirmar pedido"))
    words = rx.cond(
        FORM.is_placing,
        rx.cond(IS_FREE | ~is_by_pse, _("Confirmando tu pedido…"), _("Abriendo tu banco…")),
        rx.cond(
            FORM.is_pricing,
            texts.PRICING,
            rx.cond(
                FORM.has_price, rx.cond(IS_FREE, _("Confirmar pedido: nada por pagar"), priced), unpriced
            ),
        ),
    )
    return rx.cond(
        CheckoutState.is_payable | IS_FREE,
        rx.el.button(
            spinner_or_icon("lock", is_busy),
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
    """Build the link to the latest order."""
    return rx.el.a(text, href=LAST.page, class_name=f"button button--{kind}", data_testid="see-order")


def placed_notice() -> rx.Component:
    """Build the message that the order exists but is not paid: the customer has not paid at the bank yet."""
    return empty_state(
        "order-pending",
        _("Tu pedido está esperando el pago"),
        _("Ya guardamos tu pedido y apartamos tus productos. Termina el pago en tu banco o mira cómo va."),
        rx.el.a(
            _("Ir a mi banco"),
            href=LAST.bank_url,
            class_name="button button--primary",
            custom_attrs={"reloadDocument": True},
            data_testid="go-to-bank",
        ),
        order_link(_("Ver mi pedido")),
        change_bank_button(CheckoutState.changes, CheckoutState.change_bank),
        test_id="order-waiting",
    )


def empty_checkout() -> rx.Component:
    """Build the page for a browser without a cart. It links to the latest order, if there is one."""
    return rx.fragment(
        cart_news_list(),
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
    """Build the skeleton of the form."""

    def box(rows: int) -> rx.Component:
        lines = [
            rx.el.div(skeleton_bar("30%"), skeleton_bar("100%", "3rem"), class_name="field")
            for _row in range(rows)
        ]
        return rx.el.section(
            skeleton_bar("50%", "1.6rem"), rx.el.div(*lines, class_name="step__body"), class_name="step"
        )

    return rx.fragment(
        rx.el.h1(_("Finaliza tu compra"), class_name="page-title"),
        rx.el.div(
            rx.el.aside(rx.el.div(skeleton_bar("100%", "3.25rem")), class_name="checkout__summary"),
            rx.el.div(box(5), box(1), class_name="checkout__form"),
            class_name="checkout",
            aria_hidden="true",
        ),
        loading_notice(),
        key="skeleton",  # else React moves its elements into the content that follows: a layout shift
    )


def page() -> rx.Component:
    """Build the checkout page. Its content depends on the stage of the purchase.

    After a reconnection, the previous stage is displayed until the current one is known.
    """
    now = rx.cond(
        rx.State.is_hydrated, CheckoutState.stage, "waiting"
    )  # before `load`, the stage is outdated
    return quiet_frame(
        Departure.create(answer=CheckoutState.answer),
        rx.match(
            last_known(now, now != "waiting").to(str),
            ("open", open_checkout()),
            ("placed", placed_notice()),
            ("empty", empty_checkout()),
            skeleton(),
        ),
    )
