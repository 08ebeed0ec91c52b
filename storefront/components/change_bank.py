"""Letting go of a payment that waits at the bank: see `assets/scripts/change-bank.jsx`."""

import logging
from dataclasses import dataclass
from typing import Any

import reflex as rx

from backend.app import current_shop
from backend.cart import service as carts
from backend.errors import Conflict, ShopError
from backend.texts import _
from storefront.components.browser import Texts
from storefront.state.cart import CartState, use_own_cart
from storefront.state.frame import FAILURE, message_of

log = logging.getLogger(__name__)

TEXTS = {
    "change": _("Cancelar y elegir otro banco"),
    "title": _("¿Cancelar este pago?"),
    "words": _(
        "Si ya aprobaste el pago en tu banco, no canceles: espera aquí la confirmación. Si cancelas y el banco lo "
        "aprueba de todos modos, ese pago vale para este pedido o te devolvemos el dinero."
    ),
    "yes": _("Sí, cancelar y elegir otro banco"),
    "no": _("Seguir esperando"),
    "busy": _("Preguntando a tu banco…"),
}


def on_press() -> list[rx.Var[Any]]:
    """An event without a value."""
    return []


class ChangeBank(rx.Component):
    """The button and, once it was pressed, the question. `answers` is another number after every answer."""

    library = "$/public/scripts/change-bank.jsx"
    tag = "ChangeBank"
    answers: rx.Var[int]
    texts: rx.Var[Texts]
    on_change: rx.EventHandler[on_press]  # type: ignore[type-arg, valid-type]


@dataclass(frozen=True, slots=True)
class Changed:
    """What came of letting go: a cart to pay, or a problem to tell; neither when the payment has ended meanwhile."""

    has_cart: bool = False
    problem: str = ""


async def change_bank(state: rx.State, order_id: str, token: str) -> Changed:
    """Let go of the order's payment, and bring its cart back as this browser's, with its bank to choose again.

    Called outside the state's lock: the gateway is asked first.
    """
    try:
        async with state:
            cart = await state.get_state(CartState)
            await use_own_cart(cart)  # nothing is put into a cart that is somebody else's
            present = cart.cart_id
        shop = current_shop()
        cart_id = await shop.checkout.change_bank(order_id, token, present)
        async with shop.database.transaction() as session:
            await carts.save_draft(
                session, cart_id, {"bank": ""}
            )  # the one that was chosen is what was wrong
        async with state:
            (await state.get_state(CartState)).cart_id = cart_id
    except Conflict as error:
        log.info("order %s has its end: %s", order_id, error.message)
        return Changed()
    except ShopError as error:
        log.info("the bank of order %s stays: %s: %s", order_id, type(error).__name__, error.message)
        return Changed(problem=message_of(error))
    except Exception:
        log.exception("the bank of order %s could not be changed", order_id)
        return Changed(problem=FAILURE)
    return Changed(has_cart=True)
