"""What the office shows of promotions: the list, and one of them."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime

from sqlalchemy import Row, and_, not_, or_, select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.catalog.models import Category
from backend.core.dates import short_time_label
from backend.core.db.database import database_now, db_now
from backend.core.errors import require_found
from backend.core.money import format_cop
from backend.core.texts import _, counted
from backend.office.listing import ListView, read_page
from backend.office.offers.form import OfferForm, form_of
from backend.office.views import ChipView
from backend.promotions.kinds import MethodType, PromotionStatus, TargetType
from backend.promotions.models import Campaign, Promotion
from backend.promotions.wire import Used, used_of
from backend.staff.rights import Actor, Right

MOST_ROWS = 200
"""Of a page of those that apply, and of those that are over."""


@dataclass(frozen=True, slots=True)
class OfferRow:
    """An offer in the list: what it takes off, how it stands, and how often it was used."""

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
    """The offers, and the sales: those that apply or will, and the newest of those that are over."""

    rows: list[OfferRow]
    over: list[OfferRow]
    sales: list[SaleRow] = field(default_factory=list)
    sales_over: list[SaleRow] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Choice:
    """A category to tick."""

    id: str
    name: str
    is_chosen: bool


@dataclass(frozen=True, slots=True)
class OfferPage:
    """One offer, or a new one (`id` is empty then).

    Attributes:
        version: how it stood: see `version_of`.
        form: what the form holds; None where a program made what the form cannot say.
        can_end: whether it still applies, or will.
    """

    id: str
    row: OfferRow | None
    form: OfferForm | None
    categories: list[Choice]
    can_end: bool
    version: str = ""


Found = Row[Promotion, Campaign | None, bool]
"""A promotion, its campaign, and whether it is over."""
_OVER = or_(
    Promotion.status == PromotionStatus.INACTIVE,
    and_(Campaign.ends_at.is_not(None), Campaign.ends_at <= db_now()),
)
_FOUND = (
    select(Promotion, Campaign, _OVER.label("is_over"))
    .outerjoin(Campaign, Campaign.id == Promotion.campaign_id)
    .where(Promotion.deleted_at.is_(None))
)


async def offers_page(session: AsyncSession, actor: Actor, cursor: str = "") -> OffersPage:
    """The offers, newest first; from a cursor on, only those that apply or will.

    Raises:
        InvalidData: the cursor is none of ours.
    """
    actor.require(Right.READ_CATALOG)
    key = (Promotion.created_at, Promotion.id)
    found, following = await read_page(
        session, _FOUND.where(not_(_OVER)), key, cursor, MOST_ROWS, is_descending=True
    )
    over: Sequence[Found] = []
    if not cursor:
        over, _more = await read_page(session, _FOUND.where(_OVER), key, "", MOST_ROWS, is_descending=True)
    return OffersPage(rows=await _rows(session, found), over=await _rows(session, over), cursor=following)


async def offer_page(session: AsyncSession, actor: Actor, promotion_id: str) -> OfferPage:
    """One offer; a new one where the id is empty.

    Raises:
        NotFound: there is none.
    """
    actor.require(Right.READ_CATALOG)
    if not promotion_id:
        return OfferPage("", None, OfferForm(), await category_choices(session), False)
    found = require_found(
        (await session.execute(_FOUND.where(Promotion.id == promotion_id))).one_or_none(),
        "Promotion",
        promotion_id,
    )
    promotion, campaign, is_over = found
    (row,) = await _rows(session, [found])
    form = await form_of(session, promotion, campaign)
    return OfferPage(
        id=promotion.id,
        row=row,
        form=form,
        categories=await category_choices(session, form.categories if form else ()),
        can_end=not is_over,
        version=version_of(promotion, campaign),
    )


async def category_choices(session: AsyncSession, chosen: Sequence[str] = ()) -> list[Choice]:
    """All categories to tick, those that are `chosen` ticked."""
    found = await session.execute(select(Category).order_by(Category.name, Category.id))
    return [Choice(one.id, one.name, one.id in chosen) for one in found.scalars()]


async def _rows(session: AsyncSession, found: Sequence[Found]) -> list[OfferRow]:
    used = await used_of(session, [promotion for promotion, _campaign, _is_over in found])
    moment = await database_now(session)
    return [_row(one, used.get(one[0].id, Used()), moment) for one in found]


def _row(found: Found, used: Used, moment: datetime) -> OfferRow:
    promotion, campaign, _is_over = found
    limit = promotion.use_limit
    times = _("{used} de {limit} usos").format(used=used.count, limit=limit) if limit else ""
    return OfferRow(
        id=promotion.id,
        code=promotion.code,
        detail=told_of(promotion, campaign),
        chip=_chip(found, used, moment),
        used=" · ".join(
            filter(
                None,
                (
                    times or (counted(used.count, _("{n} uso"), _("{n} usos")) if used.count else ""),
                    _("{amount} descontados").format(amount=format_cop(used.amount)) if used.amount else "",
                ),
            )
        ),
    )


def told_of(promotion: Promotion, campaign: Campaign | None) -> str:
    """What a promotion takes off, and when."""
    return " · ".join(filter(None, (_what(promotion), _when(campaign))))


def version_of(promotion: Promotion, campaign: Campaign | None) -> str:
    """What tells whether somebody has changed it."""
    rules = [
        (rule["attribute"], rule["operator"], rule["values"])
        for rule in (*promotion.rules, *promotion.target_rules)
    ]
    told = (
        promotion.code, promotion.status, promotion.is_automatic, promotion.use_limit, promotion.method_type,
        promotion.target_type, promotion.allocation, promotion.value, promotion.max_quantity, rules,
        campaign and (campaign.starts_at, campaign.ends_at, campaign.budget_type, campaign.budget_limit),
    )  # fmt: skip
    return hashlib.sha256(repr(told).encode()).hexdigest()


def _what(promotion: Promotion) -> str:
    value = promotion.value
    off = f"{value} %" if promotion.method_type == MethodType.PERCENTAGE else format_cop(value)
    if promotion.target_type == TargetType.SHIPPING:
        words = _("{off} menos en el envío")
    elif promotion.target_rules:
        words = _("{off} menos en algunos juguetes")
    else:
        words = _("{off} menos en todo el carrito")
    return words.format(off=off) + ("" if promotion.is_automatic else _(", con código"))


def _when(campaign: Campaign | None) -> str:
    if campaign is None:
        return ""
    starts = (
        _("desde el {day}").format(day=short_time_label(campaign.starts_at)) if campaign.starts_at else ""
    )
    ends = _("hasta el {day}").format(day=short_time_label(campaign.ends_at)) if campaign.ends_at else ""
    return " ".join(filter(None, (starts, ends)))


def _chip(found: Found, used: Used, moment: datetime) -> ChipView:
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
