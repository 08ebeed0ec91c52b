"""Sales as the office shows and writes them: the list, one of them with its prices, and a form with its preview."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from sqlalchemy import func, not_, select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.catalog.models import Product, Variant, variant_name
from backend.catalog.price_lists.models import OVER, PriceList, PriceListPrice, PriceState
from backend.catalog.price_lists.price_plan import (
    IS_ON_SALE,
    MOST_OFF,
    Method,
    Planned,
    Problem,
    Rule,
    Target,
    Window,
    fingerprint,
    plan,
    price_without_sales,
)
from backend.catalog.price_lists.service import Sale, find_sale, save_sale, set_end
from backend.core.dates import date_label, day_begin, last_day, short_time_label
from backend.core.db.database import database_now
from backend.core.db.tables import get_or_404
from backend.core.error_texts import CHECK_FIELDS
from backend.core.errors import InvalidData
from backend.core.money import MAX_AMOUNT, format_cop, typed_pesos
from backend.core.texts import _
from backend.core.web.contact import one_line
from backend.office.offers.form import (
    CATEGORIES,
    TOYS,
    OfferForm,
    is_day,
    read_day,
    read_targets,
    typed_day,
)
from backend.office.offers.listing import Choice, SaleRow, category_choices
from backend.office.offers.preview import CHANGED_SINCE
from backend.office.product_names import names_of_toys
from backend.office.views import ChipView
from backend.staff.rights import Actor, Right

ALL = "all"
TARGETS = {ALL: Target.ALL, TOYS: Target.PRODUCTS, CATEGORIES: Target.CATEGORIES}
LONGEST_TITLE = 60
MOST_SALES = 200
"""Those that are over."""
MOST_SHOWN = 500
"""Prices of a preview, and of a sale."""
PROBLEMS = {
    Problem.NOT_LOWER: _("No baja: quedaría en cero, o no sería menor que su precio"),
    Problem.OTHER_SALE: _("Está en otra rebaja de esos días"),
    Problem.GONE: _("Ya no está"),
}
FAR = timedelta(days=365_000)


@dataclass(frozen=True, slots=True)
class SaleForm:
    """What the form holds, as texts.

    Attributes:
        method: `percentage`, or `fixed` (pesos).
        target: one of `TARGETS`.
        toys: titles or codes (SKU) of toys, one a line.
        categories: the ids of categories.
        starts, ends: days (`2026-12-01`), the last one included; without a first, it begins at once.
    """

    title: str = ""
    method: str = Method.PERCENTAGE
    value: str = ""
    target: str = ALL
    toys: str = ""
    categories: list[str] = field(default_factory=list)
    starts: str = ""
    ends: str = ""


@dataclass(frozen=True, slots=True)
class SalePrice:
    """A toy's price before and in the sale; `after` is empty, and `note` says why, where it is left alone."""

    title: str
    before: str
    after: str
    note: str = ""


@dataclass(frozen=True, slots=True)
class SalePreview:
    """What a sale would do: in words, price by price, and how many more there are.

    `seen` tells it from another; `version`: how the sale stands before (`_version_of`), empty for a new one.
    """

    words: list[str]
    rows: list[SalePrice]
    more: int
    seen: str
    can_save: bool
    version: str


@dataclass(frozen=True, slots=True)
class SalePage:
    """One sale, or a new one (`id` is empty then).

    Attributes:
        form: what can be changed of it; None once it has begun.
        last_day: of one that runs, so that another can be chosen; empty when it is over.
        rows: its prices; `more` are not shown.
        version: how it stood: see `_version_of`.
    """

    id: str
    row: SaleRow | None
    form: SaleForm | None
    categories: list[Choice]
    last_day: str = ""
    can_end: bool = False
    rows: list[SalePrice] = field(default_factory=list)
    more: int = 0
    version: str = ""


async def sales_list(session: AsyncSession, actor: Actor) -> tuple[list[SaleRow], list[SaleRow]]:
    """The sales, newest first: those that run or will, and the newest of those that are over."""
    actor.require(Right.READ_CATALOG)
    newest = select(PriceList).order_by(PriceList.created_at.desc(), PriceList.id.desc())
    running = (await session.execute(newest.where(not_(OVER)))).scalars().all()
    over = (await session.execute(newest.where(OVER).limit(MOST_SALES))).scalars().all()
    moment = await database_now(session)
    return [_row(sale, moment) for sale in running], [_row(sale, moment) for sale in over]


