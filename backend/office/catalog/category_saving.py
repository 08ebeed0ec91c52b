"""The forms of categories: a new category, the editor, and the deletion."""

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.catalog.categories import (
    assign_to_category,
    change_category,
    create_category,
    delete_category,
    lock_tree,
    set_category_picture,
)
from backend.catalog.category_tree import find_category, read_tree
from backend.catalog.handles import is_handle, is_handle_taken, make_handle
from backend.catalog.models import Category, Collection
from backend.catalog.schemas.admin import CategoryChange
from backend.core.collation import fold
from backend.core.error_texts import CHECK_FIELDS
from backend.core.errors import InvalidData, NotAllowed
from backend.core.texts import _
from backend.core.web.contact import to_one_line, to_paragraphs
from backend.media.picture_widths import parse_uploaded_picture
from backend.office.catalog.category_page import MAX_PICKED, NO_PARENT, read_product_ids, version_of
from backend.office.product_picker import parse_picked_ids
from backend.staff.rights import Actor, Right

MAX_NAME_CHARS = 100
MAX_HANDLE_CHARS = 100
MAX_DESCRIPTION_CHARS = 2_000
DEFAULT_HANDLE = "categoria"
CHANGED_TEXT = _("Otra persona cambió esto mientras lo editabas. Recarga la página para ver cómo quedó.")


@dataclass(frozen=True, slots=True)
class CategoryForm:
    """Values of the editor, as typed. `product_ids` has the ids from the product picker, separated by spaces."""

    name: str
    handle: str = ""
    description: str = ""
    parent_id: str = NO_PARENT
    is_active: bool = True
    product_ids: str = ""


async def add_category(session: AsyncSession, actor: Actor, name: str, parent_id: str = NO_PARENT) -> str:
    """Create an empty category, after its siblings, and return its id.

    Raises:
        InvalidData: the name is not valid, or a sibling has it; `fields` has the errors.
        NotFound: the parent does not exist.
        NotAllowed: the tree is full, or the parent is too deep.
    """
    actor.require(Right.CHANGE_CATALOG)
    await lock_tree(session)
    name = to_one_line(name)
    if problems := await _find_name_problems(session, name, parent_id):
        raise InvalidData(CHECK_FIELDS, fields=problems)
    handle = await find_free_handle(session, Category, name, DEFAULT_HANDLE)
    created = await create_category(session, actor, name=name, handle=handle, parent_id=parent_id or None)
    return created.id


async def save_category(
    session: AsyncSession, actor: Actor, category_id: str, form: CategoryForm, seen: str
) -> None:
    """Change a category, and the products in it. `seen` is the version that the form showed.

    If the category has more than `MAX_PICKED` products, the form contains only products to add.

    Raises:
        NotFound: the category or the new parent does not exist.
        InvalidData: `fields` has the errors by field.
        NotAllowed: another person changed the category after the form was shown.
    """
    actor.require(Right.CHANGE_CATALOG)
    await lock_tree(session)
    category = await find_category(session, category_id)
    ids = await read_product_ids(session, category_id)
    if seen != version_of(category, ids):
        raise NotAllowed("Another person changed the category", staff_text=CHANGED_TEXT)
    name, handle = to_one_line(form.name), form.handle.strip() or category.handle
    description = to_paragraphs(form.description)
    problems = {
        **await _find_name_problems(session, name, form.parent_id, category_id),
        **await find_handle_problem(session, category, handle),
        **find_description_problem(description),
    }
    if problems:
        raise InvalidData(CHECK_FIELDS, fields=problems)
    change = CategoryChange(name=name, handle=handle, description=description, is_active=form.is_active)
    if (form.parent_id or None) != category.parent_id:
        change = change.model_copy(update={"parent_category_id": form.parent_id or None})
    await change_category(session, actor, category_id, change)
    add, remove = split_picked(form.product_ids, ids)
    if add or remove:
        await assign_to_category(session, actor, category_id, add, remove)


