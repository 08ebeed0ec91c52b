"""Staff members of every role, and a worker that sends notices to an inbox."""

from dataclasses import dataclass

import pytest
from sqlalchemy import update

from backend.app import Shop
from backend.core.db.database import Database, db_now
from backend.jobs import Worker
from backend.jobs.models import Job
from backend.mail.mailer import Mailer
from backend.pqrs.service import send_pqrs
from backend.rate_limit.limiter import Client
from backend.staff.models import Staff
from backend.staff.rights import Actor, Role
from backend.staff_notices.batches import NoticeBatches
from backend.staff_notices.stock_watch import StockWatch
from tests.backend.mail.conftest import Inbox

PQRS = {"kind": "queja", "name": "Ana Gómez", "text": "Nadie contesta el teléfono."}


@dataclass(frozen=True)
class Office:
    """The staff of a shop, with a worker that sends their mails to an inbox.

    There is a member of every role: `ids` are their ids, `{role}@trompo.example` their addresses.
    """

    shop: Shop
    ids: dict[Role, str]
    inbox: Inbox
    worker: Worker

    def actor(self, role: Role, *, has_second_factor: bool = True) -> Actor:
        """Return the member of this role."""
        return Actor(self.ids[role], role, has_second_factor)

    async def send(self) -> None:
        """Send all waiting notices, except those of a kind that was sent only recently."""
        await make_due(self.shop.database)
        await self.worker.run_due()

    def notices(self) -> list[tuple[str, str]]:
        """Return the recipients and subjects of the mails to staff, sorted."""
        mails = [mail for mail in self.inbox.mails if str(mail["To"]).endswith("@trompo.example")]
        return sorted((str(mail["To"]).partition("@")[0], str(mail["Subject"])) for mail in mails)


@pytest.fixture
async def office(shop: Shop) -> Office:
    members = {
        role: Staff(email=f"{role}@trompo.example", password_hash="never used", role=role) for role in Role
    }
    async with shop.database.transaction() as session:
        session.add_all(members.values())
    inbox = Inbox()
    ids = {role: member.id for role, member in members.items()}
    return Office(shop, ids, inbox, create_worker(shop, inbox))


def create_worker(shop: Shop, inbox: Inbox) -> Worker:
    """Return the worker of a replica, which sends notices and mails, and watches the stock."""
    services = [NoticeBatches(shop.database), Mailer(shop.database, shop.settings, inbox)]
    return Worker(shop.database, [*services, StockWatch(shop.database)])


async def make_due(database: Database) -> None:
    """Make all jobs due."""
    async with database.transaction() as session:
        await session.execute(update(Job).values(run_at=db_now()))


async def ask_pqrs(shop: Shop, *, number: int = 0) -> str:
    """Send a PQRS request of a customer, and return its id."""
    typed = {**PQRS, "email": f"ana{number}@example.com"}
    return (await send_pqrs(shop.database, typed, client=Client(f"190.24.{number}.1"))).id
