"""Carts: reading them, and changing their lines.

Prices are those of today; nothing comes from the caller but ids and numbers (design: decisions 8 and 9).
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from sqlalchemy import bindparam, delete, func, select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.cart.models import Cart, CartShippingMethod, LineItem
from backend.catalog.channel_models import Region, SalesChannel
from backend.catalog.models import Collection, Product, ProductHasType, ProductType, Variant
from backend.catalog.wrapping import WRAPPING_SKU, can_be_bought
from backend.clock import now
from backend.database import locked
from backend.errors import Conflict, InsufficientStock, InvalidData, NotAllowed, NotFound
from backend.events import publish
from backend.inventory.service import STOCK_GONE, available_units
from backend.inventory.statements import available
from backend.money import Cop
from backend.pricing import STANDARD_RATE, CartTotals, PricedLine, ShippingCharge, price_cart
from backend.promotions.offers import (
    NO_DISCOUNTS,
    BoughtLine,
    Buying,
    Discounts,
    discounts_of,
    has_candidates,
)
from backend.tables import JsonObject, for_each_dialect, insert_row, table_of, values_of


@dataclass(frozen=True, slots=True)
class CartChanged:
    """Event: the lines or the address of a cart changed, so its shipping method and started payment are not valid."""

    cart_id: str


@dataclass(frozen=True, slots=True)
class Caller:
    """Who uses a cart over the Store API: this customer, or (None) a guest."""

    customer_id: str | None


MAX_QUANTITY = 99
"""Units of one line. A larger order is a wholesale one, and is talked about."""

MAX_LINES = 60
MAX_NOTED = 2048
"""Bytes of JSON that programs may note beside a line, in one call or in several."""

UNKNOWN = "Cart id not found: {cart_id}"
NOT_FOUND = "Cart with id '{cart_id}' not found"
AT_THE_BANK = (
    "A payment of this cart is at the bank: the cart cannot be changed. Wait for it, or give it up: start another "
    "payment session with `data.replace`: true"
)

# used by every step of a purchase; a statement takes longer to build than to run, so these are built once
_CART = select(Cart).where(Cart.id == bindparam("cart_id"))
_LOCKED_CART = locked(_CART)
_LOCKED_WITH_REGION = locked(
    select(Cart, Region)
    .outerjoin(Region, Region.id == Cart.region_id)
    .where(Cart.id == bindparam("cart_id")),
    of=Cart,
)
_LINES = (
    select(LineItem, Variant, Product)
    .join(Variant, Variant.id == LineItem.variant_id)
    .outerjoin(Product, (Product.id == Variant.product_id) & can_be_bought())
    .where(LineItem.cart_id == bindparam("cart_id"))
    .order_by(LineItem.id)
)
CART_AND_LINES = (
    select(Cart, LineItem, Variant, Product)
    .outerjoin(LineItem, LineItem.cart_id == Cart.id)
    .outerjoin(Variant, Variant.id == LineItem.variant_id)
    .outerjoin(Product, (Product.id == Variant.product_id) & can_be_bought())
    .where(Cart.id == bindparam("cart_id"))
    .order_by(LineItem.id)
)
CONTENTS = (
    _LINES.add_columns(
        CartShippingMethod,
        Collection.title,
        has_candidates(LineItem.cart_id),
        ProductType.id,
        ProductType.value,
    )
    .outerjoin(CartShippingMethod, CartShippingMethod.cart_id == LineItem.cart_id)
    .outerjoin(Collection, Collection.id == Product.collection_id)
    .outerjoin(ProductHasType, ProductHasType.product_id == Product.id)
    .outerjoin(ProductType, ProductType.id == ProductHasType.type_id)
)
"""What `contents_of` makes the contents of the cart `cart_id` of. Columns may be added behind these."""
CART_AND_CONTENTS = (
    select(
        LineItem,
        Variant,
        Product,
        CartShippingMethod,
        Collection.title,
        has_candidates(Cart.id),
        ProductType.id,
        ProductType.value,
        Cart,
    )
    .select_from(Cart)
    .outerjoin(CartShippingMethod, CartShippingMethod.cart_id == Cart.id)
    .outerjoin(LineItem, LineItem.cart_id == Cart.id)
    .outerjoin(Variant, Variant.id == LineItem.variant_id)
    .outerjoin(Product, (Product.id == Variant.product_id) & can_be_bought())
    .outerjoin(Collection, Collection.id == Product.collection_id)
    .outerjoin(ProductHasType, ProductHasType.product_id == Product.id)
    .outerjoin(ProductType, ProductType.id == ProductHasType.type_id)
    .where(Cart.id == bindparam("cart_id"))
    .order_by(LineItem.id)
)
"""The same of a cart that may be empty, with the cart. Columns may be added behind these."""
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
"""For a variant that is for sale: its line in the cart `holder`, how many lines that has, and the units to be had."""
_SHIPPING = select(CartShippingMethod).where(CartShippingMethod.cart_id == bindparam("cart_id"))
_METHOD = table_of(CartShippingMethod)
_VOID_SHIPPING = delete(_METHOD).where(_METHOD.c.cart_id == bindparam("cart_id")).returning(_METHOD.c.id)


def _ship_by(dialect: Any) -> Any:
    insert = dialect.insert(_METHOD)
    new = {name: insert.excluded[name] for name in CartShippingMethod.model_fields if name != "cart_id"}
    return insert.on_conflict_do_update(index_elements=["cart_id"], set_=new)


_SHIP_BY = for_each_dialect(_ship_by)


class CartCompleted(NotAllowed):
    """The cart has become an order. Its type on the wire is the platform's (wire: commerce-api, Error bodies)."""

    type = "invalid_data"

    def __init__(self, cart_id: str) -> None:
        super().__init__(f"Cart {cart_id} is already completed.")


