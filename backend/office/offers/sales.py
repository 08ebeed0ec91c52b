"""Sales in the office: the list, the screen of one sale with its prices, and its form with a preview."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from sqlalchemy import func, not_, select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.catalog.models import Product, Variant, variant_name
from backend.catalog.price_lists.models import IS_OVER, PriceList, PriceListPrice, PriceState
from backend.catalog.price_lists.price_plan import (
    IS_ON_SALE,
    MAX_DISCOUNT_PERCENT,
    Method,
    PlannedPrice,
    Problem,
    Rule,
    Target,
    Window,
    plan_fingerprint,
    plan_sale,
    price_without_sales,
)
from backend.catalog.price_lists.service import Sale, find_sale, save_sale, set_end
from backend.core.dates import date_label, day_begin, last_day, short_time_label
from backend.core.db.database import database_now
from backend.core.db.tables import get_or_404
from backend.core.error_texts import CHECK_FIELDS
from backend.core.errors import InvalidData
from backend.core.money import MAX_AMOUNT, format_cop, parse_pesos
from backend.core.texts import _
from backend.core.web.contact import to_one_line
from backend.office.offers.filling import format_day, is_day
from backend.office.offers.form import (
    CATEGORIES,
    PRODUCTS,
    OfferForm,
    find_targets,
    list_existing_products,
    parse_day,
)
from backend.office.offers.listing import Choice, SaleRow, category_choices
from backend.office.offers.preview import CHANGED_SINCE
from backend.office.product_picker import PickerRow, read_picker_rows
from backend.office.views import ChipView
from backend.staff.rights import Actor, Right

ALL = "all"
TARGETS = {ALL: Target.ALL, PRODUCTS: Target.PRODUCTS, CATEGORIES: Target.CATEGORIES}
MAX_TITLE_LENGTH = 60
MAX_ENDED_SALES = 200
"""Maximum number of ended sales in the list."""
MAX_SHOWN_PRICES = 500
"""Maximum number of prices in a preview or of a sale."""
PROBLEMS = {
    Problem.NOT_LOWER: _("No baja: quedaría en cero, o no sería menor que su precio"),
    Problem.OTHER_SALE: _("Está en otra rebaja de esos días"),
    Problem.GONE: _("Ya no está"),
}
FAR_FUTURE = timedelta(days=365_000)


@dataclass(frozen=True, slots=True)
class SaleForm:
    """Values of the form, as texts.

    Attributes:
        method: `percentage`, or `fixed` (pesos).
        target: the products of the sale: one of `TARGETS`.
        product_ids: as in `OfferForm`.
        categories: ids of categories.
        starts, ends: days (`2026-12-01`), both included; without a first day, the sale starts immediately.
    """

    title: str = ""
    method: str = Method.PERCENTAGE
    value: str = ""
    target: str = ALL
    product_ids: str = ""
    categories: list[str] = field(default_factory=list)
    starts: str = ""
    ends: str = ""


@dataclass(frozen=True, slots=True)
class SalePrice:
    """A variant's price before the sale and during the sale.

    If the price stays the same, `after` is empty and `note` has the reason.
    """

    title: str
    before: str
    after: str
    note: str = ""


@dataclass(frozen=True, slots=True)
class SalePreview:
    """The effect of a sale: sentences, the first prices, and the number of further prices.

    `seen` is a hash of the planned prices. `version` is the current version of the sale, empty for a new one.
    """

    words: list[str]
    rows: list[SalePrice]
    more: int
    seen: str
    can_save: bool
    version: str


@dataclass(frozen=True, slots=True)
class SalePage:
    """One sale, or a new sale with an empty `id`.

    Attributes:
        form: the editable values; None once the sale has started, or if an API client set its prices.
        last_day: the final day, which can be changed; empty once the sale has ended.
        rows: the first prices of the sale; `more`: number of further prices.
        version: the version of the stored sale, from `_version_of`.
        products: the products of the form's field `product_ids`.
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
    products: list[PickerRow] = field(default_factory=list)


async def sales_list(session: AsyncSession, actor: Actor) -> tuple[list[SaleRow], list[SaleRow]]:
    """Return the current and future sales, and the newest ended sales. Both lists have the newest sale first."""
    actor.require(Right.READ_CATALOG)
    newest = select(PriceList).order_by(PriceList.created_at.desc(), PriceList.id.desc())
    running = (await session.execute(newest.where(not_(IS_OVER)))).scalars().all()
    over = (await session.execute(newest.where(IS_OVER).limit(MAX_ENDED_SALES))).scalars().all()
    moment = await database_now(session)
    return [_sale_row(sale, moment) for sale in running], [_sale_row(sale, moment) for sale in over]


