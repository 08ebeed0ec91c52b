"""Creation, change and deletion of a product's options. For the errors see `backend.catalog.products.options`."""

from collections.abc import Sequence

from sqlalchemy.ext.asyncio import AsyncSession

from backend.audit import Subject, SubjectType, record
from backend.catalog.events import publish_product_changes
from backend.catalog.models import Product, ProductOptionValue
from backend.catalog.products.options import (
    OptionInput,
    find_option,
    read_joined_values,
    read_product_options,
    replace_values,
    require_different_variants,
    set_options,
    store_implied_option,
)
from backend.catalog.products.service import lock_product
from backend.catalog.products.variant_pictures import update_thumbnails
from backend.catalog.products.variants import read_variants
from backend.core.clock import now
from backend.core.db.tables import JsonObject
from backend.core.errors import InvalidData
from backend.staff.rights import Actor, Right


async def add_option(session: AsyncSession, actor: Actor, product_id: str, new: OptionInput) -> None:
    """Add an option to the product. The product's variants have no value for it yet.

    Raises:
        NotFound: the product does not exist.
        InvalidData: the product has an option with this title.
    """
    actor.require(Right.CHANGE_CATALOG)
    product = await _lock_with_options(session, actor, product_id, "option added")
    options_to_set = [*await _current_options(session, product), new]
    await set_options(session, product, options_to_set)
    await publish_product_changes(session, [product_id])


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
    """Change an option. Arguments that are None leave their field unchanged.

    Raises:
        NotFound: the product or the option does not exist.
        InvalidData: another option of the product has this title.
        NotAllowed: a variant has a value that would be removed.
    """
    actor.require(Right.CHANGE_CATALOG)
    product = await _lock_with_options(session, actor, product_id, "option changed")
    option = await find_option(session, product_id, option_id)
    changed = OptionInput(title or option.row.title, values, option_id, metadata)
    options_to_set = [
        changed if one.id == option_id else one for one in await _current_options(session, product)
    ]
    await set_options(session, product, options_to_set)
    await replace_values(session, product, options_to_set)
    await update_thumbnails(session, product_id)
    await publish_product_changes(session, [product_id])


async def delete_option(session: AsyncSession, actor: Actor, product_id: str, option_id: str) -> None:
    """Delete an option with its values. If it was the only one, variants differ only by their titles.

    Raises:
        NotFound: the product or the option does not exist.
        InvalidData: two variants would have the same values.
    """
    actor.require(Right.CHANGE_CATALOG)
    product = await _lock_with_options(session, actor, product_id, "option deleted")
    await find_option(session, product_id, option_id)
    await set_options(
        session, product, [one for one in await _current_options(session, product) if one.id != option_id]
    )
    await require_different_variants(session, product_id)
    await update_thumbnails(session, product_id)
    await publish_product_changes(session, [product_id])


async def change_value(
    session: AsyncSession,
    actor: Actor,
    product_id: str,
    option_id: str,
    *,
    value_id: str,
    text: str | None = None,
    metadata: JsonObject | None = None,
) -> ProductOptionValue:
    """Rename an option value or change its metadata. None leaves a field unchanged.

    A variant title that consists of the variant's option values is updated too.

    Raises:
        NotFound: the product, the option or the value does not exist.
        InvalidData: the option already has a value with this text.
    """
    actor.require(Right.CHANGE_CATALOG)
    await _lock_with_options(session, actor, product_id, "option changed")
    option = await find_option(session, product_id, option_id)
    value = option.find_value(value_id)
    value.meta = value.meta if metadata is None else metadata
    text = text or value.value
    if any(one.value == text for one in option.values if one is not value):
        raise InvalidData(f"Product option {option.row.title} has the value {text} already.")
    variants = await read_variants(session, product_id)
    before = await read_joined_values(session, product_id)
    value.value = text
    await session.flush()
    after = await read_joined_values(session, product_id)
    for variant in variants:
        if variant.title == before.get(variant.id):
            variant.title = after[variant.id]
    await publish_product_changes(session, [product_id])
    return value


async def delete_value(
    session: AsyncSession, actor: Actor, product_id: str, option_id: str, value_id: str
) -> None:
    """Delete a value of an option.

    Raises:
        NotFound: the product, the option or the value does not exist.
        NotAllowed: a variant has the value.
    """
    actor.require(Right.CHANGE_CATALOG)
    product = await _lock_with_options(session, actor, product_id, "option changed")
    option = await find_option(session, product_id, option_id)
    removed = option.find_value(value_id)
    rest = [one.value for one in option.values if one is not removed]
    await replace_values(session, product, [OptionInput(option.row.title, rest)])
    await update_thumbnails(session, product_id)
    await publish_product_changes(session, [product_id])


async def _lock_with_options(session: AsyncSession, actor: Actor, product_id: str, action: str) -> Product:
    """Lock the product and record the action. If the product has no stored options, store its implied option."""
    product = await lock_product(session, product_id)
    await record(session, actor, action, Subject(SubjectType.PRODUCT, product_id))
    await store_implied_option(session, product, await read_variants(session, product_id))
    product.updated_at = now()
    return product


async def _current_options(session: AsyncSession, product: Product) -> list[OptionInput]:
    options = await read_product_options(session, product.id)
    return [OptionInput(option.row.title, id=option.row.id) for option in options]
