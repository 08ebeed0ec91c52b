"""Only abandoned carts are deleted, on both databases."""

from datetime import timedelta

import pytest
from sqlalchemy import func, select, update

from backend.cart.access import create_empty_cart
from backend.cart.checkout_drafts import read_draft, save_draft
from backend.cart.models import Cart, LineItem
from backend.checkout.carts.abandoned_carts import AbandonedCarts
from backend.checkout.completion import DOCUMENT_FIELDS
from backend.core.db.database import db_now
from backend.jobs import Worker, tidy_rule
from backend.jobs.models import Job
from backend.payment.models import PaymentCollection, PaymentSession
from backend.payment.providers.base import ProviderState
from backend.payment.transitions import APPROVED, MONEY_DISMISSED
from tests.backend.checkout.paying_kit import Till
from tests.checkout_steps import CHECKOUT_INPUT

MONTH = timedelta(days=30)
DAY = timedelta(hours=24)
LITTLE = timedelta(minutes=1)


async def set_age(till: Till, age: timedelta, *cart_ids: str) -> None:
    """Make these carts as old as `age`, counted from their latest change."""
    async with till.database.transaction() as session:
        await session.execute(update(Cart).where(Cart.id.in_(cart_ids)).values(updated_at=db_now(-age)))


async def run_cleanup(till: Till) -> None:
    worker = Worker(till.database, [AbandonedCarts(till.database)])
    await worker.schedule()
    async with till.database.transaction() as session:
        await session.execute(update(Job).values(run_at=db_now()))
    await worker.run_due()


async def count_remaining(till: Till) -> set[str]:
    async with till.database.read() as session:
        return set((await session.execute(select(Cart.id))).scalars())


async def count_rows(till: Till, table: type[LineItem | PaymentCollection | PaymentSession]) -> int:
    async with till.database.read() as session:
        return (await session.execute(select(func.count()).select_from(table))).scalar_one()


async def test_abandoned_carts_are_deleted_after_a_month_with_their_lines_and_payments(till: Till) -> None:
    variant = await till.make_variant()
    old, younger = await till.cart(variant), await till.cart(variant)
    rejected = await till.start(old)
    assert await till.decide(rejected, ProviderState.REJECTED) == "rejected"
    async with till.database.transaction() as session:
        empty = await create_empty_cart(session)
    await set_age(till, MONTH, old, empty)
    await set_age(till, MONTH - LITTLE, younger)
    await run_cleanup(till)
    assert await count_remaining(till) == {younger}
    tables = (LineItem, PaymentCollection, PaymentSession)
    assert [await count_rows(till, table) for table in tables] == [1, 0, 0]


async def test_carts_whose_payment_may_have_money_are_not_deleted(till: Till) -> None:
    """Check payments at the bank, closed before the bank decided, and rejected with money, and an order."""
    variant = await till.make_variant(stock=9)
    at_the_bank, closed, paid_late, in_dollars, dismissed = [await till.cart(variant) for _ in range(5)]
    await till.start(at_the_bank)
    await till.start(closed)
    await till.checkout.close_payment(closed)
    for cart_id, money in (
        (paid_late, {"captured_amount": 1}),
        (in_dollars, {"data": {APPROVED: True}}),
        (dismissed, {"data": {APPROVED: True, MONEY_DISMISSED: True}}),
    ):
        late = await till.start(cart_id)
        await till.decide(late, ProviderState.REJECTED)
        async with till.database.transaction() as session:
            await session.execute(update(PaymentSession).where(PaymentSession.id == late.id).values(money))
    order, _ = await till.order(variant)
    kept = {at_the_bank, closed, paid_late, in_dollars, dismissed, order.cart_id}
    await set_age(till, MONTH, *kept)
    await run_cleanup(till)
    assert await count_remaining(till) == kept


async def test_one_run_deletes_several_batches_of_carts(till: Till) -> None:
    async with till.database.transaction() as session:
        made = [await create_empty_cart(session) for _ in range(201)]
    await set_age(till, MONTH, *made)
    await run_cleanup(till)
    assert await count_remaining(till) == set()


@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
async def test_one_run_deletes_a_limited_number_of_batches_of_carts(
    till: Till, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tidy_rule, "MAX_BATCHES", 1)
    async with till.database.transaction() as session:
        made = [await create_empty_cart(session) for _ in range(tidy_rule.BATCH_SIZE + 1)]
        await session.execute(update(Cart).values(draft={"doc_number": "1020304050"}))
    await set_age(till, DAY, *made)
    documents = (
        select(func.count()).select_from(Cart).where(Cart.draft["doc_number"].as_string().is_not(None))
    )
    for still_there in (1, 0):
        await run_cleanup(till)
        async with till.database.read() as session:
            assert (await session.execute(documents)).scalar_one() == still_there
    await set_age(till, MONTH, *made)
    for still_there in (1, 0):
        await run_cleanup(till)
        assert len(await count_remaining(till)) == still_there


async def test_identity_documents_in_checkout_drafts_are_deleted_after_a_day(till: Till) -> None:
    variant = await till.make_variant()
    old, younger = await till.cart(variant), await till.cart(variant)
    for cart_id in (old, younger):
        async with till.database.transaction() as session:
            await save_draft(session, cart_id, CHECKOUT_INPUT)
    await set_age(till, DAY, old)
    await set_age(till, DAY - LITTLE, younger)
    async with till.database.read() as session:
        before = (await session.get_one(Cart, old)).updated_at
    await run_cleanup(till)
    async with till.database.read() as session:
        rest = {name: text for name, text in CHECKOUT_INPUT.items() if name not in DOCUMENT_FIELDS}
        assert rest.keys() < CHECKOUT_INPUT.keys()
        assert await read_draft(session, old) == rest
        assert await read_draft(session, younger) == CHECKOUT_INPUT
        assert (await session.get_one(Cart, old)).updated_at == before  # its age does not change
