"""Live prices at the checkout: whoever asks for very many is told to wait, and takes nobody else's."""

import asyncio
from dataclasses import dataclass, field, replace

import httpx
import pytest

from backend.app import Shop
from backend.checkout.quotes import quote_limits
from backend.checkout.quotes.quote_limits import AT_ONCE, QUOTATIONS, Quoting, TooManyQuotations, UnderWay
from backend.checkout.quotes.shipping_quotes import QuoteInput
from backend.core.config.settings import Settings
from backend.core.db.database import Database
from backend.rate_limit.limiter import PEOPLE, Client
from backend.shipping.models import CALCULATED
from backend.shipping.offered_options import Offer, offers_for
from backend.shipping.packages import Item
from tests.backend.checkout.scripted_carrier import ScriptedCarrier
from tests.checkout_steps import MEDELLIN
from tests.store_defaults import Defaults, make_toy, set_up_defaults
from tests.store_steps import addressed_cart, option, post

ANA, MALLORY = Client("190.24.1.1"), Client("190.24.6.6")
TOY = QuoteInput("co", MEDELLIN, "", (Item(1),), 50_000)


@dataclass
class Counter:
    """Where prices are asked for, of a carrier that does as it is told."""

    database: Database
    offers: list[Offer]
    carrier: ScriptedCarrier = field(default_factory=ScriptedCarrier)
    under_way: UnderWay = field(default_factory=UnderWay)

    async def price(
        self, client: Client, cart_id: str = "cart_1", street: str = "", contents: QuoteInput = TOY
    ) -> int | None:
        """The live price of the cart; None when the client has to wait."""
        asking = Quoting(self.database, {self.carrier.id: self.carrier}, client, self.under_way)
        try:
            [priced] = await asking.ask(cart_id, self.offers, replace(contents, address=street))
        except TooManyQuotations:
            return None
        return priced.quote.amount if priced.quote else 0


@pytest.fixture
async def counter(database: Database, settings: Settings) -> Counter:
    defaults = await set_up_defaults(database, settings)
    async with database.read() as session:
        offers = await offers_for(session, defaults.channel_id, "co")
    return Counter(database, [offer for offer in offers if offer.option.price_type == CALCULATED])


async def test_a_client_asks_for_so_many_carts_and_places_and_no_more(counter: Counter) -> None:
    few = replace(MALLORY, people=PEOPLE // 5)
    most = QUOTATIONS.per_client // 5
    pairs = [(f"cart_{n % 30}", f"Calle {n} # 1-2") for n in range(300)]
    prices = [await counter.price(few, *pair) for pair in pairs]
    assert prices == [12_000] * most + [None] * (300 - most)
    assert len(counter.carrier.asked) == most
    assert await counter.price(ANA) == 12_000


async def test_one_cart_is_priced_so_often(counter: Counter) -> None:
    prices = [await counter.price(MALLORY) for _ in range(QUOTATIONS.per_pair + 1)]
    assert prices == [12_000] * QUOTATIONS.per_pair + [None]
    assert await counter.price(MALLORY, "cart_2") == 12_000
    assert await counter.price(ANA) == 12_000  # a stranger uses no cart's tries up


async def test_what_nobody_is_asked_for_is_not_counted(counter: Counter) -> None:
    nowhere = replace(TOY, dane_code="")
    for _turn in range(QUOTATIONS.per_pair + 1):
        assert await counter.price(MALLORY, contents=nowhere) == 0
    assert counter.carrier.asked == []
    assert await counter.price(MALLORY) == 12_000


async def test_a_client_that_lets_the_carrier_hang_takes_nobody_elses_price(counter: Counter) -> None:
    may_answer, all_asked = asyncio.Event(), asyncio.Event()

    async def hang() -> None:
        if len(counter.carrier.asked) == AT_ONCE:
            all_asked.set()
        await may_answer.wait()

    counter.carrier.meanwhile = hang
    hanging = [asyncio.create_task(counter.price(MALLORY, f"cart_{n}")) for n in range(100)]
    await all_asked.wait()
    counter.carrier.meanwhile = None
    assert await counter.price(ANA) == 12_000
    assert await counter.price(MALLORY) is None
    may_answer.set()
    prices = await asyncio.gather(*hanging)
    assert (prices.count(12_000), prices.count(None)) == (AT_ONCE, 100 - AT_ONCE)
    assert await counter.price(MALLORY) == 12_000


async def test_who_no_longer_waits_gives_the_place_back(counter: Counter) -> None:
    alone = replace(MALLORY, people=1)
    asked = asyncio.Event()

    async def hang() -> None:
        asked.set()
        await asyncio.Future()

    counter.carrier.meanwhile = hang
    for _turn in range(2 * quote_limits.LEAST_AT_ONCE):
        asked.clear()
        question = asyncio.create_task(counter.price(alone))
        await asked.wait()
        question.cancel()
        await asyncio.gather(question, return_exceptions=True)
    counter.carrier.meanwhile = None
    assert await counter.price(alone) == 12_000


async def test_over_the_api_the_refusal_says_when_and_what_was_listed_can_be_chosen(
    store: httpx.AsyncClient, shop: Shop, shop_defaults: Defaults, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(quote_limits, "QUOTATIONS", replace(QUOTATIONS, per_pair=1))
    async with shop.database.transaction() as session:
        toy = await make_toy(session, shop_defaults, "trompo", stock=5)
    cart_id = await addressed_cart(store, toy)
    listed = await option(store, cart_id, "calculated")
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
