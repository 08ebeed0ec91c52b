"""Stock notices: one e-mail when a sold-out product is back, after a double opt-in.

A visitor types an address and ticks the consent. The owner of the address confirms it with the link in a first
e-mail. When units can be bought again, a job enqueues one e-mail for each confirmed address. The e-mail is
written later: if the units are gone by then, nothing is sent and the notice waits for the next units.
"""

from datetime import timedelta
from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict
from sqlalchemy import bindparam, case, delete, exists, select, update
from sqlalchemy.ext.asyncio import AsyncSession

from backend.catalog.events import ProductsEdited
from backend.catalog.models import Product, Variant, for_sale, has_price, variant_name
from backend.core.clock import now
from backend.core.db.database import Database, db_now
from backend.core.db.tables import get_or_404, insert_into, row_values, table_of
from backend.core.errors import require_found
from backend.core.events import publish, subscribe
from backend.core.texts import _
from backend.core.web.contact import AccountEmail, field_error, read_form
from backend.core.web.signing import SignedLink
from backend.inventory.events import StockChanged
from backend.inventory.service import read_available_units
from backend.jobs import JobRun, RunAgain, enqueue, job
from backend.rate_limit import limiter
from backend.rate_limit.limiter import Client, RateLimit, SubjectExhausted
from backend.stock_notices.events import BackInStock, NoticeRequested
from backend.stock_notices.models import StockNotice

NOTIFY_JOB = "stock_notices.tell"
"""Kind of the job that mails all addresses that wait for a variant. Its key is the variant's id."""
REQUEST_LIMIT = RateLimit("stock notice", per_pair=5, per_client=30, per_subject=10, per_day=20)
"""Limits for requests of notices. Their subject is the e-mail address."""
BATCH_SIZE = 200
NOTICE_LINK = SignedLink(salt="stock notice", noun="Notice")
"""Signer of the link that confirms or deletes a notice. Only mails to the notice's address contain the link."""

_WAITING = (
    StockNotice.variant_id == bindparam("variant_id"),
    StockNotice.confirmed_at.is_not(None),
    StockNotice.told_at.is_(None),
)
_WAITED_FOR = (
    select(StockNotice.variant_id)
    .where(StockNotice.confirmed_at.is_not(None), StockNotice.told_at.is_(None))
    .distinct()
    .order_by(StockNotice.variant_id)
)
_AMONG = _WAITED_FOR.where(StockNotice.variant_id.in_(bindparam("variant_ids", expanding=True)))
_OF_PRODUCTS = _WAITED_FOR.join(Variant, Variant.id == StockNotice.variant_id).where(
    Variant.product_id.in_(bindparam("product_ids", expanding=True))
)
_VARIANT = (
    select(Product.title, Product.handle, Variant.title)
    .join(Variant, Variant.product_id == Product.id)
    .where(Variant.id == bindparam("variant_id"), for_sale())
)


_NOTICE = table_of(StockNotice).c
_NEW = insert_into(table_of(StockNotice))
_UPSERT = _NEW.on_conflict_do_update(
    index_elements=["variant_id", "email"],
    set_={
        "created_at": _NEW.excluded.created_at,
        "updated_at": _NEW.excluded.updated_at,
        "confirmed_at": case((_NOTICE.told_at.is_(None), _NOTICE.confirmed_at)),
        "told_at": None,
    },
).returning(_NOTICE.id)
"""Insert or renew a notice. A notice whose mail was already enqueued must be confirmed again."""


def _require_consent(value: bool) -> bool:
    if not value:
        raise field_error(_("Marca la casilla para que podamos escribirte."))
    return value


class NoticeRequest(BaseModel):
    """The form to request a stock notice. The consent checkbox is not ticked by default."""

    model_config = ConfigDict(frozen=True, extra="ignore", validate_default=True)

    email: AccountEmail = ""
    consent: Annotated[
        bool, BeforeValidator(lambda value: value in (True, "on")), AfterValidator(_require_consent)
    ] = False


async def request_notice(
    database: Database, variant_id: str, typed: dict[str, Any], *, client: Client
) -> str:
    """Request a stock notice for this variant, and ask the owner of the address to confirm it.

    Returns:
        The handle of the variant's product.

    Raises:
        NotFound: the variant is not for sale.
        InvalidData: `email` is invalid, or `consent` is missing; see `fields`.
        TooManyRequests: too many recent requests of this client. A request above the limit of the address is
            ignored without an error, so that others learn nothing about the address.
    """
    request = read_form(NoticeRequest, typed)
    async with database.read() as session:
        handle = (await find_variant_name(session, variant_id))[1]
    try:
        await limiter.hit(database, REQUEST_LIMIT, request.email, client)
    except SubjectExhausted:
        return handle
    async with database.transaction() as session:
        row = row_values(StockNotice(variant_id=variant_id, email=request.email))
        notice_id = (await session.execute(_UPSERT, row)).scalar_one()
        await publish(session, NoticeRequested(notice_id))
    return handle


