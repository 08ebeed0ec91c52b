"""The office's screens of collections: the list, one collection in its editor, and their forms."""

from collections.abc import Iterable
from dataclasses import dataclass

from sqlalchemy import func, select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.catalog.category_tree import to_initial, to_small_picture
from backend.catalog.collections import (
    assign_to_collection,
    change_collection,
    create_collection,
    find_collection,
    lock_collections,
    ordered_collections,
    set_collection_display,
)
from backend.catalog.models import Collection, Product, for_sale
from backend.catalog.redirects.group_addresses import read_group_addresses
from backend.catalog.redirects.targets import collection_page_path
from backend.catalog.schemas.admin import CollectionChange
from backend.core.collation import fold
from backend.core.error_texts import CHECK_FIELDS
from backend.core.errors import InvalidData, NotAllowed
from backend.core.texts import _
from backend.core.web.contact import to_one_line, to_paragraphs
from backend.office.catalog.category_page import MAX_PICKED, count_label, digest_values
from backend.office.catalog.category_saving import (
    CHANGED_TEXT,
    find_description_problem,
    find_free_handle,
    find_handle_problem,
    find_length_problem,
    require_uploaded,
    split_picked,
)
from backend.office.product_picker import PickerRow, read_picker_rows
from backend.staff.rights import Actor, Right

DEFAULT_HANDLE = "coleccion"


@dataclass(frozen=True, slots=True)
class CollectionListRow:
    """A collection in the list.

    Attributes:
        detail: the number of products for sale, in words.
        previous_id, next_id: the collections before and after it; empty if there is none.
    """

    id: str
    name: str
    initial: str
    picture: str
    detail: str
    is_active: bool
    is_visible: bool
    previous_id: str
    next_id: str


@dataclass(frozen=True, slots=True)
class CollectionsPage:
    """The collections in their order."""

    rows: list[CollectionListRow]


@dataclass(frozen=True, slots=True)
class CollectionPage:
    """A collection in its editor: see `CategoryPage`."""

    id: str
    version: str
    name: str
    handle: str
    description: str
    is_active: bool
    is_visible: bool
    picture: str
    products: list[PickerRow]
    product_count: int
    is_partial: bool
    page_path: str
    former: list[str]


@dataclass(frozen=True, slots=True)
class CollectionForm:
    """Values of the editor, as typed. `product_ids` has the ids from the product picker, separated by spaces."""

    name: str
    handle: str = ""
    description: str = ""
    is_active: bool = True
    product_ids: str = ""


async def collections_page(session: AsyncSession, actor: Actor) -> CollectionsPage:
    """Return the collections in their order.

    Raises:
        Forbidden: the actor may not see the catalogue.
    """
    actor.require(Right.READ_CATALOG)
    collections = list((await session.execute(ordered_collections())).scalars())
    counted = (
        select(Product.collection_id, func.count())
        .where(for_sale(), Product.collection_id.is_not(None))
        .group_by(Product.collection_id)
    )
    counts = dict((await session.execute(counted)).all())
    return CollectionsPage(
        [
            CollectionListRow(
                id=one.id,
                name=one.title,
                initial=to_initial(one.title),
                picture=to_small_picture(one.picture),
                detail=count_label(counts.get(one.id, 0)),
                is_active=one.is_active,
                is_visible=one.is_active,
                previous_id=collections[place - 1].id if place else "",
                next_id=collections[place + 1].id if place + 1 < len(collections) else "",
            )
            for place, one in enumerate(collections)
        ]
    )


async def collection_page(session: AsyncSession, actor: Actor, collection_id: str) -> CollectionPage:
    """Return a collection in its editor.

    Raises:
        Forbidden: the actor may not see the catalogue.
        NotFound: the collection does not exist.
    """
    actor.require(Right.READ_CATALOG)
    collection = await find_collection(session, collection_id)
    ids = await _read_product_ids(session, collection_id)
    is_partial = len(ids) > MAX_PICKED
    return CollectionPage(
        id=collection.id,
        version=_version_of(collection, ids),
        name=collection.title,
        handle=collection.handle,
        description=collection.description,
        is_active=collection.is_active,
        is_visible=collection.is_active,
        picture=to_small_picture(collection.picture),
        products=[] if is_partial else await read_picker_rows(session, actor, ids),
        product_count=len(ids),
        is_partial=is_partial,
        page_path=collection_page_path(collection.handle),
        former=await read_group_addresses(session, Collection, collection_id),
    )


