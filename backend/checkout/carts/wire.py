"""Convert carts to the Store API, by the platform's rules and at current prices."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from sqlalchemy import func, select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.cart.access import NOT_FOUND
from backend.cart.contents import CART_AND_CONTENTS, Contents, Line, parse_contents
from backend.cart.models import Cart, CartShippingMethod
from backend.cart.totals import read_discounted_totals
from backend.catalog.api.line_products import LineProducts, line_products, wants_products
from backend.catalog.models import ProductCategory, ProductHasTag, Variant
from backend.channels.models import Region
from backend.channels.wire import region_wire
from backend.checkout.answers import CartFields, CartItemFields, CartItemOut, CartOut, CartShippingMethodOut
from backend.checkout.quotes.shipping_quotes import add_offer_columns, parse_offers
from backend.core.errors import NotFound
from backend.edge.query import Fields
from backend.edge.wire import (
    JsonDict,
    adjustment_views,
    cart_totals_view,
    derive_sibling_id,
    iso,
    part_totals_view,
    stamps,
    tax_line_view,
)
from backend.media.picture_urls import to_absolute_picture_url
from backend.orders.wire.orders import address_wire
from backend.payment.models import PaymentCollection
from backend.payment.sessions import list_payment_sessions
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
"""A cart without its payment sessions: one row per line."""
_CART_AND_OFFERS = add_offer_columns(_CART)

_ZERO_TOTALS = Totals(0, 0, 0, 0)
"""Totals of a line that is no longer for sale."""


@dataclass(frozen=True, slots=True)
class CartView:
    """The fields of carts that the client requested, and the base URL of their pictures."""

    fields: Fields
    base_url: str


@dataclass(frozen=True, slots=True)
class WholeCart:
    """A cart with everything that the API shows, except its payment sessions.

    `categories` and `tags` are ids by line id.
    """

    cart: Cart
    region: Region
    contents: Contents
    collection: PaymentCollection | None
    categories: Mapping[str, Sequence[str]]
    tags: Mapping[str, Sequence[str]]


async def cart_wire(session: AsyncSession, cart_id: str, view: CartView) -> CartOut:
    """Return the whole cart, with the products and variants of its lines if they were requested.

    Raises:
        NotFound: no cart has this id.
    """
    rows = (await session.execute(_CART, {"cart_id": cart_id})).all()
    return await whole_cart_wire(session, _parse_whole_cart(rows, cart_id), view)


async def public_cart_wire(
    session: AsyncSession, cart_id: str, customer_id: str | None, view: CartView
) -> CartOut:
    """Return the cart to a caller who knows its id. A completed cart is returned in full only to its customer.

    The id of an open cart gives access to it. A completed cart refers to an order, which only its owner may read
    (wire: commerce-api). Other callers get the completed cart without the customer, the addresses and the data of
    the payment sessions.

    Raises:
        NotFound: no cart has this id.
    """
    wire = await cart_wire(session, cart_id, view)
    is_owner = customer_id is not None and wire["customer_id"] == customer_id
    if wire["completed_at"] is None or is_owner:
        return wire
    if "payment_collection" in wire:
        for payment in wire["payment_collection"]["payment_sessions"]:
            payment["data"] = {}
    country = wire["shipping_address"]["country_code"]
    return {
        **wire,
        "email": None,
        "customer_id": None,
        "customer": None,
        "metadata": None,
        "items": [{**item, "metadata": {}} for item in wire["items"]],
        "shipping_address": address_wire(wire["shipping_address"]["id"], {"country_code": country}),
        "billing_address": None,
        "billing_address_id": None,
    }


async def read_cart_and_offers(session: AsyncSession, cart_id: str) -> tuple[WholeCart, list[Offer]]:
    """Return the cart and the shipping options of its sales channel, read in one statement.

    Raises:
        NotFound: no cart has this id.
    """
    rows = (await session.execute(_CART_AND_OFFERS, {"cart_id": cart_id})).all()
    return _parse_whole_cart(rows, cart_id), parse_offers(rows)


async def whole_cart_wire(session: AsyncSession, whole: WholeCart, view: CartView) -> CartOut:
    """Convert an already loaded cart to the platform's shape. See `cart_wire`."""
    cart, contents, collection = whole.cart, whole.contents, whole.collection
    prices, discounts = await read_discounted_totals(session, cart.id, contents)
    wire = _cart_wire(whole, prices, view.base_url)
    wire["promotions"] = _promotions_wire(discounts)
    if wants_products(view.fields):
        ids = [line.variant.product_id for line in contents.lines]
        _add_products(wire["items"], await line_products(session, ids, view.fields, view.base_url))
    if collection is not None:
        wire["payment_collection"] = collection_wire(
            collection, await list_payment_sessions(session, cart.id)
        )
    return wire


