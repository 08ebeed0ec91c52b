"""An alert begins once, stays open while its problem is found, and can begin again only after it ended."""

import asyncio
from collections.abc import AsyncIterator
from datetime import timedelta

import pytest
from sqlalchemy import func, select, update

from backend import subscriptions  # noqa: F401 - subscribes the handler that sends mails
from backend.alerts import AlertKind, end_alerts, raise_alert, read_alert
from backend.alerts.models import Alert
from backend.core.config.settings import Settings
from backend.core.db.database import Database, db_now
from backend.core.errors import NotFound
from backend.jobs.models import Job
from backend.mail.models import Mail
from backend.operations.monitoring.alert_webhook import OwnersWebhook


@pytest.fixture(autouse=True)
async def other(database: Database, database_url: str) -> AsyncIterator[Database]:
    """Yield the database of a second replica. On both replicas, the owner's webhook for alerts is set."""
    other = Database(database_url)
    url, secret = "https://hooks.example/trompo", "a secret"
    settings = Settings.model_validate({"alert_webhook": url, "alert_webhook_secret": secret})
    for replica in (database, other):
        await OwnersWebhook(replica, settings).close()
    yield other
    await other.close()


async def find_problem(database: Database, subject: str = "shop-1") -> None:
    async with database.transaction() as session:
        await raise_alert(session, AlertKind.DISK, subject, "100 MiB left")


async def end_old_alerts(database: Database) -> int:
    async with database.transaction() as session:
        return await end_alerts(session)


async def let_time_pass(database: Database, minutes: int) -> None:
    """Move `seen_at` of all alerts back by these minutes, as if the time had passed."""
    async with database.transaction() as session:
        await session.execute(update(Alert).values(seen_at=db_now(-timedelta(minutes=minutes))))


async def count(database: Database, model: type[Alert] | type[Mail]) -> int:
    async with database.read() as session:
        return (await session.execute(select(func.count()).select_from(model))).scalar_one()


async def read_webhook_calls(database: Database) -> list[str]:
    async with database.read() as session:
        keys = await session.execute(select(Job.key).where(Job.kind == "alert.webhook").order_by(Job.id))
        return [str(key).partition(":")[0] for key in keys.scalars()]


async def test_problem_found_by_two_replicas_opens_one_alert(database: Database, other: Database) -> None:
    await asyncio.gather(*(find_problem(one) for one in (database, other) * 5))
    assert (await count(database, Alert), await count(database, Mail)) == (1, 1)
    assert await read_webhook_calls(database) == ["began"]


async def test_problem_found_again_opens_a_new_alert_only_after_the_earlier_one_ended(
    database: Database,
) -> None:
    await find_problem(database)
    await let_time_pass(database, 9)
    assert await end_old_alerts(database) == 0
    await find_problem(database)
    assert await end_old_alerts(database) == 0
    assert await count(database, Alert) == 1
    await let_time_pass(database, 11)
    assert await end_old_alerts(database) == 1
    assert await end_old_alerts(database) == 0
    assert await read_webhook_calls(database) == ["began", "ended"]
    await find_problem(database)
    assert (await count(database, Alert), await count(database, Mail)) == (2, 2)


async def test_each_subject_has_its_own_alert(database: Database) -> None:
    await find_problem(database)
    await find_problem(database, "shop-2")
    assert await count(database, Alert) == 2


async def test_alert_ended_by_two_replicas_is_reported_as_ended_once(
    database: Database, other: Database
) -> None:
    await find_problem(database)
    await let_time_pass(database, 11)
    ended = await asyncio.gather(end_old_alerts(database), end_old_alerts(other))
    assert sorted(ended) == [0, 1]
    assert await read_webhook_calls(database) == ["began", "ended"]


async def test_reading_an_unknown_alert_raises_not_found(database: Database) -> None:
    with pytest.raises(NotFound):
        async with database.read() as session:
            await read_alert(session, "alert_1")
