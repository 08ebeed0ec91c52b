"""Price a cart, find its missing steps, and convert its content to and from the snapshot of a payment session.

Everything is read again under the cart's lock. An order is created from the snapshot, never from the cart.

A purchase has seven required steps (spec: What the service does 2). Cart, items and address may be set in any
order; from the shipping method on, each step needs those before it. An error names everything that is missing, with
the names of the Store API, and uses the platform's message where there is one (wire: commerce-api, Error bodies).
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any

from sqlalchemy import bindparam, func, select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.cart.contents import CONTENTS, Contents, Line, parse_contents, read_contents
from backend.cart.models import Cart, CartShippingMethod, LineItem
from backend.cart.totals import read_discounted_totals
from backend.catalog.models import Product
from backend.channels.models import Region
from backend.core.clock import now
from backend.core.db.database import db_now
from backend.core.db.tables import JsonObject
from backend.core.errors import InsufficientStock, InvalidData
from backend.core.money import Cop
from backend.inventory.service import STOCK_GONE
from backend.orders.parties import UNNAMED, PartyName, build_invoice_address
from backend.orders.preorders import PREORDER_DAY, find_ready_day
from backend.orders.service import Sale, SoldLine, SoldShipping
from backend.payment.models import PaymentCollection, PaymentSession
from backend.payment.sessions import CartPayments, read_cart_payments
from backend.pricing import CartTotals
from backend.promotions.eligibility import PromotionContext
from backend.promotions.uses import PromotionClaims
from backend.shipping.addresses import find_municipality, list_missing_label_parts
from backend.shipping.delivery_promise import add_promised_day, add_ready_day
from backend.shipping.provider_switches import is_switched_off

NO_ITEMS = "Cannot complete a cart with no items"


NO_SHIPPING = "No shipping method selected but the cart contains items that require shipping."


@dataclass(frozen=True, slots=True)
class PricedCart:
    """A cart's lines and shipping at current prices, and their totals.

    `may_hold_uses` is False if it is certain that the cart has no promotion use reserved, because this was checked
    while the cart was locked.
    """

    lines: tuple[SoldLine, ...]
    shipping: SoldShipping | None
    totals: CartTotals
    may_hold_uses: bool

    @property
    def total(self) -> Cop:
        """Total of lines and shipping, IVA included."""
        return self.totals.total

    def require_shipping(self) -> SoldShipping:
        """Return the cart's shipping method.

        Raises:
            InvalidData: no shipping option was chosen (wire: commerce-api, Error bodies).
        """
        if self.shipping is None:
            raise InvalidData(NO_SHIPPING)
        return self.shipping


_FIRST_LINE = select(func.min(LineItem.id)).where(LineItem.cart_id == bindparam("cart_id")).scalar_subquery()
_PAYABLE_CART = (
    CONTENTS.add_columns(
        PaymentCollection,
        PaymentSession,
        Region.payment_providers,
        db_now(),
        is_switched_off(CartShippingMethod.shipping_option_id).label("is_off"),
    )
    .join(Cart, Cart.id == LineItem.cart_id)
    .join(Region, Region.id == Cart.region_id)
    .outerjoin(PaymentCollection, PaymentCollection.cart_id == Cart.id)
    .outerjoin(
        PaymentSession,
        # only in the rows of the first line, so that the large snapshots are read once
        (PaymentSession.collection_id == PaymentCollection.id) & (LineItem.id == _FIRST_LINE),
    )
    .order_by(PaymentSession.created_at.desc(), PaymentSession.id.desc())
)


@dataclass(frozen=True, slots=True)
class PayableCart:
    """The contents of a (locked) cart and its payments.

    `is_shipping_off` is True if the chosen shipping option is switched off.
    """

    contents: Contents
    payments: CartPayments
    is_shipping_off: bool = False


async def read_payable_cart(session: AsyncSession, cart_id: str) -> PayableCart:
    """Read the contents, payments and settings that decide a cart's price and payment, in one statement."""
    rows = (await session.execute(_PAYABLE_CART, {"cart_id": cart_id})).all()
    if not rows:  # the cart is empty
        return PayableCart(parse_contents(rows), await read_cart_payments(session, cart_id))
    collection, _, provider_ids, moment, is_off = rows[0][8:]
    payment_sessions = [row[9] for row in rows if row[9] is not None]
    return PayableCart(
        parse_contents(rows), CartPayments(collection, payment_sessions, provider_ids, moment), is_off
    )


