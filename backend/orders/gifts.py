"""Gifts: the message of an order, and the fields of the checkout about the person who receives it.

The message is entered at the checkout and printed for the box. It is stored in the metadata of the cart and of the
order. API clients write the message to the same metadata, and the payer's name to the billing address.
"""

from collections.abc import Mapping
from typing import Any

from backend.core.db.tables import JsonObject
from backend.core.errors import InvalidData
from backend.core.web.contact import to_paragraphs

GIFT_RECIPIENT = "gift_recipient"
"""Field of the checkbox that opens the recipient's fields and the message: `on` if a person ticked it."""
WRAPPED = "wrapped"
"""Value that the page sets in `GIFT_RECIPIENT` for a cart with gift wrapping. The shopper has not ticked the box."""
RECIPIENT_FIELDS = ("recipient_first_name", "recipient_last_name", "recipient_phone")
"""Fields of the person who receives the order, if it is not the payer."""
GIFT_MESSAGE = "gift_message"
"""Key of the message in the metadata."""
MAX_MESSAGE_LENGTH = 300


def read_gift_message(metadata: Mapping[str, Any]) -> str:
    """Return the message, cleaned for printing; empty if there is none."""
    return to_paragraphs(metadata.get(GIFT_MESSAGE))[:MAX_MESSAGE_LENGTH]


def replace_gift_message(metadata: JsonObject, message: str) -> JsonObject:
    """Return the metadata with this message; an empty message removes the key."""
    rest = {name: value for name, value in metadata.items() if name != GIFT_MESSAGE}
    return {**rest, GIFT_MESSAGE: message} if message else rest


def check_gift_message(metadata: Mapping[str, Any]) -> None:
    """Check the gift message that an API client sends.

    Raises:
        InvalidData: the message is not a text, or is too long.
    """
    message = metadata.get(GIFT_MESSAGE)
    if message is not None and not (isinstance(message, str) and len(message) <= MAX_MESSAGE_LENGTH):
        raise InvalidData(f"metadata.{GIFT_MESSAGE} is a text of at most {MAX_MESSAGE_LENGTH} characters")
