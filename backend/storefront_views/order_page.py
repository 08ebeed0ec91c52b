"""Data of an order's page for the customer: the order, its payment and its fulfillments.

PSE, the bank network, requires certain facts about the merchant and the payment on this page in every state (wire:
checkout).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from sqlalchemy.ext.asyncio import AsyncSession

from backend.cart.views import SavingView, list_savings
from backend.catalog.models import WRAPPING_SKU
from backend.catalog.price_labels import format_sold_price
from backend.catalog.storefront.product_cards import line_pictures
from backend.catalog.views import PictureView
from backend.core.clock import now
from backend.core.config.modules import GATEWAY_PSE
from backend.core.config.settings import Settings
from backend.core.dates import time_label
from backend.core.money import Cop, format_cop, format_exact
from backend.core.texts import _
from backend.core.web.contact import full_name
from backend.fulfillment.views import FulfillmentView, list_fulfillment_views
from backend.invoices.files import CustomerInvoice, list_customer_invoices
from backend.office_settings import read_effective_settings
from backend.orders.delivery_kinds import DeliveryKind, read_delivery
from backend.orders.gifts import read_gift_message
from backend.orders.links.account_links import can_open_account
from backend.orders.models import Order, OrderLine
from backend.orders.money.captured_money import compute_order_money
from backend.orders.money.instructed_payments import can_pay_in_another_way
from backend.orders.packing_holds import is_held
from backend.orders.parties import find_party_name
from backend.orders.preorders import describe_sold_variant
from backend.orders.promised_days import OrderPromise, describe_promise
from backend.orders.service import compute_order_totals, list_order_lines, read_order
from backend.orders.states import FulfillmentStatus, OrderStatus, PaymentStatus
from backend.payment.models import PaymentSession
from backend.payment.payments import (
    find_open_instructions,
    has_unaccepted_money,
    has_unused_money,
    sum_captured_and_refunded,
)
from backend.payment.providers.base import parse_instructions
from backend.payment.sessions import choose_decisive_session, list_payment_sessions
from backend.payment.states import SessionState
from backend.payment.transitions import get_exact_captured_amount
from backend.reviews.page_links import ReviewLink, review_links
from backend.shipping.addresses import format_address_lines
from backend.storefront_views.returns_page import ReturnsView, returns_view


@dataclass(frozen=True, slots=True)
class OrderLineView:
    """One line of an order, as sold. `variant` is the variant's name, if the title does not contain it."""

    title: str
    variant: str
    variant_id: str
    product_handle: str
    quantity: int
    unit_price_label: str
    line_total_label: str
    picture: PictureView | None
    review: ReviewLink | None
    """Link to review the product; None before delivery, and on further lines with the same product."""


@dataclass(frozen=True, slots=True)
class PaymentFacts:
    """Facts about a payment. PSE requires them on the page with the payment's result, in every state."""

    merchant: str
    nit: str
    contact_phone: str
    contact_email: str
    state: str
    """State of the payment on the page, derived from the session's state.

    `pending`, `authorized` (not paid at a bank page: staff have yet to confirm the money), `approved`, `rejected`,
    `canceled`, `expired`, `held`, `failed`, `closed`, `review` or `unknown`.
    """
    bank: str
    cus: str
    reference: str
    date_label: str
    amount: Cop
    amount_label: str
    currency: str
    description: str
    reason: str
    """The gateway's own text about the outcome; may be empty."""
    payer_ip: str
    is_pse: bool
    """True for PSE, and for an order without a payment session."""
    method: str
    """Name of the payment method if it has instructions; empty otherwise."""
    instructions: str
    """Sentences about how to pay; empty unless the payment session is authorized but not captured."""
    instruction_facts: list[tuple[str, str]]


@dataclass(frozen=True, slots=True)
class OrderView:
    """An order, as its customer sees it.

    Attributes:
        can_retry: the payment has failed, and its cart can be restored.
        has_dismissed_money: the payment has failed, but the bank had approved money, about which staff have decided.
        can_change_bank: the payment is pending at the bank, and can be replaced by another one.
        can_change_method: the payment has instructions, such as those of a bank transfer, and is not paid yet; the
            order is not packed; and the shop offers another way to pay.
        can_open_account: the order belongs to no account, and a link that opens one can be mailed to the customer.
        is_final: the payment will not change any more.
    """

    id: str
    number: int
    status: str
    """Status of the order on the page.

    `pending`, `held`, `closed` (we no longer wait for the bank, which did not report the outcome), `review`
    (received money does not match the order: staff decide), `authorized` (it is paid outside the gateway, and staff
    confirm it), `paid`, `returning` (canceled before it was shipped: the money is being refunded), `refunded`,
    `rejected`, `canceled` or `expired`.
    """
    is_final: bool
    can_retry: bool
    has_dismissed_money: bool
    can_change_bank: bool
    can_change_method: bool
    can_open_account: bool
    created_label: str
    email: str
    lines: list[OrderLineView]
    subtotal_label: str
    """Sum of the lines.

    Like the amounts of the lines and of the shipping, it does not include the discounts in `savings`.
    """
    savings: list[SavingView]
    shipping_name: str
    shipping_total_label: str
    delivery_kind: str
    """A `DeliveryKind`: by a carrier, by the shop itself, or collected by the customer."""
    delivery_note: str
    """Address and hours of the pickup point, or days and hours of own delivery; empty for a carrier."""
    promise: OrderPromise
    """The promised day; empty while staff have to decide about the payment of an order that is not sent."""
    total: Cop
    total_label: str
    tax_label: str
    paid_label: str
    """Amount paid, if it differs from the total; else empty."""
    missing_label: str
    """Unpaid part of the total; empty if all or nothing was paid."""
    is_held: bool
    """True if nothing is packed before staff have decided about the payment."""
    refunded_label: str
    """Amount refunded; empty if there was no refund."""
    recipient: str
    payer: str
    """Name of the person or company that pays, if it is not the recipient; else empty."""
    address_lines: list[str]
    gift_message: str
    """Text that is printed for the box; may be empty."""
    payment: PaymentFacts
    fulfillments: list[FulfillmentView]
    journey: str
    """Progress of a paid order: `preparing`, `shipped` or `delivered`; else empty.

    Without a carrier also `out` (the shop is bringing it), `to_collect` and `picked_up`.
    """
    returns: ReturnsView
    invoices: list[CustomerInvoice]
    """The existing invoice and credit notes of the order."""


