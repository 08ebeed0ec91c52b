"""The options of products, in what their variants differ, and which values each variant has.

A product that was given none has one all the same: which of its variants, by their titles. It is stored nowhere until
somebody changes it. Refusals are the platform's (core: product module, `assignOptionsToVariants`).
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from sqlalchemy import ColumnElement, select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.catalog.models import (
    ONLY,
    Product,
    ProductOption,
    ProductOptionValue,
    Variant,
    VariantOptionValue,
)
from backend.core.db.tables import JsonObject
from backend.core.errors import InvalidData, NotAllowed, NotFound
from backend.core.texts import _
from backend.edge.wire import sibling_id

IMPLIED_TITLE = _("Presentación")
SEPARATOR = " / "
"""Stands between the values in a variant's title."""


@dataclass(frozen=True, slots=True)
class Option:
    """An option with its values in their order."""

    row: ProductOption
    values: list[ProductOptionValue] = field(default_factory=list)

    def value(self, value_id: str) -> ProductOptionValue:
        """The value with this id.

        Raises:
            NotFound: the option has none.
        """
        for value in self.values:
            if value.id == value_id:
                return value
        raise NotFound(
            f'Product option value with id "{value_id}" was not found for option with id "{self.row.id}"'
        )


@dataclass(frozen=True, slots=True)
class SaidOption:
    """An option as somebody wants it, known by its id or its title. Without `values` a known one keeps its own."""

    title: str
    values: Sequence[str] | None = None
    id: str | None = None
    metadata: JsonObject | None = None


async def options_of(session: AsyncSession, product_ids: Iterable[str]) -> dict[str, list[Option]]:
    """The stored options of the products, in their order; no entry for a product without any."""
    found: dict[str, list[Option]] = defaultdict(list)
    for option in await _stored(session, ProductOption.product_id.in_(list(product_ids))):
        found[option.row.product_id].append(option)
    return dict(found)


async def options_by_id(session: AsyncSession, option_ids: Iterable[str]) -> dict[str, Option]:
    """The stored options with these ids."""
    found = await _stored(session, ProductOption.id.in_(list(option_ids)))
    return {option.row.id: option for option in found}


async def _stored(session: AsyncSession, condition: ColumnElement[bool]) -> Iterable[Option]:
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


async def values_of_variants(
    session: AsyncSession, product_ids: Iterable[str]
) -> dict[str, dict[str, ProductOptionValue]]:
    """The stored values of the products' variants: by variant, by option."""
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


async def named_values(
    session: AsyncSession, variants: Mapping[str, Sequence[Variant]]
) -> dict[str, dict[str, str]]:
    """What tells the variants apart: by variant, the title of each option with its value, in the product's order.

    A product that was given no options has the one that says which of its variants, unless it has a single one that
    nobody gave a title.

    Args:
        variants: by the ids of their products, all of theirs.
    """
    options = await options_of(session, variants)
    values = await values_of_variants(session, options)
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
                is_alone = len(some) == 1 and variant.title == ONLY
                named[variant.id] = {} if is_alone else {IMPLIED_TITLE: variant.title}
    return named


def implied_option(
    product: Product, variants: Sequence[Variant]
) -> tuple[ProductOption, dict[str, ProductOptionValue]]:
    """The option of a product that was given none, and its value of each variant: variants called alike share one."""
    option = ProductOption(
        id=sibling_id("opt", product.id),
        product_id=product.id,
        title=IMPLIED_TITLE,
        created_at=product.created_at,
        updated_at=product.updated_at,
    )
    by_title: dict[str, ProductOptionValue] = {}
    for variant in variants:
        if variant.title not in by_title:
            by_title[variant.title] = ProductOptionValue(
                id=sibling_id("optval", variant.id),
                option_id=option.id,
                value=variant.title,
                rank=len(by_title),
            )
    return option, {variant.id: by_title[variant.title] for variant in variants}


async def store_implied(session: AsyncSession, product: Product, variants: Sequence[Variant]) -> None:
    """Store the option that a product has without having been given one. With stored options, nothing is done."""
    if (await options_of(session, [product.id])).get(product.id):
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


