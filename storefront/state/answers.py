"""How handlers answer: every argument is checked, every problem is told in words a shopper understands.

An event handler is a public remote call: whoever opens a websocket can send any event with any argument.
"""

import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import reflex as rx

from backend.errors import (
    Conflict,
    InsufficientStock,
    InvalidData,
    NotAllowed,
    NotFound,
    ShopError,
    TooManyRequests,
)
from backend.texts import _
from storefront.state.frame import FAILURE, FrameState, say

log = logging.getLogger(__name__)

MAX_ID = 64


def an_id(value: object) -> str:
    """The value as an id.

    Raises:
        InvalidData: it is no text, or longer than any id.
    """
    if not isinstance(value, str) or not 0 < len(value) <= MAX_ID:
        raise InvalidData("not an id")
    return value


def a_text(value: object, longest: int) -> str:
    """The value as a text without space around it.

    Raises:
        InvalidData: it is no text, or too long.
    """
    if not isinstance(value, str) or len(value) > longest:
        raise InvalidData("not a text of that length")
    return value.strip()


def a_number(value: object, least: int, most: int) -> int:
    """The value as a whole number within bounds.

    Raises:
        InvalidData: it is no whole number, or out of bounds.
    """
    if not isinstance(value, int) or isinstance(value, bool) or not least <= value <= most:
        raise InvalidData("not a number within bounds")
    return value


def some_texts(value: object, most: int, longest: int = MAX_ID) -> list[str]:
    """The value as a list of texts, each once, no more than `most`.

    Raises:
        InvalidData: it is no list of texts, or one of them is too long.
    """
    if not isinstance(value, list):
        raise InvalidData("not a list")
    return list(dict.fromkeys(a_text(item, longest) for item in value[:most]))


def message_of(error: ShopError) -> str:
    """What a shopper is told of an error."""
    match error:
        case InsufficientStock():
            return _("No nos quedan tantas unidades de este juguete.")
        case NotFound():
            return _("Este juguete ya no está disponible.")
        case TooManyRequests():
            return _("Vas muy rápido. Espera un momento e inténtalo otra vez.")
        case Conflict():
            return _("Algo cambió mientras mirabas. Revisa de nuevo.")
        case InvalidData() | NotAllowed():
            return _("No pudimos hacerlo. Recarga la página e inténtalo otra vez.")
        case _other:
            return FAILURE


async def tell(state: rx.State, text: str, tone: str = "problem") -> None:
    """Say something to the shopper of this state."""
    say(await state.get_state(FrameState), text, tone)


@asynccontextmanager
async def problems_told(state: rx.State) -> AsyncIterator[None]:
    """Tell the shopper of any error inside, and go on after it. What was not expected is logged with its traceback."""
    try:
        yield
    except ShopError as error:
        log.info("told a shopper: %s: %s", type(error).__name__, error.message)
        await tell(state, message_of(error))
    except Exception:
        log.exception("a shopper's request failed")
        await tell(state, FAILURE)
