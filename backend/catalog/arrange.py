"""Collections and categories, and which products are in them (spec: Admin API)."""

from collections.abc import Iterable

from sqlalchemy import func, select, update
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.ext.asyncio import AsyncSession

from backend.catalog.admin_schemas import CategoryChange, CollectionChange, NewCategory, NewCollection
from backend.catalog.changes import handle_from, lock_products, products_changed
from backend.catalog.models import Category, Collection, Product, ProductCategory
from backend.catalog.tree import read_tree
from backend.database import locked
from backend.errors import InvalidData, NotAllowed, NotFound


async def create_collection(session: AsyncSession, new: NewCollection) -> Collection:
    """A new collection.

    Raises:
        InvalidData: its handle is taken.
    """
    collection = Collection(
        title=new.title, handle=new.handle or handle_from(new.title), meta=new.metadata or {}
    )
    await _require_free(session, collection)
    session.add(collection)
    await session.flush()
    return collection


async def change_collection(
    session: AsyncSession, collection_id: str, change: CollectionChange
) -> Collection:
    """Change what was said of the collection.

    Raises:
        NotFound: there is none.
        InvalidData: its new handle is taken.
    """
    collection = await lock_collection(session, collection_id)
    collection.title = change.title or collection.title
    collection.handle = change.handle or collection.handle
    collection.meta = collection.meta if change.metadata is None else change.metadata
    with session.no_autoflush:
        await _require_free(session, collection)
    await products_changed(session, await _in_collection(session, collection_id))
    return collection


async def delete_collection(session: AsyncSession, collection_id: str) -> None:
    """Take the collection away; its products stay, in none.

    Raises:
        NotFound: there is none.
    """
    collection = await lock_collection(session, collection_id)
    inside = await _in_collection(session, collection_id)
    await session.execute(
        update(Product).where(Product.collection_id == collection_id).values(collection_id=None)
    )
    await session.delete(collection)
    await products_changed(session, inside)


async def arrange_collection(
    session: AsyncSession, collection_id: str, add: Iterable[str], remove: Iterable[str]
) -> Collection:
    """Put products into the collection and take products out. A product is in one collection at most.

    Raises:
        NotFound: there is no such collection; unknown products are passed over.
    """
    collection = await lock_collection(session, collection_id)
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


async def lock_collection(session: AsyncSession, collection_id: str) -> Collection:
    """The collection, locked.

    Raises:
        NotFound: there is none.
    """
    query = locked(select(Collection).where(Collection.id == collection_id))
    collection = (await session.execute(query)).scalar_one_or_none()
    if collection is None:
        raise NotFound(f"Collection with id: {collection_id} was not found")
    return collection


async def create_category(session: AsyncSession, new: NewCategory) -> Category:
    """A new category, the last of its parent's unless its rank is given.

    Raises:
        NotFound: there is no such parent.
        InvalidData: its handle is taken.
    """
    await _lock_tree(session)
    if new.parent_category_id is not None:
        await find_category(session, new.parent_category_id)
    category = Category(
        name=new.name,
        handle=new.handle or handle_from(new.name),
        description=new.description or "",
        parent_id=new.parent_category_id,
        rank=await _next_rank(session, new.parent_category_id) if new.rank is None else new.rank,
        meta=new.metadata or {},
    )
    await _require_free(session, category)
    session.add(category)
    await session.flush()
    return category


async def change_category(session: AsyncSession, category_id: str, change: CategoryChange) -> Category:
    """Change what was said of the category; a null parent makes it a root.

    Raises:
        NotFound: there is no such category, or no such parent.
        InvalidData: its new handle is taken.
        NotAllowed: its new parent lies below it.
    """
    await _lock_tree(session)
    category = await find_category(session, category_id)
    if "parent_category_id" in change.model_fields_set:
        await _move(session, category, change.parent_category_id)
    category.name = change.name or category.name
    category.handle = change.handle or category.handle
    category.description = category.description if change.description is None else change.description
    category.rank = category.rank if change.rank is None else change.rank
    category.meta = category.meta if change.metadata is None else change.metadata
    with session.no_autoflush:
        await _require_free(session, category)
    await products_changed(session, await _in_category(session, category_id))
    return category


