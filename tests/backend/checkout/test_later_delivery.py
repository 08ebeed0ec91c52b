"""The promised day from the checkout to the order.

| the page showed | the payment starts | result |
|---|---|---|
| Thursday the 10th | before the cut-off | the order promises the 10th |
| Thursday the 10th | after the cut-off | `DeliveryLater`; nothing is started; accepted with the new day |
| Thursday the 10th | after the cut-off, twice at once | `DeliveryLater` twice; nothing is started |
| Friday the 11th | before the cut-off | the order promises the 10th |
| the 10th | the carrier needs more days by then | `DeliveryLater` |
| the 10th | the carrier no longer names days | `DeliveryLater` |
| the 10th | price and day changed | `TotalChanged`; then the day must be confirmed too |
| no day, or a program sent none | after the cut-off | accepted |
"""

import asyncio
from collections.abc import AsyncIterator, Callable
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest
from sqlalchemy import func, select

from backend import subscriptions  # noqa: F401 - so that orders follow their payments
from backend.app import Shop
from backend.cart.access import create_empty_cart
from backend.cart.lines import add_to_cart
from backend.checkout import cart_snapshot, later_delivery, shipping_options
from backend.checkout.later_delivery import (
    DeliveryLater,
    find_later_delivery_of_cart,
    parse_expected_day,
)
from backend.checkout.placed_orders import PlacedOrder
from backend.checkout.service import Checkout
from backend.core.config.settings import Settings
from backend.core.errors import Conflict, InvalidData, TotalChanged
from backend.mail import acknowledgement
from backend.mail.messages import compose_message
from backend.mail.models import Mail, MailKind
from backend.office_settings import save_settings
from backend.orders import states
from backend.orders.delivery_kinds import DeliveryKind
from backend.orders.models import Order
from backend.orders.promised_days import OrderPromise, describe_promise, describe_promise_for_staff
from backend.payment.models import PaymentSession
from backend.payment.providers.base import ProviderState
from backend.shipping.delivery_promise import PROMISED_DAY
from backend.shipping.providers.base import Quote, QuoteRequest
from backend.shipping.providers.registry import ManualProvider
from backend.staff.rights import COMMAND_LINE
from tests.backend.checkout.scripted_carrier import LETICIA, ScriptedCarrier
from tests.backend.orders.paying import report_payment
from tests.checkout_steps import CHECKOUT_INPUT, MEDELLIN
from tests.store_defaults import add_product, set_up_defaults

PRICE, TOTAL, IP = 40_000, 52_000, "190.24.1.1"
BEFORE_CUTOFF = datetime(2026, 12, 3, 19, 55, tzinfo=UTC)  # Thursday, 2:55 p. m. in Colombia
AFTER_CUTOFF = BEFORE_CUTOFF + timedelta(minutes=10)
THE_10TH, THE_11TH = date(2026, 12, 10), date(2026, 12, 11)


class Clock:
    """The current time of the checkout and of the orders."""

    def __init__(self) -> None:
        self.moment = BEFORE_CUTOFF

    def __call__(self) -> datetime:
        return self.moment


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    for module in (acknowledgement, cart_snapshot, later_delivery, shipping_options, states):
        monkeypatch.setattr(module, "now", clock)
    return clock


class DayCarrier(ScriptedCarrier):
    """A carrier that needs `days` days for a delivery.

    If `days` is None, it does not answer: the quote is the fixed price, which equals the carrier's price here.
    """

    days: int | None = 3

    async def calculate_price(self, request: QuoteRequest) -> Quote:
        quote = await super().calculate_price(request)
        return replace(quote, delivery_days=self.days, is_fallback=self.days is None)


@pytest.fixture
def carrier() -> DayCarrier:
    return DayCarrier(prices={MEDELLIN: 12_000, LETICIA: 12_000})


@pytest.fixture
async def shop(database_url: str, settings: Settings) -> AsyncIterator[Shop]:
    shop = Shop(settings.model_copy(update={"database_url": database_url}))
    yield shop
    await shop.stop()


@pytest.fixture
def checkout(shop: Shop, carrier: DayCarrier) -> Checkout:
    carriers = {carrier.id: carrier, "manual_manual": ManualProvider()}
    return Checkout(shop.settings, shop.database, shop.payments, carriers, shop.effective_settings.now)


@pytest.fixture
async def cart_id(checkout: Checkout, settings: Settings, clock: Clock) -> str:
    """Return a cart whose shipping to Medellín was priced before the cut-off."""
    defaults = await set_up_defaults(checkout.database, settings)
    async with checkout.database.transaction() as session:
        variant = await add_product(session, defaults, "trompo", stock=5, price=PRICE)
        cart_id = await create_empty_cart(session)
        await add_to_cart(session, cart_id, variant, 1)
    await checkout.set_town(cart_id, MEDELLIN, CHECKOUT_INPUT["address"])
    offer = await checkout.offer_shipping(cart_id, ip=IP)
    assert [choice.promise and choice.promise.day for choice in offer.choices] == [
        THE_10TH,
        date(2026, 12, 4),
    ]
    return cart_id


