"""Shipping estimates before the checkout: live, limited, and never blocked by a carrier."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy import select, update

from backend.cart.access import create_empty_cart
from backend.cart.lines import add_to_cart
from backend.catalog.models import Product
from backend.checkout import shipping_estimates
from backend.checkout.shipping_estimates import ESTIMATES, ShippingEstimate, ShippingEstimator
from backend.core.config.settings import Settings
from backend.core.db.database import Database
from backend.core.errors import InvalidData, NotFound, TooManyRequests
from backend.inventory.models import InventoryLevel
from backend.office_settings import save_settings
from backend.rate_limit.limiter import Client
from backend.shipping.models import ShippingOption
from backend.shipping.providers.base import FulfillmentProvider, Quote, QuoteRequest
from backend.shipping.providers.registry import ManualProvider
from backend.staff.rights import COMMAND_LINE
from tests.backend.checkout.paying_kit import create_settings_reader
from tests.backend.checkout.scripted_carrier import LETICIA, ScriptedCarrier
from tests.checkout_steps import MEDELLIN
from tests.store_defaults import add_product, set_up_defaults

ANA, LUIS = Client("190.24.1.1"), Client("190.24.1.2")
THURSDAY = datetime(2026, 12, 3, 15, tzinfo=UTC)
PICKUP = ("flat", 0, "2026-12-04")
"""The option to collect the order, with the day from which it is ready."""


def format_promised_day(estimate: ShippingEstimate) -> str:
    """Return the promised day as an ISO date; empty without one."""
    promise = estimate.choice.promise if estimate.choice else None
    return promise.day.isoformat() if promise else ""


@dataclass
class EstimateSetup:
    """A product, a cart with two units of it, and the estimator of their shipping."""

    database: Database
    variant: str
    cart_id: str
    carrier: ScriptedCarrier
    estimates: ShippingEstimator

    async def list_estimates(self, town: str, client: Client = ANA) -> list[tuple[str, int | None, str]]:
        """Return name, price and promised day of each option for one product."""
        ways = await self.estimates.estimate_variant(self.variant, town, client)
        return [
            (way.name, way.choice.amount if way.choice else None, format_promised_day(way)) for way in ways
        ]

    def block_carrier(self) -> asyncio.Event:
        """Let the carrier answer only after the returned event is set."""
        may_answer = asyncio.Event()

        async def wait() -> None:
            await may_answer.wait()

        self.carrier.on_call = wait
        return may_answer


@pytest.fixture
async def setup(
    database: Database, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[EstimateSetup]:
    monkeypatch.setattr(shipping_estimates, "now", lambda: THURSDAY)
    defaults = await set_up_defaults(database, settings)
    async with database.transaction() as session:
        variant = await add_product(session, defaults, "trompo", stock=9)
        cart_id = await create_empty_cart(session)
        await add_to_cart(session, cart_id, variant, 2)
        await session.execute(update(ShippingOption).values(name=ShippingOption.price_type))
    carrier = ScriptedCarrier()
    providers: dict[str, FulfillmentProvider] = {carrier.id: carrier, "manual_manual": ManualProvider()}
    asked = ShippingEstimator(
        database,
        providers,
        create_settings_reader(database, settings),
        answer_timeout=timedelta(seconds=0.05),
    )
    yield EstimateSetup(database, variant, cart_id, carrier, asked)
    await asked.close()


async def test_each_estimated_option_has_its_price_and_delivery_day(setup: EstimateSetup) -> None:
    # handed over on Friday, then three working days: the Tuesday in between is a holiday
    assert await setup.list_estimates(MEDELLIN) == [("calculated", 12_000, "2026-12-10"), PICKUP]
    assert await setup.list_estimates(LETICIA) == [("calculated", 48_000, "2026-12-10"), PICKUP]


async def test_no_day_is_promised_for_units_that_are_not_in_stock(setup: EstimateSetup) -> None:
    async with setup.database.transaction() as session:
        await session.execute(update(InventoryLevel).values(stocked=1))
    assert await setup.list_estimates(MEDELLIN) == [("calculated", 12_000, "2026-12-10"), PICKUP]
    ways = await setup.estimates.estimate_cart(setup.cart_id, MEDELLIN, ANA)  # two units
    assert [format_promised_day(way) for way in ways] == ["", ""]
    async with setup.database.transaction() as session:
        await session.execute(update(InventoryLevel).values(stocked=0))
    assert await setup.list_estimates(MEDELLIN) == [("calculated", 12_000, ""), ("flat", 0, "")]


async def test_promised_day_follows_the_owners_settings(setup: EstimateSetup) -> None:
    async with setup.database.transaction() as session:
        await save_settings(session, COMMAND_LINE, {"cutoff_hour": "10", "packing_days": "0"})
    days = [day for _name, _amount, day in await setup.list_estimates(MEDELLIN)]
    assert days == ["2026-12-10", "2026-12-04"]  # at ten o'clock: from Friday


async def test_shipping_estimate_of_a_cart_includes_all_units(
    setup: EstimateSetup, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[QuoteRequest] = []

    async def price(request: QuoteRequest) -> Quote:
        asked.append(request)
        return Quote(7_000, carrier="Envía")

    monkeypatch.setattr(setup.carrier, "calculate_price", price)
    ways = await setup.estimates.estimate_cart(setup.cart_id, LETICIA, ANA)
    await setup.estimates.estimate_variant(setup.variant, LETICIA, ANA)
    assert ways[0].choice is not None
    assert (ways[0].choice.amount, ways[0].choice.promise) == (7_000, None)
    assert [request.content_value for request in asked] == [100_000, 50_000]
    assert [request.packages[0].weight for request in asked] == [2, 1]
    assert {request.destination.dane_code for request in asked} == {LETICIA}


async def test_cached_quote_is_not_requested_again_and_does_not_count_towards_the_limit(
    setup: EstimateSetup,
) -> None:
    for _turn in range(ESTIMATES.per_pair + 5):
        await setup.list_estimates(MEDELLIN)
    assert setup.carrier.asked == [MEDELLIN]
    async with setup.database.transaction() as session:
        await session.execute(update(Product).values(weight=9))  # another package is another request
    await setup.list_estimates(MEDELLIN)
    assert setup.carrier.asked == [MEDELLIN] * 2


async def test_concurrent_identical_estimates_make_one_request(setup: EstimateSetup) -> None:
    await asyncio.gather(*(setup.list_estimates(MEDELLIN, client) for client in (ANA, LUIS, ANA)))
    assert setup.carrier.asked == [MEDELLIN]


async def test_estimate_does_not_wait_for_a_slow_carrier_and_caches_its_answer(setup: EstimateSetup) -> None:
    may_answer = setup.block_carrier()
    assert await setup.list_estimates(MEDELLIN) == [("calculated", None, ""), PICKUP]
    question = asyncio.create_task(setup.list_estimates(MEDELLIN))
    may_answer.set()
    await question
    assert await setup.list_estimates(MEDELLIN) == [("calculated", 12_000, "2026-12-10"), PICKUP]
    assert setup.carrier.asked == [MEDELLIN]


async def test_estimate_with_the_fixed_price_is_not_cached(
    setup: EstimateSetup, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def fallen(_request: QuoteRequest) -> Quote:
        setup.carrier.asked.append("fallen")
        return Quote(15_000, is_fallback=True, delivery_days=2)

    with monkeypatch.context() as patch:
        patch.setattr(setup.carrier, "calculate_price", fallen)
        for _turn in range(2):
            assert await setup.list_estimates(MEDELLIN) == [("calculated", 15_000, ""), PICKUP]
    assert (await setup.list_estimates(MEDELLIN))[0][1] == 12_000
    assert setup.carrier.asked == ["fallen", "fallen", MEDELLIN]


async def test_estimates_per_client_are_limited(
    setup: EstimateSetup, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def fallen(_request: QuoteRequest) -> Quote:
        return Quote(15_000, is_fallback=True)

    monkeypatch.setattr(setup.carrier, "calculate_price", fallen)
    for _turn in range(ESTIMATES.per_pair):
        await setup.list_estimates(MEDELLIN)
    with pytest.raises(TooManyRequests):
        await setup.list_estimates(MEDELLIN)
    assert (await setup.list_estimates(MEDELLIN, LUIS))[0][1] == 15_000


async def test_concurrent_estimates_of_all_clients_are_limited(
    setup: EstimateSetup, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shipping_estimates, "CONCURRENCY", 1)
    setup.block_carrier()
    await setup.list_estimates(MEDELLIN)
    with pytest.raises(TooManyRequests):
        await setup.list_estimates(LETICIA)


@pytest.mark.parametrize("town", ["", "05", "00000000", "x" * 64])
async def test_estimate_without_a_valid_municipality_is_refused(setup: EstimateSetup, town: str) -> None:
    with pytest.raises(InvalidData):
        await setup.list_estimates(town)
    assert setup.carrier.asked == []


async def test_estimate_of_an_unpublished_product_is_refused(setup: EstimateSetup) -> None:
    async with setup.database.transaction() as session:
        await session.execute(update(Product).values(status="draft"))
        assert (await session.execute(select(Product.id))).first() is not None
    with pytest.raises(NotFound):
        await setup.list_estimates(MEDELLIN)
    with pytest.raises(NotFound):
        await setup.estimates.estimate_cart("cart_0", MEDELLIN, ANA)
