"""Promotions and campaigns as the Admin API shows them, with what has been used of them (wire: commerce-api, Admin)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sqlalchemy import func, select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.core.db.tables import JsonObject
from backend.core.money import Cop
from backend.edge.wire import iso, sibling_id, stamps
from backend.promotions.answers import (
    AppliedMethod,
    AppliedPromotion,
    BudgetOut,
    CampaignOut,
    PromotionOut,
    RuleOut,
)
from backend.promotions.kinds import BudgetType, MethodType
from backend.promotions.models import Campaign, Promotion, PromotionUse
from backend.promotions.rules import CART_ATTRIBUTES


@dataclass(frozen=True, slots=True)
class Used:
    """What has been used: how often, and how many pesos it took off."""

    count: int = 0
    amount: Cop = 0


async def used_of(session: AsyncSession, promotions: Sequence[Promotion]) -> dict[str, Used]:
    """What has been used of each of these promotions, by its id; what waits for its payment counts."""
    if not promotions:
        return {}
    uses = (
        select(PromotionUse.promotion_id, func.count(), func.sum(PromotionUse.amount))
        .where(PromotionUse.promotion_id.in_([one.id for one in promotions]))
        .group_by(PromotionUse.promotion_id)
    )
    return {row[0]: Used(int(row[1]), int(row[2])) for row in await session.execute(uses)}


async def used_of_campaigns(session: AsyncSession, campaigns: Sequence[Campaign]) -> dict[str, Used]:
    """The same of all promotions of each campaign, by its id."""
    if not campaigns:
        return {}
    uses = (
        select(Promotion.campaign_id, func.count(), func.sum(PromotionUse.amount))
        .join(PromotionUse, PromotionUse.promotion_id == Promotion.id)
        .where(Promotion.campaign_id.in_([one.id for one in campaigns]))
        .group_by(Promotion.campaign_id)
    )
    return {str(row[0]): Used(int(row[1]), int(row[2])) for row in await session.execute(uses)}


async def promotions_wire(session: AsyncSession, promotions: Sequence[Promotion]) -> list[PromotionOut]:
    """Promotions with their campaigns."""
    ids = {one.campaign_id for one in promotions if one.campaign_id}
    found = (await session.execute(select(Campaign).where(Campaign.id.in_(ids)))).scalars() if ids else ()
    shown = {wire["id"]: wire for wire in await campaigns_wire(session, list(found))}
    used = await used_of(session, promotions)
    return [_promotion(one, used.get(one.id, Used()), shown.get(one.campaign_id or "")) for one in promotions]


async def campaigns_wire(session: AsyncSession, campaigns: Sequence[Campaign]) -> list[CampaignOut]:
    """Campaigns with their budgets."""
    used = await used_of_campaigns(session, campaigns)
    return [_campaign(one, used.get(one.id, Used())) for one in campaigns]


def _promotion(promotion: Promotion, used: Used, campaign: CampaignOut | None) -> PromotionOut:
    return {
        "id": promotion.id,
        "code": promotion.code,
        "is_automatic": promotion.is_automatic,
        "is_tax_inclusive": True,
        "type": "standard",
        "status": promotion.status,
        "limit": promotion.use_limit,
        "used": used.count,
        "campaign_id": promotion.campaign_id,
        "campaign": campaign,
        "metadata": promotion.meta or None,
        **stamps(promotion.created_at, promotion.updated_at),
        "deleted_at": iso(promotion.deleted_at),
        "application_method": {
            **method_wire(promotion),
            "promotion_id": promotion.id,
            "target_type": promotion.target_type,
            "allocation": promotion.allocation,
            "max_quantity": promotion.max_quantity,
            "apply_to_quantity": None,
            "buy_rules_min_quantity": None,
            "description": promotion.description,
            "target_rules": [rule_wire(rule) for rule in promotion.target_rules],
            "buy_rules": [],
            **stamps(promotion.created_at, promotion.updated_at),
        },
        "rules": [rule_wire(rule) for rule in promotion.rules],
    }


def method_wire(promotion: Promotion) -> AppliedMethod:
    """What carts show of how much a promotion takes off."""
    return {
        "id": sibling_id("proappmet", promotion.id),
        "type": promotion.method_type,
        "value": promotion.value,
        "currency_code": "cop" if promotion.method_type == MethodType.FIXED else None,
    }


def applied_wire(promotion: Promotion) -> AppliedPromotion:
    """A promotion as a cart shows it."""
    return {
        "id": promotion.id,
        "code": promotion.code,
        "is_automatic": promotion.is_automatic,
        "is_tax_inclusive": True,
        "application_method": method_wire(promotion),
    }


def rule_wire(rule: JsonObject, labels: Mapping[str, str] | None = None) -> RuleOut:
    """A rule; `labels` has what its values are called."""
    names = {value: name for name, value in CART_ATTRIBUTES.items()}
    return {
        "id": rule["id"],
        "attribute": rule["attribute"],
        "attribute_label": names.get(rule["attribute"]) or rule["attribute"],
        "operator": rule["operator"],
        "description": rule.get("description"),
        "values": [{"value": value, "label": (labels or {}).get(value, value)} for value in rule["values"]],
    }


def _campaign(campaign: Campaign, used: Used) -> CampaignOut:
    return {
        "id": campaign.id,
        "name": campaign.name,
        "description": campaign.description,
        "campaign_identifier": campaign.campaign_identifier,
        "starts_at": iso(campaign.starts_at),
        "ends_at": iso(campaign.ends_at),
        "budget": _budget(campaign, used),
        **stamps(campaign.created_at, campaign.updated_at),
        "deleted_at": iso(campaign.deleted_at),
    }


def _budget(campaign: Campaign, used: Used) -> BudgetOut | None:
    if campaign.budget_type is None:
        return None
    is_spend = campaign.budget_type == BudgetType.SPEND
    return {
        "id": sibling_id("probudg", campaign.id),
        "type": campaign.budget_type,
        "currency_code": "cop" if is_spend else None,
        "limit": campaign.budget_limit,
        "used": used.amount if is_spend else used.count,
        "attribute": campaign.budget_attribute,
    }
