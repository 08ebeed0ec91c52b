"""The link with which a customer pays the difference of an edit, and the payment at the bank.

The link is signed and works as long as a difference is owed: its page shows only the order's number and the amount.
The payment is one more session of the order's collection, marked with `PAYS_DIFFERENCE`. Like every payment, it is
started outside any transaction, and its notification, its check and its late approval are handled by
`backend.payment`.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sqlalchemy.ext.asyncio import AsyncSession

from backend.cart.access import lock_cart
from backend.checkout.payment.start import (
    PAYMENT_STARTS,
    PaymentStarter,
    build_payer_data,
    require_provider_offered,
)
from backend.core.config.modules import GATEWAY_PSE
from backend.core.config.settings import Settings
from backend.core.db.tables import JsonObject
from backend.core.errors import NotFound, require_found
from backend.core.money import Cop
from backend.core.texts import _
from backend.core.web.signing import SignedLink
from backend.jobs import enqueue
from backend.order_edits.difference import DifferenceChanged, read_owed, require_owed
from backend.order_edits.editability import find_undecided_payment
from backend.orders.models import Order
from backend.orders.parties import NIT, build_payer_fields
from backend.orders.service import compute_order_totals, list_order_lines, lock_order, read_order
from backend.payment import sessions as payments
from backend.payment.models import PaymentSession
from backend.payment.providers.base import CheckedPayer, PaymentRequest
from backend.payment.providers.pse.payer import COMPANY, PERSON
from backend.payment.sessions import FIRST_CHECK_DELAY, RESERVATION_TIME, PaymentUnderWay, generate_invoice
from backend.payment.states import SessionState
from backend.payment.transitions import CHECK_JOB, PAYS_DIFFERENCE, mark_cart
from backend.rate_limit.limiter import Client, hit_in

LINK = SignedLink(salt="order difference", noun="Payment link")
SEPARATOR = "."
"""Character between the order's id and the signature in a token. Tokens of draft orders do not contain it."""
MAX_TOKEN_LENGTH = 160
PATH = "/pay"
DOCUMENT_FIELDS = ("person_type", "doc_type", "doc_number")


@dataclass(frozen=True, slots=True)
class OwedDifference:
    """The difference of an order, as its payment page shows it.

    Attributes:
        amount: whole pesos; 0 if nothing is owed any more.
        bank_url: the bank's page of a started payment; empty without one.
        is_at_bank: True if a payment was started, and the bank or the gateway has not decided yet.
        needs_document: True if the payer's identity document is unknown.
    """

    order_id: str
    number: int
    amount: Cop
    bank_url: str = ""
    is_at_bank: bool = False
    needs_document: bool = False


def build_difference_url(settings: Settings, order_id: str) -> str:
    """Return the address of the page on which the customer pays the difference of the order."""
    return f"{settings.base_url}{PATH}/{order_id}{SEPARATOR}{LINK.token(settings.signing_key, order_id)}"


def is_difference_token(token: str) -> bool:
    """Return True if the token belongs to the link of a difference, and not to that of a draft order."""
    return SEPARATOR in token


async def find_difference(session: AsyncSession, settings: Settings, token: str) -> OwedDifference:
    """Return the difference of the order that the token names.

    Raises:
        NotFound: there is no such order, or the signature is wrong. The error is the same for both.
    """
    order = await read_order(session, _require_order_id(settings, token))
    payment = await find_undecided_payment(session, order)
    return OwedDifference(
        order_id=order.id,
        number=order.number or 0,
        amount=await read_owed(session, order),
        bank_url=(payment.redirect_url or "") if payment is not None else "",
        is_at_bank=payment is not None,
        needs_document=not (order.payer or {}).get("doc_number"),
    )


