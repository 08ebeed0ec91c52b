"""Names by which forms of the office refer to products: a title, or the code (SKU) of a variant."""

from collections import defaultdict
from collections.abc import Mapping, Sequence

from sqlalchemy import case, exists, func, select
from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.orm import aliased

from backend.catalog.models import Product, Variant
from backend.core.collation import fold
from backend.core.texts import _
from backend.core.web.contact import to_one_line

MAX_NAMES = 5
"""Maximum number of names in an error message."""


async def find_products_by_name(
    session: AsyncSession, typed: Sequence[str], known: Mapping[str, str] | None = None
) -> tuple[list[str], str]:
    """Find products of the catalogue by their title or by a variant's code (SKU).

    Args:
        session: for reading.
        typed: titles or codes; empty ones are ignored.
        known: ids of the products that the form showed, by their names in the form; these names are not searched.

    Returns:
        The ids, without duplicates and in the same order; and an error message if a name matches no product or
            several, otherwise an empty text.
    """
    lines = [line for line in map(to_one_line, typed) if line]
    titled = select(Product.title_key, Product.id).where(
        Product.title_key.in_([fold(line) for line in lines]), Product.deleted_at.is_(None)
    )
    # a deleted product has no codes
    coded = select(Variant.sku, Variant.product_id).where(Variant.sku.in_(lines))
    by_name = dict((await session.execute(coded)).all()) | dict(known or {})
    by_title = defaultdict[str, list[str]](list)
    for title_key, product_id in (await session.execute(titled)).all():
        by_title[title_key].append(product_id)
    found = {line: [by_name[line]] if line in by_name else by_title[fold(line)] for line in lines}
    problem = ""
    if unknown := [line for line, ids in found.items() if not ids]:
        problem = _("No encontramos: {toys}").format(toys=", ".join(unknown[:MAX_NAMES]))
    elif several := [line for line, ids in found.items() if len(ids) > 1]:
        words = _("Hay más de un producto con ese nombre; escribe su código (SKU): {toys}")
        problem = words.format(toys=", ".join(several[:MAX_NAMES]))
    return list(dict.fromkeys(ids[0] for ids in found.values() if len(ids) == 1)), problem


async def read_form_names(session: AsyncSession, product_ids: Sequence[str]) -> dict[str, str]:
    """Return the names of these products in forms, by id and in the order of their titles. Leave out deleted products.

    The name is the title. If several products have the same title, it is the code of the first variant with a code.
    """
    twin = aliased(Product)
    has_twin = exists().where(
        twin.title_key == Product.title_key, twin.id != Product.id, twin.deleted_at.is_(None)
    )
    code = (
        select(Variant.sku)
        .where(Variant.product_id == Product.id, Variant.sku.is_not(None))
        .order_by(Variant.rank, Variant.id)
        .limit(1)
        .scalar_subquery()
    )
    name = case((has_twin, func.coalesce(code, Product.title)), else_=Product.title)
    named = select(Product.id, name).where(Product.id.in_(product_ids), Product.deleted_at.is_(None))
    found = await session.execute(named.order_by(Product.title_key, Product.id))
    return {product_id: to_one_line(text) for product_id, text in found.all()}
