"""Commands of the promotion services. The Admin API creates them from request bodies, the office from its forms.

`None` leaves a value unchanged, unless the field's default is `UNCHANGED`: then None clears the value.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from backend.core.commands import UNCHANGED
from backend.core.db.tables import JsonObject
from backend.promotions.kinds import (
    Allocation,
    BudgetType,
    Combination,
    MethodType,
    PromotionStatus,
    PromotionType,
    TargetType,
)
from backend.promotions.rules import Operator


@dataclass(frozen=True, slots=True, kw_only=True)
class WriteRule:
    """A condition: see `backend.promotions.rules`."""

    attribute: str
    operator: Operator
    values: str | Sequence[str]
    description: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangeRules:
    """Rules to add to a promotion, rules to change (by the rule's id), and the ids of rules to delete."""

    create: Sequence[WriteRule] = ()
    update: Sequence[tuple[str, Mapping[str, Any]]] = ()
    delete: Sequence[str] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class WriteBudget:
    """The limit of a campaign: uses, whole pesos, or uses per customer."""

    type: BudgetType | None = None
    limit: int | None = UNCHANGED
    attribute: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangeCampaign:
    """A change of a campaign."""

    name: str | None = None
    campaign_identifier: str | None = None
    description: str | None = UNCHANGED
    starts_at: datetime | None = UNCHANGED
    ends_at: datetime | None = UNCHANGED
    budget: WriteBudget | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CreateCampaign:
    """A new campaign."""

    name: str
    campaign_identifier: str
    description: str | None = None
    starts_at: datetime | None = None
    ends_at: datetime | None = None
    budget: WriteBudget | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangeMethod:
    """A change of a promotion's discount and its targets. `value` is whole pesos, or whole percent.

    Only a buyget promotion has `buy_quantity` and `apply_quantity`.
    """

    type: MethodType | None = None
    target_type: TargetType | None = None
    allocation: Allocation | None = None
    value: int | None = None
    max_quantity: int | None = UNCHANGED
    buy_quantity: int | None = UNCHANGED
    apply_quantity: int | None = UNCHANGED
    description: str | None = UNCHANGED


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangePromotion:
    """A change of a promotion."""

    code: str | None = None
    type: PromotionType | None = None
    combination: Combination | None = None
    is_automatic: bool | None = None
    status: PromotionStatus | None = None
    limit: int | None = UNCHANGED
    campaign_id: str | None = UNCHANGED
    metadata: JsonObject | None = UNCHANGED
    method: ChangeMethod | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CreatePromotion:
    """A new promotion, with an existing campaign, with a new one, or with none.

    `value` is whole pesos, or whole percent. Only a buyget promotion has `buy_quantity`, `apply_quantity` and
    `buy_rules`.
    """

    code: str
    method_type: MethodType
    target_type: TargetType
    value: int
    type: PromotionType = PromotionType.STANDARD
    combination: Combination = Combination.ALL
    is_automatic: bool = False
    status: PromotionStatus = PromotionStatus.DRAFT
    limit: int | None = None
    campaign_id: str | None = None
    campaign: CreateCampaign | None = None
    allocation: Allocation = Allocation.ACROSS
    max_quantity: int | None = None
    buy_quantity: int | None = None
    apply_quantity: int | None = None
    description: str | None = None
    rules: Sequence[WriteRule] = ()
    target_rules: Sequence[WriteRule] = ()
    buy_rules: Sequence[WriteRule] = ()
    metadata: JsonObject | None = None
