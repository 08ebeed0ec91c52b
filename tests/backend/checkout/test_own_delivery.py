"""Own delivery in the checkout: free delivery from an amount, two zones with one municipality, and changed zones."""

from collections.abc import Sequence
from dataclasses import dataclass

import pytest
from sqlalchemy import select

from backend.cart.access import create_empty_cart, open_cart
from backend.cart.contents import read_contents
from backend.cart.lines import add_to_cart
from backend.cart.promotion_codes import add_codes
from backend.cart.totals import read_discounted_totals
from backend.checkout.service import Checkout
from backend.checkout.shipping_estimates import ShippingEstimator
from backend.core.config.settings import Settings
from backend.core.db.database import Database
from backend.core.errors import TotalChanged
from backend.core.money import Cop
from backend.office.deliveries.form import ZoneForm
from backend.office.deliveries.saving import delete_delivery, format_version, save_zone
from backend.orders.models import Order
from backend.payment.providers.system_default import SystemDefault
from backend.payment.service import PaymentService
from backend.pricing import CartTotals
from backend.promotions.schemas import NewPromotion
from backend.promotions.service import create_promotion
from backend.promotions.wire_commands import to_create_promotion
from backend.rate_limit.limiter import Client
from backend.shipping.models import ServiceZone, ShippingOption
from backend.shipping.offered_options import OptionNotOffered
from backend.shipping.providers.base import FulfillmentProvider, Quote, QuoteRequest
from backend.shipping.providers.registry import ManualProvider, OwnDeliveryProvider
from backend.shipping.terms.own_delivery import ZoneTerms
from backend.shipping.terms.weekly_schedules import WeeklySchedule
from backend.staff.rights import COMMAND_LINE, SHOP
from tests.backend.checkout.paying_kit import ANA, IP, PRICE, create_settings_reader
from tests.backend.checkout.scripted_bank import ScriptedBank
from tests.backend.checkout.scripted_carrier import LETICIA, ScriptedCarrier
from tests.checkout_steps import CHECKOUT_INPUT, MEDELLIN, set_destination
from tests.store_defaults import add_product, set_up_defaults

WEEK = WeeklySchedule((0, 1, 2, 3, 4, 5), 9, 18)
ENVIGADO = "05266000"


class BrokenCarrier(ScriptedCarrier):
    """A carrier that does not respond, so that each quote is the fixed fallback price."""

    async def calculate_price(self, request: QuoteRequest) -> Quote:
        return Quote(15_000, is_fallback=True)


@dataclass
class OwnShop:
    """A shop with own delivery, and a cart for it."""

    database: Database
    checkout: Checkout
    estimates: ShippingEstimator
    carriers: dict[str, FulfillmentProvider]
    variant: str
    cart_id: str

    async def save(
        self,
        name: str = "Domicilio",
        towns: Sequence[str] = (MEDELLIN,),
        price: Cop = 8_000,
        free_from: Cop | None = None,
        option_id: str = "",
    ) -> str:
        """Create a zone or, with `option_id`, change it. Return the id of its option."""
        form = ZoneForm(name, tuple(towns), price, ZoneTerms(WEEK, 0, 11, free_from))
        async with self.database.transaction() as session:
            version = ""
            if option_id:
                option = await session.get_one(ShippingOption, option_id)
                version = format_version(option, await session.get_one(ServiceZone, option.service_zone_id))
            saved = await save_zone(
                session, COMMAND_LINE, self.carriers, form, option_id=option_id, version=version
            )
            return saved.id

    async def list_prices(self) -> dict[str, Cop]:
        """Return the prices of the offered options by name."""
        offer = await self.checkout.offer_shipping(self.cart_id, ip=IP)
        return {choice.name: choice.amount for choice in offer.choices}

    async def choose(self, option_id: str) -> None:
        await self.checkout.offer_shipping(self.cart_id, option_id, ip=IP, is_choice=True)

    async def totals(self) -> CartTotals:
        async with self.database.read() as session:
            contents = await read_contents(session, self.cart_id)
            totals, _discounts = await read_discounted_totals(session, self.cart_id, contents)
            return totals

    async def place_order(self, expected_total: Cop) -> Order:
        placed = await self.checkout.place_order(
            self.cart_id, CHECKOUT_INPUT, expected_total=expected_total, ip=IP
        )
        async with self.database.read() as session:
            return (await session.execute(select(Order).where(Order.id == placed.order_id))).scalar_one()


@pytest.fixture
async def own(database: Database, settings: Settings) -> OwnShop:
    defaults = await set_up_defaults(database, settings)
    async with database.transaction() as session:
        variant = await add_product(session, defaults, "trompo", stock=9, price=PRICE)
        cart_id = await create_empty_cart(session)
        await add_to_cart(session, cart_id, variant, 2)
    await set_destination(database, cart_id, ANA)
    bank, read_settings = ScriptedBank(), create_settings_reader(database, settings)
    payments = PaymentService(database, {bank.id: bank, "pp_system_default": SystemDefault()})
    carriers: dict[str, FulfillmentProvider] = {
        "carrier_standard": ScriptedCarrier(),
        "manual_manual": ManualProvider(),
        "own_delivery": OwnDeliveryProvider(),
    }
    checkout = Checkout(settings, database, payments, carriers, read_settings)
    estimates = ShippingEstimator(database, carriers, read_settings)
    return OwnShop(database, checkout, estimates, carriers, variant, cart_id)


async def test_order_that_reaches_the_free_amount_of_its_zone_has_free_shipping(own: OwnShop) -> None:
    option_id = await own.save(free_from=2 * PRICE)
    assert (await own.list_prices())["Domicilio"] == 0
    await own.choose(option_id)
    totals = await own.totals()
    assert (totals.shipping.original_total, totals.total) == (0, 2 * PRICE)
    order = await own.place_order(2 * PRICE)
    assert (order.shipping_total, order.total, order.shipping_name) == (0, 2 * PRICE, "Domicilio")


