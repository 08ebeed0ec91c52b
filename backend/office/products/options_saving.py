"""Saving the options of the product form: renamed, added and removed options and values, and their variants.

A new value gets a variant for each combination with the values of the other options. It has the price of the variant
that it resembles most, and no units. The variants of a removed value are deleted, unless they have units.
"""

from collections.abc import Iterable, Mapping, Sequence
from itertools import product as combine

from sqlalchemy import func, select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.audit import Subject, SubjectType, record
from backend.catalog.colors import COLOR
from backend.catalog.events import publish_product_changes
from backend.catalog.models import (
    ONLY_VARIANT_TITLE,
    Product,
    ProductOption,
    ProductOptionValue,
    Variant,
    VariantOptionValue,
)
from backend.catalog.products.commands import WriteVariant
from backend.catalog.products.options import (
    join_values,
    read_joined_values,
    read_product_options,
    read_variant_values,
    require_different_variants,
    store_implied_option,
)
from backend.catalog.products.variant_pictures import update_thumbnails
from backend.catalog.products.variants import insert_variant, read_variants, remove_variants
from backend.catalog.schemas.admin import MAX_VARIANTS
from backend.core.clock import now
from backend.core.texts import _, format_count
from backend.inventory.models import InventoryLevel
from backend.office.products.draft import FormRefused
from backend.office.products.options_form import OptionDraft, ValueDraft, to_option_drafts
from backend.staff.rights import Actor

Combination = tuple[str, ...]
"""Ids of a variant's values, in the order of the product's options."""


async def save_options(
    session: AsyncSession,
    actor: Actor,
    product: Product,
    stored: list[OptionDraft],
    wanted: list[OptionDraft],
) -> None:
    """Change the options of the (locked) product from `stored` to `wanted`.

    Raises:
        FormRefused: units of a removed variant are stocked or reserved, or there would be too many variants.
    """
    await record(session, actor, "option changed", Subject(SubjectType.PRODUCT, product.id))
    before = await read_joined_values(session, product.id)
    if not stored and wanted and len(await read_variants(session, product.id)) > 1:
        stored, wanted = await _take_titles(session, product, wanted)
    await _remove_variants(session, product, stored, wanted)
    await _delete_missing(session, product, stored, wanted)
    new_ids = await _write_options(session, product, stored, wanted)
    await _assign_first_values(session, product, has_stored=bool(stored))
    await _add_combinations(session, product, new_ids)
    await _order_variants(session, product, before)
    await require_different_variants(session, product.id)
    await update_thumbnails(session, product.id)
    product.updated_at = now()
    await publish_product_changes(session, [product.id])


async def _take_titles(
    session: AsyncSession, product: Product, wanted: list[OptionDraft]
) -> tuple[list[OptionDraft], list[OptionDraft]]:
    """Store the titles of the product's variants as values of its first option.

    Returns:
        The stored options, and the wanted options with these values added.
    """
    await store_implied_option(session, product, await read_variants(session, product.id))
    stored = to_option_drafts(await read_product_options(session, product.id))
    first, *others = wanted
    titles = {value.value.casefold() for value in stored[0].values}
    added = [value for value in first.values if value.value.casefold() not in titles]
    return stored, [OptionDraft(stored[0].key, first.title, [*stored[0].values, *added]), *others]


async def _remove_variants(
    session: AsyncSession, product: Product, stored: list[OptionDraft], wanted: list[OptionDraft]
) -> None:
    """Delete the variants that have a removed value.

    Removing an option can leave several variants with equal values: delete all of them but the first.

    Raises:
        FormRefused: units of a variant to delete are stocked or reserved, or no variant would remain.
    """
    kept_options = {option.key for option in wanted}
    kept_values = {value.key for option in wanted for value in option.values}
    values = await read_variant_values(session, [product.id])
    variants = await read_variants(session, product.id)
    seen: set[frozenset[str]] = set()
    removed = []
    for variant in variants:
        has = {key: value.id for key, value in values.get(variant.id, {}).items() if key in kept_options}
        rest = frozenset(has.values())
        is_known = bool(stored) and rest in seen and len(values.get(variant.id, {})) > 0
        if not rest <= kept_values or is_known:
            removed.append(variant)
        else:
            seen.add(rest)
    if not removed:
        return
    if len(removed) == len(variants):
        raise FormRefused({"options": _("Un producto tiene por lo menos una presentación.")})
    await refuse_variants_with_units(session, removed, "options")
    await remove_variants(session, removed)


