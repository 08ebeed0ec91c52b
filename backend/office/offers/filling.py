"""Fill the offer form from a promotion.

A promotion with rules that the form does not have was created through the API: the office shows it and can end it,
but only the API can change it.
"""

from datetime import datetime, timedelta

from sqlalchemy.ext.asyncio import AsyncSession

from backend.core.dates import TIME_ZONE, day_begin
from backend.core.db.tables import JsonObject
from backend.edge.schemas import MAX_UNITS
from backend.office.offers.form import (
    BUYGET,
    CATEGORIES,
    DEALS,
    ORDER,
    PRODUCTS,
    SHIPPING,
    OfferForm,
    list_existing_products,
)
from backend.promotions.kinds import Allocation, BudgetType, MethodType, PromotionType, TargetType
from backend.promotions.models import Campaign, Promotion
from backend.promotions.rules import CATEGORY, ITEM_TOTAL, PRODUCT, Operator


async def form_of(session: AsyncSession, promotion: Promotion, campaign: Campaign | None) -> OfferForm | None:
    """Return the form filled from a promotion; None if the promotion has rules that the form does not have."""
    if not _fits_form(promotion, campaign):
        return None
    target, product_ids, categories = await _read_target(session, promotion)
    is_buyget = promotion.type == PromotionType.BUYGET
    has_gifts = is_buyget and not _has_same_rules(promotion)
    gifts = await _read_ids(session, promotion.target_rules[0]) if has_gifts else ""
    return OfferForm(
        code=promotion.code,
        way="automatic" if promotion.is_automatic else "code",
        method=_find_deal(promotion) if is_buyget else promotion.method_type,
        value=str(promotion.value),
        buy=str(promotion.buy_quantity or ""),
        get=str(promotion.apply_quantity or ""),
        most=_format_most(promotion) if is_buyget else "",
        gifts=gifts,
        target=target,
        product_ids=product_ids,
        categories=categories,
        minimum=str(promotion.rules[0]["values"][0]) if promotion.rules else "",
        starts=format_day(campaign.starts_at) if campaign else "",
        ends=format_day(campaign.ends_at, -1) if campaign else "",
        limit=str(promotion.use_limit or ""),
        each=str((campaign.budget_limit if campaign else None) or ""),
        combination=promotion.combination,
    )


async def _read_target(session: AsyncSession, promotion: Promotion) -> tuple[str, str, list[str]]:
    """Return the values of the form's fields `target`, `product_ids` and `categories` for the promotion."""
    if promotion.target_type == TargetType.SHIPPING:
        return SHIPPING, "", []
    rules = promotion.buy_rules if promotion.type == PromotionType.BUYGET else promotion.target_rules
    if not rules:
        return ORDER, "", []
    if rules[0]["attribute"] == CATEGORY:
        return CATEGORIES, "", list(rules[0]["values"])
    return PRODUCTS, await _read_ids(session, rules[0]), []


async def _read_ids(session: AsyncSession, rule: JsonObject) -> str:
    return " ".join(await list_existing_products(session, rule["values"]))


def _find_deal(promotion: Promotion) -> str:
    """Return the form's `method` for a buyget promotion: its name in `DEALS`, or `BUYGET` for any other."""
    quantities = (promotion.buy_quantity, promotion.apply_quantity, promotion.value)
    return next((name for name, deal in DEALS.items() if deal == quantities), BUYGET)


def _format_most(promotion: Promotion) -> str:
    # without a limit, the promotion applies once
    most = promotion.max_quantity or promotion.apply_quantity
    return "" if most == MAX_UNITS else str(most)


def _has_same_rules(promotion: Promotion) -> bool:
    """Return True if a buyget promotion discounts the same products that customers have to buy for it."""
    bought, discounted = (
        [(rule["attribute"], rule["operator"], rule["values"]) for rule in rules]
        for rules in (promotion.buy_rules, promotion.target_rules)
    )
    return bought == discounted


def _fits_form(promotion: Promotion, campaign: Campaign | None) -> bool:
    rules = _shapes_of(promotion.rules)
    targets = _shapes_of(promotion.target_rules)
    return (
        rules in ([], [(ITEM_TOTAL, Operator.GTE)])
        and targets in ([], [(PRODUCT, Operator.IN)], [(CATEGORY, Operator.IN)])
        and (_fits_buyget(promotion) if promotion.type == PromotionType.BUYGET else _fits_discount(promotion))
        and (campaign is None or campaign.budget_type in (None, BudgetType.BY_CUSTOMER))
        and (campaign is None or campaign.campaign_identifier == promotion.id)
        and (campaign is None or (is_day(campaign.starts_at) and is_day(campaign.ends_at)))
    )


def _fits_discount(promotion: Promotion) -> bool:
    spreads = promotion.allocation == Allocation.ACROSS or promotion.method_type == MethodType.PERCENTAGE
    return promotion.allocation != Allocation.ONCE and spreads and promotion.max_quantity is None


def _fits_buyget(promotion: Promotion) -> bool:
    has_gifts = _shapes_of(promotion.target_rules) == [(PRODUCT, Operator.IN)]
    return (
        promotion.method_type == MethodType.PERCENTAGE
        and _shapes_of(promotion.buy_rules) in ([(PRODUCT, Operator.IN)], [(CATEGORY, Operator.IN)])
        and (has_gifts or _has_same_rules(promotion))
    )


def _shapes_of(rules: list[JsonObject]) -> list[tuple[str, str]]:
    return [(rule["attribute"], rule["operator"]) for rule in rules]


def is_day(moment: datetime | None) -> bool:
    """Return True if the time is None or the beginning of a day in Colombia.

    The form cannot show other times, because it has no hours.
    """
    return moment is None or day_begin(moment.astimezone(TIME_ZONE).date()) == moment


def format_day(moment: datetime | None, days: int = 0) -> str:
    """Return the day of the given time plus `days`, as the value of a date field; empty for None."""
    return "" if moment is None else (moment.astimezone(TIME_ZONE).date() + timedelta(days=days)).isoformat()
