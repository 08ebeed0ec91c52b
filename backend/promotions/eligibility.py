"""Which promotions apply to a cart now, and why the others do not."""

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum
from typing import Any

from sqlalchemy import (
    ColumnElement,
    ColumnExpressionArgument,
    Label,
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
from backend.promotions.discount_calculation import Budget, Offer, OfferedLine, apply_offers, eligible
from backend.promotions.kinds import BudgetType, PromotionStatus, TargetType
from backend.promotions.models import Campaign, CartPromotion, Promotion, PromotionUse
from backend.promotions.rules import CATEGORY, CUSTOMER_GROUPS, ITEM_TOTAL, PRODUCT, hold, rules_of, short_of


@dataclass(frozen=True, slots=True)
class Buying:
    """The cart that promotions are asked for, and whose it is."""

    cart_id: str
    customer_id: str | None
    email: str | None
    region_id: str
    sales_channel_id: str
    country: str | None

    @property
    def buyer(self) -> str:
        """See `buyer_of`."""
        return buyer_of(self.email)


@dataclass(frozen=True, slots=True)
class BoughtLine:
    """A line of it: what it costs, and of which product it is."""

    priced: PricedLine
    product: Product
    variant_id: str


def buyer_of(email: str | None) -> str:
    """What uses by whoever has this address are counted by: a hash, as the address itself is needed nowhere here."""
    return hashlib.sha256(tidy_email(email).encode()).hexdigest() if email else ""


class Obstacle(StrEnum):
    """Why a promotion takes nothing off a cart."""

    OFF = "off"
    """It is a draft, or was ended."""
    NOT_YET = "not_yet"
    ENDED = "ended"
    USED_UP = "used_up"
    USED_BEFORE = "used_before"
    """This customer has used it as often as they may."""
    BELOW_MINIMUM = "below_minimum"
    NOT_FOR_YOU = "not_for_you"
    NO_ITEMS = "no_items"
    """Nothing in the cart is what it is for."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A promotion that may apply to a cart, with what has been used of it.

    Attributes:
        typed_at: when its code was typed into the cart; None for one that applies by itself.
        is_held: the cart has a use of it reserved: until that is given back, it applies whatever has ended since.
        uses: of the promotion, where it has a bound.
        campaign_used: of all promotions of its campaign, by any cart: uses, pesos, or uses by this buyer, as its budget
            counts.
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
        """What is left of its campaign; None where that has no bound, or the cart has its use."""
        campaign = self.campaign
        if self.is_held or campaign is None or campaign.budget_limit is None:
            return None
        left = campaign.budget_limit - self.campaign_used
        return Budget(campaign.id, left, campaign.budget_type == BudgetType.SPEND)

    @property
    def out_of_budget(self) -> Obstacle:
        """What it means that too little is left of its campaign."""
        is_own = self.campaign is not None and self.campaign.budget_type == BudgetType.BY_CUSTOMER
        return Obstacle.USED_BEFORE if is_own else Obstacle.USED_UP

    def exhausted(self) -> Obstacle | None:
        """Whether all of its uses are taken, or all that its campaign has."""
        if self.promotion.use_limit is not None and self.uses >= self.promotion.use_limit:
            return Obstacle.USED_UP
        return self.out_of_budget if self.budget is not None and self.budget.left <= 0 else None

    def closed(self) -> Obstacle | None:
        """Why nobody, or not this customer, can use it at this moment."""
        promotion, campaign = self.promotion, self.campaign
        if self.is_held:
            return None
        if promotion.status != PromotionStatus.ACTIVE or promotion.deleted_at is not None:
            return Obstacle.OFF
        if campaign is not None and campaign.starts_at is not None and self.moment < campaign.starts_at:
            return Obstacle.NOT_YET
        if campaign is not None and campaign.ends_at is not None and self.moment >= campaign.ends_at:
            return Obstacle.ENDED
        return self.exhausted()

    @property
    def offer(self) -> Offer:
        """What it takes off."""
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
            rules_of(promotion.target_rules),
            self.budget,
        )


_CART, _CUSTOMER, _BUYER = (bindparam(name, type_=String) for name in ("cart_id", "customer_id", "buyer"))
_used, _sibling = aliased(PromotionUse), aliased(Promotion)
_OWN = or_(_used.holder == _CART, _used.buyer == _BUYER, _used.customer_id == _CUSTOMER)
"""Without an address, or without a customer, only the cart's are theirs: NULL equals nothing."""


def _of_campaign(what: Any, *conditions: ColumnElement[bool]) -> Any:
    """What has been used of the campaign."""
    used = select(what).join(_sibling, _sibling.id == _used.promotion_id)
    used = used.where(_sibling.campaign_id == Campaign.id, _used.is_counted, *conditions)
    return used.correlate(Campaign).scalar_subquery()


_USES = select(func.count()).select_from(_used).where(_used.promotion_id == Promotion.id, _used.is_counted)
_COLUMNS = (
    Promotion,
    Campaign,
    CartPromotion.created_at,
    PromotionUse.id.is_not(None),
    # counted only where there is a bound: a promotion without one may have been used very often
    case((Promotion.use_limit.is_not(None), _USES.correlate(Promotion).scalar_subquery()), else_=0),
    case(
        (Campaign.budget_type == BudgetType.USAGE, _of_campaign(func.count(_used.id))),
        (Campaign.budget_type == BudgetType.SPEND, _of_campaign(func.coalesce(func.sum(_used.amount), 0))),
        (Campaign.budget_type == BudgetType.BY_CUSTOMER, _of_campaign(func.count(_used.id), _OWN)),
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
    # those that apply by themselves come first, then codes as they were typed
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


def has_candidates(cart_id: ColumnExpressionArgument[str]) -> Label[bool]:
    """Whether `candidates_of` may find any for this cart: `has_candidates` of the rows of the statement that reads it.

    Where it is false, the cart has no use reserved either.
    """
    # a table that no statement of a cart has, so that nothing is correlated but the cart's id
    typed, held = aliased(CartPromotion), aliased(PromotionUse)
    return or_(
        _AUTOMATIC.exists(),
        exists().where(typed.cart_id == cart_id),
        exists().where(held.holder == cart_id),
    ).label("has_candidates")


async def candidates_of(session: AsyncSession, buying: Buying) -> list[Candidate]:
    """The promotions that may apply to the cart, in the order in which they would."""
    rows = await session.execute(_OF_CART, _asked(buying))
    return [Candidate(*row) for row in rows]


async def named_candidates(
    session: AsyncSession, buying: Buying, promotion_ids: Sequence[str]
) -> list[Candidate]:
    """These promotions, whether they may apply to the cart or not."""
    rows = await session.execute(_NAMED, {**_asked(buying), "promotion_ids": list(promotion_ids)})
    return [Candidate(*row) for row in rows]


def _asked(buying: Buying) -> dict[str, Any]:
    return {"cart_id": buying.cart_id, "customer_id": buying.customer_id, "buyer": buying.buyer or None}


@dataclass(frozen=True, slots=True)
class Judged:
    """A candidate, and why it takes nothing off the cart.

    Attributes:
        obstacle: None where nothing is in its way.
        missing: for `BELOW_MINIMUM` the pesos of toys that are missing.
    """

    candidate: Candidate
    obstacle: Obstacle | None
    missing: Cop = 0


@dataclass(frozen=True, slots=True)
class Discounts:
    """What is taken off a cart, and every promotion that was thought of."""

    adjustments: Sequence[Adjustment] = ()
    judged: Sequence[Judged] = ()


NO_DISCOUNTS = Discounts()


async def discounts_of(
    session: AsyncSession, buying: Buying, lines: Sequence[BoughtLine], shipping: Cop | None
) -> Discounts:
    """What promotions take off the cart with these lines and this shipping (None: not chosen yet)."""
    candidates = await candidates_of(session, buying)
    if not candidates:
        return NO_DISCOUNTS
    return await discounts_by(session, candidates, buying, lines, shipping)


async def discounts_by(
    session: AsyncSession,
    candidates: Sequence[Candidate],
    buying: Buying,
    lines: Sequence[BoughtLine],
    shipping: Cop | None,
) -> Discounts:
    """The same for candidates that are known."""
    offered = await _offered(session, candidates, lines)
    facts = await _cart_facts(session, candidates, buying, lines)
    judged = [_judge(candidate, facts, offered) for candidate in candidates]
    applied = apply_offers([one.candidate.offer for one in judged if one.obstacle is None], offered, shipping)
    return Discounts(
        applied.adjustments,
        [
            replace(one, obstacle=one.candidate.out_of_budget)
            if one.candidate.promotion.id in applied.refused
            else one
            for one in judged
        ],
    )


def _judge(candidate: Candidate, facts: Mapping[str, Any], lines: Sequence[OfferedLine]) -> Judged:
    if closed := candidate.closed():
        return Judged(candidate, closed)
    rules = rules_of(candidate.promotion.rules)
    if missing := short_of(rules, facts[ITEM_TOTAL]):
        return Judged(candidate, Obstacle.BELOW_MINIMUM, missing)
    if not hold(rules, facts):
        return Judged(candidate, Obstacle.NOT_FOR_YOU)
    offer = candidate.offer
    if offer.target_type != TargetType.SHIPPING and not eligible(offer, lines):
        return Judged(candidate, Obstacle.NO_ITEMS)
    return Judged(candidate, None)


async def _cart_facts(
    session: AsyncSession, candidates: Sequence[Candidate], buying: Buying, lines: Sequence[BoughtLine]
) -> dict[str, Any]:
    groups: Iterable[str] = ()
    if buying.customer_id is not None and _compare(candidates, CUSTOMER_GROUPS):
        member = select(CustomerGroupMember.group_id).where(
            CustomerGroupMember.customer_id == buying.customer_id
        )
        groups = (await session.execute(member)).scalars()
    return {
        CUSTOMER_GROUPS: frozenset(groups),
        "region.id": frozenset({buying.region_id}),
        "shipping_address.country_code": frozenset(filter(None, (buying.country,))),
        "sales_channel_id": frozenset({buying.sales_channel_id}),
        "currency_code": frozenset({"cop"}),
        ITEM_TOTAL: sum(line.priced.amount for line in lines),
    }


async def _offered(
    session: AsyncSession, candidates: Sequence[Candidate], lines: Sequence[BoughtLine]
) -> list[OfferedLine]:
    categories: Mapping[str, frozenset[str]] = {}
    if lines and _compare(candidates, CATEGORY):
        categories = await _categories_of(session, {line.product.id for line in lines})
    return [
        OfferedLine(
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


def _compare(candidates: Iterable[Candidate], attribute: str) -> bool:
    """Whether any of them has a rule with this attribute."""
    return any(
        rule["attribute"] == attribute
        for one in candidates
        for rule in (*one.promotion.rules, *one.promotion.target_rules)
    )


async def _categories_of(session: AsyncSession, product_ids: set[str]) -> dict[str, frozenset[str]]:
    """The categories that each product stands in, and all above them."""
    above = dict((await session.execute(select(Category.id, Category.parent_id))).all())
    found: dict[str, set[str]] = {}
    placed = select(ProductCategory).where(ProductCategory.product_id.in_(product_ids))
    for row in (await session.execute(placed)).scalars():
        category: str | None = row.category_id
        while category is not None and category not in found.setdefault(row.product_id, set()):
            found[row.product_id].add(category)
            category = above.get(category)
    return {product_id: frozenset(ids) for product_id, ids in found.items()}
