"""Product search for staff: published and hidden products, by words, by codes, by missing data and by low stock.

A query word matches products with a term that begins with it (`product_term`). The terms are the words of title and
handle, the SKUs and the bar codes. If few products match all conditions, one query reads their ids. If many match,
the search goes through the sorted list of products and tests each of them. So both cases are fast in a large shop,
on PostgreSQL and on SQLite.
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
from backend.catalog.search.query_words import MAX_QUERY_WORDS, split_words
from backend.core.collation import AFTER_ANY_LETTER
from backend.core.db.database import planned_literal
from backend.core.errors import InvalidData
from backend.inventory.models import FREE_UNITS, InventoryLevel
from backend.office_settings import read_low_stock

MAX_LOOKED_UP = 2_000
"""Maximum number of products that are looked up by id."""
MAX_COUNTED = 20_000
SEPARATOR = "|"


@dataclass(frozen=True, slots=True)
class ProductFilter:
    """Filter of products. A text that is empty, and a flag that is None, do not filter.

    Attributes:
        text: beginnings of words of the title or the handle, or of a code (SKU, EAN).
        is_published: True for products that customers see, False for hidden ones.
        category: the handle of a category that contains the product, directly or in a descendant.
        has_picture: True for products with a picture, False for products without one.
        has_weight: True for products with a weight. Without a weight, a product is shipped as 1 kg.
        is_low: True for products with a variant whose stock at a location is at or below the product's limit
            or, without one, the shop's limit. False for all other products.
        is_sold_out: True for products without a stocked, unreserved unit; announced units do not count. False
            does not filter.
        is_on_sale, is_featured: True for such products. False does not filter.
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
class _Condition:
    """A condition in two forms: `ids` finds the products that meet it, `holds` tests one product.

    `looks_at_all` is True if `ids` reads every product. Then `ids` is run only if there is no faster condition.
    """

    ids: Select[str]
    holds: ColumnElement[bool]
    looks_at_all: bool = False


async def filter_conditions(
    session: AsyncSession, product_filter: ProductFilter
) -> list[ColumnElement[bool]]:
    """Return the SQL conditions of the filter on `Product` rows.

    The caller must check the right to read the catalogue.
    """
    conditions: list[ColumnElement[bool]] = [Product.deleted_at.is_(None)]
    if product_filter.is_published is not None:
        conditions.append(for_sale() if product_filter.is_published else is_hidden())
    if product_filter.has_weight is not None:
        conditions.append(
            Product.weight.is_not(None) if product_filter.has_weight else Product.weight.is_(None)
        )
    if product_filter.is_featured:
        conditions.append(Product.featured.is_(True))
    code = product_filter.text.strip()
    if code and (variant := await variant_with_code(session, code)) is not None:
        conditions.append(Product.id == variant.product_id)
        code = ""
    parts = [*_word_conditions(code), *await _other_conditions(session, product_filter)]
    few = await _find_few(session, parts)
    met = [part.holds for part in parts] if few is None else [Product.id.in_(sorted(few))]
    return [*conditions, *met]


async def variant_with_code(session: AsyncSession, code: str) -> Variant | None:
    """Return the variant with exactly this SKU or bar code, unless its product is deleted."""
    query = (
        select(Variant)
        .join(Product, Product.id == Variant.product_id)
        .where(or_(Variant.sku == code, Variant.ean == code), Product.deleted_at.is_(None))
        .order_by(Variant.sku != code, Variant.id)
        .limit(1)
    )
    return (await session.execute(query)).scalars().first()


async def list_by_title(
    session: AsyncSession, conditions: Sequence[ColumnElement[bool]], limit: int, cursor: str = ""
) -> tuple[list[str], str]:
    """Return a page of products sorted by title.

    Args:
        session: reads the database.
        conditions: the filter.
        limit: the page size.
        cursor: the end of the previous page; empty for the first page.

    Returns:
        The ids of the products, and the cursor of the next page. The cursor is empty if there is no next page.

    Raises:
        InvalidData: the cursor is invalid.
    """
    query = select(Product.id, Product.title_key).where(*conditions)
    if cursor:
        title_key, separator, last = cursor.rpartition(SEPARATOR)
        if not separator:
            raise InvalidData("The cursor is invalid")
        query = query.where(tuple_(Product.title_key, Product.id) > (title_key, last))
    query = query.order_by(Product.title_key, Product.id).limit(planned_literal(limit + 1))
    found = (await session.execute(query)).all()
    shown = found[:limit]
    following = f"{shown[-1].title_key}{SEPARATOR}{shown[-1].id}" if len(found) > limit else ""
    return [product_id for product_id, _title_key in shown], following


async def count_up_to(session: AsyncSession, conditions: Sequence[ColumnElement[bool]], maximum: int) -> int:
    """Count the products that meet the conditions, up to `maximum`."""
    some = select(Product.id).where(*conditions).limit(planned_literal(maximum)).subquery()
    return (await session.execute(select(func.count()).select_from(some))).scalar_one()