async def sale_page(session: AsyncSession, actor: Actor, list_id: str) -> SalePage:
    """Return one sale, or a new sale if the id is empty.

    Raises:
        NotFound: the sale does not exist.
    """
    actor.require(Right.READ_CATALOG)
    if not list_id:
        return SalePage("", None, SaleForm(), await category_choices(session))
    sale = await get_or_404(session, select(PriceList).where(PriceList.id == list_id), "Price list", list_id)
    moment = await database_now(session)
    is_over = sale.is_over(moment)
    is_settled = is_over or sale.has_begun(moment) or sale.rule["method"] == Method.PRICES
    form = None if is_settled else await _form_of(session, sale)
    rows, more = await _read_prices(session, list_id)
    return SalePage(
        id=list_id,
        row=_sale_row(sale, moment),
        form=form,
        categories=await category_choices(session, form.categories if form else ()),
        last_day="" if is_over else format_day(sale.ends_at, -1),
        can_end=not is_over,
        rows=rows,
        more=more,
        version=_version_of(sale),
        products=await read_picker_rows(session, actor, form.product_ids.split()) if form else [],
    )


async def preview_sale(
    session: AsyncSession, actor: Actor, form: SaleForm, list_id: str = "", version: str = ""
) -> SalePreview:
    """Return the effect that the sale in the form would have on each price.

    `version` is the sale's version when the form was filled.

    Raises:
        InvalidData: `fields` has the errors by field.
    """
    actor.require(Right.READ_CATALOG)
    sale = await _parse_sale(session, form)
    query = select(PriceList).where(PriceList.id == list_id)
    stored = (await session.execute(query)).scalar_one_or_none()
    planned = await plan_sale(session, sale.rule, sale.window, list_id)
    return _sale_preview(sale, planned, stored, version)


async def save_previewed_sale(
    session: AsyncSession, actor: Actor, form: SaleForm, seen: str, list_id: str = "", *, version: str = ""
) -> str | SalePreview:
    """Store the form if neither the planned prices (`seen`) nor the sale (`version`) changed since the preview.

    Returns:
        The id of the sale; or a new preview if something changed.

    Raises:
        NotFound: the sale does not exist.
        NotAllowed: the sale has started.
        InvalidData: `fields` has the errors by field.
    """
    actor.require(Right.CHANGE_PROMOTIONS)
    sale = await _parse_sale(session, form)
    stored = await find_sale(session, list_id) if list_id else None
    planned = await plan_sale(session, sale.rule, sale.window, list_id)
    if plan_fingerprint(planned) != seen or (stored and _version_of(stored) != version):
        return _sale_preview(sale, planned, stored, version)
    return await save_sale(session, actor, sale, planned, list_id)


async def change_end(session: AsyncSession, actor: Actor, list_id: str, last_day: str) -> None:
    """Change the final day of a sale that has not ended.

    Raises:
        NotFound: the sale does not exist.
        NotAllowed: the sale has ended.
        InvalidData: `fields` has the errors by field.
    """
    problems: dict[str, str] = {}
    day = parse_day(last_day, "last_day", problems)
    if day is None:
        raise InvalidData(CHECK_FIELDS, fields={"last_day": _("Escribe una fecha.")})
    try:
        await set_end(session, actor, list_id, day_begin(day + timedelta(days=1)))
    except InvalidData:
        words = _(
            "Elige un día que no haya pasado, y antes de que empiece otra rebaja de los mismos productos."
        )
        raise InvalidData(CHECK_FIELDS, fields={"last_day": words}) from None


async def _parse_sale(session: AsyncSession, form: SaleForm) -> Sale:
    problems: dict[str, str] = {}
    title = to_one_line(form.title)
    if not title or len(title) > MAX_TITLE_LENGTH:
        problems["title"] = _("Escribe un nombre de hasta 60 letras.")
    is_percentage = form.method != Method.FIXED
    value = parse_pesos(form.value.removesuffix("%")) or 0
    if not 1 <= value <= (MAX_DISCOUNT_PERCENT if is_percentage else MAX_AMOUNT):
        problems["value"] = (
            _("Escribe un porcentaje entre 1 y 90.")
            if is_percentage
            else _("Escribe cuántos pesos se descuentan.")
        )
    moment = await database_now(session)
    first = parse_day(form.starts, "starts", problems)
    last = parse_day(form.ends, "ends", problems)
    starts_at = max(day_begin(first), moment) if first else moment
    ends_at = day_begin(last + timedelta(days=1)) if last else starts_at + FAR_FUTURE
    if last is None:
        problems.setdefault("ends", _("Escribe el último día."))
    elif ends_at <= starts_at:
        problems["ends"] = _("Termina antes de empezar, o antes de hoy.")
    if form.target not in TARGETS:
        problems["target"] = CHECK_FIELDS
    named = OfferForm(target=form.target, product_ids=form.product_ids, categories=form.categories)
    target_ids = await find_targets(session, named, problems)
    if problems:
        raise InvalidData(CHECK_FIELDS, fields=problems)
    method = Method.PERCENTAGE if is_percentage else Method.FIXED
    return Sale(title, Rule(method, value, TARGETS[form.target], target_ids), Window(starts_at, ends_at))