async def start_difference_payment(
    starter: PaymentStarter, token: str, typed: Mapping[str, Any], *, ip: str, expected: Cop
) -> str:
    """Start a payment of the difference at the bank, and return the bank's page. A repeated call returns the same page.

    Args:
        starter: starts the payments of carts.
        token: the token of the link.
        typed: the payer's answers: the bank, and the identity document if it is unknown.
        ip: the payer's address.
        expected: the amount that the customer saw, in whole pesos.

    Raises:
        NotFound: the link is unknown.
        NothingOwed: nothing is owed any more.
        DifferenceChanged: another amount is owed.
        InvalidData: `fields` has a message for each invalid answer.
        PaymentUnderWay: a payment is being started, is at the bank with another amount, or is reviewed by the gateway.
        TooManyRequests: this client, or this order, has started too many payments lately.
        PaymentFailed, OutsideFailure, OutcomeUnknown: see `backend.payment.sessions.initiate`.
    """
    provider = require_found(starter.payments.find_provider(GATEWAY_PSE), "Payment provider", GATEWAY_PSE)
    async with starter.database.read() as session:
        order_id = _require_order_id(starter.settings, token)
        order = await read_order(session, order_id)
        waiting = await find_undecided_payment(session, order)
    if waiting is not None and waiting.redirect_url and waiting.amount == expected:
        return waiting.redirect_url
    payer = await provider.check_payer({**_collect_answers(order, typed), "ip": ip})
    async with starter.database.transaction() as session:
        payment, request = await _open_session(starter, session, order_id, payer, ip=ip, expected=expected)
    if request is not None:
        payment = await payments.initiate(starter.database, provider, payment, request)
    if not payment.redirect_url:
        raise PaymentUnderWay(payment)
    return payment.redirect_url


async def _open_session(
    starter: PaymentStarter,
    session: AsyncSession,
    order_id: str,
    payer: CheckedPayer,
    *,
    ip: str,
    expected: Cop,
) -> tuple[PaymentSession, PaymentRequest | None]:
    """Store a payment session for the difference. Return it with the request for the provider.

    If an earlier call has started the payment, return its session, and None instead of a request.
    """
    cart = await lock_cart(session, (await read_order(session, order_id)).cart_id)
    order = await lock_order(session, order_id)
    waiting = await find_undecided_payment(session, order)
    if waiting is not None:
        if waiting.redirect_url and waiting.amount == expected:
            return waiting, None
        raise PaymentUnderWay(waiting)
    owed = await require_owed(session, order)
    if owed != expected:
        raise DifferenceChanged(f"The difference is now {owed}, not {expected}")
    cart_payments = await payments.read_cart_payments(session, cart.id)
    require_provider_offered(GATEWAY_PSE, cart_payments.provider_ids, owed)
    collection = require_found(cart_payments.collection, "Payment collection of order", order_id)
    await hit_in(session, PAYMENT_STARTS, cart.id, Client.from_ip(ip or cart.id, starter.settings))
    payment = PaymentSession(
        collection_id=collection.id,
        provider_id=GATEWAY_PSE,
        state=SessionState.INITIATING,
        amount=owed,
        invoice=generate_invoice(),
        data={PAYS_DIFFERENCE: order.id, **build_payer_data(payer, ip)},
        holds_stock=False,
        created_at=cart_payments.moment,
        expires_at=cart_payments.moment + RESERVATION_TIME,
    )
    session.add(payment)
    mark_cart(payment, cart)
    await session.flush()
    await enqueue(session, CHECK_JOB, {"session_id": payment.id}, key=payment.id, after=FIRST_CHECK_DELAY)
    tax = compute_order_totals(order, await list_order_lines(session, order.id)).tax_total
    effective = await starter.effective_settings()
    request = PaymentRequest(
        session_id=payment.id,
        invoice=payment.invoice,
        amount=owed,
        tax=tax * owed // order.total,
        description=_("Diferencia de tu compra en {store}").format(store=effective.store_name),
        return_url=starter.build_order_link(order.id),
        notification_url=f"{starter.settings.base_url}/hooks/payment/{GATEWAY_PSE}",
        ip=ip,
        payer=payer,
    )
    return payment, request


def _require_order_id(settings: Settings, token: str) -> str:
    order_id, _dot, signature = token.partition(SEPARATOR)
    if not order_id or len(token) > MAX_TOKEN_LENGTH:
        raise NotFound("Payment link was not found")
    LINK.require(settings.signing_key, order_id, signature)
    return order_id


def _collect_answers(order: Order, typed: Mapping[str, Any]) -> JsonObject:
    """Return the payer's answers: those stored with the order, and those that the customer typed now."""
    stored = {
        name: value for name, value in (order.payer or {}).items() if name in (*DOCUMENT_FIELDS, "email")
    }
    doc_type = str(stored.get("doc_type") or typed.get("doc_type") or "")
    known = {"person_type": COMPANY if doc_type == NIT else PERSON, **stored}
    answers = {
        **build_payer_fields(order.billing_address, order.shipping_address, order.email, doc_type),
        **known,
    }
    return {**answers, **{name: text for name, text in typed.items() if name not in known or name == "bank"}}
