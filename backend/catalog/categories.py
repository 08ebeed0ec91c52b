"""Creation, change and deletion of categories, and the assignment of products to them."""

from collections.abc import Iterable, Sequence
from enum import StrEnum

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.audit import Change, Subject, SubjectType, record
from backend.catalog.category_tree import Tree, find_category, read_tree
from backend.catalog.events import publish_product_changes
from backend.catalog.handles import make_handle, require_free_handle
from backend.catalog.models import Category, ProductCategory
from backend.catalog.products.service import lock_products
from backend.catalog.redirects.group_addresses import (
    claim_group_address,
    move_category_redirects,
    redirect_group_address,
)
from backend.catalog.schemas.admin import CategoryChange
from backend.catalog.schemas.group_pictures import split_picture
from backend.core.db.tables import JsonObject, insert_into
from backend.core.errors import NotAllowed
from backend.core.texts import _
from backend.rate_limit.limiter import take_turns
from backend.staff.rights import Actor, Right

MAX_CATEGORIES = 1_000
MAX_DEPTH = 6
"""Maximum number of categories on a path, the root included."""
TOO_MANY_TEXT = _("Ya hay 1.000 categorías: borra las que no uses.")
CHILDREN_TEXT = _("Primero mueve o borra las categorías que tiene dentro.")
OWN_CHILD_TEXT = _("Una categoría no puede quedar dentro de sí misma.")
TOO_DEEP_TEXT = _("Una categoría puede estar dentro de otra hasta {most} niveles.")


async def create_category(
    session: AsyncSession,
    actor: Actor,
    *,
    name: str,
    handle: str | None = None,
    description: str | None = None,
    parent_id: str | None = None,
    rank: int | None = None,
    is_active: bool = True,
    picture: str = "",
    metadata: JsonObject | None = None,
) -> Category:
    """Create a category. `rank` is its position among its siblings, from 0; by default it is the last one.

    Raises:
        NotFound: the parent does not exist.
        InvalidData: the handle is empty or taken, or the picture was not uploaded to the shop.
        NotAllowed: the shop has `MAX_CATEGORIES`, or the parent is `MAX_DEPTH` levels deep.
    """
    actor.require(Right.CHANGE_CATALOG)
    await lock_tree(session)
    tree = await read_tree(session)
    if len(tree.by_id) >= MAX_CATEGORIES:
        raise NotAllowed(f"The shop has {MAX_CATEGORIES} categories", staff_text=TOO_MANY_TEXT)
    if parent_id is not None:
        await find_category(session, parent_id)
        _require_depth(len(tree.path_to(parent_id)) + 1)
    metadata, picture = split_picture(metadata, picture)
    category = Category(
        name=name,
        handle=handle or make_handle(name),
        description=description or "",
        parent_id=parent_id,
        is_active=is_active,
        picture=picture,
        meta=metadata or {},
    )
    await require_free_handle(session, category)
    await claim_group_address(session, Category, category.handle)
    await record(session, actor, "created", Subject(SubjectType.CATEGORY, category.id))
    await _set_rank(session, category, rank)
    session.add(category)
    await session.flush()
    return category


async def change_category(
    session: AsyncSession, actor: Actor, category_id: str, change: CategoryChange
) -> Category:
    """Change the fields that the body contains. With `parent_category_id: null`, the category becomes a root.

    If the handle changes, the address with the former handle is redirected to the category.

    Raises:
        NotFound: the category or the new parent does not exist.
        InvalidData: the new handle is taken, or the new picture was not uploaded to the shop.
        NotAllowed: the new parent is the category or its descendant, a category would be more than
            `MAX_DEPTH` levels deep, or the shop has too many redirects.
    """
    actor.require(Right.CHANGE_CATALOG)
    await lock_tree(session)
    category = await find_category(session, category_id)
    await record(session, actor, "changed", Subject(SubjectType.CATEGORY, category_id))
    before, former_handle, was_active = category.parent_id, category.handle, category.is_active
    if "parent_category_id" in change.model_fields_set:
        await _set_parent(session, category, change.parent_category_id)
    category.name = change.name or category.name
    category.handle = change.handle or category.handle
    category.description = category.description if change.description is None else change.description
    metadata, category.picture = split_picture(change.metadata, category.picture)
    category.meta = category.meta if metadata is None else metadata
    category.is_active = category.is_active if change.is_active is None else change.is_active
    with session.no_autoflush:
        await require_free_handle(session, category)
        if category.parent_id != before:
            _renumber(await _siblings(session, before, category))
        if change.rank is not None or category.parent_id != before:
            await _set_rank(session, category, change.rank)
    await session.flush()
    if category.handle != former_handle:
        await claim_group_address(session, Category, category.handle)
        await redirect_group_address(session, Category, former_handle, category_id)
    await publish_product_changes(session, await _product_ids_in(session, category_id))
    if was_active != category.is_active or before != category.parent_id:
        await _publish_descendants(session, category)
    return category


