"""Carts: reading them, changing their lines, and linking those that belong to one purchase.

Prices are those of today; nothing comes from the caller but ids and numbers (design: decisions 8 and 9).
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from sqlalchemy import bindparam, delete, or_, select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.cart.models import Cart, CartShippingMethod, LineItem
from backend.catalog.models import Product, Region, SalesChannel, Variant, for_sale
from backend.clock import now
from backend.database import locked
from backend.errors import Conflict, InsufficientStock, InvalidData, NotAllowed, NotFound
from backend.events import publish
from backend.inventory.service import STOCK_GONE, available_units
from backend.money import Cop
from backend.pricing import STANDARD_RATE, Adjustment, CartTotals, PricedLine, ShippingCharge, price_cart
from backend.tables import JsonObject, table_of


@dataclass(frozen=True, slots=True)
class CartChanged:
    """Event: the lines or the address of a cart changed, so its quotes and started payments are no longer valid."""

    cart_id: str


MAX_QUANTITY = 99
"""Units of one line. A larger order is a wholesale one, and is talked about."""


MAX_LINES = 60


COMPLETED = "Cart {cart_id} is already completed."


UNKNOWN = "Cart id not found: {cart_id}"


NOT_FOUND = "Cart with id '{cart_id}' not found"


AT_THE_BANK = (
    "A payment of this cart is at the bank: the cart cannot be changed. Wait for it, or give it up: start another "
    "payment session with `data.replace`: true"
)


MAX_DRAFT_FIELDS = 40


MAX_DRAFT_TEXT = 400


# used by every step of a purchase; a statement takes longer to build than to run, so these are built once
_CART = select(Cart).where(Cart.id == bindparam("cart_id"))


_LOCKED_CART = locked(_CART)


_ITEMS = select(LineItem).where(LineItem.cart_id == bindparam("cart_id"))


_LINES = (
    select(LineItem, Variant, Product)
    .join(Variant, Variant.id == LineItem.variant_id)
    .outerjoin(Product, (Product.id == Variant.product_id) & for_sale())
    .where(LineItem.cart_id == bindparam("cart_id"))
    .order_by(LineItem.id)
)


_LINES_AND_SHIPPING = _LINES.add_columns(CartShippingMethod).outerjoin(
    CartShippingMethod, CartShippingMethod.cart_id == LineItem.cart_id
)


_SOLD_VARIANT = (
    select(Variant.id)
    .join(Product, Product.id == Variant.product_id)
    .where(Variant.id == bindparam("variant_id"), for_sale())
)


_SHIPPING = select(CartShippingMethod).where(CartShippingMethod.cart_id == bindparam("cart_id"))


_VOID_SHIPPING = delete(table_of(CartShippingMethod)).where(
    CartShippingMethod.cart_id == bindparam("cart_id")
)


@dataclass(frozen=True, slots=True)
class Line:
    """A line with what its variant costs and is now. `product` is None when it is no longer for sale."""

    item: LineItem
    variant: Variant
    product: Product | None

    @property
    def priced(self) -> PricedLine:
        """The line at today's price."""
        rate = self.product.tax_rate if self.product else STANDARD_RATE
        return PricedLine(self.item.id, self.item.quantity, self.variant.price, rate)


async def create(
    session: AsyncSession, *, region_id: str | None = None, sales_channel_id: str | None = None
) -> str:
    """A new, empty cart, in the first region and sales channel unless others are given.

    Returns:
        Its id.
    """
    cart = Cart(
        region_id=region_id
        or (await session.execute(select(Region.id).order_by(Region.id).limit(1))).scalar_one(),
        sales_channel_id=sales_channel_id
        or (await session.execute(select(SalesChannel.id).order_by(SalesChannel.id).limit(1))).scalar_one(),
    )
    session.add(cart)
    await session.flush()
    return cart.id


async def find_cart(session: AsyncSession, cart_id: str, *, lock: bool = False) -> Cart | None:
    """The cart, completed or not; None when no cart has this id."""
    asked = _LOCKED_CART if lock else _CART
    return (await session.execute(asked, {"cart_id": cart_id})).scalar_one_or_none()


async def open_cart(session: AsyncSession, cart_id: str) -> Cart:
    """The cart, locked, for a change.

    Raises:
        NotFound: no cart has this id.
        NotAllowed: it has become an order already.
        Conflict: a payment of it is at the bank.
    """
    cart = await unordered_cart(session, cart_id)
    if cart.payment_session_id is not None:
        raise Conflict(AT_THE_BANK)
    return cart


async def unordered_cart(session: AsyncSession, cart_id: str) -> Cart:
    """The cart, locked; whether a payment of it is at the bank or not.

    Raises:
        NotFound: no cart has this id.
        NotAllowed: it has become an order already.
    """
    cart = await find_cart(session, cart_id, lock=True)
    if cart is None:
        raise NotFound(UNKNOWN.format(cart_id=cart_id))
    if cart.completed_at is not None:
        raise NotAllowed(COMPLETED.format(cart_id=cart_id))
    return cart