_STATES: dict[str, str] = {
    SessionState.CAPTURED: "approved",
    SessionState.AUTHORIZED: "authorized",
    SessionState.REJECTED: "rejected",
    SessionState.CANCELED: "canceled",
    SessionState.EXPIRED: "expired",
    SessionState.FAILED: "failed",
    SessionState.HELD: "held",
    SessionState.UNKNOWN: "unknown",
    SessionState.CLOSED: "closed",
}
_STATUS_WITH_MONEY: dict[str, str] = {
    PaymentStatus.CAPTURED: "paid",
    PaymentStatus.PARTIALLY_CAPTURED: "paid",
    PaymentStatus.PARTIALLY_REFUNDED: "paid",
    PaymentStatus.REFUNDED: "refunded",
}
"""Status of an order on its page, by its payment status, after money was received."""
_FAILED = ("rejected", "canceled", "expired")
_FINAL = ("paid", "returning", "refunded", *_FAILED)
_CLOSABLE = (SessionState.PENDING_AUTHORIZATION, SessionState.UNKNOWN)
_JOURNEY_BY_STATUS: dict[str, str] = {
    FulfillmentStatus.PARTIALLY_SHIPPED: "shipped",
    FulfillmentStatus.SHIPPED: "shipped",
    FulfillmentStatus.PARTIALLY_DELIVERED: "shipped",
    FulfillmentStatus.DELIVERED: "delivered",
}
_JOURNEY_BY_KIND: Mapping[DeliveryKind, Mapping[str, str]] = {
    DeliveryKind.CARRIER: {},
    DeliveryKind.OWN: {
        FulfillmentStatus.PARTIALLY_SHIPPED: "out",
        FulfillmentStatus.SHIPPED: "out",
        FulfillmentStatus.PARTIALLY_DELIVERED: "out",
    },
    DeliveryKind.PICKUP: {
        FulfillmentStatus.FULFILLED: "to_collect",
        FulfillmentStatus.PARTIALLY_SHIPPED: "to_collect",
        FulfillmentStatus.SHIPPED: "to_collect",
        FulfillmentStatus.PARTIALLY_DELIVERED: "to_collect",
        FulfillmentStatus.DELIVERED: "picked_up",
    },
}
_ORDER_STATUS = {"approved": "paid", "failed": "canceled", "unknown": "pending"}


