"""Batches of products or variants for API clients: delete, change and create in one transaction."""

from sqlalchemy.ext.asyncio import AsyncSession

from backend.audit import Subject, SubjectType, record
from backend.catalog.events import publish_product_changes
from backend.catalog.products.commands import ChangeProducts, ChangeVariants, WriteVariant
from backend.catalog.products.options import require_different_variants
from backend.catalog.products.service import (
    change_product,
    create_product,
    delete_product,
    lock_product,
    lock_products,
)
from backend.catalog.products.variant_pictures import update_thumbnails
from backend.catalog.products.variants import read_variants, set_variants
from backend.core.clock import now
from backend.core.errors import NotAllowed, NotFound
from backend.staff.rights import Actor, Right


async def apply_batch(session: AsyncSession, actor: Actor, batch: ChangeProducts) -> list[str]:
    """Delete, change and create products, in this order, so that a handle or code can be reused in the same batch.

    Returns:
        The ids of the created products, in the order of the command.

    Raises:
        NotFound: a product does not exist, or the same batch deletes it.
        InvalidData: a handle or a code is taken, or a change is invalid.
        NotAllowed: a variant to delete has reserved units.
    """
    actor.require(Right.CHANGE_CATALOG)
    # lock all products first, in the order of their ids, so that two batches never deadlock
    await lock_products(session, [*batch.delete, *(product_id for product_id, _ in batch.update)])
    for product_id in dict.fromkeys(batch.delete):
        await delete_product(session, actor, product_id)
    for product_id, change in batch.update:
        await change_product(session, actor, product_id, change)
    return [await create_product(session, actor, new) for new in batch.create]


async def apply_variant_batch(
    session: AsyncSession, actor: Actor, product_id: str, batch: ChangeVariants
) -> list[str]:
    """Delete, change and create variants of the product, so that a code can be reused in the same batch.

    Returns:
        The ids of the created variants, in order.

    Raises:
        NotFound: the product or a variant does not exist, or the same batch deletes the variant.
        InvalidData: a code is taken, or option values are invalid.
        NotAllowed: no variant would remain, or a variant to delete has reserved units.
    """
    actor.require(Right.CHANGE_CATALOG)
    product = await lock_product(session, product_id)
    await record(session, actor, "variant changed", Subject(SubjectType.PRODUCT, product_id))
    current_ids = [variant.id for variant in await read_variants(session, product_id)]
    remaining_ids = [one for one in current_ids if one not in batch.delete]
    changes = {change.id: change for change in batch.update if change.id}
    if missing := [*(set(batch.delete) - set(current_ids)), *(changes.keys() - remaining_ids)]:
        raise NotFound(f"Product variant with id: {min(missing)} was not found")
    if not remaining_ids and not batch.create:
        raise NotAllowed("A product keeps at least one variant")
    changes_to_set = [changes.get(one) or WriteVariant(id=one) for one in remaining_ids]
    await set_variants(session, product, [*changes_to_set, *batch.create])
    await require_different_variants(session, product_id)
    await update_thumbnails(session, product_id)
    product.updated_at = now()
    await publish_product_changes(session, [product_id])
    return [
        variant.id for variant in await read_variants(session, product_id) if variant.id not in current_ids
    ]
