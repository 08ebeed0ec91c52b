"""What the office shows of promotions: the list, one of them, and what a form would change before it is saved."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime

from sqlalchemy import Row, and_, not_, or_, select, tuple_
from sqlalchemy.ext.asyncio import AsyncSession

from backend.catalog.models import Category, Product, Variant, for_sale, variant_name
from backend.cursors import cursor_at, read_cursor
from backend.database import database_now, db_now
from backend.dates import date_label, last_day, short_time_label
from backend.errors import NotFound
from backend.money import format_cop
from backend.office.offer_form import (
    CATEGORIES,
    ORDER,
    SHIPPING,
    TOYS,
    OfferForm,
    TypedOffer,
    form_of,
    read_offer,
    save_offer,
)
from backend.office.orders import ChipView
from backend.pricing import PricedLine
from backend.promotions.applying import Offer, OfferedLine, apply_offers, eligible
from backend.promotions.kinds import Allocation, MethodType, PromotionStatus, TargetType
from backend.promotions.models import Campaign, Promotion
from backend.promotions.offers import categories_of
from backend.promotions.rules import CATEGORY, PRODUCT, Rule
from backend.promotions.saving import find_promotion
from backend.promotions.schemas import NewRule
from backend.promotions.wire import Used, used_of
from backend.staff.rights import Actor, Right
from backend.texts import _, counted

MOST_ROWS = 200
"""Of a page of those that apply, and of those that are over."""
MOST_SHOWN = 8
"""Toys of a preview."""


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


@dataclass(frozen=True, slots=True)
class OffersPage:
    """The offers, and the sales: those that apply or will, and the newest of those that are over.

    `cursor` reads the next rows of the offers that apply, and is empty when there are none.
    """

    rows: list[OfferRow]
    over: list[OfferRow]
    cursor: str = ""
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
        form: what the form holds; None where a program made what the form cannot say.
        can_end: whether it still applies, or will.
    """

    id: str
    row: OfferRow | None
    form: OfferForm | None
    categories: list[Choice]
    can_end: bool