async def read_priced_cart(session: AsyncSession, cart: Cart, contents: Contents | None = None) -> PricedCart:
    """Return the cart at current prices. `contents` must have been read after the cart was locked.

    Raises:
        InvalidData: the cart is empty, or contains only gift wrapping.
        InsufficientStock: a product in the cart is no longer for sale.
    """
    contents = contents or await read_contents(session, cart.id)
    if all(line.is_wrapping for line in contents.lines):
        raise InvalidData(NO_ITEMS)
    sold = tuple(_to_sold_line(line, contents) for line in contents.lines)
    totals, _discounts = await read_discounted_totals(session, cart.id, contents)
    shipping = _to_sold_shipping(contents.method, totals.shipping.original_total)
    return PricedCart(sold, shipping, totals, contents.may_be_discounted)


def _to_sold_shipping(method: CartShippingMethod | None, price: Cop) -> SoldShipping | None:
    if method is None:
        return None
    return SoldShipping(method.shipping_option_id, method.name, price, method.data)


def _to_sold_line(line: Line, contents: Contents) -> SoldLine:
    product: Product | None = line.product
    if product is None:
        raise InsufficientStock(STOCK_GONE)
    type_ = contents.types[line.item.id]
    return SoldLine(
        id=line.item.id,
        product_id=product.id,
        variant_id=line.variant.id,
        title=product.title,
        product_handle=product.handle,
        variant_title=line.variant.title,
        sku=line.variant.sku,
        thumbnail=line.variant.thumbnail or product.thumbnail,
        quantity=line.item.quantity,
        unit_price=line.variant.price,
        compare_at_price=line.variant.compare_at_price,
        unit_cost=line.variant.cost,
        tax_rate=product.tax_rate,
        tax_excluded=product.tax_excluded,
        meta=line.item.meta,
        facts={
            "product_description": product.description,
            "product_subtitle": product.subtitle,
            "product_collection": contents.collections[line.item.id],
            "product_type": type_.value,
            "product_type_id": type_.id,
            **({PREORDER_DAY: product.preorder_day.isoformat()} if product.preorder_day else {}),
        },
    )


ITEMS, EMAIL, ADDRESS, SHIPPING_METHOD = "items", "email", "shipping_address", "shipping_method"


PLATFORM_MESSAGES: dict[tuple[str, ...], str] = {(ITEMS,): NO_ITEMS, (SHIPPING_METHOD,): NO_SHIPPING}
"""The platform's messages for carts in which only these steps are missing."""


def require_address(cart: Cart, *, has_items: bool) -> None:
    """Check that the cart has items, e-mail and address, which it needs before a shipping method is chosen.

    Raises:
        InvalidData: items, e-mail or a part of the address are missing, or the address names no municipality.
    """
    _require_complete(cart, _list_missing_steps(cart, has_items=has_items))


def require_shipping_method(cart: Cart, *, has_shipping: bool) -> None:
    """Check that a cart with items has the e-mail, address and shipping method that a payment requires.

    Raises:
        InvalidData: e-mail, a part of the address or the shipping method is missing, or the address names no
            municipality.
    """
    _require_complete(
        cart, _list_missing_steps(cart, has_items=True) + ([] if has_shipping else [SHIPPING_METHOD])
    )


def _list_missing_steps(cart: Cart, *, has_items: bool) -> list[str]:
    parts = list_missing_label_parts(cart.shipping_address or {})
    return [
        *([] if has_items else [ITEMS]),
        *([] if cart.email else [EMAIL]),
        *(f"{ADDRESS}.{part}" for part in parts),
    ]


