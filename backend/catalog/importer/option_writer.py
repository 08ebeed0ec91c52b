"""Writing what tells a product's variants apart: its options, and the values that rows give to its variants."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Protocol

from sqlalchemy import delete
from sqlalchemy.ext.asyncio import AsyncSession

from backend.catalog.importer.columns import OPTIONS
from backend.catalog.importer.row_reader import Row
from backend.catalog.models import ONLY, Product, ProductOptionValue, Variant, VariantOptionValue
from backend.catalog.products.options import (
    IMPLIED_TITLE,
    Option,
    SaidOption,
    add_values,
    named_values,
    options_of,
    set_options,
    title_of,
    values_of_variants,
)
from backend.catalog.products.variants import variants_of
from backend.catalog.schemas.cell_parsers import plain
from backend.core.db.tables import table_of


class OfVariant(Protocol):
    """A row with the product and the variant that it is written to."""

    @property
    def row(self) -> Row:
        """What is said."""

    @property
    def product(self) -> Product:
        """It is locked."""

    @property
    def variant(self) -> Variant:
        """It is stored."""


async def write_options(session: AsyncSession, targets: Sequence[OfVariant]) -> set[str]:
    """Give the variants the values that the rows say. The rows were found to fit each other (`settle`).

    Options that no row of a product names any more are gone, and so are values that no variant has any more. What was
    sold keeps its name: an order has its own copy of it.

    Returns:
        The ids of the products that were changed.
    """
    by_product: dict[str, list[OfVariant]] = defaultdict(list)
    for target in targets:
        if OPTIONS in target.row.values:
            by_product[target.product.id].append(target)
    return {product_id for product_id, some in by_product.items() if await _write(session, some)}


async def _write(session: AsyncSession, targets: Sequence[OfVariant]) -> bool:
    product = targets[0].product
    variants = await variants_of(session, product.id)
    has = await named_values(session, {product.id: variants})
    titled = {target.variant.id for target in targets if target.row.get("variant_title")}
    moved = {target.variant.id: dict(target.row.values[OPTIONS]) for target in targets}
    moved = {variant_id: said for variant_id, said in moved.items() if _plain(has[variant_id]) != said}
    if not moved:
        return False
    titles = list(next(iter(moved.values())))
    stored = (await options_of(session, [product.id])).get(product.id, [])
    if not stored and titles == [IMPLIED_TITLE]:
        for variant in variants:
            variant.title = moved.get(variant.id, {}).get(IMPLIED_TITLE, variant.title)
        return True
    options = await _with_options(session, product, titles, stored, has)
    links = await values_of_variants(session, [product.id])
    used = {value.id for of in links.values() for value in of.values()}
    values: dict[str, dict[str, ProductOptionValue]] = {}
    for title, option in options.items():
        known = {plain(value.value) for value in option.values}
        add_values(session, option, (said[title] for said in moved.values() if said[title] not in known))
        values[title] = {plain(value.value): value for value in option.values}
    await session.flush()
    table = table_of(VariantOptionValue)
    await session.execute(delete(table).where(table.c.variant_id.in_(moved)))
    session.add_all(
        VariantOptionValue(variant_id=variant_id, value_id=values[title][value].id)
        for variant_id, said in moved.items()
        for title, value in said.items()
    )
    await session.flush()
    for variant in variants:
        before = title_of(has[variant.id].values())
        if variant.id in moved and variant.id not in titled and variant.title in (ONLY, before):
            said = moved[variant.id]
            variant.title = title_of(values[title][said[title]].value for title in options)
    await _drop_unused(session, product, used)
    return True


async def _with_options(
    session: AsyncSession,
    product: Product,
    titles: Sequence[str],
    stored: Sequence[Option],
    has: Mapping[str, Mapping[str, str]],
) -> dict[str, Option]:
    """The product's options that the rows name, by their titles as they are compared, in the product's order."""
    known = {plain(option.row.title): option for option in stored}
    in_use = {title for values in has.values() for title in _plain(values)} if stored else set()
    if not set(titles) <= known.keys() or in_use - set(titles):
        kept = [known[title].row.title if title in known else title for title in titles]
        await set_options(session, product, [SaidOption(title) for title in kept])
    options = (await options_of(session, [product.id]))[product.id]
    return {plain(one.row.title): one for one in options if plain(one.row.title) in titles}


async def _drop_unused(session: AsyncSession, product: Product, were_used: set[str]) -> None:
    """Take the values away that a variant had and none has now."""
    links = await values_of_variants(session, [product.id])
    used = {value.id for of in links.values() for value in of.values()}
    table = table_of(ProductOptionValue)
    await session.execute(delete(table).where(table.c.id.in_(were_used - used)))


def _plain(values: Mapping[str, str]) -> dict[str, str]:
    return {plain(title): plain(value) for title, value in values.items()}
