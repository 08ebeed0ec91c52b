"""Data of the account page (orders and address book), and a customer's values to prefill the checkout's form."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.catalog.storefront.product_cards import line_pictures
from backend.catalog.views import PictureView
from backend.core.dates import time_label
from backend.core.db.tables import table_of
from backend.core.money import format_cop
from backend.core.web.contact import clean_name
from backend.customers.addresses import addresses_of, save_used_address
from backend.customers.auth.accounts import ShopperView
from backend.customers.models import CustomerAddress
from backend.fulfillment.views import FulfillmentView, list_fulfillment_views
from backend.legal.consents import TICKED
from backend.orders.delivery_kinds import read_delivery_kinds
from backend.orders.gifts import GIFT_RECIPIENT, RECIPIENT_FIELDS
from backend.orders.links.tokens import ORDER_LINK
from backend.orders.models import Order, OrderLine
from backend.orders.parties import has_other_recipient
from backend.orders.states import HAS_MONEY, OrderStatus, PaymentStatus
from backend.payment.providers.pse.payer import COMPANY
from backend.reviews.page_links import ReviewLink, review_links
from backend.shipping.addresses import find_municipality_code
from backend.storefront_views.returns_page import describe_returns

MAX_ORDERS = 100


@dataclass(frozen=True, slots=True)
class OrderedProduct:
    """A product of an order. `picture` is the product's current picture, or None."""

    title: str
    quantity: int
    picture: PictureView | None


@dataclass(frozen=True, slots=True)
class CustomerOrder:
    """An order in the list of its customer. `token` gives access to the order's page."""

    id: str
    number: int
    token: str
    status: str
    """`pending`, `paid`, `partially_refunded`, `refunded` or `canceled`."""
    created_label: str
    total_label: str
    fulfillments: list[FulfillmentView]
    ordered_products: list[OrderedProduct]
    returns: list[str]
    """Descriptions of its returns, with their state."""
    can_request_return: bool
    """True if the customer may request a refund on the order's page."""
    reviews: list[ReviewLink]
    """Links to review its products now."""


@dataclass(frozen=True, slots=True)
class AddressView:
    """An entry of the address book. Its fields have the same names as those of the checkout's form."""

    id: str
    is_default: bool
    first_name: str
    last_name: str
    phone: str
    address: str
    suburb: str
    reference: str
    dane_code: str
    town: str


async def remember_destination(session: AsyncSession, order_id: str) -> None:
    """Add the shipping address of a customer's order to their address book.

    Orders of guests are ignored. Orders for another recipient are ignored too, because that person has not agreed
    to be in the address book.
    """
    order = (await session.execute(select(Order).where(Order.id == order_id))).scalar_one_or_none()
    if order is None or order.customer_id is None or not order.shipping_address.get("address_1"):
        return
    if not has_other_recipient(order.billing_address, order.shipping_address):
        await save_used_address(session, order.customer_id, order.shipping_address)


def list_known_fields(shopper: ShopperView, book: Sequence[AddressView]) -> dict[str, str]:
    """Return the values that prefill the checkout's form, by field name. Empty values are omitted.

    The payer is the customer. The address is the first one in `book`, the customer's address book. If it names
    another person, that person is the recipient.
    """
    known = {
        "email": shopper.email,
        "first_name": shopper.first_name,
        "last_name": shopper.last_name,
        "phone": shopper.phone,
    }
    if book:
        known |= {name: getattr(book[0], name) for name in _ADDRESS_FIELDS} | _list_known_names(
            shopper, book[0]
        )
    return {name: text for name, text in known.items() if text}


def _list_known_names(shopper: ShopperView, entry: AddressView) -> dict[str, str]:
    """Return name and phone of the entry's person, by field name.

    They are in the recipient's fields if the entry names a person other than the customer, and otherwise in the
    customer's own fields. Empty if the entry has no name.
    """
    own = [name.casefold() for name in (shopper.first_name, shopper.last_name)]
    named = [name.casefold() for name in (entry.first_name, entry.last_name)]
    if any(own) and any(named) and own != named:
        recipient = (entry.first_name, entry.last_name, entry.phone)
        return {GIFT_RECIPIENT: TICKED, **dict(zip(RECIPIENT_FIELDS, recipient, strict=True))}
    names = {
        name: getattr(entry, name) or getattr(shopper, name) for name in ("first_name", "last_name", "phone")
    }
    return names if any(named) else {}