async def order_view(session: AsyncSession, settings: Settings, order_id: str) -> OrderView:
    """Return the order as its customer sees it. The caller has checked that it is the customer's order.

    Raises:
        NotFound: no order has this id.
    """
    order = await read_order(session, order_id)
    payment_sessions = await list_payment_sessions(session, order.cart_id)
    payment_session = choose_decisive_session(payment_sessions)
    payment = _build_payment_facts(order, payment_session, await read_effective_settings(session, settings))
    status = _STATUS_WITH_MONEY.get(order.payment_status) or _ORDER_STATUS.get(payment.state, payment.state)
    if status == "paid" and order.status == OrderStatus.CANCELED:
        status = "returning" if order.total else "canceled"
    is_at_the_bank = payment_session is not None and SessionState(payment_session.state) in _CLOSABLE
    _captured, refunded = await sum_captured_and_refunded(session, order.cart_id)
    money = compute_order_money(order, payment_sessions)
    address = order.shipping_address
    kind, delivery_note = await read_delivery(session, order)
    journey, held = _derive_journey(order, status, kind), await is_held(session, order.id)
    waits_for_staff = status == "review" or (held and journey == "preparing")
    lines = await list_order_lines(session, order_id)
    totals = compute_order_totals(order, lines)
    pictures = await line_pictures(session, lines)
    offered = await review_links(session, settings.signing_key, [order])
    reviews = {link.line_id: link for link in offered[order.id]}
    return OrderView(
        id=order.id,
        number=order.number or 0,
        status=status,
        is_final=status in _FINAL,
        can_retry=order.status == OrderStatus.CANCELED and status not in ("returning", "refunded", "review"),
        has_dismissed_money=status in _FAILED
        and payment_session is not None
        and has_unused_money(payment_session),
        can_change_bank=status == "pending" and is_at_the_bank,
        can_change_method=await can_pay_in_another_way(session, order, payment_session),
        can_open_account=can_open_account(order),
        created_label=time_label(order.created_at),
        email=order.email,
        lines=[
            _line_view(line, part.original_total, pictures.get(line.variant_id), reviews.get(line.id))
            for line, part in zip(lines, totals.lines, strict=True)
        ],
        subtotal_label=format_cop(totals.items.original_total),
        savings=list_savings(totals),
        shipping_name=order.shipping_name,
        delivery_kind=kind,
        delivery_note=delivery_note,
        shipping_total_label=format_cop(totals.shipping.original_total),
        promise=OrderPromise() if waits_for_staff else describe_promise(order, kind, now()),
        total=order.total,
        total_label=format_cop(order.total),
        tax_label=format_cop(totals.tax_total),
        paid_label=money.paid_label if money.is_different else "",
        missing_label=money.missing_label,
        is_held=held,
        refunded_label=format_cop(refunded) if refunded else "",
        recipient=full_name(address),
        payer=_find_payer(order),
        address_lines=format_address_lines(address),
        gift_message=read_gift_message(order.meta),
        payment=payment,
        fulfillments=(await list_fulfillment_views(session, {order_id: kind}))[order_id],
        journey=journey,
        returns=await returns_view(session, order, lines),
        invoices=await list_customer_invoices(session, order.id),
    )


def _find_payer(order: Order) -> str:
    """Return the name of the order's payer; empty if the payer is the recipient of the order."""
    doc_type = str((order.payer or {}).get("doc_type") or "")
    name = find_party_name(order.billing_address, order.shipping_address, doc_type)
    payer = name.company or full_name(name._asdict())
    return "" if payer == full_name(order.shipping_address) else payer


def _derive_journey(order: Order, status: str, kind: DeliveryKind) -> str:
    """Return the value of `OrderView.journey`: the progress of a paid or authorized order; otherwise empty.

    Staff may ship an order even if its payment is only authorized.
    """
    before = "preparing" if status == "paid" else ""
    if status not in ("paid", "authorized"):
        return ""
    return {**_JOURNEY_BY_STATUS, **_JOURNEY_BY_KIND[kind]}.get(order.fulfillment_status, before)


def _build_payment_facts(
    order: Order, payment_session: PaymentSession | None, settings: Settings
) -> PaymentFacts:
    data: dict[str, Any] = payment_session.data if payment_session else {}
    moment = (
        payment_session.captured_at or payment_session.created_at if payment_session else order.created_at
    )
    amount = payment_session.amount if payment_session else order.total
    exact = Decimal(amount)
    if payment_session and payment_session.captured_amount is not None:
        amount, exact = payment_session.captured_amount, get_exact_captured_amount(payment_session)
    instructions = parse_instructions(data)
    open_instructions = find_open_instructions(payment_session)
    return PaymentFacts(
        merchant=settings.store_legal_name,
        nit=settings.store_nit,
        contact_phone=settings.store_phone,
        contact_email=settings.store_email,
        state=_derive_payment_state(payment_session) if payment_session else "pending",
        bank=str(data.get("bank_name") or ""),
        cus=(payment_session.transaction_id or "") if payment_session else "",
        reference=(payment_session.reference or payment_session.invoice) if payment_session else "",
        date_label=time_label(moment),
        amount=amount,
        amount_label=format_exact(exact),
        currency=order.currency_code.upper(),
        description=_("Compra en {store}, pedido {number}").format(
            store=settings.store_name, number=order.number
        ),
        reason=str(data.get("reason") or ""),
        payer_ip=str(data.get("payer_ip") or ""),
        is_pse=payment_session is None or payment_session.provider_id == GATEWAY_PSE,
        method=instructions.method if instructions else "",
        instructions=open_instructions.text if open_instructions else "",
        instruction_facts=list(open_instructions.facts) if open_instructions else [],
    )


def _derive_payment_state(payment_session: PaymentSession) -> str:
    """Return the payment's state to display on the page.

    If money was received but did not pay the order, the state is `review`, not a failed payment.
    """
    if has_unaccepted_money(payment_session):
        return "review"
    return _STATES.get(SessionState(payment_session.state), "pending")


def _line_view(
    line: OrderLine, total: Cop, picture: PictureView | None, review: ReviewLink | None
) -> OrderLineView:
    return OrderLineView(
        title=line.title,
        variant=describe_sold_variant(line),
        variant_id=line.variant_id,
        product_handle="" if line.sku == WRAPPING_SKU else line.product_handle,  # wrapping has no page
        quantity=line.quantity,
        unit_price_label=format_sold_price(line.unit_price),
        line_total_label=format_sold_price(total),
        picture=picture,
        review=review,
    )