def _require_complete(cart: Cart, missing: list[str]) -> None:
    if missing:
        message = f"The steps before this one are not done. Missing: {', '.join(missing)}"
        raise InvalidData(PLATFORM_MESSAGES.get(tuple(missing), message))
    find_municipality(cart.shipping_address)


PAYER_FIELDS = ("person_type", "doc_type", "doc_number", "email")
"""The payer's fields that an invoice needs."""


def build_sale(cart: Cart, priced: PricedCart, typed_name: PartyName = UNNAMED) -> Sale:
    """Return the content of the order that the (locked) cart would become now, with the currently promised day.

    `typed_name`: see `backend.orders.parties.build_invoice_address`.

    Raises:
        InvalidData: no shipping option was chosen.
    """
    address, shipping = cart.shipping_address or {}, priced.require_shipping()
    return Sale(
        lines=priced.lines,
        shipping=replace(
            shipping,
            data=add_promised_day(
                add_ready_day(shipping.data, find_ready_day(line.facts for line in priced.lines)), now()
            ),
        ),
        totals=priced.totals,
        email=cart.email or "",
        customer_id=cart.customer_id,
        guest_id=cart.guest_id,
        locale=cart.locale,
        shipping_address=address,
        billing_address=build_invoice_address(cart.billing_address, address, typed_name),
        meta=cart.meta,
    )


def to_promotion_claims(cart: Cart, sale: Sale, *, may_hold_uses: bool = True) -> PromotionClaims:
    """Return the promotions that this sale uses, with their discounts. `may_hold_uses`: see `PricedCart`."""
    context = PromotionContext(
        cart_id=cart.id,
        customer_id=sale.customer_id,
        email=sale.email,
        region_id=cart.region_id,
        sales_channel_id=cart.sales_channel_id,
        country=sale.shipping_address.get("country_code"),
    )
    return PromotionClaims(context, sale.totals.discounts_by_promotion, may_hold_uses)


def to_snapshot(sale: Sale, payer: Mapping[str, Any]) -> JsonObject:
    """Convert the sale to JSON values, with the payer's fields for the invoice.

    If the payer has no e-mail address, the address of the cart is used.
    """
    document = {name: str(payer[name]) for name in PAYER_FIELDS if payer.get(name) not in (None, "")}
    return {
        "lines": [_drop_facts(line) for line in sale.lines],
        "facts": {line.id: line.facts for line in sale.lines},
        "costs": {line.id: line.unit_cost for line in sale.lines if line.unit_cost is not None},
        "shipping": asdict(sale.shipping),
        "totals": sale.totals.as_json(),
        "email": sale.email,
        "customer_id": sale.customer_id,
        "guest_id": sale.guest_id,
        "locale": sale.locale,
        "shipping_address": sale.shipping_address,
        "billing_address": sale.billing_address,
        "metadata": sale.meta,
        "payer": {"email": sale.email, **document} if document else {},
    }


def _drop_facts(line: SoldLine) -> JsonObject:
    """Return the line without the product data and the cost, which the snapshot stores separately.

    During an upgrade, replicas of the previous release also read the lines, and they cannot read lines with
    further fields.
    """
    return {name: value for name, value in asdict(line).items() if name not in ("facts", "unit_cost")}


def parse_snapshot(snapshot: JsonObject) -> Sale:
    """Convert a snapshot back to the sale from which `to_snapshot` made it."""
    facts, costs = snapshot.get("facts", {}), snapshot.get("costs", {})
    return Sale(
        lines=tuple(
            SoldLine(**line, facts=facts.get(line["id"], {}), unit_cost=costs.get(line["id"]))
            for line in snapshot["lines"]
        ),
        shipping=SoldShipping(**snapshot["shipping"]),
        totals=CartTotals.from_json(snapshot["totals"]),
        email=snapshot["email"],
        customer_id=snapshot["customer_id"],
        guest_id=snapshot.get("guest_id"),
        locale=snapshot.get("locale"),
        shipping_address=snapshot["shipping_address"],
        billing_address=snapshot["billing_address"],
        meta=snapshot["metadata"],
    )
