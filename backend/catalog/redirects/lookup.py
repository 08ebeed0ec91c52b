"""Lookup of the page that a former address leads to, when a visitor requests it.

A request matches a redirect with the same path, if it has all parameters of the redirect with the same values. The
redirect with the most parameters is preferred. A redirect without parameters also matches a request with
parameters, unless another redirect of the same path has one of these parameters. For example, if there is a
redirect from `/index.php?id_product=5`, the redirect from `/index.php` does not match `/index.php?id_product=99`.
"""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from urllib.parse import unquote

from sqlalchemy import bindparam, exists, select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.catalog.category_tree import is_visible_category
from backend.catalog.models import Category, Collection, Product, for_sale
from backend.catalog.redirects.addresses import OldAddress, parse_request_address
from backend.catalog.redirects.models import UrlRedirect
from backend.catalog.redirects.targets import (
    CATALOG_PATH,
    CATEGORY_PARAMETER,
    category_page_path,
    collection_page_path,
    product_page_path,
)
from backend.core.caching.cached_reads import CachedReads
from backend.core.db.database import Database

MAX_PARAMETER_SETS = 10
"""Maximum number of sets of parameters that are tried for one request."""
_NO_SETS: frozenset[frozenset[str]] = frozenset()
_PRESTASHOP_PAGE = re.compile(r"(?:.*/)?(\d{1,9})(?:-\d{1,9})?-[^/]*\.html")
"""Path of a product in PrestaShop: the id, perhaps that of a variant, and the name."""
PRESTASHOP_PATH, PRESTASHOP_CONTROLLER, PRESTASHOP_ID = "/index.php", "controller", "id_product"


@dataclass(frozen=True, slots=True)
class KnownRedirects:
    """A summary of all redirects. With it, most requests need no database query.

    Attributes:
        has_any: True if there is a redirect.
        parameter_sets: for each path, the sets of parameter names in the addresses of its redirects.
            Addresses without parameters are left out.
    """

    has_any: bool
    parameter_sets: Mapping[str, frozenset[frozenset[str]]]


@dataclass(frozen=True, slots=True)
class FormerAddress:
    """A requested address, and the page that it leads to.

    Attributes:
        address: the normalized address.
        is_known: True if there is a redirect from it.
        page: path of the page; empty if there is no redirect, or shoppers do not see its page.
    """

    address: OldAddress
    is_known: bool = False
    page: str = ""


_BY_ADDRESS = (
    select(UrlRedirect.former_address, Product.handle, Category.handle, Collection.handle)
    .select_from(UrlRedirect)
    .outerjoin(Product, (Product.id == UrlRedirect.product_id) & for_sale())
    .outerjoin(Category, (Category.id == UrlRedirect.category_id) & is_visible_category())
    .outerjoin(Collection, (Collection.id == UrlRedirect.collection_id) & Collection.is_active)
    .where(UrlRedirect.former_address.in_(bindparam("addresses", expanding=True)))
)


async def find_former_address(
    database: Database, cache: CachedReads, path: bytes, query: bytes, *, has_page: bool = False
) -> FormerAddress | None:
    """Return a request's address with the page that it leads to; None if the address is not valid.

    Args:
        database: the shop's database.
        cache: stores the summary of the redirects until one changes.
        path: the encoded path.
        query: the encoded query.
        has_page: True if the shop has a page at the path. Then only redirects with query parameters match. At
            the path of the catalogue, a redirect with its category parameter does not match, because the page
            uses this parameter.
    """
    address = parse_request_address(path, query)
    if address is None:
        return None
    known = await cache.read_cached("redirects", lambda: _read_known(database))
    candidates = [str(one) for one in _list_candidates(known, address, has_page=has_page)]
    if not known.has_any or not candidates:
        return FormerAddress(address)
    async with database.read() as session:
        found = {row[0]: row[1:] for row in await session.execute(_BY_ADDRESS, {"addresses": candidates})}
    for candidate in candidates:
        if candidate in found:
            return FormerAddress(address, is_known=True, page=_to_page(*found[candidate]))
    return FormerAddress(address)


def _to_page(product_handle: str | None, category_handle: str | None, collection_handle: str | None) -> str:
    if product_handle is not None:
        return product_page_path(product_handle)
    if category_handle is not None:
        return category_page_path(category_handle)
    return collection_page_path(collection_handle) if collection_handle is not None else ""


async def _read_known(database: Database) -> KnownRedirects:
    async with database.read() as session:
        has_any = (await session.execute(select(exists().where(UrlRedirect.id.is_not(None))))).scalar_one()
        return KnownRedirects(bool(has_any), await _read_parameter_sets(session))


async def _read_parameter_sets(session: AsyncSession) -> Mapping[str, frozenset[frozenset[str]]]:
    query = select(UrlRedirect.former_address).where(UrlRedirect.has_query.is_(True))
    sets: dict[str, set[frozenset[str]]] = defaultdict(set)
    for text in (await session.execute(query)).scalars():
        path, _mark, parameters = text.partition("?")
        sets[path].add(frozenset(unquote(pair.partition("=")[0]) for pair in parameters.split("&")))
    return {path: frozenset(some) for path, some in sets.items()}


def _list_candidates(known: KnownRedirects, address: OldAddress, *, has_page: bool) -> Iterator[OldAddress]:
    """Yield the addresses whose redirects would match this request, the best match first."""
    requested = frozenset(address.names)
    sets = known.parameter_sets.get(address.path, _NO_SETS)
    fitting = sorted((one for one in sets if one <= requested), key=lambda one: (-len(one), sorted(one)))
    for names in fitting[:MAX_PARAMETER_SETS]:
        if not (has_page and address.path == CATALOG_PATH and CATEGORY_PARAMETER in names):
            yield address.restrict(names)
    if has_page or address.path == "/":
        return
    if requested.isdisjoint(frozenset[str]().union(*sets)):
        yield OldAddress(address.path)
    shop_names = frozenset({PRESTASHOP_CONTROLLER, PRESTASHOP_ID})
    of_prestashop = shop_names in known.parameter_sets.get(PRESTASHOP_PATH, _NO_SETS)
    if of_prestashop and (found := _PRESTASHOP_PAGE.fullmatch(address.path)):
        yield prestashop_address(found[1])


def prestashop_address(product_id: str) -> OldAddress:
    """Return the PrestaShop address of this product that has its id in a parameter.

    PrestaShop has such an address for each product, next to the friendly one.
    """
    return OldAddress(PRESTASHOP_PATH, ((PRESTASHOP_CONTROLLER, "product"), (PRESTASHOP_ID, product_id)))
