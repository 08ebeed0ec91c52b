"""How many live prices a client may ask for at the checkout.

A carrier takes seconds to answer, and connections to it are few: whoever asks for a price after the other must not make
other shoppers pay the fixed price that stands in for an answer. What is stored or flat is nobody asked for, and free.
"""

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from math import ceil

from backend.checkout.quotes.shipping_quotes import (
    PricedOption,
    Providers,
    QuoteInput,
    is_asked_for,
    price_option,
)
from backend.core.config.settings import Settings
from backend.core.db.database import Database
from backend.core.errors import TooManyRequests
from backend.core.texts import _
from backend.rate_limit.limiter import PEOPLE, Client, RateLimit, hit
from backend.shipping.offered_options import Offer
from backend.shipping.providers.base import Quote

QUOTATIONS = RateLimit("quotation", per_pair=60, per_client=600, per_subject=0)
"""A subject is a cart. Of one client ten for each payment that it may start: a purchase asks two or three times, and
most who ask do not pay.
"""
AT_ONCE = 20
"""Lists of prices of one client that are under way in one process, where `PEOPLE` share its address. As many as
`QUOTATIONS` lets through, at a healthy carrier's 8 seconds each (wire: carrier 2.1), are 5 on average.
"""
LEAST_AT_ONCE = 5
RETRY_AFTER = 8
"""Seconds: one that is under way has its answer by then."""


class TooManyQuotations(TooManyRequests):
    """This client has asked for too many live prices lately, or waits for too many."""

    shopper_text = _(
        "Desde tu conexión se han pedido muchos precios de envío. "
        "Espera unos minutos e inténtalo otra vez: lo que escribiste sigue guardado."
    )


class UnderWay:
    """How many lists of prices each client waits for, in one process."""

    def __init__(self) -> None:
        self._waiting: Counter[str] = Counter()

    @contextmanager
    def place(self, client: Client) -> Iterator[None]:
        """One more of this client.

        Raises:
            TooManyQuotations: it waits for as many as it may.
        """
        if self._waiting[client.address] >= max(LEAST_AT_ONCE, ceil(AT_ONCE * client.people / PEOPLE)):
            raise TooManyQuotations("Too many prices are being asked for", retry_after=RETRY_AFTER)
        self._waiting[client.address] += 1
        try:
            yield
        finally:
            self._waiting[client.address] -= 1
            if not self._waiting[client.address]:
                del self._waiting[client.address]


@dataclass(frozen=True, slots=True)
class Quoting:
    """Asks the providers for a client."""

    database: Database
    providers: Providers
    client: Client
    under_way: UnderWay
    effective_settings: Callable[[], Awaitable[Settings]] | None = None

    async def is_refused(self, quote: Quote | None) -> bool:
        """Return True if no courier goes there, and the office refuses such deliveries."""
        return quote is not None and quote.no_courier and await self.refuses_unquoted()

    async def refuses_unquoted(self) -> bool:
        """Return True if the office refuses deliveries that no courier quotes."""
        return self.effective_settings is not None and (await self.effective_settings()).refuse_unquoted

    async def ask(self, cart_id: str, offers: Sequence[Offer], contents: QuoteInput) -> list[PricedOption]:
        """The prices of these options for the cart, the calculated ones asked for now. See `price_option`.

        Raises:
            TooManyQuotations: nobody was asked.
        """
        if not any(is_asked_for(offer, contents) for offer in offers):
            return await self._price(offers, contents)
        with self.under_way.place(self.client):
            try:
                await hit(self.database, QUOTATIONS, cart_id, self.client)
            except TooManyRequests as error:
                raise TooManyQuotations(error.message, retry_after=error.retry_after) from error
            return await self._price(offers, contents)

    async def _price(self, offers: Sequence[Offer], contents: QuoteInput) -> list[PricedOption]:
        return await asyncio.gather(*(price_option(self.providers, offer, contents) for offer in offers))
