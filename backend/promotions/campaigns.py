"""Campaigns: the period in which promotions apply, and the limit of their use."""

from collections.abc import Sequence

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.audit import Subject, SubjectType, record
from backend.core.commands import UNCHANGED
from backend.core.db.database import database_now, lock_rows, raise_on_conflict
from backend.core.db.tables import get_or_404
from backend.core.errors import InvalidData, NotAllowed, NotFound
from backend.promotions.commands import ChangeCampaign, CreateCampaign, WriteBudget
from backend.promotions.kinds import BudgetType
from backend.promotions.models import Campaign, Promotion
from backend.staff.rights import Actor, Right

TAKEN = "Campaign with identifier: {identifier}, already exists."
BACKWARDS = "A campaign ends after it starts"
HAS_PROMOTIONS = (
    "Promotions are in this campaign ({codes}): without it they would have no end. Take them out first"
)
EMAIL = "customer_email"


async def find_campaign(session: AsyncSession, campaign_id: str) -> Campaign:
    """Lock and return the campaign.

    Raises:
        NotFound: there is no such campaign.
    """
    query = lock_rows(select(Campaign).where(Campaign.id == campaign_id, Campaign.deleted_at.is_(None)))
    return await get_or_404(session, query, "Campaign", campaign_id)


async def create_campaign(session: AsyncSession, actor: Actor, new: CreateCampaign) -> Campaign:
    """Create a campaign without promotions.

    Raises:
        InvalidData: another campaign has its identifier, it does not end after it starts, or its budget has no type.
    """
    actor.require(Right.CHANGE_PROMOTIONS)
    campaign = Campaign(
        name=new.name,
        campaign_identifier=new.campaign_identifier,
        description=new.description,
        starts_at=new.starts_at,
        ends_at=new.ends_at,
    )
    if new.budget is not None:
        _set_budget(campaign, new.budget)
    _require_order(campaign)
    await record(session, actor, "created", Subject(SubjectType.CAMPAIGN, campaign.id))
    async with raise_on_conflict(session, InvalidData(TAKEN.format(identifier=campaign.campaign_identifier))):
        session.add(campaign)
    return campaign


async def change_campaign(
    session: AsyncSession, actor: Actor, campaign_id: str, change: ChangeCampaign
) -> Campaign:
    """Change the values of a campaign that the command contains; the others stay unchanged.

    Raises:
        NotFound: there is no such campaign.
        InvalidData: see `create_campaign`.
    """
    actor.require(Right.CHANGE_PROMOTIONS)
    campaign = await find_campaign(session, campaign_id)
    await record(session, actor, "changed", Subject(SubjectType.CAMPAIGN, campaign_id))
    for name in ("description", "starts_at", "ends_at"):
        if (value := getattr(change, name)) is not UNCHANGED:
            setattr(campaign, name, value)
    campaign.name = change.name or campaign.name
    if change.budget is not None:
        _set_budget(campaign, change.budget)
    _require_order(campaign)
    async with raise_on_conflict(session, InvalidData(TAKEN.format(identifier=change.campaign_identifier))):
        campaign.campaign_identifier = change.campaign_identifier or campaign.campaign_identifier
    return campaign


async def delete_campaign(session: AsyncSession, actor: Actor, campaign_id: str) -> None:
    """Delete a campaign without promotions.

    Raises:
        NotFound: there is no such campaign.
        NotAllowed: the campaign has promotions.
    """
    actor.require(Right.CHANGE_PROMOTIONS)
    campaign = await find_campaign(session, campaign_id)
    inside = select(Promotion.code).where(
        Promotion.campaign_id == campaign_id, Promotion.deleted_at.is_(None)
    )
    if codes := (await session.execute(inside.order_by(Promotion.code))).scalars().all():
        raise NotAllowed(HAS_PROMOTIONS.format(codes=", ".join(codes)))
    await record(session, actor, "deleted", Subject(SubjectType.CAMPAIGN, campaign_id))
    campaign.deleted_at = await database_now(session)
    await session.flush()


async def link_promotions(
    session: AsyncSession, actor: Actor, campaign_id: str, add: Sequence[str], remove: Sequence[str]
) -> Campaign:
    """Add the promotions `add` to the campaign, and remove the promotions `remove` from it.

    Raises:
        NotFound: there is no such campaign, or no such promotion.
    """
    actor.require(Right.CHANGE_PROMOTIONS)
    promotion_ids = {*add, *remove}
    named = select(Promotion).where(Promotion.id.in_(promotion_ids), Promotion.deleted_at.is_(None))
    found = {
        one.id: one for one in (await session.execute(lock_rows(named.order_by(Promotion.id)))).scalars()
    }
    if missing := sorted(promotion_ids - found.keys()):
        raise NotFound(f"Promotion with id: {missing[0]} was not found")
    campaign = await find_campaign(session, campaign_id)
    for promotion_id in sorted(promotion_ids):
        await record(session, actor, "changed", Subject(SubjectType.PROMOTION, promotion_id))
        if promotion_id in add:
            found[promotion_id].campaign_id = campaign_id
        elif found[promotion_id].campaign_id == campaign_id:
            found[promotion_id].campaign_id = None
        await session.flush()
    return campaign


def _set_budget(campaign: Campaign, budget: WriteBudget) -> None:
    kind = budget.type or campaign.budget_type
    if kind is None:
        raise InvalidData("A campaign's budget needs a type")
    campaign.budget_type = str(kind)
    if budget.limit is not UNCHANGED:
        campaign.budget_limit = budget.limit
    by_customer = kind == BudgetType.BY_CUSTOMER
    campaign.budget_attribute = (
        (budget.attribute or campaign.budget_attribute or EMAIL) if by_customer else None
    )


def _require_order(campaign: Campaign) -> None:
    starts, ends = campaign.starts_at, campaign.ends_at
    if starts is not None and ends is not None and ends <= starts:
        raise InvalidData(BACKWARDS)
