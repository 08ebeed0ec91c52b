"""Options of products, in which their variants differ, and the variants' values.

A product without stored options has an implied option, whose values are the titles of its variants. The implied
option is stored only when it is changed. Error messages are the same as the platform's (core: product module,
`assignOptionsToVariants`).
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from sqlalchemy import ColumnElement, select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.catalog.models import (
    ONLY_VARIANT_TITLE,
    Product,
    ProductOption,
    ProductOptionValue,
    Variant,
    VariantOptionValue,
)
from backend.core.db.tables import JsonObject
from backend.core.errors import InvalidData, NotAllowed, NotFound
from backend.core.texts import _
from backend.edge.wire import derive_sibling_id

IMPLIED_TITLE = _("Presentación")
SEPARATOR = " / "
"""Text between the option values in a variant's title."""


@dataclass(frozen=True, slots=True)
class Option:
    """An option with its values in order."""

    row: ProductOption
    values: list[ProductOptionValue] = field(default_factory=list)

    def find_value(self, value_id: str) -> ProductOptionValue:
        """Return the value with this id.

        Raises:
            NotFound: the option has no such value.
        """
        for value in self.values:
            if value.id == value_id:
                return value
        raise NotFound(
            f'Product option value with id "{value_id}" was not found for option with id "{self.row.id}"'
        )


@dataclass(frozen=True, slots=True)
class OptionInput:
    """A requested option, identified by its id or its title. Without `values`, an existing option keeps its values."""

    title: str
    values: Sequence[str] | None = None
    id: str | None = None
    metadata: JsonObject | None = None


async def read_options(session: AsyncSession, product_ids: Iterable[str]) -> dict[str, list[Option]]:
    """Return the stored options of each product, in order, by product id.

    Products without stored options are left out.
    """
    found: dict[str, list[Option]] = defaultdict(list)
    for option in await _read_stored(session, ProductOption.product_id.in_(list(product_ids))):
        found[option.row.product_id].append(option)
    return dict(found)


async def read_product_options(session: AsyncSession, product_id: str) -> list[Option]:
    """Return the stored options of one product, in order."""
    return (await read_options(session, [product_id])).get(product_id, [])


async def read_options_by_id(session: AsyncSession, option_ids: Iterable[str]) -> dict[str, Option]:
    """Return the stored options with these ids, by id."""
    found = await _read_stored(session, ProductOption.id.in_(list(option_ids)))
    return {option.row.id: option for option in found}


async def _read_stored(session: AsyncSession, condition: ColumnElement[bool]) -> Iterable[Option]:
    rows = await session.execute(
        select(ProductOption, ProductOptionValue)
        .outerjoin(ProductOptionValue, ProductOptionValue.option_id == ProductOption.id)
        .where(condition)
        .order_by(ProductOption.rank, ProductOption.id, ProductOptionValue.rank, ProductOptionValue.id)
    )
    found: dict[str, Option] = {}
    for option, value in rows:
        known = found.setdefault(option.id, Option(option))
        if value is not None:
            known.values.append(value)
    return found.values()


async def read_variant_values(
    session: AsyncSession, product_ids: Iterable[str]
) -> dict[str, dict[str, ProductOptionValue]]:
    """Return the stored values of the products' variants: by variant id, then by option id."""
    rows = await session.execute(
        select(VariantOptionValue.variant_id, ProductOptionValue)
        .join(ProductOptionValue, ProductOptionValue.id == VariantOptionValue.value_id)
        .join(ProductOption, ProductOption.id == ProductOptionValue.option_id)
        .where(ProductOption.product_id.in_(list(product_ids)))
    )
    found: dict[str, dict[str, ProductOptionValue]] = defaultdict(dict)
    for variant_id, value in rows:
        found[variant_id][value.option_id] = value
    return found


