"""Convert the request bodies of the Admin API to commands of the promotion services."""

from backend.core.commands import UNCHANGED
from backend.core.errors import InvalidData
from backend.promotions.commands import (
    ChangeCampaign,
    ChangeMethod,
    ChangePromotion,
    ChangeRules,
    CreateCampaign,
    CreatePromotion,
    WriteBudget,
    WriteRule,
)
from backend.promotions.kinds import Allocation, Combination, PromotionStatus
from backend.promotions.schemas import (
    BudgetChange,
    CampaignChange,
    MethodChange,
    NewCampaign,
    NewPromotion,
    NewRule,
    PromotionChange,
    RulesChange,
)


def to_create_promotion(body: NewPromotion) -> CreatePromotion:
    """Convert the request body to the command that creates a promotion.

    Raises:
        InvalidData: the currency is not cop.
    """
    method = body.application_method
    _require_cop(method.currency_code)
    return CreatePromotion(
        code=body.code,
        method_type=method.type,
        target_type=method.target_type,
        value=method.value,
        type=body.type,
        combination=body.combination or Combination.ALL,
        is_automatic=bool(body.is_automatic),
        status=body.status or PromotionStatus.DRAFT,
        limit=body.limit,
        campaign_id=body.campaign_id,
        campaign=to_create_campaign(body.campaign) if body.campaign else None,
        allocation=method.allocation or Allocation.ACROSS,
        max_quantity=method.max_quantity,
        buy_quantity=method.buy_rules_min_quantity,
        apply_quantity=method.apply_to_quantity,
        description=method.description,
        rules=[_to_write_rule(rule) for rule in body.rules or ()],
        target_rules=[_to_write_rule(rule) for rule in method.target_rules or ()],
        buy_rules=[_to_write_rule(rule) for rule in method.buy_rules or ()],
        metadata=body.metadata,
    )


def to_change_promotion(body: PromotionChange) -> ChangePromotion:
    """Convert the request body to the command that changes a promotion.

    Raises:
        InvalidData: see `to_create_promotion`.
    """
    named = body.model_fields_set
    return ChangePromotion(
        code=body.code,
        type=body.type,
        combination=body.combination,
        is_automatic=body.is_automatic,
        status=body.status,
        limit=body.limit if "limit" in named else UNCHANGED,
        campaign_id=body.campaign_id if "campaign_id" in named else UNCHANGED,
        metadata=body.metadata if "metadata" in named else UNCHANGED,
        method=_to_change_method(body.application_method) if body.application_method else None,
    )


def to_change_rules(body: RulesChange) -> ChangeRules:
    """Convert the request body to the command that changes a promotion's rules."""
    return ChangeRules(
        create=[_to_write_rule(rule) for rule in body.create or ()],
        update=[(rule.id, rule.model_dump(exclude={"id"}, exclude_none=True)) for rule in body.update or ()],
        delete=body.delete or (),
    )


def to_create_campaign(body: NewCampaign) -> CreateCampaign:
    """Convert the request body to the command that creates a campaign.

    Raises:
        InvalidData: see `to_create_promotion`.
    """
    return CreateCampaign(
        name=body.name,
        campaign_identifier=body.campaign_identifier,
        description=body.description,
        starts_at=body.starts_at,
        ends_at=body.ends_at,
        budget=_to_write_budget(body.budget) if body.budget else None,
    )


def to_change_campaign(body: CampaignChange) -> ChangeCampaign:
    """Convert the request body to the command that changes a campaign.

    Raises:
        InvalidData: see `to_create_promotion`.
    """
    named = body.model_fields_set
    return ChangeCampaign(
        name=body.name,
        campaign_identifier=body.campaign_identifier,
        description=body.description if "description" in named else UNCHANGED,
        starts_at=body.starts_at if "starts_at" in named else UNCHANGED,
        ends_at=body.ends_at if "ends_at" in named else UNCHANGED,
        budget=_to_write_budget(body.budget) if body.budget else None,
    )


def _to_change_method(method: MethodChange) -> ChangeMethod:
    _require_cop(method.currency_code)
    named = method.model_fields_set
    return ChangeMethod(
        type=method.type,
        target_type=method.target_type,
        allocation=method.allocation,
        value=method.value,
        max_quantity=method.max_quantity if "max_quantity" in named else UNCHANGED,
        buy_quantity=method.buy_rules_min_quantity if "buy_rules_min_quantity" in named else UNCHANGED,
        apply_quantity=method.apply_to_quantity if "apply_to_quantity" in named else UNCHANGED,
        description=method.description if "description" in named else UNCHANGED,
    )


def _to_write_rule(rule: NewRule) -> WriteRule:
    return WriteRule(
        attribute=rule.attribute, operator=rule.operator, values=rule.values, description=rule.description
    )


def _to_write_budget(budget: BudgetChange) -> WriteBudget:
    _require_cop(budget.currency_code)
    return WriteBudget(
        type=budget.type,
        limit=budget.limit if "limit" in budget.model_fields_set else UNCHANGED,
        attribute=budget.attribute,
    )


def _require_cop(currency_code: str | None) -> None:
    if (currency_code or "cop").casefold() != "cop":
        raise InvalidData("The shop sells in pesos: currency_code can only be `cop`")
