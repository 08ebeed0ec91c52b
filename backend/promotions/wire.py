"""Convert promotions and campaigns to the Admin API, including how often they were used (wire: commerce-api, Admin)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sqlalchemy import func, select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.core.db.tables import JsonObject
from backend.core.money import Cop
from backend.edge.wire import derive_sibling_id, iso, stamps
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
class PromotionUsage:
    """Usage of a promotion or campaign: the number of uses, and the sum of their discounts in pesos."""

    count: int = 0
    amount: Cop = 0


async def read_usage(session: AsyncSession, promotions: Sequence[Promotion]) -> dict[str, PromotionUsage]:
    """Return the usage of these promotions, by promotion id. Uses whose payment is pending are included."""
    if not promotions:
        return {}
    uses = (
        select(PromotionUse.promotion_id, func.count(), func.sum(PromotionUse.amount))
        .where(PromotionUse.promotion_id.in_([one.id for one in promotions]))
        .group_by(PromotionUse.promotion_id)
    )
    return {row[0]: PromotionUsage(int(row[1]), int(row[2])) for row in await session.execute(uses)}


async def read_campaign_usage(
    session: AsyncSession, campaigns: Sequence[Campaign]
) -> dict[str, PromotionUsage]:
    """Return the usage of these campaigns, by campaign id: the sums over all their promotions."""
    if not campaigns:
        return {}
    uses = (
        select(Promotion.campaign_id, func.count(), func.sum(PromotionUse.amount))
        .join(PromotionUse, PromotionUse.promotion_id == Promotion.id)
        .where(Promotion.campaign_id.in_([one.id for one in campaigns]))
        .group_by(Promotion.campaign_id)
    )
    return {str(row[0]): PromotionUsage(int(row[1]), int(row[2])) for row in await session.execute(uses)}


async def promotions_wire(session: AsyncSession, promotions: Sequence[Promotion]) -> list[PromotionOut]:
    """Return promotions with their campaigns and usage, in the platform's shape."""
    ids = {one.campaign_id for one in promotions if one.campaign_id}
    found = (await session.execute(select(Campaign).where(Campaign.id.in_(ids)))).scalars() if ids else ()
    shown = {wire["id"]: wire for wire in await campaigns_wire(session, list(found))}
    used = await read_usage(session, promotions)
    return [
        _promotion_wire(one, used.get(one.id, PromotionUsage()), shown.get(one.campaign_id or ""))
        for one in promotions
    ]


async def campaigns_wire(session: AsyncSession, campaigns: Sequence[Campaign]) -> list[CampaignOut]:
    """Return campaigns with their budgets, and how much of each budget is used, in the platform's shape."""
    used = await read_campaign_usage(session, campaigns)
    return [_campaign_wire(one, used.get(one.id, PromotionUsage())) for one in campaigns]


def _promotion_wire(promotion: Promotion, used: PromotionUsage, campaign: CampaignOut | None) -> PromotionOut:
    return {
        "id": promotion.id,
        "code": promotion.code,
        "is_automatic": promotion.is_automatic,
        "is_tax_inclusive": True,
        "type": promotion.type,
        "combination": promotion.combination,
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
            "apply_to_quantity": promotion.apply_quantity,
            "buy_rules_min_quantity": promotion.buy_quantity,
            "description": promotion.description,
            "target_rules": [rule_wire(rule) for rule in promotion.target_rules],
            "buy_rules": [rule_wire(rule) for rule in promotion.buy_rules],
            **stamps(promotion.created_at, promotion.updated_at),
        },
        "rules": [rule_wire(rule) for rule in promotion.rules],
    }


def method_wire(promotion: Promotion) -> AppliedMethod:
    """Return the discount of a promotion, as carts show it."""
    return {
        "id": derive_sibling_id("proappmet", promotion.id),
        "type": promotion.method_type,
        "value": promotion.value,
        "currency_code": "cop" if promotion.method_type == MethodType.FIXED else None,
    }


def applied_wire(promotion: Promotion) -> AppliedPromotion:
    """Return a promotion, as carts show it."""
    return {
        "id": promotion.id,
        "code": promotion.code,
        "is_automatic": promotion.is_automatic,
        "is_tax_inclusive": True,
        "application_method": method_wire(promotion),
    }


def rule_wire(rule: JsonObject, labels: Mapping[str, str] | None = None) -> RuleOut:
    """Return the rule in the platform's shape. `labels` has the labels of its values, by value."""
    names = {value: name for name, value in CART_ATTRIBUTES.items()}
    return {
        "id": rule["id"],
        "attribute": rule["attribute"],
        "attribute_label": names.get(rule["attribute"]) or rule["attribute"],
        "operator": rule["operator"],
        "description": rule.get("description"),
        "values": [{"value": value, "label": (labels or {}).get(value, value)} for value in rule["values"]],
    }


def _campaign_wire(campaign: Campaign, used: PromotionUsage) -> CampaignOut:
    return {
        "id": campaign.id,
        "name": campaign.name,
        "description": campaign.description,
        "campaign_identifier": campaign.campaign_identifier,
        "starts_at": iso(campaign.starts_at),
        "ends_at": iso(campaign.ends_at),
        "budget": _budget_wire(campaign, used),
        **stamps(campaign.created_at, campaign.updated_at),
        "deleted_at": iso(campaign.deleted_at),
    }


def _budget_wire(campaign: Campaign, used: PromotionUsage) -> BudgetOut | None:
    if campaign.budget_type is None:
        return None
    is_spend = campaign.budget_type == BudgetType.SPEND
    return {
        "id": derive_sibling_id("probudg", campaign.id),
        "type": campaign.budget_type,
        "currency_code": "cop" if is_spend else None,
        "limit": campaign.budget_limit,
        "used": used.amount if is_spend else used.count,
        "attribute": campaign.budget_attribute,
    }