async def read_named_values(
    session: AsyncSession, variants: Mapping[str, Sequence[Variant]]
) -> dict[str, dict[str, str]]:
    """Return each variant's option values: by variant id, then by option title in the product's order.

    A product without stored options is treated as if it had one option, whose values are the titles of the variants.
    If such a product has only one variant, with the default title, the variant has no values.

    Args:
        variants: all variants of the products, by product id.
    """
    options = await read_options(session, variants)
    values = await read_variant_values(session, options)
    named: dict[str, dict[str, str]] = {}
    for product_id, some in variants.items():
        for variant in some:
            has = values.get(variant.id, {})
            if product_id in options:
                named[variant.id] = {
                    option.row.title: has[option.row.id].value
                    for option in options[product_id]
                    if option.row.id in has
                }
            else:
                is_alone = len(some) == 1 and variant.title == ONLY_VARIANT_TITLE
                named[variant.id] = {} if is_alone else {IMPLIED_TITLE: variant.title}
    return named


def implied_option(
    product: Product, variants: Sequence[Variant]
) -> tuple[ProductOption, dict[str, ProductOptionValue]]:
    """Return the implied option of a product without stored options, and the option's values by variant id.

    Variants with the same title share a value.
    """
    option = ProductOption(
        id=derive_sibling_id("opt", product.id),
        product_id=product.id,
        title=IMPLIED_TITLE,
        created_at=product.created_at,
        updated_at=product.updated_at,
    )
    by_title: dict[str, ProductOptionValue] = {}
    for variant in variants:
        if variant.title not in by_title:
            by_title[variant.title] = ProductOptionValue(
                id=derive_sibling_id("optval", variant.id),
                option_id=option.id,
                value=variant.title,
                rank=len(by_title),
            )
    return option, {variant.id: by_title[variant.title] for variant in variants}


async def store_implied_option(session: AsyncSession, product: Product, variants: Sequence[Variant]) -> None:
    """Store the product's implied option. If the product has stored options, do nothing."""
    if await read_product_options(session, product.id):
        return
    option, values = implied_option(product, variants)
    session.add(option)
    await session.flush()
    session.add_all({value.id: value for value in values.values()}.values())
    await session.flush()
    session.add_all(
        VariantOptionValue(variant_id=variant_id, value_id=value.id) for variant_id, value in values.items()
    )
    await session.flush()


async def set_options(session: AsyncSession, product: Product, given: Sequence[OptionInput]) -> None:
    """Set the product's options in this order, and delete omitted options.

    New values are added. Omitted values are kept until `replace_values` deletes them.

    Raises:
        InvalidData: two options have the same title.
        NotFound: the product has no option with this id.
    """
    titles = [one.title for one in given]
    if len(set(titles)) < len(titles):
        raise InvalidData(f"Product has several options with the same title: {', '.join(titles)}.")
    known = await read_product_options(session, product.id)
    implied_id = derive_sibling_id("opt", product.id)
    if not known and [(one.id or implied_id, one.title) for one in given] == [(implied_id, IMPLIED_TITLE)]:
        return  # the client sent back the implied option unchanged
    by_id = {option.row.id: option for option in known}
    by_title = {option.row.title: option for option in known}
    wanted_options: list[tuple[OptionInput, Option]] = []
    for one in given:
        option = by_id.get(one.id) if one.id else by_title.get(one.title)
        if option is None and one.id not in (None, implied_id):
            raise NotFound(f"Product option with id: {one.id} was not found")
        wanted_options.append((one, option or Option(ProductOption(product_id=product.id, title=one.title))))
    kept_ids = {option.row.id for _given, option in wanted_options}
    for option in known:
        if option.row.id not in kept_ids:
            await session.delete(option.row)
    await session.flush()
    for rank, (one, option) in enumerate(wanted_options):
        option.row.title, option.row.rank = one.title, rank
        option.row.meta = option.row.meta if one.metadata is None else one.metadata
        session.add(option.row)
    await session.flush()
    for one, option in wanted_options:
        add_values(session, option, one.values or ())
    await session.flush()


def add_values(session: AsyncSession, option: Option, values: Iterable[str]) -> None:
    """Add the values that the option does not have yet."""
    has = {value.value for value in option.values}
    for value in dict.fromkeys(values):
        if value not in has:
            new = ProductOptionValue(option_id=option.row.id, value=value, rank=len(option.values))
            session.add(new)
            option.values.append(new)