async def refuse_variants_with_units(session: AsyncSession, variants: Sequence[Variant], field: str) -> None:
    """Check that the variants, which the caller wants to remove, have no units.

    Raises:
        FormRefused: units of a variant are stocked, or reserved for orders or for customers who are paying. The
            reason is the problem of `field`.
    """
    if not variants:
        return
    titles = {variant.id: variant.title for variant in variants}
    has_units = (InventoryLevel.stocked > 0) | (
        InventoryLevel.reserved > 0
    )  # sold units of a preorder: 0 stocked
    query = (
        select(InventoryLevel.variant_id, func.sum(InventoryLevel.stocked), func.sum(InventoryLevel.reserved))
        .where(InventoryLevel.variant_id.in_(titles), has_units)
        .group_by(InventoryLevel.variant_id)
        .order_by(InventoryLevel.variant_id)
    )
    found = (await session.execute(query)).first()
    if found is None:
        return
    variant_id, stocked, reserved = found
    units = format_count(int(stocked), _("{n} unidad"), _("{n} unidades"))
    if reserved:
        held = format_count(int(reserved), _("{n} apartada"), _("{n} apartadas"))
        units = f"{units}, {held}"
    problem = _("No se puede quitar «{variant}»: en bodega hay {units}.")
    raise FormRefused({field: problem.format(variant=titles[variant_id], units=units)})


async def _delete_missing(
    session: AsyncSession, product: Product, stored: list[OptionDraft], wanted: list[OptionDraft]
) -> None:
    """Delete the options and values that are no longer wanted. Pictures of a deleted value remain."""
    gone = _list_keys(stored) - _list_keys(wanted)
    for option in await read_product_options(session, product.id):
        if option.row.id in gone:
            await session.delete(option.row)
            continue
        for value in option.values:
            if value.id in gone:
                await session.delete(value)
    await session.flush()


def _list_keys(options: Iterable[OptionDraft]) -> set[str]:
    return {key for option in options for key in (option.key, *(value.key for value in option.values))}


async def _write_options(
    session: AsyncSession, product: Product, stored: list[OptionDraft], wanted: list[OptionDraft]
) -> set[str]:
    """Write titles, values and colours in the wanted order.

    Names must be unique. So that two values can swap their names, each changed name is first replaced by its id.

    Returns:
        The ids of the new values.
    """
    known = {option.row.id: option for option in await read_product_options(session, product.id)}
    titles = {option.key: option.title for option in stored}
    texts = {value.key: value.value for option in stored for value in option.values}
    for draft in wanted:
        if draft.key in known and titles.get(draft.key) != draft.title:
            known[draft.key].row.title = draft.key
        for value in known[draft.key].values if draft.key in known else ():
            if any(one.key == value.id and texts.get(one.key) != one.value for one in draft.values):
                value.value = value.id
    await session.flush()
    new_ids: set[str] = set()
    for rank, draft in enumerate(wanted):
        option = (
            known[draft.key].row if draft.key in known else ProductOption(product_id=product.id, title="")
        )
        option.title, option.rank = draft.title, rank
        session.add(option)
        await session.flush()
        own = {value.id: value for value in known[draft.key].values} if draft.key in known else {}
        for place, one in enumerate(draft.values):
            value = own.get(one.key) or ProductOptionValue(option_id=option.id, value=one.value)
            if one.key not in own:
                new_ids.add(value.id)
            _write_value(value, one, place)
            session.add(value)
        await session.flush()
    return new_ids


