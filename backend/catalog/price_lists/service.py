"""Creation of sales, changes of their period, and their end."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import datetime

from sqlalchemy import delete, insert, select
from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.orm import aliased

from backend.audit import Subject, SubjectType, record
from backend.catalog.price_lists.models import PriceList, PriceListPrice, PriceState
from backend.catalog.price_lists.price_plan import PlannedPrice, Rule, Window, overlapping_prices
from backend.core.db.database import database_now, lock_rows
from backend.core.db.tables import JsonObject, get_or_404, table_of
from backend.core.errors import InvalidData, NotAllowed
from backend.core.ids import new_id
from backend.core.texts import _
from backend.jobs import enqueue
from backend.staff.rights import Actor, Right

JOB = "catalog.sales"


async def find_sale(session: AsyncSession, list_id: str) -> PriceList:
    """Return the price list, locked. The job that starts and ends sales waits for this lock.

    Raises:
        NotFound: the list does not exist.
    """
    query = lock_rows(select(PriceList).where(PriceList.id == list_id))
    return await get_or_404(session, query, "Price list", list_id)


@dataclass(frozen=True, slots=True)
class Sale:
    """A requested sale: title, discount with its products, and period."""

    title: str
    rule: Rule
    window: Window


class NothingLowered(InvalidData):
    """A sale would lower no price."""

    staff_text = _("Ningún precio bajaría.")


async def save_sale(
    session: AsyncSession, actor: Actor, request: Sale, planned: Sequence[PlannedPrice], list_id: str = ""
) -> str:
    """Store a new sale with its planned prices, or replace one that has not started.

    Args:
        actor: the staff member who saves it.
        request: the sale.
        planned: the result of `plan_sale` for it.
        list_id: the price list to replace; empty for a new one.

    Returns:
        The id of the price list.

    Raises:
        NotFound: the list to replace does not exist.
        NotAllowed: the list to replace has started or is over.
        InvalidData: the sale would end before its start or in the past.
        NothingLowered: the plan lowers no price.
    """
    actor.require(Right.CHANGE_PROMOTIONS)
    moment = await database_now(session)
    rule, window = request.rule, request.window
    _require_future(window.starts_at, window.ends_at, moment)
    prices = [one for one in planned if one.amount is not None]
    if not prices:
        raise NothingLowered("No price would be lower")
    if list_id:
        price_list = await find_sale(session, list_id)
        if price_list.has_begun(moment) or price_list.is_over(moment):
            raise NotAllowed("What a sale costs is not changed once it has begun: end it and make another")
        action = "changed"
        await session.execute(delete(PriceListPrice).where(PriceListPrice.price_list_id == list_id))
    else:
        price_list = PriceList(title=request.title, rule={}, starts_at=window.starts_at)
        action = "created"
    audit_changes = {"products": (None, len({one.product_id for one in prices}))}
    await record(session, actor, action, Subject(SubjectType.PRICE_LIST, price_list.id), audit_changes)
    price_list.title, price_list.rule = request.title, rule_json(rule)
    price_list.starts_at, price_list.ends_at = window.starts_at, window.ends_at
    session.add(price_list)
    await session.flush()
    rows = [
        {
            "id": new_id("price"),
            "price_list_id": price_list.id,
            "product_id": one.product_id,
            "variant_id": one.variant_id,
            "amount": one.amount,
            "state": PriceState.WAITING,
            "problem": "",
        }
        for one in prices
    ]
    await session.execute(insert(table_of(PriceListPrice)), rows)
    await enqueue(session, JOB, key="")
    return price_list.id


async def set_end(session: AsyncSession, actor: Actor, list_id: str, ends_at: datetime) -> None:
    """Set the end of a sale: see `set_window`."""
    actor.require(Right.CHANGE_PROMOTIONS)
    price_list = await find_sale(session, list_id)
    await set_window(session, actor, list_id, Window(price_list.starts_at, ends_at))


async def set_window(session: AsyncSession, actor: Actor, list_id: str, window: Window) -> None:
    """Set the start and the end of a sale. Once it has started, its start must stay the same.

    Raises:
        NotFound: the sale does not exist.
        NotAllowed: the sale is over, or has started and the change would move its start.
        InvalidData: the end is before the start or in the past, or one of the sale's variants is in another
            sale at that time.
    """
    actor.require(Right.CHANGE_PROMOTIONS)
    price_list = await find_sale(session, list_id)
    moment = await database_now(session)
    if price_list.is_over(moment):
        raise NotAllowed("The sale is over")
    if window.starts_at != price_list.starts_at and price_list.has_begun(moment):
        raise NotAllowed("The sale has begun")
    _require_future(window.starts_at, window.ends_at, moment)
    own = aliased(PriceListPrice)
    others = (
        select(PriceListPrice.id)
        .join(PriceList, PriceList.id == PriceListPrice.price_list_id)
        .join(own, own.variant_id == PriceListPrice.variant_id)
        .where(own.price_list_id == list_id, *overlapping_prices(window, list_id))
    )
    if (await session.execute(others.limit(1))).first() is not None:
        raise InvalidData("Another sale of the same products is on at that time")
    await record(session, actor, "changed", Subject(SubjectType.PRICE_LIST, list_id))
    price_list.starts_at, price_list.ends_at = window.starts_at, window.ends_at
    await session.flush()
    await enqueue(session, JOB, key="")


async def end_sale(session: AsyncSession, actor: Actor, list_id: str) -> None:
    """End a sale now: the job restores the prices. A sale that has not started yet is cancelled.

    Raises:
        NotFound: the sale does not exist.
    """
    actor.require(Right.CHANGE_PROMOTIONS)
    price_list = await find_sale(session, list_id)
    moment = await database_now(session)
    if price_list.is_over(moment):
        return
    await record(session, actor, "ended", Subject(SubjectType.PRICE_LIST, list_id))
    price_list.ended_at = moment
    await session.flush()
    await enqueue(session, JOB, key="")


def rule_json(rule: Rule) -> JsonObject:
    """Return the discount rule as JSON, as a price list stores it."""
    return {**asdict(rule), "target_ids": list(rule.target_ids)}


def _require_future(starts_at: datetime, ends_at: datetime | None, moment: datetime) -> None:
    if ends_at is not None and ends_at <= max(moment, starts_at):
        raise InvalidData("A sale ends after it begins, and after now")
