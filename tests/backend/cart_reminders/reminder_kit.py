"""Helpers for reminders of abandoned carts."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy import func, select, update
from sqlalchemy.ext.asyncio import AsyncSession

from backend.app import Shop
from backend.cart.access import create_empty_cart
from backend.cart.lines import add_to_cart
from backend.cart.models import Cart
from backend.cart_reminders import reminders
from backend.cart_reminders.reminders import CartReminders
from backend.channels.models import Region
from backend.core.db.database import db_now
from backend.jobs import JobRun, Worker
from backend.mail.mailer import Mailer
from backend.mail.models import Mail, MailKind
from backend.office_settings import save_settings
from backend.staff.rights import COMMAND_LINE
from tests.backend.mail.conftest import Inbox
from tests.store_defaults import Defaults

RUN = JobRun(1, "cart_reminders.request", "", {}, 1)
FRIDAY_NOON = datetime(2026, 11, 27, 17, 0, tzinfo=UTC)
SUNDAY_NOON = FRIDAY_NOON + timedelta(days=2)
SUBJECT = "Dejaste algo en tu carrito"
Change = Callable[[AsyncSession, "AbandonedCart"], Awaitable[object]]


@dataclass
class AbandonedCart:
    """A customer's cart that has not changed since yesterday, in a shop that sends reminders."""

    shop: Shop
    defaults: Defaults
    inbox: Inbox
    variant_id: str
    customer_id: str
    cart_id: str

    async def change(self, change: Change) -> None:
        async with self.shop.database.transaction() as session:
            await change(session, self)

    async def request(self) -> None:
        await CartReminders(self.shop.database).request_due(RUN)

    async def send(self) -> list[str]:
        """Send the mails that are due. Return the recipients of reminders."""
        mailer = Mailer(self.shop.database, self.shop.settings, self.inbox)
        await Worker(self.shop.database, [mailer]).run_due()
        recipients = [str(mail["To"]) for mail in self.inbox.mails if mail["Subject"] == SUBJECT]
        self.inbox.mails.clear()
        return recipients

    async def count_requests(self) -> int:
        async with self.shop.database.read() as session:
            kinds = select(func.count()).where(Mail.kind == MailKind.CART_REMINDER)
            return int((await session.execute(kinds)).scalar_one())


async def add_cart(session: AsyncSession, defaults: Defaults, customer_id: str, variant_id: str) -> str:
    """Create a customer's cart with two units of a product, unchanged since yesterday."""
    region_id = (await session.execute(select(Region.id))).scalar_one()
    cart_id = await create_empty_cart(session, region_id=region_id, sales_channel_id=defaults.channel_id)
    await session.execute(update(Cart).where(Cart.id == cart_id).values(customer_id=customer_id))
    await add_to_cart(session, cart_id, variant_id, 2, {})
    await set_age(session, cart_id, timedelta(days=1))
    return cart_id


async def set_age(session: AsyncSession, cart_id: str, age: timedelta) -> None:
    await session.execute(update(Cart).where(Cart.id == cart_id).values(updated_at=db_now(-age)))


async def set_reminders(session: AsyncSession, is_on: bool) -> None:
    await save_settings(session, COMMAND_LINE, {"cart_reminders": str(is_on).lower()})


def set_time(monkeypatch: pytest.MonkeyPatch, moment: datetime) -> None:
    async def read_moment(_session: AsyncSession) -> datetime:
        return moment

    monkeypatch.setattr(reminders, "database_now", read_moment)
