"""Creating, changing and deleting collections, and putting products into them (spec: Admin API)."""

from collections.abc import Iterable

from sqlalchemy import select, update
from sqlalchemy.ext.asyncio import AsyncSession

from backend.audit import Change, Subject, Thing, record
from backend.catalog.events import products_changed
from backend.catalog.handles import handle_from, require_free_handle
from backend.catalog.models import Collection, Product
from backend.catalog.products.service import lock_products
from backend.catalog.schemas.admin import CollectionChange
from backend.core.db.database import locked
from backend.core.db.tables import JsonObject, get_or_404
from backend.staff.rights import Actor, Right


async def create_collection(
    session: AsyncSession,
    actor: Actor,
    *,
    title: str,
    handle: str | None = None,
    metadata: JsonObject | None = None,
) -> Collection:
    """Create a collection; its handle is made from the title unless it is given.

    Raises:
        InvalidData: its handle is taken.
    """
    actor.require(Right.CHANGE_CATALOG)
    collection = Collection(title=title, handle=handle or handle_from(title), meta=metadata or {})
    await require_free_handle(session, collection)
    await record(session, actor, "created", Subject(Thing.COLLECTION, collection.id))
    session.add(collection)
    await session.flush()
    return collection


async def change_collection(
    session: AsyncSession, actor: Actor, collection_id: str, change: CollectionChange
) -> Collection:
    """Change the fields that the body names; the others stay.

    Raises:
        NotFound: there is none.
        InvalidData: its new handle is taken.
    """
    actor.require(Right.CHANGE_CATALOG)
    collection = await find_collection(session, collection_id, lock=True)
    await record(session, actor, "changed", Subject(Thing.COLLECTION, collection_id))
    collection.title = change.title or collection.title
    collection.handle = change.handle or collection.handle
    collection.meta = collection.meta if change.metadata is None else change.metadata
    with session.no_autoflush:
        await require_free_handle(session, collection)
    await products_changed(session, await _in_collection(session, collection_id))
    return collection


async def delete_collection(session: AsyncSession, actor: Actor, collection_id: str) -> None:
    """Delete the collection; its products stay, without one.

    Raises:
        NotFound: there is none.
    """
    actor.require(Right.CHANGE_CATALOG)
    collection = await find_collection(session, collection_id, lock=True)
    inside = await _in_collection(session, collection_id)
    changes: dict[str, Change] = {"products": (sorted(inside), [])}
    await record(session, actor, "deleted", Subject(Thing.COLLECTION, collection_id), changes)
    await session.execute(
        update(Product).where(Product.collection_id == collection_id).values(collection_id=None)
    )
    await session.delete(collection)
    await products_changed(session, inside)


async def assign_to_collection(
    session: AsyncSession, actor: Actor, collection_id: str, add: Iterable[str], remove: Iterable[str]
) -> Collection:
    """Put products into the collection and take products out. A product is in one collection at most.

    Raises:
        NotFound: there is no such collection; unknown products are skipped.
    """
    actor.require(Right.CHANGE_CATALOG)
    collection = await find_collection(session, collection_id, lock=True)
    await record(session, actor, "products assigned", Subject(Thing.COLLECTION, collection_id))
    wanted, unwanted = set(add), set(remove)
    moved = []
    for product in await lock_products(session, wanted | unwanted):
        if product.id in wanted and product.collection_id != collection_id:
            product.collection_id = collection_id
            moved.append(product.id)
        elif product.id in unwanted - wanted and product.collection_id == collection_id:
            product.collection_id = None
            moved.append(product.id)
    await products_changed(session, moved)
    return collection


async def find_collection(session: AsyncSession, collection_id: str, *, lock: bool = False) -> Collection:
    """The collection; with `lock`, locked for a change.

    Raises:
        NotFound: there is none.
    """
    query = select(Collection).where(Collection.id == collection_id)
    return await get_or_404(session, locked(query) if lock else query, "Collection", collection_id)


async def _in_collection(session: AsyncSession, collection_id: str) -> set[str]:
    found = await session.execute(select(Product.id).where(Product.collection_id == collection_id))
    return set(found.scalars())