async def place_order(checkout: Checkout, cart_id: str, day: date | None, **typed: str) -> PlacedOrder:
    return await checkout.place_order(
        cart_id, {**CHECKOUT_INPUT, **typed}, expected_total=TOTAL, expected_day=day, ip=IP
    )


async def read_order(checkout: Checkout, placed: PlacedOrder) -> Order:
    async with checkout.database.read() as session:
        return (await session.execute(select(Order).where(Order.id == placed.order_id))).scalar_one()


async def count_rows(checkout: Checkout, table: Any) -> int:
    async with checkout.database.read() as session:
        return (await session.execute(select(func.count()).select_from(table))).scalar_one()


async def approve_payment(shop: Shop) -> None:
    async with shop.database.read() as session:
        session_id = (await session.execute(select(PaymentSession.id))).scalar_one()
    await report_payment(shop, session_id, ProviderState.CAPTURED)


@pytest.mark.parametrize("seen", [THE_10TH, THE_11TH, None])
async def test_order_promises_the_delivery_day_if_the_shopper_saw_no_earlier_day(
    checkout: Checkout, cart_id: str, seen: date | None
) -> None:
    order = await read_order(checkout, await place_order(checkout, cart_id, seen))
    assert (order.shipping_data[PROMISED_DAY], order.promised_day) == ("2026-12-10", None)


async def test_later_delivery_day_must_be_confirmed_before_the_payment_starts(
    checkout: Checkout, cart_id: str, clock: Clock
) -> None:
    clock.moment = AFTER_CUTOFF
    with pytest.raises(DeliveryLater) as later:
        await place_order(checkout, cart_id, THE_10TH)
    assert later.value.shopper_text == (
        "El día prometido cambió: antes era el jueves 10 de diciembre y ahora es el viernes 11 de diciembre. "
        "Revísalo y, si estás de acuerdo, paga."
    )
    assert (await count_rows(checkout, PaymentSession), await count_rows(checkout, Order)) == (0, 0)
    order = await read_order(checkout, await place_order(checkout, cart_id, THE_11TH))
    assert order.shipping_data[PROMISED_DAY] == "2026-12-11"


async def test_concurrent_clicks_that_saw_an_earlier_day_create_no_payment_or_order(
    checkout: Checkout, cart_id: str, clock: Clock
) -> None:
    clock.moment = AFTER_CUTOFF
    presses = (place_order(checkout, cart_id, THE_10TH) for _press in range(2))
    answers = await asyncio.gather(*presses, return_exceptions=True)
    assert [type(answer) for answer in answers] == [DeliveryLater] * 2
    assert (await count_rows(checkout, PaymentSession), await count_rows(checkout, Order)) == (0, 0)


async def test_concurrent_clicks_that_saw_different_delivery_days_place_one_order(
    checkout: Checkout, cart_id: str, clock: Clock
) -> None:
    """Test two tabs: one still shows the earlier day, the other the later one."""
    clock.moment = AFTER_CUTOFF
    presses = [place_order(checkout, cart_id, day) for day in (THE_10TH, THE_11TH, THE_11TH)]
    answers = await asyncio.gather(*presses, return_exceptions=True)
    placed = [answer for answer in answers if isinstance(answer, PlacedOrder)]
    assert placed
    assert all(isinstance(answer, PlacedOrder | Conflict) for answer in answers)
    assert (await count_rows(checkout, Order), await count_rows(checkout, PaymentSession)) == (1, 1)
    assert (await read_order(checkout, placed[0])).shipping_data[PROMISED_DAY] == "2026-12-11"


@pytest.mark.parametrize(("days", "text"), [(4, "ahora es el viernes 11"), (None, "Ya no podemos prometer")])
async def test_later_day_at_a_new_address_must_be_confirmed(
    checkout: Checkout, cart_id: str, carrier: DayCarrier, days: int | None, text: str
) -> None:
    """Test an address that changes between the price and the payment, at the same price."""
    carrier.days = days
    with pytest.raises(DeliveryLater) as later:
        await place_order(checkout, cart_id, THE_10TH, dane_code=LETICIA)
    assert text in later.value.shopper_text
    assert await count_rows(checkout, PaymentSession) == 0
    await place_order(checkout, cart_id, THE_11TH if days else None, dane_code=LETICIA)


async def test_changed_total_is_reported_before_the_later_day(
    checkout: Checkout, cart_id: str, carrier: DayCarrier, clock: Clock
) -> None:
    carrier.prices[LETICIA], clock.moment = 48_000, AFTER_CUTOFF
    with pytest.raises(TotalChanged):
        await place_order(checkout, cart_id, THE_10TH, dane_code=LETICIA)
    async with checkout.database.read() as session:
        later = await find_later_delivery_of_cart(session, cart_id, THE_10TH)
        assert later is not None
        assert "ahora es el viernes 11 de diciembre" in later.shopper_text
        assert await find_later_delivery_of_cart(session, cart_id, THE_11TH) is None
        assert await find_later_delivery_of_cart(session, cart_id, None) is None
        assert await find_later_delivery_of_cart(session, "cart_made_up", THE_10TH) is None


