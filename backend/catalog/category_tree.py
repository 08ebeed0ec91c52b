"""The tree of categories, with the number of products in each.

A shop has few categories, so each reader loads the whole tree.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from sqlalchemy import ColumnElement, Select, func, select
from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.orm import aliased

from backend.catalog.count_cache import get_or_count
from backend.catalog.models import Category, Product, ProductCategory, for_sale
from backend.catalog.views import CategoryNode
from backend.core.errors import require_found
from backend.media.picture_urls import encode_picture_url
from backend.media.picture_widths import parse_uploaded_picture


def to_initial(name: str) -> str:
    """Return the first letter or digit of a name, in upper case; empty if it has none."""
    return next((letter.upper() for letter in name if letter.isalnum()), "")


def to_small_picture(url: str) -> str:
    """Return the URL of the smallest file of a category's own picture; empty without one."""
    prepared = parse_uploaded_picture(url)
    return encode_picture_url(prepared.sources[0][0] if prepared else url) if url else ""


class Tree:
    """All categories, by id and by handle, and the children of each in the order of their ranks."""

    def __init__(self, categories: Sequence[Category]) -> None:
        self.by_id = {category.id: category for category in categories}
        self.by_handle = {category.handle: category for category in categories}
        self._children: dict[str | None, list[Category]] = defaultdict(list)
        for category in sorted(categories, key=lambda category: (category.rank, category.name)):
            self._children[category.parent_id].append(category)

    def children(self, category_id: str | None) -> list[Category]:
        """Return the direct children of this category; the roots for None."""
        return self._children[category_id]

    @property
    def main_root(self) -> Category | None:
        """The category that contains all others: the only root, if it has children; else None."""
        roots = self.children(None)
        return roots[0] if len(roots) == 1 and self.children(roots[0].id) else None

    def departments(self) -> list[Category]:
        """Return the categories that pages show at the top level: the children of `main_root`, or all roots."""
        return self.children(self.main_root.id if self.main_root else None)

    def in_order(self) -> list[Category]:
        """Return all categories, each parent before its children."""
        ordered: list[Category] = []
        waiting = self.children(None)[::-1]
        while waiting:
            category = waiting.pop()
            ordered.append(category)
            waiting += self.children(category.id)[::-1]
        return ordered

    def visible(self) -> "Tree":
        """Return the tree that shoppers see: without hidden categories and all that are below them."""
        shown: list[Category] = []
        waiting = list(self.children(None))
        while waiting:
            category = waiting.pop()
            if category.is_active:
                shown.append(category)
                waiting += self.children(category.id)
        return Tree(shown)

    def with_descendants(self, handles: Iterable[str]) -> set[str]:
        """Return the ids of these categories and of all their descendants. Unknown handles are skipped."""
        ids: set[str] = set()
        waiting = [self.by_handle[handle].id for handle in handles if handle in self.by_handle]
        while waiting:
            category_id = waiting.pop()
            if category_id not in ids:
                ids.add(category_id)
                waiting += [child.id for child in self._children[category_id]]
        return ids

    def find(self, category_id: str) -> Category:
        """Return the category with this id.

        Raises:
            NotFound: the category does not exist.
        """
        return require_found(self.by_id.get(category_id), "Product category", category_id)

    def path_to(self, category_id: str) -> list[Category]:
        """Return the categories from the root down to this one."""
        path: list[Category] = []
        category = self.by_id.get(category_id)
        while category is not None and len(path) < len(self.by_id):
            path.append(category)
            category = self.by_id.get(category.parent_id or "")
        return path[::-1]

    def breadcrumb_to(self, category_id: str) -> list[Category]:
        """Return the path that pages show, from a department down to this category; empty for `main_root`."""
        return [category for category in self.path_to(category_id) if category is not self.main_root]

    def longest_breadcrumb(self, category_ids: Iterable[str]) -> list[Category]:
        """Return the breadcrumb of a product in these categories: that of the deepest one; empty without categories."""
        return max(map(self.breadcrumb_to, category_ids), key=len, default=[])


def join_names(path: Iterable[Category]) -> str:
    """Return the names of a path's categories as one label."""
    return " › ".join(category.name for category in path)