class MovePosition(StrEnum):
    """The place of a moved category, relative to another one."""

    BEFORE = "before"
    AFTER = "after"
    INSIDE = "inside"


async def move_category(
    session: AsyncSession, actor: Actor, category_id: str, place: MovePosition, target_id: str
) -> Category:
    """Move the category before or after another one, or make it the last child of the other one.

    The new place is relative to the other category. So if two people move categories at once, both moves are
    kept. A move before or after the category itself changes nothing.

    Raises:
        NotFound: one of the categories does not exist.
        NotAllowed: the category would become its own descendant, or a category would be more than `MAX_DEPTH`
            levels deep.
    """
    actor.require(Right.CHANGE_CATALOG)
    await lock_tree(session)
    category, target = await find_category(session, category_id), await find_category(session, target_id)
    parent_id = target.id if place is MovePosition.INSIDE else target.parent_id
    siblings = await _siblings(session, parent_id, category)
    rank = len(siblings)
    if place is not MovePosition.INSIDE:
        if target is category:
            return category
        rank = siblings.index(target) + (1 if place is MovePosition.AFTER else 0)
    change = CategoryChange(parent_category_id=parent_id, rank=rank)
    return await change_category(session, actor, category_id, change)


async def set_category_picture(
    session: AsyncSession, actor: Actor, category_id: str, picture: str
) -> Category:
    """Set the URL of the category's picture; if it is empty, pages show the picture of one of its products.

    Raises:
        NotFound: the category does not exist.
    """
    actor.require(Right.CHANGE_CATALOG)
    await lock_tree(session)
    category = await find_category(session, category_id)
    await record(session, actor, "changed", Subject(SubjectType.CATEGORY, category_id))
    category.picture = picture
    return category


async def delete_category(
    session: AsyncSession, actor: Actor, category_id: str, *, heir_id: str | None = None
) -> None:
    """Delete the category; its products are kept.

    Its address, and all addresses that were redirected to it, lead to the category that inherits them (the
    heir), by default its parent. If a root has no heir, these addresses lead to no page any more.

    Raises:
        NotFound: the category or the heir does not exist.
        NotAllowed: the category has children, or the shop has too many redirects.
    """
    actor.require(Right.CHANGE_CATALOG)
    await lock_tree(session)
    category = await find_category(session, category_id)
    below = await session.execute(select(Category.id).where(Category.parent_id == category_id).limit(1))
    if below.first():
        message = f"Deleting ProductCategory ({category_id}) with category children is not allowed"
        raise NotAllowed(message, staff_text=CHILDREN_TEXT)
    heir = heir_id if heir_id and heir_id != category_id else category.parent_id
    if heir is not None:
        await find_category(session, heir)
    inside = await _product_ids_in(session, category_id)
    changes: dict[str, Change] = {"products": (sorted(inside), [])}
    await record(session, actor, "deleted", Subject(SubjectType.CATEGORY, category_id), changes)
    if heir is not None:
        await move_category_redirects(session, category_id, heir)
        await redirect_group_address(session, Category, category.handle, heir)
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
            raise NotAllowed("A category cannot lie below itself", staff_text=OWN_CHILD_TEXT)
        if parent_id != category.parent_id:
            _require_depth(len(tree.path_to(parent_id)) + _height(tree, category))
    category.parent_id = parent_id


def _require_depth(depth: int) -> None:
    if depth > MAX_DEPTH:
        text = TOO_DEEP_TEXT.format(most=MAX_DEPTH)
        raise NotAllowed(f"Categories are at most {MAX_DEPTH} levels deep", staff_text=text)


def _height(tree: Tree, category: Category) -> int:
    """Return the number of levels of a category and its descendants."""
    return 1 + max((_height(tree, child) for child in tree.children(category.id)), default=0)


async def lock_tree(session: AsyncSession) -> None:
    """Lock the category tree until the transaction ends.

    Without the lock, two concurrent moves could create a cycle, or give two siblings the same rank.
    """
    await take_turns(session, "categories")


async def _siblings(session: AsyncSession, parent_id: str | None, category: Category) -> list[Category]:
    """Return the parent's children by rank, except `category`."""
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


async def _publish_descendants(session: AsyncSession, category: Category) -> None:
    """Publish `ProductChanged` for the products in the category's descendants.

    Hiding or moving the category also affects these products.
    """
    below = (await read_tree(session)).with_descendants([category.handle]) - {category.id}
    inside = select(ProductCategory.product_id).where(ProductCategory.category_id.in_(below)).distinct()
    if below:
        await publish_product_changes(session, (await session.execute(inside)).scalars().all())


async def _product_ids_in(session: AsyncSession, category_id: str) -> set[str]:
    found = await session.execute(
        select(ProductCategory.product_id).where(ProductCategory.category_id == category_id)
    )
    return set(found.scalars())
