"""Writer of the options of imported products, and of their variants' values."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Protocol

from sqlalchemy import delete
from sqlalchemy.ext.asyncio import AsyncSession

from backend.catalog.importer.columns import OPTIONS
from backend.catalog.importer.row_reader import Row
from backend.catalog.models import (
    ONLY_VARIANT_TITLE,
    Product,
    ProductOptionValue,
    Variant,
    VariantOptionValue,
)
from backend.catalog.products.options import (
    IMPLIED_TITLE,
    Option,
    OptionInput,
    add_values,
    join_values,
    read_named_values,
    read_product_options,
    read_variant_values,
    set_options,
)
from backend.catalog.products.variants import read_variants
from backend.catalog.schemas.cell_parsers import normalize_name
from backend.core.db.tables import table_of


class VariantTarget(Protocol):
    """A row with its product and variant."""

    @property
    def row(self) -> Row:
        """The row of the file."""

    @property
    def product(self) -> Product:
        """The product, locked."""

    @property
    def variant(self) -> Variant:
        """The variant, already stored."""


async def write_options(session: AsyncSession, targets: Sequence[VariantTarget]) -> set[str]:
    """Set the variants' option values from the rows, which `match_rows` must have checked before.

    Options that no row of the product names, and values that no variant has any more, are deleted. Orders are
    not affected, because they store their own texts.

    Returns:
        The ids of the products that were changed.
    """
    by_product: dict[str, list[VariantTarget]] = defaultdict(list)
    for target in targets:
        if OPTIONS in target.row.values:
            by_product[target.product.id].append(target)
    return {
        product_id for product_id, some in by_product.items() if await _write_product_options(session, some)
    }


async def _write_product_options(session: AsyncSession, targets: Sequence[VariantTarget]) -> bool:
    product = targets[0].product
    variants = await read_variants(session, product.id)
    current_values = await read_named_values(session, {product.id: variants})
    titled = {target.variant.id for target in targets if target.row.get("variant_title")}
    new_values = {target.variant.id: dict(target.row.values[OPTIONS]) for target in targets}
    new_values = {
        variant_id: given_values
        for variant_id, given_values in new_values.items()
        if _normalize_values(current_values[variant_id]) != given_values
    }
    if not new_values:
        return False
    titles = list(next(iter(new_values.values())))
    stored = await read_product_options(session, product.id)
    if not stored and titles == [IMPLIED_TITLE]:
        for variant in variants:
            variant.title = new_values.get(variant.id, {}).get(IMPLIED_TITLE, variant.title)
        return True
    options = await _ensure_options(session, product, titles, stored, current_values)
    links = await read_variant_values(session, [product.id])
    used = {value.id for of in links.values() for value in of.values()}
    values: dict[str, dict[str, ProductOptionValue]] = {}
    for title, option in options.items():
        known = {normalize_name(value.value) for value in option.values}
        add_values(
            session,
            option,
            (given_values[title] for given_values in new_values.values() if given_values[title] not in known),
        )
        values[title] = {normalize_name(value.value): value for value in option.values}
    await session.flush()
    table = table_of(VariantOptionValue)
    await session.execute(delete(table).where(table.c.variant_id.in_(new_values)))
    session.add_all(
        VariantOptionValue(variant_id=variant_id, value_id=values[title][value].id)
        for variant_id, given_values in new_values.items()
        for title, value in given_values.items()
    )
    await session.flush()
    for variant in variants:
        before = join_values(current_values[variant.id].values())
        if (
            variant.id in new_values
            and variant.id not in titled
            and variant.title in (ONLY_VARIANT_TITLE, before)
        ):
            given_values = new_values[variant.id]
            variant.title = join_values(values[title][given_values[title]].value for title in options)
    await _delete_unused_values(session, product, used)
    return True


async def _ensure_options(
    session: AsyncSession,
    product: Product,
    titles: Sequence[str],
    stored: Sequence[Option],
    current_values: Mapping[str, Mapping[str, str]],
) -> dict[str, Option]:
    """Return the product's options that the rows name, by their normalized titles, in the product's order.

    Missing options are created first. Options that no row names are deleted.
    """
    known = {normalize_name(option.row.title): option for option in stored}
    titles_in_use = (
        {title for values in current_values.values() for title in _normalize_values(values)}
        if stored
        else set()
    )
    if not set(titles) <= known.keys() or titles_in_use - set(titles):
        all_titles = [known[title].row.title if title in known else title for title in titles]
        await set_options(session, product, [OptionInput(title) for title in all_titles])
    options = await read_product_options(session, product.id)
    return {normalize_name(one.row.title): one for one in options if normalize_name(one.row.title) in titles}


async def _delete_unused_values(session: AsyncSession, product: Product, were_used: set[str]) -> None:
    """Delete those option values with an id in `were_used` that no variant of the product has any more."""
    links = await read_variant_values(session, [product.id])
    used = {value.id for of in links.values() for value in of.values()}
    table = table_of(ProductOptionValue)
    await session.execute(delete(table).where(table.c.id.in_(were_used - used)))


def _normalize_values(values: Mapping[str, str]) -> dict[str, str]:
    return {normalize_name(title): normalize_name(value) for title, value in values.items()}