async def sale_page(session: AsyncSession, actor: Actor, list_id: str) -> SalePage:
    """One sale; a new one where the id is empty.

    Raises:
        NotFound: there is none.
    """
    actor.require(Right.READ_CATALOG)
    if not list_id:
        return SalePage("", None, SaleForm(), await category_choices(session))
    sale = await get_or_404(session, select(PriceList).where(PriceList.id == list_id), "Price list", list_id)
    moment = await database_now(session)
    is_over = sale.is_over(moment)
    is_settled = is_over or sale.has_begun(moment) or sale.rule["method"] == Method.PRICES
    form = None if is_settled else await _form_of(session, sale)
    rows, more = await _prices(session, list_id)
    return SalePage(
        id=list_id,
        row=_row(sale, moment),
        form=form,
        categories=await category_choices(session, form.categories if form else ()),
        last_day="" if is_over else typed_day(sale.ends_at, -1),
        can_end=not is_over,
        rows=rows,
        more=more,
        version=_version_of(sale),
    )


async def preview_sale(
    session: AsyncSession, actor: Actor, form: SaleForm, list_id: str = "", version: str = ""
) -> SalePreview:
    """What the form would do, price by price. `version` is that of the sale that it was made of.

    Raises:
        InvalidData: `fields` has what is wrong, by field.
    """
    actor.require(Right.READ_CATALOG)
    sale = await _read(session, form)
    query = select(PriceList).where(PriceList.id == list_id)
    standing = (await session.execute(query)).scalar_one_or_none()
    planned = await plan(session, sale.rule, sale.window, list_id)
    return _preview(sale, planned, standing, version)


async def save_seen(
    session: AsyncSession, actor: Actor, form: SaleForm, seen: str, list_id: str = "", *, version: str = ""
) -> str | SalePreview:
    """Store what was seen in the preview, when the sale had this version.

    Returns:
        The id of the sale; or what it would do now, where that is something else than what was seen.

    Raises:
        NotFound: there is none to change.
        NotAllowed: it has begun.
        InvalidData: `fields` has what is wrong, by field.
    """
    actor.require(Right.CHANGE_PROMOTIONS)
    sale = await _read(session, form)
    standing = await find_sale(session, list_id) if list_id else None
    planned = await plan(session, sale.rule, sale.window, list_id)
    if fingerprint(planned) != seen or (standing and _version_of(standing) != version):
        return _preview(sale, planned, standing, version)
    return await save_sale(session, actor, sale, planned, list_id)


async def move_end(session: AsyncSession, actor: Actor, list_id: str, last_day: str) -> None:
    """Have a sale that runs end with another day.

    Raises:
        NotFound: there is none.
        NotAllowed: it is over.
        InvalidData: `fields` has what is wrong, by field.
    """
    problems: dict[str, str] = {}
    day = read_day(last_day, "last_day", problems)
    if day is None:
        raise InvalidData(CHECK_FIELDS, fields={"last_day": _("Escribe una fecha.")})
    try:
        await set_end(session, actor, list_id, day_begin(day + timedelta(days=1)))
    except InvalidData:
        words = _(
            "Elige un día que no haya pasado, y antes de que empiece otra rebaja de los mismos juguetes."
        )
        raise InvalidData(CHECK_FIELDS, fields={"last_day": words}) from None


async def _read(session: AsyncSession, form: SaleForm) -> Sale:
    problems: dict[str, str] = {}
    title = one_line(form.title)
    if not title or len(title) > LONGEST_TITLE:
        problems["title"] = _("Escribe un nombre de hasta 60 letras.")
    is_percentage = form.method != Method.FIXED
    value = typed_pesos(form.value.removesuffix("%")) or 0
    if not 1 <= value <= (MOST_OFF if is_percentage else MAX_AMOUNT):
        problems["value"] = (
            _("Escribe un porcentaje entre 1 y 90.")
            if is_percentage
            else _("Escribe cuántos pesos se descuentan.")
        )
    moment = await database_now(session)
    first = read_day(form.starts, "starts", problems)
    last = read_day(form.ends, "ends", problems)
    starts_at = max(day_begin(first), moment) if first else moment
    ends_at = day_begin(last + timedelta(days=1)) if last else starts_at + FAR
    if last is None:
        problems.setdefault("ends", _("Escribe el último día."))
    elif ends_at <= starts_at:
        problems["ends"] = _("Termina antes de empezar, o antes de hoy.")
    if form.target not in TARGETS:
        problems["target"] = CHECK_FIELDS
    named = OfferForm(target=form.target, toys=form.toys, categories=form.categories)
    target_ids = await read_targets(session, named, problems)
    if problems:
        raise InvalidData(CHECK_FIELDS, fields=problems)
    method = Method.PERCENTAGE if is_percentage else Method.FIXED
    return Sale(title, Rule(method, value, TARGETS[form.target], target_ids), Window(starts_at, ends_at))


