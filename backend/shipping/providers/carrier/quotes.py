"""The carrier's live price, and the time that a shopper waits for it (spec: Errors, calculatePrice fails).

Every quotation is a request to the carrier. After one shopper has waited without success, the next shoppers wait
only `SHORT_TIMEOUT_S`, but each request continues for its full time. The first usable response restores the usual
waiting time, even if it is too late for its own shopper.
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
from backend.shipping.providers.base import Quote, QuoteRequest
from backend.shipping.providers.carrier.client import CarrierClient
from backend.shipping.providers.carrier.requests import to_quotation
from backend.shipping.providers.carrier.responses import CarrierError, Rate
from backend.shipping.providers.fallback import make_fallback_quote

log = logging.getLogger(__name__)

SHORT_TIMEOUT_S = 2.0
"""How long the next shoppers wait for a price after one shopper has waited without success, in seconds.

A healthy carrier takes 5 to 8 seconds (wire: carrier 2.1). That is too long to wait while the carrier fails.
"""

DESTINATION_CODE_FIELD = "destination.daneCode"
"""Field with the destination's code. An error in this field is raised, and no fixed price replaces the quote.

The error is the caller's: the caller sent a wrong code.
"""
ACCOUNT_REFUSALS = (401, 429)
"""Statuses of refusals that concern our account, not the quotation."""


class LiveQuotes:
    """Source of prices from the carrier. After any failure of the carrier, the price is the fixed one.

    No price is stored. Closing this object closes its client.
    """

    def __init__(self, client: CarrierClient, short_wait: float = SHORT_TIMEOUT_S) -> None:
        self._client = client
        self._flights = SingleFlight[QuoteRequest, Quote]()
        self._short_wait = short_wait
        self._is_slow = False
        self._answered_at = -math.inf
        self._running: set[asyncio.Task[Quote]] = set()

    async def get_price(self, request: QuoteRequest) -> Quote:
        """Return the carrier's live price, or the fixed price if the carrier fails or is too slow.

        Concurrent calls for the same shipment share one request.

        Raises:
            InvalidData: the destination's code is not valid; no request is sent.
        """
        return await self._flights.share(
            request,
            lambda: self._request_price_briefly(request) if self._is_slow else self._request_price(request),
        )

    async def close(self) -> None:
        """Cancel the running requests, and close the connections."""
        for question in self._running:
            question.cancel()
        await asyncio.gather(*self._running, return_exceptions=True)
        await self._client.close()

    async def _request_price_briefly(self, request: QuoteRequest) -> Quote:
        """Request a price after the carrier was slow: wait only a short time, then return the fixed price.

        The request continues in the background. If it succeeds, later requests wait the full time again.
        """
        question = asyncio.create_task(self._request_price(request))
        self._running.add(question)
        question.add_done_callback(self._finish)
        await asyncio.wait({question}, timeout=self._short_wait)
        if question.done():
            return question.result()
        problem = f"the carrier is still slow: stopped waiting after {self._short_wait:g} s"
        return make_fallback_quote(request, CarrierError(problem))

    def _finish(self, question: asyncio.Task[Quote]) -> None:
        self._running.discard(question)
        if not question.cancelled():
            question.exception()  # retrieved, so that asyncio does not log it: waiting callers get it anyway

    async def _request_price(self, request: QuoteRequest) -> Quote:
        started = time.monotonic()
        try:
            rates = await self._request_rates(request)
        except Exception as error:
            if isinstance(error, InvalidData) and DESTINATION_CODE_FIELD in error.fields:
                raise
            is_old_news = started < self._answered_at
            if not is_old_news and time.monotonic() - started > self._short_wait:
                self._is_slow = True
            return make_fallback_quote(request, error)
        self._is_slow, self._answered_at = False, time.monotonic()
        rate = self._client.find_cheapest(rates)
        if rate is None:
            quote = make_fallback_quote(request, CarrierError("no courier offers a valid rate"))
            return replace(quote, no_courier=not rates)
        return Quote(
            rate.price, carrier=rate.carrier, delivery_days=rate.delivery_days, data=to_rate_data(rate)
        )

    async def _request_rates(self, request: QuoteRequest) -> Sequence[object]:
        """Request a quotation and return its unparsed rates.

        If the carrier refuses the quotation, send it again without the street, the only free text in it.
        """
        try:
            return await self._client.request_quotation(to_quotation(request))
        except CarrierError as error:
            status = error.http_status or 0
            if not 400 <= status < 500 or status in ACCOUNT_REFUSALS:
                raise
            log.info("the carrier refuses a quotation (%s); repeating without the street", error)
            anywhere = replace(request, destination=replace(request.destination, address=""))
            return await self._client.request_quotation(to_quotation(anywhere))


def to_rate_data(rate: Rate) -> JsonObject:
    """Return the part of a rate that is stored with the quote or label that uses it."""
    return {**rate.data, "carrier": rate.carrier, "product": rate.product, "price": rate.price}
