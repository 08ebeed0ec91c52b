"""Redirects of the addresses that categories and collections had before, with a former handle."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from sqlalchemy import ColumnElement, delete, select, update
from sqlalchemy.ext.asyncio import AsyncSession

from backend.catalog.category_tree import is_visible_category
from backend.catalog.models import Category, Collection
from backend.catalog.redirects.addresses import InvalidAddress, parse_address
from backend.catalog.redirects.models import UrlRedirect
from backend.catalog.redirects.service import add_addresses
from backend.catalog.redirects.targets import RedirectTarget, category_page_path, collection_page_path

GroupKind = type[Category] | type[Collection]


@dataclass(frozen=True, slots=True)
class _Pages:
    """The data for redirects to pages of one kind: to those of categories, or to those of collections.

    Attributes:
        to_path: returns the path of a page for the handle of its category or collection.
        to_target: returns the redirect target for the id of a category or collection.
        target_id: the column of `UrlRedirect` with the id of the category or collection.
        is_visible: returns the SQL condition for the categories or collections that shoppers see.
    """

    to_path: Callable[[str], str]
    to_target: Callable[[str], RedirectTarget]
    target_id: Any
    is_visible: Callable[[], ColumnElement[bool]]


_PAGES: dict[GroupKind, _Pages] = {
    Category: _Pages(
        category_page_path,
        lambda category_id: RedirectTarget(category_id=category_id),
        UrlRedirect.category_id,
        is_visible_category,
    ),
    Collection: _Pages(
        collection_page_path,
        lambda collection_id: RedirectTarget(collection_id=collection_id),
        UrlRedirect.collection_id,
        lambda: Collection.is_active.is_(True),
    ),
}


def to_group_address(kind: GroupKind, handle: str) -> str:
    """Return the normalized address of a category's or collection's page; empty if it would not be valid."""
    try:
        return str(parse_address(_PAGES[kind].to_path(handle)))
    except InvalidAddress:
        return ""


async def claim_group_address(session: AsyncSession, kind: GroupKind, handle: str) -> None:
    """Delete the redirect from the address of the page with this handle, if there is one."""
    await session.execute(
        delete(UrlRedirect).where(UrlRedirect.former_address == to_group_address(kind, handle))
    )


async def redirect_group_address(session: AsyncSession, kind: GroupKind, handle: str, group_id: str) -> None:
    """Redirect the page address of a former handle to the category or collection with this id.

    Raises:
        NotAllowed: the shop has too many redirects.
    """
    await claim_group_address(session, kind, handle)
    if address := to_group_address(kind, handle):
        await add_addresses(session, {address: _PAGES[kind].to_target(group_id)})


async def move_category_redirects(session: AsyncSession, from_id: str, to_id: str) -> None:
    """Let all redirects to one category lead to another category."""
    statement = update(UrlRedirect).where(UrlRedirect.category_id == from_id).values(category_id=to_id)
    await session.execute(statement)


async def find_moved_group(session: AsyncSession, kind: GroupKind, handle: str) -> str:
    """Return the current handle of the category or collection that a former handle's address leads to.

    Return an empty text if there is no redirect from this address, or if shoppers do not see its target.
    """
    pages = _PAGES[kind]
    query = (
        select(kind.handle)
        .join(UrlRedirect, pages.target_id == kind.id)
        .where(UrlRedirect.former_address == to_group_address(kind, handle), pages.is_visible())
    )
    return (await session.execute(query)).scalar_one_or_none() or ""


async def read_group_addresses(session: AsyncSession, kind: GroupKind, group_id: str) -> list[str]:
    """Return the former addresses that are redirected to the category or collection, sorted."""
    query = select(UrlRedirect.former_address).where(_PAGES[kind].target_id == group_id)
    return list((await session.execute(query.order_by(UrlRedirect.former_address))).scalars())