async def test_delivery_settings_changed_during_the_checkout_do_not_change_the_promise(
    shop: Shop, checkout: Checkout, cart_id: str
) -> None:
    async with shop.database.transaction() as session:
        await save_settings(session, COMMAND_LINE, {"packing_days": "5", "cutoff_hour": "9"})
    placed = await place_order(checkout, cart_id, THE_10TH)
    await approve_payment(shop)
    assert (await read_order(checkout, placed)).promised_day == THE_10TH


@pytest.mark.parametrize(
    "approval",
    [
        (BEFORE_CUTOFF + timedelta(minutes=4), THE_10TH, ""),
        (
            AFTER_CUTOFF,
            THE_11TH,
            "Tu pago se aprobó el 3 de diciembre de 2026, 3:05 p. m.",
        ),
        (
            datetime(2026, 12, 21, 14, tzinfo=UTC),
            date(2026, 12, 28),
            "Tu pago se aprobó el 21 de diciembre de 2026, 9:00 a. m.",
        ),
    ],
)
async def test_paid_order_promises_the_day_counted_from_its_approval(
    shop: Shop, checkout: Checkout, cart_id: str, clock: Clock, approval: tuple[datetime, date, str]
) -> None:
    placed = await place_order(checkout, cart_id, THE_10TH)
    clock.moment, day, delay = approval
    await approve_payment(shop)
    order = await read_order(checkout, placed)
    assert order.promised_day == day
    described = describe_promise(order, DeliveryKind.CARRIER, clock.moment + timedelta(days=1))
    assert described.text.startswith("Llega a más tardar el ")
    reason = f"{delay}, y por eso la entrega ya no es el jueves 10 de diciembre." if delay else ""
    assert " ".join(described.delay.split()) == reason
    async with shop.database.read() as session:
        mail = await compose_message(session, shop.settings, Mail(kind=MailKind.ORDER_PAID, about=order.id))
    assert mail is not None
    assert (mail.values["promise"], mail.values["delay"]) == (described.text, described.delay)
    assert describe_promise_for_staff(order, DeliveryKind.CARRIER).startswith("Entrega prometida: ")
    assert (
        "antes de pagar se le ofreció" in describe_promise_for_staff(order, DeliveryKind.CARRIER)
    ) == bool(delay)


async def test_pending_order_shows_the_delivery_day_that_an_immediate_approval_gives(
    checkout: Checkout, cart_id: str
) -> None:
    order = await read_order(checkout, await place_order(checkout, cart_id, THE_10TH))
    pages: list[tuple[datetime, bool, str]] = [
        (BEFORE_CUTOFF, False, "hoy antes de las 3 p. m., llega a más tardar el jueves 10 de diciembre."),
        (
            AFTER_CUTOFF,
            False,
            "antes de las 3 p. m. del viernes, llega a más tardar el viernes 11 de diciembre.",
        ),
        (
            BEFORE_CUTOFF,
            True,
            "antes de las 3 p. m. del jueves 3 de diciembre, llega a más tardar el jueves 10 de diciembre.",
        ),
    ]
    for moment, is_read_later, text in pages:
        described = describe_promise(order, DeliveryKind.CARRIER, moment, is_read_later=is_read_later)
        assert " ".join(described.text.split()) == f"Si tu pago se aprueba {text}"
        assert described.delay == ""
    assert (
        describe_promise_for_staff(order, DeliveryKind.CARRIER)
        == "Entrega ofrecida: jueves 10 de diciembre, si el pago se aprueba a tiempo"
    )


async def test_cancelled_delivered_or_refunded_order_promises_no_delivery_day(
    shop: Shop, checkout: Checkout, cart_id: str
) -> None:
    placed = await place_order(checkout, cart_id, THE_10TH)
    changes: list[Callable[[Order], None]] = [
        lambda order: setattr(order, "status", "canceled"),
        lambda order: setattr(order, "fulfillment_status", "delivered"),
        lambda order: setattr(order, "payment_status", "refunded"),
        lambda order: setattr(order, "shipping_data", {}),
    ]
    await approve_payment(shop)
    for change in changes:
        order = await read_order(checkout, placed)
        assert describe_promise(order, DeliveryKind.CARRIER, AFTER_CUTOFF).text
        change(order)
        assert describe_promise(order, DeliveryKind.CARRIER, AFTER_CUTOFF) == OrderPromise()


@pytest.mark.parametrize("sent", [None, ""])
def test_missing_expected_day_is_none(sent: object) -> None:
    assert parse_expected_day(sent) is None


def test_expected_day_is_parsed_from_an_iso_date() -> None:
    assert parse_expected_day("2026-12-10") == THE_10TH


@pytest.mark.parametrize(
    "sent",
    [
        "20261210",
        "2026-W50-4",
        "2026-12-32",
        "0000-01-01",
        "2026-12-10 ",
        "２０２６-12-10",
        "x",
        20261210,
        True,
        [],
        {},
    ],
)
def test_malformed_expected_day_is_refused(sent: object) -> None:
    with pytest.raises(InvalidData):
        parse_expected_day(sent)
