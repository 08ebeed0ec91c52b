"""Conversion of categories and collections to the platform's JSON."""

from typing import cast

from backend.catalog.answers import (
    CategoryFields,
    CategoryOut,
    CollectionFields,
    CollectionOut,
    RelatedCategory,
    RelatedFields,
)
from backend.catalog.api.product_rows import CategoryRow, CollectionRow
from backend.catalog.category_tree import Tree
from backend.catalog.models import Category, Collection
from backend.catalog.schemas.group_pictures import join_picture
from backend.catalog.schemas.store import CategoryParameters
from backend.edge.wire import stamps


def store_collection_wire(collection: Collection | CollectionRow) -> CollectionFields:
    """Return a collection in the platform's shape, without the staff-only fields."""
    return {
        "id": collection.id,
        "title": collection.title,
        "handle": collection.handle,
        "external_id": None,
        **stamps(collection.created_at, collection.updated_at),
    }


def collection_wire(collection: Collection | CollectionRow) -> CollectionOut:
    """Return a collection in the platform's shape, with the staff-only fields."""
    return {
        "id": collection.id,
        "title": collection.title,
        "handle": collection.handle,
        "external_id": None,
        "metadata": join_picture(collection.meta, collection.picture),
        **stamps(collection.created_at, collection.updated_at),
        "deleted_at": None,
    }


def category_fields(category: Category | CategoryRow) -> CategoryFields:
    """Return a category in the platform's shape, without its parent and children."""
    return {
        "id": category.id,
        "name": category.name,
        "description": category.description,
        "handle": category.handle,
        "is_active": bool(category.is_active),
        "is_internal": False,
        "rank": category.rank,
        "external_id": None,
        "metadata": join_picture(category.meta, category.picture),
        "parent_category_id": category.parent_id,
        **stamps(category.created_at, category.updated_at),
    }


def category_wire(
    tree: Tree, category: Category, params: CategoryParameters, *, as_staff: bool = False
) -> CategoryOut:
    """Return the category's JSON with its parent and children, or with all ancestors or descendants on request."""
    own = category_fields(category)
    if not as_staff:
        del own["is_active"], own["is_internal"]
    parent = tree.by_id.get(category.parent_id or "")
    return {
        **own,
        "category_children": [
            _child_json(tree, child, deep=params.include_descendants_tree)
            for child in tree.children(category.id)
        ],
        "parent_category": _parent_json(tree, parent, deep=params.include_ancestors_tree) if parent else None,
    }


def _child_json(tree: Tree, category: Category, *, deep: bool) -> RelatedCategory:
    shown = _related_json(tree, category)
    if deep:
        shown["category_children"] = [
            _child_json(tree, child, deep=True) for child in tree.children(category.id)
        ]
    return shown


def _parent_json(tree: Tree, category: Category, *, deep: bool) -> RelatedCategory:
    shown = _related_json(tree, category)
    if deep:
        shown["category_children"] = [_related_json(tree, child) for child in tree.children(category.id)]
        parent = tree.by_id.get(category.parent_id or "")
        shown["parent_category"] = _parent_json(tree, parent, deep=True) if parent else None
    return shown


def _related_json(tree: Tree, category: Category) -> RelatedCategory:
    fields: RelatedFields = {
        **category_fields(category),
        "mpath": _id_path(tree, category),
        "deleted_at": None,
    }
    return cast(RelatedCategory, fields)


def _id_path(tree: Tree, category: Category) -> str:
    """Return the ids from the root down to the category, separated by dots."""
    return ".".join(one.id for one in tree.path_to(category.id))