def _write_value(value: ProductOptionValue, draft: ValueDraft, rank: int) -> None:
    rest = {name: item for name, item in (value.meta or {}).items() if name != COLOR}
    value.value, value.rank = draft.value, rank
    value.meta = {**rest, COLOR: draft.color} if draft.color else rest


async def _assign_first_values(session: AsyncSession, product: Product, *, has_stored: bool) -> None:
    """Give each variant a value of every option: if it has none of an option, the option's first value.

    If the product already had options (`has_stored`), a variant without any value gets none: an API client has
    created it like this.
    """
    options = await read_product_options(session, product.id)
    values = await read_variant_values(session, [product.id])
    for variant in await read_variants(session, product.id):
        if has_stored and variant.id not in values:
            continue
        session.add_all(
            VariantOptionValue(variant_id=variant.id, value_id=option.values[0].id)
            for option in options
            if option.values and option.row.id not in values.get(variant.id, {})
        )
    await session.flush()


async def _add_combinations(session: AsyncSession, product: Product, new_ids: set[str]) -> None:
    """Create a variant for each combination that contains a new value.

    The first value of a new option is not new in this sense: the existing variants have it.

    Raises:
        FormRefused: there would be more than `MAX_VARIANTS` variants.
    """
    options = await read_product_options(session, product.id)
    variants = await read_variants(session, product.id)
    existing = await _read_combinations(session, product.id, variants)
    if not existing:
        return
    used = {value_id for combination in existing for value_id in combination}
    added = [
        combination
        for combination in combine(*([value.id for value in option.values] for option in options))
        if combination not in existing and set(combination) & (new_ids - used)
    ]
    if len(variants) + len(added) > MAX_VARIANTS:
        message = _("Serían {n} presentaciones, y el máximo es {max}: quita valores.")
        raise FormRefused({"options": message.format(n=len(variants) + len(added), max=MAX_VARIANTS)})
    names = {value.id: value.value for option in options for value in option.values}
    for combination in added:
        like = _find_most_similar(existing, combination)
        values = {option.row.title: names[id_] for option, id_ in zip(options, combination, strict=True)}
        new = WriteVariant(
            title=join_values(values.values()),
            price=like.price,
            compare_at_price=like.compare_at_price,
            cost=like.cost,
            is_free=like.is_free,
            options=values,
        )
        await insert_variant(session, product, new)


def _find_most_similar(existing: Mapping[Combination, Variant], combination: Combination) -> Variant:
    """Return the variant that shares the most values with the combination; the first one of several."""
    return max(existing.items(), key=lambda pair: len(set(pair[0]) & set(combination)))[1]


async def _read_combinations(
    session: AsyncSession, product_id: str, variants: Sequence[Variant]
) -> dict[Combination, Variant]:
    options = await read_product_options(session, product_id)
    values = await read_variant_values(session, [product_id])
    return {
        tuple(has[option.row.id].id for option in options if option.row.id in has): variant
        for variant in variants
        if (has := values.get(variant.id)) is not None
    }


async def _order_variants(session: AsyncSession, product: Product, before: Mapping[str, str]) -> None:
    """Sort the variants by their values, and update the titles that consist of their values.

    `before` has each variant's joined values before the change. A title that equals them is updated.
    """
    options = await read_product_options(session, product.id)
    values = await read_variant_values(session, [product.id])
    joined = await read_joined_values(session, product.id)
    places = {value.id: place for option in options for place, value in enumerate(option.values)}
    variants = list(await read_variants(session, product.id))

    def sort_key(variant: Variant) -> list[int]:
        has = values.get(variant.id, {})
        return [places[has[option.row.id].id] if option.row.id in has else -1 for option in options]

    for rank, variant in enumerate(sorted(variants, key=sort_key)):
        variant.rank = rank
        has_default_title = variant.id not in before or variant.title == before[variant.id]
        if has_default_title:
            variant.title = joined.get(variant.id) or (variant.title if options else ONLY_VARIANT_TITLE)
    await session.flush()
