"""Price lists with a price given for each variant, as API clients create them (wire: commerce-api, Admin)."""

from collections.abc import Iterable, Mapping, Sequence

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.audit import Subject, SubjectType, record
from backend.catalog.price_lists.models import PriceList, PriceListPrice
from backend.catalog.price_lists.price_plan import (
    Method,
    PlannedPrice,
    Problem,
    Rule,
    Target,
    Window,
    plan_fixed_prices,
)
from backend.catalog.price_lists.schemas import NewPrice, NewPriceList, PriceListChange, PricesChange
from backend.catalog.price_lists.service import Sale, end_sale, find_sale, rule_json, save_sale, set_window
from backend.core.db.database import database_now
from backend.core.errors import InvalidData, NotAllowed, NotFound
from backend.core.money import Cop
from backend.staff.rights import Actor, Right

ALREADY_STARTED = "The prices of a list that has begun are not changed: delete it and make another"
DUPLICATE_PRICE = "The list has two prices of variant {variant}"
FIXED_PRICES_RULE = Rule(Method.PRICES, 0, Target.PRODUCTS)
PROBLEMS = {
    Problem.NOT_LOWER: "Variant {variant} does not cost more than that",
    Problem.OTHER_SALE: "Variant {variant} is in another price list of the same time",
}


async def create_list(session: AsyncSession, actor: Actor, new: NewPriceList) -> PriceList:
    """Create a price list.

    Raises:
        NotFound: a variant does not exist.
        InvalidData: the list would end before its start or in the past, or one of its prices is invalid.
    """
    actor.require(Right.CHANGE_PROMOTIONS)
    moment = await database_now(session)
    window = Window(max(new.starts_at or moment, moment), new.ends_at)
    amounts = _amounts_by_variant(_variant_amounts(new.prices))
    list_id = await save_sale(
        session,
        actor,
        Sale(new.title, FIXED_PRICES_RULE, window),
        await _plan_valid_prices(session, amounts, window),
    )
    row = await find_list(session, list_id)
    row.description = new.description or ""
    return row


async def find_list(session: AsyncSession, list_id: str) -> PriceList:
    """Lock and return a price list, unless it was deleted or ended early.

    Raises:
        NotFound: the list does not exist, or was deleted or ended early.
    """
    row = await find_sale(session, list_id)
    if row.ended_at is not None:
        raise NotFound(f"Price list with id: {list_id} was not found")
    return row


async def change_list(
    session: AsyncSession, actor: Actor, list_id: str, change: PriceListChange
) -> PriceList:
    """Change the given fields of a price list.

    Raises:
        NotFound: the list does not exist.
        NotAllowed: the list is over, or has started and the change would move its start.
        InvalidData: the list would end before its start or in the past, or a variant of the list is in
            another list at that time.
    """
    actor.require(Right.CHANGE_PROMOTIONS)
    row = await find_list(session, list_id)
    given = change.model_fields_set
    window = Window(
        change.starts_at or row.starts_at if "starts_at" in given else row.starts_at,
        change.ends_at if "ends_at" in given else row.ends_at,
    )
    if window != Window(row.starts_at, row.ends_at):
        await set_window(session, actor, list_id, window)
    elif change.title or change.description is not None:
        await record(session, actor, "changed", Subject(SubjectType.PRICE_LIST, list_id))
    row.title = change.title or row.title
    if change.description is not None:
        row.description = change.description
    await session.flush()
    return row


async def delete_list(session: AsyncSession, actor: Actor, list_id: str) -> None:
    """End the list, so that the variants' previous prices are restored, and hide it from API clients.

    Raises:
        NotFound: the list does not exist.
    """
    actor.require(Right.CHANGE_PROMOTIONS)
    row = await find_list(session, list_id)
    await end_sale(session, actor, list_id)
    # a list whose end has passed is hidden too
    row.ended_at = row.ended_at or await database_now(session)
    await session.flush()


