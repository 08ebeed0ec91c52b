"""The message that goes with a gift: typed at the checkout, printed for the box.

It is in the metadata of cart and order, where programs that use the Store API put it, too.
"""

from collections.abc import Mapping
from typing import Any

from backend.core.db.tables import JsonObject
from backend.core.errors import InvalidData
from backend.core.web.contact import paragraphs

GIFT_MESSAGE = "gift_message"
"""Its key in the metadata."""
LONGEST_MESSAGE = 300


def gift_message(metadata: Mapping[str, Any]) -> str:
    """The message, as it may be printed; empty where there is none."""
    return paragraphs(metadata.get(GIFT_MESSAGE))[:LONGEST_MESSAGE]


def with_message(metadata: JsonObject, message: str) -> JsonObject:
    """The metadata with this message in place of any other; without one where it is empty."""
    rest = {name: value for name, value in metadata.items() if name != GIFT_MESSAGE}
    return {**rest, GIFT_MESSAGE: message} if message else rest


def require_message(metadata: Mapping[str, Any]) -> None:
    """Check the message that a program sends.

    Raises:
        InvalidData: it is no text, or too long.
    """
    message = metadata.get(GIFT_MESSAGE)
    if message is not None and not (isinstance(message, str) and len(message) <= LONGEST_MESSAGE):
        raise InvalidData(f"metadata.{GIFT_MESSAGE} is a text of at most {LONGEST_MESSAGE} characters")
