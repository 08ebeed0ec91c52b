"""Price lists whose prices are said one by one, as programs make them (wire: commerce-api, Admin)."""

from collections.abc import Iterable, Mapping, Sequence

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.audit import Subject, Thing, record
from backend.catalog.price_lists.models import PriceList, PriceListPrice
from backend.catalog.price_lists.price_plan import Method, Planned, Problem, Rule, Target, Window, plan_prices
from backend.catalog.price_lists.schemas import NewPrice, NewPriceList, PriceListChange, PricesChange
from backend.catalog.price_lists.service import Sale, end_sale, find_sale, rule_json, save_sale, set_window
from backend.core.db.database import database_now
from backend.core.errors import InvalidData, NotAllowed, NotFound
from backend.core.money import Cop
from backend.staff.rights import Actor, Right

BEGUN = "The prices of a list that has begun are not changed: delete it and make another"
TWICE = "The list has two prices of variant {variant}"
RULE = Rule(Method.PRICES, 0, Target.PRODUCTS)
PROBLEMS = {
    Problem.NOT_LOWER: "Variant {variant} does not cost more than that",
    Problem.OTHER_SALE: "Variant {variant} is in another price list of the same time",
}


async def create_list(session: AsyncSession, actor: Actor, new: NewPriceList) -> PriceList:
    """A new price list.

    Raises:
        NotFound: there is no such variant.
        InvalidData: it would be over already, or one of its prices cannot be.
    """
    actor.require(Right.CHANGE_PROMOTIONS)
    moment = await database_now(session)
    window = Window(max(new.starts_at or moment, moment), new.ends_at)
    amounts = _amounts(_pairs(new.prices))
    list_id = await save_sale(
        session, actor, Sale(new.title, RULE, window), await _planned(session, amounts, window)
    )
    row = await find_list(session, list_id)
    row.description = new.description or ""
    return row


async def find_list(session: AsyncSession, list_id: str) -> PriceList:
    """A price list that was not deleted, locked.

    Raises:
        NotFound: there is none.
    """
    row = await find_sale(session, list_id)
    if row.ended_at is not None:
        raise NotFound(f"Price list with id: {list_id} was not found")
    return row


async def change_list(
    session: AsyncSession, actor: Actor, list_id: str, change: PriceListChange
) -> PriceList:
    """Change what is said; what is left out stays.

    Raises:
        NotFound: there is none.
        NotAllowed: it is over; or it has begun, and would begin at another moment.
        InvalidData: it would be over already, or another list has one of its variants at that time.
    """
    actor.require(Right.CHANGE_PROMOTIONS)
    row = await find_list(session, list_id)
    said = change.model_fields_set
    window = Window(
        change.starts_at or row.starts_at if "starts_at" in said else row.starts_at,
        change.ends_at if "ends_at" in said else row.ends_at,
    )
    if window != Window(row.starts_at, row.ends_at):
        await set_window(session, actor, list_id, window)
    elif change.title or change.description is not None:
        await record(session, actor, "changed", Subject(Thing.PRICE_LIST, list_id))
    row.title = change.title or row.title
    if change.description is not None:
        row.description = change.description
    await session.flush()
    return row


async def delete_list(session: AsyncSession, actor: Actor, list_id: str) -> None:
    """End it: its prices of before come back, and programs see it no more.

    Raises:
        NotFound: there is none.
    """
    actor.require(Right.CHANGE_PROMOTIONS)
    row = await find_list(session, list_id)
    await end_sale(session, actor, list_id)
    # one that ended by itself leaves the list too
    row.ended_at = row.ended_at or await database_now(session)
    await session.flush()