async def find_variant_name(session: AsyncSession, variant_id: str) -> tuple[str, str]:
    """Return the name of a variant, which begins with its product's title, and the handle of the product.

    Raises:
        NotFound: the variant is not for sale.
    """
    row = require_found(
        (await session.execute(_VARIANT, {"variant_id": variant_id})).first(), "Variant", variant_id
    )
    title, handle, variant = row
    name = variant_name(variant)
    return (f"{title} ({name})" if name else title), handle


async def confirm_notice(database: Database, signing_key: str, notice_id: str, token: str) -> None:
    """Confirm a stock notice for its owner. Enqueue the job, which sends the mail if units are available.

    Raises:
        NotFound: the notice does not exist, or the token is for another notice.
    """
    NOTICE_LINK.require(signing_key, notice_id, token)
    async with database.transaction() as session:
        confirm = (
            update(StockNotice)
            .where(StockNotice.id == notice_id)
            .values(confirmed_at=db_now())
            .returning(StockNotice.variant_id)
        )
        variant_id = await get_or_404(session, confirm, "Notice", notice_id)
        await enqueue(session, NOTIFY_JOB, key=variant_id)


async def delete_notice(database: Database, signing_key: str, notice_id: str, token: str) -> None:
    """Delete a stock notice with its e-mail address, if it exists.

    Raises:
        NotFound: the token is for another notice.
    """
    NOTICE_LINK.require(signing_key, notice_id, token)
    async with database.transaction() as session:
        await session.execute(delete(StockNotice).where(StockNotice.id == notice_id))


async def is_available(session: AsyncSession, variant_id: str) -> bool:
    """Return True if the variant is for sale and a unit can be bought."""
    is_sold = select(
        exists().where(Variant.id == variant_id, Product.id == Variant.product_id, for_sale(), has_price())
    )
    if not (await session.execute(is_sold)).scalar_one():
        return False
    return (await read_available_units(session, [variant_id]))[variant_id] > 0


async def reset_notice(session: AsyncSession, notice_id: str) -> None:
    """Make the stock notice wait again, because the units were gone before the e-mail was written.

    The job is enqueued again, because new units may have arrived in the meantime.
    """
    waits = (
        update(StockNotice)
        .where(StockNotice.id == notice_id)
        .values(told_at=None)
        .returning(StockNotice.variant_id)
    )
    await enqueue(session, NOTIFY_JOB, key=(await session.execute(waits)).scalar_one())


@subscribe(StockChanged)
async def enqueue_new_stock(session: AsyncSession, event: StockChanged) -> None:
    """Enqueue the notification job of each variant that has new units and waiting addresses."""
    more = [variant_id for variant_id, units in event.units.items() if units > 0]
    if not more:
        return
    for variant_id in (await session.execute(_AMONG, {"variant_ids": more})).scalars().all():
        await enqueue(session, NOTIFY_JOB, key=variant_id)


@subscribe(ProductsEdited)
async def enqueue_edited_products(session: AsyncSession, event: ProductsEdited) -> None:
    """Enqueue the notification job of each variant of the edited products that has waiting notices.

    The edit may have made a product visible again; the job checks it.
    """
    waited_for = await session.execute(_OF_PRODUCTS, {"product_ids": event.product_ids})
    for variant_id in waited_for.scalars().all():
        await enqueue(session, NOTIFY_JOB, key=variant_id)


class StockNotices:
    """Job handler of stock notices."""

    def __init__(self, database: Database) -> None:
        self._database = database

    @job(NOTIFY_JOB, give_up_after=timedelta(days=3))
    async def notify(self, run: JobRun) -> RunAgain | None:
        """If units of the variant can be bought again, publish an event for each waiting notice, batch by batch."""
        variant_id = str(run.key)
        async with self._database.transaction() as session:
            if not await is_available(session, variant_id):
                return None
            some = (
                select(StockNotice.id)
                .where(*_WAITING)
                .order_by(StockNotice.id)
                .limit(BATCH_SIZE)
                .with_for_update(skip_locked=True)
            )
            ids = (await session.execute(some, {"variant_id": variant_id})).scalars().all()
            if ids:
                told = update(StockNotice).where(StockNotice.id.in_(ids)).values(told_at=now())
                await session.execute(told)
            for notice_id in ids:
                await publish(session, BackInStock(notice_id))
        return RunAgain(timedelta(0), reset=True) if len(ids) == BATCH_SIZE else None
