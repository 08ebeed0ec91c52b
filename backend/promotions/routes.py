"""The Admin API of promotions and campaigns (wire: commerce-api, Admin)."""

from typing import Annotated

from fastapi import APIRouter
from sqlalchemy import ColumnElement, select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.core.errors import NotFound
from backend.edge.dependencies import Db, Shown
from backend.edge.errors import REFUSALS
from backend.edge.query import Fields, in_order, mentions, met, one_of, paging, pick_each, read_query, rows_of
from backend.edge.requests import WireRoute
from backend.edge.schemas import ListParameters
from backend.edge.wire import Deleted, Wire
from backend.promotions import campaigns
from backend.promotions import rule_attributes as rule_choices
from backend.promotions import service as saving
from backend.promotions.answers import (
    AttributesAnswer,
    CampaignAnswer,
    CampaignsAnswer,
    PromotionAnswer,
    PromotionsAnswer,
    RuleOut,
    RulesAnswer,
    RulesChanged,
    ValuesAnswer,
)
from backend.promotions.models import Campaign, Promotion
from backend.promotions.schemas import (
    CampaignChange,
    CampaignPromotions,
    CampaignsParameters,
    NewCampaign,
    NewPromotion,
    PromotionChange,
    PromotionsParameters,
    RuleParameters,
    RulesChange,
    RuleValueParameters,
)
from backend.promotions.wire import campaigns_wire, promotions_wire, rule_wire
from backend.promotions.wire_commands import (
    to_change_campaign,
    to_change_promotion,
    to_change_rules,
    to_create_campaign,
    to_create_promotion,
)
from backend.staff.dependencies import StaffMember, staff_who_may
from backend.staff.rights import Right

router = APIRouter(
    prefix="/admin",
    route_class=WireRoute,
    tags=["admin: promotions"],
    responses=REFUSALS,
    dependencies=staff_who_may(Right.READ_CATALOG),
)
SORTABLE = {"code": Promotion.code, "created_at": Promotion.created_at, "updated_at": Promotion.updated_at}
CAMPAIGNS_SORTABLE = {"name": Campaign.name, "created_at": Campaign.created_at, "ends_at": Campaign.ends_at}


@router.get("/promotions")
async def list_promotions(
    asked: Annotated[PromotionsParameters, read_query(PromotionsParameters)], database: Db
) -> Wire[PromotionsAnswer]:
    """The promotions, newest first."""
    conditions = [Promotion.deleted_at.is_(None), *met(asked, _of_promotions)]
    order = in_order(asked.order, SORTABLE, [Promotion.created_at.desc(), Promotion.id])
    async with database.read() as session:
        found, count = await rows_of(session, Promotion, conditions, order, asked)
        shown = await promotions_wire(session, found)
    return Wire({"promotions": pick_each(shown, asked), **paging(count, asked)})


@router.post("/promotions")
async def create_promotion(
    actor: StaffMember, body: NewPromotion, database: Db, fields: Shown
) -> Wire[PromotionAnswer]:
    """A new promotion: something off toys, the whole cart or the shipping, for a code or by itself (`is_automatic`).

    It is `draft` unless told otherwise, and applies while it is `active` and its campaign runs.
    """
    async with database.transaction() as session:
        created = await saving.create_promotion(session, actor, to_create_promotion(body))
        return await _promotion(session, created, fields)


@router.get("/promotions/rule-attribute-options/{rule_type}")
async def rule_attributes(
    rule_type: str,
    asked: Annotated[RuleParameters, read_query(RuleParameters)],  # noqa: ARG001 - the same for every kind
) -> Wire[AttributesAnswer]:
    """What rules of a kind (`rules`, `target-rules`) can compare."""
    return Wire({"attributes": rule_choices.attributes_of(rule_type)})


