"""Create, change, end and delete promotions."""

from collections.abc import Iterable, Mapping
from dataclasses import asdict
from typing import Any

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.audit import Subject, SubjectType, record
from backend.catalog.models import Category, Collection, Product, Variant
from backend.core.commands import UNCHANGED
from backend.core.db.database import database_now, lock_rows, raise_on_conflict
from backend.core.db.tables import JsonObject, get_or_404
from backend.core.errors import InvalidData, require_found
from backend.promotions.campaigns import create_campaign, find_campaign
from backend.promotions.commands import ChangeMethod, ChangePromotion, ChangeRules, CreatePromotion, WriteRule
from backend.promotions.kinds import Allocation, MethodType, PromotionType, TargetType
from backend.promotions.models import Promotion
from backend.promotions.rules import CATEGORY, MAX_RULES, PRODUCT, to_stored_rule
from backend.staff.rights import Actor, Right

RULE_TYPES = ("rules", "target-rules", "buy-rules")
TAKEN = "Promotion with code: {code}, already exists."
TWO_CAMPAIGNS = (
    "Provide either the `campaign` or `campaign_id` parameter; both cannot be used simultaneously."
)
TOO_MUCH = "A percentage is at most 100"
WITHOUT_RULES = "`target_rules` are for target_type `items` only"
NEEDS_QUANTITY = "application_method.max_quantity is required when application_method.allocation is 'once'"
NEEDS_QUANTITIES = "{field} is a required field for Promotion type of buyget"
NEEDS_RULES = "{kind} rules are required for buyget promotion type"
ITEMS_ONLY = "A buyget promotion has the target_type `items`"
BUYGET_ONLY = "`buy_rules` are for promotions of the type buyget only"
_TARGET_COLUMNS: Mapping[str, Any] = {
    PRODUCT: Product.id,
    CATEGORY: Category.id,
    "items.product.collection_id": Collection.id,
    "items.variant.id": Variant.id,
}


class CodeTaken(InvalidData):
    """Another promotion has this code."""


def list_rules_by_type(promotion: Promotion) -> Mapping[str, list[JsonObject]]:
    """Return the stored rules of the promotion for each of `RULE_TYPES`."""
    return {
        "rules": promotion.rules,
        "target-rules": promotion.target_rules,
        "buy-rules": promotion.buy_rules,
    }


def normalize_code(code: str) -> str:
    """Normalize the code for comparison: lower case, no spaces."""
    return "".join(code.split()).casefold()


async def find_promotion(session: AsyncSession, promotion_id: str) -> Promotion:
    """Lock and return the promotion.

    Raises:
        NotFound: there is no such promotion.
    """
    query = lock_rows(select(Promotion).where(Promotion.id == promotion_id, Promotion.deleted_at.is_(None)))
    return await get_or_404(session, query, "Promotion", promotion_id)


async def create_promotion(session: AsyncSession, actor: Actor, new: CreatePromotion) -> Promotion:
    """Create a promotion. If the command contains a new campaign, create the campaign too.

    Raises:
        NotFound: there is no such campaign.
        InvalidData: another promotion has this code, the shop cannot check a rule, or the values contradict each
            other.
    """
    actor.require(Right.CHANGE_PROMOTIONS)
    if new.campaign is not None and new.campaign_id:
        raise InvalidData(TWO_CAMPAIGNS)
    promotion = Promotion(
        code=new.code.strip(),
        code_key=normalize_code(new.code),
        type=new.type,
        combination=new.combination,
        is_automatic=new.is_automatic,
        status=new.status,
        use_limit=new.limit,
        method_type=new.method_type,
        target_type=new.target_type,
        allocation=new.allocation,
        value=new.value,
        max_quantity=new.max_quantity,
        buy_quantity=new.buy_quantity,
        apply_quantity=new.apply_quantity,
        description=new.description,
        rules=[_to_stored(rule) for rule in new.rules],
        target_rules=[_to_stored(rule, is_target=True) for rule in new.target_rules],
        buy_rules=[_to_stored(rule, is_target=True) for rule in new.buy_rules],
        meta=new.metadata or {},
    )
    _require_buyget_rules(promotion)
    _require_consistent(promotion)
    await _require_targets(session, [*promotion.target_rules, *promotion.buy_rules])
    if new.campaign is not None:
        promotion.campaign_id = (await create_campaign(session, actor, new.campaign)).id
    elif new.campaign_id:
        promotion.campaign_id = (await find_campaign(session, new.campaign_id)).id
    await record(session, actor, "created", Subject(SubjectType.PROMOTION, promotion.id))
    async with raise_on_conflict(session, CodeTaken(TAKEN.format(code=promotion.code))):
        session.add(promotion)
    return promotion


