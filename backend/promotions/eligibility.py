"""Decide which promotions apply to a cart now, and why the others do not."""

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from enum import StrEnum
from typing import Any

from sqlalchemy import (
    ColumnElement,
    ColumnExpressionArgument,
    String,
    and_,
    bindparam,
    case,
    exists,
    func,
    literal,
    or_,
    select,
    union,
)
from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.orm import aliased

from backend.catalog.models import Category, Product, ProductCategory
from backend.core.db.database import db_now
from backend.core.money import Cop
from backend.core.web.contact import tidy_email
from backend.customers.models import CustomerGroupMember
from backend.pricing import Adjustment, PricedLine
from backend.promotions.buyget import choose_units
from backend.promotions.discount_calculation import apply_offers
from backend.promotions.kinds import BudgetType, PromotionStatus, PromotionType, TargetType
from backend.promotions.models import Campaign, CartPromotion, Promotion, PromotionUse
from backend.promotions.offers import Budget, BuyGet, Offer, TargetLine, filter_eligible_lines
from backend.promotions.rules import (
    CATEGORY,
    CUSTOMER_GROUPS,
    ITEM_TOTAL,
    PRODUCT,
    are_met,
    compute_missing_amount,
    parse_rules,
)


@dataclass(frozen=True, slots=True)
class PromotionContext:
    """The cart for which promotions are evaluated, and its customer."""

    cart_id: str
    customer_id: str | None
    email: str | None
    region_id: str
    sales_channel_id: str
    country: str | None

    @property
    def customer_hash(self) -> str:
        """Return the hash of the e-mail address. See `hash_customer_email`."""
        return hash_customer_email(self.email)


@dataclass(frozen=True, slots=True)
class BoughtLine:
    """A line of the cart, with its price and its product."""

    priced: PricedLine
    product: Product
    variant_id: str


def hash_customer_email(email: str | None) -> str:
    """Return the hash of the e-mail address by which a customer's uses are counted; empty without an address."""
    return hashlib.sha256(tidy_email(email).encode()).hexdigest() if email else ""


class Obstacle(StrEnum):
    """Reason why a promotion gives no discount for a cart."""

    OFF = "off"
    """It is a draft, or was ended."""
    NOT_YET = "not_yet"
    ENDED = "ended"
    USED_UP = "used_up"
    USED_BEFORE = "used_before"
    """This customer has used it as often as allowed."""
    BELOW_MINIMUM = "below_minimum"
    NOT_FOR_YOU = "not_for_you"
    NO_ITEMS = "no_items"
    """The cart contains none of its target products."""
    TOO_FEW_UNITS = "too_few_units"
    """The cart contains fewer units than a buyget promotion needs."""
    NOT_COMBINED = "not_combined"
    """It cannot be combined with promotions that save more."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A promotion that may apply to a cart, with its current use.

    Attributes:
        typed_at: when its code was typed into the cart; None for an automatic promotion.
        is_held: True if a use of the promotion is reserved for the cart. While it is reserved, the promotion
            applies even if it has ended.
        uses: the number of counted uses of the promotion; 0 if it has no limit.
        campaign_used: the use of all promotions of its campaign, by any cart: uses, pesos, or uses by this
            customer, depending on the type of the campaign's budget.
    """

    promotion: Promotion
    campaign: Campaign | None
    typed_at: datetime | None
    is_held: bool
    uses: int
    campaign_used: int
    moment: datetime

    @property
    def budget(self) -> Budget | None:
        """Return what remains of the campaign's budget; None if there is no limit, or the cart has a use reserved."""
        campaign = self.campaign
        if self.is_held or campaign is None or campaign.budget_limit is None:
            return None
        remaining = campaign.budget_limit - self.campaign_used
        return Budget(campaign.id, remaining, campaign.budget_type == BudgetType.SPEND)

    @property
    def budget_obstacle(self) -> Obstacle:
        """Return the obstacle to report if too little of the campaign's budget remains."""
        is_own = self.campaign is not None and self.campaign.budget_type == BudgetType.BY_CUSTOMER
        return Obstacle.USED_BEFORE if is_own else Obstacle.USED_UP

    def find_exhaustion(self) -> Obstacle | None:
        """Return the obstacle if no use of the promotion, or no budget of its campaign, remains; otherwise None."""
        if self.promotion.use_limit is not None and self.uses >= self.promotion.use_limit:
            return Obstacle.USED_UP
        return self.budget_obstacle if self.budget is not None and self.budget.remaining <= 0 else None

    def find_obstacle(self) -> Obstacle | None:
        """Return why the customer cannot use the promotion now, regardless of the cart's contents; None if they can."""
        promotion, campaign = self.promotion, self.campaign
        if self.is_held:
            return None
        if promotion.status != PromotionStatus.ACTIVE or promotion.deleted_at is not None:
            return Obstacle.OFF
        if campaign is not None and campaign.starts_at is not None and self.moment < campaign.starts_at:
            return Obstacle.NOT_YET
        if campaign is not None and campaign.ends_at is not None and self.moment >= campaign.ends_at:
            return Obstacle.ENDED
        return self.find_exhaustion()

    @property
    def offer(self) -> Offer:
        """Return the promotion as an offer."""
        promotion = self.promotion
        return Offer(
            promotion.id,
            promotion.code,
            promotion.method_type,
            promotion.target_type,
            promotion.allocation,
            promotion.value,
            promotion.max_quantity,
            promotion.description or "",
            parse_rules(promotion.target_rules),
            self.budget,
            self.buyget,
            promotion.combination,
            promotion.is_automatic,
        )

    @property
    def buyget(self) -> BuyGet | None:
        """Return the quantities and buy rules of a buyget promotion; None for another one."""
        promotion = self.promotion
        if promotion.type != PromotionType.BUYGET:
            return None
        return BuyGet(
            promotion.buy_quantity or 1, promotion.apply_quantity or 1, parse_rules(promotion.buy_rules)
        )