@dataclass(frozen=True, slots=True)
class Line:
    """A line with what its variant costs and is now. `product` is None when it is no longer for sale."""

    item: LineItem
    variant: Variant
    product: Product | None

    @property
    def is_wrapping(self) -> bool:
        """Whether it wraps the others."""
        return self.variant.sku == WRAPPING_SKU

    @property
    def priced(self) -> PricedLine:
        """The line at today's price."""
        rate = self.product.tax_rate if self.product else STANDARD_RATE
        return PricedLine(self.item.id, self.item.quantity, self.variant.price, rate)


class TypeOf(NamedTuple):
    """The type of a line's product; None where it has none."""

    id: str | None
    value: str | None


@dataclass(frozen=True, slots=True)
class Contents:
    """What a cart costs is made of.

    Attributes:
        lines: oldest first, at today's prices.
        method: the shipping chosen for them; None while none is, and for an empty cart.
        collections: the title of the collection that a line's product is in, by the line's id.
        types: its type, by the line's id.
        may_be_discounted: False where no promotion can apply, and the cart has no use of one reserved.
    """

    lines: Sequence[Line]
    method: CartShippingMethod | None
    collections: Mapping[str, str | None]
    types: Mapping[str, TypeOf]
    may_be_discounted: bool = True


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
    await insert_row(session, cart)
    return cart.id


async def find_cart(session: AsyncSession, cart_id: str, *, lock: bool = False) -> Cart | None:
    """The cart, completed or not; None when no cart has this id."""
    asked = _LOCKED_CART if lock else _CART
    return (await session.execute(asked, {"cart_id": cart_id})).scalar_one_or_none()


async def open_cart(session: AsyncSession, cart_id: str, caller: Caller | None = None) -> Cart:
    """The cart, locked, for a change.

    Raises:
        NotFound: no cart has this id, or it is not the caller's. Without a caller it is anybody's.
        NotAllowed: it has become an order already.
        Conflict: a payment of it is at the bank.
    """
    return _open(await unordered_cart(session, cart_id, caller))


async def open_cart_and_region(
    session: AsyncSession, cart_id: str, caller: Caller | None = None
) -> tuple[Cart, Region | None]:
    """The same, with its region; None where the cart has moved to another one at this moment."""
    found = (await session.execute(_LOCKED_WITH_REGION, {"cart_id": cart_id})).one_or_none()
    cart = _open(_unordered(found[0] if found else None, cart_id, caller))
    region = found[1] if found else None
    return cart, region if region is not None and region.id == cart.region_id else None


def _open(cart: Cart) -> Cart:
    if cart.payment_session_id is not None:
        raise Conflict(AT_THE_BANK)
    return cart


async def unordered_cart(session: AsyncSession, cart_id: str, caller: Caller | None = None) -> Cart:
    """The cart, locked; whether a payment of it is at the bank or not.

    Raises:
        NotFound: no cart has this id, or it is not the caller's.
        NotAllowed: it has become an order already.
    """
    return _unordered(await find_cart(session, cart_id, lock=True), cart_id, caller)


def _unordered(found: Cart | None, cart_id: str, caller: Caller | None) -> Cart:
    cart = accessible(found, cart_id, caller)
    if cart.completed_at is not None:
        raise CartCompleted(cart_id)
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
    accessible(await find_cart(session, cart_id), cart_id, Caller(customer_id), message)


