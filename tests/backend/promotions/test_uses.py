"""Uses of a promotion: never more than the limit, with any number of concurrent requests for the final one."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest
from sqlalchemy import func, select

from backend.core.db.database import Database
from backend.promotions.eligibility import PromotionContext
from backend.promotions.models import Campaign, Promotion, PromotionUse
from backend.promotions.uses import (
    PromotionClaims,
    PromotionUsedUp,
    confirm_uses,
    lock_promotions,
    release_uses,
    reserve_uses,
)
from tests.statements import record_statements

RACES = 200
RIVALS = 3
SQLITE_RACES = 20
"""Number of races on SQLite, which allows one writer at a time."""
CONCURRENCY = 4


BY_CUSTOMER: dict[str, Any] = {"budget_type": "use_by_attribute", "budget_limit": 1}


def make_claims(
    cart_id: str, *promotion_ids: str, email: str | None = None, amount: int = 1_000
) -> PromotionClaims:
    buying = PromotionContext(cart_id, None, email, "reg_1", "sc_1", "co")
    return PromotionClaims(buying, dict.fromkeys(promotion_ids, amount))


def promotion(code: str, **more: Any) -> Promotion:
    kinds = {"method_type": "fixed", "target_type": "order", "allocation": "across", "value": 1_000}
    return Promotion(code=code, code_key=code.lower(), status="active", **{**kinds, **more})


async def store(database: Database, *rows: Campaign | Promotion) -> list[str]:
    async with database.transaction() as session:
        for row in rows:
            session.add(row)
            await session.flush()
        return [row.id for row in rows]


async def reserve(database: Database, wanted: PromotionClaims) -> bool:
    """Reserve the promotion uses of a cart. Return False if one of the promotions is used up."""
    try:
        async with database.transaction() as session:
            await reserve_uses(session, wanted)
    except PromotionUsedUp:
        return False
    return True


async def list_uses(database: Database, *promotion_ids: str) -> int:
    async with database.read() as session:
        counted = select(func.count()).where(
            PromotionUse.promotion_id.in_(promotion_ids), PromotionUse.is_counted
        )
        return int((await session.execute(counted)).scalar_one())


async def test_only_one_of_many_concurrent_carts_gets_the_last_use_of_a_promotion(database: Database) -> None:
    budget = {"budget_type": "usage", "budget_limit": 1}
    bounds: Sequence[str] = ("limit", "budget", "spend", "customer")
    campaigns: dict[str, dict[str, Any]] = {
        "budget": budget,
        "spend": {"budget_type": "spend", "budget_limit": 1_500},
        "customer": {"budget_type": "use_by_attribute", "budget_limit": 1},
    }
    raced: list[tuple[str, str]] = []
    for race in range(RACES if not database.is_sqlite else SQLITE_RACES):
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
            make_claims(f"cart_{rival}_{promotion_id}", promotion_id, email="ana@example.com")
            for rival in range(RIVALS)
        ]
        return await asyncio.gather(*(reserve(database, one) for one in wanted))

    for first in range(0, len(raced), CONCURRENCY):
        some = raced[first : first + CONCURRENCY]
        won = await asyncio.gather(*(race_for(promotion_id) for _kind, promotion_id in some))
        for (kind, promotion_id), winners in zip(some, won, strict=True):
            assert (winners.count(True), await list_uses(database, promotion_id)) == (1, 1), kind


async def test_concurrent_reservations_of_two_promotions_do_not_deadlock(database: Database) -> None:
    one, other = await store(database, promotion("UNO", use_limit=50), promotion("DOS", use_limit=50))
    won = await asyncio.gather(
        *(
            reserve(database, make_claims(f"cart_{n}", *((one, other) if n % 2 else (other, one))))
            for n in range(10)
        )
    )
    assert (won.count(True), await list_uses(database, one), await list_uses(database, other)) == (10, 10, 10)


async def test_last_use_of_a_promotion_can_be_reserved_again_after_its_release(database: Database) -> None:
    [promotion_id] = await store(database, promotion("UNICO", use_limit=1))
    assert await reserve(database, make_claims("cart_1", promotion_id))
    assert await reserve(database, make_claims("cart_1", promotion_id))  # the cart already has it
    assert not await reserve(database, make_claims("cart_2", promotion_id))
    async with database.transaction() as session:
        await release_uses(session, "cart_1")
    assert await reserve(database, make_claims("cart_2", promotion_id))
    async with database.transaction() as session:
        await confirm_uses(session, make_claims("cart_2", promotion_id))
        await release_uses(session, "cart_2")  # a paid use is not released
    assert await list_uses(database, promotion_id) == 1


async def test_new_reservation_releases_earlier_uses_of_the_same_cart(database: Database) -> None:
    one, other = await store(database, promotion("UNO", use_limit=1), promotion("DOS", use_limit=1))
    assert await reserve(database, make_claims("cart_1", one))
    assert await reserve(database, make_claims("cart_1", other))
    assert (await list_uses(database, one), await list_uses(database, other)) == (0, 1)
    assert await reserve(database, make_claims("cart_1"))
    assert await list_uses(database, other) == 0


async def two_codes(database: Database, **budget: Any) -> list[str]:
    """Create two promotions of one campaign. Return their ids."""
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
async def test_promotions_of_one_cart_do_not_exceed_the_budget_of_their_campaign(
    database: Database, budget: dict[str, Any], amount: int
) -> None:
    one, other = await two_codes(database, **budget)
    assert not await reserve(database, make_claims("cart_1", one, other, amount=amount))
    assert await list_uses(database, one, other) == 0
    assert await reserve(database, make_claims("cart_1", one, amount=amount))
    # including its earlier reservation
    assert not await reserve(database, make_claims("cart_1", one, other, amount=amount))
    assert await reserve(database, make_claims("cart_1", other, amount=amount))  # replacing it
    assert (await list_uses(database, one), await list_uses(database, other)) == (0, 1)


async def test_concurrent_carts_with_two_uses_each_do_not_exceed_the_budget(database: Database) -> None:
    both = await two_codes(database, budget_type="usage", budget_limit=3)
    won = await asyncio.gather(*(reserve(database, make_claims(f"cart_{n}", *both)) for n in range(4)))
    assert (won.count(True), await list_uses(database, *both)) == (1, 2)
    assert await reserve(database, make_claims("cart_9", both[0]))


@pytest.mark.parametrize("email", ["ana@example.com", " ANA@example.com"])
async def test_customer_can_use_a_promotion_only_up_to_the_limit_per_customer(
    database: Database, email: str
) -> None:
    campaign = Campaign(name="c", campaign_identifier="c", **BY_CUSTOMER)
    promotion_id = (await store(database, campaign, promotion("UNA", campaign_id=campaign.id)))[-1]
    assert await reserve(database, make_claims("cart_1", promotion_id, email="ana@example.com"))
    assert not await reserve(database, make_claims("cart_2", promotion_id, email=email))
    assert await reserve(database, make_claims("cart_3", promotion_id, email="luz@example.com"))
    # the same cart with another address is another customer
    assert not await reserve(database, make_claims("cart_3", promotion_id, email=email))


async def test_use_confirmed_without_a_reservation_does_not_count_towards_the_limit(
    database: Database,
) -> None:
    [promotion_id] = await store(database, promotion("UNICO", use_limit=1))
    async with database.transaction() as session:
        await confirm_uses(session, make_claims("cart_1", promotion_id))
    assert await reserve(database, make_claims("cart_2", promotion_id))
    async with database.read() as session:
        rows = (await session.execute(select(PromotionUse).order_by(PromotionUse.holder))).scalars().all()
    assert [(row.holder, row.is_counted, row.confirmed_at is None) for row in rows] == [
        ("cart_1", False, False), ("cart_2", True, True),
    ]  # fmt: skip


async def test_customer_with_another_email_uses_the_same_promotion_limit(database: Database) -> None:
    campaign = Campaign(name="c", campaign_identifier="c", **BY_CUSTOMER)
    promotion_id = (await store(database, campaign, promotion("UNA", campaign_id=campaign.id)))[-1]

    def claims(cart_id: str, customer_id: str | None, email: str) -> PromotionClaims:
        context = PromotionContext(cart_id, customer_id, email, "reg_1", "sc_1", "co")
        return PromotionClaims(context, {promotion_id: 1_000})

    assert await reserve(database, claims("cart_1", "cus_1", "ana@example.com"))
    assert not await reserve(database, claims("cart_2", "cus_1", "otra@example.com"))
    assert await reserve(database, claims("cart_3", "cus_2", "luz@example.com"))
    assert await reserve(database, claims("cart_4", None, "leo@example.com"))


async def test_promotions_already_reserved_by_the_cart_are_also_locked(database: Database) -> None:
    [promotion_id] = await store(database, promotion("UNO", use_limit=5))
    assert await reserve(database, make_claims("cart_1", promotion_id))
    for cart_id, is_locked in (("cart_1", True), ("cart_2", False)):
        with record_statements(database) as statements:
            async with database.transaction() as session:
                await lock_promotions(session, make_claims(cart_id))
        assert any("promotion.use_limit IS NOT NULL" in one for one in statements) is is_locked


async def test_cart_without_promotions_runs_no_sql_to_lock_or_confirm_uses(database: Database) -> None:
    nothing = replace(make_claims("cart_1"), may_hold_uses=False)
    async with database.transaction() as session:
        with record_statements(database) as statements:
            await lock_promotions(session, nothing)
            await confirm_uses(session, nothing)
    assert statements == []
