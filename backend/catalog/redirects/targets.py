"""Products, categories and collections that redirects lead to: the paths of their pages, and their lookup by a text."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

from sqlalchemy import Select, or_, select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.catalog.category_tree import Tree, read_tree
from backend.catalog.handles import make_handle
from backend.catalog.models import Collection as CollectionRow
from backend.catalog.models import FormerHandle, Product, Variant
from backend.catalog.redirects.addresses import InvalidAddress, OldAddress, is_address, parse_address
from backend.catalog.redirects.models import UrlRedirect
from backend.catalog.schemas.cell_words import PATH_SEPARATOR
from backend.core.collation import fold

PRODUCT_SEGMENT, COLLECTION_SEGMENT = "product", "collection"
CATALOG_SEGMENT, CATEGORY_PARAMETER = "catalog", "category"
CATALOG_PATH = f"/{CATALOG_SEGMENT}"
BATCH_SIZE = 500
"""Values in one query."""


@dataclass(frozen=True, slots=True)
class RedirectTarget:
    """The product, category or collection that a redirect leads to; the other two ids are None.

    The fields are named as the columns of `UrlRedirect`.
    """

    product_id: str | None = None
    category_id: str | None = None
    collection_id: str | None = None

    @classmethod
    def of(cls, redirect: UrlRedirect) -> "RedirectTarget":
        """Return the target of a redirect."""
        return cls(redirect.product_id, redirect.category_id, redirect.collection_id)


AMBIGUOUS = RedirectTarget()
"""Represents several products, categories or collections with the same name."""


@dataclass(frozen=True, slots=True)
class PageHandle:
    """The handle in an address of this shop. At most one field is not empty."""

    product: str = ""
    category: str = ""
    collection: str = ""


def product_page_path(handle: str) -> str:
    """Return the path of a product's page."""
    return f"/{PRODUCT_SEGMENT}/{quote(handle)}"


def category_page_path(handle: str) -> str:
    """Return the path and query of a category's page."""
    return f"{CATALOG_PATH}?{CATEGORY_PARAMETER}={quote(handle)}"


def collection_page_path(handle: str) -> str:
    """Return the path of a collection's page."""
    return f"/{COLLECTION_SEGMENT}/{quote(handle)}"


def get_page_handle(address: OldAddress) -> PageHandle:
    """Return the handle in an address of a page of this shop; all fields are empty for any other address."""
    segments = address.path.strip("/").split("/")
    if len(segments) == 2 and segments[0] == PRODUCT_SEGMENT:
        return PageHandle(product=segments[1])
    if len(segments) == 2 and segments[0] == COLLECTION_SEGMENT:
        return PageHandle(collection=segments[1])
    named = [value for name, value in address.parameters if name == CATEGORY_PARAMETER]
    return PageHandle(category=named[0] if segments == [CATALOG_SEGMENT] and named else "")


async def find_targets(session: AsyncSession, texts: Collection[str]) -> dict[str, RedirectTarget | None]:
    """Return the page that each text names; None if there is none, `AMBIGUOUS` if there are several.

    A text is an address of the shop, an address that is redirected already, a SKU or bar code, a handle, or the
    name of a category, a collection or a product. A category may be written with its parent categories:
    `Juguetes > Madera`.
    """
    addresses, words = _split_texts(texts)
    pages = {text: get_page_handle(address) for text, address in addresses.items()}
    tree = await read_tree(session)
    codes = await _find_by_code(session, words.values())
    products = await _find_by_handle(
        session, [*words.values(), *(handle.product for handle in pages.values())]
    )
    collections = await _read_collections(session)
    titles = await _find_by_title(session, words.values())
    redirected = await read_owners(session, [str(address) for address in addresses.values()])
    found: dict[str, RedirectTarget | None] = dict.fromkeys(texts)
    for text, word in words.items():
        found[text] = (
            codes.get(word)
            or products.get(word)
            or _find_category(tree, word)
            or collections.by_handle.get(word)
            or collections.by_name.get(make_handle(word))
            or titles.get(fold(word))
        )
    for text, address in addresses.items():
        handle = pages[text]
        category = tree.by_handle.get(handle.category)
        found[text] = (
            products.get(handle.product)
            or (RedirectTarget(category_id=category.id) if category else None)
            or collections.by_handle.get(handle.collection)
            or redirected.get(str(address))
        )
    return found


async def read_owners(session: AsyncSession, addresses: Collection[str]) -> dict[str, RedirectTarget]:
    """Return the redirect target of each of these normalized addresses. Those without a redirect are left out."""
    found: dict[str, RedirectTarget] = {}
    for some in _batches(addresses):
        query = select(UrlRedirect).where(UrlRedirect.former_address.in_(some))
        found |= {
            one.former_address: RedirectTarget.of(one) for one in (await session.execute(query)).scalars()
        }
    return found