@dataclass(frozen=True, slots=True)
class PreviewRow:
    """A toy, with its price before and after."""

    title: str
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class Preview:
    """What an offer would change: in words, the dearest toys it is for, and how many more there are.

    `status`: of the promotion, before; empty for a new one.
    """

    words: list[str]
    rows: list[PreviewRow]
    more: int
    status: str


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
        Forbidden: see `Actor.require`.
        InvalidData: the cursor is none of ours.
    """
    actor.require(Right.READ_CATALOG)
    newest = _FOUND.order_by(Promotion.created_at.desc(), Promotion.id.desc())
    applying = newest.where(not_(_OVER)).limit(MOST_ROWS + 1)
    if cursor:
        applying = applying.where(tuple_(Promotion.created_at, Promotion.id) < read_cursor(cursor))
    found = (await session.execute(applying)).all()
    over = [] if cursor else (await session.execute(newest.where(_OVER).limit(MOST_ROWS))).all()
    last = found[MOST_ROWS - 1][0] if len(found) > MOST_ROWS else None
    return OffersPage(
        rows=await _rows(session, found[:MOST_ROWS]),
        over=await _rows(session, over),
        cursor=cursor_at(last.created_at, last.id) if last else "",
    )


async def offer_page(session: AsyncSession, actor: Actor, promotion_id: str) -> OfferPage:
    """One offer; a new one where the id is empty.

    Raises:
        Forbidden: see `Actor.require`.
        NotFound: there is none.
    """
    actor.require(Right.READ_CATALOG)
    if not promotion_id:
        return OfferPage("", None, OfferForm(), await category_choices(session), False)
    found = (await session.execute(_FOUND.where(Promotion.id == promotion_id))).one_or_none()
    if found is None:
        raise NotFound(f"Promotion with id: {promotion_id} was not found")
    promotion, campaign, is_over = found
    (row,) = await _rows(session, [found])
    form = await form_of(session, promotion, campaign)
    return OfferPage(
        id=promotion.id,
        row=row,
        form=form,
        categories=await category_choices(session, form.categories if form else ()),
        can_end=not is_over,
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
        detail=" · ".join(filter(None, (_what(promotion), _when(campaign)))),
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


async def preview_offer(
    session: AsyncSession, actor: Actor, form: OfferForm, promotion_id: str = ""
) -> Preview:
    """What the form would change, at today's prices.

    Raises:
        Forbidden: see `Actor.require`.
        InvalidData: `fields` has what is wrong, by field.
    """
    actor.require(Right.READ_CATALOG)
    typed = await read_offer(session, form)
    found_status = await session.execute(select(Promotion.status).where(Promotion.id == promotion_id))
    status = found_status.scalar_one_or_none() or ""
    moment = await database_now(session)
    if typed.target == SHIPPING:
        return Preview(_words(typed, 0, status, moment), [], 0, status)
    found = (
        select(Product, Variant)
        .join(Variant, Variant.product_id == Product.id)
        .where(for_sale())
        .order_by(Variant.price.desc(), Variant.id)
    )
    if typed.target == TOYS:
        found = found.where(Product.id.in_(typed.target_ids))
    pairs = (await session.execute(found)).all()
    offer = _offer(typed)
    lines = {
        variant.id: OfferedLine(PricedLine(variant.id, 1, variant.price, product.tax_rate), facts)
        for product, variant, facts in await _with_facts(session, typed, pairs)
    }
    chosen = {line.priced.id for line in eligible(offer, list(lines.values()))}
    for_it = [(product, variant) for product, variant in pairs if variant.id in chosen]
    rows = [
        _preview_row(product, variant, offer, lines[variant.id]) for product, variant in for_it[:MOST_SHOWN]
    ]
    toys = len({product.id for product, _variant in for_it})
    return Preview(_words(typed, toys, status, moment), rows, len(for_it) - len(rows), status)


async def save_seen(
    session: AsyncSession, actor: Actor, form: OfferForm, seen: str, promotion_id: str = ""
) -> str | Preview:
    """Store what was seen in the preview, when the promotion had this status.

    Returns:
        The id of the promotion; or what it would change now, where somebody ended it, or let it apply again, since.

    Raises:
        Forbidden: see `Actor.require`.
        NotFound: there is none to change.
        InvalidData: `fields` has what is wrong, by field.
    """
    actor.require(Right.CHANGE_PROMOTIONS)
    if promotion_id and (await find_promotion(session, promotion_id)).status != seen:
        return await preview_offer(session, actor, form, promotion_id)
    return (await save_offer(session, actor, form, promotion_id)).id


async def _with_facts(
    session: AsyncSession, typed: TypedOffer, pairs: Sequence[tuple[Product, Variant]]
) -> list[tuple[Product, Variant, dict[str, frozenset[str]]]]:
    ids = {product.id for product, _variant in pairs}
    categories = await categories_of(session, ids) if typed.target == CATEGORIES else {}
    return [
        (
            product,
            variant,
            {PRODUCT: frozenset({product.id}), CATEGORY: categories.get(product.id, frozenset())},
        )
        for product, variant in pairs
    ]


def _offer(typed: TypedOffer) -> Offer:
    return Offer(
        promotion_id="",
        code=typed.code,
        method_type=typed.method,
        target_type=typed.target_type,
        allocation=Allocation.ACROSS,
        value=typed.value,
        target_rules=tuple(map(_as_rule, typed.target_rules)),
    )


def _as_rule(rule: NewRule) -> Rule:
    return Rule(rule.attribute, rule.operator, tuple(rule.values))


def _preview_row(product: Product, variant: Variant, offer: Offer, line: OfferedLine) -> PreviewRow:
    taken = sum(one.amount for one in apply_offers([offer], [line]).adjustments)
    name = variant_name(variant.title)
    return PreviewRow(
        title=f"{product.title}, {name}" if name else product.title,
        before=format_cop(variant.price),
        after=format_cop(variant.price - taken),
    )


def _words(typed: TypedOffer, toys: int, status: str, moment: datetime) -> list[str]:
    """What the offer does, as somebody would say it."""
    off = f"{typed.value} %" if typed.method is MethodType.PERCENTAGE else format_cop(typed.value)
    targets = {
        SHIPPING: _("Quita {off} del envío; nunca más de lo que cuesta."),
        ORDER: _("Quita {off} del valor de los juguetes del carrito."),
        TOYS: _("Quita {off} de los juguetes elegidos que estén en el carrito."),
        CATEGORIES: _("Quita {off} de los juguetes de esas categorías que estén en el carrito."),
    }
    words = [targets[typed.target].format(off=off)]
    if typed.target in (TOYS, CATEGORIES):
        words.append(
            counted(toys, _("Hoy es {n} juguete a la venta."), _("Hoy son {n} juguetes a la venta."))
        )
    words.append(
        _("Se aplica sola, sin código.")
        if typed.is_automatic
        else _("Se aplica a quien escriba el código {code}.").format(code=typed.code)
    )
    if typed.minimum:
        words.append(_("Desde {amount} en juguetes.").format(amount=format_cop(typed.minimum)))
    if typed.starts_at:
        words.append(_("Empieza el {day}.").format(day=date_label(typed.starts_at)))
    if typed.ends_at:
        last = date_label(last_day(typed.ends_at))
        words.append(_("Termina sola al acabarse el {day}.").format(day=last))
    if typed.limit:
        words.append(_("Usos en total: {n}.").format(n=typed.limit))
    if typed.each:
        words.append(_("Usos por cliente: {n}.").format(n=typed.each))
    if typed.ends_at and typed.ends_at <= moment:
        words.append(_("Su último día ya pasó: así no aplica."))
    elif status == PromotionStatus.DRAFT:
        words.append(_("Es un borrador: al guardarla empieza a aplicar."))
    elif status == PromotionStatus.INACTIVE:
        words.append(_("Está terminada: al guardarla vuelve a aplicar."))
    return words
