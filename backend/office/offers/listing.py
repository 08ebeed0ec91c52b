"""Views of promotions in the office: the list, and the screen of one promotion."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime

from sqlalchemy import Row, and_, not_, or_, select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.catalog.category_tree import read_tree
from backend.core.dates import short_time_label, today_in_colombia
from backend.core.db.database import database_now, db_now
from backend.core.errors import require_found
from backend.core.money import format_cop
from backend.core.texts import _, format_count
from backend.office.catalog.category_page import list_options
from backend.office.listing import ListView, read_page
from backend.office.offers.filling import form_of
from backend.office.offers.form import OfferForm
from backend.office.offers.templates import fill_template
from backend.office.product_picker import PickerRow, read_picker_rows
from backend.office.views import ChipView
from backend.promotions.kinds import Combination, MethodType, PromotionStatus, PromotionType, TargetType
from backend.promotions.models import Campaign, Promotion
from backend.promotions.wire import PromotionUsage, read_usage
from backend.staff.rights import Actor, Right

PAGE_SIZE = 200
"""Number of current offers on a page. It is also the maximum number of ended offers."""
COMBINATIONS = {
    Combination.ALL: _("con todas"),
    Combination.AUTOMATIC: _("con las automáticas, pero con ningún otro código"),
    Combination.CODES: _("con códigos, pero con ninguna otra automática"),
    Combination.SHIPPING: _("solo con descuentos del envío"),
    Combination.NONE: _("con ninguna otra"),
}
"""Names of the combinations, as the end of a sentence."""


@dataclass(frozen=True, slots=True)
class OfferRow:
    """An offer in the list: its discount, its status, and the number of uses."""

    id: str
    code: str
    detail: str
    chip: ChipView
    used: str


@dataclass(frozen=True, slots=True)
class SaleRow:
    """A sale in the list."""

    id: str
    title: str
    detail: str
    chip: ChipView


@dataclass(frozen=True, slots=True, kw_only=True)
class OffersPage(ListView):
    """A page of the current and future offers (`rows`), and the current and future sales.

    `over` and `sales_over` are the newest ended offers and sales.
    """

    rows: list[OfferRow]
    over: list[OfferRow]
    sales: list[SaleRow] = field(default_factory=list)
    sales_over: list[SaleRow] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Choice:
    """A checkbox of a category; `name` includes the names of its parents."""

    id: str
    name: str
    is_chosen: bool


@dataclass(frozen=True, slots=True)
class OfferPage:
    """One offer, or a new offer with an empty `id`.

    Attributes:
        version: the hash of the stored promotion, from `version_of`.
        form: values of the form; None if the promotion has rules that the form does not have.
        products, gifts: the products of the form's fields `product_ids` and `gifts`.
        can_end: True if the offer is current or future.
    """

    id: str
    row: OfferRow | None
    form: OfferForm | None
    categories: list[Choice]
    can_end: bool
    version: str = ""
    products: list[PickerRow] = field(default_factory=list)
    gifts: list[PickerRow] = field(default_factory=list)


FoundOffer = Row[Promotion, Campaign | None, bool]
"""A promotion, its campaign, and True if it has ended."""
_HAS_ENDED = or_(
    Promotion.status == PromotionStatus.INACTIVE,
    and_(Campaign.ends_at.is_not(None), Campaign.ends_at <= db_now()),
)
_SELECT_OFFERS = (
    select(Promotion, Campaign, _HAS_ENDED.label("is_over"))
    .outerjoin(Campaign, Campaign.id == Promotion.campaign_id)
    .where(Promotion.deleted_at.is_(None))
)


async def offers_page(session: AsyncSession, actor: Actor, cursor: str = "") -> OffersPage:
    """Return a page of the current and future offers, the newest first.

    The first page also has the newest ended offers.

    Raises:
        InvalidData: the cursor is invalid.
    """
    actor.require(Right.READ_CATALOG)
    key = (Promotion.created_at, Promotion.id)
    found, following = await read_page(
        session, _SELECT_OFFERS.where(not_(_HAS_ENDED)), key, cursor, PAGE_SIZE, is_descending=True
    )
    over: Sequence[FoundOffer] = []
    if not cursor:
        over, _more = await read_page(
            session, _SELECT_OFFERS.where(_HAS_ENDED), key, "", PAGE_SIZE, is_descending=True
        )
    return OffersPage(
        rows=await _offer_rows(session, found), over=await _offer_rows(session, over), cursor=following
    )


async def offer_page(session: AsyncSession, actor: Actor, promotion_id: str, template: str = "") -> OfferPage:
    """Return one offer, or a new offer if the id is empty: see `backend.office.offers.templates`.

    Raises:
        NotFound: the promotion does not exist.
    """
    actor.require(Right.READ_CATALOG)
    if not promotion_id:
        new_form = fill_template(template, today_in_colombia(await database_now(session)))
        return OfferPage("", None, new_form, await category_choices(session), False)
    found = require_found(
        (await session.execute(_SELECT_OFFERS.where(Promotion.id == promotion_id))).one_or_none(),
        "Promotion",
        promotion_id,
    )
    promotion, campaign, is_over = found
    (row,) = await _offer_rows(session, [found])
    form = await form_of(session, promotion, campaign)
    return OfferPage(
        id=promotion.id,
        row=row,
        form=form,
        categories=await category_choices(session, form.categories if form else ()),
        can_end=not is_over,
        version=version_of(promotion, campaign),
        products=await read_picker_rows(session, actor, form.product_ids.split()) if form else [],
        gifts=await read_picker_rows(session, actor, form.gifts.split()) if form else [],
    )


async def category_choices(session: AsyncSession, chosen: Sequence[str] = ()) -> list[Choice]:
    """Return the checkboxes of all categories, each parent before its children; those in `chosen` are ticked."""
    return [Choice(one.id, one.label, one.id in chosen) for one in list_options(await read_tree(session))]


async def _offer_rows(session: AsyncSession, found: Sequence[FoundOffer]) -> list[OfferRow]:
    used = await read_usage(session, [promotion for promotion, _campaign, _is_over in found])
    moment = await database_now(session)
    return [_offer_row(one, used.get(one[0].id, PromotionUsage()), moment) for one in found]


def _offer_row(found: FoundOffer, used: PromotionUsage, moment: datetime) -> OfferRow:
    promotion, campaign, _is_over = found
    limit = promotion.use_limit
    times = _("{used} de {limit} usos").format(used=used.count, limit=limit) if limit else ""
    return OfferRow(
        id=promotion.id,
        code=promotion.code,
        detail=describe_promotion(promotion, campaign),
        chip=_chip(found, used, moment),
        used=" · ".join(
            filter(
                None,
                (
                    times or (format_count(used.count, _("{n} uso"), _("{n} usos")) if used.count else ""),
                    _("{amount} descontados").format(amount=format_cop(used.amount)) if used.amount else "",
                ),
            )
        ),
    )


def describe_promotion(promotion: Promotion, campaign: Campaign | None) -> str:
    """Describe the discount and the dates of a promotion."""
    return " · ".join(filter(None, (_describe_discount(promotion), _describe_dates(campaign))))


def version_of(promotion: Promotion, campaign: Campaign | None) -> str:
    """Return a hash that changes with each change of the promotion or its campaign."""
    rules = [
        (rule["attribute"], rule["operator"], rule["values"])
        for rule in (*promotion.rules, *promotion.target_rules, *promotion.buy_rules)
    ]
    state = (
        promotion.type, promotion.combination, promotion.buy_quantity, promotion.apply_quantity,
        promotion.code, promotion.status, promotion.is_automatic, promotion.use_limit, promotion.method_type,
        promotion.target_type, promotion.allocation, promotion.value, promotion.max_quantity, rules,
        campaign and (campaign.starts_at, campaign.ends_at, campaign.budget_type, campaign.budget_limit),
    )  # fmt: skip
    return hashlib.sha256(repr(state).encode()).hexdigest()


def _describe_discount(promotion: Promotion) -> str:
    value = promotion.value
    off = f"{value} %" if promotion.method_type == MethodType.PERCENTAGE else format_cop(value)
    if promotion.type == PromotionType.BUYGET:
        percent = value if promotion.method_type == MethodType.PERCENTAGE else 0
        deal = describe_buyget(promotion.buy_quantity or 1, promotion.apply_quantity or 1, percent)
        words = _("{deal} en algunos productos").format(deal=deal)
    elif promotion.target_type == TargetType.SHIPPING:
        words = _("{off} menos en el envío")
    elif promotion.target_rules:
        words = _("{off} menos en algunos productos")
    else:
        words = _("{off} menos en todo el carrito")
    return words.format(off=off) + ("" if promotion.is_automatic else _(", con código"))


def describe_buyget(buy: int, get: int, percent: int) -> str:
    """Describe a buyget offer, such as `2×1`. `percent` is the discount, or 0 for a discount in pesos."""
    if percent == 100:
        return f"{buy + get}×{buy}"
    if (buy, get, percent) == (1, 1, 50):
        return _("Segunda unidad a mitad de precio")
    if not percent:
        return _("Por {buy} que lleve, {get} con descuento").format(buy=buy, get=get)
    return _("Por {buy} que lleve, {get} con {percent} % menos").format(buy=buy, get=get, percent=percent)


def _describe_dates(campaign: Campaign | None) -> str:
    if campaign is None:
        return ""
    starts = (
        _("desde el {day}").format(day=short_time_label(campaign.starts_at)) if campaign.starts_at else ""
    )
    ends = _("hasta el {day}").format(day=short_time_label(campaign.ends_at)) if campaign.ends_at else ""
    return " ".join(filter(None, (starts, ends)))


def _chip(found: FoundOffer, used: PromotionUsage, moment: datetime) -> ChipView:
    promotion, campaign, is_over = found
    if promotion.status == PromotionStatus.DRAFT:
        return ChipView(_("Borrador"), "plain")
    if is_over:
        return ChipView(_("Terminada"), "plain")
    if campaign is not None and campaign.starts_at is not None and campaign.starts_at > moment:
        return ChipView(_("Empieza después"), "wait")
    if promotion.use_limit is not None and used.count >= promotion.use_limit:
        return ChipView(_("Agotada"), "wait")
    return ChipView(_("Activa"), "good")