async def save_category_picture(session: AsyncSession, actor: Actor, category_id: str, picture: str) -> None:
    """Set the category's picture to an uploaded one. An empty URL removes the picture.

    Raises:
        NotFound: the category does not exist.
        InvalidData: the picture was not uploaded to the shop.
    """
    actor.require(Right.CHANGE_CATALOG)
    require_uploaded(picture)
    await set_category_picture(session, actor, category_id, picture)


async def remove_category(session: AsyncSession, actor: Actor, category_id: str, heir_id: str) -> None:
    """Delete a category. Its products move to the heir, and its address redirects to the heir.

    If `heir_id` is empty, the products move to no category, and the address redirects to the parent, if any.

    Raises:
        NotFound: the category or the heir does not exist.
        NotAllowed: the category has children.
    """
    actor.require(Right.CHANGE_CATALOG)
    await lock_tree(session)
    if heir_id and heir_id != category_id and (ids := await read_product_ids(session, category_id)):
        await assign_to_category(session, actor, heir_id, ids, [])
    await delete_category(session, actor, category_id, heir_id=heir_id or None)


def split_picked(text: str, current: Sequence[str]) -> tuple[list[str], list[str]]:
    """Return the products to add and to remove, given the value of the picker and the current products.

    If there are more than `MAX_PICKED` current products, the picker has only products to add, and none is removed.

    Raises:
        InvalidData: the value is not valid, or has too many products.
    """
    picked = parse_picked_ids(text, MAX_PICKED)
    add = [one for one in picked if one not in set(current)]
    if len(current) > MAX_PICKED:
        return add, []
    return add, [one for one in current if one not in set(picked)]


def require_uploaded(picture: str) -> None:
    """Check that the URL is empty or that of an uploaded picture.

    Raises:
        InvalidData: it is another URL.
    """
    if picture and parse_uploaded_picture(picture) is None:
        text = _("Esta foto no es de la tienda. Súbela otra vez.")
        raise InvalidData("Not an uploaded picture", staff_text=text)


async def find_free_handle(
    session: AsyncSession, kind: type[Category] | type[Collection], name: str, default: str
) -> str:
    """Return an unused handle made from the name, or from `default` if the name has no usable letters.

    A number is added if another category (or collection) has the handle.
    """
    base = make_handle(name)[: MAX_HANDLE_CHARS - 6].rstrip("-") or default
    query = select(kind.handle).where(kind.handle.startswith(base, autoescape=True))
    taken = set((await session.execute(query)).scalars())
    number, handle = 1, base
    while handle in taken:
        number += 1
        handle = f"{base}-{number}"
    return handle


def find_length_problem(name: str) -> dict[str, str]:
    """Return the error of the field `name`; an empty dict if the name is neither empty nor too long."""
    if not name:
        return {"name": _("Escribe el nombre.")}
    if len(name) > MAX_NAME_CHARS:
        return {"name": _("Usa máximo {count} caracteres.").format(count=MAX_NAME_CHARS)}
    return {}


def find_description_problem(description: str) -> dict[str, str]:
    """Return the error of the field `description`; an empty dict if it is not too long."""
    if len(description) > MAX_DESCRIPTION_CHARS:
        return {"description": _("Usa máximo {count} caracteres.").format(count=MAX_DESCRIPTION_CHARS)}
    return {}


async def find_handle_problem(
    session: AsyncSession, group: Category | Collection, handle: str
) -> dict[str, str]:
    """Return the error of the field `handle`; an empty dict if there is none.

    It is an error if the handle is invalid, or if another group of the same kind has it.
    """
    if len(handle) > MAX_HANDLE_CHARS or not is_handle(handle):
        return {"handle": _("Usa letras sin tilde, números y guiones.")}
    if await is_handle_taken(session, group, handle):
        return {"handle": _("Otra ya tiene esta dirección.")}
    return {}


async def _find_name_problems(
    session: AsyncSession, name: str, parent_id: str, category_id: str = ""
) -> dict[str, str]:
    if problem := find_length_problem(name):
        return problem
    siblings = (await read_tree(session)).children(parent_id or None)
    if any(fold(one.name) == fold(name) and one.id != category_id for one in siblings):
        return {"name": _("Ya hay una categoría con este nombre aquí.")}
    return {}
