"""Approvals of an implausible amount in the gateway's look-up.

| the look-up's amount | the payment |
|---|---|
| ours | captured |
| 10^12 pesos, a number or a text | held, one attention for any number of checks |
| 1e400, a number or a text | the same |
| a number of 5,000 digits, null, a list | the same |
| none of these, and ours at the next look-up | held: staff were already asked |
"""

import pytest
from sqlalchemy import func, select

from backend.attention.models import Attention
from backend.core.config.settings import Settings
from backend.core.db.database import Database
from tests.backend.payment.lookup_desk import AMOUNT, open_desk

ODD = [b"1000000000000", b'"1000000000000"', b"1e400", b'"1e400"', b"9" * 5_000, b"null", b"[1]"]


@pytest.mark.parametrize("amount", ODD, ids=lambda amount: amount[:16].decode())
async def test_approval_of_an_impossible_amount_is_held(
    database: Database, settings: Settings, amount: bytes
) -> None:
    async with open_desk(database, settings) as desk:
        started = await desk.start()
        desk.answers.amount = amount
        await desk.notify(started.invoice, str(started.reference))
        await desk.work()
        assert desk.answers.changed > 0
        payment = await desk.stored(started)
        assert (payment.state, payment.captured_amount) == ("held", None)
        assert await desk.attention() == [("amount_differs", started.id)]
        await desk.payments.check_all()
        desk.answers.amount = b""
        await desk.payments.check_all()
        assert (await desk.stored(started)).state == "held"
        async with database.read() as session:
            deadlines = select(func.count(Attention.due_at)).where(Attention.resolved_at.is_(None))
            assert (await session.execute(deadlines)).scalar_one() == 1


async def test_approval_of_the_exact_amount_is_captured(database: Database, settings: Settings) -> None:
    async with open_desk(database, settings) as desk:
        started = await desk.start()
        desk.answers.amount = str(AMOUNT).encode()
        await desk.notify(started.invoice, str(started.reference))
        await desk.work()
        payment = await desk.stored(started)
        assert (payment.state, payment.captured_amount) == ("captured", AMOUNT)
        assert await desk.attention() == [("paid_without_order", started.id)]  # its cart is empty