async def read_tree(session: AsyncSession) -> Tree:
    """Read all categories."""
    return Tree((await session.execute(select(Category))).scalars().all())


async def read_visible_tree(session: AsyncSession) -> Tree:
    """Read the categories that shoppers see."""
    return (await read_tree(session)).visible()


async def category_tree(session: AsyncSession) -> list[CategoryNode]:
    """Return the departments (top-level categories) that shoppers see, as a tree with product counts.

    A product counts once in each category that contains it, directly or through a descendant.
    """
    return await department_nodes(session, await read_visible_tree(session))


async def department_nodes(session: AsyncSession, tree: Tree) -> list[CategoryNode]:
    """Return the departments of a loaded tree, with their children and product counts."""
    counts = await count_by_category(session)

    def node(category: Category) -> CategoryNode:
        return CategoryNode(
            id=category.id,
            handle=category.handle,
            name=category.name,
            description=category.description,
            count=counts.get(category.id, 0),
            picture=to_small_picture(category.picture),
            initial=to_initial(category.name),
            children=[node(child) for child in tree.children(category.id)],
        )

    return [node(department) for department in tree.departments()]


async def with_descendant_ids(session: AsyncSession, category_ids: Iterable[str]) -> Sequence[str]:
    """Return the ids of these categories and of all their descendants."""
    inside = select(Category.id).where(Category.id.in_(list(category_ids))).cte("inside", recursive=True)
    below = aliased(Category)
    inside = inside.union(select(below.id).join(inside, below.parent_id == inside.c.id))
    return (await session.execute(select(inside.c.id))).scalars().all()


def hidden_category_ids() -> Select[str]:
    """Return the query for the ids of hidden categories and of all their descendants."""
    hidden = select(Category.id).where(Category.is_active.is_(False)).cte("hidden", recursive=True)
    below = aliased(Category)
    return select(hidden.union(select(below.id).join(hidden, below.parent_id == hidden.c.id)).c.id)


def is_visible_category() -> ColumnElement[bool]:
    """Return the SQL condition for visible categories: they are neither hidden nor below a hidden category."""
    return Category.id.not_in(hidden_category_ids())


async def count_by_category(
    session: AsyncSession, products: Select[Product] | None = None, *, with_hidden: bool = False
) -> Mapping[str, int]:
    """Count the products in each category and its descendants. Categories without products are left out.

    Without `products`, all products for sale are counted. Products in a hidden category also count for the
    categories above it if `with_hidden` is set. It is set for staff only: shoppers do not find these products
    on the pages of those categories.
    """
    if products is None:
        every = select(Product).where(for_sale())
        name = ("by category", with_hidden)
        return await get_or_count(session, name, lambda: _count_by_category(session, every, with_hidden))
    return await _count_by_category(session, products, with_hidden)


async def _count_by_category(
    session: AsyncSession, products: Select[Product], with_hidden: bool
) -> Mapping[str, int]:
    lineage = select(
        Category.id.label("category_id"), Category.id.label("ancestor_id"), Category.parent_id
    ).cte("lineage", recursive=True)
    parent = select(Category.id, Category.parent_id).subquery()
    lineage = lineage.union_all(
        select(lineage.c.category_id, parent.c.id, parent.c.parent_id).join(
            parent, parent.c.id == lineage.c.parent_id
        )
    )
    product_ids = products.with_only_columns(Product.id).subquery()
    placed = (
        select(lineage.c.ancestor_id, ProductCategory.product_id)
        .join(ProductCategory, ProductCategory.category_id == lineage.c.category_id)
        .join(product_ids, product_ids.c.id == ProductCategory.product_id)
        .distinct()
    )
    if not with_hidden:
        placed = placed.where(ProductCategory.category_id.not_in(hidden_category_ids()))
    shown = placed.subquery()
    counts = await session.execute(select(shown.c.ancestor_id, func.count()).group_by(shown.c.ancestor_id))
    return {ancestor: int(count) for ancestor, count in counts}


async def find_category(session: AsyncSession, category_id: str) -> Category:
    """Return the category with this id.

    Raises:
        NotFound: the category does not exist.
    """
    return require_found(
        await session.get(Category, category_id, populate_existing=True), "Product category", category_id
    )
