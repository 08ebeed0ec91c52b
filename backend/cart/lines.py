"""Change the lines of a cart. Each line is for one variant with one set of metadata.

Only units that can be sold are added. The caller sends only ids and numbers; the price comes from the catalogue
(design: decisions 8 and 9).
"""

from sqlalchemy import bindparam, func, select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.cart.access import Caller, open_cart
from backend.cart.contents import read_lines
from backend.cart.models import LineItem
from backend.cart.shipping_method import mark_cart_changed
from backend.catalog.gift_wrapping import can_be_bought
from backend.catalog.models import Product, Variant
from backend.core.db.tables import JsonObject, insert_row
from backend.core.errors import InsufficientStock, InvalidData, NotFound
from backend.core.texts import _
from backend.inventory.service import STOCK_GONE, read_available_units
from backend.inventory.statements import available_units_query

MAX_QUANTITY = 99
"""Units of one product in a cart. Larger orders are wholesale, and are arranged with the shop."""

MAX_LINES = 60
TOO_MANY_UNITS = _("De un mismo producto caben hasta {most} unidades. Si necesitas más, escríbenos.")
TOO_MANY_LINES = _("En tu carrito caben hasta {most} productos distintos. Paga estos primero, o escríbenos.")
_LINE_COUNT = (
    select(func.count()).select_from(LineItem).where(LineItem.cart_id == bindparam("holder")).correlate(None)
).scalar_subquery()
_ADDABLE_VARIANT = (
    select(LineItem, _LINE_COUNT, available_units_query(Variant.id))
    .select_from(Variant)
    .join(Product, Product.id == Variant.product_id)
    .outerjoin(LineItem, (LineItem.variant_id == Variant.id) & (LineItem.cart_id == bindparam("holder")))
    .where(Variant.id == bindparam("variant_id"), can_be_bought())
)
"""Query for a variant on sale: its lines in a cart (parameter `holder`), the cart's line count, and available units."""


class CartFull(InvalidData):
    """The cart would have more lines or units than allowed."""


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
        True if the cart was empty before.

    Raises:
        NotFound, NotAllowed, Conflict: see `open_cart`.
        InvalidData: the quantity is not positive, or the variant is not for sale.
        CartFull: the cart would have too many lines, or too many units of the variant.
        InsufficientStock: fewer units can be sold.
    """
    cart = await open_cart(session, cart_id, caller)
    was_empty = await add_units(session, cart_id, variant_id, quantity, meta)
    await mark_cart_changed(session, cart)
    return was_empty


async def add_units(
    session: AsyncSession, cart_id: str, variant_id: str, quantity: int, meta: JsonObject | None = None
) -> bool:
    """Add units to a cart that is locked or new, like `add_to_cart`, but don't mark the cart as changed."""
    if quantity < 1:
        raise InvalidData("Quantity must be at least 1", fields={"quantity": "at least 1"})
    params = {"variant_id": variant_id, "holder": cart_id}
    rows = (await session.execute(_ADDABLE_VARIANT, params)).all()
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
            raise CartFull(
                f"A cart holds at most {MAX_LINES} different products",
                shopper_text=TOO_MANY_LINES.format(most=MAX_LINES),
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
    """Set the quantity of a line, and its metadata if `meta` is given. A quantity of 0 removes the line.

    Raises:
        NotFound: the cart has no such line, or as in `open_cart`.
        InvalidData: the quantity is negative.
        NotAllowed, Conflict, CartFull, InsufficientStock: see `add_to_cart`.
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
        units = await read_available_units(session, [line.variant_id], holder=cart_id)
        others = await _count_other_units(session, line)
        _require_units(others + line.quantity, others + quantity, units[line.variant_id])
        line.quantity = quantity
    await mark_cart_changed(session, cart)


async def drop_lone_wrapping(session: AsyncSession, cart_id: str) -> None:
    """Remove the gift wrapping from the (locked) cart if it has no other lines."""
    lines = await read_lines(session, cart_id)
    if all(one.is_wrapping for one in lines):
        for one in lines:
            await session.delete(one.item)
        await session.flush()


async def _count_other_units(session: AsyncSession, line: LineItem) -> int:
    """Return the units of the same variant in other lines of the cart."""
    others = select(func.coalesce(func.sum(LineItem.quantity), 0)).where(
        LineItem.cart_id == line.cart_id, LineItem.variant_id == line.variant_id, LineItem.id != line.id
    )
    return int((await session.execute(others)).scalar_one())


def _require_units(before: int, quantity: int, units: int) -> None:
    """Check that a variant's new quantity is at most `MAX_QUANTITY` and, if it increases, available.

    `before` and `quantity` are units in all lines of the cart; `units` is the number of available units.

    Raises:
        CartFull: the quantity exceeds `MAX_QUANTITY`.
        InsufficientStock: fewer units are available.
    """
    if quantity > MAX_QUANTITY:
        raise CartFull(
            f"At most {MAX_QUANTITY} units of a product fit in a cart",
            shopper_text=TOO_MANY_UNITS.format(most=MAX_QUANTITY),
            fields={"quantity": "too many"},
        )
    if units < quantity and quantity > before:
        raise InsufficientStock(STOCK_GONE)
