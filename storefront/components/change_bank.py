"""Letting go of a payment that waits at the bank."""

import logging
from dataclasses import dataclass
from typing import Any

import reflex as rx

from backend.app import current_shop
from backend.cart.checkout_drafts import save_draft
from backend.core.error_texts import FAILURE, NOTICE, text_for
from backend.core.errors import Conflict, ShopError
from backend.core.outage import DatabaseUnavailable
from backend.core.texts import _
from storefront.components.forms import BUSY, AskFirst, Once, spinner_or
from storefront.reflex_ext.hooks import ABSENT
from storefront.state.cart import CartState, use_own_cart
from storefront.state.frame import COMING_BACK

log = logging.getLogger(__name__)


def change_bank_button(answers: rx.Var[int], on_change: Any) -> rx.Component:
    """The button. The first press says what it means, the second one does it, once.

    Args:
        answers: another number after every answer to `on_change`.
        on_change: the event that lets go of the payment.
    """
    title, words = "cambiar-banco", "cambiar-banco-nota"
    button = rx.el.button(
        _("Cancelar y elegir otro banco"),
        type="button",
        class_name="button button--quiet",
        data_testid="change-bank",
        data_asks="",
    )
    busy = rx.cond(BUSY, "true", ABSENT)
    question = rx.el.div(
        rx.el.p(_("¿Cancelar este pago?"), id=title, class_name="change-bank__title"),
        rx.el.p(
            _(
                "Si ya aprobaste el pago en tu banco, no canceles: espera aquí la confirmación. Si cancelas y el banco "
                "lo aprueba de todos modos, ese pago vale para este pedido o te devolvemos el dinero."
            ),
            id=words,
        ),
        rx.el.div(
            rx.el.button(
                spinner_or("back", BUSY),
                rx.cond(BUSY, _("Preguntando a tu banco…"), _("Sí, cancelar y elegir otro banco")),
                type="button",
                class_name="button button--dark",
                on_click=on_change,
                data_testid="change-bank",
                data_once="",
                custom_attrs={"aria-disabled": busy, "aria-busy": busy},
            ),
            rx.el.button(
                _("Seguir esperando"),
                type="button",
                class_name="button button--quiet",
                data_testid="keep-waiting",
                data_stays="",
                custom_attrs={"aria-disabled": busy},
            ),
            class_name="change-bank__actions",
        ),
        role="group",
        class_name="change-bank",
        aria_labelledby=title,
        aria_describedby=words,
        data_testid="change-bank-question",
        data_first="",
        custom_attrs={"tabIndex": -1},
    )
    return Once.create(AskFirst.create(button, question), answers=answers)


@dataclass(frozen=True, slots=True)
class Changed:
    """The result of closing the payment: a cart to pay, or a problem to tell; neither when it has ended meanwhile."""

    has_cart: bool = False
    problem: str = ""


async def change_bank(state: rx.State, order_id: str, token: str) -> Changed:
    """Close the order's payment, and bring its cart back as this browser's, with its bank to choose again.

    Called outside the state's lock: the gateway is asked first.
    """
    try:
        async with state:
            cart = await state.get_state(CartState)
            await use_own_cart(cart)  # nothing is put into a cart that is somebody else's
            present = cart.cart_id
        shop = current_shop()
        cart_id = await shop.placed_orders.change_bank(order_id, token, present)
        async with shop.database.transaction() as session:
            await save_draft(session, cart_id, {"bank": ""})  # the one that was chosen is what was wrong
        async with state:
            (await state.get_state(CartState)).cart_id = cart_id
    except Conflict as error:
        log.info("order %s has its end: %s", order_id, error.message)
        return Changed()
    except ShopError as error:
        log.info("the bank of order %s stays: %s: %s", order_id, type(error).__name__, error.message)
        return Changed(problem=text_for(error, NOTICE))
    except DatabaseUnavailable:
        return Changed(problem=COMING_BACK)
    except Exception:
        log.exception("the bank of order %s could not be changed", order_id)
        return Changed(problem=FAILURE)
    return Changed(has_cart=True)