async def read_cart(session: AsyncSession, cart_id: str) -> Cart:
    """The cart as it is, completed or not.

    Raises:
        NotFound: no cart has this id.
    """
    cart = await find_cart(session, cart_id)
    if cart is None:
        raise NotFound(NOT_FOUND.format(cart_id=cart_id))
    return cart


async def require_access(
    session: AsyncSession, cart_id: str, customer_id: str | None, *, message: str = UNKNOWN
) -> None:
    """Check that whoever is signed in as this customer (None: nobody) may use the cart.

    A guest's cart is open to whoever knows its id, a customer's to that customer only.

    Raises:
        NotFound: it is another customer's, or no cart has this id. Both get the same `message`.
    """
    cart = await find_cart(session, cart_id)
    if cart is None or cart.customer_id not in (None, customer_id):
        raise NotFound(message.format(cart_id=cart_id))


async def lines_of(session: AsyncSession, cart_id: str) -> list[Line]:
    """The cart's lines, oldest first, at today's prices."""
    rows = await session.execute(_LINES, {"cart_id": cart_id})
    return [Line(item, variant, product) for item, variant, product in rows]


async def lines_and_shipping(
    session: AsyncSession, cart_id: str
) -> tuple[list[Line], CartShippingMethod | None]:
    """The cart's lines as `lines_of` gives them, and the shipping chosen for them; none for an empty cart."""
    rows = (await session.execute(_LINES_AND_SHIPPING, {"cart_id": cart_id})).all()
    lines = [Line(item, variant, product) for item, variant, product, _ in rows]
    return lines, rows[0][3] if rows else None


async def read_discounts(
    session: AsyncSession,  # noqa: ARG001 (a discount will need it; likewise the others)
    cart_id: str,  # noqa: ARG001
    lines: Sequence[PricedLine],  # noqa: ARG001
) -> list[Adjustment]:
    """The discounts of a cart with these lines, as adjustments in the order in which they apply.

    The shop has none. A kind of discount is a table that is read here: page, API, payment and order follow.
    """
    return []


async def read_totals(
    session: AsyncSession, cart_id: str, lines: Sequence[Line], method: CartShippingMethod | None
) -> CartTotals:
    """What the cart costs today. What is no longer for sale counts for nothing."""
    sold = [line.priced for line in lines if line.product]
    discounts = await read_discounts(session, cart_id, sold)
    return price_cart(sold, ShippingCharge(method.amount) if method else None, discounts)


async def shipping_method(session: AsyncSession, cart_id: str) -> CartShippingMethod | None:
    """The shipping option chosen for the cart, at the amount last quoted; None while none is."""
    return (await session.execute(_SHIPPING, {"cart_id": cart_id})).scalar_one_or_none()


async def add(
    session: AsyncSession, cart_id: str, variant_id: str, quantity: int = 1, meta: JsonObject | None = None
) -> None:
    """Put units of a variant into the cart, on top of those that are there.

    Raises:
        NotFound, NotAllowed, Conflict: see `open_cart`.
        InvalidData: the quantity is no positive number, too large, or the variant is not for sale.
        InsufficientStock: fewer units can be sold.
    """
    await open_cart(session, cart_id)
    if quantity < 1:
        raise InvalidData("Quantity must be at least 1", fields={"quantity": "at least 1"})
    if not (await session.execute(_SOLD_VARIANT, {"variant_id": variant_id})).first():
        raise InvalidData(f"Variants {variant_id} do not exist or belong to a product that is not published")
    items = (await session.execute(_ITEMS, {"cart_id": cart_id})).scalars().all()
    line = next((item for item in items if item.variant_id == variant_id), None)
    if line is None:
        if len(items) >= MAX_LINES:
            raise InvalidData(f"A cart holds at most {MAX_LINES} different products")
        line = LineItem(cart_id=cart_id, variant_id=variant_id, quantity=0, meta=meta or {})
    await _set(session, line, line.quantity + quantity)


async def set_quantity(
    session: AsyncSession, cart_id: str, line_id: str, quantity: int, meta: JsonObject | None = None
) -> None:
    """Change how many units a line has, and with `meta` what is noted beside it; 0 removes it.

    Raises:
        NotFound: no such line in this cart, or see `open_cart`.
        NotAllowed, InvalidData, InsufficientStock: see `add`.
    """
    await open_cart(session, cart_id)
    line = await _line(session, cart_id, line_id)
    if quantity < 0:
        raise InvalidData("Quantity must not be negative", fields={"quantity": "at least 0"})
    if meta is not None:
        line.meta = meta
    if quantity == 0:
        await session.delete(line)
        await changed(session, cart_id)
    else:
        await _set(session, line, quantity)


