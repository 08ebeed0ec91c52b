"""The product picker of the office's forms: search by words, by category or by a code, and the chosen products."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.catalog.category_tree import read_tree
from backend.catalog.models import Product, Variant
from backend.catalog.search.staff_search import ProductFilter, filter_conditions, list_by_title
from backend.core.errors import InvalidData
from backend.core.texts import _
from backend.office.products.listing import CategoryOption, category_options, read_small_pictures
from backend.staff.rights import Actor, Right

PAGE_SIZE = 20
MAX_TEXT_LENGTH = 100
MAX_ID_LENGTH = 64
BATCH_SIZE = 500
"""Maximum number of chosen products that one statement reads."""


@dataclass(frozen=True, slots=True)
class PickerRow:
    """A product that can be chosen.

    Attributes:
        detail: its code (SKU); «oculto» if shoppers do not see it.
        picture: URL of its first picture; empty without one.
    """

    id: str
    title: str
    detail: str
    picture: str


@dataclass(frozen=True, slots=True)
class PickerPage:
    """A page of the products that match a search.

    Attributes:
        text: the words or the code that was searched.
        category: the handle of the category that was searched; empty for all.
        cursor: the cursor of the next page; empty if there is none.
    """

    rows: list[PickerRow] = field(default_factory=list)
    text: str = ""
    category: str = ""
    cursor: str = ""


async def find_products_to_pick(
    session: AsyncSession, actor: Actor, text: str, category: str, cursor: str = ""
) -> PickerPage:
    """Return a page of the products that match the text and the category, sorted by title.

    Args:
        session: for reading.
        actor: the staff member who chooses.
        text: beginnings of words of the title, or a SKU or bar code; empty for all products.
        category: the handle of a category; empty for all categories.
        cursor: the cursor of the page; empty for the first page.

    Raises:
        Forbidden: the actor may not see the catalogue.
        InvalidData: the cursor is invalid.
    """
    actor.require(Right.READ_CATALOG)
    conditions = await filter_conditions(
        session, ProductFilter(text[:MAX_TEXT_LENGTH], category=category[:MAX_TEXT_LENGTH])
    )
    ids, following = await list_by_title(session, conditions, PAGE_SIZE, cursor)
    rows = await read_rows(session, ids)
    return PickerPage([rows[one] for one in ids if one in rows], text, category, following)


async def read_picker_rows(
    session: AsyncSession, actor: Actor, product_ids: Sequence[str]
) -> list[PickerRow]:
    """Return the chosen products, in this order, without deleted ones.

    Raises:
        Forbidden: the actor may not see the catalogue.
    """
    actor.require(Right.READ_CATALOG)
    rows = await read_rows(session, product_ids)
    return [rows[one] for one in product_ids if one in rows]


async def read_picker_categories(session: AsyncSession, actor: Actor) -> list[CategoryOption]:
    """Return the categories by which the picker can filter.

    Raises:
        Forbidden: the actor may not see the catalogue.
    """
    actor.require(Right.READ_CATALOG)
    return category_options(await read_tree(session))


def parse_picked_ids(text: str, maximum: int) -> list[str]:
    """Return the ids in the value of a picker's form field, in their order and without duplicates.

    Raises:
        InvalidData: a word is too long for an id, or there are more than `maximum`.
    """
    ids = list(dict.fromkeys(text.split()))
    if len(ids) > maximum or any(len(one) > MAX_ID_LENGTH for one in ids):
        message = _("Elige hasta {most} productos.").format(most=maximum)
        raise InvalidData("Too many products, or not ids", staff_text=message)
    return ids


async def read_rows(session: AsyncSession, product_ids: Sequence[str]) -> Mapping[str, PickerRow]:
    """Return the products with these ids, by id, without deleted ones. The caller has checked the actor's rights."""
    rows: dict[str, PickerRow] = {}
    for start in range(0, len(product_ids), BATCH_SIZE):
        some = product_ids[start : start + BATCH_SIZE]
        codes = await _read_codes(session, some)
        pictures = await read_small_pictures(session, some)
        found = select(Product.id, Product.title, Product.status).where(
            Product.id.in_(some), Product.deleted_at.is_(None)
        )
        for product_id, title, status in await session.execute(found):
            hidden = "" if status == "published" else _("oculto")
            detail = " · ".join(filter(None, (codes.get(product_id, ""), hidden)))
            rows[product_id] = PickerRow(product_id, title, detail, pictures.get(product_id, ""))
    return rows


async def _read_codes(session: AsyncSession, product_ids: Sequence[str]) -> Mapping[str, str]:
    """Return the SKU of each product's first variant with a SKU, by product id."""
    query = (
        select(Variant.product_id, Variant.sku)
        .where(Variant.product_id.in_(product_ids), Variant.sku.is_not(None))
        .order_by(Variant.rank.desc(), Variant.id.desc())
    )
    return {product_id: sku or "" for product_id, sku in await session.execute(query)}
