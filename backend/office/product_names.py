"""Names by which forms of the office refer to products: a title, or the code (SKU) of a variant."""

from collections import defaultdict
from collections.abc import Sequence

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.catalog.models import Product, Variant
from backend.core.collation import fold
from backend.core.texts import _
from backend.core.web.contact import to_one_line

MAX_NAMES = 5
"""Maximum number of names in an error message."""


async def find_products_by_name(session: AsyncSession, typed: Sequence[str]) -> tuple[list[str], str]:
    """Find products of the catalogue by their title or by a variant's code (SKU).

    Args:
        session: for reading.
        typed: titles or codes; empty ones are ignored.

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
    by_name = dict((await session.execute(coded)).all())
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
