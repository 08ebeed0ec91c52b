"""Creation, change and deletion of redirects, and the removal of unknown addresses from their list."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict

from sqlalchemy import delete, func, select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.audit import Subject, SubjectType, record
from backend.catalog.models import Category, Collection, Product
from backend.catalog.redirects.addresses import InvalidAddress, OldAddress, is_address, parse_address
from backend.catalog.redirects.models import UnknownAddress, UrlRedirect
from backend.catalog.redirects.targets import (
    AMBIGUOUS,
    PageHandle,
    RedirectTarget,
    find_targets,
    get_page_handle,
    read_owners,
)
from backend.core.clock import now
from backend.core.db.database import lock_rows
from backend.core.db.tables import get_or_404, insert_into, table_of
from backend.core.errors import InvalidData, NotAllowed
from backend.core.ids import new_id
from backend.core.texts import _
from backend.rate_limit.limiter import take_turns
from backend.staff.rights import Actor, Right

MAX_REDIRECTS = 20_000
ADDRESS_FIELD, TARGET_FIELD = "address", "target"
INVALID_ADDRESS_TEXT = _("Escribe una dirección de tu tienda anterior, como /productos/mochila.")
OWN_ADDRESS_TEXT = _("Esa dirección ya la tiene una página de tu tienda.")
TAKEN_TEXT = _("Esa dirección ya lleva a otra página. Bórrala primero.")
UNKNOWN_TARGET_TEXT = _(
    "No encontramos «{text}». Escribe el nombre o el SKU de un producto, una categoría o una colección."
)
SEVERAL_TARGETS_TEXT = _("Hay varios «{text}». Escribe el SKU, o la dirección de la página.")
TOO_MANY_TEXT = _("Ya hay 20.000 direcciones: borra las que nadie visita.")


async def resolve_target(session: AsyncSession, text: str) -> RedirectTarget:
    """Return the product, category or collection that a person names: see `find_targets`.

    Raises:
        InvalidData: the text names none or several.
    """
    found = (await find_targets(session, [text]))[text]
    if found is None or found is AMBIGUOUS:
        sentence = UNKNOWN_TARGET_TEXT if found is None else SEVERAL_TARGETS_TEXT
        message = "No product, category or collection, or several, have this address, SKU, handle or name"
        raise _invalid(TARGET_FIELD, sentence.format(text=text.strip()[:60]), message)
    return found


async def resolve_address(session: AsyncSession, text: str) -> OldAddress:
    """Parse a former address that a person wrote.

    Raises:
        InvalidData: it is not an address, or a page of the shop has this address now.
    """
    try:
        if not is_address(text):
            raise InvalidAddress("must begin with / or with the host")
        address = parse_address(text)
    except InvalidAddress as error:
        raise _invalid(ADDRESS_FIELD, INVALID_ADDRESS_TEXT, f"The address {error}") from None
    if str(address) in await find_current_pages(session, [address]):
        raise _invalid(ADDRESS_FIELD, OWN_ADDRESS_TEXT, "A page of the shop has this address")
    return address


async def find_current_pages(session: AsyncSession, addresses: Sequence[OldAddress]) -> set[str]:
    """Return those of the addresses at which the shop has the page of a product, category or collection now."""
    handles = {str(address): get_page_handle(address) for address in addresses}
    products = {handle.product for handle in handles.values()} - {""}
    categories = {handle.category for handle in handles.values()} - {""}
    collections = {handle.collection for handle in handles.values()} - {""}
    current: set[PageHandle] = set()
    if products:
        query = select(Product.handle).where(Product.handle.in_(products), Product.deleted_at.is_(None))
        current |= {PageHandle(product=handle) for handle in (await session.execute(query)).scalars()}
    if categories:
        query = select(Category.handle).where(Category.handle.in_(categories))
        current |= {PageHandle(category=handle) for handle in (await session.execute(query)).scalars()}
    if collections:
        query = select(Collection.handle).where(Collection.handle.in_(collections))
        current |= {PageHandle(collection=handle) for handle in (await session.execute(query)).scalars()}
    return {address for address, handle in handles.items() if handle in current}


async def require_target(session: AsyncSession, target: RedirectTarget) -> None:
    """Check that the product, category or collection exists.

    Raises:
        NotFound: it does not exist.
    """
    if target.product_id is not None:
        query = select(Product).where(Product.id == target.product_id, Product.deleted_at.is_(None))
        await get_or_404(session, query, "Product", target.product_id)
    elif target.collection_id is not None:
        found = select(Collection).where(Collection.id == target.collection_id)
        await get_or_404(session, found, "Collection", target.collection_id)
    else:
        category_id = target.category_id or ""
        await get_or_404(
            session, select(Category).where(Category.id == category_id), "Product category", category_id
        )


async def create_redirect(
    session: AsyncSession, actor: Actor, address: OldAddress, target: RedirectTarget
) -> UrlRedirect:
    """Redirect an address to a product, category or collection, and remove it from the unknown addresses.

    If the address is already redirected to this target, return the existing redirect.

    Raises:
        InvalidData: the address is redirected to another page.
        NotAllowed: the shop has `MAX_REDIRECTS`.
    """
    actor.require(Right.CHANGE_CATALOG)
    await take_turns(session, "redirects")
    query = select(UrlRedirect).where(UrlRedirect.former_address == str(address))
    found = (await session.execute(query)).scalar_one_or_none()
    if found is not None:
        if RedirectTarget.of(found) != target:
            raise _invalid(ADDRESS_FIELD, TAKEN_TEXT, "This address is redirected to another page")
        return found
    await _require_room(session, 1)
    redirect = UrlRedirect(
        former_address=str(address),
        has_query=bool(address.parameters),
        **asdict(target),
    )
    await record(session, actor, "created", Subject(SubjectType.REDIRECT, redirect.id))
    session.add(redirect)
    await session.flush()
    await forget_unknown(session, [redirect.former_address])
    return redirect


async def delete_redirect(session: AsyncSession, actor: Actor, redirect_id: str) -> None:
    """Delete a redirect.

    Raises:
        NotFound: it does not exist.
    """
    actor.require(Right.CHANGE_CATALOG)
    query = select(UrlRedirect).where(UrlRedirect.id == redirect_id)
    redirect = await get_or_404(session, lock_rows(query), "Redirect", redirect_id)
    await record(session, actor, "deleted", Subject(SubjectType.REDIRECT, redirect_id))
    await session.delete(redirect)


async def dismiss_unknown(session: AsyncSession, actor: Actor, unknown_id: str) -> None:
    """Remove an unknown address from the list for good.

    Raises:
        NotFound: it does not exist.
    """
    actor.require(Right.CHANGE_CATALOG)
    query = select(UnknownAddress).where(UnknownAddress.id == unknown_id)
    unknown = await get_or_404(session, lock_rows(query), "Unknown address", unknown_id)
    await record(session, actor, "address dismissed", Subject(SubjectType.REDIRECT, unknown_id))
    unknown.is_dismissed = True


async def count_redirects(session: AsyncSession) -> int:
    """Count the redirects."""
    return (await session.execute(select(func.count()).select_from(UrlRedirect))).scalar_one()


async def read_addresses(session: AsyncSession, product_ids: Sequence[str]) -> dict[str, list[str]]:
    """Return the former addresses of products, sorted, by product id."""
    query = select(UrlRedirect.product_id, UrlRedirect.former_address).where(
        UrlRedirect.product_id.in_(product_ids)
    )
    addresses: dict[str, list[str]] = {}
    for product_id, address in await session.execute(query.order_by(UrlRedirect.former_address)):
        addresses.setdefault(str(product_id), []).append(address)
    return addresses


async def add_product_addresses(session: AsyncSession, addresses: Mapping[str, Sequence[str]]) -> set[str]:
    """Redirect normalized addresses to products; see `add_addresses`. Current addresses of the shop are left out.

    Args:
        session: a transaction.
        addresses: the addresses by product id. If two products have the same address, it leads to the first
            product.

    Returns:
        The ids of the products that got a redirect.
    """
    rows: dict[str, str] = {}
    for product_id, some in addresses.items():
        for address in some:
            rows.setdefault(address, product_id)
    known = await read_owners(session, rows)
    candidates = [parse_address(address) for address in rows if address not in known]
    current = await find_current_pages(session, candidates)
    new = {str(one): RedirectTarget(rows[str(one)]) for one in candidates if str(one) not in current}
    await add_addresses(session, new)
    return {target.product_id for target in new.values() if target.product_id}


async def add_addresses(session: AsyncSession, targets: Mapping[str, RedirectTarget]) -> None:
    """Redirect normalized addresses. An address that is redirected already keeps its target.

    The caller records the change in the audit.

    Raises:
        NotAllowed: the shop would have more than `MAX_REDIRECTS`.
    """
    if not targets:
        return
    await take_turns(session, "redirects")
    await _require_room(session, len(targets))
    moment = now()
    values = [
        {
            "id": new_id("redir"),
            "former_address": address,
            "has_query": "?" in address,
            **asdict(target),
            "created_at": moment,
            "updated_at": moment,
        }
        for address, target in sorted(targets.items())
    ]
    await session.execute(insert_into(table_of(UrlRedirect)).on_conflict_do_nothing(), values)
    await forget_unknown(session, list(targets))


async def forget_unknown(session: AsyncSession, addresses: Sequence[str]) -> None:
    """Remove addresses that now have a redirect from the list of unknown (not found) addresses."""
    table = table_of(UnknownAddress)
    await session.execute(delete(table).where(table.c.former_address.in_(addresses)))


async def _require_room(session: AsyncSession, new_count: int) -> None:
    if await count_redirects(session) + new_count > MAX_REDIRECTS:
        raise NotAllowed(f"The shop has {MAX_REDIRECTS} redirects: delete some", staff_text=TOO_MANY_TEXT)


def _invalid(field: str, text: str, message: str) -> InvalidData:
    return InvalidData(message, fields={field: text}, staff_text=text)