def _split_texts(texts: Collection[str]) -> tuple[dict[str, OldAddress], dict[str, str]]:
    """Return the parsed addresses and, with single spaces, all other texts; both by the original text.

    Invalid addresses are left out.
    """
    addresses, words = {}, {}
    for text in texts:
        if not is_address(text):
            words[text] = " ".join(text.split())
            continue
        try:
            addresses[text] = parse_address(text)
        except InvalidAddress:
            continue
    return addresses, words


async def _find_by_code(session: AsyncSession, codes: Collection[str]) -> dict[str, RedirectTarget]:
    """Return the products of these SKUs and bar codes, by code. A code that is both is treated as a SKU."""
    found: dict[str, RedirectTarget] = {}
    for some in _batches(codes):
        query = (
            select(Variant.sku, Variant.ean, Variant.product_id)
            .join(Product, Product.id == Variant.product_id)
            .where(or_(Variant.sku.in_(some), Variant.ean.in_(some)), Product.deleted_at.is_(None))
        )
        rows = (await session.execute(query)).all()
        found |= {ean: RedirectTarget(product_id) for _sku, ean, product_id in rows if ean}
        found |= {sku: RedirectTarget(product_id) for sku, _ean, product_id in rows if sku}
    return found


async def _find_by_handle(session: AsyncSession, handles: Collection[str]) -> dict[str, RedirectTarget]:
    """Return the products that have or had these handles, by handle. The current owner is preferred."""
    former = select(FormerHandle.handle, FormerHandle.product_id).join(
        Product, Product.id == FormerHandle.product_id
    )
    current = select(Product.handle, Product.id)
    found = await _read_pairs(session, former, FormerHandle.handle, handles)
    found |= await _read_pairs(session, current, Product.handle, handles)
    return {handle: RedirectTarget(product_id) for handle, product_id in found.items()}


async def _read_pairs(
    session: AsyncSession, query: Select[str, str], column: Any, values: Collection[str]
) -> dict[str, str]:
    pairs: dict[str, str] = {}
    for some in _batches(values):
        rows = await session.execute(query.where(column.in_(some), Product.deleted_at.is_(None)))
        pairs |= dict(rows.all())
    return pairs


async def _find_by_title(session: AsyncSession, titles: Collection[str]) -> Mapping[str, RedirectTarget]:
    """Return the products with these titles; `AMBIGUOUS` for a title that several products have.

    The keys of the result are the titles without accents and in lower case (`fold`).
    """
    found: dict[str, RedirectTarget] = {}
    for some in _batches([fold(title) for title in titles]):
        query = select(Product.title_key, Product.id).where(
            Product.title_key.in_(some), Product.deleted_at.is_(None)
        )
        for key, product_id in await session.execute(query):
            found[key] = AMBIGUOUS if key in found else RedirectTarget(product_id)
    return found


@dataclass(frozen=True, slots=True)
class _Collections:
    """All collections, by handle and by the handle made from the title; `AMBIGUOUS` for a repeated title."""

    by_handle: Mapping[str, RedirectTarget]
    by_name: Mapping[str, RedirectTarget]


async def _read_collections(session: AsyncSession) -> _Collections:
    by_handle: dict[str, RedirectTarget] = {}
    by_name: dict[str, RedirectTarget] = {}
    query = select(CollectionRow.id, CollectionRow.handle, CollectionRow.title)
    for collection_id, handle, title in await session.execute(query):
        target = by_handle[handle] = RedirectTarget(collection_id=collection_id)
        if name := make_handle(title):
            by_name[name] = AMBIGUOUS if name in by_name else target
    return _Collections(by_handle, by_name)


def _find_category(tree: Tree, text: str) -> RedirectTarget | None:
    if (category := tree.by_handle.get(text)) is not None:
        return RedirectTarget(category_id=category.id)
    names = [make_handle(part) for part in text.split(PATH_SEPARATOR)]
    if not all(names):
        return None
    found = [
        one.id
        for one in tree.by_id.values()
        if make_handle(one.name) == names[-1]
        and [make_handle(step.name) for step in tree.path_to(one.id)][-len(names) :] == names
    ]
    if len(found) > 1:
        return AMBIGUOUS
    return RedirectTarget(category_id=found[0]) if found else None


def _batches(values: Collection[str]) -> Iterator[Sequence[str]]:
    unique = sorted({value for value in values if value})
    for start in range(0, len(unique), BATCH_SIZE):
        yield unique[start : start + BATCH_SIZE]
