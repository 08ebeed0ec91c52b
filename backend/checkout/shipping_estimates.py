"""Estimate shipping prices and delivery days before the checkout: of one product, or of a cart, to a municipality.

Prices are live prices of the carrier. A recent quote is reused for as long as the checkout would reuse it. If a
carrier failed, the fixed price that replaces its quote is not reused. A request waits at most `ANSWER_TIMEOUT` for
the carrier; a quote that arrives later is stored for later requests.
"""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import timedelta

from cachetools import TTLCache
from sqlalchemy import bindparam, select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.cart.contents import count_units_by_variant, read_cart_and_lines
from backend.catalog.models import Product, Variant, for_sale
from backend.channels.models import SalesChannel
from backend.checkout.form import require_town
from backend.checkout.quotes.own_delivery_prices import apply_free_from, read_goods_total_for
from backend.checkout.quotes.shipping_quotes import (
    MAX_QUOTE_AGE,
    QuoteInput,
    build_lenient_quote_input,
    build_variant_quote_input,
    filter_offers,
    price_option,
)
from backend.checkout.quotes.unquoted_delivery import is_refused
from backend.checkout.shipping_options import ShippingChoice, to_shipping_choice
from backend.core.business_days import load_holidays
from backend.core.clock import now
from backend.core.config.settings import Settings
from backend.core.db.database import Database
from backend.core.errors import NotFound, TooManyRequests, require_found
from backend.core.money import Cop
from backend.inventory.service import read_available_units
from backend.rate_limit import limiter
from backend.rate_limit.limiter import Client, RateLimit
from backend.shipping.delivery_promise import build_delivery_terms, promise_delivery
from backend.shipping.models import CALCULATED
from backend.shipping.offered_options import Offer, list_offers_for_country
from backend.shipping.providers.base import FulfillmentProviders, Quote, QuoteRequest

ESTIMATES = RateLimit("shipping estimate", per_pair=40, per_client=120, per_subject=0)
"""Limits of estimate requests; the subject is a municipality. Estimates from cached quotes are not counted."""
ANSWER_TIMEOUT = timedelta(seconds=10)
"""Longest wait for a quote. A healthy carrier takes 5 to 8 seconds (wire: carrier 2.1)."""
CONCURRENCY = 40
"""Quote requests for estimates that one process may have open. They are limited so that checkouts have priority."""
MAX_CACHED_QUOTES = 2000
BUSY = "Too many estimates are being requested"

_PRODUCT = (
    select(Variant, Product)
    .join(Product, Product.id == Variant.product_id)
    .where(Variant.id == bindparam("variant_id"), for_sale())
)


@dataclass(frozen=True, slots=True)
class ShippingEstimate:
    """A shipping option with its price and promised day. `choice` is None while its carrier has not answered."""

    id: str
    name: str
    choice: ShippingChoice | None


@dataclass(frozen=True, slots=True)
class EstimateRequest:
    """The goods and the destination of an estimate.

    `goods_total` is the price of the goods after discounts. `is_in_stock` is True if the shop has all units.
    """

    contents: QuoteInput
    goods_total: Cop
    is_in_stock: bool