async def _form_of(session: AsyncSession, sale: PriceList) -> SaleForm:
    rule = Rule(**sale.rule)
    target = next(name for name, one in TARGETS.items() if one == rule.target)
    toys = await names_of_toys(session, rule.target_ids) if target == TOYS else {}
    return SaleForm(
        title=sale.title,
        method=rule.method,
        value=str(rule.value),
        target=target,
        toys="\n".join(toys.values()),
        categories=list(rule.target_ids) if target == CATEGORIES else [],
        starts=typed_day(sale.starts_at),
        ends=typed_day(sale.ends_at, -1),
    )


async def _prices(session: AsyncSession, list_id: str) -> tuple[list[SalePrice], int]:
    """The prices of the list, and how many more there are."""
    of_list = PriceListPrice.price_list_id == list_id
    count = (await session.execute(select(func.count()).where(of_list))).scalar_one()
    query = (
        select(PriceListPrice, Variant, Product.title, Product.deleted_at, IS_ON_SALE)
        .join(Variant, Variant.id == PriceListPrice.variant_id)
        .join(Product, Product.id == PriceListPrice.product_id)
        .where(of_list)
        .order_by(Product.title_key, Product.id, Variant.rank, Variant.id)
        .limit(MOST_SHOWN)
    )
    found = (await session.execute(query)).all()
    rows = []
    for price, variant, title, deleted_at, is_on_sale in found:
        problem = Problem.GONE if deleted_at is not None else price.problem
        is_skipped = price.state == PriceState.SKIPPED
        now = price_without_sales(variant.price, variant.compare_at_price, is_on_sale=is_on_sale)
        rows.append(
            SalePrice(
                _named(title, variant.title),
                format_cop(now if price.before is None else price.before),
                "" if is_skipped else format_cop(price.amount),
                PROBLEMS[Problem(problem)] if problem else "",
            )
        )
    return rows, count - len(rows)


def _named(title: str, variant_title: str) -> str:
    name = variant_name(variant_title)
    return f"{title}, {name}" if name else title


def _row(sale: PriceList, moment: datetime) -> SaleRow:
    return SaleRow(sale.id, sale.title, _told_of(sale), _chip(sale, moment))


def _told_of(sale: PriceList) -> str:
    """What a sale takes off, and when."""
    rule = Rule(**sale.rule)
    words = {
        Target.ALL: _("{off} menos en todos los juguetes"),
        Target.PRODUCTS: _("{off} menos en algunos juguetes"),
        Target.CATEGORIES: _("{off} menos en algunas categorías"),
    }
    if rule.method == Method.PRICES:
        parts = [_("Precios que puso otro programa")]
    else:
        parts = [words[Target(rule.target)].format(off=_off(rule))]
    parts.append(_("desde el {day}").format(day=short_time_label(sale.starts_at)))
    end = sale.ended_at or sale.ends_at
    if end is not None:
        parts.append(_("hasta el {day}").format(day=short_time_label(end)))
    return " · ".join(parts)


def _version_of(sale: PriceList) -> str:
    """What tells whether somebody has changed it."""
    told = (sale.title, sorted(sale.rule.items()), sale.starts_at, sale.ends_at, sale.ended_at)
    return hashlib.sha256(repr(told).encode()).hexdigest()


def _chip(sale: PriceList, moment: datetime) -> ChipView:
    if sale.is_over(moment):
        return ChipView(_("Terminada"), "plain")
    return ChipView(_("Activa"), "good") if sale.has_begun(moment) else ChipView(_("Empieza después"), "wait")


def _off(rule: Rule) -> str:
    return f"{rule.value} %" if rule.method == Method.PERCENTAGE else format_cop(rule.value)


def _preview(sale: Sale, planned: Sequence[Planned], standing: PriceList | None, version: str) -> SalePreview:
    """`standing` is the sale as it is stored, `version` that of which the form was made."""
    stands = _version_of(standing) if standing else ""
    lowered = sum(one.amount is not None for one in planned)
    starts_at, ends_at = sale.window.starts_at, sale.window.ends_at
    words = [
        *([CHANGED_SINCE.format(told=_told_of(standing))] if standing and stands != version else []),
        _("Precios que bajan: {n}, con {off} menos.").format(n=lowered, off=_off(sale.rule)),
        _("Empieza el {day}.").format(day=date_label(starts_at))
        if is_day(starts_at)
        else _("Empieza enseguida."),
    ]
    if ends_at is not None:
        last = date_label(last_day(ends_at))
        words.append(_("Termina sola al acabarse el {day}, y vuelven los precios de antes.").format(day=last))
    if lowered < len(planned):
        words.append(_("Precios que no cambian: {n}.").format(n=len(planned) - lowered))
    rows = [
        SalePrice(
            one.title,
            format_cop(one.before),
            "" if one.amount is None else format_cop(one.amount),
            PROBLEMS[one.problem] if one.problem else "",
        )
        for one in planned[:MOST_SHOWN]
    ]
    return SalePreview(words, rows, len(planned) - len(rows), fingerprint(planned), lowered > 0, stands)
