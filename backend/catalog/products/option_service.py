"""Create, change and delete options of a product. Refusals: see `backend.catalog.products.options`."""

from collections.abc import Sequence

from sqlalchemy.ext.asyncio import AsyncSession

from backend.audit import Subject, Thing, record
from backend.catalog.events import products_changed
from backend.catalog.models import Product, ProductOptionValue
from backend.catalog.products.options import (
    SaidOption,
    find_option,
    keep_values,
    options_of,
    require_different_variants,
    set_options,
    store_implied,
    titles_of_values,
)
from backend.catalog.products.service import lock_product
from backend.catalog.products.variants import variants_of
from backend.core.clock import now
from backend.core.db.tables import JsonObject
from backend.core.errors import InvalidData
from backend.staff.rights import Actor, Right


async def add_option(session: AsyncSession, actor: Actor, product_id: str, new: SaidOption) -> None:
    """Add an option to the product. Its variants have none of its values yet.

    Raises:
        NotFound: there is no such product.
        InvalidData: it has an option that is called so.
    """
    actor.require(Right.CHANGE_CATALOG)
    product = await _product(session, actor, product_id, "option added")
    said = [*await _said(session, product), new]
    await set_options(session, product, said)
    await products_changed(session, [product_id])


async def change_option(
    session: AsyncSession,
    actor: Actor,
    product_id: str,
    option_id: str,
    *,
    title: str | None = None,
    values: Sequence[str] | None = None,
    metadata: JsonObject | None = None,
) -> None:
    """Change an option; None leaves a part of it as it is.

    Raises:
        NotFound: there is no such product, or it has no such option.
        InvalidData: another of its options is called so.
        NotAllowed: a value that is left out is a variant's.
    """
    actor.require(Right.CHANGE_CATALOG)
    product = await _product(session, actor, product_id, "option changed")
    option = await find_option(session, product_id, option_id)
    changed = SaidOption(title or option.row.title, values, option_id, metadata)
    said = [changed if one.id == option_id else one for one in await _said(session, product)]
    await set_options(session, product, said)
    await keep_values(session, product, said)
    await products_changed(session, [product_id])


async def delete_option(session: AsyncSession, actor: Actor, product_id: str, option_id: str) -> None:
    """Delete an option with its values. Without any, a product's variants are told apart by their titles.

    Raises:
        NotFound: there is no such product, or it has no such option.
        InvalidData: two of its variants differ in nothing else.
    """
    actor.require(Right.CHANGE_CATALOG)
    product = await _product(session, actor, product_id, "option deleted")
    await find_option(session, product_id, option_id)
    await set_options(session, product, [one for one in await _said(session, product) if one.id != option_id])
    await require_different_variants(session, product_id)
    await products_changed(session, [product_id])


async def rename_value(
    session: AsyncSession, actor: Actor, product_id: str, option_id: str, *, value_id: str, text: str
) -> ProductOptionValue:
    """Call a value otherwise. The title of a variant that is made of its values follows them.

    Raises:
        NotFound: there is no such product, option or value.
        InvalidData: the option has another value that is called so.
    """
    actor.require(Right.CHANGE_CATALOG)
    await _product(session, actor, product_id, "option changed")
    option = await find_option(session, product_id, option_id)
    value = option.value(value_id)
    if any(one.value == text for one in option.values if one is not value):
        raise InvalidData(f"Product option {option.row.title} has the value {text} already.")
    variants = await variants_of(session, product_id)
    before = await titles_of_values(session, product_id)
    value.value = text
    await session.flush()
    after = await titles_of_values(session, product_id)
    for variant in variants:
        if variant.title == before.get(variant.id):
            variant.title = after[variant.id]
    await products_changed(session, [product_id])
    return value


async def delete_value(
    session: AsyncSession, actor: Actor, product_id: str, option_id: str, value_id: str
) -> None:
    """Take a value away from an option.

    Raises:
        NotFound: there is no such product, option or value.
        NotAllowed: a variant has it.
    """
    actor.require(Right.CHANGE_CATALOG)
    product = await _product(session, actor, product_id, "option changed")
    option = await find_option(session, product_id, option_id)
    gone = option.value(value_id)
    rest = [one.value for one in option.values if one is not gone]
    await keep_values(session, product, [SaidOption(option.row.title, rest)])
    await products_changed(session, [product_id])


async def _product(session: AsyncSession, actor: Actor, product_id: str, action: str) -> Product:
    """The product, locked, with the option stored that it has without having been given one."""
    product = await lock_product(session, product_id)
    await record(session, actor, action, Subject(Thing.PRODUCT, product_id))
    await store_implied(session, product, await variants_of(session, product_id))
    product.updated_at = now()
    return product


async def _said(session: AsyncSession, product: Product) -> list[SaidOption]:
    options = (await options_of(session, [product.id])).get(product.id, [])
    return [SaidOption(option.row.title, id=option.row.id) for option in options]
