"""The tree of categories. There are few of them, so each question reads them all once."""

from collections import defaultdict
from collections.abc import Iterable, Sequence

from sqlalchemy import func, select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.catalog.conditions import for_sale
from backend.catalog.models import Category, Product, ProductCategory
from backend.catalog.views import CategoryNode, CategoryRef


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

    def path_to(self, category_id: str) -> list[CategoryRef]:
        """From the top of the tree down to this category."""
        path: list[CategoryRef] = []
        category = self.by_id.get(category_id)
        while category is not None and len(path) < len(self.by_id):
            path.append(CategoryRef(handle=category.handle, name=category.name))
            category = self.by_id.get(category.parent_id or "")
        return path[::-1]


async def read_tree(session: AsyncSession) -> Tree:
    """All categories."""
    return Tree((await session.execute(select(Category))).scalars().all())


async def category_tree(session: AsyncSession) -> list[CategoryNode]:
    """The categories under the root, as a tree; a product counts once in every category above it."""
    tree = await read_tree(session)
    lineage = select(
        Category.id.label("category_id"), Category.id.label("ancestor_id"), Category.parent_id
    ).cte("lineage", recursive=True)
    parent = select(Category.id, Category.parent_id).subquery()
    lineage = lineage.union_all(
        select(lineage.c.category_id, parent.c.id, parent.c.parent_id).join(
            parent, parent.c.id == lineage.c.parent_id
        )
    )
    counted = await session.execute(
        select(lineage.c.ancestor_id, func.count(func.distinct(ProductCategory.product_id)))
        .join(ProductCategory, ProductCategory.category_id == lineage.c.category_id)
        .join(Product, Product.id == ProductCategory.product_id)
        .where(for_sale())
        .group_by(lineage.c.ancestor_id)
    )
    counts: dict[str, int] = {ancestor: int(count) for ancestor, count in counted}

    def node(category: Category) -> CategoryNode:
        return CategoryNode(
            id=category.id,
            handle=category.handle,
            name=category.name,
            description=category.description,
            count=counts.get(category.id, 0),
            children=[node(child) for child in tree.children(category.id)],
        )

    return [node(child) for root in tree.children(None) for child in tree.children(root.id)]
