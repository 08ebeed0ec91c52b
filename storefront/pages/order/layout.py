"""The order's page: first the status of its payment, then the data that PSE requires and the details of the order."""

import reflex as rx
from reflex.vars import ObjectVar

from backend.core.texts import _
from backend.invoices.files import CustomerInvoice
from backend.orders.promised_days import OrderPromise
from backend.storefront_views.order_page import OrderView
from backend.storefront_views.returns_page import ReturnsView
from storefront.components.change_bank import METHOD_TEXTS, change_bank_button
from storefront.components.forms import BUSY, SubmitOnce, spinner_or_icon
from storefront.components.frame import page_frame
from storefront.components.icons import icon
from storefront.components.placeholders import link_button, loaded_content, not_found_state, skeleton_bar
from storefront.components.react_components import on_nothing
from storefront.links import CATALOG, FIND_ORDER
from storefront.pages.order import texts
from storefront.pages.order.account import account_section
from storefront.pages.order.invoices import invoices_section
from storefront.pages.order.returns import returns_section
from storefront.pages.order.sections import (
    delivery_section,
    free_order_payment,
    instructions_section,
    payment_section,
    purchase_section,
)
from storefront.pages.order.state import ORDER_ID, UNKNOWN, OrderState
from storefront.reflex_ext.hooks import ABSENT, address_part, script
from storefront.state.frame import FrameState

POLL_PAUSES_S = {"bank": [4, 5, 6, 8, 10, 15, 20, 30], "road": [120, 180, 300]}
"""Pauses between two refreshes, in seconds: short while the bank decides, long while the parcel is on its way."""
FRESH_S = {"bank": 3.5, "road": 30}
"""Seconds during which a loaded page needs no refresh."""


class OrderWatch(rx.Component):
    """Runs `on_ask` immediately and after every pause: see `assets/scripts/order.jsx`."""

    library = script("order")
    tag = "OrderWatch"
    pauses: rx.Var[list[int]]
    fresh_seconds: rx.Var[float]
    on_ask: rx.EventHandler[on_nothing]  # type: ignore[type-arg, valid-type]


def text_by_status(status: rx.Var[str], words: dict[str, str]) -> rx.Var[str]:
    """Return the text for a status. An unknown status gets the text of a pending order."""
    return rx.match(status, *words.items(), next(iter(words.values())))


def status_title(order: ObjectVar[OrderView]) -> rx.Var[str]:
    """Return the title of the page: the state of the payment or, after the payment, the state of the delivery."""
    paid = rx.match(order.journey, *texts.JOURNEY_TITLES.items(), text_by_status(order.status, texts.TITLES))
    full = rx.cond(is_held_unsent(order), texts.TITLES["review"], paid)
    title = rx.cond(is_paid_in_part(order), texts.PART_TITLE, full)
    is_confirmed = (order.total == 0) & (order.status == "paid") & (order.journey == "preparing")
    is_canceled = (order.total == 0) & (order.status == "canceled")
    return rx.cond(is_confirmed, texts.FREE_TITLE, rx.cond(is_canceled, texts.TITLES["returning"], title)).to(
        str
    )


def is_paid_in_part(order: ObjectVar[OrderView]) -> rx.Var[bool]:
    """Return a variable that is True if a part of the total is unpaid and nothing was sent."""
    return (order.missing_label != "") & (order.status == "paid") & (order.journey == "preparing")


def is_held_unsent(order: ObjectVar[OrderView]) -> rx.Var[bool]:
    """Return a variable that is True if nothing was sent, and staff have to decide about the payment first."""
    return order.is_held & (order.status == "paid") & (order.journey == "preparing")