class ShippingEstimator:
    """Estimator of shipping prices, with a cache for this process."""

    def __init__(
        self,
        database: Database,
        providers: FulfillmentProviders,
        effective_settings: Callable[[], Awaitable[Settings]],
        answer_timeout: timedelta = ANSWER_TIMEOUT,
    ) -> None:
        self._database = database
        self._providers = providers
        self._patience = answer_timeout.total_seconds()
        self._effective_settings = effective_settings
        self._cached_quotes: TTLCache[QuoteKey, Quote] = TTLCache(
            MAX_CACHED_QUOTES, MAX_QUOTE_AGE.total_seconds()
        )
        self._running: dict[QuoteKey, asyncio.Task[Quote | None]] = {}

    async def estimate_variant(
        self, variant_id: str, dane_code: str, client: Client
    ) -> list[ShippingEstimate]:
        """Return the shipping options and prices for one unit of this variant.

        Raises:
            NotFound: the variant is not for sale.
            InvalidData: no municipality has this code.
            TooManyRequests: this client, or all clients together, requested too many estimates lately.
        """
        town = require_town(dane_code)
        async with self._database.read() as session:
            row = require_found(
                (await session.execute(_PRODUCT, {"variant_id": variant_id})).first(), "Variant", variant_id
            )
            contents = build_variant_quote_input(*row, town.code)
            channel = (
                select(SalesChannel.id).order_by(SalesChannel.id).limit(1)
            )  # the sales channel that a new cart would get
            channel_id = (await session.execute(channel)).scalar_one()
            offers = await self._list_offers(session, channel_id, contents)
            available = await read_available_units(session, [variant_id])
        question = EstimateRequest(contents, row[0].price, is_in_stock=available[variant_id] > 0)
        return await self._estimate(offers, question, client)

    async def estimate_cart(self, cart_id: str, dane_code: str, client: Client) -> list[ShippingEstimate]:
        """Return the shipping options and prices for this cart. The caller must have checked access to the cart.

        Raises:
            NotFound: no cart has this id.
            InvalidData, TooManyRequests: see `estimate_variant`.
        """
        town = require_town(dane_code)
        async with self._database.read() as session:
            cart, lines = await read_cart_and_lines(session, cart_id)
            if cart is None:
                raise NotFound(f"Cart id not found: {cart_id}")
            contents = build_lenient_quote_input(cart, lines).change_destination(town.code, "")
            offers = await self._list_offers(session, cart.sales_channel_id, contents)
            units = count_units_by_variant(lines)
            available = await read_available_units(session, list(units), holder=cart_id)
            goods_total = await read_goods_total_for(session, cart_id, offers)
        is_in_stock = all(available[variant_id] >= count for variant_id, count in units.items())
        question = EstimateRequest(contents, goods_total, is_in_stock=is_in_stock)
        return await self._estimate(offers, question, client)

    async def close(self) -> None:
        """Cancel the running quote requests, when the shop stops."""
        running = [*self._running.values()]
        for question in running:
            question.cancel()
        await asyncio.gather(*running, return_exceptions=True)

    async def _list_offers(self, session: AsyncSession, channel_id: str, contents: QuoteInput) -> list[Offer]:
        """Return the offers that a cart with these contents could choose."""
        offers = await list_offers_for_country(session, channel_id, contents.country_code)
        return [offer for offer in filter_offers(offers, self._providers, contents) if offer.is_enabled]

    async def _estimate(
        self, offers: list[Offer], question: EstimateRequest, client: Client
    ) -> list[ShippingEstimate]:
        contents = question.contents
        if any(
            _is_calculated(offer) and _quote_key(offer, contents) not in self._cached_quotes
            for offer in offers
        ):
            if len(self._running) >= CONCURRENCY:
                raise TooManyRequests(BUSY, retry_after=int(self._patience))
            await limiter.hit(self._database, ESTIMATES, contents.dane_code, client)
        await load_holidays()
        quotes = await asyncio.gather(*(self._get_quote(offer, contents) for offer in offers))
        settings, moment = await self._effective_settings(), now()
        estimates: list[ShippingEstimate] = []
        for offer, quote in zip(offers, quotes, strict=True):
            if is_refused(settings, quote):
                continue
            option, choice = offer.option, None
            if quote is not None:
                terms = build_delivery_terms(settings, option, quote, contents.ready_on)
                promise = promise_delivery(moment, terms, is_in_stock=question.is_in_stock)
                shown = apply_free_from(option, quote, question.goods_total)
                choice = to_shipping_choice(option, shown, promise)
            estimates.append(ShippingEstimate(option.id, option.name, choice))
        return estimates

    async def _get_quote(self, offer: Offer, contents: QuoteInput) -> Quote | None:
        """Return the price of an option; None if its carrier takes too long."""
        if not _is_calculated(offer):
            return (await price_option(self._providers, offer, contents)).quote
        question = _quote_key(offer, contents)
        if (cached := self._cached_quotes.get(question)) is not None:
            return cached
        task = self._running.get(question)
        if task is None:
            task = self._running[question] = asyncio.create_task(
                self._request_quote(offer, contents, question)
            )
            task.add_done_callback(lambda _task: self._running.pop(question, None))
        await asyncio.wait({task}, timeout=self._patience)
        return task.result() if task.done() else None

    async def _request_quote(self, offer: Offer, contents: QuoteInput, question: "QuoteKey") -> Quote | None:
        quote = (await price_option(self._providers, offer, contents)).quote
        if quote is not None and not quote.is_fallback:
            self._cached_quotes[question] = quote
        return quote


QuoteKey = tuple[str, QuoteRequest]
"""The provider and the request that a quote is cached by."""


def _is_calculated(offer: Offer) -> bool:
    return offer.option.price_type == CALCULATED


def _quote_key(offer: Offer, contents: QuoteInput) -> QuoteKey:
    return offer.option.provider_id, contents.build_request(offer.location)
