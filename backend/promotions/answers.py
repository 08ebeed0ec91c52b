"""Promotions and campaigns in the answers of the Store and Admin API."""

from typing import NotRequired

from typing_extensions import TypedDict

from backend.edge.wire import DeletedMany, JsonDict, Page, Stamps


class RuleValue(TypedDict):
    """A value of a rule, and its label."""

    value: str
    label: str


class RuleOut(TypedDict):
    """A rule of a promotion."""

    id: str
    attribute: str
    attribute_label: str
    operator: str
    description: str | None
    values: list[RuleValue]


class AppliedMethod(TypedDict):
    """The discount of a promotion (type, value and currency), as carts show it."""

    id: str
    type: str
    value: int
    currency_code: str | None


class ApplicationMethod(AppliedMethod, Stamps):
    """Value of a promotion and its targets."""

    promotion_id: str
    target_type: str
    allocation: str
    max_quantity: int | None
    apply_to_quantity: int | None
    buy_rules_min_quantity: int | None
    description: str | None
    target_rules: list[RuleOut]
    buy_rules: list[RuleOut]


class AppliedPromotion(TypedDict):
    """A promotion as a cart shows it."""

    id: str
    code: str
    is_automatic: bool
    is_tax_inclusive: bool
    application_method: AppliedMethod


class BudgetOut(TypedDict):
    """Limit and use of a campaign's budget."""

    id: str
    type: str
    currency_code: str | None
    limit: int | None
    used: int
    attribute: str | None


class CampaignOut(Stamps):
    """A campaign."""

    id: str
    name: str
    description: str | None
    campaign_identifier: str
    starts_at: str | None
    ends_at: str | None
    budget: BudgetOut | None
    deleted_at: str | None


class PromotionOut(Stamps):
    """A promotion."""

    id: str
    code: str
    is_automatic: bool
    is_tax_inclusive: bool
    type: str
    combination: str
    status: str
    limit: int | None
    used: int
    campaign_id: str | None
    campaign: CampaignOut | None
    metadata: JsonDict | None
    deleted_at: str | None
    application_method: ApplicationMethod
    rules: list[RuleOut]


class PromotionAnswer(TypedDict):
    """Response with one promotion."""

    promotion: PromotionOut


class PromotionsAnswer(Page):
    """A page of promotions."""

    promotions: list[PromotionOut]


class CampaignAnswer(TypedDict):
    """Response with one campaign."""

    campaign: CampaignOut


class CampaignsAnswer(Page):
    """A page of campaigns."""

    campaigns: list[CampaignOut]


class QuantityRuleOut(TypedDict):
    """A quantity of a buyget promotion, in the list of its rules."""

    attribute: str
    attribute_label: str
    operator: str
    field_type: str
    required: bool
    disguised: bool
    values: int


class RulesAnswer(TypedDict):
    """The rules of one type of a promotion."""

    rules: list[RuleOut | QuantityRuleOut]


class RulesChanged(TypedDict):
    """Result of a request that adds, changes and deletes rules."""

    created: list[RuleOut]
    updated: list[RuleOut]
    deleted: DeletedMany


class RuleOperator(TypedDict):
    """An operator of rules."""

    id: str
    value: str
    label: str


class RuleAttribute(TypedDict):
    """An attribute that rules can compare."""

    id: str
    value: str
    label: str
    required: bool
    field_type: str
    operators: list[RuleOperator]
    disguised: NotRequired[bool]
    hydrate: NotRequired[bool]


class AttributesAnswer(TypedDict):
    """Attributes that rules can compare."""

    attributes: list[RuleAttribute]


class ValuesAnswer(Page):
    """A page of the values that rules can compare an attribute with."""

    values: list[RuleValue]