async def add_collection(session: AsyncSession, actor: Actor, name: str) -> str:
    """Create an empty collection after the others, and return its id.

    Raises:
        InvalidData: the name is not valid, or another collection has it; `fields` has the errors.
        NotAllowed: the shop has too many collections.
    """
    actor.require(Right.CHANGE_CATALOG)
    await lock_collections(session)
    name = to_one_line(name)
    if problems := await _find_name_problems(session, name):
        raise InvalidData(CHECK_FIELDS, fields=problems)
    handle = await find_free_handle(session, Collection, name, DEFAULT_HANDLE)
    return (await create_collection(session, actor, title=name, handle=handle)).id


async def save_collection(
    session: AsyncSession, actor: Actor, collection_id: str, form: CollectionForm, seen: str
) -> None:
    """Change a collection, and the products in it. `seen` is the version that the form showed.

    A product that is in another collection leaves that one. If the collection has more than `MAX_PICKED` products,
    the form contains only products to add.

    Raises:
        NotFound: the collection does not exist.
        InvalidData: `fields` has the errors by field.
        NotAllowed: another person changed the collection after the form was shown.
    """
    actor.require(Right.CHANGE_CATALOG)
    await lock_collections(session)
    collection = await find_collection(session, collection_id, lock=True)
    ids = await _read_product_ids(session, collection_id)
    if seen != _version_of(collection, ids):
        raise NotAllowed("Another person changed the collection", staff_text=CHANGED_TEXT)
    name, handle = to_one_line(form.name), form.handle.strip() or collection.handle
    description = to_paragraphs(form.description)
    problems = {
        **await _find_name_problems(session, name, collection_id),
        **await find_handle_problem(session, collection, handle),
        **find_description_problem(description),
    }
    if problems:
        raise InvalidData(CHECK_FIELDS, fields=problems)
    if (name, handle) != (collection.title, collection.handle):
        change = CollectionChange(title=name, handle=handle)
        await change_collection(session, actor, collection_id, change)
    if (description, form.is_active) != (collection.description, collection.is_active):
        await set_collection_display(
            session, actor, collection_id, description=description, is_active=form.is_active
        )
    add, remove = split_picked(form.product_ids, ids)
    if add or remove:
        await assign_to_collection(session, actor, collection_id, add, remove)


async def save_collection_picture(
    session: AsyncSession, actor: Actor, collection_id: str, picture: str
) -> None:
    """Set the collection's picture to an uploaded one. An empty URL removes the picture.

    Raises:
        NotFound: the collection does not exist.
        InvalidData: the picture was not uploaded to the shop.
    """
    actor.require(Right.CHANGE_CATALOG)
    require_uploaded(picture)
    await set_collection_display(session, actor, collection_id, picture=picture)


async def _read_product_ids(session: AsyncSession, collection_id: str) -> list[str]:
    query = (
        select(Product.id)
        .where(Product.collection_id == collection_id, Product.deleted_at.is_(None))
        .order_by(Product.title_key, Product.id)
    )
    return list((await session.execute(query)).scalars())


def _version_of(collection: Collection, product_ids: Iterable[str]) -> str:
    values = (collection.title, collection.handle, collection.description, collection.is_active)
    return digest_values(*values, *product_ids)


async def _find_name_problems(session: AsyncSession, name: str, collection_id: str = "") -> dict[str, str]:
    if problem := find_length_problem(name):
        return problem
    others = await session.execute(select(Collection.title).where(Collection.id != collection_id))
    if any(fold(title) == fold(name) for title in others.scalars()):
        return {"name": _("Ya hay una colección con este nombre.")}
    return {}
