"""Admin API of promotions and campaigns (wire: commerce-api, Admin)."""

from typing import Annotated

from fastapi import APIRouter
from sqlalchemy import ColumnElement, select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.core.errors import NotFound
from backend.edge.dependencies import Db, RequestedFields
from backend.edge.errors import REFUSALS
from backend.edge.query import (
    Fields,
    in_clauses,
    order_clauses,
    paging_fields,
    pick_each,
    read_page,
    read_query,
    search_clauses,
    where_clauses,
)
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
    QuantityRuleOut,
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
from backend.staff.dependencies import StaffMember, require_staff_right
from backend.staff.rights import Right

router = APIRouter(
    prefix="/admin",
    route_class=WireRoute,
    tags=["admin: promotions"],
    responses=REFUSALS,
    dependencies=require_staff_right(Right.READ_CATALOG),
)
SORTABLE = {"code": Promotion.code, "created_at": Promotion.created_at, "updated_at": Promotion.updated_at}
CAMPAIGNS_SORTABLE = {"name": Campaign.name, "created_at": Campaign.created_at, "ends_at": Campaign.ends_at}


@router.get("/promotions")
async def list_promotions(
    params: Annotated[PromotionsParameters, read_query(PromotionsParameters)], database: Db
) -> Wire[PromotionsAnswer]:
    """List the promotions, newest first."""
    conditions = [Promotion.deleted_at.is_(None), *where_clauses(params, _promotion_filters)]
    order = order_clauses(params.order, SORTABLE, [Promotion.created_at.desc(), Promotion.id])
    async with database.read() as session:
        found, count = await read_page(session, Promotion, conditions, order, params)
        shown = await promotions_wire(session, found)
    return Wire({"promotions": pick_each(shown, params), **paging_fields(count, params)})


@router.post("/promotions")
async def create_promotion(
    actor: StaffMember, body: NewPromotion, database: Db, fields: RequestedFields
) -> Wire[PromotionAnswer]:
    """Create a promotion: a discount on products, the cart or the shipping, with a code or automatic (`is_automatic`).

    Its status is `draft` by default. It applies while it is `active` and its campaign runs.
    """
    async with database.transaction() as session:
        created = await saving.create_promotion(session, actor, to_create_promotion(body))
        return await _promotion_answer(session, created, fields)


@router.get("/promotions/rule-attribute-options/{rule_type}")
async def rule_attributes(
    rule_type: str,
    params: Annotated[RuleParameters, read_query(RuleParameters)],
) -> Wire[AttributesAnswer]:
    """List the attributes that rules of a kind (`rules`, `target-rules`, `buy-rules`) can compare."""
    return Wire({"attributes": rule_choices.list_attributes(rule_type, params.promotion_type)})


@router.get("/promotions/rule-value-options/{rule_type}/{attribute_id}")
async def rule_values(
    rule_type: str,
    attribute_id: str,
    params: Annotated[RuleValueParameters, read_query(RuleValueParameters)],
    database: Db,
) -> Wire[ValuesAnswer]:
    """List the values that an attribute can be compared with."""
    async with database.read() as session:
        values, count = await rule_choices.list_attribute_values(session, rule_type, attribute_id, params)
    return Wire({"values": pick_each(values, params), **paging_fields(count, params)})


@router.get("/promotions/{promotion_id}")
async def read_promotion(promotion_id: str, database: Db, fields: RequestedFields) -> Wire[PromotionAnswer]:
    """Return a promotion, by its id or by its code."""
    async with database.read() as session:
        return await _promotion_answer(session, await _find_promotion(session, promotion_id), fields)


@router.post("/promotions/{promotion_id}")
async def update_promotion(
    actor: StaffMember, promotion_id: str, body: PromotionChange, database: Db, fields: RequestedFields
) -> Wire[PromotionAnswer]:
    """Change the promotion. `status: inactive` ends it. Payments that have started keep the agreed price."""
    async with database.transaction() as session:
        changed = await saving.change_promotion(session, actor, promotion_id, to_change_promotion(body))
        return await _promotion_answer(session, changed, fields)


@router.delete("/promotions/{promotion_id}")
async def delete_promotion(actor: StaffMember, promotion_id: str, database: Db) -> Wire[Deleted]:
    """Delete the promotion. Its code can be used again."""
    async with database.transaction() as session:
        await saving.delete_promotion(session, actor, promotion_id)
    return Wire({"id": promotion_id, "object": "promotion", "deleted": True})


@router.get("/promotions/{promotion_id}/{rule_type}")
async def list_rules(
    promotion_id: str,
    rule_type: str,
    params: Annotated[RuleParameters, read_query(RuleParameters)],
    database: Db,
) -> Wire[RulesAnswer]:
    """List the promotion's rules of one type (`rules`, `target-rules`, `buy-rules`), with labels of their values."""
    attributes = rule_choices.RULE_TYPES[rule_choices.require_rule_type(rule_type)]
    names = {value: name for name, value in attributes.items()}
    wires: list[RuleOut | QuantityRuleOut] = []
    fields = Fields(params.fields)
    async with database.read() as session:
        promotion = await _find_promotion(session, promotion_id)
        for rule in saving.list_rules_by_type(promotion)[rule_type]:
            value_params = RuleValueParameters(value=rule["values"][: ListParameters().limit])
            named, _count = await rule_choices.list_attribute_values(
                session, rule_type, names[rule["attribute"]], value_params
            )
            wires.append(rule_wire(rule, {one["value"]: one["label"] for one in named}))
    wires.extend(rule_choices.quantity_rules(promotion, rule_type))
    return Wire({"rules": [fields.pick(rule) for rule in wires]})