@router.get("/promotions/rule-value-options/{rule_type}/{attribute_id}")
async def rule_values(
    rule_type: str,
    attribute_id: str,
    asked: Annotated[RuleValueParameters, read_query(RuleValueParameters)],
    database: Db,
) -> Wire[ValuesAnswer]:
    """What an attribute can be compared with."""
    async with database.read() as session:
        values, count = await rule_choices.values_of_attribute(session, rule_type, attribute_id, asked)
    return Wire({"values": pick_each(values, asked), **paging(count, asked)})


@router.get("/promotions/{promotion_id}")
async def read_promotion(promotion_id: str, database: Db, fields: Shown) -> Wire[PromotionAnswer]:
    """The promotion, by its id or by its code."""
    async with database.read() as session:
        return await _promotion(session, await _found(session, promotion_id), fields)


@router.post("/promotions/{promotion_id}")
async def update_promotion(
    actor: StaffMember, promotion_id: str, body: PromotionChange, database: Db, fields: Shown
) -> Wire[PromotionAnswer]:
    """Change it; `status: inactive` ends it. Payments that are under way keep the price that was agreed."""
    async with database.transaction() as session:
        changed = await saving.change_promotion(session, actor, promotion_id, to_change_promotion(body))
        return await _promotion(session, changed, fields)


@router.delete("/promotions/{promotion_id}")
async def delete_promotion(actor: StaffMember, promotion_id: str, database: Db) -> Wire[Deleted]:
    """Delete it; its code is free again."""
    async with database.transaction() as session:
        await saving.delete_promotion(session, actor, promotion_id)
    return Wire({"id": promotion_id, "object": "promotion", "deleted": True})


@router.get("/promotions/{promotion_id}/{rule_type}")
async def list_rules(
    promotion_id: str,
    rule_type: str,
    asked: Annotated[RuleParameters, read_query(RuleParameters)],
    database: Db,
) -> Wire[RulesAnswer]:
    """The rules of a kind (`rules`, `target-rules`), with what their values are called."""
    attributes = rule_choices.RULE_TYPES[rule_choices.require_rule_type(rule_type)]
    names = {value: name for name, value in attributes.items()}
    shown: list[RuleOut] = []
    fields = Fields(asked.fields)
    async with database.read() as session:
        promotion = await _found(session, promotion_id)
        kinds = {"rules": promotion.rules, "target-rules": promotion.target_rules}
        for rule in kinds.get(rule_type, ()):
            wanted = RuleValueParameters(value=rule["values"][: ListParameters().limit])
            named, _count = await rule_choices.values_of_attribute(
                session, rule_type, names[rule["attribute"]], wanted
            )
            shown.append(rule_wire(rule, {one["value"]: one["label"] for one in named}))
    return Wire({"rules": [fields.pick(rule) for rule in shown]})


@router.post("/promotions/{promotion_id}/{rule_type}/batch")
async def change_rules(
    actor: StaffMember, promotion_id: str, rule_type: str, body: RulesChange, database: Db
) -> Wire[RulesChanged]:
    """Add, change and delete conditions on the cart (`rules`), or on what something is taken off (`target-rules`)."""
    async with database.transaction() as session:
        added, changed, gone = await saving.change_rules(
            session, actor, promotion_id, rule_type, to_change_rules(body)
        )
    return Wire({
        "created": [rule_wire(rule) for rule in added],
        "updated": [rule_wire(rule) for rule in changed],
        "deleted": {"ids": gone, "object": "promotion-rule", "deleted": True},
    })  # fmt: skip


@router.get("/campaigns")
async def list_campaigns(
    asked: Annotated[CampaignsParameters, read_query(CampaignsParameters)], database: Db
) -> Wire[CampaignsAnswer]:
    """The campaigns, newest first."""
    conditions = [Campaign.deleted_at.is_(None), *met(asked, _of_campaigns)]
    order = in_order(asked.order, CAMPAIGNS_SORTABLE, [Campaign.created_at.desc(), Campaign.id])
    async with database.read() as session:
        found, count = await rows_of(session, Campaign, conditions, order, asked)
        shown = await campaigns_wire(session, found)
    return Wire({"campaigns": pick_each(shown, asked), **paging(count, asked)})


