"""Creation, change and deletion of collections, and the assignment of products to them (spec: Admin API)."""

from collections.abc import Iterable

from sqlalchemy import Select, func, select, update
from sqlalchemy.ext.asyncio import AsyncSession

from backend.audit import Change, Subject, SubjectType, record
from backend.catalog.events import publish_product_changes
from backend.catalog.handles import make_handle, require_free_handle
from backend.catalog.models import Collection, Product
from backend.catalog.products.service import lock_products
from backend.catalog.redirects.group_addresses import claim_group_address, redirect_group_address
from backend.catalog.schemas.admin import CollectionChange
from backend.catalog.schemas.group_pictures import split_picture
from backend.core.db.database import lock_rows
from backend.core.db.tables import JsonObject, get_or_404
from backend.core.errors import NotAllowed
from backend.core.texts import _
from backend.rate_limit.limiter import take_turns
from backend.staff.rights import Actor, Right

MAX_COLLECTIONS = 1_000
TOO_MANY_TEXT = _("Ya hay 1.000 colecciones: borra las que no uses.")


async def create_collection(
    session: AsyncSession,
    actor: Actor,
    *,
    title: str,
    handle: str | None = None,
    metadata: JsonObject | None = None,
) -> Collection:
    """Create a collection after all existing ones. Without a handle, derive one from the title.

    Raises:
        InvalidData: the handle is empty or taken, or the picture was not uploaded to the shop.
        NotAllowed: the shop has `MAX_COLLECTIONS`.
    """
    actor.require(Right.CHANGE_CATALOG)
    await lock_collections(session)
    count, last = (
        await session.execute(select(func.count(), func.coalesce(func.max(Collection.rank), -1)))
    ).one()
    if count >= MAX_COLLECTIONS:
        raise NotAllowed(f"The shop has {MAX_COLLECTIONS} collections", staff_text=TOO_MANY_TEXT)
    metadata, picture = split_picture(metadata, "")
    collection = Collection(
        title=title,
        handle=handle or make_handle(title),
        rank=last + 1,
        picture=picture,
        meta=metadata or {},
    )
    await require_free_handle(session, collection)
    await claim_group_address(session, Collection, collection.handle)
    await record(session, actor, "created", Subject(SubjectType.COLLECTION, collection.id))
    session.add(collection)
    await session.flush()
    return collection


async def change_collection(
    session: AsyncSession, actor: Actor, collection_id: str, change: CollectionChange
) -> Collection:
    """Change the fields that the body contains.

    If the handle changes, the address with the former handle is redirected to the collection.

    Raises:
        NotFound: the collection does not exist.
        InvalidData: the new handle is taken, or the new picture was not uploaded to the shop.
        NotAllowed: the shop has too many redirects.
    """
    actor.require(Right.CHANGE_CATALOG)
    collection = await find_collection(session, collection_id, lock=True)
    await record(session, actor, "changed", Subject(SubjectType.COLLECTION, collection_id))
    former_handle = collection.handle
    collection.title = change.title or collection.title
    collection.handle = change.handle or collection.handle
    metadata, collection.picture = split_picture(change.metadata, collection.picture)
    collection.meta = collection.meta if metadata is None else metadata
    with session.no_autoflush:
        await require_free_handle(session, collection)
    await session.flush()
    if collection.handle != former_handle:
        await claim_group_address(session, Collection, collection.handle)
        await redirect_group_address(session, Collection, former_handle, collection_id)
    await publish_product_changes(session, await _product_ids_in(session, collection_id))
    return collection


async def set_collection_display(
    session: AsyncSession,
    actor: Actor,
    collection_id: str,
    *,
    description: str | None = None,
    is_active: bool | None = None,
    picture: str | None = None,
) -> Collection:
    """Set the description, the visibility or the picture of the collection; None keeps a value.

    Raises:
        NotFound: the collection does not exist.
    """
    actor.require(Right.CHANGE_CATALOG)
    collection = await find_collection(session, collection_id, lock=True)
    await record(session, actor, "changed", Subject(SubjectType.COLLECTION, collection_id))
    was_active = collection.is_active
    collection.description = collection.description if description is None else description
    collection.is_active = was_active if is_active is None else is_active
    collection.picture = collection.picture if picture is None else picture
    if collection.is_active != was_active:
        await publish_product_changes(session, await _product_ids_in(session, collection_id))
    return collection


