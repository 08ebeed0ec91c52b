"""Tools of event handlers: the `event` decorator, validation of arguments, and increasing numbers.

An event handler is a public remote call: any browser with a websocket can send any event with any argument.
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
    """The pages that send an event again until the shop has confirmed it: see `assets/scripts/presses.js`."""

    EVERY_PAGE = "every page"
    """This page after it reconnects, and the next page of the tab."""
    SAME_PAGE = "same page"
    """Only this page, after it reconnects. For events that must not run once the customer has left the page."""
    LATEST = "latest"
    """Only this page, after it reconnects and is up to date, and only the latest call. For events that only read."""


def event(
    *,
    supersedes: bool = False,
    debounce: int | None = None,
    background: bool = False,
    press: Resend | None = None,
) -> Callable[[Method], Method]:
    """Return a decorator that makes a method of a state an event handler. Any browser may call it with any arguments.

    Args:
        supersedes: True if a later call cancels a call that is still running. Without `press`, the event must only
            read, because the page sends its latest call again after a lost connection.
        debounce: milliseconds that the browser waits for a later call before it sends the event.
        background: True to run without the lock of the page's state.
        press: for an event that changes something: the page that sends it again. A repeated event has no second
            effect if its transaction calls `backend.presses.service.use_press`, or if it is idempotent.
    """

    def decorate(method: Method) -> Method:
        handler = rx.event(supersedes=supersedes, debounce=debounce, background=background)(method)
        resend = press or (Resend.LATEST if supersedes else None)
        if resend is not None:
            mark_resend(handler, str(resend))
        return cast("Method", handler)

    return decorate


def next_number(previous: int) -> int:
    """Return a new number, by which the browser recognizes a newer value.

    It is larger than `previous`. Because it is based on the clock, it is also larger than the numbers that the
    browser got before the server lost the state.
    """
    return max(previous + 1, int(now().timestamp() * 1000))


MAX_ID_LENGTH = 64


def checked_id(value: object) -> str:
    """Return the value if it is an id.

    Raises:
        InvalidData: the value is not a text, is empty, or is longer than any id.
    """
    if not isinstance(value, str) or not 0 < len(value) <= MAX_ID_LENGTH:
        raise InvalidData("not an id")
    return value


def checked_text(value: object, max_length: int) -> str:
    """Return the text without surrounding whitespace.

    Raises:
        InvalidData: the value is not a text, or is too long.
    """
    if not isinstance(value, str) or len(value) > max_length:
        raise InvalidData("not a text of that length")
    return value.strip()


def checked_number(value: object, minimum: int, maximum: int) -> int:
    """Return the value if it is an integer from `minimum` to `maximum`.

    Raises:
        InvalidData: the value is not an integer, or is out of bounds.
    """
    if not isinstance(value, int) or isinstance(value, bool) or not minimum <= value <= maximum:
        raise InvalidData("not a number within bounds")
    return value


def checked_counts(value: object, max_items: int, maximum: int) -> dict[str, int]:
    """Return the dictionary of numbers by id, after checking that each number is from 1 to `maximum`.

    Raises:
        InvalidData: the value is not a dictionary of such numbers, is empty, or has more than `max_items` items.
    """
    if not isinstance(value, dict) or not 0 < len(value) <= max_items:
        raise InvalidData("not a dictionary of that size")
    return {checked_id(name): checked_number(count, 1, maximum) for name, count in value.items()}


def checked_texts(value: object, max_count: int, max_length: int = MAX_ID_LENGTH) -> list[str]:
    """Return the first `max_count` texts of the list, without duplicates and surrounding whitespace.

    Raises:
        InvalidData: the value is not a list of texts, or a text is too long.
    """
    if not isinstance(value, list):
        raise InvalidData("not a list")
    return list(dict.fromkeys(checked_text(item, max_length) for item in value[:max_count]))


MAX_FIELDS = 60
"""Maximum fields of a form, not counting the fields that it has for each row of a list."""


def checked_fields(values: object, *names: str, max_length: int = 300, max_rows: int = 0) -> dict[str, str]:
    """Return the form's texts by name, without surrounding whitespace. A missing field is an empty text.

    Args:
        values: the form as the browser sent it.
        names: the fields to return.
        max_length: maximum number of characters of a text.
        max_rows: number of further fields that the form may have, usually one for each row of a table.

    Raises:
        InvalidData: the value is not a form of texts, has too many fields, or a text is too long.
    """
    if not isinstance(values, dict) or len(values) > MAX_FIELDS + max_rows:
        raise InvalidData("not a form")
    return {name: checked_text(values.get(name, ""), max_length) for name in names}