async def replace_values(session: AsyncSession, product: Product, given: Sequence[OptionInput]) -> None:
    """Sort the values of each option in the given order, and delete values that are not given.

    Raises:
        NotAllowed: a variant has a value that is not given.
    """
    options = {option.row.title: option for option in await read_product_options(session, product.id)}
    used = {
        value.id
        for values in (await read_variant_values(session, [product.id])).values()
        for value in values.values()
    }
    for one in given:
        option = options.get(one.title)
        if option is None or one.values is None:
            continue
        ranks = {value: rank for rank, value in enumerate(dict.fromkeys(one.values))}
        for value in option.values:
            if value.value in ranks:
                value.rank = ranks[value.value]
            elif value.id in used:
                raise NotAllowed(f"Cannot delete option value {value.value}: a variant has it.")
            else:
                await session.delete(value)
    await session.flush()


async def set_variant_values(
    session: AsyncSession, product: Product, variant: Variant, given: Mapping[str, str]
) -> None:
    """Set the variant's values, by option title.

    If the variant's title consists of its values or is the default one, update the title too. If the product
    has no stored options, the value of the implied option becomes the title.

    Raises:
        InvalidData: `given` lacks a value for one of the product's options, or a value does not exist.
    """
    options = await read_product_options(session, product.id)
    if not options:
        if set(given) != {IMPLIED_TITLE}:
            raise InvalidData(f"Product options are not provided for: [{product.title}].")
        variant.title = given[IMPLIED_TITLE] or variant.title
        return
    if len(given) != len(options):
        raise InvalidData(
            f"Product has {len(options)} option values but there were {len(given)} provided option values"
            f" for the variant: {variant.title}."
        )
    titles = {option.row.title for option in options}
    for title, text in given.items():
        if title not in titles:
            raise InvalidData(f"Option value {text} does not exist for option {title}")
    chosen = [_find_value(option, given[option.row.title]) for option in options]
    query = select(VariantOptionValue).where(VariantOptionValue.variant_id == variant.id)
    has = {link.value_id: link for link in (await session.execute(query)).scalars()}
    before = [value.value for option in options for value in option.values if value.id in has]
    if variant.title in (ONLY_VARIANT_TITLE, join_values(before)):
        variant.title = join_values(value.value for value in chosen)
    wanted_options = {value.id for value in chosen}
    for value_id, link in has.items():
        if value_id not in wanted_options:
            await session.delete(link)
    await session.flush()
    session.add_all(
        VariantOptionValue(variant_id=variant.id, value_id=value_id)
        for value_id in sorted(wanted_options - has.keys())
    )
    await session.flush()


def _find_value(option: Option, text: str) -> ProductOptionValue:
    for value in option.values:
        if value.value == text:
            return value
    raise InvalidData(f"Option value {text} does not exist for option {option.row.title}")


async def require_different_variants(session: AsyncSession, product_id: str) -> None:
    """Check that no two variants of the product have the same option values.

    Raises:
        InvalidData: two variants have the same values.
    """
    query = select(Variant.id, Variant.title).where(Variant.product_id == product_id)
    titles = dict((await session.execute(query.order_by(Variant.rank, Variant.id))).all())
    values = await read_variant_values(session, [product_id])
    seen: dict[frozenset[str], str] = {}
    for variant_id, title in titles.items():
        combination = frozenset(value.id for value in values.get(variant_id, {}).values())
        if not combination:
            continue
        if combination in seen:
            raise InvalidData(
                f'Variant "{seen[combination]}" has same combination of option values as "{title}".'
            )
        seen[combination] = title


async def find_option(session: AsyncSession, product_id: str, option_id: str) -> Option:
    """Return a stored option of the product.

    Raises:
        NotFound: the product has no such option.
    """
    options = await read_product_options(session, product_id)
    for option in options:
        if option.row.id == option_id:
            return option
    raise NotFound(f"Product option with id: {option_id} was not found")


async def read_joined_values(session: AsyncSession, product_id: str) -> dict[str, str]:
    """Return, by variant id, the title that consists of the variant's option values."""
    options = await read_product_options(session, product_id)
    values = await read_variant_values(session, [product_id])
    return {
        variant_id: join_values(has[option.row.id].value for option in options if option.row.id in has)
        for variant_id, has in values.items()
    }


def join_values(values: Iterable[str]) -> str:
    """Return the title of a variant that has these option values."""
    return SEPARATOR.join(values)[:255]