async def set_options(session: AsyncSession, product: Product, said: Sequence[SaidOption]) -> None:
    """Give the product these options, in this order; those left out are gone. Values are added, none is taken away.

    Raises:
        InvalidData: two are called alike.
        NotFound: the product has no option with this id.
    """
    titles = [one.title for one in said]
    if len(set(titles)) < len(titles):
        raise InvalidData(f"Product has several options with the same title: {', '.join(titles)}.")
    known = (await options_of(session, [product.id])).get(product.id, [])
    implied_id = sibling_id("opt", product.id)
    if not known and [(one.id or implied_id, one.title) for one in said] == [(implied_id, IMPLIED_TITLE)]:
        return  # sent back as it was shown
    by_id = {option.row.id: option for option in known}
    by_title = {option.row.title: option for option in known}
    wanted: list[tuple[SaidOption, Option]] = []
    for one in said:
        option = by_id.get(one.id) if one.id else by_title.get(one.title)
        if option is None and one.id not in (None, implied_id):
            raise NotFound(f"Product option with id: {one.id} was not found")
        wanted.append((one, option or Option(ProductOption(product_id=product.id, title=one.title))))
    kept = {option.row.id for _said, option in wanted}
    for option in known:
        if option.row.id not in kept:
            await session.delete(option.row)
    await session.flush()
    for rank, (one, option) in enumerate(wanted):
        option.row.title, option.row.rank = one.title, rank
        option.row.meta = option.row.meta if one.metadata is None else one.metadata
        session.add(option.row)
    await session.flush()
    for one, option in wanted:
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


async def keep_values(session: AsyncSession, product: Product, said: Sequence[SaidOption]) -> None:
    """Put the values of the options in this order, and take those away that are left out.

    Raises:
        NotAllowed: a variant has one that is left out.
    """
    options = {
        option.row.title: option for option in (await options_of(session, [product.id])).get(product.id, [])
    }
    used = {
        value.id
        for values in (await values_of_variants(session, [product.id])).values()
        for value in values.values()
    }
    for one in said:
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


async def set_values(
    session: AsyncSession, product: Product, variant: Variant, said: Mapping[str, str]
) -> None:
    """Give the variant these values, by the titles of the options. A title that is made of its values follows them.

    Raises:
        InvalidData: not every option of the product has one, or there is no such value.
    """
    options = (await options_of(session, [product.id])).get(product.id, [])
    if not options:
        if set(said) != {IMPLIED_TITLE}:
            raise InvalidData(f"Product options are not provided for: [{product.title}].")
        variant.title = said[IMPLIED_TITLE] or variant.title
        return
    if len(said) != len(options):
        raise InvalidData(
            f"Product has {len(options)} option values but there were {len(said)} provided option values"
            f" for the variant: {variant.title}."
        )
    titles = {option.row.title for option in options}
    for title, text in said.items():
        if title not in titles:
            raise InvalidData(f"Option value {text} does not exist for option {title}")
    chosen = [_value_of(option, said[option.row.title]) for option in options]
    query = select(VariantOptionValue).where(VariantOptionValue.variant_id == variant.id)
    has = {link.value_id: link for link in (await session.execute(query)).scalars()}
    before = [value.value for option in options for value in option.values if value.id in has]
    if variant.title in (ONLY, title_of(before)):
        variant.title = title_of(value.value for value in chosen)
    wanted = {value.id for value in chosen}
    for value_id, link in has.items():
        if value_id not in wanted:
            await session.delete(link)
    await session.flush()
    session.add_all(
        VariantOptionValue(variant_id=variant.id, value_id=value_id)
        for value_id in sorted(wanted - has.keys())
    )
    await session.flush()


def _value_of(option: Option, text: str) -> ProductOptionValue:
    for value in option.values:
        if value.value == text:
            return value
    raise InvalidData(f"Option value {text} does not exist for option {option.row.title}")


async def require_different_variants(session: AsyncSession, product_id: str) -> None:
    """Refuse two variants of the product with the same values.

    Raises:
        InvalidData: there are two.
    """
    query = select(Variant.id, Variant.title).where(Variant.product_id == product_id)
    titles = dict((await session.execute(query.order_by(Variant.rank, Variant.id))).all())
    values = await values_of_variants(session, [product_id])
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
    """A stored option of the product.

    Raises:
        NotFound: it has no such option.
    """
    options = (await options_of(session, [product_id])).get(product_id, [])
    for option in options:
        if option.row.id == option_id:
            return option
    raise NotFound(f"Product option with id: {option_id} was not found")


async def titles_of_values(session: AsyncSession, product_id: str) -> dict[str, str]:
    """What each variant of the product that has values is called by them."""
    options = (await options_of(session, [product_id])).get(product_id, [])
    values = await values_of_variants(session, [product_id])
    return {
        variant_id: title_of(has[option.row.id].value for option in options if option.row.id in has)
        for variant_id, has in values.items()
    }


def title_of(values: Iterable[str]) -> str:
    """What a variant with these values is called."""
    return SEPARATOR.join(values)[:255]
