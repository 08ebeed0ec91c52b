"""Nobody is charged the shipping of a cart that has changed meanwhile."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

import pytest
from sqlalchemy import delete, select, update

from backend.cart.access import new_cart, open_cart, read_cart
from backend.cart.contents import lines_of
from backend.cart.lines import add_to_cart
from backend.cart.shipping_method import set_shipping_method, shipping_method
from backend.catalog.models import Product
from backend.checkout.form import NO_TOWN
from backend.checkout.quotes.quote_limits import Quoting, UnderWay
from backend.checkout.quotes.shipping_quotes import quote_input
from backend.checkout.shipping_options import (
    CART_CHANGED,
    MAX_QUOTES,
    ShippingOffer,
    choose_shipping,
    deliver_to,
    offer_shipping,
)
from backend.core.config.settings import Settings
from backend.core.db.database import Database
from backend.core.errors import Conflict, InvalidData
from backend.rate_limit.limiter import Client
from backend.shipping.models import LocationSalesChannel, ShippingOption
from backend.shipping.packages import content_value
from backend.shipping.providers.base import FulfillmentProvider
from backend.shipping.providers.registry import ManualProvider
from tests.backend.checkout.paying_kit import ANA
from tests.backend.checkout.scripted_carrier import LETICIA, ScriptedCarrier
from tests.checkout_steps import MEDELLIN, set_destination
from tests.store_defaults import make_toy, set_up_defaults


@pytest.fixture
def database_url(sqlite_url: str) -> str:
    return sqlite_url


@dataclass
class Buying:
    """A cart with one toy, and the carrier that ships it."""

    database: Database
    cart_id: str
    toy: str
    home: str
    carrier: ScriptedCarrier = field(default_factory=ScriptedCarrier)

    def __post_init__(self) -> None:
        providers: dict[str, FulfillmentProvider] = {
            self.carrier.id: self.carrier,
            "manual_manual": ManualProvider(),
        }
        self.quoting = Quoting(self.database, providers, Client("190.24.1.1"), UnderWay())

    async def add_one(self) -> None:
        """Another tab adds a toy, and ships both for 9 000 pesos."""
        async with self.database.transaction() as session:
            await add_to_cart(session, self.cart_id, self.toy, 1)
            await set_shipping_method(
                session,
                await open_cart(session, self.cart_id),
                option_id=self.home,
                name="A domicilio",
                amount=9_000,
                data={},
            )

    async def add_one_once(self) -> None:
        self.carrier.meanwhile = None
        await self.add_one()

    async def shipping(self) -> int | None:
        async with self.database.read() as session:
            method = await shipping_method(session, self.cart_id)
        return method.amount if method else None

    async def choose(self) -> None:
        await choose_shipping(self.quoting, self.cart_id, self.home)

    async def offer(self, wanted: str = "") -> ShippingOffer:
        return await offer_shipping(self.quoting, self.cart_id, wanted, is_choice=False)

    async def deliver(self) -> None:
        """The form says another town than the cart."""
        elsewhere = ANA.model_copy(update={"dane_code": LETICIA})
        await deliver_to(self.quoting, self.cart_id, elsewhere)


@pytest.fixture
async def buying(database: Database, settings: Settings) -> Buying:
    defaults = await set_up_defaults(database, settings)
    async with database.transaction() as session:
        toy = await make_toy(session, defaults, "trompo", stock=9)
        cart_id = await new_cart(session)
        await add_to_cart(session, cart_id, toy, 1)
        home = select(ShippingOption.id).where(ShippingOption.price_type == "calculated")
        option_id = (await session.execute(home)).scalar_one()
    return Buying(database, cart_id, toy, option_id)


ASKS: list[tuple[Callable[[Buying], Awaitable[object]], str, int]] = [
    (Buying.choose, MEDELLIN, 12_000),
    (Buying.offer, MEDELLIN, 12_000),
    (Buying.deliver, LETICIA, 48_000),
]
"""Who asks for a price, for which town, and what that is."""


@pytest.mark.parametrize(("ask", "town", "_price"), ASKS)
async def test_a_cart_that_keeps_changing_gets_no_price(
    buying: Buying, ask: Callable[[Buying], Awaitable[object]], town: str, _price: int
) -> None:
    await set_destination(buying.database, buying.cart_id, ANA)
    await buying.choose()
    buying.carrier.asked.clear()
    buying.carrier.meanwhile = buying.add_one
    with pytest.raises(Conflict) as refused:
        await ask(buying)
    assert refused.value.message == CART_CHANGED
    assert buying.carrier.asked == [town] * MAX_QUOTES
    assert await buying.shipping() == 9_000


@pytest.mark.parametrize(("ask", "town", "price"), ASKS)
async def test_a_cart_that_changed_while_it_was_priced_is_priced_again(
    buying: Buying, ask: Callable[[Buying], Awaitable[object]], town: str, price: int
) -> None:
    await set_destination(buying.database, buying.cart_id, ANA)
    await buying.choose()
    buying.carrier.asked.clear()
    buying.carrier.meanwhile = buying.add_one_once
    await ask(buying)
    assert buying.carrier.asked == [town] * 2
    assert await buying.shipping() == price


async def test_without_a_municipality_there_is_no_price(buying: Buying) -> None:
    with pytest.raises(InvalidData) as refused:
        await buying.offer()
    assert refused.value.fields == {"dane_code": NO_TOWN}
    assert buying.carrier.asked == []


async def test_a_shop_that_ships_nowhere_offers_and_chooses_nothing(buying: Buying) -> None:
    await set_destination(buying.database, buying.cart_id, ANA)
    async with buying.database.transaction() as session:
        await session.execute(delete(LocationSalesChannel))
    assert await buying.offer(buying.home) == ShippingOffer([], "")
    assert await buying.shipping() is None


async def test_what_left_the_shop_is_neither_sent_nor_priced(buying: Buying) -> None:
    await set_destination(buying.database, buying.cart_id, ANA)
    async with buying.database.read() as session:
        cart = await read_cart(session, buying.cart_id)
        before = quote_input(cart, await lines_of(session, cart.id))
    async with buying.database.transaction() as session:
        await session.execute(update(Product).values(status="draft"))
    async with buying.database.read() as session:
        after = quote_input(cart, await lines_of(session, cart.id))
    assert (len(before.items), before.value) == (1, 50_000)
    assert (after.items, after.value) == ((), content_value(0))
