"""A cart as the Store API shows it, by the platform's rules and at today's prices."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from sqlalchemy import func, select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.cart.access import NOT_FOUND
from backend.cart.contents import CART_AND_CONTENTS, Contents, Line, contents_of
from backend.cart.models import Cart, CartShippingMethod
from backend.cart.totals import read_discounted
from backend.catalog.api.line_products import LineProducts, line_products, wants_products
from backend.catalog.models import ProductCategory, ProductHasTag, Variant
from backend.channels.models import Region
from backend.channels.wire import region_wire
from backend.checkout.answers import CartFields, CartItemFields, CartItemOut, CartOut, CartShippingMethodOut
from backend.checkout.quotes.shipping_quotes import offers_in, with_offers
from backend.core.errors import NotFound
from backend.edge.query import Fields
from backend.edge.wire import JsonDict, adjustments, iso, priced, sibling_id, stamps, tax_line, totals
from backend.media.picture_urls import absolute_address
from backend.orders.wire.orders import address_wire
from backend.payment.models import PaymentCollection
from backend.payment.sessions import sessions_of
from backend.payment.wire import collection_wire
from backend.pricing import CartTotals, PartTotals, Totals, price_cart
from backend.promotions.answers import AppliedPromotion
from backend.promotions.eligibility import Discounts
from backend.promotions.wire import applied_wire
from backend.shipping.offered_options import Offer

_CATEGORIES = (
    select(func.aggregate_strings(ProductCategory.category_id, ","))
    .where(ProductCategory.product_id == Variant.product_id)
    .scalar_subquery()
)
_TAGS = (
    select(func.aggregate_strings(ProductHasTag.tag_id, ","))
    .where(ProductHasTag.product_id == Variant.product_id)
    .scalar_subquery()
)
_CART = (
    CART_AND_CONTENTS.add_columns(Region, PaymentCollection, _CATEGORIES, _TAGS)
    .join(Region, Region.id == Cart.region_id)
    .outerjoin(PaymentCollection, PaymentCollection.cart_id == Cart.id)
)
"""A cart with all that it shows but its payment sessions: one row a line."""
_CART_AND_OFFERS = with_offers(_CART)

_NOTHING = Totals(0, 0, 0, 0)
"""What a line costs that is no longer for sale."""


@dataclass(frozen=True, slots=True)
class CartView:
    """How carts are shown: with which fields, and with pictures' addresses that begin with `base_url`."""

    fields: Fields
    base_url: str


@dataclass(frozen=True, slots=True)
class WholeCart:
    """A cart with all that it shows but its payment sessions. `categories` and `tags` are ids, by the line's id."""

    cart: Cart
    region: Region
    contents: Contents
    collection: PaymentCollection | None
    categories: Mapping[str, Sequence[str]]
    tags: Mapping[str, Sequence[str]]


async def cart_wire(session: AsyncSession, cart_id: str, view: CartView) -> CartOut:
    """The whole cart, its lines with their products and variants where these are asked for.

    Raises:
        NotFound: no cart has this id.
    """
    rows = (await session.execute(_CART, {"cart_id": cart_id})).all()
    return await whole_cart_wire(session, _whole_cart(rows, cart_id), view)


async def readable_cart(
    session: AsyncSession, cart_id: str, customer_id: str | None, view: CartView
) -> CartOut:
    """The cart for a caller who knows its id; once it is completed, in full for its customer only.

    The id of an open cart gives access to it. A completed cart refers to an order, which only its owner may read (wire:
    commerce-api): anybody else gets it without the person, the addresses and the data of the payment sessions.

    Raises:
        NotFound: no cart has this id.
    """
    shown = await cart_wire(session, cart_id, view)
    is_owner = customer_id is not None and shown["customer_id"] == customer_id
    if shown["completed_at"] is None or is_owner:
        return shown
    if "payment_collection" in shown:
        for payment in shown["payment_collection"]["payment_sessions"]:
            payment["data"] = {}
    country = shown["shipping_address"]["country_code"]
    return {
        **shown,
        "email": None,
        "customer_id": None,
        "customer": None,
        "metadata": None,
        "items": [{**item, "metadata": {}} for item in shown["items"]],
        "shipping_address": address_wire(shown["shipping_address"]["id"], {"country_code": country}),
        "billing_address": None,
        "billing_address_id": None,
    }


async def read_cart_and_offers(session: AsyncSession, cart_id: str) -> tuple[WholeCart, list[Offer]]:
    """The cart, with what is offered in its sales channel, in one statement.

    Raises:
        NotFound: no cart has this id.
    """
    rows = (await session.execute(_CART_AND_OFFERS, {"cart_id": cart_id})).all()
    return _whole_cart(rows, cart_id), offers_in(rows)


async def whole_cart_wire(session: AsyncSession, whole: WholeCart, view: CartView) -> CartOut:
    """`cart_wire` of a cart that was read."""
    cart, contents, collection = whole.cart, whole.contents, whole.collection
    prices, discounts = await read_discounted(session, cart.id, contents)
    wire = _cart_wire(whole, prices, view.base_url)
    wire["promotions"] = _promotions(discounts)
    if wants_products(view.fields):
        ids = [line.variant.product_id for line in contents.lines]
        _show_products(wire["items"], await line_products(session, ids, view.fields, view.base_url))
    if collection is not None:
        wire["payment_collection"] = collection_wire(collection, await sessions_of(session, cart.id))
    return wire


