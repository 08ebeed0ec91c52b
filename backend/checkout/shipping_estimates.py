"""What shipping would cost, before the checkout: of one toy, or of a cart, to a municipality.

Prices are the carrier's live ones. One that has just been quoted is given again for as long as a choice at the checkout
may cost what its list said; the fixed price that stands in for a carrier that failed is not. Nobody waits longer than
`PATIENCE`: the question goes on, for whoever asks next.
"""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import date, timedelta

from cachetools import TTLCache
from sqlalchemy import bindparam, select

from backend.cart.contents import cart_and_lines
from backend.catalog.models import Product, Variant, for_sale
from backend.channels.models import SalesChannel
from backend.checkout.form import require_town
from backend.checkout.quotes.shipping_quotes import (
    STORED_FOR,
    QuoteInput,
    price_option,
    quote_input_anywhere,
    quote_input_of,
)
from backend.checkout.shipping_options import ShippingChoice, shipping_choice
from backend.core.clock import now
from backend.core.config.settings import Settings
from backend.core.dates import today_in_colombia
from backend.core.db.database import Database
from backend.core.errors import NotFound, TooManyRequests, require_found
from backend.rate_limit import limiter
from backend.rate_limit.limiter import Client, RateLimit
from backend.shipping.models import CALCULATED
from backend.shipping.offered_options import Offer, offers_for
from backend.shipping.providers.base import FulfillmentProviders, Quote, QuoteRequest
from backend.shipping.working_days import working_day_after

ESTIMATES = RateLimit("shipping estimate", per_pair=40, per_client=120, per_subject=0)
"""A subject is a municipality. What is known already is not counted."""
PATIENCE = timedelta(seconds=10)
"""A healthy carrier takes 5 to 8 seconds (wire: carrier 2.1)."""
MOST_AT_ONCE = 40
"""Questions to carriers that may be under way for estimates in one process; checkouts go before them."""
MOST_KEPT = 2000
BUSY = "Too many estimates are being asked for"

_PRODUCT = (
    select(Variant, Product)
    .join(Product, Product.id == Variant.product_id)
    .where(Variant.id == bindparam("variant_id"), for_sale())
)


@dataclass(frozen=True, slots=True)
class EstimatedWay:
    """A way to ship, with its price; `arrives` is the day that it should be there, None when nobody said.

    `choice` is None while its carrier has not answered.
    """

    id: str
    name: str
    choice: ShippingChoice | None
    arrives: date | None = None


class ShippingEstimates:
    """Estimates for one process."""

    def __init__(
        self,
        database: Database,
        providers: FulfillmentProviders,
        patience: timedelta = PATIENCE,
        effective_settings: Callable[[], Awaitable[Settings]] | None = None,
    ) -> None:
        self._database = database
        self._providers = providers
        self._patience = patience.total_seconds()
        self._effective_settings = effective_settings
        self._known: TTLCache[Question, Quote] = TTLCache(MOST_KEPT, STORED_FOR.total_seconds())
        self._running: dict[Question, asyncio.Task[Quote | None]] = {}

    async def of_variant(self, variant_id: str, dane_code: str, client: Client) -> list[EstimatedWay]:
        """What one unit of this variant would cost to ship there.

        Raises:
            NotFound: it is not for sale.
            InvalidData: no municipality has this code.
            TooManyRequests: this client has asked for too much lately, or everybody together has.
        """
        town = require_town(dane_code)
        async with self._database.read() as session:
            row = require_found(
                (await session.execute(_PRODUCT, {"variant_id": variant_id})).first(), "Variant", variant_id
            )
            contents = quote_input_of(*row, town.code)
            channel = select(SalesChannel.id).order_by(SalesChannel.id).limit(1)  # as that of a new cart
            channel_id = (await session.execute(channel)).scalar_one()
            offers = await offers_for(session, channel_id, contents.country_code)
        return await self._estimate(offers, contents, client)

    async def of_cart(self, cart_id: str, dane_code: str, client: Client) -> list[EstimatedWay]:
        """What this cart would cost to ship there. The caller has checked whose it is.

        Raises:
            NotFound: no cart has this id.
            InvalidData, TooManyRequests: see `of_variant`.
        """
        town = require_town(dane_code)
        async with self._database.read() as session:
            cart, lines = await cart_and_lines(session, cart_id)
            if cart is None:
                raise NotFound(f"Cart id not found: {cart_id}")
            contents = quote_input_anywhere(cart, lines).to(town.code, "")
            offers = await offers_for(session, cart.sales_channel_id, contents.country_code)
        return await self._estimate(offers, contents, client)

    async def close(self) -> None:
        """Cancel the questions that nobody waits for any more."""
        running = [*self._running.values()]
        for question in running:
            question.cancel()
        await asyncio.gather(*running, return_exceptions=True)

    async def _estimate(
        self, offers: list[Offer], contents: QuoteInput, client: Client
    ) -> list[EstimatedWay]:
        offers = [
            one
            for one in offers
            if one.is_enabled and one.is_on and one.option.provider_id in self._providers
        ]
        if any(_is_asked(one) and _question(one, contents) not in self._known for one in offers):
            if len(self._running) >= MOST_AT_ONCE:
                raise TooManyRequests(BUSY, retry_after=int(self._patience))
            await limiter.hit(self._database, ESTIMATES, contents.dane_code, client)
        ways = await asyncio.gather(*(self._way(one, contents) for one in offers))
        return [way for way in ways if not await self._is_refused(way)]

    async def _is_refused(self, way: EstimatedWay) -> bool:
        """Return True if no courier goes there, and the office refuses such deliveries."""
        if way.choice is None or not way.choice.no_courier or self._effective_settings is None:
            return False
        return (await self._effective_settings()).refuse_unquoted

    async def _way(self, offer: Offer, contents: QuoteInput) -> EstimatedWay:
        quote = await self._quote(offer, contents)
        if quote is None:
            return EstimatedWay(offer.option.id, offer.option.name, None)
        arrives = None
        if quote.delivery_days is not None and not quote.is_fallback:
            # it is handed over on the next working day; what knows the holidays takes a while to be imported
            days = 1 + max(quote.delivery_days, 1)
            arrives = await asyncio.to_thread(working_day_after, today_in_colombia(now()), days)
        return EstimatedWay(offer.option.id, offer.option.name, shipping_choice(offer.option, quote), arrives)

    async def _quote(self, offer: Offer, contents: QuoteInput) -> Quote | None:
        """The price of an option; None when its carrier takes too long."""
        if not _is_asked(offer):
            return (await price_option(self._providers, offer, contents)).quote
        question = _question(offer, contents)
        if (known := self._known.get(question)) is not None:
            return known
        asked = self._running.get(question)
        if asked is None:
            asked = self._running[question] = asyncio.create_task(self._ask(offer, contents, question))
            asked.add_done_callback(lambda _task: self._running.pop(question, None))
        await asyncio.wait({asked}, timeout=self._patience)
        return asked.result() if asked.done() else None

    async def _ask(self, offer: Offer, contents: QuoteInput, question: "Question") -> Quote | None:
        quote = (await price_option(self._providers, offer, contents)).quote
        if quote is not None and not quote.is_fallback:
            self._known[question] = quote
        return quote


Question = tuple[str, QuoteRequest]
"""The provider that is asked, and what."""


def _is_asked(offer: Offer) -> bool:
    return offer.option.price_type == CALCULATED


def _question(offer: Offer, contents: QuoteInput) -> Question:
    return offer.option.provider_id, contents.request(offer.location)
