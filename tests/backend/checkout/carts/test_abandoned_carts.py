"""What nobody came back to goes, and only that; on both databases."""

from datetime import timedelta

import pytest
from sqlalchemy import func, select, update

from backend.cart.access import new_cart
from backend.cart.checkout_drafts import read_draft, save_draft
from backend.cart.models import Cart, LineItem
from backend.checkout.carts.abandoned_carts import AbandonedCarts
from backend.checkout.completion import DOCUMENT_FIELDS
from backend.core.db.database import db_now
from backend.jobs import Worker, tidy_rule
from backend.jobs.models import Job
from backend.payment.models import PaymentCollection, PaymentSession
from backend.payment.providers.base import ProviderState
from tests.backend.checkout.paying_kit import Till
from tests.checkout_steps import TYPED

MONTH = timedelta(days=30)
DAY = timedelta(hours=24)
LITTLE = timedelta(minutes=1)


async def leave(till: Till, age: timedelta, *cart_ids: str) -> None:
    """Nobody has touched these carts for so long."""
    async with till.database.transaction() as session:
        await session.execute(update(Cart).where(Cart.id.in_(cart_ids)).values(updated_at=db_now(-age)))


async def tidy(till: Till) -> None:
    worker = Worker(till.database, [AbandonedCarts(till.database)])
    await worker.schedule()
    async with till.database.transaction() as session:
        await session.execute(update(Job).values(run_at=db_now()))
    await worker.run_due()


async def left(till: Till) -> set[str]:
    async with till.database.read() as session:
        return set((await session.execute(select(Cart.id))).scalars())


async def rows(till: Till, table: type[LineItem | PaymentCollection | PaymentSession]) -> int:
    async with till.database.read() as session:
        return (await session.execute(select(func.count()).select_from(table))).scalar_one()


async def test_carts_of_a_month_ago_go_with_all_that_is_theirs(till: Till) -> None:
    toy = await till.toy()
    old, younger = await till.cart(toy), await till.cart(toy)
    rejected = await till.start(old)
    assert await till.decide(rejected, ProviderState.REJECTED) == "rejected"
    async with till.database.transaction() as session:
        empty = await new_cart(session)
    await leave(till, MONTH, old, empty)
    await leave(till, MONTH - LITTLE, younger)
    await tidy(till)
    assert await left(till) == {younger}
    tables = (LineItem, PaymentCollection, PaymentSession)
    assert [await rows(till, table) for table in tables] == [1, 0, 0]


async def test_what_may_have_money_stays(till: Till) -> None:
    """At the bank, closed and not decided, rejected though money came; and whatever is an order."""
    toy = await till.toy(stock=9)
    at_the_bank, closed, paid_late = [await till.cart(toy) for _ in range(3)]
    await till.start(at_the_bank)
    await till.start(closed)
    await till.checkout.close_payment(closed)
    late = await till.start(paid_late)
    await till.decide(late, ProviderState.REJECTED)
    async with till.database.transaction() as session:
        await session.execute(
            update(PaymentSession).where(PaymentSession.id == late.id).values(captured_amount=1)
        )
    order, _ = await till.order(toy)
    kept = {at_the_bank, closed, paid_late, order.cart_id}
    await leave(till, MONTH, *kept)
    await tidy(till)
    assert await left(till) == kept


async def test_more_than_one_batch_goes_in_one_run(till: Till) -> None:
    async with till.database.transaction() as session:
        made = [await new_cart(session) for _ in range(201)]
    await leave(till, MONTH, *made)
    await tidy(till)
    assert await left(till) == set()


@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
async def test_one_run_takes_so_many_batches_and_the_next_the_rest(
    till: Till, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tidy_rule, "MAX_BATCHES", 1)
    async with till.database.transaction() as session:
        made = [await new_cart(session) for _ in range(tidy_rule.BATCH + 1)]
        await session.execute(update(Cart).values(draft={"doc_number": "1020304050"}))
    await leave(till, DAY, *made)
    documents = (
        select(func.count()).select_from(Cart).where(Cart.draft["doc_number"].as_string().is_not(None))
    )
    for still_there in (1, 0):
        await tidy(till)
        async with till.database.read() as session:
            assert (await session.execute(documents)).scalar_one() == still_there
    await leave(till, MONTH, *made)
    for still_there in (1, 0):
        await tidy(till)
        assert len(await left(till)) == still_there


async def test_documents_in_drafts_go_after_a_day_and_the_rest_stays(till: Till) -> None:
    toy = await till.toy()
    old, younger = await till.cart(toy), await till.cart(toy)
    for cart_id in (old, younger):
        async with till.database.transaction() as session:
            await save_draft(session, cart_id, TYPED)
    await leave(till, DAY, old)
    await leave(till, DAY - LITTLE, younger)
    async with till.database.read() as session:
        before = (await session.get_one(Cart, old)).updated_at
    await tidy(till)
    async with till.database.read() as session:
        rest = {name: text for name, text in TYPED.items() if name not in DOCUMENT_FIELDS}
        assert rest.keys() < TYPED.keys()
        assert await read_draft(session, old) == rest
        assert await read_draft(session, younger) == TYPED
        assert (await session.get_one(Cart, old)).updated_at == before  # it grows no younger by it
