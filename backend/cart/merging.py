"""Two carts of one shopper become one: the one they filled as a guest, and the one their account had already."""

from sqlalchemy.ext.asyncio import AsyncSession

from backend.cart.models import LineItem
from backend.cart.service import MAX_LINES, MAX_QUANTITY, changed, lines_of, open_cart
from backend.inventory.service import available_units


async def merge(session: AsyncSession, cart_id: str, into: str) -> None:
    """Put everything of one open cart into another. The first stays behind empty: done twice, nothing doubles.

    Units of the same variant add up, as far as there is stock for them, but never to fewer than either cart had. What
    was typed into the checkout comes along; where both have something, the first one's is the newer.

    Raises:
        NotFound, NotAllowed: see `backend.cart.service.open_cart`.
    """
    source, target = await open_cart(session, cart_id), await open_cart(session, into)
    target.draft = {**target.draft, **{name: text for name, text in source.draft.items() if text}}
    source.draft = {}
    there = {line.variant.id: line for line in await lines_of(session, into)}
    lines = await lines_of(session, cart_id)
    units = await available_units(session, [line.variant.id for line in lines], holder=into)
    for line in lines:
        same = there.get(line.variant.id)
        if same is not None:
            same.item.quantity = _together(line.item, same.item, units[line.variant.id])
            await session.delete(line.item)
        elif len(there) < MAX_LINES:
            line.item.cart_id = into
            there[line.variant.id] = line
    await session.flush()
    if lines:
        await changed(session, cart_id)
        await changed(session, into)


def _together(one: LineItem, other: LineItem, units: int) -> int:
    both = min(one.quantity + other.quantity, units)
    return min(max(one.quantity, other.quantity, both), MAX_QUANTITY)