async def remove(session: AsyncSession, cart_id: str, line_id: str) -> None:
    """Take a line out of the cart.

    Raises:
        NotFound, NotAllowed: see `set_quantity`.
    """
    await set_quantity(session, cart_id, line_id, 0)


async def _line(session: AsyncSession, cart_id: str, line_id: str) -> LineItem:
    line = await session.get(LineItem, line_id)
    if line is None or line.cart_id != cart_id:
        raise NotFound(f"Line item with id: {line_id} was not found")
    return line


async def _set(session: AsyncSession, line: LineItem, quantity: int) -> None:
    if quantity > MAX_QUANTITY:
        raise InvalidData(
            f"At most {MAX_QUANTITY} units of a product fit in a cart", fields={"quantity": "too many"}
        )
    units = await available_units(session, [line.variant_id], holder=line.cart_id)
    if units[line.variant_id] < quantity and quantity > line.quantity:
        raise InsufficientStock(STOCK_GONE)
    line.quantity = quantity
    session.add(line)
    await changed(session, line.cart_id)


async def changed(session: AsyncSession, cart_id: str) -> None:
    """Call this after changing lines or address: removes the shipping method and publishes `CartChanged`."""
    cart = await session.get_one(Cart, cart_id)
    cart.updated_at = now()
    await session.flush()
    await session.execute(_VOID_SHIPPING, {"cart_id": cart_id})
    await publish(session, CartChanged(cart_id))


async def set_shipping_method(
    session: AsyncSession, cart_id: str, *, option_id: str, name: str, amount: Cop, data: JsonObject
) -> None:
    """Ship the cart by this option at this amount, in place of any other."""
    await session.execute(_VOID_SHIPPING, {"cart_id": cart_id})
    session.add(
        CartShippingMethod(cart_id=cart_id, shipping_option_id=option_id, name=name, amount=amount, data=data)
    )
    await session.flush()


async def save_draft(session: AsyncSession, cart_id: str, typed: dict[str, str]) -> dict[str, str]:
    """Store what was typed at the checkout, valid or not, on top of what is stored already.

    Returns:
        All that is stored now.

    Raises:
        NotFound, NotAllowed: see `unordered_cart`.
        InvalidData: more or longer texts than a checkout has.
    """
    cart = await unordered_cart(session, cart_id)
    draft = {**cart.draft, **typed}
    if len(draft) > MAX_DRAFT_FIELDS or any(len(k) + len(v) > MAX_DRAFT_TEXT for k, v in draft.items()):
        raise InvalidData("Too much text")
    cart.draft = draft
    return draft


async def read_draft(session: AsyncSession, cart_id: str) -> dict[str, str]:
    """What was typed at the checkout of this cart so far.

    Raises:
        NotFound: no cart has this id, or it has become an order.
    """
    cart = await read_cart(session, cart_id)
    if cart.completed_at is not None:
        raise NotFound(NOT_FOUND.format(cart_id=cart_id))
    return {name: str(text) for name, text in cart.draft.items()}


_NEIGHBOURS = select(Cart.id, Cart.replaces_cart_id).where(
    or_(
        Cart.id.in_(bindparam("ids", expanding=True)),
        Cart.replaces_cart_id.in_(bindparam("ids", expanding=True)),
    )
)


_LOCK = locked(select(Cart).where(Cart.id.in_(bindparam("ids", expanding=True))).order_by(Cart.id))


async def chain_of(session: AsyncSession, cart_id: str) -> frozenset[str]:
    """The ids of all carts of one purchase, this one included: each was restored from another. Nothing is locked.

    A payment that was closed may still be approved. Only the whole chain tells whether the purchase was paid twice.
    """
    chain: set[str] = set()
    found = {cart_id}
    while not found <= chain:
        chain |= found
        rows = await session.execute(_NEIGHBOURS, {"ids": sorted(chain)})
        found = {known for row in rows for known in row if known is not None}
    return frozenset(chain)


async def lock_carts(session: AsyncSession, cart_ids: Collection[str]) -> Sequence[Cart]:
    """Lock the carts in the order of their ids, so that two callers do not deadlock."""
    if not cart_ids:
        return []
    return (await session.execute(_LOCK, {"ids": sorted(cart_ids)})).scalars().all()


async def join_chain(session: AsyncSession, cart: Cart, replaced_id: str) -> None:
    """Note that the cart `replaced_id` was restored to `cart`. Both must be locked; a second call changes nothing.

    If `cart` replaces another cart already, the first cart of that chain is linked to `replaced_id`.
    """
    if replaced_id in await chain_of(session, cart.id):
        return
    end = cart
    while end.replaces_cart_id is not None:
        end = await session.get_one(Cart, end.replaces_cart_id)
    end.replaces_cart_id = replaced_id
    await session.flush()
