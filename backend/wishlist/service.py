"""Merge of the wishlists of a customer's browsers into the wishlist of the account.

Each change of a product has a moment, and the latest change wins. So the result does not depend on the order in
which the browsers report their changes, or on how often they do. If two changes have the same moment, the removal
wins.

A removal has an effect for `REMOVAL_RETENTION` only. After this time, an older addition that a browser reports is
accepted, even if the removal is not deleted yet.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import and_, delete, or_, select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.catalog.models import FormerHandle, Product, for_sale
from backend.catalog.storefront.page_content import MAX_WISHES
from backend.core.db.database import database_now
from backend.core.db.tables import insert_into, table_of
from backend.core.errors import require_found
from backend.customers.auth.accounts import lock_account
from backend.wishlist.models import WishlistEntry

MAX_CHANGES = 2 * MAX_WISHES
"""Maximum number of changes in one merge; further changes are ignored."""
REMOVAL_RETENTION = timedelta(days=180)
"""Time after which a removal is deleted. A change that a browser reports as older counts as exactly this old."""


@dataclass(frozen=True, slots=True)
class WishChange:
    """A change that a browser reports: the product with this current or former handle was added or removed.

    Attributes:
        age: time since the change, by the browser's clock. The browser reports no moment, because its clock may be
            wrong. The age is negative if the clock was set back after the change.
    """

    handle: str
    is_saved: bool
    age: timedelta


async def read_wishlist(session: AsyncSession, customer_id: str) -> list[str]:
    """Return the handles of the products in the customer's wishlist that are for sale, the latest addition first."""
    query = (
        select(Product.handle)
        .join(WishlistEntry, WishlistEntry.product_id == Product.id)
        .where(WishlistEntry.customer_id == customer_id, WishlistEntry.is_saved, for_sale())
        .order_by(WishlistEntry.changed_at.desc(), WishlistEntry.product_id)
    )
    return list((await session.execute(query)).scalars())


async def merge_wishlist(session: AsyncSession, customer_id: str, changes: Sequence[WishChange]) -> list[str]:
    """Apply a browser's changes to the customer's wishlist, unless a later change of the same product is stored.

    Unknown products, and changes beyond `MAX_CHANGES`, are ignored. If there are more than `MAX_WISHES` products, the
    earliest additions are deleted.

    Returns:
        The wishlist: see `read_wishlist`.

    Raises:
        NotFound: the customer does not exist.
    """
    # the lock orders concurrent merges, so that their changes are counted together
    require_found(await lock_account(session, customer_id), "Customer", customer_id)
    now = await database_now(session)
    product_ids = await _find_products(session, {change.handle for change in changes[:MAX_CHANGES]})
    latest: dict[str, tuple[datetime, bool]] = {}
    for change in changes[:MAX_CHANGES]:
        product_id = product_ids.get(change.handle)
        if product_id is None:
            continue
        moment, was_removed = now - min(max(change.age, timedelta()), REMOVAL_RETENTION), not change.is_saved
        latest[product_id] = max((moment, was_removed), latest.get(product_id, (moment, was_removed)))
    rows = [
        {"customer_id": customer_id, "product_id": product_id, "is_saved": not was_removed, "changed_at": at}
        for product_id, (at, was_removed) in latest.items()
    ]
    if rows:
        await session.execute(_UPSERT, rows)
        await _delete_surplus(session, customer_id)
    return await read_wishlist(session, customer_id)


async def _find_products(session: AsyncSession, handles: Iterable[str]) -> dict[str, str]:
    """Return the id of the product that has or had each handle, by handle, even of products not for sale now."""
    former = select(FormerHandle.handle, FormerHandle.product_id).where(FormerHandle.handle.in_(handles))
    current = select(Product.handle, Product.id).where(
        Product.handle.in_(handles), Product.deleted_at.is_(None)
    )
    found: dict[str, str] = {}
    for query in (former, current):  # a product that has the handle now comes before one that had it
        found.update((handle, product_id) for handle, product_id in await session.execute(query))
    return found


async def _delete_surplus(session: AsyncSession, customer_id: str) -> None:
    """Delete the customer's earliest additions and removals, so that at most `MAX_WISHES` of each are stored."""
    for is_saved in (True, False):
        alike = (_entry.c.customer_id == customer_id, _entry.c.is_saved.is_(is_saved))
        kept = (
            select(_entry.c.product_id)
            .where(*alike)
            .order_by(_entry.c.changed_at.desc(), _entry.c.product_id)
            .limit(MAX_WISHES)
        )
        await session.execute(delete(_entry).where(*alike, _entry.c.product_id.not_in(kept)))


_entry = table_of(WishlistEntry)
_insert = insert_into(_entry)
_UPSERT = _insert.on_conflict_do_update(
    index_elements=["customer_id", "product_id"],
    set_={"is_saved": _insert.excluded.is_saved, "changed_at": _insert.excluded.changed_at},
    where=or_(
        _entry.c.changed_at < _insert.excluded.changed_at,
        and_(_entry.c.changed_at == _insert.excluded.changed_at, _insert.excluded.is_saved.is_(False)),
    ),
)
