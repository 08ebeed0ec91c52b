"""Request bodies and parameters of promotions and campaigns (wire: commerce-api, Admin)."""

from typing import Annotated, Any, Literal

from pydantic import Field

from backend.core.money import MAX_AMOUNT
from backend.edge.schemas import (
    MAX_UNITS,
    Body,
    FilledName,
    FilterParameters,
    Ids,
    ListParameters,
    Metadata,
    Moment,
    Name,
    OneParameters,
    Text,
    Whole,
    example,
)
from backend.promotions.kinds import (
    Allocation,
    BudgetType,
    Combination,
    MethodType,
    PromotionStatus,
    PromotionType,
    TargetType,
)
from backend.promotions.rules import MAX_RULES, MAX_VALUES, Operator

Value = Annotated[Whole, Field(ge=1, le=MAX_AMOUNT)]
"""Whole pesos, or whole percent."""
Count = Annotated[Whole, Field(ge=1, le=MAX_UNITS)]
Values = FilledName | Annotated[list[FilledName], Field(min_length=1, max_length=MAX_VALUES)]
Kind = Field(strict=False)
"""Field settings for enumerations and times, which JSON sends as text."""


class NewRule(Body):
    """A condition: see `backend.promotions.rules`."""

    model_config = example(attribute="item_total", operator="gte", values=["100000"])

    attribute: FilledName
    operator: Annotated[Operator, Kind]
    values: Values
    description: Text | None = None


class RuleChange(Body):
    """Changes of a rule; absent fields keep their values."""

    model_config = example(id="prorul_01JPZ6V3N8K4T2WQ7RXB5C9MHD", values=["80000"])

    id: FilledName
    attribute: FilledName | None = None
    operator: Annotated[Operator, Kind] | None = None
    values: Values
    description: Text | None = None


Rules = Annotated[list[NewRule], Field(max_length=MAX_RULES)]


class RulesChange(Body):
    """Rules to create and to change, and the ids of rules to delete."""

    model_config = example(create=[], update=[], delete=["prorul_01JPZ6V3N8K4T2WQ7RXB5C9MHD"])

    create: Rules | None = None
    update: Annotated[list[RuleChange], Field(max_length=MAX_RULES)] | None = None
    delete: Ids | None = None


class MethodChange(Body):
    """Changes of a promotion's discount; absent fields keep their values. Prices and discounts include IVA.

    `currency_code` can only be `cop`. In a `buyget` promotion, `apply_to_quantity` units that meet the target rules
    are discounted for every `buy_rules_min_quantity` further units that meet the buy rules, and `max_quantity`
    limits the discounted units of a cart; without it, the promotion applies once.
    """

    model_config = example(value=15)

    type: Annotated[MethodType, Kind] | None = None
    target_type: Annotated[TargetType, Kind] | None = None
    allocation: Annotated[Allocation, Kind] | None = None
    value: Value | None = None
    max_quantity: Count | None = None
    currency_code: Name | None = None
    description: Text | None = None
    apply_to_quantity: Count | None = None
    buy_rules_min_quantity: Count | None = None


class NewMethod(MethodChange):
    """The discount of a new promotion."""

    model_config = example(type="percentage", target_type="order", allocation="across", value=10)

    type: Annotated[MethodType, Kind]
    target_type: Annotated[TargetType, Kind]
    value: Value
    target_rules: Rules | None = None
    buy_rules: Rules | None = None


class BudgetChange(Body):
    """Changes of a campaign's budget."""

    model_config = example(limit=100)

    limit: Annotated[Whole, Field(ge=1, le=MAX_AMOUNT)] | None = None
    type: Annotated[BudgetType, Kind] | None = None
    attribute: Literal["customer_id", "customer_email"] | None = None
    currency_code: Name | None = None


class NewBudget(BudgetChange):
    """The budget of a campaign: uses, pesos (`spend`), or uses per customer (`use_by_attribute`)."""

    model_config = example(type="usage", limit=100)

    type: Annotated[BudgetType, Kind]


class CampaignChange(Body):
    """Changes of a campaign; absent fields keep their values."""

    model_config = example(ends_at="2027-01-07T05:00:00Z")

    name: FilledName | None = None
    campaign_identifier: FilledName | None = None
    description: Text | None = None
    starts_at: Annotated[Moment, Kind] | None = None
    ends_at: Annotated[Moment, Kind] | None = None
    budget: BudgetChange | None = None
    additional_data: dict[str, Any] | None = None


class NewCampaign(CampaignChange):
    """A new campaign."""

    model_config = example(
        name="Navidad",
        campaign_identifier="NAVIDAD-2026",
        starts_at="2026-12-01T05:00:00Z",
        ends_at="2027-01-01T05:00:00Z",
        budget={"type": "use_by_attribute", "attribute": "customer_email", "limit": 1},
    )

    name: FilledName
    campaign_identifier: FilledName
    budget: NewBudget | None = None


class PromotionChange(Body):
    """Changes of a promotion; absent fields keep their values. `is_tax_inclusive` is accepted, but is always true.

    `combination` names the promotions with which it may be combined in one cart: all, only `automatic` ones, only
    `codes`, only discounts of the `shipping`, or `none`. Both promotions must allow the other; of several groups of
    promotions, the one that saves most applies.
    """

    model_config = example(status="inactive")

    code: FilledName | None = None
    is_automatic: bool | None = None
    is_tax_inclusive: bool | None = None
    type: Annotated[PromotionType, Kind] | None = None
    combination: Annotated[Combination, Kind] | None = None
    status: Annotated[PromotionStatus, Kind] | None = None
    limit: Count | None = None
    campaign_id: Name | None = None
    application_method: MethodChange | None = None
    metadata: Metadata | None = None
    additional_data: dict[str, Any] | None = None


class NewPromotion(PromotionChange):
    """A new promotion; by default a draft."""

    model_config = example(
        code="NAVIDAD10",
        type="standard",
        status="active",
        application_method={
            "type": "percentage", "target_type": "order", "allocation": "across", "value": 10,
        },
        rules=[{"attribute": "item_total", "operator": "gte", "values": ["100000"]}],
    )  # fmt: skip

    code: FilledName
    type: Annotated[PromotionType, Kind]
    application_method: NewMethod
    rules: Rules | None = None
    campaign: NewCampaign | None = None


class CampaignPromotions(Body):
    """The ids of promotions to add to the campaign, and of those to remove."""

    model_config = example(add=["promo_01JPZ6V3N8K4T2WQ7RXB5C9MHD"], remove=[])

    add: Ids | None = None
    remove: Ids | None = None


class PromotionsParameters(FilterParameters):
    """Filters of the list of promotions."""

    id: list[Name] | None = None
    q: Name | None = Field(None, description="Part of the code.")
    code: list[Name] | None = None
    campaign_id: list[Name] | None = None
    is_automatic: bool | None = None
    status: list[PromotionStatus] | None = None


class CampaignsParameters(FilterParameters):
    """Filters of the list of campaigns."""

    id: list[Name] | None = None
    q: Name | None = Field(None, description="Part of the name or of the identifier.")
    campaign_identifier: list[Name] | None = None


class RuleParameters(OneParameters):
    """Query parameters about the promotion to which the rules belong."""

    promotion_type: Name | None = None
    application_method_type: Name | None = None
    application_method_target_type: Name | None = None


class RuleValueParameters(ListParameters, RuleParameters):
    """Filters of the list of an attribute's values."""

    q: Name | None = Field(None, description="Part of the name.")
    value: list[Name] | None = None
