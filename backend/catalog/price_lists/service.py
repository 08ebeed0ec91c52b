"""Sales are made, changed before they begin, made longer or shorter, and ended."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import datetime

from sqlalchemy import delete, insert, select
from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.orm import aliased

from backend.audit import Subject, Thing, record
from backend.catalog.price_lists.models import PriceList, PriceListPrice, PriceState
from backend.catalog.price_lists.price_plan import Planned, Rule, Window, overlapping
from backend.core.db.database import database_now, locked
from backend.core.db.tables import JsonObject, get_or_404, table_of
from backend.core.errors import InvalidData, NotAllowed
from backend.core.ids import new_id
from backend.core.texts import _
from backend.jobs import enqueue
from backend.staff.rights import Actor, Right

JOB = "catalog.sales"


async def find_sale(session: AsyncSession, list_id: str) -> PriceList:
    """The price list, locked: the job that begins and ends it waits.

    Raises:
        NotFound: there is none.
    """
    query = locked(select(PriceList).where(PriceList.id == list_id))
    return await get_or_404(session, query, "Price list", list_id)


@dataclass(frozen=True, slots=True)
class Sale:
    """What somebody asks for: what it is called, how much less what costs, and when."""

    title: str
    rule: Rule
    window: Window


class NothingLowered(InvalidData):
    """No price would be lower than it is."""

    staff_text = _("Ningún precio bajaría.")


async def save_sale(
    session: AsyncSession, actor: Actor, wanted: Sale, planned: Sequence[Planned], list_id: str = ""
) -> str:
    """Store a sale with the prices that were planned, or change one that has not begun.

    Args:
        actor: who makes it.
        wanted: the sale.
        planned: what `plan` said of it.
        list_id: the price list to change; empty for a new one.

    Returns:
        The id of the price list.

    Raises:
        NotFound: there is none to change.
        NotAllowed: it has begun.
        InvalidData: it would be over already.
        NothingLowered: see there.
    """
    actor.require(Right.CHANGE_PROMOTIONS)
    moment = await database_now(session)
    rule, window = wanted.rule, wanted.window
    _require_future(window.starts_at, window.ends_at, moment)
    prices = [one for one in planned if one.amount is not None]
    if not prices:
        raise NothingLowered("No price would be lower")
    if list_id:
        sale = await find_sale(session, list_id)
        if sale.has_begun(moment) or sale.is_over(moment):
            raise NotAllowed("What a sale costs is not changed once it has begun: end it and make another")
        action = "changed"
        await session.execute(delete(PriceListPrice).where(PriceListPrice.price_list_id == list_id))
    else:
        sale = PriceList(title=wanted.title, rule={}, starts_at=window.starts_at)
        action = "created"
    noted = {"products": (None, len({one.product_id for one in prices}))}
    await record(session, actor, action, Subject(Thing.PRICE_LIST, sale.id), noted)
    sale.title, sale.rule = wanted.title, rule_json(rule)
    sale.starts_at, sale.ends_at = window.starts_at, window.ends_at
    session.add(sale)
    await session.flush()
    rows = [
        {
            "id": new_id("price"),
            "price_list_id": sale.id,
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
    return sale.id


async def set_end(session: AsyncSession, actor: Actor, list_id: str, ends_at: datetime) -> None:
    """Have a sale end at another moment: see `set_window`."""
    actor.require(Right.CHANGE_PROMOTIONS)
    sale = await find_sale(session, list_id)
    await set_window(session, actor, list_id, Window(sale.starts_at, ends_at))


async def set_window(session: AsyncSession, actor: Actor, list_id: str, window: Window) -> None:
    """Have a sale end at another moment, and one that has not begun begin at another.

    Raises:
        NotFound: there is none.
        NotAllowed: it is over, or it has begun and would begin anew.
        InvalidData: the end is past, or another sale of one of its variants is on at the time.
    """
    actor.require(Right.CHANGE_PROMOTIONS)
    sale = await find_sale(session, list_id)
    moment = await database_now(session)
    if sale.is_over(moment):
        raise NotAllowed("The sale is over")
    if window.starts_at != sale.starts_at and sale.has_begun(moment):
        raise NotAllowed("The sale has begun")
    _require_future(window.starts_at, window.ends_at, moment)
    own = aliased(PriceListPrice)
    others = (
        select(PriceListPrice.id)
        .join(PriceList, PriceList.id == PriceListPrice.price_list_id)
        .join(own, own.variant_id == PriceListPrice.variant_id)
        .where(own.price_list_id == list_id, *overlapping(window, list_id))
    )
    if (await session.execute(others.limit(1))).first() is not None:
        raise InvalidData("Another sale of the same products is on at that time")
    await record(session, actor, "changed", Subject(Thing.PRICE_LIST, list_id))
    sale.starts_at, sale.ends_at = window.starts_at, window.ends_at
    await session.flush()
    await enqueue(session, JOB, key="")


async def end_sale(session: AsyncSession, actor: Actor, list_id: str) -> None:
    """End a sale now: the job puts the prices back. One that has not begun never will.

    Raises:
        NotFound: there is none.
    """
    actor.require(Right.CHANGE_PROMOTIONS)
    sale = await find_sale(session, list_id)
    moment = await database_now(session)
    if sale.is_over(moment):
        return
    await record(session, actor, "ended", Subject(Thing.PRICE_LIST, list_id))
    sale.ended_at = moment
    await session.flush()
    await enqueue(session, JOB, key="")


def rule_json(rule: Rule) -> JsonObject:
    """The rule as its price list keeps it."""
    return {**asdict(rule), "target_ids": list(rule.target_ids)}


def _require_future(starts_at: datetime, ends_at: datetime | None, moment: datetime) -> None:
    if ends_at is not None and ends_at <= max(moment, starts_at):
        raise InvalidData("A sale ends after it begins, and after now")