async def change_promotion(
    session: AsyncSession, actor: Actor, promotion_id: str, change: ChangePromotion
) -> Promotion:
    """Change the values of a promotion that the command contains. A payment that has already started keeps its price.

    Raises:
        NotFound: there is no such promotion or campaign.
        InvalidData: see `create_promotion`.
    """
    actor.require(Right.CHANGE_PROMOTIONS)
    promotion = await find_promotion(session, promotion_id)
    await record(session, actor, "changed", Subject(SubjectType.PROMOTION, promotion_id))
    if change.campaign_id is not UNCHANGED:
        campaign = await find_campaign(session, change.campaign_id) if change.campaign_id else None
        promotion.campaign_id = campaign.id if campaign else None
    if change.limit is not UNCHANGED:
        promotion.use_limit = change.limit
    if change.metadata is not UNCHANGED:
        promotion.meta = change.metadata or {}
    promotion.is_automatic = promotion.is_automatic if change.is_automatic is None else change.is_automatic
    promotion.status = change.status or promotion.status
    promotion.type = change.type or promotion.type
    promotion.combination = change.combination or promotion.combination
    if promotion.type == PromotionType.STANDARD:
        promotion.buy_quantity, promotion.apply_quantity, promotion.buy_rules = None, None, []
    if change.method is not None:
        _change_method(promotion, change.method)
    _require_consistent(promotion)
    async with raise_on_conflict(session, CodeTaken(TAKEN.format(code=change.code))):
        if change.code is not None:
            promotion.code, promotion.code_key = change.code.strip(), normalize_code(change.code)
            _require_code(promotion)
    return promotion


async def delete_promotion(session: AsyncSession, actor: Actor, promotion_id: str) -> None:
    """Delete the promotion. Orders and started payments keep their price; a new promotion may use the same code.

    Raises:
        NotFound: there is no such promotion.
    """
    actor.require(Right.CHANGE_PROMOTIONS)
    promotion = await find_promotion(session, promotion_id)
    await record(session, actor, "deleted", Subject(SubjectType.PROMOTION, promotion_id))
    promotion.deleted_at = await database_now(session)
    await session.flush()


async def change_rules(
    session: AsyncSession, actor: Actor, promotion_id: str, rule_type: str, change: ChangeRules
) -> tuple[list[JsonObject], list[JsonObject], list[str]]:
    """Add, change and delete rules of a promotion. `rule_type` is `rules`, `target-rules` or `buy-rules`.

    Returns:
        The added rules, the changed rules, and the ids of the deleted rules.

    Raises:
        NotFound: there is no such promotion, or it has no such rule.
        InvalidData: the shop cannot check a rule, there are too many rules, or the rule type does not exist.
    """
    actor.require(Right.CHANGE_PROMOTIONS)
    if rule_type not in RULE_TYPES:
        raise InvalidData(f"Invalid param rule_type ({rule_type})")
    is_target = rule_type != "rules"
    promotion = await find_promotion(session, promotion_id)
    await record(session, actor, "changed", Subject(SubjectType.PROMOTION, promotion_id))
    rules = {rule["id"]: rule for rule in list_rules_by_type(promotion)[rule_type]}
    deleted_ids = [rule_id for rule_id in change.delete if rules.pop(rule_id, None)]
    changed = []
    for rule_id, values in change.update:
        stored = require_found(rules.get(rule_id), "Promotion rule", rule_id)
        rules[rule_id] = _build_rule({**stored, **values}, is_target=is_target, rule_id=rule_id)
        changed.append(rules[rule_id])
    added = [_to_stored(rule, is_target=is_target) for rule in change.create]
    all_rules = [*rules.values(), *added]
    if len(all_rules) > MAX_RULES:
        raise InvalidData(f"A promotion has at most {MAX_RULES} rules of a kind")
    if is_target:
        await _require_targets(session, [*changed, *added])
    setattr(promotion, rule_type.replace("-", "_"), all_rules)
    _require_target_type(promotion)
    await session.flush()
    return added, changed, deleted_ids