_CART, _CUSTOMER, _BUYER = (bindparam(name, type_=String) for name in ("cart_id", "customer_id", "buyer"))
_used, _sibling = aliased(PromotionUse), aliased(Promotion)
_OWN = or_(_used.holder == _CART, _used.buyer == _BUYER, _used.customer_id == _CUSTOMER)
"""Condition: a use by this cart, e-mail address or customer. A missing address or customer (NULL) matches no use."""


def _campaign_use_query(column: Any, *conditions: ColumnElement[bool]) -> Any:
    """Return a subquery that selects `column` from the counted uses of all promotions of a campaign."""
    used = select(column).join(_sibling, _sibling.id == _used.promotion_id)
    used = used.where(_sibling.campaign_id == Campaign.id, _used.is_counted, *conditions)
    return used.correlate(Campaign).scalar_subquery()


_USES = select(func.count()).select_from(_used).where(_used.promotion_id == Promotion.id, _used.is_counted)
_COLUMNS = (
    Promotion,
    Campaign,
    CartPromotion.created_at,
    PromotionUse.id.is_not(None),
    # counted only if there is a limit: a promotion without one may have very many uses
    case((Promotion.use_limit.is_not(None), _USES.correlate(Promotion).scalar_subquery()), else_=0),
    case(
        (Campaign.budget_type == BudgetType.USAGE, _campaign_use_query(func.count(_used.id))),
        (
            Campaign.budget_type == BudgetType.SPEND,
            _campaign_use_query(func.coalesce(func.sum(_used.amount), 0)),
        ),
        (Campaign.budget_type == BudgetType.BY_CUSTOMER, _campaign_use_query(func.count(_used.id), _OWN)),
        else_=0,
    ),
    db_now(),
)
_CANDIDATES = (
    select(*_COLUMNS)
    .outerjoin(Campaign, Campaign.id == Promotion.campaign_id)
    .outerjoin(
        CartPromotion, and_(CartPromotion.promotion_id == Promotion.id, CartPromotion.cart_id == _CART)
    )
    .outerjoin(PromotionUse, and_(PromotionUse.promotion_id == Promotion.id, PromotionUse.holder == _CART))
    # automatic promotions first, then codes in the order in which they were typed
    .order_by(Promotion.is_automatic.desc(), CartPromotion.created_at, Promotion.created_at, Promotion.id)
)
_AUTOMATIC = (
    select(_sibling.id)
    .outerjoin(Campaign, Campaign.id == _sibling.campaign_id)
    .where(
        _sibling.is_automatic,
        _sibling.status == literal("active", literal_execute=True),
        _sibling.deleted_at.is_(None),
        or_(Campaign.ends_at.is_(None), Campaign.ends_at > db_now()),
    )
)
_TYPED = select(CartPromotion.promotion_id).where(CartPromotion.cart_id == _CART)
_HELD = select(PromotionUse.promotion_id).where(PromotionUse.holder == _CART)
_OF_CART = _CANDIDATES.where(Promotion.id.in_(union(_AUTOMATIC, _TYPED, _HELD)))
_NAMED = _CANDIDATES.where(Promotion.id.in_(bindparam("promotion_ids", expanding=True)))


