"""The offer form of the office: parse it, store it as a promotion, and fill it from a promotion.

An offer of the form has at most one condition on the cart (a minimum value), a target, two dates and two limits. A
promotion with other rules was created through the API: the office shows it and can end it, but only the API can
change it.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import date, datetime, timedelta

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.catalog.models import Category
from backend.core.dates import TIME_ZONE, day_begin
from backend.core.db.tables import JsonObject
from backend.core.error_texts import CHECK_FIELDS
from backend.core.errors import InvalidData
from backend.core.money import MAX_AMOUNT, parse_pesos
from backend.core.texts import _
from backend.core.web.contact import to_one_line
from backend.edge.schemas import MAX_UNITS
from backend.office.product_names import find_products_by_name, read_form_names
from backend.promotions.campaigns import change_campaign, create_campaign, find_campaign
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
from backend.promotions.kinds import Allocation, BudgetType, MethodType, PromotionStatus, TargetType
from backend.promotions.models import Campaign, Promotion
from backend.promotions.rules import CATEGORY, ITEM_TOTAL, MAX_VALUES, PRODUCT, Operator
from backend.promotions.service import (
    CodeTaken,
    change_promotion,
    change_rules,
    create_promotion,
    find_promotion,
)
from backend.staff.rights import Actor, Right

ORDER, PRODUCTS, CATEGORIES, SHIPPING = "order", "toys", "categories", "shipping"
TARGETS = (ORDER, PRODUCTS, CATEGORIES, SHIPPING)
MAX_CODE_LENGTH = 40
CATEGORY_FIELD = "category:"
"""Prefix of the names of category checkboxes; the category id follows."""


@dataclass(frozen=True, slots=True)
class OfferForm:
    """Values of the form, as texts.

    Attributes:
        code: the code that customers type, or the name of an automatic offer.
        way: `code`, or `automatic`.
        method: `percentage`, or `fixed` (pesos).
        target: the products that are discounted: one of `TARGETS`.
        toys: titles or codes (SKU) of products, one per line; for `PRODUCTS`. See `backend.office.product_names`.
        categories: ids of categories; for `CATEGORIES`.
        minimum: minimum value of the products in the cart, in pesos; empty for none.
        starts, ends: days (`2026-12-01`), both included; empty for none.
        limit: maximum number of uses in total; empty for no limit.
        each: maximum number of uses per customer; empty for no limit.
    """

    code: str = ""
    way: str = "code"
    method: str = "percentage"
    value: str = ""
    target: str = ORDER
    toys: str = ""
    categories: list[str] = field(default_factory=list)
    minimum: str = ""
    starts: str = ""
    ends: str = ""
    limit: str = ""
    each: str = ""


@dataclass(frozen=True, slots=True)
class TypedOffer:
    """The parsed form. `target_ids` are ids of products or of categories."""

    code: str
    is_automatic: bool
    method: MethodType
    value: int
    target: str
    target_ids: tuple[str, ...]
    minimum: int | None
    starts_at: datetime | None
    ends_at: datetime | None
    limit: int | None
    each: int | None

    @property
    def target_type(self) -> TargetType:
        """The target of the discount, as a promotion stores it."""
        wire = {ORDER: TargetType.ORDER, SHIPPING: TargetType.SHIPPING}
        return wire.get(self.target, TargetType.ITEMS)

    @property
    def rules(self) -> list[WriteRule]:
        """Conditions on the cart."""
        return [] if self.minimum is None else [_rule(ITEM_TOTAL, Operator.GTE, [str(self.minimum)])]

    @property
    def target_rules(self) -> list[WriteRule]:
        """Conditions on the discounted products."""
        attribute = PRODUCT if self.target == PRODUCTS else CATEGORY
        return [_rule(attribute, Operator.IN, list(self.target_ids))] if self.target_ids else []


def _rule(attribute: str, operator: Operator, values: list[str]) -> WriteRule:
    return WriteRule(attribute=attribute, operator=operator, values=values)


async def parse_offer(session: AsyncSession, form: OfferForm) -> TypedOffer:
    """Parse the form.

    Raises:
        InvalidData: `fields` has the errors by field.
    """
    problems: dict[str, str] = {}
    code = to_one_line(form.code)
    if not code or len(code) > MAX_CODE_LENGTH:
        problems["code"] = _("Escribe un código, o un nombre, de hasta 40 letras.")
    method = MethodType.FIXED if form.method == MethodType.FIXED else MethodType.PERCENTAGE
    max_value = 100 if method is MethodType.PERCENTAGE else MAX_AMOUNT
    value = parse_pesos(form.value.removesuffix("%"))
    if value is None or not 0 < value <= max_value:
        problems["value"] = (
            _("Escribe un porcentaje entre 1 y 100.")
            if method is MethodType.PERCENTAGE
            else _("Escribe cuántos pesos se descuentan.")
        )
    numbers = {name: _parse_number(form, name, problems) for name in ("minimum", "limit", "each")}
    starts, ends = (parse_day(getattr(form, name), name, problems) for name in ("starts", "ends"))
    if starts and ends and ends < starts:
        problems["ends"] = _("Termina antes de empezar.")
    if form.target not in TARGETS:
        problems["target"] = CHECK_FIELDS
    target_ids = await find_targets(session, form, problems)
    if problems:
        raise InvalidData(CHECK_FIELDS, fields=problems)
    return TypedOffer(
        code=code,
        is_automatic=form.way == "automatic",
        method=method,
        value=value or 0,
        target=form.target,
        target_ids=target_ids,
        minimum=numbers["minimum"],
        starts_at=day_begin(starts) if starts else None,
        ends_at=day_begin(ends + timedelta(days=1)) if ends else None,
        limit=numbers["limit"],
        each=numbers["each"],
    )


def _parse_number(form: OfferForm, name: str, problems: dict[str, str]) -> int | None:
    text = getattr(form, name)
    if not text:
        return None
    number = parse_pesos(text)
    if number is None or not 0 < number <= (MAX_AMOUNT if name == "minimum" else MAX_UNITS):
        problems[name] = _("Escribe un número entero, o déjalo vacío.")
    return number


def parse_day(text: str, name: str, problems: dict[str, str]) -> date | None:
    """Parse a day. Return None for an empty text. For an invalid text, add an error to `problems` and return None."""
    if not text:
        return None
    try:
        day = date.fromisoformat(text)
    except ValueError:
        day = date.min
    if not 2000 <= day.year < 3000:
        problems[name] = _("Escribe una fecha.")
        return None
    return day


async def find_targets(session: AsyncSession, form: OfferForm, problems: dict[str, str]) -> tuple[str, ...]:
    """Return the ids of the products or categories that the form names.

    If the form names none, or names an unknown one, add an error to `problems`.
    """
    if form.target == CATEGORIES:
        known = select(Category.id).where(Category.id.in_(form.categories[:MAX_VALUES]))
        found = set((await session.execute(known)).scalars())
        if not found or len(found) < len(set(form.categories)):
            problems["categories"] = _("Elige al menos una categoría.")
        return tuple(one for one in form.categories if one in found)
    if form.target != PRODUCTS:
        return ()
    lines = [line for line in form.toys.splitlines() if line.strip()]
    if len(lines) > MAX_VALUES:
        message = _("Son {n} juguetes, y caben hasta {most}: deja los demás para otra.")
        problems["toys"] = message.format(n=len(lines), most=MAX_VALUES)
        return ()
    ids, problem = await find_products_by_name(session, lines)
    if problem or not ids:
        problems["toys"] = problem or _("Escribe al menos un juguete.")
    return tuple(ids)


async def save_offer(
    session: AsyncSession, actor: Actor, form: OfferForm, promotion_id: str = ""
) -> Promotion:
    """Create or change an offer and activate it, even if it was a draft or had ended.

    Raises:
        NotFound: the promotion does not exist.
        InvalidData: `fields` has the errors by field.
    """
    actor.require(Right.CHANGE_PROMOTIONS)
    typed = await parse_offer(session, form)
    try:
        if not promotion_id:
            return await _create_offer(session, actor, typed)
        return await _change_offer(session, actor, typed, promotion_id)
    except CodeTaken:
        raise InvalidData(CHECK_FIELDS, fields={"code": _("Otra oferta ya tiene este código.")}) from None


async def _create_offer(session: AsyncSession, actor: Actor, typed: TypedOffer) -> Promotion:
    new = CreatePromotion(
        code=typed.code,
        status=PromotionStatus.ACTIVE,
        is_automatic=typed.is_automatic,
        limit=typed.limit,
        method_type=typed.method,
        target_type=typed.target_type,
        value=typed.value,
        target_rules=typed.target_rules,
        rules=typed.rules,
    )
    promotion = await create_promotion(session, actor, new)
    await _set_campaign(session, actor, promotion, typed)
    return promotion


async def _change_offer(
    session: AsyncSession, actor: Actor, typed: TypedOffer, promotion_id: str
) -> Promotion:
    promotion = await find_promotion(session, promotion_id)
    old_rule_ids = {name: [rule["id"] for rule in rules] for name, rules in _rules_of(promotion).items()}
    none = ChangeRules(delete=old_rule_ids["target-rules"])
    await change_rules(session, actor, promotion_id, "target-rules", none)
    change = ChangePromotion(
        code=typed.code,
        status=PromotionStatus.ACTIVE,
        is_automatic=typed.is_automatic,
        limit=typed.limit,
        method=ChangeMethod(
            type=typed.method,
            target_type=typed.target_type,
            allocation=Allocation.ACROSS,
            value=typed.value,
        ),
    )
    promotion = await change_promotion(session, actor, promotion_id, change)
    for name, rules in (("rules", typed.rules), ("target-rules", typed.target_rules)):
        removed_ids = old_rule_ids[name] if name == "rules" else []
        if removed_ids or rules:
            batch = ChangeRules(create=rules, delete=removed_ids)
            await change_rules(session, actor, promotion_id, name, batch)
    await _set_campaign(session, actor, promotion, typed)
    return promotion


async def _set_campaign(session: AsyncSession, actor: Actor, promotion: Promotion, typed: TypedOffer) -> None:
    """Store the dates and the limit per customer in the promotion's own campaign."""
    each = typed.each
    if promotion.campaign_id is not None:
        campaign = await find_campaign(session, promotion.campaign_id)
        budget = None
        if each is not None or campaign.budget_type is not None:
            budget = WriteBudget(type=BudgetType.BY_CUSTOMER, limit=each)
        change = ChangeCampaign(starts_at=typed.starts_at, ends_at=typed.ends_at, budget=budget)
        await change_campaign(session, actor, campaign.id, change)
    elif typed.starts_at or typed.ends_at or each:
        new = CreateCampaign(
            name=typed.code,
            campaign_identifier=promotion.id,
            starts_at=typed.starts_at,
            ends_at=typed.ends_at,
            budget=WriteBudget(type=BudgetType.BY_CUSTOMER, limit=each) if each else None,
        )
        promotion.campaign_id = (await create_campaign(session, actor, new)).id
        await session.flush()