async def change_prices(
    session: AsyncSession, actor: Actor, list_id: str, change: PricesChange
) -> tuple[PriceList, list[PriceListPrice], list[PriceListPrice], list[str]]:
    """Add, change and remove prices of a list that has not started.

    Returns:
        The list, the added prices, the changed prices, and the ids of the removed prices.

    Raises:
        NotFound: the list, a price or a variant does not exist.
        NotAllowed: the list has started.
        InvalidData: a variant would have two prices, or a price is invalid.
    """
    row, prices = await _find_not_started(session, actor, list_id)
    changes = {one.id: one for one in change.update or ()}
    removed_ids = set(change.delete or ())
    if missing := sorted((changes.keys() | removed_ids) - {price.id for price in prices}):
        raise NotFound(f"Price with id: {missing[0]} was not found")
    remaining_prices = [price for price in prices if price.id not in removed_ids]
    changed = [price for price in remaining_prices if price.id in changes]
    for price in changed:
        if changes[price.id].variant_id not in (None, price.variant_id):
            raise InvalidData(f"Price {price.id} is of another variant")
    new = change.create or ()
    new_amounts = {price.id: changes[price.id].amount or price.amount for price in changed}
    remaining = [(price.variant_id, new_amounts.get(price.id, price.amount)) for price in remaining_prices]
    amounts = _amounts_by_variant([*remaining, *_variant_amounts(new)])
    touched = {one.variant_id: amounts[one.variant_id] for one in (*changed, *new)}
    window = Window(row.starts_at, row.ends_at)
    products = {
        one.variant_id: one.product_id for one in await _plan_valid_prices(session, touched, window, list_id)
    }
    for price in prices:
        if price.id in removed_ids:
            await session.delete(price)
        price.amount = new_amounts.get(price.id, price.amount)
    await session.flush()  # a variant may be removed and added in one request
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
    await _record_fixed_prices(session, actor, row)
    return row, added, changed, sorted(removed_ids)


async def remove_products(
    session: AsyncSession, actor: Actor, list_id: str, product_ids: Sequence[str]
) -> PriceList:
    """Remove the prices of these products from the list.

    Raises:
        NotFound: the list does not exist.
        NotAllowed: the list has started.
    """
    row, prices = await _find_not_started(session, actor, list_id)
    for price in prices:
        if price.product_id in product_ids:
            await session.delete(price)
    await _record_fixed_prices(session, actor, row)
    return row


async def _find_not_started(
    session: AsyncSession, actor: Actor, list_id: str
) -> tuple[PriceList, Sequence[PriceListPrice]]:
    """Lock and return a list that has not started, with its prices.

    Raises:
        NotFound: see `find_list`.
        NotAllowed: the list has started.
    """
    actor.require(Right.CHANGE_PROMOTIONS)
    row = await find_list(session, list_id)
    if row.has_begun(await database_now(session)):
        raise NotAllowed(ALREADY_STARTED)
    query = select(PriceListPrice).where(PriceListPrice.price_list_id == list_id)
    return row, (await session.execute(query.order_by(PriceListPrice.id))).scalars().all()


async def _record_fixed_prices(session: AsyncSession, actor: Actor, row: PriceList) -> None:
    """Record the change in the audit. Set `FIXED_PRICES_RULE`, because no discount gives these prices."""
    await record(session, actor, "changed", Subject(SubjectType.PRICE_LIST, row.id))
    row.rule = rule_json(FIXED_PRICES_RULE)
    await session.flush()


async def _plan_valid_prices(
    session: AsyncSession, amounts: Mapping[str, Cop], window: Window, list_id: str = ""
) -> list[PlannedPrice]:
    planned = await plan_fixed_prices(session, amounts, window, list_id)
    if missing := sorted(amounts.keys() - {one.variant_id for one in planned}):
        raise NotFound(f"Variant with id: {missing[0]} was not found")
    for one in planned:
        if one.problem is not None:
            raise InvalidData(PROBLEMS[one.problem].format(variant=one.variant_id))
    return planned


def _variant_amounts(prices: Iterable[NewPrice]) -> Iterable[tuple[str, Cop]]:
    return ((one.variant_id, one.amount) for one in prices)


def _amounts_by_variant(prices: Iterable[tuple[str, Cop]]) -> dict[str, Cop]:
    amounts: dict[str, Cop] = {}
    for variant_id, amount in prices:
        if variant_id in amounts:
            raise InvalidData(DUPLICATE_PRICE.format(variant=variant_id))
        amounts[variant_id] = amount
    return amounts
