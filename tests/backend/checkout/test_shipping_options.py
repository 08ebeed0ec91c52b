"""Shipping prices of a cart that changes while it is being priced."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

import pytest
from sqlalchemy import delete, select, update

from backend.cart.access import create_empty_cart, open_cart, read_cart
from backend.cart.contents import read_lines
from backend.cart.lines import add_to_cart
from backend.cart.shipping_method import find_shipping_method, set_shipping_method
from backend.catalog.models import Product
from backend.checkout.form import NO_TOWN
from backend.checkout.quotes.quote_limits import QuotationSlots, Quoter
from backend.checkout.quotes.shipping_quotes import build_quote_input
from backend.checkout.shipping_options import (
    CART_CHANGED,
    MAX_QUOTE_ATTEMPTS,
    ShippingOffer,
    choose_shipping,
    deliver_to_destination,
    offer_shipping,
)
from backend.core.config.settings import Settings
from backend.core.db.database import Database
from backend.core.errors import Conflict, InvalidData
from backend.rate_limit.limiter import Client
from backend.shipping.models import LocationSalesChannel, ShippingOption
from backend.shipping.packages import limit_content_value
from backend.shipping.providers.base import FulfillmentProvider
from backend.shipping.providers.registry import ManualProvider
from tests.backend.checkout.paying_kit import ANA, create_settings_reader
from tests.backend.checkout.scripted_carrier import LETICIA, ScriptedCarrier
from tests.checkout_steps import MEDELLIN, set_destination
from tests.store_defaults import add_product, set_up_defaults


@pytest.fixture
def database_url(sqlite_url: str) -> str:
    return sqlite_url


@dataclass
class ShippingSetup:
    """A cart with one product, and the carrier that ships it."""

    database: Database
    cart_id: str
    variant: str
    home: str
    settings: Settings
    carrier: ScriptedCarrier = field(default_factory=ScriptedCarrier)

    def __post_init__(self) -> None:
        providers: dict[str, FulfillmentProvider] = {
            self.carrier.id: self.carrier,
            "manual_manual": ManualProvider(),
        }
        read_settings = create_settings_reader(self.database, self.settings)
        self.quoting = Quoter(self.database, providers, Client("190.24.1.1"), QuotationSlots(), read_settings)

    async def add_one(self) -> None:
        """Add a unit to the cart and choose shipping for 9 000 pesos, as in a second browser tab."""
        async with self.database.transaction() as session:
            await add_to_cart(session, self.cart_id, self.variant, 1)
            await set_shipping_method(
                session,
                await open_cart(session, self.cart_id),
                option_id=self.home,
                name="A domicilio",
                amount=9_000,
                data={},
            )

    async def add_one_once(self) -> None:
        self.carrier.on_call = None
        await self.add_one()

    async def shipping(self) -> int | None:
        async with self.database.read() as session:
            method = await find_shipping_method(session, self.cart_id)
        return method.amount if method else None

    async def choose(self) -> None:
        await choose_shipping(self.quoting, self.cart_id, self.home)

    async def offer(self, wanted: str = "") -> ShippingOffer:
        return await offer_shipping(self.quoting, self.cart_id, wanted, is_choice=False)

    async def deliver(self) -> None:
        """Change the destination of the cart to Leticia, another municipality."""
        elsewhere = ANA.model_copy(update={"dane_code": LETICIA})
        await deliver_to_destination(self.quoting, self.cart_id, elsewhere)


@pytest.fixture
async def setup(database: Database, settings: Settings) -> ShippingSetup:
    defaults = await set_up_defaults(database, settings)
    async with database.transaction() as session:
        variant = await add_product(session, defaults, "trompo", stock=9)
        cart_id = await create_empty_cart(session)
        await add_to_cart(session, cart_id, variant, 1)
        home = select(ShippingOption.id).where(ShippingOption.price_type == "calculated")
        option_id = (await session.execute(home)).scalar_one()
    return ShippingSetup(database, cart_id, variant, option_id, settings)


PRICE_REQUESTS: list[tuple[Callable[[ShippingSetup], Awaitable[object]], str, int]] = [
    (ShippingSetup.choose, MEDELLIN, 12_000),
    (ShippingSetup.offer, MEDELLIN, 12_000),
    (ShippingSetup.deliver, LETICIA, 48_000),
]
"""The functions that request a price, the municipality, and the expected price."""


@pytest.mark.parametrize(("ask", "town", "_price"), PRICE_REQUESTS)
async def test_cart_that_changes_during_every_pricing_raises_a_conflict(
    setup: ShippingSetup, ask: Callable[[ShippingSetup], Awaitable[object]], town: str, _price: int
) -> None:
    await set_destination(setup.database, setup.cart_id, ANA)
    await setup.choose()
    setup.carrier.asked.clear()
    setup.carrier.on_call = setup.add_one
    with pytest.raises(Conflict) as refused:
        await ask(setup)
    assert refused.value.message == CART_CHANGED
    assert setup.carrier.asked == [town] * MAX_QUOTE_ATTEMPTS
    assert await setup.shipping() == 9_000


@pytest.mark.parametrize(("ask", "town", "price"), PRICE_REQUESTS)
async def test_cart_changed_during_pricing_is_priced_again(
    setup: ShippingSetup, ask: Callable[[ShippingSetup], Awaitable[object]], town: str, price: int
) -> None:
    await set_destination(setup.database, setup.cart_id, ANA)
    await setup.choose()
    setup.carrier.asked.clear()
    setup.carrier.on_call = setup.add_one_once
    await ask(setup)
    assert setup.carrier.asked == [town] * 2
    assert await setup.shipping() == price


async def test_cart_without_a_municipality_has_no_price(setup: ShippingSetup) -> None:
    with pytest.raises(InvalidData) as refused:
        await setup.offer()
    assert refused.value.fields == {"dane_code": NO_TOWN}
    assert setup.carrier.asked == []


async def test_shop_without_shipping_options_offers_and_selects_none(setup: ShippingSetup) -> None:
    await set_destination(setup.database, setup.cart_id, ANA)
    async with setup.database.transaction() as session:
        await session.execute(delete(LocationSalesChannel))
    assert await setup.offer(setup.home) == ShippingOffer([], "")
    assert await setup.shipping() is None


async def test_hidden_product_is_neither_shipped_nor_priced(setup: ShippingSetup) -> None:
    await set_destination(setup.database, setup.cart_id, ANA)
    async with setup.database.read() as session:
        cart = await read_cart(session, setup.cart_id)
        before = build_quote_input(cart, await read_lines(session, cart.id))
    async with setup.database.transaction() as session:
        await session.execute(update(Product).values(status="draft"))
    async with setup.database.read() as session:
        after = build_quote_input(cart, await read_lines(session, cart.id))
    assert (len(before.items), before.value) == (1, 50_000)
    assert (after.items, after.value) == ((), limit_content_value(0))
