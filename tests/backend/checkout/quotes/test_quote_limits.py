"""Live prices at the checkout: clients that request too many must wait, and do not block other clients."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field, replace

import httpx
import pytest

from backend.app import Shop
from backend.checkout.quotes import quote_limits
from backend.checkout.quotes.quote_limits import (
    MAX_CONCURRENT_LISTS,
    QUOTATIONS,
    QuotationSlots,
    Quoter,
    TooManyQuotations,
)
from backend.checkout.quotes.shipping_quotes import QuoteInput
from backend.core.config.settings import Settings
from backend.core.db.database import Database
from backend.rate_limit.limiter import DEFAULT_PEOPLE_PER_ADDRESS, Client
from backend.shipping.models import CALCULATED
from backend.shipping.offered_options import Offer, list_offers_for_country
from backend.shipping.packages import Item
from tests.backend.checkout.paying_kit import create_settings_reader
from tests.backend.checkout.scripted_carrier import ScriptedCarrier
from tests.checkout_steps import MEDELLIN
from tests.store_defaults import Defaults, add_product, set_up_defaults
from tests.store_steps import create_addressed_cart, find_shipping_option, post

ANA, MALLORY = Client("190.24.1.1"), Client("190.24.6.6")
TOY = QuoteInput("co", MEDELLIN, "", (Item(1),), 50_000)


@dataclass
class QuoteClient:
    """A checkout that requests prices from a scripted carrier."""

    database: Database
    offers: list[Offer]
    read_settings: Callable[[], Awaitable[Settings]]
    carrier: ScriptedCarrier = field(default_factory=ScriptedCarrier)
    under_way: QuotationSlots = field(default_factory=QuotationSlots)

    async def request_price(
        self, client: Client, cart_id: str = "cart_1", street: str = "", contents: QuoteInput = TOY
    ) -> int | None:
        """Return the live price of the cart; 0 if there is none, None if the client has to wait."""
        asking = Quoter(
            self.database, {self.carrier.id: self.carrier}, client, self.under_way, self.read_settings
        )
        try:
            [priced] = await asking.request_quotes(cart_id, self.offers, replace(contents, address=street))
        except TooManyQuotations:
            return None
        return priced.quote.amount if priced.quote else 0


@pytest.fixture
async def counter(database: Database, settings: Settings) -> QuoteClient:
    defaults = await set_up_defaults(database, settings)
    async with database.read() as session:
        offers = await list_offers_for_country(session, defaults.channel_id, "co")
    calculated = [offer for offer in offers if offer.option.price_type == CALCULATED]
    return QuoteClient(database, calculated, create_settings_reader(database, settings))


async def test_quotes_per_client_are_limited(counter: QuoteClient) -> None:
    few = replace(MALLORY, max_people=DEFAULT_PEOPLE_PER_ADDRESS // 5)
    most = QUOTATIONS.per_client // 5
    pairs = [(f"cart_{n % 30}", f"Calle {n} # 1-2") for n in range(300)]
    prices = [await counter.request_price(few, *pair) for pair in pairs]
    assert prices == [12_000] * most + [None] * (300 - most)
    assert len(counter.carrier.asked) == most
    assert await counter.request_price(ANA) == 12_000


async def test_quotes_per_cart_are_limited(counter: QuoteClient) -> None:
    prices = [await counter.request_price(MALLORY) for _ in range(QUOTATIONS.per_pair + 1)]
    assert prices == [12_000] * QUOTATIONS.per_pair + [None]
    assert await counter.request_price(MALLORY, "cart_2") == 12_000
    assert await counter.request_price(ANA) == 12_000  # another client does not use up the attempts of a cart


async def test_quote_answered_without_the_carrier_does_not_count_towards_the_limit(
    counter: QuoteClient,
) -> None:
    nowhere = replace(TOY, dane_code="")
    for _turn in range(QUOTATIONS.per_pair + 1):
        assert await counter.request_price(MALLORY, contents=nowhere) == 0
    assert counter.carrier.asked == []
    assert await counter.request_price(MALLORY) == 12_000


async def test_client_with_hanging_quotes_does_not_block_other_clients(counter: QuoteClient) -> None:
    may_answer, all_asked = asyncio.Event(), asyncio.Event()

    async def hang() -> None:
        if len(counter.carrier.asked) == MAX_CONCURRENT_LISTS:
            all_asked.set()
        await may_answer.wait()

    counter.carrier.on_call = hang
    hanging = [asyncio.create_task(counter.request_price(MALLORY, f"cart_{n}")) for n in range(100)]
    await all_asked.wait()
    counter.carrier.on_call = None
    assert await counter.request_price(ANA) == 12_000
    assert await counter.request_price(MALLORY) is None
    may_answer.set()
    prices = await asyncio.gather(*hanging)
    assert (prices.count(12_000), prices.count(None)) == (MAX_CONCURRENT_LISTS, 100 - MAX_CONCURRENT_LISTS)
    assert await counter.request_price(MALLORY) == 12_000


async def test_cancelled_quote_request_frees_its_slot(counter: QuoteClient) -> None:
    alone = replace(MALLORY, max_people=1)
    asked = asyncio.Event()

    async def hang() -> None:
        asked.set()
        await asyncio.Future()

    counter.carrier.on_call = hang
    for _turn in range(2 * quote_limits.MIN_CONCURRENT_LISTS):
        asked.clear()
        question = asyncio.create_task(counter.request_price(alone))
        await asked.wait()
        question.cancel()
        await asyncio.gather(question, return_exceptions=True)
    counter.carrier.on_call = None
    assert await counter.request_price(alone) == 12_000


async def test_quote_above_the_limit_gets_retry_after_and_a_listed_option_stays_valid(
    store: httpx.AsyncClient, shop: Shop, shop_defaults: Defaults, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(quote_limits, "QUOTATIONS", replace(QUOTATIONS, per_pair=1))
    async with shop.database.transaction() as session:
        variant = await add_product(session, shop_defaults, "trompo", stock=5)
    cart_id = await create_addressed_cart(store, variant)
    listed = await find_shipping_option(store, cart_id, "calculated")
    calculate = f"/store/shipping-options/{listed['id']}/calculate"
    for refused in (
        await store.get("/store/shipping-options", params={"cart_id": cart_id}),
        await store.post(calculate, json={"cart_id": cart_id}),
    ):
        assert (refused.status_code, refused.json()["type"]) == (429, "too_many_requests")
        assert 0 < int(refused.headers["retry-after"]) <= 15 * 60
    path = f"/store/carts/{cart_id}/shipping-methods"
    chosen = (await post(store, path, {"option_id": listed["id"]}))["cart"]
    assert chosen["shipping_total"] == listed["amount"]