def _word_conditions(text: str) -> list[_Condition]:
    """Return one condition for each word of the text."""
    if not text:
        return []
    words = split_words(text)[:MAX_QUERY_WORDS]
    if not words:
        return [_Condition(select(Product.id).where(false()), false())]
    parts = []
    for word in sorted(words, key=len, reverse=True):  # the longest word is probably the rarest
        first, last = planned_literal(word), planned_literal(word + AFTER_ANY_LETTER)
        begins = (ProductTerm.term >= first) & (ProductTerm.term < last)
        with_word = select(ProductTerm.product_id).where(begins)
        parts.append(_Condition(with_word, exists().where(ProductTerm.product_id == Product.id, begins)))
    return parts


async def _other_conditions(session: AsyncSession, product_filter: ProductFilter) -> list[_Condition]:
    parts = []
    if product_filter.category:
        ids = (await read_tree(session)).with_descendants([product_filter.category])
        inside = ProductCategory.category_id.in_(sorted(ids))
        within = exists().where(ProductCategory.product_id == Product.id, inside)
        parts.append(_Condition(select(ProductCategory.product_id).where(inside), within))
    if product_filter.is_low is not None:
        usual = await read_low_stock(session)
        own = func.coalesce(Product.low_stock_at, usual)
        maximum = (await session.execute(select(func.max(Product.low_stock_at)))).scalar_one()
        levels = (
            select(Variant.product_id)
            .join(InventoryLevel, InventoryLevel.variant_id == Variant.id)
            .where(planned_literal(max(maximum or 0, usual)) >= FREE_UNITS)
        )
        low = levels.join(Product, Product.id == Variant.product_id).where(own >= FREE_UNITS)
        held = levels.where(Variant.product_id == Product.id, own >= FREE_UNITS).correlate(Product).exists()
        enough = select(Product.id).where(Product.deleted_at.is_(None), not_(held))
        parts.append(_Condition(low, held) if product_filter.is_low else _Condition(enough, not_(held)))
    if product_filter.is_sold_out:
        parts.append(_sold_out_condition())
    if product_filter.is_on_sale:
        lower = Variant.compare_at_price > Variant.price
        on_sale = select(Variant.product_id).where(lower)
        parts.append(_Condition(on_sale, exists().where(Variant.product_id == Product.id, lower)))
    if product_filter.has_picture is not None:
        pictured = exists().where(Picture.product_id == Product.id)
        holds = pictured if product_filter.has_picture else not_(pictured)
        # includes deleted products, which the caller leaves out: so SQLite reads only the index of ids
        parts.append(_Condition(select(Product.id).where(holds), holds, looks_at_all=True))
    return parts


def _sold_out_condition() -> _Condition:
    level_of = InventoryLevel.variant_id == Variant.id
    empty = select(Variant.product_id).join(InventoryLevel, level_of).where(planned_literal(0) >= FREE_UNITS)
    never = select(Variant.product_id).where(not_(exists().where(level_of)))
    candidates = union(empty, never).subquery()
    some = (
        select(Variant.id)
        .join(InventoryLevel, level_of)
        .where(Variant.product_id == Product.id, FREE_UNITS > 0)
        .correlate(Product)
    )
    sold_out = select(Product.id).join(candidates, candidates.c.product_id == Product.id)
    return _Condition(
        sold_out.where(Product.deleted_at.is_(None), not_(some.exists())),
        and_(exists().where(Variant.product_id == Product.id), not_(some.exists())),
    )


async def _find_few(session: AsyncSession, parts: Sequence[_Condition]) -> set[str] | None:
    """Return the products that meet all conditions if they are few; None if they are many.

    If a single condition is met by few products, only these are tested for the other conditions. If every
    condition is met by many, the database combines all conditions, beginning with the one that the fewest
    products meet.
    """
    can_begin = [place for place, part in enumerate(parts) if not part.looks_at_all] or range(len(parts))
    for place in can_begin:
        part = parts[place]
        if (few := await _ids_if_few(session, part.ids)) is not None:
            others = _other_tests(parts, place)
            meeting_all = select(Product.id).where(Product.id.in_(sorted(few)), *others)
            return few if not few or not others else await _ids_if_few(session, meeting_all)
    if len(parts) < 2:
        return None
    sizes = {place: await _count_rows(session, parts[place].ids) for place in can_begin}
    place = min(sizes, key=lambda place: sizes[place])
    fewest = parts[place].ids.subquery()
    together = select(Product.id).join(fewest, fewest.c[0] == Product.id)
    return await _ids_if_few(session, together.where(*_other_tests(parts, place)))


def _other_tests(parts: Sequence[_Condition], place: int) -> list[ColumnElement[bool]]:
    return [part.holds for part in (*parts[:place], *parts[place + 1 :])]


async def _count_rows(session: AsyncSession, ids: Select[str]) -> int:
    """Count the rows of the query, up to `MAX_COUNTED`."""
    some = ids.limit(planned_literal(MAX_COUNTED)).subquery()
    return (await session.execute(select(func.count()).select_from(some))).scalar_one()


async def _ids_if_few(session: AsyncSession, ids: Select[str]) -> set[str] | None:
    """Return the ids that the query finds; None if they are more than `MAX_LOOKED_UP`."""
    found = (await session.execute(ids.limit(planned_literal(MAX_LOOKED_UP + 1)))).scalars().all()
    return None if len(found) > MAX_LOOKED_UP else set(found)
