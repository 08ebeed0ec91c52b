"""What shipping would cost, before the checkout: live, bounded, and never stuck on a carrier."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy import select, update

from backend.cart.access import new_cart
from backend.cart.lines import add_to_cart
from backend.catalog.models import Product
from backend.checkout import shipping_estimates
from backend.checkout.shipping_estimates import ESTIMATES, ShippingEstimates
from backend.core.config.settings import Settings
from backend.core.db.database import Database
from backend.core.errors import InvalidData, NotFound, TooManyRequests
from backend.rate_limit.limiter import Client
from backend.shipping.models import ShippingOption
from backend.shipping.providers.base import FulfillmentProvider, Quote, QuoteRequest
from backend.shipping.providers.registry import ManualProvider
from tests.backend.checkout.scripted_carrier import LETICIA, ScriptedCarrier
from tests.checkout_steps import MEDELLIN
from tests.store_defaults import make_toy, set_up_defaults

ANA, LUIS = Client("190.24.1.1"), Client("190.24.1.2")
THURSDAY = datetime(2026, 12, 3, 15, tzinfo=UTC)


@dataclass
class Asking:
    """A toy, a cart that holds two of it, and who prices their way."""

    database: Database
    toy: str
    cart_id: str
    carrier: ScriptedCarrier
    estimates: ShippingEstimates

    async def shown(self, town: str, client: Client = ANA) -> list[tuple[str, int | None, str]]:
        """Of each way for one toy: its name, its price and the day of its arrival."""
        ways = await self.estimates.of_variant(self.toy, town, client)
        return [(way.name, way.choice.amount if way.choice else None, str(way.arrives or "")) for way in ways]

    def hang(self) -> asyncio.Event:
        """The carrier does not answer until this is set."""
        may_answer = asyncio.Event()

        async def wait() -> None:
            await may_answer.wait()

        self.carrier.meanwhile = wait
        return may_answer


@pytest.fixture
async def asking(
    database: Database, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[Asking]:
    monkeypatch.setattr(shipping_estimates, "now", lambda: THURSDAY)
    defaults = await set_up_defaults(database, settings)
    async with database.transaction() as session:
        toy = await make_toy(session, defaults, "trompo", stock=9)
        cart_id = await new_cart(session)
        await add_to_cart(session, cart_id, toy, 2)
        await session.execute(update(ShippingOption).values(name=ShippingOption.price_type))
    carrier = ScriptedCarrier()
    providers: dict[str, FulfillmentProvider] = {carrier.id: carrier, "manual_manual": ManualProvider()}
    asked = ShippingEstimates(database, providers, patience=timedelta(seconds=0.05))
    yield Asking(database, toy, cart_id, carrier, asked)
    await asked.close()


async def test_each_way_has_its_price_and_its_day(asking: Asking) -> None:
    # handed over on Friday, then three working days: the Tuesday in between is a holiday
    assert await asking.shown(MEDELLIN) == [("calculated", 12_000, "2026-12-10"), ("flat", 0, "")]
    assert await asking.shown(LETICIA) == [("calculated", 48_000, "2026-12-10"), ("flat", 0, "")]


async def test_a_cart_is_priced_with_all_that_is_in_it(
    asking: Asking, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[QuoteRequest] = []

    async def price(request: QuoteRequest) -> Quote:
        asked.append(request)
        return Quote(7_000, carrier="Envía")

    monkeypatch.setattr(asking.carrier, "calculate_price", price)
    ways = await asking.estimates.of_cart(asking.cart_id, LETICIA, ANA)
    await asking.estimates.of_variant(asking.toy, LETICIA, ANA)
    assert ways[0].choice is not None
    assert (ways[0].choice.amount, ways[0].arrives) == (7_000, None)
    assert [request.content_value for request in asked] == [100_000, 50_000]
    assert [request.packages[0].weight for request in asked] == [2, 1]
    assert {request.destination.dane_code for request in asked} == {LETICIA}


async def test_what_was_just_quoted_is_not_asked_again_nor_counted(asking: Asking) -> None:
    for _turn in range(ESTIMATES.per_pair + 5):
        await asking.shown(MEDELLIN)
    assert asking.carrier.asked == [MEDELLIN]
    async with asking.database.transaction() as session:
        await session.execute(update(Product).values(weight=9))  # another package is another question
    await asking.shown(MEDELLIN)
    assert asking.carrier.asked == [MEDELLIN] * 2


async def test_the_same_question_at_once_is_one(asking: Asking) -> None:
    await asyncio.gather(*(asking.shown(MEDELLIN, client) for client in (ANA, LUIS, ANA)))
    assert asking.carrier.asked == [MEDELLIN]


async def test_nobody_waits_for_a_slow_carrier_and_its_answer_is_kept(asking: Asking) -> None:
    may_answer = asking.hang()
    assert await asking.shown(MEDELLIN) == [("calculated", None, ""), ("flat", 0, "")]
    question = asyncio.create_task(asking.shown(MEDELLIN))
    may_answer.set()
    await question
    assert await asking.shown(MEDELLIN) == [("calculated", 12_000, "2026-12-10"), ("flat", 0, "")]
    assert asking.carrier.asked == [MEDELLIN]


async def test_a_fixed_price_stands_in_and_is_not_kept(
    asking: Asking, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def fallen(_request: QuoteRequest) -> Quote:
        asking.carrier.asked.append("fallen")
        return Quote(15_000, is_fallback=True, delivery_days=2)

    with monkeypatch.context() as patch:
        patch.setattr(asking.carrier, "calculate_price", fallen)
        for _turn in range(2):
            assert await asking.shown(MEDELLIN) == [("calculated", 15_000, ""), ("flat", 0, "")]
    assert (await asking.shown(MEDELLIN))[0][1] == 12_000
    assert asking.carrier.asked == ["fallen", "fallen", MEDELLIN]


async def test_who_asks_for_too_much_waits(asking: Asking, monkeypatch: pytest.MonkeyPatch) -> None:
    async def fallen(_request: QuoteRequest) -> Quote:
        return Quote(15_000, is_fallback=True)

    monkeypatch.setattr(asking.carrier, "calculate_price", fallen)
    for _turn in range(ESTIMATES.per_pair):
        await asking.shown(MEDELLIN)
    with pytest.raises(TooManyRequests):
        await asking.shown(MEDELLIN)
    assert (await asking.shown(MEDELLIN, LUIS))[0][1] == 15_000


async def test_all_together_ask_for_no_more_than_the_carrier_may_be_given(
    asking: Asking, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shipping_estimates, "MOST_AT_ONCE", 1)
    asking.hang()
    await asking.shown(MEDELLIN)
    with pytest.raises(TooManyRequests):
        await asking.shown(LETICIA)


@pytest.mark.parametrize("town", ["", "05", "00000000", "x" * 64])
async def test_no_municipality_is_refused(asking: Asking, town: str) -> None:
    with pytest.raises(InvalidData):
        await asking.shown(town)
    assert asking.carrier.asked == []


async def test_what_is_not_for_sale_is_not_priced(asking: Asking) -> None:
    async with asking.database.transaction() as session:
        await session.execute(update(Product).values(status="draft"))
        assert (await session.execute(select(Product.id))).first() is not None
    with pytest.raises(NotFound):
        await asking.shown(MEDELLIN)
    with pytest.raises(NotFound):
        await asking.estimates.of_cart("cart_0", MEDELLIN, ANA)