def has_candidates(cart_id: ColumnExpressionArgument[str]) -> ColumnElement[bool]:
    """Return an SQL condition: true if the cart may have candidates, or has a promotion use reserved.

    If it is false, `list_candidates` finds none.
    """
    # aliases that no statement of a cart contains, so that only the cart's id is correlated
    typed, held = aliased(CartPromotion), aliased(PromotionUse)
    return or_(
        _AUTOMATIC.exists(),
        exists().where(typed.cart_id == cart_id),
        exists().where(held.holder == cart_id),
    )


async def list_candidates(session: AsyncSession, context: PromotionContext) -> list[Candidate]:
    """Return the promotions that may apply to the cart: automatic ones, then codes in the order of typing."""
    rows = await session.execute(_OF_CART, _query_params(context))
    return [Candidate(*row) for row in rows]


async def list_named_candidates(
    session: AsyncSession, context: PromotionContext, promotion_ids: Sequence[str]
) -> list[Candidate]:
    """Return the promotions with these ids as candidates, even if they cannot apply to the cart."""
    rows = await session.execute(_NAMED, {**_query_params(context), "promotion_ids": list(promotion_ids)})
    return [Candidate(*row) for row in rows]


def _query_params(context: PromotionContext) -> dict[str, Any]:
    return {
        "cart_id": context.cart_id,
        "customer_id": context.customer_id,
        "buyer": context.customer_hash or None,
    }


@dataclass(frozen=True, slots=True)
class CandidateResult:
    """A candidate, and the reason why it gives no discount for the cart.

    Attributes:
        obstacle: the reason; None if it applies.
        missing: for `BELOW_MINIMUM`, the value in pesos of products that must be added to reach the minimum.
    """

    candidate: Candidate
    obstacle: Obstacle | None
    missing: Cop = 0


@dataclass(frozen=True, slots=True)
class Discounts:
    """The discounts of a cart, and every promotion that was evaluated.

    `lines` and `facts` are the lines and values of the cart with which the rules of the promotions were compared.
    """

    adjustments: Sequence[Adjustment] = ()
    results: Sequence[CandidateResult] = ()
    lines: Sequence[TargetLine] = ()
    facts: Mapping[str, Any] = field(default_factory=dict)


NO_DISCOUNTS = Discounts()


@dataclass(frozen=True, slots=True)
class EvaluatedPromotions:
    """The evaluated promotions of a cart, before the price of its shipping is known.

    `lines` and `facts` are the lines and values of the cart with which the rules were compared.
    """

    results: Sequence[CandidateResult] = ()
    lines: Sequence[TargetLine] = ()
    facts: Mapping[str, Any] = field(default_factory=dict)

    def apply(self, shipping: Cop | None) -> Discounts:
        """Return the discounts at this price of the shipping (None: no option is chosen yet)."""
        if not self.results:
            return NO_DISCOUNTS
        offers = [result.candidate.offer for result in self.results if result.obstacle is None]
        applied = apply_offers(offers, self.lines, shipping)
        obstacles = dict.fromkeys(applied.excluded, Obstacle.NOT_COMBINED)
        obstacles |= {
            result.candidate.promotion.id: result.candidate.budget_obstacle
            for result in self.results
            if result.candidate.promotion.id in applied.refused
        }
        return Discounts(
            applied.adjustments,
            [
                replace(result, obstacle=obstacles.get(result.candidate.promotion.id, result.obstacle))
                for result in self.results
            ],
            self.lines,
            self.facts,
        )


async def evaluate_cart_promotions(
    session: AsyncSession, context: PromotionContext, lines: Sequence[BoughtLine]
) -> EvaluatedPromotions:
    """Evaluate the promotions that may apply to the cart."""
    candidates = await list_candidates(session, context)
    return await evaluate_candidates(session, candidates, context, lines)


