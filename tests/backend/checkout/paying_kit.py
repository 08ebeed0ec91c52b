"""Helpers for tests of payments: a cart, a payment of it, the bank's report, and the result."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import timedelta
from functools import partial

from sqlalchemy import select, update

from backend import subscriptions  # noqa: F401 - so that orders and mails follow
from backend.attention.models import Attention
from backend.cart.access import create_empty_cart, lock_cart, read_cart
from backend.cart.lines import add_to_cart
from backend.checkout.form import Destination
from backend.checkout.payment.start import PaymentStart
from backend.checkout.placed_orders import PlacedOrders
from backend.checkout.service import Checkout
from backend.core.config.settings import Settings
from backend.core.db.database import Database, db_now
from backend.fulfillment.tracker import Tracker
from backend.inventory.models import Reservation
from backend.inventory.service import read_available_units
from backend.jobs import Worker
from backend.jobs.models import Job
from backend.mail.models import Mail
from backend.office_settings import read_effective_settings
from backend.orders.links.tokens import ORDER_LINK
from backend.orders.models import Fulfillment, Order, OrderLine
from backend.payment.checks import check_session
from backend.payment.models import PaymentSession
from backend.payment.providers.base import ProviderState
from backend.payment.sessions import find_decisive_session
from backend.shipping.models import ShippingOption
from tests.backend.checkout.scripted_bank import ScriptedBank
from tests.checkout_steps import set_destination
from tests.store_defaults import Defaults, add_product

PRICE = 40_000
ANA = Destination(
    email="ana@example.com",
    first_name="Ana",
    last_name="Gómez",
    phone="3001234567",
    dane_code="05001000",
    address="Carrera 43A # 1-50",
    suburb="El Poblado",
)
IP = "190.24.1.1"


def create_settings_reader(database: Database, settings: Settings) -> Callable[[], Awaitable[Settings]]:
    """Return a function that reads the effective settings."""

    async def read() -> Settings:
        async with database.read() as session:
            return await read_effective_settings(session, settings)

    return read


def orders_of(checkout: Checkout) -> PlacedOrders:
    """Return the service for placed orders, connected to this checkout."""
    return PlacedOrders(checkout.starter, Tracker(checkout.database, checkout.fulfillment_providers))


@dataclass
class Till:
    """A shop that can take payments."""

    database: Database
    checkout: Checkout
    bank: ScriptedBank
    worker: Worker
    defaults: Defaults

    @property
    def placed_orders(self) -> PlacedOrders:
        return orders_of(self.checkout)

    async def make_variant(self, handle: str = "trompo", *, stock: int = 3, price: int = PRICE) -> str:
        async with self.database.transaction() as session:
            return await add_product(session, self.defaults, handle, stock=stock, price=price)

    async def cart(self, variant: str, quantity: int = 1) -> str:
        """Return a cart that can be paid, with free pick-up."""
        async with self.database.transaction() as session:
            cart_id = await create_empty_cart(session)
            await add_to_cart(session, cart_id, variant, quantity)
        await self.ship(cart_id)
        return cart_id

    async def ship(self, cart_id: str) -> None:
        async with self.database.read() as session:
            flat = select(ShippingOption.id).where(
                ShippingOption.price_type == "flat", ShippingOption.provider_id == "manual_manual"
            )
            option = (await session.execute(flat)).scalar_one()
        await set_destination(self.database, cart_id, ANA)
        await self.checkout.choose_shipping(cart_id, option, ip=IP)

    async def start(
        self, cart_id: str, provider_id: str = "gateway_pse", *, replace: bool = False
    ) -> PaymentSession:
        """Start a payment of the cart as the Store API does, which checks the payer."""
        provider = self.checkout.payments.find_provider(provider_id)
        assert provider is not None
        start = PaymentStart(
            partial(read_cart, cart_id=cart_id),
            partial(lock_cart, cart_id=cart_id),
            provider,
            IP,
            typed={"bank": "1022"},
            replace=replace,
        )
        return (await self.checkout.starter.start(start)).payment

    async def order(self, variant: str, quantity: int = 1) -> tuple[Order, PaymentSession]:
        """Return an order whose payment is at the bank, and this payment."""
        cart_id = await self.cart(variant, quantity)
        payment = await self.start(cart_id)
        return (await self.checkout.complete(cart_id)).order, payment

    async def add(self, cart_id: str, variant: str, quantity: int = 1) -> None:
        async with self.database.transaction() as session:
            await add_to_cart(session, cart_id, variant, quantity)

    async def decide(self, payment: PaymentSession, state: ProviderState) -> str:
        """Let the bank decide, and let the shop read the decision. Return the payment session's state."""
        self.bank.states[payment.invoice] = state
        await check_session(self.database, self.checkout.payments.providers, payment)
        return await self.state(payment)

    async def state(self, payment: PaymentSession) -> str:
        async with self.database.read() as session:
            return (await session.get_one(PaymentSession, payment.id)).state

    async def session_of(self, cart_id: str) -> PaymentSession:
        async with self.database.read() as session:
            payment = await find_decisive_session(session, cart_id)
            assert payment is not None
            return payment

    async def read_order(self, order_id: str) -> Order:
        async with self.database.read() as session:
            return (await session.execute(select(Order).where(Order.id == order_id))).scalar_one()

    async def orders(self) -> list[Order]:
        async with self.database.read() as session:
            return list((await session.execute(select(Order).order_by(Order.number))).scalars())

    async def sold(self, order_id: str) -> dict[str, int]:
        async with self.database.read() as session:
            lines = await session.execute(select(OrderLine).where(OrderLine.order_id == order_id))
            return {line.variant_id: line.quantity for line in lines.scalars()}

    async def pack(self, order: Order) -> None:
        """Store a fulfillment of the order, as if it had been packed."""
        async with self.database.transaction() as session:
            session.add(
                Fulfillment(
                    order_id=order.id,
                    reference="1-1",
                    location_id=self.defaults.location_id,
                    provider_id="manual_manual",
                    state="created",
                )
            )

    async def available(self, variant: str) -> int:
        async with self.database.read() as session:
            return (await read_available_units(session, [variant]))[variant]

    async def attention(self) -> list[tuple[str, str, int | None]]:
        """Return kind, subject and amount of every attention, also of resolved ones."""
        async with self.database.read() as session:
            rows = (await session.execute(select(Attention).order_by(Attention.id))).scalars()
            return [(row.kind, row.subject_id, row.amount) for row in rows]

    async def mails(self) -> list[str]:
        """Return the kinds of the mails in the outbox."""
        async with self.database.read() as session:
            return sorted((await session.execute(select(Mail.kind))).scalars())

    async def pass_time(self, time: timedelta) -> None:
        """Act as if `time` had passed: move payments and reservations back, and make every job due."""
        async with self.database.transaction() as session:
            for payment in (await session.execute(select(PaymentSession))).scalars():
                payment.created_at -= time
                payment.expires_at = payment.expires_at - time if payment.expires_at else None
                payment.checked_at = payment.checked_at - time if payment.checked_at else None
            for reservation in (await session.execute(select(Reservation))).scalars():
                if reservation.expires_at is not None:
                    reservation.expires_at -= time
            await session.execute(update(Job).values(run_at=db_now()))

    async def work(self) -> None:
        """Run the due jobs, including periodic ones."""
        await self.worker.schedule()
        await self.worker.run_due()

    def token(self, order: Order) -> str:
        return ORDER_LINK.token(self.checkout.settings.signing_key, order.id)
