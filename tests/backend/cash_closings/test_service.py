"""Cash closings: the money since the previous closing is counted and stored once.

| case | outcome |
|---|---|
| sales in cash, by transfer and on the web | the cash and the transfers are counted, the web's money is not |
| a refund in cash | it is missing in the drawer |
| the count differs | refused without a reason, stored with it |
| more cash is to stay in the drawer than was counted | refused |
| a sale between the count and the closing | refused: count again |
| two closings at the same time, with or without new money | one is stored, the other refused |
| a sale that commits after the closing | counted by the next closing |
"""

import asyncio
from functools import partial

import pytest
from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.audit.models import AuditEntry
from backend.cash_closings.models import DayClosing
from backend.cash_closings.service import OpenDay, close_day, list_closings, read_open_day
from backend.core.errors import Conflict, Forbidden, InvalidData
from backend.orders.money.commands import CreateRefund
from backend.orders.money.refunds import refund_order
from backend.payment.manual_methods import ManualMethod
from backend.payment.providers.base import ProviderState
from backend.staff.rights import Actor, Role
from tests.backend.checkout.paying_kit import PRICE, Till
from tests.backend.draft_orders.selling import OTHER_SELLER, OWNER, SELLER, STOCKROOM, prepare, take_money
from tests.backend.rivals import run_against_rival


async def read_day(till: Till) -> OpenDay:
    async with till.database.read() as session:
        return await read_open_day(session, SELLER)


async def close(
    till: Till, day: OpenDay, counted: int, left: int = 0, *, reason: str = "", actor: Actor = SELLER
) -> DayClosing:
    async with till.database.transaction() as session:
        return await close_in(session, day, counted, left, reason=reason, actor=actor)


async def close_in(
    session: AsyncSession, day: OpenDay, counted: int, left: int, *, reason: str, actor: Actor
) -> DayClosing:
    return await close_day(
        session,
        actor,
        seen_expected=day.expected_cash,
        seen_previous=day.previous_id,
        counted=counted,
        left=left,
        reason=reason,
    )


async def sell(till: Till, variant: str, method: ManualMethod, actor: Actor = SELLER) -> str:
    return (await take_money(till, await prepare(till, {variant: 1}, actor), PRICE, method, actor=actor)).id


async def test_closing_counts_money_received_by_staff_and_refunds_in_cash(till: Till) -> None:
    variant = await till.make_variant(stock=9)
    sold = await sell(till, variant, ManualMethod.CASH)
    await sell(till, variant, ManualMethod.CASH, OTHER_SELLER)
    await sell(till, variant, ManualMethod.NEQUI)
    _web, payment = await till.order(variant)
    await till.decide(payment, ProviderState.CAPTURED)
    await refund_order(
        till.database,
        OWNER,
        sold,
        CreateRefund(amount=10_000, reference="recibo 1", reason="rayado", method=ManualMethod.CASH),
    )
    day = await read_day(till)
    assert day == OpenDay("", 0, {"cash": 2 * PRICE, "nequi": PRICE}, 10_000)
    closing = await close(till, day, 70_000, left=20_000)
    assert (closing.expected_cash, closing.received, closing.given_back) == (
        70_000, {"cash": 2 * PRICE, "nequi": PRICE}, {"cash": 10_000},
    )  # fmt: skip
    assert await read_day(till) == OpenDay(closing.id, 20_000, {}, 0)
    async with till.database.read() as session:
        query = select(AuditEntry.action).where(AuditEntry.subject_id == closing.id)
        assert (await session.execute(query)).scalars().all() == ["day closed"]


async def test_closing_with_a_cash_difference_requires_a_reason(till: Till) -> None:
    variant = await till.make_variant()
    await sell(till, variant, ManualMethod.CASH)
    day = await read_day(till)
    with pytest.raises(InvalidData) as refused:
        await close(till, day, PRICE - 500)
    assert list(refused.value.fields) == ["reason"]
    await close(till, day, PRICE - 500, reason="se dio mal un cambio")
    async with till.database.read() as session:
        (closing,) = await list_closings(session, SELLER)
    assert (closing.counted_cash, closing.expected_cash, closing.reason) == (
        PRICE - 500, PRICE, "se dio mal un cambio",
    )  # fmt: skip


@pytest.mark.parametrize(("counted", "left", "field"), [(-1, 0, "counted"), (0, 1, "left"), (0, -1, "left")])
async def test_closing_with_an_invalid_amount_is_refused_at_its_field(
    till: Till, counted: int, left: int, field: str
) -> None:
    with pytest.raises(InvalidData) as refused:
        await close(till, await read_day(till), counted, left, reason="x")
    assert field in refused.value.fields


async def test_closing_is_refused_if_a_sale_was_paid_during_the_count(till: Till) -> None:
    variant = await till.make_variant()
    day = await read_day(till)
    await sell(till, variant, ManualMethod.CASH)
    with pytest.raises(Conflict):
        await close(till, day, 0)
    assert (await read_day(till)).received == {"cash": PRICE}


async def test_only_one_of_two_concurrent_closings_is_stored(till: Till) -> None:
    variant = await till.make_variant()
    await sell(till, variant, ManualMethod.CASH)
    day = await read_day(till)
    results = await asyncio.gather(
        close(till, day, PRICE), close(till, day, PRICE, actor=OTHER_SELLER), return_exceptions=True
    )
    assert sorted(type(one).__name__ for one in results) == ["Conflict", "DayClosing"]


async def test_closing_is_refused_if_another_seller_closed_first_without_new_money(till: Till) -> None:
    for _closing in range(2):
        day = await read_day(till)

        async def close_first(session: AsyncSession, day: OpenDay = day) -> None:
            await close_in(session, day, 5_000, 5_000, reason="base", actor=OTHER_SELLER)

        with pytest.raises(Conflict):
            await run_against_rival(
                till.database, close_first, partial(close, till, day, 5_000, 5_000, reason="base")
            )
    async with till.database.read() as session:
        assert len(await list_closings(session, SELLER)) == 2


async def test_sale_after_a_closing_is_counted_in_the_next_closing(till: Till) -> None:
    variant = await till.make_variant()
    first = await close(till, await read_day(till), 0)
    await sell(till, variant, ManualMethod.CASH)
    second = await close(till, await read_day(till), PRICE)
    assert (first.received, second.received) == ({}, {"cash": PRICE})


async def test_stockroom_role_may_not_close_the_cash(till: Till) -> None:
    with pytest.raises(Forbidden):
        await close(till, await read_day(till), 0, actor=STOCKROOM)


@pytest.mark.parametrize("actor", [SELLER, Actor("staff_owner", Role.OWNER)])
async def test_refund_in_cash_is_refused_unless_the_owner_has_a_second_factor(
    till: Till, actor: Actor
) -> None:
    variant = await till.make_variant()
    sold = await sell(till, variant, ManualMethod.CASH)
    new = CreateRefund(amount=1_000, reference="recibo 2", reason="x", method=ManualMethod.CASH)
    with pytest.raises(Forbidden):
        await refund_order(till.database, actor, sold, new)
    assert (await read_day(till)).cash_given_back == 0
