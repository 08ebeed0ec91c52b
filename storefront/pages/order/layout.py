"""The order's page: the status of its payment first, then everything that PSE requires and a shopper wants to know."""

import reflex as rx
from reflex.vars import ObjectVar

from backend.core.texts import _
from backend.invoices.files import BuyersInvoice
from backend.storefront_views.order_page import OrderView
from backend.storefront_views.returns_page import ReturnsView
from storefront.components.change_bank import change_bank_button
from storefront.components.forms import BUSY, Once, spinner_or
from storefront.components.frame import framed
from storefront.components.icons import icon
from storefront.components.placeholders import bar, link_button, not_found, until
from storefront.components.react_components import on_nothing
from storefront.links import CATALOG, FIND_ORDER
from storefront.pages.order import texts
from storefront.pages.order.invoices import invoices
from storefront.pages.order.returns import returns
from storefront.pages.order.sections import delivery, nothing_paid, payment, purchase
from storefront.pages.order.state import ORDER_ID, UNKNOWN, OrderState
from storefront.reflex_ext.hooks import ABSENT, address_part, script

PAUSES = {"bank": [4, 5, 6, 8, 10, 15, 20, 30], "road": [120, 180, 300]}
"""Seconds between two questions how an order stands: often while the bank decides, seldom while it travels."""
SOON = {"bank": 3.5, "road": 30}
"""Seconds in which a page that was just asked for is as good as new."""


class OrderWatch(rx.Component):
    """Asks how the order stands, at once and after every pause: see `assets/scripts/order.jsx`."""

    library = script("order")
    tag = "OrderWatch"
    pauses: rx.Var[list[int]]
    soon: rx.Var[float]
    on_ask: rx.EventHandler[on_nothing]  # type: ignore[type-arg, valid-type]


def by_status(status: rx.Var[str], words: dict[str, str]) -> rx.Var[str]:
    """The words for a status; those of a pending one for a status nobody knows."""
    return rx.match(status, *words.items(), next(iter(words.values())))


def title(order: ObjectVar[OrderView]) -> rx.Var[str]:
    """Return the payment first; once it is paid, how far the parcels are."""
    paid = rx.match(order.journey, *texts.JOURNEY_TITLES.items(), by_status(order.status, texts.TITLES))
    is_confirmed = (order.total == 0) & (order.status == "paid") & (order.journey == "preparing")
    is_canceled = (order.total == 0) & (order.status == "canceled")
    return rx.cond(is_confirmed, texts.FREE_TITLE, rx.cond(is_canceled, texts.TITLES["returning"], paid)).to(
        str
    )


def explanation(order: ObjectVar[OrderView]) -> rx.Var[str]:
    """What the title means for the shopper."""
    is_sent_unpaid = (order.status == "authorized") & (order.journey == "shipped")
    words = rx.match(order.journey, *texts.JOURNEY_WORDS.items(), by_status(order.status, texts.EXPLANATIONS))
    free = rx.match(
        order.journey,
        ("preparing", texts.FREE_WORDS),
        ("shipped", texts.FREE_SHIPPED),
        rx.cond(order.status == "canceled", texts.FREE_CANCELED, words),
    )
    return rx.cond(order.total == 0, free, rx.cond(is_sent_unpaid, texts.SENT_UNPAID, words)).to(str)


def pace(order: ObjectVar[OrderView]) -> rx.Var[str]:
    """What the open page waits for: the bank, the road, or nothing any more."""
    is_on_the_way = (order.status == "paid") & (order.journey != "delivered")
    return rx.cond(~order.is_final, "bank", rx.cond(is_on_the_way, "road", ""))


def status(order: ObjectVar[OrderView]) -> rx.Component:
    """How it stands, and what can be done about it."""
    bank = OrderState.content.bank
    return rx.el.header(
        rx.el.img(
            src=by_status(order.status, texts.DRAWINGS),
            alt="",
            class_name="order__drawing",
            custom_attrs={"width": 240, "height": 180},
        ),
        rx.el.div(
            rx.el.p(_("Pedido "), order.number, class_name="order__number", data_testid="order-number"),
            rx.el.div(
                rx.el.h1(title(order), class_name="order__title"),
                rx.el.p(explanation(order), class_name="order__words"),
                role="status",
                data_testid="order-status",
                data_status=order.status,
                data_journey=order.journey,
            ),
            rx.cond(
                (order.status == "paid") & (order.journey != "delivered"),
                rx.el.p(_("Guarda este enlace: aquí verás cómo va tu entrega."), class_name="order__words"),
            ),
            rx.cond(
                order.paid_label != "",
                rx.el.p(
                    _("Recibimos {paid} de {total}.").format(paid=order.paid_label, total=order.total_label),
                    rx.cond(
                        order.missing_label != "",
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
                    try_again(),
                ),
                rx.cond(
                    order.status == "paid",
                    rx.el.a(_("Seguir mirando juguetes"), href=CATALOG, class_name="button button--primary"),
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
            class_name="order__say",
        ),
        class_name="order__status",
        data_status=order.status,
    )


def try_again() -> rx.Component:
    """The button that brings the cart of a lost order back."""
    button = rx.el.button(
        spinner_or("back", BUSY),
        rx.cond(BUSY, texts.BRINGING, texts.AGAIN),
        type="button",
        class_name="button button--primary",
        on_click=OrderState.try_again,
        data_testid="try-again",
        data_once="",
        custom_attrs={"aria-busy": rx.cond(BUSY, "true", ABSENT)},
    )
    return Once.create(button, answers=OrderState.answers)


def order_page(order: ObjectVar[OrderView]) -> rx.Component:
    """The order of this address."""
    content = OrderState.content
    return rx.el.article(
        status(order),
        rx.el.div(
            rx.el.div(
                purchase(order),
                delivery(order),
                invoices(order.invoices.to(list[BuyersInvoice]), content.token),
                returns(order.returns.to(ReturnsView), content.ask, content.said),
                class_name="order__column",
            ),
            rx.cond(order.total == 0, nothing_paid(order), payment(order)),
            class_name="order__columns",
        ),
        *(
            rx.cond(
                pace(order) == waited_for,
                OrderWatch.create(pauses=pauses, soon=SOON[waited_for], on_ask=OrderState.refresh),
            )
            for waited_for, pauses in PAUSES.items()
        ),
        class_name="order",
    )


def skeleton() -> rx.Component:
    """The order to come."""
    return rx.el.div(
        rx.el.div(
            rx.el.div(class_name="order__drawing bone"),
            rx.el.div(bar("30%"), bar("70%", "2.4rem"), bar("90%"), bar("60%"), class_name="order__say"),
            class_name="order__status",
        ),
        class_name="order",
        aria_hidden="true",
    )


def page() -> rx.Component:
    """The whole page. An order that is not this address's is never shown."""
    content = OrderState.content
    return framed(
        until(
            OrderState.is_ready & (content.order_id == address_part(ORDER_ID)),
            OrderState.has_failed,
            OrderState.load,
            skeleton(),
            rx.cond(
                content.order,
                order_page(content.order.to(OrderView)),
                not_found(
                    UNKNOWN,
                    _("Revisa que el enlace esté completo, tal como te llegó."),
                    link_button(_("Encuentra tu pedido"), FIND_ORDER),
                ),
            ),
        ),
        class_name="main--order",
    )
