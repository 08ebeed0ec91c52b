"""Campaigns: their period, their budget, and the promotions in them."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from sqlalchemy import select

from backend.core.db.database import Database
from backend.core.errors import InvalidData, NotFound
from backend.promotions.campaigns import change_campaign, create_campaign, find_campaign, link_promotions
from backend.promotions.commands import ChangeCampaign, CreateCampaign, CreatePromotion, WriteBudget
from backend.promotions.kinds import BudgetType, MethodType, TargetType
from backend.promotions.models import Campaign, Promotion
from backend.promotions.service import create_promotion
from backend.staff.rights import SHOP

NOON = datetime(2026, 12, 1, 12, tzinfo=UTC)
DAY = timedelta(days=1)


async def store_campaign(database: Database, identifier: str = "NAVIDAD", **more: Any) -> str:
    """Create a campaign. Return its id."""
    async with database.transaction() as session:
        new = CreateCampaign(name="Navidad", campaign_identifier=identifier, **more)
        return (await create_campaign(session, SHOP, new)).id


async def store_promotion(database: Database, code: str, campaign_id: str | None = None) -> str:
    """Create a promotion. Return its id."""
    new = CreatePromotion(
        code=code,
        method_type=MethodType.PERCENTAGE,
        target_type=TargetType.ORDER,
        value=10,
        campaign_id=campaign_id,
    )
    async with database.transaction() as session:
        return (await create_promotion(session, SHOP, new)).id


async def change(database: Database, campaign_id: str, **values: Any) -> None:
    async with database.transaction() as session:
        await change_campaign(session, SHOP, campaign_id, ChangeCampaign(**values))


async def read_campaign(database: Database, campaign_id: str) -> Campaign:
    async with database.read() as session:
        return await find_campaign(session, campaign_id)


async def read_budget(database: Database, campaign_id: str) -> tuple[str | None, int | None, str | None]:
    campaign = await read_campaign(database, campaign_id)
    return campaign.budget_type, campaign.budget_limit, campaign.budget_attribute


async def list_campaigns_of(database: Database) -> dict[str, str | None]:
    """Return the campaign of each promotion by code."""
    async with database.read() as session:
        return dict((await session.execute(select(Promotion.code, Promotion.campaign_id))).all())


async def test_budget_of_a_campaign_without_a_type_is_refused(database: Database) -> None:
    with pytest.raises(InvalidData, match="needs a type"):
        await store_campaign(database, budget=WriteBudget(limit=5))
    campaign_id = await store_campaign(database)
    with pytest.raises(InvalidData, match="needs a type"):
        await change(database, campaign_id, budget=WriteBudget(limit=5))
    assert await read_budget(database, campaign_id) == (None, None, None)


async def test_type_limit_and_attribute_of_a_budget_can_be_changed_separately(database: Database) -> None:
    budget = WriteBudget(type=BudgetType.BY_CUSTOMER, limit=2)
    campaign_id = await store_campaign(database, budget=budget)
    assert await read_budget(database, campaign_id) == ("use_by_attribute", 2, "customer_email")
    await change(database, campaign_id, budget=WriteBudget(attribute="customer_id"))
    assert await read_budget(database, campaign_id) == ("use_by_attribute", 2, "customer_id")
    await change(database, campaign_id, budget=WriteBudget(limit=7))
    assert await read_budget(database, campaign_id) == ("use_by_attribute", 7, "customer_id")
    await change(database, campaign_id, budget=WriteBudget(type=BudgetType.SPEND))
    assert await read_budget(database, campaign_id) == ("spend", 7, None)
    await change(database, campaign_id, budget=WriteBudget(limit=None))
    assert await read_budget(database, campaign_id) == ("spend", None, None)


async def test_omitted_values_of_a_campaign_stay_unchanged(database: Database) -> None:
    budget = WriteBudget(type=BudgetType.USAGE, limit=3)
    period: dict[str, Any] = {"starts_at": NOON, "ends_at": NOON + DAY}
    campaign_id = await store_campaign(database, description="Diciembre", budget=budget, **period)
    await change(database, campaign_id, name="Reyes")
    campaign = await read_campaign(database, campaign_id)
    assert (campaign.name, campaign.description, campaign.campaign_identifier) == (
        "Reyes",
        "Diciembre",
        "NAVIDAD",
    )
    assert (campaign.starts_at, campaign.ends_at) == (NOON, NOON + DAY)
    assert await read_budget(database, campaign_id) == ("usage", 3, None)


async def test_campaign_must_end_after_it_starts(database: Database) -> None:
    with pytest.raises(InvalidData, match="ends after it starts"):
        await store_campaign(database, starts_at=NOON, ends_at=NOON)
    campaign_id = await store_campaign(database, starts_at=NOON, ends_at=NOON + timedelta(seconds=1))
    with pytest.raises(InvalidData, match="ends after it starts"):
        await change(database, campaign_id, starts_at=NOON + DAY)


async def test_unknown_promotion_is_not_linked(database: Database) -> None:
    campaign_id = await store_campaign(database)
    known = await store_promotion(database, "UNO")
    for add, remove in (([known, "promo_none"], []), ([known], ["promo_none"])):
        with pytest.raises(NotFound, match="promo_none"):
            async with database.transaction() as session:
                await link_promotions(session, SHOP, campaign_id, add, remove)
    assert await list_campaigns_of(database) == {"UNO": None}


async def test_only_promotions_of_the_campaign_are_removed_from_it(database: Database) -> None:
    one, other = await store_campaign(database), await store_campaign(database, "REYES")
    inside = await store_promotion(database, "UNO", one)
    outside = await store_promotion(database, "DOS", other)
    async with database.transaction() as session:
        await link_promotions(session, SHOP, one, [], [inside, outside])
    assert await list_campaigns_of(database) == {"UNO": None, "DOS": other}