def empty_cart_wire(cart: Cart, region: Region) -> CartOut:
    """Return a cart without lines, in the platform's shape."""
    whole = WholeCart(cart, region, parse_contents([]), None, {}, {})
    return _cart_wire(whole, price_cart([]), "")


def _parse_whole_cart(rows: Sequence[Any], cart_id: str) -> WholeCart:
    if not rows:
        raise NotFound(NOT_FOUND.format(cart_id=cart_id))
    cart, region, collection = rows[0][8:11]
    categories = {row[0].id: sorted(row[11].split(",")) for row in rows if row[11]}
    tags = {row[0].id: sorted(row[12].split(",")) for row in rows if row[12]}
    return WholeCart(cart, region, parse_contents(rows), collection, categories, tags)


def _promotions_wire(discounts: Discounts) -> list[AppliedPromotion]:
    """Return the promotions of all typed codes, even without a discount, and the automatic promotions that apply."""
    return [
        applied_wire(one.candidate.promotion)
        for one in discounts.results
        if one.obstacle is None or one.candidate.typed_at is not None
    ]


def _add_products(items: Sequence[CartItemOut], products: LineProducts) -> None:
    """Add the requested fields of products and variants to the lines."""
    for item in items:
        item["product"] = {**item["product"], **products.products.get(item["product_id"], {})}
        if item["variant_id"] in products.variants:
            item["variant"] = products.variants[item["variant_id"]]


def _cart_wire(whole: WholeCart, prices: CartTotals, base_url: str) -> CartOut:
    cart, region, contents = whole.cart, whole.region, whole.contents
    parts, customer_id = prices.by_line, cart.customer_id or cart.guest_id
    shipping_id, billing = derive_sibling_id("caaddr", cart.id), None
    if cart.billing_address:
        billing = address_wire(f"{shipping_id}b", cart.billing_address)
    fields: CartFields = {
        "id": cart.id,
        "currency_code": region.currency_code,
        "email": cart.email,
        "locale": cart.locale,
        "region_id": cart.region_id,
        "sales_channel_id": cart.sales_channel_id,
        "customer_id": customer_id,
        "metadata": cart.meta or None,
        "completed_at": iso(cart.completed_at),
        **stamps(cart.created_at, cart.updated_at),
        **cart_totals_view(prices),
        "shipping_address_id": shipping_id,
        "billing_address_id": billing["id"] if billing else None,
        "items": [_item_wire(whole, line, parts.get(line.item.id), base_url) for line in contents.lines],
        "shipping_methods": [_method_wire(contents.method, prices.shipping)] if contents.method else [],
        "shipping_address": address_wire(
            shipping_id, cart.shipping_address or {"country_code": region.country_code}
        ),
        "billing_address": billing,
        "credit_lines": [],
        "promotions": [],
        "region": region_wire(region),
        "customer": {"id": customer_id, "email": cart.email, "groups": []} if customer_id else None,
    }
    return cast(CartOut, fields)


def _item_wire(whole: WholeCart, line: Line, part: PartTotals | None, base_url: str) -> CartItemOut:
    variant, product, kind = line.variant, line.product, whole.contents.types[line.item.id]
    saving = variant.compare_at_price if (variant.compare_at_price or 0) > variant.price else None
    fields: CartItemFields = {
        "id": line.item.id,
        "cart_id": line.item.cart_id,
        "title": product.title if product else variant.title,
        "subtitle": variant.title,
        "thumbnail": to_absolute_picture_url(variant.thumbnail or product.thumbnail, base_url)
        if product
        else None,
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
        **part_totals_view(part or _ZERO_TOTALS),
        "metadata": line.item.meta,
        **stamps(line.item.created_at, line.item.updated_at),
        "tax_lines": [tax_line_view("calitxl", line.item.id, line.priced.tax_rate)],
        "adjustments": adjustment_views("caliadj", line.item.id, part, item_id=line.item.id),
        "product": _product_wire(whole, line),
    }
    return cast(CartItemOut, fields)


def _product_wire(whole: WholeCart, line: Line) -> JsonDict:
    categories, tags = (of.get(line.item.id, ()) for of in (whole.categories, whole.tags))
    return {
        "id": line.variant.product_id,
        "collection_id": line.product.collection_id if line.product else None,
        "type_id": whole.contents.types[line.item.id].id,
        "categories": [{"id": category_id} for category_id in categories],
        "tags": [{"id": tag_id} for tag_id in tags],
    }


def _method_wire(method: CartShippingMethod, part: PartTotals) -> CartShippingMethodOut:
    return {
        "id": method.id,
        "name": method.name,
        "amount": part.original_total,
        "is_tax_inclusive": True,
        "shipping_option_id": method.shipping_option_id,
        "data": method.data,
        **part_totals_view(part),
        **stamps(method.created_at, method.updated_at),
        "tax_lines": [tax_line_view("casmtxl", method.id, part.tax_rate)],
        "adjustments": adjustment_views("casmadj", method.id, part, shipping_method_id=method.id),
    }