async def delete_category(session: AsyncSession, category_id: str) -> None:
    """Take the category away; its products stay.

    Raises:
        NotFound: there is none.
        NotAllowed: there are categories below it.
    """
    await _lock_tree(session)
    category = await find_category(session, category_id)
    below = await session.execute(select(Category.id).where(Category.parent_id == category_id).limit(1))
    if below.first():
        raise NotAllowed(f"Deleting ProductCategory ({category_id}) with category children is not allowed")
    inside = await _in_category(session, category_id)
    await session.delete(category)
    await products_changed(session, inside)


async def arrange_category(
    session: AsyncSession, category_id: str, add: Iterable[str], remove: Iterable[str]
) -> Category:
    """Put products into the category and take products out. A product may be in several.

    Raises:
        NotFound: there is no such category; unknown products are passed over.
    """
    category = await find_category(session, category_id)
    wanted = set(add)
    products = {product.id for product in await lock_products(session, wanted | set(remove))}
    known = await _in_category(session, category_id)
    new, gone = (products & wanted) - known, (products - wanted) & known
    if new:
        dialect = sqlite if session.get_bind().dialect.name == "sqlite" else postgresql
        rows = [{"product_id": product_id, "category_id": category_id} for product_id in sorted(new)]
        await session.execute(dialect.insert(ProductCategory).on_conflict_do_nothing(), rows)
    if gone:
        await session.execute(
            ProductCategory.__table__.delete().where(  # type: ignore[attr-defined]
                ProductCategory.category_id == category_id, ProductCategory.product_id.in_(gone)
            )
        )
    await products_changed(session, new | gone)
    return category


async def find_category(session: AsyncSession, category_id: str) -> Category:
    """The category.

    Raises:
        NotFound: there is none.
    """
    category = await session.get(Category, category_id, populate_existing=True)
    if category is None:
        raise NotFound(f"Product category with id: {category_id} was not found")
    return category


async def _move(session: AsyncSession, category: Category, parent_id: str | None) -> None:
    if parent_id is not None:
        parent = await find_category(session, parent_id)
        tree = await read_tree(session)
        if parent.id in tree.with_descendants([category.handle]):
            raise NotAllowed("A category cannot lie below itself")
    category.parent_id = parent_id


async def _lock_tree(session: AsyncSession) -> None:
    """The tree changes one change at a time: two moves at once could tie a knot."""
    await session.execute(locked(select(Category.id).order_by(Category.id)))


async def _next_rank(session: AsyncSession, parent_id: str | None) -> int:
    beside = Category.parent_id.is_(None) if parent_id is None else Category.parent_id == parent_id
    last = (await session.execute(select(func.max(Category.rank)).where(beside))).scalar_one()
    return 0 if last is None else int(last) + 1


async def _require_free(session: AsyncSession, owner: Collection | Category) -> None:
    kind, name = (
        (Collection, "Product collection")
        if isinstance(owner, Collection)
        else (Category, "Product category")
    )
    if not owner.handle:
        raise InvalidData("Invalid request: Field 'handle' is required")
    taken = select(kind.id).where(kind.handle == owner.handle, kind.id != owner.id)
    if (await session.execute(taken)).first():
        raise InvalidData(f"{name} with handle: {owner.handle}, already exists.")


async def _in_collection(session: AsyncSession, collection_id: str) -> set[str]:
    found = await session.execute(select(Product.id).where(Product.collection_id == collection_id))
    return set(found.scalars())


async def _in_category(session: AsyncSession, category_id: str) -> set[str]:
    found = await session.execute(
        select(ProductCategory.product_id).where(ProductCategory.category_id == category_id)
    )
    return set(found.scalars())
