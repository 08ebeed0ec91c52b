"""An offer as the office writes it: a form for the promotions that people make, and what is stored of it.

The form knows one minimum, toys or categories, dates and two bounds. A promotion that says more was made by a program:
the office shows it and can end it, and a program changes it.
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
from backend.core.money import MAX_AMOUNT, typed_pesos
from backend.core.texts import _
from backend.core.web.contact import one_line
from backend.edge.schemas import MAX_UNITS
from backend.office.product_names import names_of_toys, toys_named
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
from backend.promotions.rules import CATEGORY, ITEM_TOTAL, MOST_VALUES, PRODUCT, Operator
from backend.promotions.service import (
    CodeTaken,
    change_promotion,
    change_rules,
    create_promotion,
    find_promotion,
)
from backend.staff.rights import Actor, Right

ORDER, TOYS, CATEGORIES, SHIPPING = "order", "toys", "categories", "shipping"
TARGETS = (ORDER, TOYS, CATEGORIES, SHIPPING)
LONGEST_CODE = 40
CATEGORY_FIELD = "category:"
"""What the names of the boxes of categories begin with; their ids follow."""


@dataclass(frozen=True, slots=True)
class OfferForm:
    """What the form holds, as texts.

    Attributes:
        code: what is typed in the shop, or what an automatic offer is called.
        way: `code`, or `automatic`.
        method: `percentage`, or `fixed` (pesos).
        target: what it is taken off: one of `TARGETS`.
        toys: titles or codes (SKU) of toys, one a line; for `TOYS`. See `backend.office.product_names`.
        categories: the ids of categories; for `CATEGORIES`.
        minimum: pesos of toys in the cart; empty for none.
        starts, ends: days (`2026-12-01`), the last one included; empty for none.
        limit, each: how often in all, and by each customer; empty for as often as anybody likes.
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
    """What the form says, read. `target_ids` are of products or of categories."""

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
        """What it is taken off, on the wire."""
        wire = {ORDER: TargetType.ORDER, SHIPPING: TargetType.SHIPPING}
        return wire.get(self.target, TargetType.ITEMS)

    @property
    def rules(self) -> list[WriteRule]:
        """Conditions on the cart."""
        return [] if self.minimum is None else [_rule(ITEM_TOTAL, Operator.GTE, [str(self.minimum)])]

    @property
    def target_rules(self) -> list[WriteRule]:
        """Conditions on what it is taken off."""
        attribute = PRODUCT if self.target == TOYS else CATEGORY
        return [_rule(attribute, Operator.IN, list(self.target_ids))] if self.target_ids else []


def _rule(attribute: str, operator: Operator, values: list[str]) -> WriteRule:
    return WriteRule(attribute=attribute, operator=operator, values=values)


async def read_offer(session: AsyncSession, form: OfferForm) -> TypedOffer:
    """What the form says.

    Raises:
        InvalidData: `fields` has what is wrong, by field.
    """
    problems: dict[str, str] = {}
    code = one_line(form.code)
    if not code or len(code) > LONGEST_CODE:
        problems["code"] = _("Escribe un código, o un nombre, de hasta 40 letras.")
    method = MethodType.FIXED if form.method == MethodType.FIXED else MethodType.PERCENTAGE
    most = 100 if method is MethodType.PERCENTAGE else MAX_AMOUNT
    value = typed_pesos(form.value.removesuffix("%"))
    if value is None or not 0 < value <= most:
        problems["value"] = (
            _("Escribe un porcentaje entre 1 y 100.")
            if method is MethodType.PERCENTAGE
            else _("Escribe cuántos pesos se descuentan.")
        )
    numbers = {name: _number(form, name, problems) for name in ("minimum", "limit", "each")}
    starts, ends = (read_day(getattr(form, name), name, problems) for name in ("starts", "ends"))
    if starts and ends and ends < starts:
        problems["ends"] = _("Termina antes de empezar.")
    if form.target not in TARGETS:
        problems["target"] = CHECK_FIELDS
    target_ids = await read_targets(session, form, problems)
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