@router.post("/campaigns")
async def create_campaign(
    actor: StaffMember, body: NewCampaign, database: Db, fields: Shown
) -> Wire[CampaignAnswer]:
    """A new campaign: from when to when its promotions apply, and how much of them there is."""
    async with database.transaction() as session:
        created = await campaigns.create_campaign(session, actor, to_create_campaign(body))
        return await _campaign(session, created, fields)


@router.get("/campaigns/{campaign_id}")
async def read_campaign(campaign_id: str, database: Db, fields: Shown) -> Wire[CampaignAnswer]:
    """The campaign."""
    async with database.read() as session:
        return await _campaign(session, await campaigns.find_campaign(session, campaign_id), fields)


@router.post("/campaigns/{campaign_id}")
async def update_campaign(
    actor: StaffMember, campaign_id: str, body: CampaignChange, database: Db, fields: Shown
) -> Wire[CampaignAnswer]:
    """Change it: its promotions begin and end with it."""
    async with database.transaction() as session:
        changed = await campaigns.change_campaign(session, actor, campaign_id, to_change_campaign(body))
        return await _campaign(session, changed, fields)


@router.delete("/campaigns/{campaign_id}")
async def delete_campaign(actor: StaffMember, campaign_id: str, database: Db) -> Wire[Deleted]:
    """Delete it, once no promotion is in it."""
    async with database.transaction() as session:
        await campaigns.delete_campaign(session, actor, campaign_id)
    return Wire({"id": campaign_id, "object": "campaign", "deleted": True})


@router.post("/campaigns/{campaign_id}/promotions")
async def link_promotions(
    actor: StaffMember, campaign_id: str, body: CampaignPromotions, database: Db, fields: Shown
) -> Wire[CampaignAnswer]:
    """Let promotions join the campaign, and others leave it."""
    async with database.transaction() as session:
        changed = await campaigns.link_promotions(
            session, actor, campaign_id, body.add or (), body.remove or ()
        )
        return await _campaign(session, changed, fields)


def _of_promotions(asked: PromotionsParameters) -> list[ColumnElement[bool]]:
    conditions = one_of(
        (Promotion.id, asked.id),
        (Promotion.code, asked.code),
        (Promotion.campaign_id, asked.campaign_id),
        (Promotion.status, asked.status),
    )
    conditions += mentions(asked.q, Promotion.code)
    if asked.is_automatic is not None:
        conditions.append(Promotion.is_automatic.is_(asked.is_automatic))
    return conditions


def _of_campaigns(asked: CampaignsParameters) -> list[ColumnElement[bool]]:
    conditions = one_of((Campaign.id, asked.id), (Campaign.campaign_identifier, asked.campaign_identifier))
    return [*conditions, *mentions(asked.q, Campaign.name, Campaign.campaign_identifier)]


async def _found(session: AsyncSession, name: str) -> Promotion:
    undeleted = select(Promotion).where(Promotion.deleted_at.is_(None))
    named = undeleted.where((Promotion.id == name) | (Promotion.code_key == saving.code_key(name)))
    promotion = (await session.execute(named.order_by(Promotion.id != name).limit(1))).scalar_one_or_none()
    if promotion is None:
        raise NotFound(f"Promotion with id or code: {name} was not found")
    return promotion


async def _promotion(session: AsyncSession, promotion: Promotion, fields: Fields) -> Wire[PromotionAnswer]:
    await session.flush()
    [shown] = await promotions_wire(session, [promotion])
    return Wire({"promotion": fields.pick(shown)})


async def _campaign(session: AsyncSession, campaign: Campaign, fields: Fields) -> Wire[CampaignAnswer]:
    await session.flush()
    [shown] = await campaigns_wire(session, [campaign])
    return Wire({"campaign": fields.pick(shown)})