async def test_zone_below_its_free_amount_costs_its_price(own: OwnShop) -> None:
    option_id = await own.save(free_from=2 * PRICE + 1)
    assert (await own.list_prices())["Domicilio"] == 8_000
    await own.choose(option_id)
    order = await own.place_order(2 * PRICE + 8_000)
    assert (order.shipping_total, order.total) == (8_000, 2 * PRICE + 8_000)


async def test_free_amount_counts_the_goods_after_discounts(own: OwnShop) -> None:
    option_id = await own.save(free_from=2 * PRICE)
    await own.choose(option_id)
    assert (await own.totals()).total == 2 * PRICE
    body = {
        "code": "DIEZ",
        "type": "standard",
        "status": "active",
        "application_method": {"type": "percentage", "target_type": "order", "value": 10},
    }
    async with own.database.transaction() as session:
        await create_promotion(session, SHOP, to_create_promotion(NewPromotion.model_validate(body)))
        await add_codes(session, await open_cart(session, own.cart_id), ["DIEZ"])
    assert (await own.totals()).total == 72_000 + 8_000
    assert (await own.list_prices())["Domicilio"] == 8_000
    await own.choose(option_id)
    assert (await own.place_order(80_000)).shipping_total == 8_000


async def test_municipality_in_two_zones_gets_the_cheaper_one(own: OwnShop) -> None:
    dear = await own.save("Norte", [MEDELLIN, ENVIGADO], 12_000)
    cheap = await own.save("Sur", [MEDELLIN], 8_000)
    assert [name for name in await own.list_prices() if name in ("Norte", "Sur")] == ["Sur"]
    await own.save("Sur", [ENVIGADO], 8_000, option_id=cheap)
    assert [name for name in await own.list_prices() if name in ("Norte", "Sur")] == ["Norte"]
    # of equal prices, the zone that is free earlier
    await own.save("Sur", [MEDELLIN], 12_000, free_from=500_000, option_id=cheap)
    assert [name for name in await own.list_prices() if name in ("Norte", "Sur")] == ["Sur"]
    async with own.database.transaction() as session:
        await delete_delivery(session, COMMAND_LINE, cheap)
    assert [name for name in await own.list_prices() if name in ("Norte", "Sur")] == ["Norte"]
    assert dear


async def test_changed_delivery_price_is_shown_before_the_payment_starts(own: OwnShop) -> None:
    option_id = await own.save()
    await own.choose(option_id)
    await own.save(price=9_500, option_id=option_id)
    with pytest.raises(TotalChanged):
        await own.place_order(2 * PRICE + 8_000)
    assert (await own.totals()).total == 2 * PRICE + 9_500
    assert (await own.place_order(2 * PRICE + 9_500)).shipping_total == 9_500


@pytest.mark.parametrize("is_deleted", [True, False])
async def test_delivery_to_a_zone_removed_during_the_checkout_is_refused(
    own: OwnShop, is_deleted: bool
) -> None:
    option_id = await own.save()
    await own.choose(option_id)
    if is_deleted:
        async with own.database.transaction() as session:
            await delete_delivery(session, COMMAND_LINE, option_id)
    else:
        await own.save(towns=[ENVIGADO], option_id=option_id)
    with pytest.raises(OptionNotOffered):
        await own.place_order(2 * PRICE + 8_000)


@pytest.mark.parametrize(
    ("price", "towns", "error"), [(9_500, [MEDELLIN], TotalChanged), (8_000, [ENVIGADO], OptionNotOffered)]
)
async def test_api_client_that_pays_after_a_zone_change_must_choose_shipping_again(
    own: OwnShop, price: Cop, towns: list[str], error: type[Exception]
) -> None:
    """Start the payment without the checkout form, because the form would price the zone again."""
    option_id = await own.save()
    await own.checkout.choose_shipping(own.cart_id, option_id, ip=IP)
    await own.save(price=price, towns=towns, option_id=option_id)
    bank = own.checkout.payments.find_provider("gateway_pse")
    assert bank is not None
    payer = await bank.check_payer({"bank": "1022"})
    with pytest.raises(error):
        await own.checkout.start_payment(own.cart_id, "gateway_pse", payer, ip=IP)


async def test_order_with_own_delivery_is_placed_while_the_carrier_fails(own: OwnShop) -> None:
    own.carriers["carrier_standard"] = BrokenCarrier()
    option_id = await own.save()
    assert (await own.list_prices())["Domicilio"] == 8_000
    await own.choose(option_id)
    assert (await own.place_order(2 * PRICE + 8_000)).total == 2 * PRICE + 8_000


async def test_estimate_has_own_delivery_only_in_its_zone(own: OwnShop) -> None:
    await own.save(free_from=2 * PRICE)
    ana = Client(IP)
    estimates = await own.estimates.estimate_cart(own.cart_id, MEDELLIN, ana)
    [choice] = [one.choice for one in estimates if one.name == "Domicilio"]
    assert choice is not None
    assert (choice.amount, choice.is_own, choice.detail.split(",")[0]) == (0, True, "lunes a sábado")
    [variant] = [
        one.choice
        for one in await own.estimates.estimate_variant(own.variant, MEDELLIN, ana)
        if one.name == "Domicilio"
    ]
    assert variant is not None
    assert (variant.amount, variant.free_from_label.split()[-1]) == (8_000, "80.000")
    elsewhere = await own.estimates.estimate_variant(own.variant, LETICIA, ana)
    assert "Domicilio" not in [one.name for one in elsewhere]
    await own.estimates.close()
