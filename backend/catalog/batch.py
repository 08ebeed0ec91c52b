"""Several products deleted, changed and created at once, as programs do: all of it happens, or nothing."""

from sqlalchemy.ext.asyncio import AsyncSession

from backend.catalog.admin_schemas import ProductBatch
from backend.catalog.products import change_product, create_product, delete_product, lock_products
from backend.staff.rights import Actor, Right


async def apply_batch(session: AsyncSession, actor: Actor, batch: ProductBatch) -> list[str]:
    """Delete, change and create products, in this order: what one lets go of, a handle or a code, another may take.

    Returns:
        The ids of those that were created, in the order of the body.

    Raises:
        Forbidden: see `Actor.require`.
        NotFound: there is no such product, or it is deleted by the same batch.
        InvalidData: a handle or a code is taken; or one is not changed or created as asked.
        NotAllowed: a variant that is left out has units that are reserved.
    """
    actor.require(Right.CHANGE_CATALOG)
    # all at the beginning, in the order of their ids, so that two batches never deadlock
    await lock_products(session, [*batch.delete, *(change.id for change in batch.update)])
    for product_id in dict.fromkeys(batch.delete):
        await delete_product(session, actor, product_id)
    for change in batch.update:
        await change_product(session, actor, change.id, change)
    return [await create_product(session, actor, new) for new in batch.create]
