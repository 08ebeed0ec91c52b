"""Categories: their tree, creating, changing and deleting them, and putting products into them.

There are few of them, so whoever needs the tree reads all of it.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from sqlalchemy import Select, func, select
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.orm import aliased

from backend.audit import Change, Subject, Thing, record
from backend.catalog.admin_schemas import CategoryChange, NewCategory
from backend.catalog.counted import counted
from backend.catalog.events import products_changed
from backend.catalog.handles import handle_from, require_free_handle
from backend.catalog.models import Category, Product, ProductCategory, for_sale
from backend.catalog.products import lock_products
from backend.catalog.views import CategoryNode
from backend.database import locked
from backend.errors import NotAllowed, NotFound
from backend.staff.rights import Actor, Right


class Tree:
    """The categories by id, with their children in rank."""

    def __init__(self, categories: Sequence[Category]) -> None:
        self.by_id = {category.id: category for category in categories}
        self.by_handle = {category.handle: category for category in categories}
        self._children: dict[str | None, list[Category]] = defaultdict(list)
        for category in sorted(categories, key=lambda category: (category.rank, category.name)):
            self._children[category.parent_id].append(category)

    def children(self, category_id: str | None) -> list[Category]:
        """The categories right under this one; the roots for None."""
        return self._children[category_id]

    @property
    def whole(self) -> Category | None:
        """The category that holds all others: the only root, if it has children; else None."""
        roots = self.children(None)
        return roots[0] if len(roots) == 1 and self.children(roots[0].id) else None

    def departments(self) -> list[Category]:
        """Return the categories that pages show first: the children of `whole`, or all roots."""
        return self.children(self.whole.id if self.whole else None)

    def with_descendants(self, handles: Iterable[str]) -> set[str]:
        """The ids of the named categories and all below them. Unknown handles are left out."""
        ids: set[str] = set()
        waiting = [self.by_handle[handle].id for handle in handles if handle in self.by_handle]
        while waiting:
            category_id = waiting.pop()
            if category_id not in ids:
                ids.add(category_id)
                waiting += [child.id for child in self._children[category_id]]
        return ids

    def find(self, category_id: str) -> Category:
        """The category with this id.

        Raises:
            NotFound: there is none.
        """
        category = self.by_id.get(category_id)
        if category is None:
            raise NotFound(f"Product category with id: {category_id} was not found")
        return category

    def path_to(self, category_id: str) -> list[Category]:
        """From the top of the tree down to this category."""
        path: list[Category] = []
        category = self.by_id.get(category_id)
        while category is not None and len(path) < len(self.by_id):
            path.append(category)
            category = self.by_id.get(category.parent_id or "")
        return path[::-1]

    def breadcrumb_to(self, category_id: str) -> list[Category]:
        """Return the path that pages show: from a department down; empty for `whole`."""
        return [category for category in self.path_to(category_id) if category is not self.whole]


async def read_tree(session: AsyncSession) -> Tree:
    """All categories."""
    return Tree((await session.execute(select(Category))).scalars().all())


async def category_tree(session: AsyncSession) -> list[CategoryNode]:
    """Return the departments as a tree; a product counts once in every category above it."""
    return await department_nodes(session, await read_tree(session))


async def department_nodes(session: AsyncSession, tree: Tree) -> list[CategoryNode]:
    """Return the departments of a tree that was read, with their children and counts."""
    counts = await count_by_category(session)

    def node(category: Category) -> CategoryNode:
        return CategoryNode(
            id=category.id,
            handle=category.handle,
            name=category.name,
            description=category.description,
            count=counts.get(category.id, 0),
            children=[node(child) for child in tree.children(category.id)],
        )

    return [node(department) for department in tree.departments()]


async def with_those_inside(session: AsyncSession, category_ids: Iterable[str]) -> Sequence[str]:
    """The ids of these categories and of all below them."""
    inside = select(Category.id).where(Category.id.in_(list(category_ids))).cte("inside", recursive=True)
    below = aliased(Category)
    inside = inside.union(select(below.id).join(inside, below.parent_id == inside.c.id))
    return (await session.execute(select(inside.c.id))).scalars().all()


async def count_by_category(
    session: AsyncSession, products: Select[Product] | None = None
) -> Mapping[str, int]:
    """How many of the products, or of all for sale, are in each category or below it; those with none are left out."""
    if products is None:
        every = select(Product).where(for_sale())
        return await counted(session, "by category", lambda: _count_by_category(session, every))
    return await _count_by_category(session, products)


async def _count_by_category(session: AsyncSession, products: Select[Product]) -> Mapping[str, int]:
    lineage = select(
        Category.id.label("category_id"), Category.id.label("ancestor_id"), Category.parent_id
    ).cte("lineage", recursive=True)
    parent = select(Category.id, Category.parent_id).subquery()
    lineage = lineage.union_all(
        select(lineage.c.category_id, parent.c.id, parent.c.parent_id).join(
            parent, parent.c.id == lineage.c.parent_id
        )
    )
    passing = products.with_only_columns(Product.id).subquery()
    placed = (
        select(lineage.c.ancestor_id, ProductCategory.product_id)
        .join(ProductCategory, ProductCategory.category_id == lineage.c.category_id)
        .join(passing, passing.c.id == ProductCategory.product_id)
        .distinct()
        .subquery()
    )
    counts = await session.execute(select(placed.c.ancestor_id, func.count()).group_by(placed.c.ancestor_id))
    return {ancestor: int(count) for ancestor, count in counts}


async def create_category(session: AsyncSession, actor: Actor, new: NewCategory) -> Category:
    """Create a category, the last of its parent's unless its rank is given; those after it move on.

    Raises:
        Forbidden: see `Actor.require`.
        NotFound: there is no such parent.
        InvalidData: its handle is taken.
    """
    actor.require(Right.CHANGE_CATALOG)
    await _lock_tree(session)
    if new.parent_category_id is not None:
        await find_category(session, new.parent_category_id)
    category = Category(
        name=new.name,
        handle=new.handle or handle_from(new.name),
        description=new.description or "",
        parent_id=new.parent_category_id,
        meta=new.metadata or {},
    )
    await require_free_handle(session, category)
    await record(session, actor, "created", Subject(Thing.CATEGORY, category.id))
    await _place(session, category, new.rank)
    session.add(category)
    await session.flush()
    return category


async def change_category(
    session: AsyncSession, actor: Actor, category_id: str, change: CategoryChange
) -> Category:
    """Change the fields that the body names; a null parent makes it a root.

    Raises:
        Forbidden: see `Actor.require`.
        NotFound: there is no such category, or no such parent.
        InvalidData: its new handle is taken.
        NotAllowed: its new parent lies below it.
    """
    actor.require(Right.CHANGE_CATALOG)
    await _lock_tree(session)
    category = await find_category(session, category_id)
    await record(session, actor, "changed", Subject(Thing.CATEGORY, category_id))
    before = category.parent_id
    if "parent_category_id" in change.model_fields_set:
        await _move(session, category, change.parent_category_id)
    category.name = change.name or category.name
    category.handle = change.handle or category.handle
    category.description = category.description if change.description is None else change.description
    category.meta = category.meta if change.metadata is None else change.metadata
    with session.no_autoflush:
        await require_free_handle(session, category)
        if category.parent_id != before:
            _renumber(await _siblings(session, before, category))
        if change.rank is not None or category.parent_id != before:
            await _place(session, category, change.rank)
    await products_changed(session, await _in_category(session, category_id))
    return category


async def delete_category(session: AsyncSession, actor: Actor, category_id: str) -> None:
    """Delete the category; its products stay.

    Raises:
        Forbidden: see `Actor.require`.
        NotFound: there is none.
        NotAllowed: there are categories below it.
    """
    actor.require(Right.CHANGE_CATALOG)
    await _lock_tree(session)
    category = await find_category(session, category_id)
    below = await session.execute(select(Category.id).where(Category.parent_id == category_id).limit(1))
    if below.first():
        raise NotAllowed(f"Deleting ProductCategory ({category_id}) with category children is not allowed")
    inside = await _in_category(session, category_id)
    changes: dict[str, Change] = {"products": (sorted(inside), [])}
    await record(session, actor, "deleted", Subject(Thing.CATEGORY, category_id), changes)
    await session.delete(category)
    _renumber(await _siblings(session, category.parent_id, category))
    await products_changed(session, inside)


async def assign_to_category(
    session: AsyncSession, actor: Actor, category_id: str, add: Iterable[str], remove: Iterable[str]
) -> Category:
    """Put products into the category and take products out. A product may be in several.

    Raises:
        Forbidden: see `Actor.require`.
        NotFound: there is no such category; unknown products are skipped.
    """
    actor.require(Right.CHANGE_CATALOG)
    category = await find_category(session, category_id)
    wanted = set(add)
    products = {product.id for product in await lock_products(session, wanted | set(remove))}
    known = await _in_category(session, category_id)
    new, gone = (products & wanted) - known, (products - wanted) & known
    changes = {"products added": (None, sorted(new)), "products removed": (sorted(gone), None)}
    await record(session, actor, "products assigned", Subject(Thing.CATEGORY, category_id), changes)
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
    """Let the tree be changed by one transaction at a time: two moves at once could make a circle."""
    await session.execute(locked(select(Category.id).order_by(Category.id)))


async def _siblings(session: AsyncSession, parent_id: str | None, category: Category) -> list[Category]:
    """Return the parent's children in rank, without the category."""
    under = Category.parent_id.is_(None) if parent_id is None else Category.parent_id == parent_id
    query = select(Category).where(under, Category.id != category.id).order_by(Category.rank, Category.name)
    return list((await session.execute(query)).scalars())


async def _place(session: AsyncSession, category: Category, rank: int | None) -> None:
    """Give the category this rank among its siblings (the last one by default) and number all of them anew."""
    siblings = await _siblings(session, category.parent_id, category)
    siblings.insert(len(siblings) if rank is None else rank, category)
    _renumber(siblings)


def _renumber(categories: Sequence[Category]) -> None:
    for rank, category in enumerate(categories):
        category.rank = rank


async def _in_category(session: AsyncSession, category_id: str) -> set[str]:
    found = await session.execute(
        select(ProductCategory.product_id).where(ProductCategory.category_id == category_id)
    )
    return set(found.scalars())
