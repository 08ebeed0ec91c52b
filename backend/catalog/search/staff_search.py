"""Finding products as staff do: published or not, by words and codes, and by what is missing or runs out.

A word finds the products that have a term which begins with it (`product_term`): words of the title and the handle,
SKU and bar code. Where few products meet all that is asked for, they are found once and then known by their ids; where
many do, the products are asked one by one in the order of the list. So both are quick in a large shop, on both
databases.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import (
    ColumnElement,
    Select,
    and_,
    exists,
    false,
    func,
    not_,
    or_,
    select,
    tuple_,
    union,
)
from sqlalchemy.ext.asyncio import AsyncSession

from backend.catalog.category_tree import read_tree
from backend.catalog.derived_models import ProductTerm
from backend.catalog.models import Picture, Product, ProductCategory, Variant, for_sale, is_hidden
from backend.catalog.search.query_words import MAX_QUERY_WORDS, words_of
from backend.core.collation import AFTER_ANY_LETTER
from backend.core.db.database import planned_for
from backend.core.errors import InvalidData
from backend.inventory.models import FREE_UNITS, InventoryLevel
from backend.office_settings import read_low_stock

MOST_FEW = 2_000
"""More products than these are not looked up by their ids."""
MOST_SIZED = 20_000
SEPARATOR = "|"


@dataclass(frozen=True, slots=True)
class ProductFilter:
    """Which products; what is empty, None or False does not matter.

    Attributes:
        text: beginnings of words of the title or the handle, or a code (SKU, EAN) or its beginning.
        is_published: whether shoppers see it.
        category: the handle of a category that it stands in, or of one above that.
        has_picture: whether it has any.
        has_weight: whether it has one; without, it is shipped as 1 kg.
        is_low: whether so few units of a variant are left at a location as the product says, or else the office.
        is_sold_out: no unit of it can be sold.
    """

    text: str = ""
    is_published: bool | None = None
    category: str = ""
    has_picture: bool | None = None
    has_weight: bool | None = None
    is_low: bool | None = None
    is_sold_out: bool = False
    is_on_sale: bool = False
    is_featured: bool = False


@dataclass(frozen=True, slots=True)
class _Part:
    """One condition: `ids` finds the products that meet it, `holds` asks it of one.

    `looks_at_all`: finding them is to look at every product, and only done where there is nothing else to begin with.
    """

    ids: Select[str]
    holds: ColumnElement[bool]
    looks_at_all: bool = False


async def conditions_of(session: AsyncSession, wanted: ProductFilter) -> list[ColumnElement[bool]]:
    """What the rows of `Product` must meet. Whoever shows them has checked the right to see the catalogue."""
    conditions: list[ColumnElement[bool]] = [Product.deleted_at.is_(None)]
    if wanted.is_published is not None:
        conditions.append(for_sale() if wanted.is_published else is_hidden())
    if wanted.has_weight is not None:
        conditions.append(Product.weight.is_not(None) if wanted.has_weight else Product.weight.is_(None))
    if wanted.is_featured:
        conditions.append(Product.featured.is_(True))
    code = wanted.text.strip()
    if code and (variant := await variant_with_code(session, code)) is not None:
        conditions.append(Product.id == variant.product_id)
        code = ""
    parts = [*_words(code), *await _places(session, wanted)]
    few = await _few_of(session, parts)
    met = [part.holds for part in parts] if few is None else [Product.id.in_(sorted(few))]
    return [*conditions, *met]


async def variant_with_code(session: AsyncSession, code: str) -> Variant | None:
    """The variant of a kept product that has just this SKU or bar code."""
    query = (
        select(Variant)
        .join(Product, Product.id == Variant.product_id)
        .where(or_(Variant.sku == code, Variant.ean == code), Product.deleted_at.is_(None))
        .order_by(Variant.sku != code, Variant.id)
        .limit(1)
    )
    return (await session.execute(query)).scalars().first()


async def by_title(
    session: AsyncSession, conditions: Sequence[ColumnElement[bool]], limit: int, cursor: str = ""
) -> tuple[list[str], str]:
    """Products in the order of their titles.

    Args:
        session: for reading.
        conditions: what they must meet.
        limit: how many at most.
        cursor: where the page before ended; empty for the first.

    Returns:
        Their ids, and the cursor of the next page; empty where there is none.

    Raises:
        InvalidData: the cursor is none of ours.
    """
    query = select(Product.id, Product.title_key).where(*conditions)
    if cursor:
        title_key, separator, last = cursor.rpartition(SEPARATOR)
        if not separator:
            raise InvalidData("The cursor is none of ours")
        query = query.where(tuple_(Product.title_key, Product.id) > (title_key, last))
    query = query.order_by(Product.title_key, Product.id).limit(planned_for(limit + 1))
    found = (await session.execute(query)).all()
    shown = found[:limit]
    following = f"{shown[-1].title_key}{SEPARATOR}{shown[-1].id}" if len(found) > limit else ""
    return [product_id for product_id, _title_key in shown], following


async def count_up_to(session: AsyncSession, conditions: Sequence[ColumnElement[bool]], most: int) -> int:
    """How many products meet these; no more than `most` are counted."""
    some = select(Product.id).where(*conditions).limit(planned_for(most)).subquery()
    return (await session.execute(select(func.count()).select_from(some))).scalar_one()


def _words(text: str) -> list[_Part]:
    """One part for each word."""
    if not text:
        return []
    words = words_of(text)[:MAX_QUERY_WORDS]
    if not words:
        return [_Part(select(Product.id).where(false()), false())]
    parts = []
    for word in sorted(words, key=len, reverse=True):  # the longest is the likeliest to be rare
        first, last = planned_for(word), planned_for(word + AFTER_ANY_LETTER)
        begins = (ProductTerm.term >= first) & (ProductTerm.term < last)
        with_word = select(ProductTerm.product_id).where(begins)
        parts.append(_Part(with_word, exists().where(ProductTerm.product_id == Product.id, begins)))
    return parts


async def _places(session: AsyncSession, wanted: ProductFilter) -> list[_Part]:
    parts = []
    if wanted.category:
        ids = (await read_tree(session)).with_descendants([wanted.category])
        inside = ProductCategory.category_id.in_(sorted(ids))
        within = exists().where(ProductCategory.product_id == Product.id, inside)
        parts.append(_Part(select(ProductCategory.product_id).where(inside), within))
    if wanted.is_low is not None:
        usual = await read_low_stock(session)
        own = func.coalesce(Product.low_stock_at, usual)
        most = (await session.execute(select(func.max(Product.low_stock_at)))).scalar_one()
        levels = (
            select(Variant.product_id)
            .join(InventoryLevel, InventoryLevel.variant_id == Variant.id)
            .where(planned_for(max(most or 0, usual)) >= FREE_UNITS)
        )
        low = levels.join(Product, Product.id == Variant.product_id).where(own >= FREE_UNITS)
        held = levels.where(Variant.product_id == Product.id, own >= FREE_UNITS).correlate(Product).exists()
        enough = select(Product.id).where(Product.deleted_at.is_(None), not_(held))
        parts.append(_Part(low, held) if wanted.is_low else _Part(enough, not_(held)))
    if wanted.is_sold_out:
        parts.append(_sold_out())
    if wanted.is_on_sale:
        lower = Variant.compare_at_price > Variant.price
        on_sale = select(Variant.product_id).where(lower)
        parts.append(_Part(on_sale, exists().where(Variant.product_id == Product.id, lower)))
    if wanted.has_picture is not None:
        pictured = exists().where(Picture.product_id == Product.id)
        holds = pictured if wanted.has_picture else not_(pictured)
        # deleted ones too, which the caller leaves out: so SQLite reads no row, only the index of ids
        parts.append(_Part(select(Product.id).where(holds), holds, looks_at_all=True))
    return parts


def _sold_out() -> _Part:
    level_of = InventoryLevel.variant_id == Variant.id
    empty = select(Variant.product_id).join(InventoryLevel, level_of).where(planned_for(0) >= FREE_UNITS)
    never = select(Variant.product_id).where(not_(exists().where(level_of)))
    candidates = union(empty, never).subquery()
    some = (
        select(Variant.id)
        .join(InventoryLevel, level_of)
        .where(Variant.product_id == Product.id, FREE_UNITS > 0)
        .correlate(Product)
    )
    sold_out = select(Product.id).join(candidates, candidates.c.product_id == Product.id)
    return _Part(
        sold_out.where(Product.deleted_at.is_(None), not_(some.exists())),
        and_(exists().where(Variant.product_id == Product.id), not_(some.exists())),
    )


async def _few_of(session: AsyncSession, parts: Sequence[_Part]) -> set[str] | None:
    """The products that meet every part, if they are few; None when they are many.

    A part that few meet is looked up, and those are asked for the others. Where many meet each, the database is asked
    for all of them together, beginning with the part that fewest meet.
    """
    can_begin = [place for place, part in enumerate(parts) if not part.looks_at_all] or range(len(parts))
    for place in can_begin:
        part = parts[place]
        if (few := await _few(session, part.ids)) is not None:
            others = _holds_but(parts, place)
            asked = select(Product.id).where(Product.id.in_(sorted(few)), *others)
            return few if not few or not others else await _few(session, asked)
    if len(parts) < 2:
        return None
    sizes = {place: await _size(session, parts[place].ids) for place in can_begin}
    place = min(sizes, key=lambda place: sizes[place])
    fewest = parts[place].ids.subquery()
    together = select(Product.id).join(fewest, fewest.c[0] == Product.id)
    return await _few(session, together.where(*_holds_but(parts, place)))


def _holds_but(parts: Sequence[_Part], place: int) -> list[ColumnElement[bool]]:
    return [part.holds for part in (*parts[:place], *parts[place + 1 :])]


async def _size(session: AsyncSession, ids: Select[str]) -> int:
    """How many rows the query finds; no more than `MOST_SIZED` are counted."""
    some = ids.limit(planned_for(MOST_SIZED)).subquery()
    return (await session.execute(select(func.count()).select_from(some))).scalar_one()


async def _few(session: AsyncSession, ids: Select[str]) -> set[str] | None:
    """The products that the query finds; None when they are many."""
    found = (await session.execute(ids.limit(planned_for(MOST_FEW + 1)))).scalars().all()
    return None if len(found) > MOST_FEW else set(found)
