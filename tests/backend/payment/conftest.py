"""A payment that waits at a bank, for tests of rules that do not depend on the database."""

from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

import pytest

from backend.cart.access import create_empty_cart
from backend.core.config.settings import Settings
from backend.core.db.database import Database
from backend.payment.models import PaymentSession
from backend.payment.sessions import open_session, upsert_collection
from tests.backend.checkout.scripted_bank import ScriptedBank
from tests.store_defaults import set_up_defaults

AMOUNT = 89_900
StartSession = Callable[..., Awaitable[PaymentSession]]


@pytest.fixture
async def sqlite(sqlite_url: str) -> AsyncIterator[Database]:
    """Open a database on SQLite, and close it after the test."""
    database = Database(sqlite_url)
    yield database
    await database.close()


@pytest.fixture
def scripted_bank() -> ScriptedBank:
    return ScriptedBank()


@pytest.fixture
async def start_session(sqlite: Database, settings: Settings) -> StartSession:
    """Return a function that opens a payment session of a new empty cart. Its arguments are the session's columns.

    Without arguments, the session waits at the bank.
    """
    await set_up_defaults(sqlite, settings)

    async def start(**columns: Any) -> PaymentSession:
        async with sqlite.transaction() as session:
            collection = await upsert_collection(session, None, await create_empty_cart(session), AMOUNT)
            payment = await open_session(session, collection, "gateway_pse", {})
            for name, value in {"state": "pending_authorization", **columns}.items():
                setattr(payment, name, value)
        return payment

    return start
