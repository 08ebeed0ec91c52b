"""Toys as forms of the office name them: by title, or by a variant's code (SKU)."""

from collections import defaultdict
from collections.abc import Mapping, Sequence

from sqlalchemy import case, exists, func, select
from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.orm import aliased

from backend.catalog.models import Product, Variant
from backend.core.collation import fold
from backend.core.texts import _
from backend.core.web.contact import one_line

MOST_TOLD = 5
"""Toys that a problem names."""


async def toys_named(
    session: AsyncSession, typed: Sequence[str], known: Mapping[str, str] | None = None
) -> tuple[list[str], str]:
    """The products in the catalogue with these titles, or with a variant of this code.

    Args:
        session: for reading.
        typed: a title or a code each; empty ones are left out.
        known: ids by the names that the form showed: these are not looked for.

    Returns:
        Their ids, each once and in the same order; and what is wrong with those that name no toy, or more than one.
        Empty where nothing is.
    """
    lines = [line for line in map(one_line, typed) if line]
    titled = select(Product.title_key, Product.id).where(
        Product.title_key.in_([fold(line) for line in lines]), Product.deleted_at.is_(None)
    )
    # a product that is deleted has no codes any more
    coded = select(Variant.sku, Variant.product_id).where(Variant.sku.in_(lines))
    by_name = dict((await session.execute(coded)).all()) | dict(known or {})
    by_title = defaultdict[str, list[str]](list)
    for title_key, product_id in (await session.execute(titled)).all():
        by_title[title_key].append(product_id)
    found = {line: [by_name[line]] if line in by_name else by_title[fold(line)] for line in lines}
    problem = ""
    if unknown := [line for line, ids in found.items() if not ids]:
        problem = _("No encontramos: {toys}").format(toys=", ".join(unknown[:MOST_TOLD]))
    elif several := [line for line, ids in found.items() if len(ids) > 1]:
        words = _("Hay más de un juguete con ese nombre; escribe su código (SKU): {toys}")
        problem = words.format(toys=", ".join(several[:MOST_TOLD]))
    return list(dict.fromkeys(ids[0] for ids in found.values() if len(ids) == 1)), problem


async def names_of_toys(session: AsyncSession, product_ids: Sequence[str]) -> dict[str, str]:
    """How forms name these products, by id and in the order of the titles; those that were deleted are left out.

    One whose title another has too is named by the code of its first variant that has one.
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
    return {product_id: one_line(text) for product_id, text in found.all()}