def empty_cart_wire(cart: Cart, region: Region) -> CartOut:
    """A cart that has nothing in it yet."""
    whole = WholeCart(cart, region, contents_of([]), None, {}, {})
    return _cart_wire(whole, price_cart([]), "")


def _whole_cart(rows: Sequence[Any], cart_id: str) -> WholeCart:
    if not rows:
        raise NotFound(NOT_FOUND.format(cart_id=cart_id))
    cart, region, collection = rows[0][8:11]
    categories = {row[0].id: sorted(row[11].split(",")) for row in rows if row[11]}
    tags = {row[0].id: sorted(row[12].split(",")) for row in rows if row[12]}
    return WholeCart(cart, region, contents_of(rows), collection, categories, tags)


def _promotions(discounts: Discounts) -> list[AppliedPromotion]:
    """The codes that were typed, whether they take something off now or not, and what applies by itself."""
    return [
        applied_wire(one.candidate.promotion)
        for one in discounts.judged
        if one.obstacle is None or one.candidate.typed_at is not None
    ]


def _show_products(items: Sequence[CartItemOut], known: LineProducts) -> None:
    """Let the lines show what is known of their products and variants."""
    for item in items:
        item["product"] = {**item["product"], **known.products.get(item["product_id"], {})}
        if item["variant_id"] in known.variants:
            item["variant"] = known.variants[item["variant_id"]]


def _cart_wire(whole: WholeCart, prices: CartTotals, base_url: str) -> CartOut:
    cart, region, contents = whole.cart, whole.region, whole.contents
    parts, buyer_id = prices.by_line, cart.customer_id or cart.guest_id
    shipping_id, billing = sibling_id("caaddr", cart.id), None
    if cart.billing_address:
        billing = address_wire(f"{shipping_id}b", cart.billing_address)
    fields: CartFields = {
        "id": cart.id,
        "currency_code": region.currency_code,
        "email": cart.email,
        "locale": cart.locale,
        "region_id": cart.region_id,
        "sales_channel_id": cart.sales_channel_id,
        "customer_id": buyer_id,
        "metadata": cart.meta or None,
        "completed_at": iso(cart.completed_at),
        **stamps(cart.created_at, cart.updated_at),
        **totals(prices),
        "shipping_address_id": shipping_id,
        "billing_address_id": billing["id"] if billing else None,
        "items": [_item(whole, line, parts.get(line.item.id), base_url) for line in contents.lines],
        "shipping_methods": [_method(contents.method, prices.shipping)] if contents.method else [],
        "shipping_address": address_wire(
            shipping_id, cart.shipping_address or {"country_code": region.country_code}
        ),
        "billing_address": billing,
        "credit_lines": [],
        "promotions": [],
        "region": region_wire(region),
        "customer": {"id": buyer_id, "email": cart.email, "groups": []} if buyer_id else None,
    }
    return cast(CartOut, fields)


def _item(whole: WholeCart, line: Line, part: PartTotals | None, base_url: str) -> CartItemOut:
    variant, product, kind = line.variant, line.product, whole.contents.types[line.item.id]
    saving = variant.compare_at_price if (variant.compare_at_price or 0) > variant.price else None
    fields: CartItemFields = {
        "id": line.item.id,
        "cart_id": line.item.cart_id,
        "title": product.title if product else variant.title,
        "subtitle": variant.title,
        "thumbnail": absolute_address(product.thumbnail, base_url) if product else None,
        "variant_id": variant.id,
        "product_id": variant.product_id,
        "product_title": product.title if product else None,
        "product_description": product.description if product else None,
        "product_subtitle": product.subtitle if product else None,
        "product_handle": product.handle if product else None,
        "product_collection": whole.contents.collections[line.item.id],
        "product_type": kind.value,
        "product_type_id": kind.id,
        "variant_sku": variant.sku,
        "variant_barcode": None,
        "variant_title": variant.title,
        "requires_shipping": True,
        "is_giftcard": False,
        "is_discountable": True,
        "is_tax_inclusive": True,
        "quantity": line.item.quantity,
        "unit_price": variant.price,
        "compare_at_unit_price": saving,
        **priced(part or _NOTHING),
        "metadata": line.item.meta,
        **stamps(line.item.created_at, line.item.updated_at),
        "tax_lines": [tax_line("calitxl", line.item.id, line.priced.tax_rate)],
        "adjustments": adjustments("caliadj", line.item.id, part, item_id=line.item.id),
        "product": _product(whole, line),
    }
    return cast(CartItemOut, fields)


def _product(whole: WholeCart, line: Line) -> JsonDict:
    categories, tags = (of.get(line.item.id, ()) for of in (whole.categories, whole.tags))
    return {
        "id": line.variant.product_id,
        "collection_id": line.product.collection_id if line.product else None,
        "type_id": whole.contents.types[line.item.id].id,
        "categories": [{"id": category_id} for category_id in categories],
        "tags": [{"id": tag_id} for tag_id in tags],
    }


def _method(method: CartShippingMethod, part: PartTotals) -> CartShippingMethodOut:
    return {
        "id": method.id,
        "name": method.name,
        "amount": method.amount,
        "is_tax_inclusive": True,
        "shipping_option_id": method.shipping_option_id,
        "data": method.data,
        **priced(part),
        **stamps(method.created_at, method.updated_at),
        "tax_lines": [tax_line("casmtxl", method.id, part.tax_rate)],
        "adjustments": adjustments("casmadj", method.id, part, shipping_method_id=method.id),
    }
