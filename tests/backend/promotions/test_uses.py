"""Uses of a promotion: never more than there are, however many want the last one at once."""

import asyncio
from collections.abc import Sequence
from typing import Any

import pytest
from sqlalchemy import func, select

from backend.core.db.database import Database
from backend.promotions.eligibility import Buying
from backend.promotions.models import Campaign, Promotion, PromotionUse
from backend.promotions.uses import Taken, UsesGone, confirm_uses, release_uses, reserve_uses

RACES = 200
RIVALS = 3
THINNED = 20
"""Races on SQLite, which has one writer at a time."""
AT_ONCE = 4


BY_CUSTOMER: dict[str, Any] = {"budget_type": "use_by_attribute", "budget_limit": 1}


def taken(cart_id: str, *promotion_ids: str, email: str | None = None, amount: int = 1_000) -> Taken:
    buying = Buying(cart_id, None, email, "reg_1", "sc_1", "co")
    return Taken(buying, dict.fromkeys(promotion_ids, amount))


def promotion(code: str, **more: Any) -> Promotion:
    kinds = {"method_type": "fixed", "target_type": "order", "allocation": "across", "value": 1_000}
    return Promotion(code=code, code_key=code.lower(), status="active", **{**kinds, **more})


async def store(database: Database, *rows: Campaign | Promotion) -> list[str]:
    async with database.transaction() as session:
        for row in rows:
            session.add(row)
            await session.flush()
        return [row.id for row in rows]


async def reserve(database: Database, wanted: Taken) -> bool:
    """Whether it was reserved."""
    try:
        async with database.transaction() as session:
            await reserve_uses(session, wanted)
    except UsesGone:
        return False
    return True


async def uses(database: Database, *promotion_ids: str) -> int:
    async with database.read() as session:
        counted = select(func.count()).where(
            PromotionUse.promotion_id.in_(promotion_ids), PromotionUse.is_counted
        )
        return int((await session.execute(counted)).scalar_one())


async def test_two_hundred_races_for_the_last_use_have_one_winner_each(database: Database) -> None:
    budget = {"budget_type": "usage", "budget_limit": 1}
    bounds: Sequence[str] = ("limit", "budget", "spend", "customer")
    campaigns: dict[str, dict[str, Any]] = {
        "budget": budget,
        "spend": {"budget_type": "spend", "budget_limit": 1_500},
        "customer": {"budget_type": "use_by_attribute", "budget_limit": 1},
    }
    raced: list[tuple[str, str]] = []
    for race in range(RACES if not database.is_sqlite else THINNED):
        kind = bounds[race % len(bounds)]
        code = f"{kind}{race}"
        if kind == "limit":
            rows: list[Campaign | Promotion] = [promotion(code, use_limit=1)]
        else:
            campaign = Campaign(name=code, campaign_identifier=code, **campaigns[kind])
            rows = [campaign, promotion(code, campaign_id=campaign.id)]
        raced.append((kind, (await store(database, *rows))[-1]))

    async def race_for(promotion_id: str) -> list[bool]:
        wanted = [
            taken(f"cart_{rival}_{promotion_id}", promotion_id, email="ana@example.com")
            for rival in range(RIVALS)
        ]
        return await asyncio.gather(*(reserve(database, one) for one in wanted))

    for first in range(0, len(raced), AT_ONCE):
        some = raced[first : first + AT_ONCE]
        won = await asyncio.gather(*(race_for(promotion_id) for _kind, promotion_id in some))
        for (kind, promotion_id), winners in zip(some, won, strict=True):
            assert (winners.count(True), await uses(database, promotion_id)) == (1, 1), kind


async def test_two_promotions_taken_in_either_order_do_not_wait_for_each_other(database: Database) -> None:
    one, other = await store(database, promotion("UNO", use_limit=50), promotion("DOS", use_limit=50))
    won = await asyncio.gather(
        *(
            reserve(database, taken(f"cart_{n}", *((one, other) if n % 2 else (other, one))))
            for n in range(10)
        )
    )
    assert (won.count(True), await uses(database, one), await uses(database, other)) == (10, 10, 10)