async def _form_of(session: AsyncSession, sale: PriceList) -> SaleForm:
    rule = Rule(**sale.rule)
    target = next(name for name, one in TARGETS.items() if one == rule.target)
    product_ids = await list_existing_products(session, rule.target_ids) if target == PRODUCTS else []
    return SaleForm(
        title=sale.title,
        method=rule.method,
        value=str(rule.value),
        target=target,
        product_ids=" ".join(product_ids),
        categories=list(rule.target_ids) if target == CATEGORIES else [],
        starts=format_day(sale.starts_at),
        ends=format_day(sale.ends_at, -1),
    )


async def _read_prices(session: AsyncSession, list_id: str) -> tuple[list[SalePrice], int]:
    """Return the first `MAX_SHOWN_PRICES` prices of the sale, and the number of further prices."""
    of_list = PriceListPrice.price_list_id == list_id
    count = (await session.execute(select(func.count()).where(of_list))).scalar_one()
    query = (
        select(PriceListPrice, Variant, Product.title, Product.deleted_at, IS_ON_SALE)
        .join(Variant, Variant.id == PriceListPrice.variant_id)
        .join(Product, Product.id == PriceListPrice.product_id)
        .where(of_list)
        .order_by(Product.title_key, Product.id, Variant.rank, Variant.id)
        .limit(MAX_SHOWN_PRICES)
    )
    found = (await session.execute(query)).all()
    rows = []
    for price, variant, title, deleted_at, is_on_sale in found:
        problem = Problem.GONE if deleted_at is not None else price.problem
        is_skipped = price.state == PriceState.SKIPPED
        now = price_without_sales(variant.price, variant.compare_at_price, is_on_sale=is_on_sale)
        rows.append(
            SalePrice(
                _price_title(title, variant.title),
                format_cop(now if price.before is None else price.before),
                "" if is_skipped else format_cop(price.amount),
                PROBLEMS[Problem(problem)] if problem else "",
            )
        )
    return rows, count - len(rows)


def _price_title(title: str, variant_title: str) -> str:
    name = variant_name(variant_title)
    return f"{title}, {name}" if name else title


def _sale_row(sale: PriceList, moment: datetime) -> SaleRow:
    return SaleRow(sale.id, sale.title, _describe_sale(sale), _chip(sale, moment))


def _describe_sale(sale: PriceList) -> str:
    """Describe the discount and the dates of a sale."""
    rule = Rule(**sale.rule)
    words = {
        Target.ALL: _("{off} menos en todos los productos"),
        Target.PRODUCTS: _("{off} menos en algunos productos"),
        Target.CATEGORIES: _("{off} menos en algunas categorías"),
    }
    if rule.method == Method.PRICES:
        parts = [_("Precios que puso otro programa")]
    else:
        parts = [words[Target(rule.target)].format(off=_format_discount(rule))]
    parts.append(_("desde el {day}").format(day=short_time_label(sale.starts_at)))
    end = sale.ended_at or sale.ends_at
    if end is not None:
        parts.append(_("hasta el {day}").format(day=short_time_label(end)))
    return " · ".join(parts)


def _version_of(sale: PriceList) -> str:
    """Return a hash that changes with each change of the sale."""
    state = (sale.title, sorted(sale.rule.items()), sale.starts_at, sale.ends_at, sale.ended_at)
    return hashlib.sha256(repr(state).encode()).hexdigest()


def _chip(sale: PriceList, moment: datetime) -> ChipView:
    if sale.is_over(moment):
        return ChipView(_("Terminada"), "plain")
    return ChipView(_("Activa"), "good") if sale.has_begun(moment) else ChipView(_("Empieza después"), "wait")


def _format_discount(rule: Rule) -> str:
    return f"{rule.value} %" if rule.method == Method.PERCENTAGE else format_cop(rule.value)


def _sale_preview(
    sale: Sale, planned: Sequence[PlannedPrice], stored: PriceList | None, version: str
) -> SalePreview:
    """Return the preview of the planned prices, with a warning if the stored sale changed since the form was filled.

    `stored` is the stored sale; None for a new one. `version` is its version when the form was filled.
    """
    stored_version = _version_of(stored) if stored else ""
    lowered = sum(one.amount is not None for one in planned)
    starts_at, ends_at = sale.window.starts_at, sale.window.ends_at
    words = [
        *(
            [CHANGED_SINCE.format(told=_describe_sale(stored))]
            if stored and stored_version != version
            else []
        ),
        _("Precios que bajan: {n}, con {off} menos.").format(n=lowered, off=_format_discount(sale.rule)),
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
        for one in planned[:MAX_SHOWN_PRICES]
    ]
    return SalePreview(
        words, rows, len(planned) - len(rows), plan_fingerprint(planned), lowered > 0, stored_version
    )
