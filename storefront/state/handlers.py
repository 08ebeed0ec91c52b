"""What event handlers share: the decorator, the checks of their arguments, and numbers that grow.

An event handler is a public remote call: whoever opens a websocket can send any event with any argument.
"""

from collections.abc import Callable
from enum import StrEnum
from typing import Any, TypeVar, cast

import reflex as rx

from backend.core.clock import now
from backend.core.errors import InvalidData
from storefront.reflex_ext.event_processor import mark_resend

Method = TypeVar("Method", bound=Callable[..., Any])


class Resend(StrEnum):
    """Who sends an event again, until the shop has confirmed it: see `assets/scripts/presses.js`."""

    EVERY_PAGE = "every page"
    """This page over its next connection, and the tab's next page."""
    SAME_PAGE = "same page"
    """This page alone, over its next connection: what must not happen once the shopper has left."""
    LATEST = "latest"
    """This page alone, once it shows what its next connection brought, and only the latest call: for questions."""


def event(
    *,
    supersedes: bool = False,
    debounce: int | None = None,
    background: bool = False,
    press: Resend | None = None,
) -> Callable[[Method], Method]:
    """Make a method of a state an event handler, which any browser may call with any arguments.

    Args:
        supersedes: whether a later call takes the place of one that is still running. Unless it is a press, it is a
            question, which the page asks again when it was lost with the connection.
        debounce: for how many milliseconds the browser waits for a later call before it sends one.
        background: whether it runs without the lock of the page's state.
        press: who sends it again, where it changes something: it is done once all the same if its transaction calls
            `backend.presses.service.use_press`, or if doing it twice changes nothing.
    """

    def decorate(method: Method) -> Method:
        made = rx.event(supersedes=supersedes, debounce=debounce, background=background)(method)
        resend = press or (Resend.LATEST if supersedes else None)
        if resend is not None:
            mark_resend(made, str(resend))
        return cast("Method", made)

    return decorate


def next_number(before: int) -> int:
    """A number by which the browser knows what is new: above `before`, and above those of a state that was lost."""
    return max(before + 1, int(now().timestamp() * 1000))


MAX_ID = 64


def checked_id(value: object) -> str:
    """The value as an id.

    Raises:
        InvalidData: it is no text, or longer than any id.
    """
    if not isinstance(value, str) or not 0 < len(value) <= MAX_ID:
        raise InvalidData("not an id")
    return value


def checked_text(value: object, longest: int) -> str:
    """The value as a text without space around it.

    Raises:
        InvalidData: it is no text, or too long.
    """
    if not isinstance(value, str) or len(value) > longest:
        raise InvalidData("not a text of that length")
    return value.strip()


def checked_number(value: object, least: int, most: int) -> int:
    """The value as a whole number within bounds.

    Raises:
        InvalidData: it is no whole number, or out of bounds.
    """
    if not isinstance(value, int) or isinstance(value, bool) or not least <= value <= most:
        raise InvalidData("not a number within bounds")
    return value


def checked_texts(value: object, most: int, longest: int = MAX_ID) -> list[str]:
    """The value as a list of texts, each once, no more than `most`.

    Raises:
        InvalidData: it is no list of texts, or one of them is too long.
    """
    if not isinstance(value, list):
        raise InvalidData("not a list")
    return list(dict.fromkeys(checked_text(item, longest) for item in value[:most]))


MOST_FIELDS = 60
"""Of a form, without those that it has for each row of a list."""


def checked_fields(values: object, *names: str, longest: int = 300, rows: int = 0) -> dict[str, str]:
    """The texts that a form sent under these names, without space around them; an empty text for what it left out.

    Args:
        values: what was sent.
        names: of the fields that are wanted.
        longest: the characters that a text may have.
        rows: how many rows there may be that have a field each.

    Raises:
        InvalidData: it is no form of texts, or has too many, or one of them is too long.
    """
    if not isinstance(values, dict) or len(values) > MOST_FIELDS + rows:
        raise InvalidData("not a form")
    return {name: checked_text(values.get(name, ""), longest) for name in names}
