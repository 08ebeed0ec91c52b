"""The office's screens of categories: the tree, and one category in its editor."""

from collections.abc import Iterable
from dataclasses import dataclass
from hashlib import sha256

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.catalog.category_tree import (
    Tree,
    count_by_category,
    find_category,
    join_names,
    read_tree,
    to_initial,
    to_small_picture,
)
from backend.catalog.models import Category, Product, ProductCategory
from backend.catalog.redirects.group_addresses import read_group_addresses
from backend.catalog.redirects.targets import category_page_path
from backend.core.texts import _, format_count
from backend.office.product_picker import PickerRow, read_picker_rows
from backend.staff.rights import Actor, Right

MAX_PICKED = 500
"""Maximum number of products that an editor lists. If a group has more, its editor can only add products."""
NO_PARENT = ""


@dataclass(frozen=True, slots=True)
class CategoryRow:
    """A category in the tree.

    Attributes:
        picture: URL of its own picture; empty without one.
        depth: number of categories above it.
        detail: the number of products for sale, in words.
        is_active: False if staff hid this category itself.
        is_visible: False if staff hid this category, or one above it.
        previous_id, next_id: the siblings before and after it; empty if there is none.
        parent_id: empty for a root.
    """

    id: str
    name: str
    initial: str
    picture: str
    depth: int
    detail: str
    is_active: bool
    is_visible: bool
    previous_id: str
    next_id: str
    parent_id: str


@dataclass(frozen=True, slots=True)
class GroupOption:
    """A category to choose; `label` includes the names of its parents."""

    id: str
    label: str


@dataclass(frozen=True, slots=True)
class CategoriesPage:
    """The tree of categories as rows, each parent before its children."""

    rows: list[CategoryRow]
    options: list[GroupOption]


@dataclass(frozen=True, slots=True)
class CategoryPage:
    """A category in its editor.

    Attributes:
        version: a text that changes with the values that the form shows.
        products: the products in it; empty if there are more than `MAX_PICKED`.
        product_count: the number of products in it, published or not.
        is_partial: True if there are more than `MAX_PICKED`, so that `products` is empty.
        parents: the categories into which it can be moved.
        heirs: the categories that can take its products and its address if it is deleted.
        page_path: the address of its page.
        former: earlier addresses that redirect to it.
    """

    id: str
    version: str
    name: str
    handle: str
    description: str
    parent_id: str
    is_active: bool
    is_visible: bool
    picture: str
    products: list[PickerRow]
    product_count: int
    is_partial: bool
    parents: list[GroupOption]
    heirs: list[GroupOption]
    has_children: bool
    page_path: str
    former: list[str]


async def categories_page(session: AsyncSession, actor: Actor) -> CategoriesPage:
    """Return the tree of categories.

    Raises:
        Forbidden: the actor may not see the catalogue.
    """
    actor.require(Right.READ_CATALOG)
    tree = await read_tree(session)
    counts = await count_by_category(session, with_hidden=True)
    visible = tree.visible().by_id
    rows: list[CategoryRow] = []

    def add(parent_id: str | None, depth: int) -> None:
        siblings = tree.children(parent_id)
        for place, category in enumerate(siblings):
            rows.append(
                CategoryRow(
                    id=category.id,
                    name=category.name,
                    initial=to_initial(category.name),
                    picture=to_small_picture(category.picture),
                    depth=depth,
                    detail=count_label(counts.get(category.id, 0)),
                    is_active=category.is_active,
                    is_visible=category.id in visible,
                    previous_id=siblings[place - 1].id if place else "",
                    next_id=siblings[place + 1].id if place + 1 < len(siblings) else "",
                    parent_id=parent_id or NO_PARENT,
                )
            )
            add(category.id, depth + 1)

    add(None, 0)
    return CategoriesPage(rows, list_options(tree))


async def category_page(session: AsyncSession, actor: Actor, category_id: str) -> CategoryPage:
    """Return a category in its editor.

    Raises:
        Forbidden: the actor may not see the catalogue.
        NotFound: the category does not exist.
    """
    actor.require(Right.READ_CATALOG)
    category = await find_category(session, category_id)
    tree = await read_tree(session)
    ids = await read_product_ids(session, category_id)
    is_partial = len(ids) > MAX_PICKED
    below = tree.with_descendants([category.handle])
    return CategoryPage(
        id=category.id,
        version=version_of(category, ids),
        name=category.name,
        handle=category.handle,
        description=category.description,
        parent_id=category.parent_id or NO_PARENT,
        is_active=category.is_active,
        is_visible=category.id in tree.visible().by_id,
        picture=to_small_picture(category.picture),
        products=[] if is_partial else await read_picker_rows(session, actor, ids),
        product_count=len(ids),
        is_partial=is_partial,
        parents=list_options(tree, without=below),
        heirs=list_options(tree, without={category.id}),
        has_children=bool(tree.children(category.id)),
        page_path=category_page_path(category.handle),
        former=await read_group_addresses(session, Category, category_id),
    )


async def read_product_ids(session: AsyncSession, category_id: str) -> list[str]:
    """Return the ids of the products directly in the category, by title, without deleted ones."""
    query = (
        select(Product.id)
        .join(ProductCategory, ProductCategory.product_id == Product.id)
        .where(ProductCategory.category_id == category_id, Product.deleted_at.is_(None))
        .order_by(Product.title_key, Product.id)
    )
    return list((await session.execute(query)).scalars())


def version_of(category: Category, product_ids: Iterable[str]) -> str:
    """Return a text that changes with the values that the editor shows."""
    values = (category.name, category.handle, category.description, category.parent_id, category.is_active)
    return digest_values(*values, *product_ids)


def digest_values(*values: object) -> str:
    """Return a short hash of the values."""
    return sha256(repr(values).encode()).hexdigest()[:16]


def list_options(tree: Tree, without: Iterable[str] = ()) -> list[GroupOption]:
    """Return all categories except those in `without`, in the tree's order: each parent before its children."""
    excluded = set(without)
    return [
        GroupOption(category.id, join_names(tree.path_to(category.id)))
        for category in tree.in_order()
        if category.id not in excluded
    ]


def count_label(count: int) -> str:
    """Format the number of products for sale, such as `3 productos a la venta`."""
    return format_count(count, _("{n} producto a la venta"), _("{n} productos a la venta"))