_ADDRESS_FIELDS = ("address", "suburb", "reference", "dane_code", "town")


async def find_company_name(session: AsyncSession, customer_id: str, payer: Mapping[str, str]) -> str:
    """Return the company's name from the customer's latest order with this payer's NIT.

    The name is empty if there is no such order, or if the payer is a person. `payer` is the saved payer
    (`backend.customers.saved_payers`), which has no name.
    """
    if payer.get("person_type") != COMPANY:
        return ""
    orders = (
        select(Order.billing_address)
        .where(
            Order.customer_id == customer_id,
            table_of(Order).c.payer["doc_number"].as_string() == payer.get("doc_number"),
        )
        .order_by(Order.created_at.desc(), Order.number.desc())
        .limit(1)
    )
    address = (await session.execute(orders)).scalar_one_or_none() or {}
    return str(address.get("company") or "")


async def list_address_views(session: AsyncSession, customer_id: str) -> list[AddressView]:
    """Return the customer's addresses, the default shipping address first."""
    return [_address_view(entry) for entry in await addresses_of(session, customer_id)]


async def list_customer_orders(
    session: AsyncSession, signing_key: str, customer_id: str
) -> list[CustomerOrder]:
    """Return the customer's orders, newest first, at most `MAX_ORDERS`.

    Orders placed as a guest with the same e-mail address are not included.
    """
    found = await session.execute(
        select(Order)
        .where(Order.customer_id == customer_id)
        .order_by(Order.created_at.desc(), Order.number.desc())
        .limit(MAX_ORDERS)
    )
    orders = found.scalars().all()
    ids = [order.id for order in orders]
    fulfillments, products = (
        await list_fulfillment_views(session, await read_delivery_kinds(session, orders)),
        await _list_ordered_products(session, ids),
    )
    returns = await describe_returns(session, ids)
    reviews = await review_links(session, signing_key, orders)
    return [
        CustomerOrder(
            id=order.id,
            number=order.number or 0,
            token=ORDER_LINK.token(signing_key, order.id),
            status=derive_status(order),
            created_label=time_label(order.created_at),
            total_label=format_cop(order.total),
            fulfillments=fulfillments[order.id],
            ordered_products=products[order.id],
            returns=returns[order.id],
            can_request_return=order.payment_status in HAS_MONEY,
            reviews=reviews[order.id],
        )
        for order in orders
    ]


async def _list_ordered_products(
    session: AsyncSession, order_ids: Sequence[str]
) -> dict[str, list[OrderedProduct]]:
    query = select(OrderLine).where(OrderLine.order_id.in_(order_ids)).order_by(OrderLine.id)
    lines = (await session.execute(query)).scalars().all()
    pictures = await line_pictures(session, lines)
    products: dict[str, list[OrderedProduct]] = defaultdict(list)
    for line in lines:
        products[line.order_id].append(
            OrderedProduct(line.title, line.quantity, pictures.get(line.variant_id))
        )
    return products


def derive_status(order: Order) -> str:
    """Return the order's status as the customer's list of orders shows it."""
    unpaid = "canceled" if order.status == OrderStatus.CANCELED else "pending"
    paid = _STATUS.get(order.payment_status, unpaid)
    return "canceled" if paid == "paid" and order.status == OrderStatus.CANCELED else paid


_STATUS: dict[str, str] = {
    PaymentStatus.CAPTURED: "paid",
    PaymentStatus.PARTIALLY_CAPTURED: "paid",
    PaymentStatus.PARTIALLY_REFUNDED: "partially_refunded",
    PaymentStatus.REFUNDED: "refunded",
}
"""Status of an order in the list, by its payment status, after money was received."""


def _address_view(entry: CustomerAddress) -> AddressView:
    address = entry.address
    metadata: dict[str, Any] = address.get("metadata") or {}

    def text(name: str) -> str:
        return str(address.get(name) or "")

    return AddressView(
        id=entry.id,
        is_default=entry.is_default_shipping,
        first_name=clean_name(address.get("first_name")),
        last_name=clean_name(address.get("last_name")),
        phone=text("phone"),
        address=text("address_1"),
        suburb=str(metadata.get("suburb") or ""),
        reference=text("address_2"),
        dane_code=find_municipality_code(address),
        town=", ".join(filter(None, (text("city"), text("province")))),
    )