async def test_a_use_is_reserved_once_given_back_and_taken_by_another(database: Database) -> None:
    [promotion_id] = await store(database, promotion("UNICO", use_limit=1))
    assert await reserve(database, taken("cart_1", promotion_id))
    assert await reserve(database, taken("cart_1", promotion_id))  # it is its own
    assert not await reserve(database, taken("cart_2", promotion_id))
    async with database.transaction() as session:
        await release_uses(session, "cart_1")
    assert await reserve(database, taken("cart_2", promotion_id))
    async with database.transaction() as session:
        await confirm_uses(session, taken("cart_2", promotion_id))
        await release_uses(session, "cart_2")  # what is paid is not given back
    assert await uses(database, promotion_id) == 1


async def test_what_a_cart_no_longer_takes_is_given_back_when_it_reserves_again(database: Database) -> None:
    one, other = await store(database, promotion("UNO", use_limit=1), promotion("DOS", use_limit=1))
    assert await reserve(database, taken("cart_1", one))
    assert await reserve(database, taken("cart_1", other))
    assert (await uses(database, one), await uses(database, other)) == (0, 1)
    assert await reserve(database, taken("cart_1"))
    assert await uses(database, other) == 0


async def two_codes(database: Database, **budget: Any) -> list[str]:
    """Two promotions of one campaign."""
    campaign = Campaign(name="c", campaign_identifier="c", **budget)
    codes = (promotion(code, campaign_id=campaign.id) for code in ("UNO", "DOS"))
    return (await store(database, campaign, *codes))[1:]


@pytest.mark.parametrize(
    ("budget", "amount"),
    [
        (BY_CUSTOMER, 1_000),
        ({"budget_type": "usage", "budget_limit": 1}, 1_000),
        ({"budget_type": "spend", "budget_limit": 10_000}, 8_000),
    ],
)
async def test_one_cart_takes_no_more_of_a_campaign_than_there_is(
    database: Database, budget: dict[str, Any], amount: int
) -> None:
    one, other = await two_codes(database, **budget)
    assert not await reserve(database, taken("cart_1", one, other, amount=amount))
    assert await uses(database, one, other) == 0
    assert await reserve(database, taken("cart_1", one, amount=amount))
    # with what it has reserved already
    assert not await reserve(database, taken("cart_1", one, other, amount=amount))
    assert await reserve(database, taken("cart_1", other, amount=amount))  # in place of it
    assert (await uses(database, one), await uses(database, other)) == (0, 1)


async def test_carts_with_two_uses_each_share_what_is_left_of_a_campaign(database: Database) -> None:
    both = await two_codes(database, budget_type="usage", budget_limit=3)
    won = await asyncio.gather(*(reserve(database, taken(f"cart_{n}", *both)) for n in range(4)))
    assert (won.count(True), await uses(database, *both)) == (1, 2)
    assert await reserve(database, taken("cart_9", both[0]))


@pytest.mark.parametrize("email", ["ana@example.com", " ANA@example.com"])
async def test_a_customer_uses_it_as_often_as_each_may(database: Database, email: str) -> None:
    campaign = Campaign(name="c", campaign_identifier="c", **BY_CUSTOMER)
    promotion_id = (await store(database, campaign, promotion("UNA", campaign_id=campaign.id)))[-1]
    assert await reserve(database, taken("cart_1", promotion_id, email="ana@example.com"))
    assert not await reserve(database, taken("cart_2", promotion_id, email=email))
    assert await reserve(database, taken("cart_3", promotion_id, email="luz@example.com"))
    # the same cart under another address is another buyer
    assert not await reserve(database, taken("cart_3", promotion_id, email=email))


async def test_a_payment_that_came_late_has_its_price_and_takes_no_use_from_others(
    database: Database,
) -> None:
    [promotion_id] = await store(database, promotion("UNICO", use_limit=1))
    async with database.transaction() as session:
        await confirm_uses(session, taken("cart_1", promotion_id))
    assert await reserve(database, taken("cart_2", promotion_id))
    async with database.read() as session:
        rows = (await session.execute(select(PromotionUse).order_by(PromotionUse.holder))).scalars().all()
    assert [(row.holder, row.is_counted, row.confirmed_at is None) for row in rows] == [
        ("cart_1", False, False), ("cart_2", True, True),
    ]  # fmt: skip
