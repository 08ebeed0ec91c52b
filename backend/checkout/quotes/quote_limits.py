"""Limit how many live shipping prices a client may request at the checkout.

A carrier takes seconds to answer, and the shop opens few connections to it. If one client used all of them, other
shoppers would get no live price and would have to pay the fixed price that replaces it. Stored and flat prices need
no request and are not limited.
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
    needs_live_quote,
    price_option,
)
from backend.core.config.settings import Settings
from backend.core.db.database import Database
from backend.core.errors import TooManyRequests
from backend.core.texts import _
from backend.rate_limit.limiter import DEFAULT_PEOPLE_PER_ADDRESS, Client, RateLimit, hit
from backend.shipping.offered_options import Offer

QUOTATIONS = RateLimit("quotation", per_pair=60, per_client=600, per_subject=0)
"""How often a client may request price lists in a quarter of an hour; the subject is a cart.

A client may request ten lists for each payment that it may start: a purchase needs two or three, and most shoppers
who request prices do not pay.
"""
MAX_CONCURRENT_LISTS = 20
"""Concurrent price lists of one client in one process, if `DEFAULT_PEOPLE_PER_ADDRESS` people share its address.

A healthy carrier takes 8 seconds for a list (wire: carrier 2.1). So a client that makes all requests that
`QUOTATIONS` allows has 5 running at the same time, on average.
"""
MIN_CONCURRENT_LISTS = 5
RETRY_AFTER_S = 8
"""Seconds after which a running request has its answer."""


class TooManyQuotations(TooManyRequests):
    """This client has requested too many live prices lately, or is waiting for too many at once."""

    shopper_text = _(
        "Desde tu conexión se han pedido muchos precios de envío. "
        "Espera unos minutos e inténtalo otra vez: lo que escribiste sigue guardado."
    )


class QuotationSlots:
    """Counter, in one process, of the lists of shipping prices that each client is waiting for."""

    def __init__(self) -> None:
        self._waiting: Counter[str] = Counter()

    @contextmanager
    def take_slot(self, client: Client) -> Iterator[None]:
        """Count one more list of shipping prices for this client until the `with` block ends.

        Raises:
            TooManyQuotations: the client is already waiting for the maximum number of lists.
        """
        if self._waiting[client.address] >= max(
            MIN_CONCURRENT_LISTS, ceil(MAX_CONCURRENT_LISTS * client.max_people / DEFAULT_PEOPLE_PER_ADDRESS)
        ):
            raise TooManyQuotations("Too many prices are being requested", retry_after=RETRY_AFTER_S)
        self._waiting[client.address] += 1
        try:
            yield
        finally:
            self._waiting[client.address] -= 1
            if not self._waiting[client.address]:
                del self._waiting[client.address]


@dataclass(frozen=True, slots=True)
class Quoter:
    """Requests live prices from the providers for one client."""

    database: Database
    providers: Providers
    client: Client
    slots: QuotationSlots
    effective_settings: Callable[[], Awaitable[Settings]]

    async def request_quotes(
        self, cart_id: str, offers: Sequence[Offer], contents: QuoteInput
    ) -> list[PricedOption]:
        """Return the prices of these options for the cart, with live quotes for the calculated ones.

        See `price_option`.

        Raises:
            TooManyQuotations: the client has requested too many prices. No provider was called.
        """
        if not any(needs_live_quote(offer, contents) for offer in offers):
            return await self._price(offers, contents)
        with self.slots.take_slot(self.client):
            try:
                await hit(self.database, QUOTATIONS, cart_id, self.client)
            except TooManyRequests as error:
                raise TooManyQuotations(error.message, retry_after=error.retry_after) from error
            return await self._price(offers, contents)

    async def _price(self, offers: Sequence[Offer], contents: QuoteInput) -> list[PricedOption]:
        return await asyncio.gather(*(price_option(self.providers, offer, contents) for offer in offers))
