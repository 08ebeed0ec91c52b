"""Telling once, and only whoever said yes twice, that a sold-out toy is back.

An address is typed with consent, and its owner confirms it by the link of a first mail. When units can be bought again,
each confirmed address has one mail noted in one transaction, by whichever replica is first. The mail is written later:
when the units are gone by then, nothing is sent and the address waits for the next ones.
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
from backend.core.db.tables import get_or_404, insert_into, table_of, values_of
from backend.core.errors import require_found
from backend.core.events import publish, subscribe
from backend.core.texts import _
from backend.core.web.contact import AccountEmail, invalid, read_form
from backend.core.web.signing import SignedLink
from backend.inventory.events import StockChanged
from backend.inventory.service import available_units
from backend.jobs import JobRun, RunAgain, enqueue, job
from backend.rate_limit import limiter
from backend.rate_limit.limiter import Client, RateLimit, SubjectExhausted
from backend.stock_notices.events import BackInStock, NoticeAsked
from backend.stock_notices.models import StockNotice

TELL = "stock_notices.tell"
"""The job that has everybody told who waits for a variant, which is its key."""
ASKS = RateLimit("stock notice", per_pair=5, per_client=30, per_subject=10, per_day=20)
"""A subject is the address that mails would go to."""
AT_ONCE = 200
NOTICE_LINK = SignedLink(salt="stock notice", noun="Notice")
"""Confirms or ends a notice. Only mails to its address hold it."""

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
_TOY = (
    select(Product.title, Product.handle, Variant.title)
    .join(Variant, Variant.product_id == Product.id)
    .where(Variant.id == bindparam("variant_id"), for_sale())
)


_NOTICE = table_of(StockNotice).c
_NEW = insert_into(table_of(StockNotice))
_ASK = _NEW.on_conflict_do_update(
    index_elements=["variant_id", "email"],
    set_={
        "created_at": _NEW.excluded.created_at,
        "updated_at": _NEW.excluded.updated_at,
        "confirmed_at": case((_NOTICE.told_at.is_(None), _NOTICE.confirmed_at)),
        "told_at": None,
    },
).returning(_NOTICE.id)
"""A notice whose mail was enqueued before has to be confirmed again."""


def _require_consent(value: bool) -> bool:
    if not value:
        raise invalid(_("Marca la casilla para que podamos escribirte."))
    return value


class NoticeRequest(BaseModel):
    """Who is to be told. The box was ticked by hand: it comes unticked."""

    model_config = ConfigDict(frozen=True, extra="ignore", validate_default=True)

    email: AccountEmail = ""
    consent: Annotated[
        bool, BeforeValidator(lambda value: value in (True, "on")), AfterValidator(_require_consent)
    ] = False


async def ask_notice(database: Database, variant_id: str, typed: dict[str, Any], *, client: Client) -> str:
    """Ask the owner of an address whether to be told when this variant is back.

    Returns:
        The handle of its product.

    Raises:
        NotFound: it is not for sale.
        InvalidData: `email` is no address, or there is no `consent` (`fields`).
        TooManyRequests: this client has asked too often lately. Of strangers' tries together nobody learns.
    """
    wanted = read_form(NoticeRequest, typed)
    async with database.read() as session:
        handle = (await toy_of(session, variant_id))[1]
    try:
        await limiter.hit(database, ASKS, wanted.email, client)
    except SubjectExhausted:
        return handle
    async with database.transaction() as session:
        row = values_of(StockNotice(variant_id=variant_id, email=wanted.email))
        notice_id = (await session.execute(_ASK, row)).scalar_one()
        await publish(session, NoticeAsked(notice_id))
    return handle


async def toy_of(session: AsyncSession, variant_id: str) -> tuple[str, str]:
    """The name of a variant, and the handle of its product.

    Raises:
        NotFound: it is not for sale.
    """
    row = require_found(
        (await session.execute(_TOY, {"variant_id": variant_id})).first(), "Variant", variant_id
    )
    title, handle, variant = row
    name = variant_name(variant)
    return (f"{title} ({name})" if name else title), handle


async def confirm_notice(database: Database, signing_key: str, notice_id: str, token: str) -> None:
    """The owner of the address wants it. Done twice, it is done once; what is back already is told at once.

    Raises:
        NotFound: there is no such notice any more, or the token is not its.
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
        await enqueue(session, TELL, key=variant_id)


async def forget_notice(database: Database, signing_key: str, notice_id: str, token: str) -> None:
    """Its address is deleted, and hears no more of it. Nothing happens where it is gone already.

    Raises:
        NotFound: the token is not its.
    """
    NOTICE_LINK.require(signing_key, notice_id, token)
    async with database.transaction() as session:
        await session.execute(delete(StockNotice).where(StockNotice.id == notice_id))


async def is_back(session: AsyncSession, variant_id: str) -> bool:
    """Whether the variant is for sale and a unit of it can be bought."""
    is_sold = select(
        exists().where(Variant.id == variant_id, Product.id == Variant.product_id, for_sale(), has_price())
    )
    if not (await session.execute(is_sold)).scalar_one():
        return False
    return (await available_units(session, [variant_id]))[variant_id] > 0


async def wait_again(session: AsyncSession, notice_id: str) -> None:
    """The units were gone before the mail was written: it is told of the next ones, and of any that came meanwhile."""
    waits = (
        update(StockNotice)
        .where(StockNotice.id == notice_id)
        .values(told_at=None)
        .returning(StockNotice.variant_id)
    )
    await enqueue(session, TELL, key=(await session.execute(waits)).scalar_one())


@subscribe(StockChanged)
async def stock_came(session: AsyncSession, event: StockChanged) -> None:
    """Have everybody told who waits for what came."""
    more = [variant_id for variant_id, units in event.units.items() if units > 0]
    if not more:
        return
    for variant_id in (await session.execute(_AMONG, {"variant_ids": more})).scalars().all():
        await enqueue(session, TELL, key=variant_id)


@subscribe(ProductsEdited)
async def products_edited(session: AsyncSession, event: ProductsEdited) -> None:
    """Have everybody told who waits for what came while it was hidden; the job looks whether it still is."""
    waited_for = await session.execute(_OF_PRODUCTS, {"product_ids": event.product_ids})
    for variant_id in waited_for.scalars().all():
        await enqueue(session, TELL, key=variant_id)


class StockNotices:
    """The job that tells."""

    def __init__(self, database: Database) -> None:
        self._database = database

    @job(TELL, give_up_after=timedelta(days=3))
    async def tell(self, run: JobRun) -> RunAgain | None:
        """Note one mail for each address that waits for the variant, if it is back."""
        variant_id = str(run.key)
        async with self._database.transaction() as session:
            if not await is_back(session, variant_id):
                return None
            some = (
                select(StockNotice.id)
                .where(*_WAITING)
                .order_by(StockNotice.id)
                .limit(AT_ONCE)
                .with_for_update(skip_locked=True)
            )
            ids = (await session.execute(some, {"variant_id": variant_id})).scalars().all()
            if ids:
                told = update(StockNotice).where(StockNotice.id.in_(ids)).values(told_at=now())
                await session.execute(told)
            for notice_id in ids:
                await publish(session, BackInStock(notice_id))
        return RunAgain(timedelta(0), reset=True) if len(ids) == AT_ONCE else None
