"""Changing the lines of a cart: one for each variant and metadata, of no more units than can be sold.

Nothing comes from the caller but ids and numbers; the price is the catalogue's (design: decisions 8 and 9).
"""

from sqlalchemy import bindparam, func, select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.cart.access import Caller, open_cart
from backend.cart.contents import lines_of
from backend.cart.models import LineItem
from backend.cart.shipping_method import changed
from backend.catalog.gift_wrapping import can_be_bought
from backend.catalog.models import Product, Variant
from backend.core.db.tables import JsonObject, insert_row
from backend.core.errors import InsufficientStock, InvalidData, NotFound
from backend.core.texts import _
from backend.inventory.service import STOCK_GONE, available_units
from backend.inventory.statements import available

MAX_QUANTITY = 99
"""Units of one line. A larger order is a wholesale one, and is talked about."""

MAX_LINES = 60
TOO_MANY_UNITS = _("De un mismo juguete caben hasta {most} unidades. Si necesitas más, escríbenos.")
FULL = _("En tu carrito caben hasta {most} juguetes distintos. Paga estos primero, o escríbenos.")
_LINE_COUNT = (
    select(func.count()).select_from(LineItem).where(LineItem.cart_id == bindparam("holder")).correlate(None)
).scalar_subquery()
_TO_ADD = (
    select(LineItem, _LINE_COUNT, available(Variant.id))
    .select_from(Variant)
    .join(Product, Product.id == Variant.product_id)
    .outerjoin(LineItem, (LineItem.variant_id == Variant.id) & (LineItem.cart_id == bindparam("holder")))
    .where(Variant.id == bindparam("variant_id"), can_be_bought())
)
"""For a variant that is for sale: its lines in the cart `holder`, how many lines that has, and the units to be had."""


class DoesNotFit(InvalidData):
    """More than a cart takes."""


async def add_to_cart(
    session: AsyncSession,
    cart_id: str,
    variant_id: str,
    quantity: int = 1,
    meta: JsonObject | None = None,
    *,
    caller: Caller | None = None,
) -> bool:
    """Add units of a variant to the cart's line with the same metadata, or as a new line.

    Returns:
        Whether the cart was empty before.

    Raises:
        NotFound, NotAllowed, Conflict: see `open_cart`.
        InvalidData: the quantity is no positive number, too large, or the variant is not for sale.
        InsufficientStock: fewer units can be sold.
    """
    cart = await open_cart(session, cart_id, caller)
    was_empty = await put_units(session, cart_id, variant_id, quantity, meta)
    await changed(session, cart)
    return was_empty


async def put_units(
    session: AsyncSession, cart_id: str, variant_id: str, quantity: int, meta: JsonObject | None = None
) -> bool:
    """`add_to_cart`, into a cart that is locked or has just been made. It is not marked as changed."""
    if quantity < 1:
        raise InvalidData("Quantity must be at least 1", fields={"quantity": "at least 1"})
    asked = {"variant_id": variant_id, "holder": cart_id}
    rows = (await session.execute(_TO_ADD, asked)).all()
    if not rows:
        raise InvalidData(f"Variants {variant_id} do not exist or belong to a product that is not published")
    _, count, units = rows[0]
    lines: list[LineItem] = [row[0] for row in rows if row[0] is not None]
    before = sum(line.quantity for line in lines)
    same = next((line for line in lines if line.meta == (meta or {})), None)
    if same is not None:
        _require_units(before, before + quantity, int(units))
        same.quantity += quantity
    else:
        if count >= MAX_LINES:
            raise DoesNotFit(
                f"A cart holds at most {MAX_LINES} different products",
                shopper_text=FULL.format(most=MAX_LINES),
            )
        _require_units(before, before + quantity, int(units))
        line = LineItem(cart_id=cart_id, variant_id=variant_id, quantity=quantity, meta=meta or {})
        await insert_row(session, line)
    return bool(count == 0)


async def change_line(
    session: AsyncSession,
    cart_id: str,
    line_id: str,
    quantity: int,
    meta: JsonObject | None = None,
    *,
    caller: Caller | None = None,
) -> None:
    """Change how many units a line has, and with `meta` what is noted beside it; 0 removes it.

    Raises:
        NotFound: no such line in this cart, or see `open_cart`.
        NotAllowed, InvalidData, InsufficientStock: see `add_to_cart`.
    """
    cart = await open_cart(session, cart_id, caller)
    line = await session.get(LineItem, line_id)
    if line is None or line.cart_id != cart_id:
        raise NotFound(f"Line item with id: {line_id} was not found")
    if quantity < 0:
        raise InvalidData("Quantity must not be negative", fields={"quantity": "at least 0"})
    if meta is not None:
        line.meta = meta
    if quantity == 0:
        await session.delete(line)
        await drop_lone_wrapping(session, cart_id)
    else:
        units = await available_units(session, [line.variant_id], holder=cart_id)
        others = await _units_of_others(session, line)
        _require_units(others + line.quantity, others + quantity, units[line.variant_id])
        line.quantity = quantity
    await changed(session, cart)


async def drop_lone_wrapping(session: AsyncSession, cart_id: str) -> None:
    """Take the wrapping out of the (locked) cart when nothing is left to be wrapped."""
    left = await lines_of(session, cart_id)
    if all(one.is_wrapping for one in left):
        for one in left:
            await session.delete(one.item)
        await session.flush()


async def _units_of_others(session: AsyncSession, line: LineItem) -> int:
    """Return the units that other lines of the cart have of the same variant."""
    others = select(func.coalesce(func.sum(LineItem.quantity), 0)).where(
        LineItem.cart_id == line.cart_id, LineItem.variant_id == line.variant_id, LineItem.id != line.id
    )
    return int((await session.execute(others)).scalar_one())


def _require_units(before: int, quantity: int, units: int) -> None:
    """Refuse a variant's new quantity that is too large, or larger than before and than the units that can be had."""
    if quantity > MAX_QUANTITY:
        raise DoesNotFit(
            f"At most {MAX_QUANTITY} units of a product fit in a cart",
            shopper_text=TOO_MANY_UNITS.format(most=MAX_QUANTITY),
            fields={"quantity": "too many"},
        )
    if units < quantity and quantity > before:
        raise InsufficientStock(STOCK_GONE)