def _rules_of(promotion: Promotion) -> Mapping[str, list[JsonObject]]:
    return {"rules": promotion.rules, "target-rules": promotion.target_rules}


async def form_of(session: AsyncSession, promotion: Promotion, campaign: Campaign | None) -> OfferForm | None:
    """Return the form filled from a promotion; None if the promotion has rules that the form does not have."""
    if not _fits_form(promotion, campaign):
        return None
    form = OfferForm(
        code=promotion.code,
        way="automatic" if promotion.is_automatic else "code",
        method=promotion.method_type,
        value=str(promotion.value),
        minimum=str(promotion.rules[0]["values"][0]) if promotion.rules else "",
        starts=format_day(campaign.starts_at) if campaign else "",
        ends=format_day(campaign.ends_at, -1) if campaign else "",
        limit=str(promotion.use_limit or ""),
        each=str((campaign.budget_limit if campaign else None) or ""),
    )
    if promotion.target_type == TargetType.SHIPPING:
        return replace(form, target=SHIPPING)
    if not promotion.target_rules:
        return replace(form, target=ORDER)
    rule = promotion.target_rules[0]
    if rule["attribute"] == CATEGORY:
        return replace(form, target=CATEGORIES, categories=list(rule["values"]))
    names = await read_form_names(session, rule["values"])
    return replace(form, target=PRODUCTS, toys="\n".join(names.values()))


