"""Categories as the platform shows them: each with its parent and its children, or with a whole tree."""

from backend.catalog.models import Category
from backend.catalog.tree import Tree
from backend.catalog.wire import category_fields
from backend.edge.wire import JsonDict


def category_wire(
    tree: Tree,
    category: Category,
    *,
    descendants: bool = False,
    ancestors: bool = False,
    as_staff: bool = False,
) -> JsonDict:
    """The category. `descendants` and `ancestors`: all of them, not only the nearest."""
    shown = category_fields(category)
    if not as_staff:
        del shown["is_active"], shown["is_internal"]
    shown["category_children"] = [
        _below(tree, child, deep=descendants) for child in tree.children(category.id)
    ]
    parent = tree.by_id.get(category.parent_id or "")
    shown["parent_category"] = _above(tree, parent, deep=ancestors) if parent else None
    return shown


def _below(tree: Tree, category: Category, *, deep: bool) -> JsonDict:
    shown = _beside(tree, category)
    if deep:
        shown["category_children"] = [_below(tree, child, deep=True) for child in tree.children(category.id)]
    return shown


def _above(tree: Tree, category: Category, *, deep: bool) -> JsonDict:
    shown = _beside(tree, category)
    if deep:
        parent = tree.by_id.get(category.parent_id or "")
        shown["parent_category"] = _above(tree, parent, deep=True) if parent else None
    return shown


def _beside(tree: Tree, category: Category) -> JsonDict:
    return {**category_fields(category), "mpath": _path(tree, category), "deleted_at": None}


def _path(tree: Tree, category: Category) -> str:
    """The ids from the root down to the category, with dots between."""
    ids = [category.id]
    parent = tree.by_id.get(category.parent_id or "")
    while parent is not None and len(ids) <= len(tree.by_id):
        ids.append(parent.id)
        parent = tree.by_id.get(parent.parent_id or "")
    return ".".join(reversed(ids))
