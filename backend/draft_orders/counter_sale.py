"""Sell a draft order for money that a staff member has received: one transaction from the cart to the handover.

`convert_to_order` creates an order that is paid later instead.

The steps are those of the web shop: the cart is priced by `read_priced_cart`, its snapshot is stored with a session of
`pp_system_default`, its units are reserved, the order is created from the snapshot, and the capture of the session
makes it paid (`backend.checkout.completion.follow_payment`). So invoices, promotions, reports and returns treat
it like any other order. The cart's lock makes it one order, no matter how often the request is sent.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Any

from sqlalchemy.ext.asyncio import AsyncSession

from backend.audit import Subject, SubjectType, record
from backend.cart.access import lock_cart
from backend.cart.models import Cart
from backend.cart.owners import set_email
from backend.checkout.cart_snapshot import (
    PricedCart,
    build_sale,
    read_payable_cart,
    read_priced_cart,
    require_shipping_method,
    to_promotion_claims,
    to_snapshot,
)
from backend.core.clock import now
from backend.core.config.modules import MANUAL, SYSTEM_PAYMENT
from backend.core.config.settings import Settings
from backend.core.errors import InvalidData, TotalChanged
from backend.core.events import publish
from backend.core.money import Cop
from backend.core.texts import _
from backend.draft_orders.contact import SaleContact
from backend.draft_orders.drafts import read_draft, require_allowed_discount, reread_draft
from backend.edge.wire import iso
from backend.inventory import service as inventory
from backend.inventory import stock_fulfillment
from backend.inventory.movements import MovementDetails, Reason
from backend.orders.delivery_kinds import DeliveryKind, read_option_kind
from backend.orders.events import FulfillmentDelivered
from backend.orders.models import Fulfillment, Order
from backend.orders.service import (
    Sale,
    SoldShipping,
    count_units_to_send,
    create_order,
    list_order_lines,
    lock_order_of_cart,
    update_fulfillment_status,
)
from backend.orders.states import PACKED, TAKEN_FROM, LabelState, PaymentStatus
from backend.payment.manual_methods import ManualMethod, check_reference
from backend.payment.models import PaymentSession
from backend.payment.sessions import CartPayments, open_session, upsert_collection
from backend.payment.states import SessionState
from backend.payment.transitions import move
from backend.promotions.uses import lock_promotions, reserve_uses
from backend.staff.rights import Actor, Right

TAKEN_ALONG = _("Entregado en la tienda")


@dataclass(frozen=True, slots=True)
class ReceivedMoney:
    """Money that a staff member has received for a sale.

    Attributes:
        total: the amount that the staff member saw, in whole pesos.
        method: how it was paid.
        reference: the number of the transfer or of the card terminal's receipt; empty for cash.
    """

    total: Cop
    method: ManualMethod
    reference: str = ""


@dataclass(frozen=True, slots=True)
class SaleMoney:
    """Money that pays a new order.

    Attributes:
        amount: whole pesos, which may differ from the order's total.
        data: the data of the payment session.
        method: how a staff member received the money; None if it was not received now.
        reference: the number of the transfer, of the card terminal's receipt, or of the exchanged order.
    """

    amount: Cop
    data: Mapping[str, Any]
    method: ManualMethod | None = None
    reference: str = ""


def parse_received(typed: Mapping[str, Any], total: Cop) -> ReceivedMoney:
    """Parse the form that says how the money was received.

    Raises:
        InvalidData: the method is unknown; or the reference is missing or too long.
    """
    method, reference = str(typed.get("method", "")), " ".join(str(typed.get("reference", "")).split())
    if method not in set(ManualMethod):
        raise InvalidData("Unknown method", fields={"method": _("Elige cómo te pagaron.")})
    received = ReceivedMoney(total, ManualMethod(method), reference)
    check_reference(reference, is_needed=received.method is not ManualMethod.CASH)
    return received


async def sell(
    session: AsyncSession,
    actor: Actor,
    settings: Settings,
    draft_id: str,
    *,
    received: ReceivedMoney,
    contact: SaleContact | None = None,
) -> Order:
    """Make the draft a paid order. A repeated call returns the same order.

    Without a shipping method the customer takes the products along, and they leave the stock. The order gets the name
    and e-mail address in `contact`; the invoice gets the identity document in it.

    Raises:
        NotFound: there is no such draft.
        NotAllowed: the draft was cancelled, or it belongs to an exchange.
        Conflict: a customer is paying the draft at the bank.
        InvalidData: the draft has no lines; or a part of the delivery address is missing.
        InsufficientStock: the units are sold out.
        TotalChanged: the total is no longer the one that the staff member saw.
        DiscountTooLarge: see `backend.draft_orders.drafts.require_allowed_discount`.
    """
    actor.require(Right.SELL)
    draft = await read_draft(session, actor, draft_id)
    cart = await lock_cart(session, draft.cart_id)
    if (order := await lock_order_of_cart(session, cart.id)) is not None:
        return order
    draft = await reread_draft(session, draft_id)
    payable = await read_payable_cart(session, cart.id)
    priced = await read_priced_cart(session, cart, payable.contents)
    await require_allowed_discount(session, actor, settings, cart)
    if priced.total != received.total:
        raise TotalChanged(f"The total is now {priced.total}, not {received.total}: show it and ask again")
    await record(
        session,
        actor,
        "sold",
        Subject(SubjectType.ORDER, cart.order_id),
        {
            "total": (None, priced.total),
            "way": (None, received.method),
            "reference": (None, received.reference),
            "discount": (None, cart.staff_discount),
        },
    )
    if contact is not None:
        await _store_contact(session, cart, contact)
    money = SaleMoney(priced.total, {}, received.method, received.reference)
    order = await create_captured_order(
        session,
        actor,
        cart,
        payable.payments,
        priced,
        money=money,
        payer=contact.to_payer() if contact is not None else {},
    )
    draft.is_current = False
    await session.flush()
    return order


async def create_captured_order(
    session: AsyncSession,
    actor: Actor,
    cart: Cart,
    cart_payments: CartPayments,
    priced: PricedCart,
    *,
    money: SaleMoney,
    payer: Mapping[str, Any],
) -> Order:
    """Create the order of the (locked) cart, paid with this money. If it has no shipping method, hand over its units.

    Raises:
        InvalidData: the order must be delivered, but a part of the address is missing.
        InsufficientStock: the units are sold out.
    """
    sale = await build_counter_sale(session, cart, priced)
    payment = await _open_payment(session, cart, cart_payments, sale, money, payer)
    await reserve_uses(session, to_promotion_claims(cart, sale, may_hold_uses=priced.may_hold_uses))
    await inventory.reserve(session, cart.id, sale.units, until=None)
    await move(session, payment, cart, SessionState.AUTHORIZED)
    # an order that this money pays only in part is not authorized
    status = PaymentStatus.AUTHORIZED if money.amount >= priced.total else PaymentStatus.AWAITING
    order, _lines = await create_order(session, cart, sale, status, payer=payment.snapshot.get("payer"))
    payment.captured_amount = payment.amount
    await move(session, payment, cart, SessionState.CAPTURED)
    if sale.shipping.option_id is None:
        await _hand_over(session, actor, order)
    return order


async def convert_to_order(
    session: AsyncSession, actor: Actor, settings: Settings, draft_id: str, *, payable_for: timedelta
) -> Order:
    """Convert the draft to an unpaid order. A repeated call returns the same order.

    Its units are reserved for `payable_for`. Staff capture the payment within this time, after they received the
    money. An order with a total of 0 is paid at once.

    Raises:
        NotFound, NotAllowed, Conflict, InsufficientStock, DiscountTooLarge: see `sell`.
        InvalidData: lines, e-mail address, delivery address or shipping method are missing.
    """
    actor.require(Right.SELL)
    draft = await read_draft(session, actor, draft_id)
    cart = await lock_cart(session, draft.cart_id)
    if (order := await lock_order_of_cart(session, cart.id)) is not None:
        return order
    draft = await reread_draft(session, draft_id)
    payable = await read_payable_cart(session, cart.id)
    priced = await read_priced_cart(session, cart, payable.contents)
    require_shipping_method(cart, has_shipping=priced.shipping is not None)
    await require_allowed_discount(session, actor, settings, cart)
    changes = {"total": (None, priced.total), "discount": (None, cart.staff_discount)}
    await record(session, actor, "converted", Subject(SubjectType.ORDER, cart.order_id), changes)
    sale = build_sale(cart, priced)
    payment = await _open_payment(session, cart, payable.payments, sale, None, {})
    payment.expires_at = payment.created_at + payable_for
    await reserve_uses(session, to_promotion_claims(cart, sale, may_hold_uses=priced.may_hold_uses))
    await inventory.reserve(session, cart.id, sale.units, until=payment.expires_at)
    await move(session, payment, cart, SessionState.AUTHORIZED)
    order, _lines = await create_order(session, cart, sale, PaymentStatus.AUTHORIZED)
    draft.is_current = False
    if not payment.amount:  # nothing is left to pay
        payment.captured_amount = 0
        await move(session, payment, cart, SessionState.CAPTURED)
    await session.flush()
    return order


async def _store_contact(session: AsyncSession, cart: Cart, contact: SaleContact) -> None:
    if contact.email:
        await set_email(session, cart, contact.email)
    if (address := contact.to_address()) and not cart.shipping_address:
        cart.billing_address = address


async def build_counter_sale(session: AsyncSession, cart: Cart, priced: PricedCart) -> Sale:
    """Return the content of the order that the cart would become now.

    Without a shipping method, the customer takes the products along.

    Raises:
        InvalidData: the order must be delivered, but a part of the address is missing. A pickup needs no address.
    """
    if priced.shipping is not None:
        kind = await read_option_kind(session, priced.shipping.option_id or "")
        if kind is not DeliveryKind.PICKUP:
            require_shipping_method(cart, has_shipping=True)
        return build_sale(cart, priced)
    return build_sale(cart, replace(priced, shipping=SoldShipping(None, TAKEN_ALONG, 0, {})))


async def _open_payment(  # noqa: PLR0917
    session: AsyncSession,
    cart: Cart,
    cart_payments: CartPayments,
    sale: Sale,
    money: SaleMoney | None,
    payer: Mapping[str, Any],
) -> PaymentSession:
    """Store the payment session with its snapshot, as a payment of the web shop does."""
    await lock_promotions(session, to_promotion_claims(cart, sale))
    collection = await upsert_collection(session, cart_payments.collection, cart.id, sale.totals.total)
    payment = await open_session(
        session,
        collection,
        SYSTEM_PAYMENT,
        money.data if money is not None else {},
        snapshot=to_snapshot(sale, payer),
        hold={"units": sale.units, "holds_stock": True},
        cart=cart,
        cart_payments=cart_payments,
        leaves_shop=False,
    )
    if money is not None:
        payment.amount = money.amount
        payment.method, payment.reference = money.method, money.reference or None
    return payment


async def _hand_over(session: AsyncSession, actor: Actor, order: Order) -> None:
    """Take the order's units out of the stock, and record that the customer has them."""
    lines = list(await list_order_lines(session, order.id))
    taken = await stock_fulfillment.fulfill(
        session,
        order.cart_id,
        count_units_to_send(lines),
        MovementDetails(Reason.SALE, actor, order_id=order.id),
    )
    moment = now()
    fulfillment = Fulfillment(
        order_id=order.id,
        reference=f"{order.number}-1",
        location_id=next(iter(taken)),
        provider_id=MANUAL,
        state=LabelState.CREATED,
        items=[
            {
                "line_item_id": line.id,
                "variant_id": line.variant_id,
                "title": line.title,
                "sku": line.sku,
                "quantity": line.quantity,
            }
            for line in lines
        ],
        data={PACKED: iso(moment), TAKEN_FROM: taken},
        shipped_at=moment,
        delivered_at=moment,
    )
    session.add(fulfillment)
    for line in lines:
        line.fulfilled = line.quantity
    await update_fulfillment_status(session, order)
    await publish(session, FulfillmentDelivered(fulfillment.id, order.id))