def status_text(order: ObjectVar[OrderView]) -> rx.Var[str]:
    """Return the explanation of the order's status, which is displayed below the title."""
    is_sent_unpaid = (order.status == "authorized") & (order.journey == "shipped")
    is_unpaid_here = (order.status == "authorized") & (
        (order.journey == "out") | (order.journey == "to_collect")
    )
    journey = rx.match(
        order.journey, *texts.JOURNEY_WORDS.items(), text_by_status(order.status, texts.EXPLANATIONS)
    )
    has_no_place = (order.journey == "to_collect") & (order.delivery_note == "")
    words = rx.cond(has_no_place, texts.COLLECT_ANYWHERE, journey)
    free = rx.match(
        order.journey,
        ("preparing", texts.FREE_WORDS),
        ("shipped", texts.FREE_SHIPPED),
        rx.cond(order.status == "canceled", texts.FREE_CANCELED, words),
    )
    has_instructions = (order.payment.instructions != "") & (order.journey == "")
    unpaid = rx.cond(is_unpaid_here, texts.UNPAID_HERE, rx.cond(has_instructions, texts.PAY_AS_AGREED, words))
    failed = rx.cond(order.has_dismissed_money, texts.DISMISSED_MONEY, unpaid)
    held = rx.cond(is_paid_in_part(order), texts.PART_WORDS, texts.HELD_WORDS)
    due = rx.cond(is_held_unsent(order), held, failed)
    return rx.cond(order.total == 0, free, rx.cond(is_sent_unpaid, texts.SENT_UNPAID, due)).to(str)


def poll_kind(order: ObjectVar[OrderView]) -> rx.Var[str]:
    """Return why the open page must refresh: `bank` (payment pending), `road` (not delivered yet), or empty."""
    is_at_home = (order.journey == "delivered") | (order.journey == "picked_up")
    is_on_the_way = (order.status == "paid") & ~is_at_home
    return rx.cond(~order.is_final, "bank", rx.cond(is_on_the_way, "road", ""))


def status_header(order: ObjectVar[OrderView]) -> rx.Component:
    """Build the status of the order, and the possible actions."""
    bank = OrderState.content.bank_url
    return rx.el.header(
        rx.cond(
            FrameState.brand.is_demo,
            rx.el.img(
                src=text_by_status(order.status, texts.DRAWINGS),
                alt="",
                class_name="order__drawing",
                custom_attrs={"width": 240, "height": 180},
            ),
            rx.el.span(
                icon(text_by_status(order.status, texts.ICONS), size=56),
                class_name="order__drawing illustration",
            ),
        ),
        rx.el.div(
            rx.el.p(_("Pedido "), order.number, class_name="order__number", data_testid="order-number"),
            rx.el.div(
                rx.el.h1(status_title(order), class_name="order__title"),
                rx.el.p(status_text(order), class_name="order__words"),
                role="status",
                data_testid="order-status",
                data_status=order.status,
                data_journey=order.journey,
            ),
            promise_text(order.promise.to(OrderPromise), order.delivery_kind),
            rx.cond(
                (order.status == "paid") & (order.journey != "delivered") & (order.journey != "picked_up"),
                rx.el.p(_("Guarda este enlace: aquí verás cómo va tu pedido."), class_name="order__words"),
            ),
            rx.cond(
                order.paid_label != "",
                rx.el.p(
                    _("Recibimos {paid} de {total}.").format(paid=order.paid_label, total=order.total_label),
                    rx.cond(
                        (order.missing_label != "") & (OrderState.content.difference_path == ""),
                        _(" Faltan {missing}: escríbenos para acordar cómo los pagas.").format(
                            missing=order.missing_label
                        ),
                        "",
                    ),
                    class_name="order__words",
                    data_testid="order-received",
                ),
            ),
            rx.cond(
                OrderState.content.difference_path != "",
                rx.el.p(
                    _(
                        "Cambiamos tu pedido como lo acordamos contigo. Lo empacamos cuando pagues la diferencia. "
                    ),
                    rx.el.a(
                        _("Pagar {missing}").format(missing=order.missing_label),
                        href=OrderState.content.difference_path,
                        class_name="button button--primary",
                        data_testid="pay-difference",
                    ),
                    class_name="order__words",
                ),
            ),
            rx.cond(
                order.refunded_label != "",
                rx.el.p(
                    _("Te devolvimos "),
                    rx.el.b(order.refunded_label, data_testid="order-refunded"),
                    ".",
                    class_name="order__words",
                ),
            ),
            rx.cond(
                (order.status == "pending") | (order.status == "held"),
                rx.el.p(
                    rx.el.span(class_name="spinner", aria_hidden="true"),
                    _("Consultando a tu banco…"),
                    class_name="order__asking",
                ),
            ),
            rx.el.div(
                rx.cond(
                    order.can_retry,
                    retry_button(),
                ),
                rx.cond(
                    order.status == "paid",
                    rx.el.a(_("Seguir mirando"), href=CATALOG, class_name="button button--primary"),
                ),
                rx.cond(
                    bank != "",
                    rx.el.a(
                        icon("bank", size=20),
                        _("Volver a mi banco"),
                        href=bank,
                        class_name="button button--dark",
                        custom_attrs={"reloadDocument": True},
                        data_testid="go-to-bank",
                    ),
                ),
                rx.el.button(
                    icon("print", size=20),
                    _("Imprimir"),
                    type="button",
                    class_name="button button--quiet",
                    data_testid="print-order",
                    custom_attrs={"onClick": rx.Var("() => window.print()")},
                ),
                class_name="order__actions",
            ),
            rx.cond(
                order.can_change_bank,
                rx.el.div(
                    change_bank_button(OrderState.answers, OrderState.change_bank), class_name="order__change"
                ),
            ),
            rx.cond(
                order.can_change_method,
                rx.el.div(
                    change_bank_button(OrderState.answers, OrderState.change_bank, METHOD_TEXTS),
                    class_name="order__change",
                ),
            ),
            class_name="order__say",
        ),
        class_name="order__status",
        data_status=order.status,
    )


