"""The carrier's live price, and how long a shopper waits for it (spec: Errors, calculatePrice fails).

Every quotation asks the carrier. After a shopper has waited in vain, the next ones wait `SHORT_WAIT` only, while each
question goes on for its whole time. The first good answer, even one that comes too late for its shopper, restores the
usual wait.
"""

import asyncio
import logging
import math
import time
from collections.abc import Sequence
from dataclasses import replace

from backend.core.caching.single_flight import SingleFlight
from backend.core.db.tables import JsonObject
from backend.core.errors import InvalidData
from backend.core.money import Cop
from backend.core.web.outside_values import parse_text
from backend.shipping.providers.base import Quote, QuoteRequest
from backend.shipping.providers.carrier.client import CarrierClient
from backend.shipping.providers.carrier.requests import quotation_for
from backend.shipping.providers.carrier.responses import CarrierError, Rate

log = logging.getLogger(__name__)

FALLBACK_PRICE: Cop = 15_000
"""What shipping costs when nobody quotes it (spec: Limits)."""
SHORT_WAIT = 2.0
"""Seconds. A healthy carrier takes 5 to 8 (wire: carrier 2.1): while it fails, that is too long to hope for."""

MAX_CAUSE_LENGTH = 500
"""Characters of why there was no quotation that are stored with the price."""
UNKNOWN_PLACE = "destination.daneCode"
"""The part of a quotation that only a caller who errs gets wrong."""
REFUSED_OTHERWISE = (401, 429)
"""Refusals that are about us, and not about what was asked."""


class LiveQuotes:
    """Prices from the carrier. Whatever fails on its side, the price is the fixed one. Nothing is stored.

    The client is closed with it.
    """

    def __init__(self, client: CarrierClient, short_wait: float = SHORT_WAIT) -> None:
        self._client = client
        self._flights = SingleFlight[QuoteRequest, Quote]()
        self._short_wait = short_wait
        self._is_slow = False
        self._answered_at = -math.inf
        self._running: set[asyncio.Task[Quote]] = set()

    async def price(self, request: QuoteRequest) -> Quote:
        """The live price, or the fixed one. The same shipment at the same time is one question.

        Raises:
            InvalidData: the destination's code is none; the carrier is not asked.
        """
        return await self._flights.share(
            request, lambda: self._ask_briefly(request) if self._is_slow else self._ask(request)
        )

    async def close(self) -> None:
        """Cancel the questions that nobody waits for any more, and give the connections back."""
        for question in self._running:
            question.cancel()
        await asyncio.gather(*self._running, return_exceptions=True)
        await self._client.close()

    async def _ask_briefly(self, request: QuoteRequest) -> Quote:
        """Ask, and wait a short time. The question goes on; the next quotation asks a new one."""
        question = asyncio.create_task(self._ask(request))
        self._running.add(question)
        question.add_done_callback(self._finish)
        await asyncio.wait({question}, timeout=self._short_wait)
        if question.done():
            return question.result()
        problem = f"the carrier still hangs: not waited for longer than {self._short_wait:g} s"
        return fallback_quote(request, CarrierError(problem))

    def _finish(self, question: asyncio.Task[Quote]) -> None:
        self._running.discard(question)
        if not question.cancelled():
            question.exception()  # read, so that asyncio does not log it: who waits gets it anyway

    async def _ask(self, request: QuoteRequest) -> Quote:
        started = time.monotonic()
        try:
            rates = await self._rates(request)
        except Exception as error:
            if isinstance(error, InvalidData) and UNKNOWN_PLACE in error.fields:
                raise
            is_old_news = started < self._answered_at
            if not is_old_news and time.monotonic() - started > self._short_wait:
                self._is_slow = True
            return fallback_quote(request, error)
        self._is_slow, self._answered_at = False, time.monotonic()
        rate = self._client.cheapest_of(rates)
        if rate is None:
            quote = fallback_quote(request, CarrierError("no courier offers a valid rate"))
            return replace(quote, no_courier=not rates)
        return Quote(rate.price, carrier=rate.carrier, delivery_days=rate.delivery_days, data=rate_data(rate))

    async def _rates(self, request: QuoteRequest) -> Sequence[object]:
        """Return the rates. A refused quotation is asked for again without the street, the caller's only text."""
        try:
            return await self._client.quotation(quotation_for(request))
        except CarrierError as error:
            status = error.http_status or 0
            if not 400 <= status < 500 or status in REFUSED_OTHERWISE:
                raise
            log.info("the carrier refuses a quotation (%s); asking without the street", error)
            anywhere = replace(request, destination=replace(request.destination, address=""))
            return await self._client.quotation(quotation_for(anywhere))


def rate_data(rate: Rate) -> JsonObject:
    """What is stored of the rate that was taken."""
    return {**rate.data, "carrier": rate.carrier, "product": rate.product, "price": rate.price}


def fallback_quote(request: QuoteRequest, cause: Exception) -> Quote:
    """The fixed price, with its cause in the log."""
    expected = isinstance(cause, CarrierError)
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
