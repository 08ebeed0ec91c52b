"""The fixed price that replaces a carrier's price after a failure (spec: Errors, calculatePrice fails)."""

import logging

from backend.core.errors import OutsideFailure
from backend.core.money import Cop
from backend.core.web.outside_values import parse_text
from backend.shipping.providers.base import Quote, QuoteRequest

log = logging.getLogger(__name__)

FALLBACK_PRICE: Cop = 15_000
"""Shipping price when there is no quotation (spec: Limits)."""
MAX_CAUSE_LENGTH = 500
"""Maximum number of characters of the cause that are stored with the fallback price."""


def make_fallback_quote(request: QuoteRequest, cause: Exception) -> Quote:
    """Return a quote with the fixed price, and log why the provider's price is missing."""
    expected = isinstance(cause, OutsideFailure)
    log.warning(
        "no quotation from %s to %s, charging %d: %s",
        request.origin.dane_code,
        request.destination.dane_code,
        FALLBACK_PRICE,
        cause if expected else repr(cause),
        exc_info=None if expected else cause,
    )
    return Quote(
        FALLBACK_PRICE, is_fallback=True, data={"fallback": parse_text(str(cause), MAX_CAUSE_LENGTH)}
    )