async def change_prices(
    session: AsyncSession, actor: Actor, list_id: str, change: PricesChange
) -> tuple[PriceList, list[PriceListPrice], list[PriceListPrice], list[str]]:
    """Add prices, change some and take others out.

    Returns:
        The list, the prices that were added, those that were changed, and the ids of those that are gone.

    Raises:
        NotFound: there is no such list, price or variant.
        NotAllowed: it has begun.
        InvalidData: a variant would have two prices, or one that cannot be.
    """
    row, prices = await _open(session, actor, list_id)
    changes = {one.id: one for one in change.update or ()}
    gone = set(change.delete or ())
    if missing := sorted((changes.keys() | gone) - {price.id for price in prices}):
        raise NotFound(f"Price with id: {missing[0]} was not found")
    kept = [price for price in prices if price.id not in gone]
    changed = [price for price in kept if price.id in changes]
    for price in changed:
        if changes[price.id].variant_id not in (None, price.variant_id):
            raise InvalidData(f"Price {price.id} is of another variant")
    new = change.create or ()
    moved = {price.id: changes[price.id].amount or price.amount for price in changed}
    remaining = [(price.variant_id, moved.get(price.id, price.amount)) for price in kept]
    amounts = _amounts([*remaining, *_pairs(new)])
    touched = {one.variant_id: amounts[one.variant_id] for one in (*changed, *new)}
    window = Window(row.starts_at, row.ends_at)
    products = {one.variant_id: one.product_id for one in await _planned(session, touched, window, list_id)}
    for price in prices:
        if price.id in gone:
            await session.delete(price)
        price.amount = moved.get(price.id, price.amount)
    await session.flush()  # a variant that is taken out may come in again
    added = [
        PriceListPrice(
            price_list_id=list_id,
            product_id=products[one.variant_id],
            variant_id=one.variant_id,
            amount=one.amount,
        )
        for one in new
    ]
    session.add_all(added)
    await _said_by_itself(session, actor, row)
    return row, added, changed, sorted(gone)


async def remove_products(
    session: AsyncSession, actor: Actor, list_id: str, product_ids: Sequence[str]
) -> PriceList:
    """Take the prices of these products out of the list.

    Raises:
        NotFound: there is none.
        NotAllowed: it has begun.
    """
    row, prices = await _open(session, actor, list_id)
    for price in prices:
        if price.product_id in product_ids:
            await session.delete(price)
    await _said_by_itself(session, actor, row)
    return row


async def _open(
    session: AsyncSession, actor: Actor, list_id: str
) -> tuple[PriceList, Sequence[PriceListPrice]]:
    """A list that has not begun, locked, and its prices."""
    actor.require(Right.CHANGE_PROMOTIONS)
    row = await find_list(session, list_id)
    if row.has_begun(await database_now(session)):
        raise NotAllowed(BEGUN)
    query = select(PriceListPrice).where(PriceListPrice.price_list_id == list_id)
    return row, (await session.execute(query.order_by(PriceListPrice.id))).scalars().all()


async def _said_by_itself(session: AsyncSession, actor: Actor, row: PriceList) -> None:
    """Note the change; the rule that the office made the list of says its prices no more."""
    await record(session, actor, "changed", Subject(Thing.PRICE_LIST, row.id))
    row.rule = rule_json(RULE)
    await session.flush()


async def _planned(
    session: AsyncSession, amounts: Mapping[str, Cop], window: Window, list_id: str = ""
) -> list[Planned]:
    planned = await plan_prices(session, amounts, window, list_id)
    if missing := sorted(amounts.keys() - {one.variant_id for one in planned}):
        raise NotFound(f"Variant with id: {missing[0]} was not found")
    for one in planned:
        if one.problem is not None:
            raise InvalidData(PROBLEMS[one.problem].format(variant=one.variant_id))
    return planned


def _pairs(prices: Iterable[NewPrice]) -> Iterable[tuple[str, Cop]]:
    return ((one.variant_id, one.amount) for one in prices)


def _amounts(prices: Iterable[tuple[str, Cop]]) -> dict[str, Cop]:
    amounts: dict[str, Cop] = {}
    for variant_id, amount in prices:
        if variant_id in amounts:
            raise InvalidData(TWICE.format(variant=variant_id))
        amounts[variant_id] = amount
    return amounts