async def move_collection(
    session: AsyncSession, actor: Actor, collection_id: str, target_id: str, *, is_after: bool
) -> Collection:
    """Move the collection before or after another one.

    The new place is relative to the other collection. So if two people move collections at once, both moves are kept.
    A move before or after the collection itself changes nothing.

    Raises:
        NotFound: one of the collections does not exist.
    """
    actor.require(Right.CHANGE_CATALOG)
    await lock_collections(session)
    collection = await find_collection(session, collection_id)
    target = await find_collection(session, target_id)
    if target is collection:
        return collection
    await record(session, actor, "changed", Subject(SubjectType.COLLECTION, collection_id))
    query = ordered_collections().execution_options(populate_existing=True)
    ordered = list((await session.execute(query)).scalars())
    ordered.remove(collection)
    ordered.insert(ordered.index(target) + (1 if is_after else 0), collection)
    for rank, one in enumerate(ordered):
        one.rank = rank
    return collection


def ordered_collections() -> Select[Collection]:
    """Return the query for the collections in their order."""
    return select(Collection).order_by(Collection.rank, Collection.title, Collection.id)


async def lock_collections(session: AsyncSession) -> None:
    """Wait until no other transaction can change the order or the titles of collections until this one ends."""
    await take_turns(session, "collections")


async def delete_collection(session: AsyncSession, actor: Actor, collection_id: str) -> None:
    """Delete the collection and the redirects to it; its products are kept, without a collection.

    Raises:
        NotFound: the collection does not exist.
    """
    actor.require(Right.CHANGE_CATALOG)
    collection = await find_collection(session, collection_id, lock=True)
    inside = await _product_ids_in(session, collection_id)
    changes: dict[str, Change] = {"products": (sorted(inside), [])}
    await record(session, actor, "deleted", Subject(SubjectType.COLLECTION, collection_id), changes)
    await session.execute(
        update(Product).where(Product.collection_id == collection_id).values(collection_id=None)
    )
    await session.delete(collection)
    await publish_product_changes(session, inside)


async def assign_to_collection(
    session: AsyncSession, actor: Actor, collection_id: str, add: Iterable[str], remove: Iterable[str]
) -> Collection:
    """Add products to the collection and remove products from it. A product is in one collection at most.

    Unknown products are skipped.

    Raises:
        NotFound: the collection does not exist.
    """
    actor.require(Right.CHANGE_CATALOG)
    collection = await find_collection(session, collection_id, lock=True)
    await record(session, actor, "products assigned", Subject(SubjectType.COLLECTION, collection_id))
    ids_to_add, ids_to_remove = set(add), set(remove)
    moved = []
    for product in await lock_products(session, ids_to_add | ids_to_remove):
        if product.id in ids_to_add and product.collection_id != collection_id:
            product.collection_id = collection_id
            moved.append(product.id)
        elif product.id in ids_to_remove - ids_to_add and product.collection_id == collection_id:
            product.collection_id = None
            moved.append(product.id)
    await publish_product_changes(session, moved)
    return collection


async def find_collection(session: AsyncSession, collection_id: str, *, lock: bool = False) -> Collection:
    """Return the collection with this id; with `lock`, lock its row for a change.

    Raises:
        NotFound: the collection does not exist.
    """
    query = select(Collection).where(Collection.id == collection_id)
    return await get_or_404(session, lock_rows(query) if lock else query, "Collection", collection_id)


async def _product_ids_in(session: AsyncSession, collection_id: str) -> set[str]:
    found = await session.execute(select(Product.id).where(Product.collection_id == collection_id))
    return set(found.scalars())