@router.post("/promotions/{promotion_id}/{rule_type}/batch")
async def change_rules(
    actor: StaffMember, promotion_id: str, rule_type: str, body: RulesChange, database: Db
) -> Wire[RulesChanged]:
    """Add, change and delete conditions on the cart (`rules`), or on lines.

    `target-rules` are conditions on the discounted lines, `buy-rules` on those that a buyget promotion requires.
    """
    async with database.transaction() as session:
        added, changed, deleted_ids = await saving.change_rules(
            session, actor, promotion_id, rule_type, to_change_rules(body)
        )
    return Wire({
        "created": [rule_wire(rule) for rule in added],
        "updated": [rule_wire(rule) for rule in changed],
        "deleted": {"ids": deleted_ids, "object": "promotion-rule", "deleted": True},
    })  # fmt: skip


@router.get("/campaigns")
async def list_campaigns(
    params: Annotated[CampaignsParameters, read_query(CampaignsParameters)], database: Db
) -> Wire[CampaignsAnswer]:
    """List the campaigns, newest first."""
    conditions = [Campaign.deleted_at.is_(None), *where_clauses(params, _campaign_filters)]
    order = order_clauses(params.order, CAMPAIGNS_SORTABLE, [Campaign.created_at.desc(), Campaign.id])
    async with database.read() as session:
        found, count = await read_page(session, Campaign, conditions, order, params)
        shown = await campaigns_wire(session, found)
    return Wire({"campaigns": pick_each(shown, params), **paging_fields(count, params)})


@router.post("/campaigns")
async def create_campaign(
    actor: StaffMember, body: NewCampaign, database: Db, fields: RequestedFields
) -> Wire[CampaignAnswer]:
    """Create a campaign: the period in which its promotions apply, and the limit of their use."""
    async with database.transaction() as session:
        created = await campaigns.create_campaign(session, actor, to_create_campaign(body))
        return await _campaign_answer(session, created, fields)


@router.get("/campaigns/{campaign_id}")
async def read_campaign(campaign_id: str, database: Db, fields: RequestedFields) -> Wire[CampaignAnswer]:
    """Return a campaign."""
    async with database.read() as session:
        return await _campaign_answer(session, await campaigns.find_campaign(session, campaign_id), fields)


@router.post("/campaigns/{campaign_id}")
async def update_campaign(
    actor: StaffMember, campaign_id: str, body: CampaignChange, database: Db, fields: RequestedFields
) -> Wire[CampaignAnswer]:
    """Change the campaign. Its promotions start and end with the campaign."""
    async with database.transaction() as session:
        changed = await campaigns.change_campaign(session, actor, campaign_id, to_change_campaign(body))
        return await _campaign_answer(session, changed, fields)


@router.delete("/campaigns/{campaign_id}")
async def delete_campaign(actor: StaffMember, campaign_id: str, database: Db) -> Wire[Deleted]:
    """Delete a campaign without promotions."""
    async with database.transaction() as session:
        await campaigns.delete_campaign(session, actor, campaign_id)
    return Wire({"id": campaign_id, "object": "campaign", "deleted": True})


@router.post("/campaigns/{campaign_id}/promotions")
async def link_promotions(
    actor: StaffMember, campaign_id: str, body: CampaignPromotions, database: Db, fields: RequestedFields
) -> Wire[CampaignAnswer]:
    """Add promotions to the campaign, and remove others from it."""
    async with database.transaction() as session:
        changed = await campaigns.link_promotions(
            session, actor, campaign_id, body.add or (), body.remove or ()
        )
        return await _campaign_answer(session, changed, fields)


def _promotion_filters(params: PromotionsParameters) -> list[ColumnElement[bool]]:
    conditions = in_clauses(
        (Promotion.id, params.id),
        (Promotion.code, params.code),
        (Promotion.campaign_id, params.campaign_id),
        (Promotion.status, params.status),
    )
    conditions += search_clauses(params.q, Promotion.code)
    if params.is_automatic is not None:
        conditions.append(Promotion.is_automatic.is_(params.is_automatic))
    return conditions


def _campaign_filters(params: CampaignsParameters) -> list[ColumnElement[bool]]:
    conditions = in_clauses(
        (Campaign.id, params.id), (Campaign.campaign_identifier, params.campaign_identifier)
    )
    return [*conditions, *search_clauses(params.q, Campaign.name, Campaign.campaign_identifier)]


async def _find_promotion(session: AsyncSession, name: str) -> Promotion:
    undeleted = select(Promotion).where(Promotion.deleted_at.is_(None))
    named = undeleted.where((Promotion.id == name) | (Promotion.code_key == saving.normalize_code(name)))
    promotion = (await session.execute(named.order_by(Promotion.id != name).limit(1))).scalar_one_or_none()
    if promotion is None:
        raise NotFound(f"Promotion with id or code: {name} was not found")
    return promotion


async def _promotion_answer(
    session: AsyncSession, promotion: Promotion, fields: Fields
) -> Wire[PromotionAnswer]:
    await session.flush()
    [shown] = await promotions_wire(session, [promotion])
    return Wire({"promotion": fields.pick(shown)})


async def _campaign_answer(session: AsyncSession, campaign: Campaign, fields: Fields) -> Wire[CampaignAnswer]:
    await session.flush()
    [shown] = await campaigns_wire(session, [campaign])
    return Wire({"campaign": fields.pick(shown)})
