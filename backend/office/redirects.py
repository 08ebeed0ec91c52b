"""Views of the former addresses in the office: redirects, unknown addresses, and suggested targets."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.catalog.category_tree import Tree, read_tree, read_visible_tree
from backend.catalog.collections import ordered_collections
from backend.catalog.models import Category, Collection, Product
from backend.catalog.redirects.addresses import PAGE_ENDINGS, parse_request_address
from backend.catalog.redirects.models import UnknownAddress, UrlRedirect
from backend.catalog.redirects.service import count_redirects
from backend.catalog.redirects.targets import (
    RedirectTarget,
    category_page_path,
    collection_page_path,
    find_targets,
    product_page_path,
)
from backend.catalog.schemas.cell_words import PATH_SEPARATOR
from backend.core.collation import fold
from backend.core.dates import short_time_label
from backend.core.texts import _, format_count
from backend.office.listing import ListView, active_filters, read_filters, read_page
from backend.office.products.listing import find_products_by_text
from backend.staff.rights import Actor, Right

PAGE_SIZE = 50
MAX_UNKNOWN = 100
"""Maximum number of unknown addresses on the screen."""
MAX_SUGGESTIONS = 8
MAX_TEXT_LENGTH = 200
FIELDS = ("q",)
KEY = (UrlRedirect.created_at, UrlRedirect.id)
_PAGE_ENDING = re.compile(rf"\.(?:{'|'.join(sorted(PAGE_ENDINGS))})$")


@dataclass(frozen=True, slots=True)
class RedirectRow:
    """A redirect.

    Attributes:
        target: name of the product, category or collection.
        href: path of its page.
        is_hidden: True if the product is not for sale, or the collection is hidden: visitors do not reach the page.
    """

    id: str
    address: str
    target: str
    href: str
    is_hidden: bool


@dataclass(frozen=True, slots=True)
class UnknownAddressRow:
    """A visited address that has neither a page nor a redirect.

    Attributes:
        target: page of the product, category or collection whose handle the address contains; empty if there is
            none.
    """

    id: str
    address: str
    visits_label: str
    target: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RedirectsView(ListView):
    """A page of the redirects, the newest first. The first page also has the most visited unknown addresses."""

    rows: list[RedirectRow]
    unknown: list[UnknownAddressRow]
    count_label: str


@dataclass(frozen=True, slots=True)
class TargetSuggestion:
    """A page to which a redirect may lead. `value` is the text that names it in the form."""

    value: str
    label: str


async def redirects_view(
    session: AsyncSession, actor: Actor, params: Mapping[str, str], cursor: str = ""
) -> RedirectsView:
    """Return a page of the redirects.

    Raises:
        Forbidden: the actor may not see the catalogue.
        InvalidData: the cursor does not belong to this list.
    """
    actor.require(Right.READ_CATALOG)
    filters = read_filters(params, FIELDS, MAX_TEXT_LENGTH)
    query = (
        select(UrlRedirect, Product, Category, Collection)
        .outerjoin(Product, Product.id == UrlRedirect.product_id)
        .outerjoin(Category, Category.id == UrlRedirect.category_id)
        .outerjoin(Collection, Collection.id == UrlRedirect.collection_id)
    )
    if text := filters["q"].strip().lower():
        words = UrlRedirect.former_address.contains(text, autoescape=True)
        query = query.where(words | Product.title_key.contains(fold(text), autoescape=True))
    found, following = await read_page(session, query, KEY, cursor, PAGE_SIZE, is_descending=True)
    count = await count_redirects(session)
    visible = await read_visible_tree(session)
    return RedirectsView(
        rows=[_redirect_row(*one, visible) for one in found],
        unknown=[] if cursor else await _read_unknown(session),
        count_label=format_count(count, _("1 dirección"), _("{n} direcciones")),
        cursor=following,
        filters=filters,
        active=active_filters(filters),
    )


async def suggest_targets(session: AsyncSession, actor: Actor, text: str) -> list[TargetSuggestion]:
    """Return the products, categories and collections that match a typed text.

    Raises:
        Forbidden: the actor may not see the catalogue.
    """
    actor.require(Right.READ_CATALOG)
    words = fold(text).split()
    if not words:
        return []
    tree = await read_tree(session)
    categories = [one for one in tree.by_id.values() if all(word in fold(one.name) for word in words)]
    found = [
        TargetSuggestion(
            f" {PATH_SEPARATOR} ".join(step.name for step in tree.breadcrumb_to(one.id)) or one.name,
            _("Categoría"),
        )
        for one in categories[: MAX_SUGGESTIONS // 2]
    ]
    found += await _suggest_collections(session, words, MAX_SUGGESTIONS - 2 - len(found))
    products = await find_products_by_text(session, actor, text, MAX_SUGGESTIONS - len(found))
    handles = await _find_ambiguous_handles(session, [product.title for product in products])
    return [
        *found,
        *(
            TargetSuggestion(
                product_page_path(handles[product.id]) if product.id in handles else product.title,
                f"{product.title} · {product.detail}" if product.detail else product.title,
            )
            for product in products
        ),
    ]


async def _suggest_collections(
    session: AsyncSession, words: Sequence[str], limit: int
) -> list[TargetSuggestion]:
    """Return suggestions for the collections whose titles have all these words.

    The value of a suggestion is the title, or the path if the title would lead to another page.
    """
    collections = [
        one
        for one in (await session.execute(ordered_collections())).scalars()
        if all(word in fold(one.title) for word in words)
    ][:limit]
    named = await find_targets(session, [one.title for one in collections]) if collections else {}
    return [
        TargetSuggestion(
            one.title
            if named[one.title] == RedirectTarget(collection_id=one.id)
            else collection_page_path(one.handle),
            _("Colección"),
        )
        for one in collections
    ]


async def _find_ambiguous_handles(session: AsyncSession, titles: Sequence[str]) -> dict[str, str]:
    """Return the handles, by product id, of the products whose title is in `titles` and is used by several products."""
    query = select(Product.id, Product.handle, Product.title_key).where(
        Product.title_key.in_([fold(title) for title in titles]), Product.deleted_at.is_(None)
    )
    rows = (await session.execute(query)).all()
    counts = Counter(row.title_key for row in rows)
    return {row.id: row.handle for row in rows if counts[row.title_key] > 1}


async def _read_unknown(session: AsyncSession) -> list[UnknownAddressRow]:
    query = (
        select(UnknownAddress)
        .where(UnknownAddress.is_dismissed.is_(False))
        .order_by(UnknownAddress.visits.desc(), UnknownAddress.former_address)
        .limit(MAX_UNKNOWN)
    )
    found = (await session.execute(query)).scalars().all()
    pages = await _find_pages(session, [one.former_address for one in found])
    return [
        UnknownAddressRow(one.id, one.former_address, _visits_label(one), pages[one.former_address])
        for one in found
    ]


async def _find_pages(session: AsyncSession, addresses: Sequence[str]) -> dict[str, str]:
    """Return, for each address, the path of the page whose handle it contains; empty if there is no such page.

    Shops write the handle in the last part of the path or in a parameter: `/producto/balero/`, `/?product=balero`.
    """
    words = {address: _list_handles(address) for address in addresses}
    query = select(Product.handle).where(
        Product.handle.in_({word for some in words.values() for word in some}), Product.deleted_at.is_(None)
    )
    pages = {handle: product_page_path(handle) for handle in (await session.execute(query)).scalars()}
    for handle in (await read_tree(session)).by_handle:
        pages.setdefault(handle, category_page_path(handle))
    for collection in (await session.execute(ordered_collections())).scalars():
        pages.setdefault(collection.handle, collection_page_path(collection.handle))
    return {
        address: next((pages[word] for word in some if word in pages), "") for address, some in words.items()
    }


def _list_handles(text: str) -> list[str]:
    """Return the parts of an address that may be the handle of a page."""
    path, _mark, query = text.partition("?")
    address = parse_request_address(path.encode(), query.encode())
    if address is None:
        return []
    last = _PAGE_ENDING.sub("", address.path.rpartition("/")[2])
    return [*(value for _name, value in address.parameters), last]


def _visits_label(unknown: UnknownAddress) -> str:
    moment = short_time_label(unknown.seen_at)
    if unknown.visits == 1:
        return _("1 visita, {moment}").format(moment=moment)
    return _("{n} visitas, la última {moment}").format(n=unknown.visits, moment=moment)


def _redirect_row(
    redirect: UrlRedirect,
    product: Product | None,
    category: Category | None,
    collection: Collection | None,
    visible: Tree,
) -> RedirectRow:
    if product is not None:
        is_hidden = product.status != "published" or product.deleted_at is not None
        href = product_page_path(product.handle)
        return RedirectRow(redirect.id, redirect.former_address, product.title, href, is_hidden)
    if collection is not None:
        href = collection_page_path(collection.handle)
        return RedirectRow(
            redirect.id, redirect.former_address, collection.title, href, not collection.is_active
        )
    assert category is not None  # noqa: S101 - a redirect has one of the three
    return RedirectRow(
        redirect.id,
        redirect.former_address,
        category.name,
        category_page_path(category.handle),
        is_hidden=category.id not in visible.by_id,
    )
