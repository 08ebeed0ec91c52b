"""Several products or variants deleted, changed and created at once, as programs do: all of it happens, or nothing."""

from sqlalchemy.ext.asyncio import AsyncSession

from backend.audit import Subject, Thing, record
from backend.catalog.events import products_changed
from backend.catalog.products.commands import ChangeProducts, ChangeVariants, WriteVariant
from backend.catalog.products.options import require_different_variants
from backend.catalog.products.service import (
    change_product,
    create_product,
    delete_product,
    lock_product,
    lock_products,
)
from backend.catalog.products.variants import set_variants, variants_of
from backend.core.clock import now
from backend.core.errors import NotAllowed, NotFound
from backend.staff.rights import Actor, Right


async def apply_batch(session: AsyncSession, actor: Actor, batch: ChangeProducts) -> list[str]:
    """Delete, change and create products, in this order: what one lets go of, a handle or a code, another may take.

    Returns:
        The ids of those that were created, in the order of the command.

    Raises:
        NotFound: there is no such product, or it is deleted by the same batch.
        InvalidData: a handle or a code is taken; or one is not changed or created as asked.
        NotAllowed: a variant that is left out has units that are reserved.
    """
    actor.require(Right.CHANGE_CATALOG)
    # all at the beginning, in the order of their ids, so that two batches never deadlock
    await lock_products(session, [*batch.delete, *(product_id for product_id, _ in batch.update)])
    for product_id in dict.fromkeys(batch.delete):
        await delete_product(session, actor, product_id)
    for product_id, change in batch.update:
        await change_product(session, actor, product_id, change)
    return [await create_product(session, actor, new) for new in batch.create]


async def apply_variant_batch(
    session: AsyncSession, actor: Actor, product_id: str, batch: ChangeVariants
) -> list[str]:
    """Delete, change and create variants of the product: what one lets go of, a code, another may take.

    Returns:
        The ids of those that were created, in their order.

    Raises:
        NotFound: there is no such product, it has no such variant, or the same batch deletes it.
        InvalidData: a code is taken, or values do not fit.
        NotAllowed: none would be left, or one that is deleted has units that are reserved.
    """
    actor.require(Right.CHANGE_CATALOG)
    product = await lock_product(session, product_id)
    await record(session, actor, "variant changed", Subject(Thing.PRODUCT, product_id))
    known = [variant.id for variant in await variants_of(session, product_id)]
    kept = [one for one in known if one not in batch.delete]
    changes = {change.id: change for change in batch.update if change.id}
    if missing := [*(set(batch.delete) - set(known)), *(changes.keys() - kept)]:
        raise NotFound(f"Product variant with id: {min(missing)} was not found")
    if not kept and not batch.create:
        raise NotAllowed("A product keeps at least one variant")
    said = [changes.get(one) or WriteVariant(id=one) for one in kept]
    await set_variants(session, product, [*said, *batch.create])
    await require_different_variants(session, product_id)
    product.updated_at = now()
    await products_changed(session, [product_id])
    return [variant.id for variant in await variants_of(session, product_id) if variant.id not in known]