def _number(form: OfferForm, name: str, problems: dict[str, str]) -> int | None:
    text = getattr(form, name)
    if not text:
        return None
    number = typed_pesos(text)
    if number is None or not 0 < number <= (MAX_AMOUNT if name == "minimum" else MAX_UNITS):
        problems[name] = _("Escribe un número entero, o déjalo vacío.")
    return number


def read_day(text: str, name: str, problems: dict[str, str]) -> date | None:
    """The day that was typed; None for an empty text, and with a problem where it is none."""
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


async def read_targets(session: AsyncSession, form: OfferForm, problems: dict[str, str]) -> tuple[str, ...]:
    """The ids of the toys or categories that the form names; with a problem where it names none, or unknown ones."""
    if form.target == CATEGORIES:
        known = select(Category.id).where(Category.id.in_(form.categories[:MOST_VALUES]))
        found = set((await session.execute(known)).scalars())
        if not found or len(found) < len(set(form.categories)):
            problems["categories"] = _("Elige al menos una categoría.")
        return tuple(one for one in form.categories if one in found)
    if form.target != TOYS:
        return ()
    lines = [line for line in form.toys.splitlines() if line.strip()]
    if len(lines) > MOST_VALUES:
        told = _("Son {n} juguetes, y caben hasta {most}: deja los demás para otra.")
        problems["toys"] = told.format(n=len(lines), most=MOST_VALUES)
        return ()
    ids, problem = await toys_named(session, lines)
    if problem or not ids:
        problems["toys"] = problem or _("Escribe al menos un juguete.")
    return tuple(ids)


async def save_offer(
    session: AsyncSession, actor: Actor, form: OfferForm, promotion_id: str = ""
) -> Promotion:
    """Store a new offer, or change one: it applies from its first day on, also where it was a draft or had been ended.

    Raises:
        NotFound: there is none to change.
        InvalidData: `fields` has what is wrong, by field.
    """
    actor.require(Right.CHANGE_PROMOTIONS)
    typed = await read_offer(session, form)
    try:
        if not promotion_id:
            return await _create(session, actor, typed)
        return await _change(session, actor, typed, promotion_id)
    except CodeTaken:
        raise InvalidData(CHECK_FIELDS, fields={"code": _("Otra oferta ya tiene este código.")}) from None


async def _create(session: AsyncSession, actor: Actor, typed: TypedOffer) -> Promotion:
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


async def _change(session: AsyncSession, actor: Actor, typed: TypedOffer, promotion_id: str) -> Promotion:
    promotion = await find_promotion(session, promotion_id)
    gone = {name: [rule["id"] for rule in rules] for name, rules in _rules_of(promotion).items()}
    none = ChangeRules(delete=gone["target-rules"])
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
        left = gone[name] if name == "rules" else []
        if left or rules:
            batch = ChangeRules(create=rules, delete=left)
            await change_rules(session, actor, promotion_id, name, batch)
    await _set_campaign(session, actor, promotion, typed)
    return promotion


async def _set_campaign(session: AsyncSession, actor: Actor, promotion: Promotion, typed: TypedOffer) -> None:
    """Give the promotion the dates and the bound of each customer, in a campaign of its own."""
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
    """The form of a promotion; None where the form cannot say all that it says."""
    if not _is_plain(promotion, campaign):
        return None
    form = OfferForm(
        code=promotion.code,
        way="automatic" if promotion.is_automatic else "code",
        method=promotion.method_type,
        value=str(promotion.value),
        minimum=str(promotion.rules[0]["values"][0]) if promotion.rules else "",
        starts=typed_day(campaign.starts_at) if campaign else "",
        ends=typed_day(campaign.ends_at, -1) if campaign else "",
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
    names = await names_of_toys(session, rule["values"])
    return replace(form, target=TOYS, toys="\n".join(names.values()))


def _is_plain(promotion: Promotion, campaign: Campaign | None) -> bool:
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
    """Whether a day begins then: the form knows no hours."""
    return moment is None or day_begin(moment.astimezone(TIME_ZONE).date()) == moment


def typed_day(moment: datetime | None, days: int = 0) -> str:
    """The day of the moment, so many days on, as a form holds it; empty for no moment."""
    return "" if moment is None else (moment.astimezone(TIME_ZONE).date() + timedelta(days=days)).isoformat()