def accessible(cart: Cart | None, cart_id: str, caller: Caller | None = None, message: str = UNKNOWN) -> Cart:
    """The cart that was found under this id, for whoever may use it. See `require_access`.

    Args:
        cart: what was found; None when no cart has the id.
        cart_id: the id.
        caller: who asks; None when it was checked before that they may.
        message: of the error.

    Raises:
        NotFound: there is none, or it is another customer's.
    """
    if cart is None or (caller is not None and cart.customer_id not in (None, caller.customer_id)):
        raise NotFound(message.format(cart_id=cart_id))
    return cart


async def lines_of(session: AsyncSession, cart_id: str) -> list[Line]:
    """The cart's lines, oldest first, at today's prices."""
    rows = await session.execute(_LINES, {"cart_id": cart_id})
    return [Line(item, variant, product) for item, variant, product in rows]


async def cart_and_lines(session: AsyncSession, cart_id: str) -> tuple[Cart | None, list[Line]]:
    """The cart, if there is one, with its lines as `lines_of` gives them. Nothing is locked."""
    rows = (await session.execute(CART_AND_LINES, {"cart_id": cart_id})).all()
    lines = [Line(item, variant, product) for _, item, variant, product in rows if item is not None]
    return rows[0][0] if rows else None, lines


async def read_contents(session: AsyncSession, cart_id: str) -> Contents:
    """What is in the cart."""
    return contents_of((await session.execute(CONTENTS, {"cart_id": cart_id})).all())


def contents_of(rows: Sequence[Any]) -> Contents:
    """What is in the cart, by the rows of `CONTENTS`. A line may have several; a row may have none."""
    if not rows:
        return Contents([], None, {}, {})
    filled = {row[0].id: row for row in rows if row[0] is not None}
    return Contents(
        lines=[Line(*row[:3]) for row in filled.values()],
        method=rows[0][3],
        collections={line_id: row[4] for line_id, row in filled.items()},
        types={line_id: TypeOf(*row[6:8]) for line_id, row in filled.items()},
        may_be_discounted=rows[0].has_candidates,
    )


async def buying_of(session: AsyncSession, cart_id: str) -> Buying:
    """The cart as promotions see it."""
    cart = await session.get_one(Cart, cart_id)
    return Buying(
        cart_id=cart_id,
        customer_id=cart.customer_id,
        email=cart.email,
        region_id=cart.region_id,
        sales_channel_id=cart.sales_channel_id,
        country=(cart.shipping_address or {}).get("country_code"),
    )


async def read_totals(session: AsyncSession, cart_id: str, contents: Contents) -> CartTotals:
    """What the cart costs today. What is no longer for sale counts for nothing."""
    totals, _discounts = await read_discounted(session, cart_id, contents)
    return totals


async def read_discounted(
    session: AsyncSession, cart_id: str, contents: Contents
) -> tuple[CartTotals, Discounts]:
    """The same, with the promotions that were thought of, as adjustments in the order in which they apply.

    A kind of discount is a table that is read here: page, API, payment and order follow.
    """
    shipping, discounts = contents.method.amount if contents.method else None, NO_DISCOUNTS
    if contents.may_be_discounted:
        buying = await buying_of(session, cart_id)
        discounts = await discounts_of(session, buying, bought_lines(contents.lines), shipping)
    sold = [line.priced for line in contents.lines if line.product]
    charge = None if shipping is None else ShippingCharge(shipping)
    return price_cart(sold, charge, discounts.adjustments), discounts


def bought_lines(lines: Sequence[Line]) -> list[BoughtLine]:
    """The lines that are for sale, as promotions see them."""
    return [BoughtLine(line.priced, line.product, line.variant.id) for line in lines if line.product]


async def shipping_method(session: AsyncSession, cart_id: str) -> CartShippingMethod | None:
    """The shipping option chosen for the cart, at the amount last quoted; None while none is."""
    return (await session.execute(_SHIPPING, {"cart_id": cart_id})).scalar_one_or_none()


async def add(
    session: AsyncSession,
    cart_id: str,
    variant_id: str,
    quantity: int = 1,
    meta: JsonObject | None = None,
    *,
    caller: Caller | None = None,
) -> bool:
    """Put units of a variant into the cart, on top of those that are there; `meta` too is added to what is noted.

    Returns:
        Whether the cart was empty before.

    Raises:
        NotFound, NotAllowed, Conflict: see `open_cart`.
        InvalidData: the quantity is no positive number, too large, or the variant is not for sale.
        InsufficientStock: fewer units can be sold.
    """
    cart = await open_cart(session, cart_id, caller)
    was_empty = await put(session, cart_id, variant_id, quantity, meta)
    await changed(session, cart)
    return was_empty