def _change_method(promotion: Promotion, change: ChangeMethod) -> None:
    promotion.method_type = change.type or promotion.method_type
    promotion.target_type = change.target_type or promotion.target_type
    promotion.allocation = change.allocation or promotion.allocation
    promotion.value = change.value or promotion.value
    is_buyget = promotion.type == PromotionType.BUYGET
    for name in ("max_quantity", "description", *(("buy_quantity", "apply_quantity") if is_buyget else ())):
        if (value := getattr(change, name)) is not UNCHANGED:
            setattr(promotion, name, value)


def _require_consistent(promotion: Promotion) -> None:
    """Raise InvalidData if the values of the promotion contradict each other."""
    _require_code(promotion)
    if promotion.method_type == MethodType.PERCENTAGE and promotion.value > 100:
        raise InvalidData(TOO_MUCH)
    if promotion.allocation == Allocation.ONCE and promotion.max_quantity is None:
        raise InvalidData(NEEDS_QUANTITY)
    if promotion.type == PromotionType.BUYGET:
        _require_buyget_quantities(promotion)
    _require_target_type(promotion)


def _require_buyget_quantities(promotion: Promotion) -> None:
    if promotion.apply_quantity is None:
        raise InvalidData(NEEDS_QUANTITIES.format(field="apply_to_quantity"))
    if promotion.buy_quantity is None:
        raise InvalidData(NEEDS_QUANTITIES.format(field="buy_rules_min_quantity"))
    if promotion.target_type != TargetType.ITEMS:
        raise InvalidData(ITEMS_ONLY)


def _require_buyget_rules(promotion: Promotion) -> None:
    """Raise InvalidData if a new buyget promotion has no rules. Without rules it would discount every product."""
    if promotion.type == PromotionType.BUYGET:
        if not promotion.buy_rules:
            raise InvalidData(NEEDS_RULES.format(kind="Buy"))
        if not promotion.target_rules:
            raise InvalidData(NEEDS_RULES.format(kind="Target"))


def _require_code(promotion: Promotion) -> None:
    if not promotion.code_key:
        raise InvalidData("A promotion needs a code")


def _require_target_type(promotion: Promotion) -> None:
    if promotion.target_rules and promotion.target_type != TargetType.ITEMS:
        raise InvalidData(WITHOUT_RULES)
    if promotion.buy_rules and promotion.type != PromotionType.BUYGET:
        raise InvalidData(BUYGET_ONLY)


def _to_stored(rule: WriteRule, *, is_target: bool = False) -> JsonObject:
    return _build_rule(asdict(rule), is_target=is_target)


def _build_rule(rule: Mapping[str, Any], *, is_target: bool, rule_id: str | None = None) -> JsonObject:
    return to_stored_rule(
        rule["attribute"],
        rule["operator"],
        rule["values"],
        is_target=is_target,
        description=rule["description"],
        rule_id=rule_id,
    )


async def _require_targets(session: AsyncSession, rules: Iterable[JsonObject]) -> None:
    """Check that the products, categories and collections in target rules exist.

    Raises:
        InvalidData: one of them does not exist.
    """
    for rule in rules:
        column, values = _TARGET_COLUMNS[rule["attribute"]], rule["values"]
        existing = set((await session.execute(select(column).where(column.in_(values)))).scalars())
        if missing := [value for value in values if value not in existing]:
            raise InvalidData(f"There is no {rule['attribute']} {missing[0]}")