def promise_text(promise: ObjectVar[OrderPromise], kind: rx.Var[str]) -> rx.Component:
    """Build the text of the promised day and, if the customer saw an earlier day before paying, of the delay."""
    return rx.cond(
        promise.text != "",
        rx.el.p(
            icon(rx.cond(kind == "pickup", "store", "truck"), size=20),
            rx.el.b(promise.text),
            rx.cond(promise.delay != "", rx.fragment(" ", promise.delay), ""),
            class_name="order__promise",
            data_testid="order-promise",
        ),
    )


def retry_button() -> rx.Component:
    """Build the button that restores the cart of an unpaid order."""
    button = rx.el.button(
        spinner_or_icon("back", BUSY),
        rx.cond(BUSY, texts.RESTORING_CART, texts.RETRY),
        type="button",
        class_name="button button--primary",
        on_click=OrderState.try_again,
        data_testid="try-again",
        data_once="",
        custom_attrs={"aria-busy": rx.cond(BUSY, "true", ABSENT)},
    )
    return SubmitOnce.create(button, answers=OrderState.answers)


def order_page(order: ObjectVar[OrderView]) -> rx.Component:
    """Build the content of an order's page."""
    content = OrderState.content
    return rx.el.article(
        status_header(order),
        rx.el.div(
            rx.el.div(
                rx.cond(order.payment.instructions != "", instructions_section(order)),
                purchase_section(order),
                delivery_section(order),
                account_section(order),
                invoices_section(order.invoices.to(list[CustomerInvoice]), content.token),
                returns_section(order.returns.to(ReturnsView), content.form_action, content.result),
                class_name="order__column",
            ),
            rx.cond(order.total == 0, free_order_payment(order), payment_section(order)),
            class_name="order__columns",
        ),
        *(
            rx.cond(
                poll_kind(order) == kind,
                OrderWatch.create(pauses=pauses, fresh_seconds=FRESH_S[kind], on_ask=OrderState.refresh),
            )
            for kind, pauses in POLL_PAUSES_S.items()
        ),
        class_name="order",
    )


def skeleton() -> rx.Component:
    """Build the skeleton of an order's page."""
    return rx.el.div(
        rx.el.div(
            rx.el.div(class_name="order__drawing bone"),
            rx.el.div(
                skeleton_bar("30%"),
                skeleton_bar("70%", "2.4rem"),
                skeleton_bar("90%"),
                skeleton_bar("60%"),
                class_name="order__say",
            ),
            class_name="order__status",
        ),
        class_name="order",
        aria_hidden="true",
    )


def page() -> rx.Component:
    """Build the whole page. It displays only the order in the URL, never an order that was loaded before."""
    content = OrderState.content
    return page_frame(
        loaded_content(
            OrderState.is_ready & (content.order_id == address_part(ORDER_ID)),
            OrderState.has_failed,
            OrderState.load,
            skeleton(),
            rx.cond(
                content.order,
                order_page(content.order.to(OrderView)),
                not_found_state(
                    UNKNOWN,
                    _("Revisa que el enlace esté completo, tal como te llegó."),
                    link_button(_("Encuentra tu pedido"), FIND_ORDER),
                ),
            ),
        ),
        class_name="main--order",
    )