async def put(
    session: AsyncSession, cart_id: str, variant_id: str, quantity: int, meta: JsonObject | None = None
) -> bool:
    """`add`, into a cart that is locked or has just been made. It is not marked as changed."""
    if quantity < 1:
        raise InvalidData("Quantity must be at least 1", fields={"quantity": "at least 1"})
    asked = {"variant_id": variant_id, "holder": cart_id}
    found = (await session.execute(_TO_ADD, asked)).one_or_none()
    if found is None:
        raise InvalidData(f"Variants {variant_id} do not exist or belong to a product that is not published")
    line, count, units = found
    if line is not None:
        _require_units(line.quantity, line.quantity + quantity, int(units))
        line.quantity += quantity
        line.meta = _noted(line.meta, meta)
    else:
        if count >= MAX_LINES:
            raise InvalidData(f"A cart holds at most {MAX_LINES} different products")
        _require_units(0, quantity, int(units))
        line = LineItem(cart_id=cart_id, variant_id=variant_id, quantity=quantity, meta=meta or {})
        await insert_row(session, line)
    return bool(count == 0)


async def set_quantity(
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
        NotAllowed, InvalidData, InsufficientStock: see `add`.
    """
    cart = await open_cart(session, cart_id, caller)
    line = await _line(session, cart_id, line_id)
    if quantity < 0:
        raise InvalidData("Quantity must not be negative", fields={"quantity": "at least 0"})
    if meta is not None:
        line.meta = meta
    if quantity == 0:
        await session.delete(line)
        await _unwrap_nothing(session, cart_id)
    else:
        units = await available_units(session, [line.variant_id], holder=cart_id)
        _require_units(line.quantity, quantity, units[line.variant_id])
        line.quantity = quantity
    await changed(session, cart)


async def remove(session: AsyncSession, cart_id: str, line_id: str, *, caller: Caller | None = None) -> None:
    """Take a line out of the cart.

    Raises:
        NotFound, NotAllowed: see `set_quantity`.
    """
    await set_quantity(session, cart_id, line_id, 0, caller=caller)


async def _unwrap_nothing(session: AsyncSession, cart_id: str) -> None:
    """Take the gift wrapping out of a cart in which nothing else is left."""
    left = await lines_of(session, cart_id)
    if all(line.is_wrapping for line in left):
        for line in left:
            await session.delete(line.item)


async def _line(session: AsyncSession, cart_id: str, line_id: str) -> LineItem:
    line = await session.get(LineItem, line_id)
    if line is None or line.cart_id != cart_id:
        raise NotFound(f"Line item with id: {line_id} was not found")
    return line


def _noted(known: JsonObject, more: JsonObject | None) -> JsonObject:
    """What is noted beside a line, with more on top of it."""
    if not more:
        return known
    noted = {**known, **more}
    if len(json.dumps(noted, ensure_ascii=False).encode()) > MAX_NOTED:
        raise InvalidData(f"The metadata of a line is larger than {MAX_NOTED} bytes")
    return noted


def _require_units(before: int, quantity: int, units: int) -> None:
    """Refuse a line's new quantity that is too large, or larger than before and than the units that can be had."""
    if quantity > MAX_QUANTITY:
        raise InvalidData(
            f"At most {MAX_QUANTITY} units of a product fit in a cart", fields={"quantity": "too many"}
        )
    if units < quantity and quantity > before:
        raise InsufficientStock(STOCK_GONE)


async def changed(session: AsyncSession, cart: Cart) -> None:
    """Call this after changing lines or address of the locked cart: removes the shipping method.

    Publishes `CartChanged` where there was one. Without a shipping method no payment can start, and this is the only
    place that removes it: a cart that has none has no payment to be voided.
    """
    cart.updated_at = now()
    await session.flush()
    if (await session.execute(_VOID_SHIPPING, {"cart_id": cart.id})).first():
        await publish(session, CartChanged(cart.id))


async def set_shipping_method(
    session: AsyncSession, cart_id: str, *, option_id: str, name: str, amount: Cop, data: JsonObject
) -> CartShippingMethod:
    """Ship the cart by this option at this amount, in place of any other.

    Returns:
        What was stored.
    """
    method = CartShippingMethod(
        cart_id=cart_id, shipping_option_id=option_id, name=name, amount=amount, data=data
    )
    await session.execute(_SHIP_BY[session.get_bind().dialect.name], values_of(method))
    return method
