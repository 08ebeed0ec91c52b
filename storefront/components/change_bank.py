"""Button and action to cancel an unpaid payment, so that the customer can use another bank or pay in another way."""

import logging
from dataclasses import dataclass
from typing import Any

import reflex as rx

from backend.app import current_shop
from backend.cart.checkout_drafts import save_draft
from backend.checkout.form import PAYMENT_PROVIDER
from backend.core.error_texts import FAILURE, NOTICE, text_for
from backend.core.errors import Conflict, ShopError
from backend.core.outage import DatabaseUnavailable
from backend.core.texts import _
from storefront.components.forms import BUSY, AskFirst, SubmitOnce, spinner_or_icon
from storefront.reflex_ext.hooks import ABSENT
from storefront.state.cart import CartState, use_own_cart
from storefront.state.frame import SHOP_UNAVAILABLE

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class ChangeTexts:
    """Texts of the button that cancels an unpaid payment, and of its confirmation question."""

    button: str
    question: str
    note: str
    busy: str
    confirm: str
    keep: str


BANK_TEXTS = ChangeTexts(
    button=_("Cancelar y elegir otro banco"),
    question=_("¿Cancelar este pago?"),
    note=_(
        "Si ya aprobaste el pago en tu banco, no canceles: espera aquí la confirmación. Si cancelas y el banco "
        "lo aprueba de todos modos, ese pago vale para este pedido o te devolvemos el dinero."
    ),
    busy=_("Preguntando a tu banco…"),
    confirm=_("Sí, cancelar y elegir otro banco"),
    keep=_("Seguir esperando"),
)
METHOD_TEXTS = ChangeTexts(
    button=_("Pagar de otra forma"),
    question=_("¿Elegir otra forma de pago?"),
    note=_(
        "Si ya enviaste el dinero, no sigas: espera aquí la confirmación. Si no, este pedido se cancela y tus "
        "productos vuelven al carrito para pagarlos de otra forma."
    ),
    busy=_("Un momento…"),
    confirm=_("Sí, pagar de otra forma"),
    keep=_("Dejarlo así"),
)


def change_bank_button(answers: rx.Var[int], on_change: Any, texts: ChangeTexts = BANK_TEXTS) -> rx.Component:
    """Build the button to choose another bank. The first click asks for confirmation, the second cancels the payment.

    Further clicks are ignored until the answer arrives.

    Args:
        answers: a number that changes after every answer to `on_change`.
        on_change: the event that cancels the payment.
        texts: the texts of the button and its question.
    """
    title, note = "cambiar-banco", "cambiar-banco-nota"
    button = rx.el.button(
        texts.button,
        type="button",
        class_name="button button--quiet",
        data_testid="change-bank",
        data_asks="",
    )
    busy = rx.cond(BUSY, "true", ABSENT)
    question = rx.el.div(
        rx.el.p(texts.question, id=title, class_name="change-bank__title"),
        rx.el.p(texts.note, id=note),
        rx.el.div(
            rx.el.button(
                spinner_or_icon("back", BUSY),
                rx.cond(BUSY, texts.busy, texts.confirm),
                type="button",
                class_name="button button--dark",
                on_click=on_change,
                data_testid="change-bank",
                data_once="",
                custom_attrs={"aria-disabled": busy, "aria-busy": busy},
            ),
            rx.el.button(
                texts.keep,
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
        aria_describedby=note,
        data_testid="change-bank-question",
        data_first="",
        custom_attrs={"tabIndex": -1},
    )
    return SubmitOnce.create(AskFirst.create(button, question), answers=answers)


@dataclass(frozen=True, slots=True)
class ChangeBankResult:
    """Result of cancelling the payment: a cart to pay, or a problem to show.

    Both are empty if the payment has ended in the meantime.
    """

    has_cart: bool = False
    problem: str = ""


async def change_bank(state: rx.State, order_id: str, token: str) -> ChangeBankResult:
    """Cancel the order's payment and restore its cart in this browser, so that the customer can pay in another way.

    Call it without the lock of the Reflex state, because it waits for the payment gateway.
    """
    try:
        async with state:
            cart = await state.get_state(CartState)
            await use_own_cart(cart)  # never add lines to another customer's cart
            present = cart.cart_id
        shop = current_shop()
        cart_id = await shop.placed_orders.change_bank(order_id, token, present)
        async with shop.database.transaction() as session:
            # the customer wants another bank or method than the chosen one
            await save_draft(session, cart_id, {"bank": "", PAYMENT_PROVIDER: ""})
        async with state:
            (await state.get_state(CartState)).cart_id = cart_id
    except Conflict as error:
        log.info("the payment of order %s has ended: %s", order_id, error.message)
        return ChangeBankResult()
    except ShopError as error:
        log.info("the bank of order %s is not changed: %s: %s", order_id, type(error).__name__, error.message)
        return ChangeBankResult(problem=text_for(error, NOTICE))
    except DatabaseUnavailable:
        return ChangeBankResult(problem=SHOP_UNAVAILABLE)
    except Exception:
        log.exception("the bank of order %s could not be changed", order_id)
        return ChangeBankResult(problem=FAILURE)
    return ChangeBankResult(has_cart=True)
