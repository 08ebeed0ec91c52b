"""Creation, change and deletion of categories, and the assignment of products to them."""

from collections.abc import Iterable, Sequence

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.audit import Change, Subject, SubjectType, record
from backend.catalog.category_tree import find_category, read_tree
from backend.catalog.events import publish_product_changes
from backend.catalog.handles import make_handle, require_free_handle
from backend.catalog.models import Category, ProductCategory
from backend.catalog.products.service import lock_products
from backend.catalog.schemas.admin import CategoryChange
from backend.core.db.database import lock_rows
from backend.core.db.tables import JsonObject, insert_into
from backend.core.errors import NotAllowed
from backend.staff.rights import Actor, Right


async def create_category(
    session: AsyncSession,
    actor: Actor,
    *,
    name: str,
    handle: str | None = None,
    description: str | None = None,
    parent_id: str | None = None,
    rank: int | None = None,
    metadata: JsonObject | None = None,
) -> Category:
    """Create a category, by default after its siblings; with a rank, the later siblings move down.

    Raises:
        NotFound: the parent does not exist.
        InvalidData: the handle is taken.
    """
    actor.require(Right.CHANGE_CATALOG)
    await _lock_tree(session)
    if parent_id is not None:
        await find_category(session, parent_id)
    category = Category(
        name=name,
        handle=handle or make_handle(name),
        description=description or "",
        parent_id=parent_id,
        meta=metadata or {},
    )
    await require_free_handle(session, category)
    await record(session, actor, "created", Subject(SubjectType.CATEGORY, category.id))
    await _set_rank(session, category, rank)
    session.add(category)
    await session.flush()
    return category


async def change_category(
    session: AsyncSession, actor: Actor, category_id: str, change: CategoryChange
) -> Category:
    """Change the fields that the body contains. With `parent_category_id: null`, the category becomes a root.

    Raises:
        NotFound: the category or the new parent does not exist.
        InvalidData: the new handle is taken.
        NotAllowed: the new parent is a descendant of the category.
    """
    actor.require(Right.CHANGE_CATALOG)
    await _lock_tree(session)
    category = await find_category(session, category_id)
    await record(session, actor, "changed", Subject(SubjectType.CATEGORY, category_id))
    before = category.parent_id
    if "parent_category_id" in change.model_fields_set:
        await _set_parent(session, category, change.parent_category_id)
    category.name = change.name or category.name
    category.handle = change.handle or category.handle
    category.description = category.description if change.description is None else change.description
    category.meta = category.meta if change.metadata is None else change.metadata
    with session.no_autoflush:
        await require_free_handle(session, category)
        if category.parent_id != before:
            _renumber(await _siblings(session, before, category))
        if change.rank is not None or category.parent_id != before:
            await _set_rank(session, category, change.rank)
    await publish_product_changes(session, await _product_ids_in(session, category_id))
    return category


async def delete_category(session: AsyncSession, actor: Actor, category_id: str) -> None:
    """Delete the category; its products are kept.

    Raises:
        NotFound: the category does not exist.
        NotAllowed: the category has children.
    """
    actor.require(Right.CHANGE_CATALOG)
    await _lock_tree(session)
    category = await find_category(session, category_id)
    below = await session.execute(select(Category.id).where(Category.parent_id == category_id).limit(1))
    if below.first():
        raise NotAllowed(f"Deleting ProductCategory ({category_id}) with category children is not allowed")
    inside = await _product_ids_in(session, category_id)
    changes: dict[str, Change] = {"products": (sorted(inside), [])}
    await record(session, actor, "deleted", Subject(SubjectType.CATEGORY, category_id), changes)
    await session.delete(category)
    _renumber(await _siblings(session, category.parent_id, category))
    await publish_product_changes(session, inside)


async def assign_to_category(
    session: AsyncSession, actor: Actor, category_id: str, add: Iterable[str], remove: Iterable[str]
) -> Category:
    """Add products to the category and remove products from it. A product may be in several categories.

    Unknown products are skipped.

    Raises:
        NotFound: the category does not exist.
    """
    actor.require(Right.CHANGE_CATALOG)
    category = await find_category(session, category_id)
    ids_to_add = set(add)
    products = {product.id for product in await lock_products(session, ids_to_add | set(remove))}
    current_ids = await _product_ids_in(session, category_id)
    new, removed_ids = (products & ids_to_add) - current_ids, (products - ids_to_add) & current_ids
    changes = {"products added": (None, sorted(new)), "products removed": (sorted(removed_ids), None)}
    await record(session, actor, "products assigned", Subject(SubjectType.CATEGORY, category_id), changes)
    if new:
        rows = [{"product_id": product_id, "category_id": category_id} for product_id in sorted(new)]
        await session.execute(insert_into(ProductCategory).on_conflict_do_nothing(), rows)
    if removed_ids:
        await session.execute(
            ProductCategory.__table__.delete().where(  # type: ignore[attr-defined]
                ProductCategory.category_id == category_id, ProductCategory.product_id.in_(removed_ids)
            )
        )
    await publish_product_changes(session, new | removed_ids)
    return category


async def _set_parent(session: AsyncSession, category: Category, parent_id: str | None) -> None:
    if parent_id is not None:
        parent = await find_category(session, parent_id)
        tree = await read_tree(session)
        if parent.id in tree.with_descendants([category.handle]):
            raise NotAllowed("A category cannot lie below itself")
    category.parent_id = parent_id


async def _lock_tree(session: AsyncSession) -> None:
    """Lock the category tree until the transaction ends.

    Without the lock, two concurrent moves could create a cycle.
    """
    await session.execute(lock_rows(select(Category.id).order_by(Category.id)))


async def _siblings(session: AsyncSession, parent_id: str | None, category: Category) -> list[Category]:
    """Return the parent's children by rank, without the category."""
    under = Category.parent_id.is_(None) if parent_id is None else Category.parent_id == parent_id
    query = select(Category).where(under, Category.id != category.id).order_by(Category.rank, Category.name)
    return list((await session.execute(query)).scalars())


async def _set_rank(session: AsyncSession, category: Category, rank: int | None) -> None:
    """Set the category's rank among its siblings (by default after them) and renumber all of them."""
    siblings = await _siblings(session, category.parent_id, category)
    siblings.insert(len(siblings) if rank is None else rank, category)
    _renumber(siblings)


def _renumber(categories: Sequence[Category]) -> None:
    for rank, category in enumerate(categories):
        category.rank = rank


async def _product_ids_in(session: AsyncSession, category_id: str) -> set[str]:
    found = await session.execute(
        select(ProductCategory.product_id).where(ProductCategory.category_id == category_id)
    )
    return set(found.scalars())
