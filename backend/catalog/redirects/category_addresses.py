"""Redirects of the addresses that categories had before: `/catalog?category=…` with a former handle."""

from sqlalchemy import delete, select, update
from sqlalchemy.ext.asyncio import AsyncSession

from backend.catalog.category_tree import hidden_category_ids
from backend.catalog.models import Category
from backend.catalog.redirects.addresses import InvalidAddress, parse_address
from backend.catalog.redirects.models import UrlRedirect
from backend.catalog.redirects.service import add_addresses
from backend.catalog.redirects.targets import RedirectTarget, category_page_path


def to_category_address(handle: str) -> str:
    """Return the normalized address of the page of the category with this handle; empty if it has none."""
    try:
        return str(parse_address(category_page_path(handle)))
    except InvalidAddress:
        return ""


async def claim_category_address(session: AsyncSession, handle: str) -> None:
    """Delete the redirect of this handle's address, because a category has the handle now."""
    await session.execute(
        delete(UrlRedirect).where(UrlRedirect.former_address == to_category_address(handle))
    )


async def redirect_category_address(session: AsyncSession, handle: str, category_id: str) -> None:
    """Redirect the address of a former handle to a category.

    Raises:
        NotAllowed: the shop has too many redirects.
    """
    await claim_category_address(session, handle)
    if address := to_category_address(handle):
        await add_addresses(session, {address: RedirectTarget(category_id=category_id)})


async def move_category_redirects(session: AsyncSession, from_id: str, to_id: str) -> None:
    """Let all redirects to one category lead to another category."""
    statement = update(UrlRedirect).where(UrlRedirect.category_id == from_id).values(category_id=to_id)
    await session.execute(statement)


async def find_moved_category(session: AsyncSession, handle: str) -> str:
    """Return the current handle of the category to which a former handle's address leads; empty if there is none."""
    query = (
        select(Category.handle)
        .join(UrlRedirect, UrlRedirect.category_id == Category.id)
        .where(
            UrlRedirect.former_address == to_category_address(handle),
            Category.id.not_in(hidden_category_ids()),
        )
    )
    return (await session.execute(query)).scalar_one_or_none() or ""