def _fits_form(promotion: Promotion, campaign: Campaign | None) -> bool:
    rules = [(rule["attribute"], rule["operator"]) for rule in promotion.rules]
    targets = [(rule["attribute"], rule["operator"]) for rule in promotion.target_rules]
    spreads = promotion.allocation == Allocation.ACROSS or promotion.method_type == MethodType.PERCENTAGE
    return (
        rules in ([], [(ITEM_TOTAL, Operator.GTE)])
        and targets in ([], [(PRODUCT, Operator.IN)], [(CATEGORY, Operator.IN)])
        and promotion.allocation != Allocation.ONCE
        and spreads
        and promotion.max_quantity is None
        and (campaign is None or campaign.budget_type in (None, BudgetType.BY_CUSTOMER))
        and (campaign is None or campaign.campaign_identifier == promotion.id)
        and (campaign is None or (is_day(campaign.starts_at) and is_day(campaign.ends_at)))
    )


def is_day(moment: datetime | None) -> bool:
    """Return True if the time is the beginning of a day, or None.

    The form cannot show other times, because it has no hours.
    """
    return moment is None or day_begin(moment.astimezone(TIME_ZONE).date()) == moment


def format_day(moment: datetime | None, days: int = 0) -> str:
    """Return the day of the given time plus `days`, as the value of a date field; empty for None."""
    return "" if moment is None else (moment.astimezone(TIME_ZONE).date() + timedelta(days=days)).isoformat()
