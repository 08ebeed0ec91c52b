"""The offer of an account on a guest's order: one press mails a link, and only the link opens the account."""

import reflex as rx
from reflex.vars import ObjectVar

from backend.core.texts import _
from backend.storefront_views.order_page import OrderView
from storefront.components.forms import BUSY, SubmitOnce, spinner_or_icon
from storefront.components.icons import icon
from storefront.pages.order.sections import section
from storefront.pages.order.state import OrderState
from storefront.reflex_ext.hooks import ABSENT


def account_section(order: ObjectVar[OrderView]) -> rx.Component:
    """Build the offer to open an account, if the order belongs to no account and its payment has not failed."""
    button = rx.el.button(
        spinner_or_icon("person", BUSY),
        rx.cond(BUSY, _("Enviando…"), _("Enviarme el enlace")),
        type="button",
        class_name="button button--quiet",
        on_click=OrderState.request_account,
        data_testid="request-account",
        data_once="",
        custom_attrs={"aria-busy": rx.cond(BUSY, "true", ABSENT)},
    )
    sent = rx.el.p(
        icon("check", size=20),
        _(
            "Listo: el enlace va al correo de este pedido. Sirve una sola vez y vence en un día. "
            "Si no llega, mira en el correo no deseado."
        ),
        class_name="account-form__said account-form__said--good",
        data_testid="account-requested",
    )
    is_sent = OrderState.account_link_order == order.id
    return rx.cond(
        order.can_open_account & ~order.can_retry,
        section(
            _("Tus compras en una cuenta"),
            rx.el.div(
                rx.el.p(
                    _(
                        "Con una cuenta ves juntos los pedidos que hiciste con tu correo y compras más rápido. "
                        "Te enviamos un enlace: solo con él se abre."
                    )
                ),
                rx.el.div(rx.cond(is_sent, sent), role="status"),
                rx.cond(~is_sent, SubmitOnce.create(button, answers=OrderState.answers)),
                class_name="order__account",
            ),
            name="cuenta",
        ),
    )