async def evaluate_candidates(
    session: AsyncSession,
    candidates: Sequence[Candidate],
    context: PromotionContext,
    lines: Sequence[BoughtLine],
) -> EvaluatedPromotions:
    """Evaluate these candidates for the cart."""
    if not candidates:
        return EvaluatedPromotions()
    target_lines = await _to_target_lines(session, candidates, lines)
    facts = await _read_cart_facts(session, candidates, context, lines)
    results = [_evaluate_candidate(candidate, facts, target_lines) for candidate in candidates]
    return EvaluatedPromotions(results, target_lines, facts)


def _evaluate_candidate(
    candidate: Candidate, facts: Mapping[str, Any], lines: Sequence[TargetLine]
) -> CandidateResult:
    if closed := candidate.find_obstacle():
        return CandidateResult(candidate, closed)
    rules = parse_rules(candidate.promotion.rules)
    if missing := compute_missing_amount(rules, facts[ITEM_TOTAL]):
        return CandidateResult(candidate, Obstacle.BELOW_MINIMUM, missing)
    if not are_met(rules, facts):
        return CandidateResult(candidate, Obstacle.NOT_FOR_YOU)
    offer = candidate.offer
    if offer.target_type != TargetType.SHIPPING and not filter_eligible_lines(offer, lines):
        return CandidateResult(candidate, Obstacle.NO_ITEMS)
    if offer.buyget and not choose_units(offer, offer.buyget, lines).discounted:
        return CandidateResult(candidate, Obstacle.TOO_FEW_UNITS)
    return CandidateResult(candidate, None)


async def _read_cart_facts(
    session: AsyncSession,
    candidates: Sequence[Candidate],
    context: PromotionContext,
    lines: Sequence[BoughtLine],
) -> dict[str, Any]:
    groups: Iterable[str] = ()
    if context.customer_id is not None and _uses_attribute(candidates, CUSTOMER_GROUPS):
        member = select(CustomerGroupMember.group_id).where(
            CustomerGroupMember.customer_id == context.customer_id
        )
        groups = (await session.execute(member)).scalars()
    return {
        CUSTOMER_GROUPS: frozenset(groups),
        "region.id": frozenset({context.region_id}),
        "shipping_address.country_code": frozenset(filter(None, (context.country,))),
        "sales_channel_id": frozenset({context.sales_channel_id}),
        "currency_code": frozenset({"cop"}),
        ITEM_TOTAL: sum(line.priced.amount for line in lines),
    }


async def _to_target_lines(
    session: AsyncSession, candidates: Sequence[Candidate], lines: Sequence[BoughtLine]
) -> list[TargetLine]:
    categories: Mapping[str, frozenset[str]] = {}
    if lines and _uses_attribute(candidates, CATEGORY):
        categories = await _read_categories(session, {line.product.id for line in lines})
    return [
        TargetLine(
            line.priced,
            {
                PRODUCT: frozenset({line.product.id}),
                CATEGORY: categories.get(line.product.id, frozenset()),
                "items.product.collection_id": frozenset(filter(None, (line.product.collection_id,))),
                "items.variant.id": frozenset({line.variant_id}),
            },
        )
        for line in lines
    ]


def _uses_attribute(candidates: Iterable[Candidate], attribute: str) -> bool:
    """Return True if any of the candidates has a rule with this attribute."""
    return any(
        rule["attribute"] == attribute
        for one in candidates
        for rule in (*one.promotion.rules, *one.promotion.target_rules, *one.promotion.buy_rules)
    )


async def _read_categories(session: AsyncSession, product_ids: set[str]) -> dict[str, frozenset[str]]:
    """Return the ids of each product's categories and of all their parents, by product id."""
    above = dict((await session.execute(select(Category.id, Category.parent_id))).all())
    found: dict[str, set[str]] = {}
    placed = select(ProductCategory).where(ProductCategory.product_id.in_(product_ids))
    for row in (await session.execute(placed)).scalars():
        category: str | None = row.category_id
        while category is not None and category not in found.setdefault(row.product_id, set()):
            found[row.product_id].add(category)
            category = above.get(category)
    return {product_id: frozenset(ids) for product_id, ids in found.items()}
