"""Start the payment of a cart: store a payment session with its snapshot, then call the provider.

The payer is checked once, before anything changes. The session is stored under the cart's lock; the provider is
called without any lock. If another payment of the cart is at the bank, or is being started, the provider of that
payment is asked for its state first, because it may have ended. With `replace`, that payment is closed in the
transaction that stores the new session.
"""

from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from functools import partial
from typing import Any

from sqlalchemy.ext.asyncio import AsyncSession

from backend.cart.access import CartCompleted
from backend.cart.models import Cart
from backend.checkout.cart_snapshot import (
    PayableCart,
    build_sale,
    parse_snapshot,
    read_payable_cart,
    read_priced_cart,
    require_shipping_method,
    to_promotion_claims,
    to_snapshot,
)
from backend.checkout.later_delivery import find_later_delivery
from backend.checkout.payment.paid_purchases import PurchasePaid, leave_paid_chain
from backend.checkout.payment.return_url import format_return_url
from backend.checkout.payment.stock_holds import HoldClient, HoldTooLarge, admit_hold, report_excess
from backend.checkout.quotes.own_delivery_prices import require_unchanged_zone
from backend.checkout.quotes.unquoted_delivery import NO_COURIER, NoCourier
from backend.core.config.modules import SYSTEM_PAYMENT
from backend.core.config.settings import Settings
from backend.core.db.database import Database
from backend.core.db.tables import JsonObject
from backend.core.errors import Conflict, InvalidData, NotAllowed, NothingToPay, ShopError, TotalChanged
from backend.core.money import Cop
from backend.core.texts import _
from backend.inventory import service as inventory
from backend.legal.consents import require_consents
from backend.office_settings import read_effective_settings
from backend.orders.links.tokens import ORDER_LINK
from backend.orders.parties import UNNAMED, PartyName, build_payer_fields, parse_typed_name
from backend.orders.service import Sale, lock_order_of_cart
from backend.orders.states import OrderStatus
from backend.payment import sessions as payments
from backend.payment.checks import check_session, claim_check, give_up_start
from backend.payment.models import PaymentCollection, PaymentSession
from backend.payment.providers.base import CheckedPayer, PaymentProvider, PaymentRequest
from backend.payment.service import PaymentService
from backend.payment.sessions import PaymentUnderWay
from backend.payment.states import SessionState
from backend.payment.transitions import CloseReason, apply_report, close, lock_session, pays
from backend.promotions.uses import PromotionClaims, lock_promotions, reserve_uses
from backend.rate_limit.limiter import Client, RateLimit, hit_in
from backend.shipping.addresses import find_municipality_code
from backend.shipping.provider_switches import require_provider_on

PAYMENT_STARTS = RateLimit("payment", per_pair=12, per_client=60, per_subject=12)
"""How often a payment may be started in a quarter of an hour.

Each start reserves units for half an hour and calls the gateway.

Twelve starts for one cart are more than any shopper needs. A thousand people behind one address make fewer than
sixty purchases in that time; sixty reservations are too few to block a shop's stock.
"""
MAX_START_ATTEMPTS = 3
"""How often one request is repeated because another payment of the cart began or ended in the meantime."""

NOT_OFFERED = "Payment providers with ids {provider_id} not found or not enabled"
EARLIER_PAYMENT = (
    "An earlier payment of this cart ({invoice}) was closed. Its bank may still approve it: then it pays the order, "
    "unless another payment has; a double payment is refunded"
)
APPROVED = "The earlier payment has just been approved: the cart is paid, complete it"
UNDER_REVIEW = (
    "The gateway is reviewing the earlier payment: it cannot be replaced before the gateway has decided"
)


class PaymentOff(InvalidData):
    """The cart's region does not offer the provider."""

    shopper_text = _(
        "La tienda no está recibiendo pagos de esta forma ahora. Tu carrito sigue guardado: escríbenos y te ayudamos."
    )


class LinkExpired(NotAllowed):
    """The payment link that opened the cart has expired."""

    shopper_text = _("Este enlace venció. Escríbenos y te enviamos otro.")


@dataclass(frozen=True)
class PaymentStart:
    """A request to pay a cart. With `replace`, a payment of the cart that is at the bank is closed first.

    `read` returns the cart to pay, and `lock` locks it. `expected_total` and `expected_day` are the total and
    the promised day of delivery that the shopper saw; None to accept any. `return_url` is the page to which
    the shopper returns from the bank; if it is empty, this is the order's page.

    `typed` has the payer's answers, if they are not checked yet; otherwise `payer` has them. `problem` is the
    error that the check of these answers raised. It is raised again after the checks of the cart, so that an
    error in the cart takes precedence.
    """

    read: Callable[[AsyncSession], Awaitable[Cart]]
    lock: Callable[[AsyncSession], Awaitable[Cart]]
    provider: PaymentProvider
    ip: str
    payer: CheckedPayer = field(default_factory=CheckedPayer)
    typed: Mapping[str, Any] | None = None
    expected_total: Cop | None = None
    expected_day: date | None = None
    replace: bool = False
    return_url: str = ""
    problem: ShopError | None = None
    typed_name: PartyName = UNNAMED
    device: str = ""
    """A secret of the shopper's browser, if it has one: see `backend.checkout.payment.stock_holds`."""


@dataclass(frozen=True, slots=True)
class PaymentStartResult:
    """A started payment, with its collection and the earlier payments of the cart (newest first).

    `has_moved` is True if `earlier` may be outdated, because the provider's answer was stored after `earlier`
    was read.
    """

    collection: PaymentCollection
    payment: PaymentSession
    earlier: Sequence[PaymentSession]
    has_moved: bool = False

    @property
    def payment_sessions(self) -> list[PaymentSession]:
        """Return all payment sessions of the cart, newest first."""
        return [self.payment, *self.earlier]


@dataclass(frozen=True)
class PaymentStarter:
    """Starts payments of carts. Every method may cross the network and opens its own transactions."""

    settings: Settings
    database: Database
    payments: PaymentService
    effective_settings: Callable[[], Awaitable[Settings]]
    """Reads the effective settings."""

    async def start(self, start: PaymentStart) -> PaymentStartResult:
        """Reserve the cart's stock and start a payment of its current total. See `Checkout.start_payment`."""
        start = await self._check_payer(start)
        blocking_id = replacing = None
        for _turn in range(MAX_START_ATTEMPTS):
            try:
                started, request = await self._open_session(start, replacing)
            except PurchasePaid:
                async with self.database.transaction() as session:
                    await leave_paid_chain(session, await start.lock(session))
                raise
            except HoldTooLarge as excess:
                if excess.is_repeated:
                    async with self.database.transaction() as session:
                        await report_excess(session, excess)
                raise
            except PaymentUnderWay as under_way:
                if blocking_id not in (None, under_way.session_id):
                    raise  # a concurrent request has started a payment: one is enough
                blocking_id = under_way.session_id
                replacing = await self._check_blocking_payment(under_way, start)
            else:
                payment = await payments.initiate(self.database, start.provider, started.payment, request)
                return replace(started, payment=payment, has_moved=payment is not started.payment)
        raise Conflict("Other payments of this cart are being started: try again")

    async def close_payment_at_bank(self, cart_id: str) -> PaymentSession | None:
        """Close the cart's payment at the bank, if there is one, so that the cart can be changed again.

        Returns:
            This payment in its new state; None if no payment was at the bank.

        Raises:
            Conflict: the payment has just been approved, or is being reviewed, or is being started.
        """
        async with self.database.read() as session:
            payment_sessions = await payments.list_payment_sessions(session, cart_id)
        waiting = [
            one
            for one in payment_sessions
            if one.state in (SessionState.PENDING_AUTHORIZATION, SessionState.INITIATING)
        ]
        if not waiting:
            return None
        await self.ask_to_cancel(waiting[0].id)
        async with self.database.transaction() as session:
            payment, cart = await lock_session(session, waiting[0].id)
            if payment.state == SessionState.INITIATING:
                raise PaymentUnderWay(payment)
            if SessionState(payment.state).leads_to(SessionState.CLOSED):
                payment.data = {**payment.data, "note": EARLIER_PAYMENT.format(invoice=payment.invoice)}
                await close(session, payment, cart, CloseReason.BANK_CHANGED)
            return payment

    async def has_started(self, cart_id: str, expected_total: Cop, provider_id: str) -> bool:
        """Return True if an earlier, unfinished call has started a payment of this total that is still valid.

        A valid payment is at the bank with this provider, or was paid with any provider. A payment at the
        bank with another total or provider is not valid: it is closed before False is returned.

        Raises:
            Conflict: a payment is being started right now, or the one at the bank is paid or being reviewed.
        """
        payment = await self.find_decisive_session(cart_id)
        if payment is not None and payment.state == SessionState.INITIATING:
            await self.check_start(payment.id)
            payment = await self.find_decisive_session(cart_id)
        if payment is None or not (payment.state == SessionState.PENDING_AUTHORIZATION or pays(payment)):
            return False
        is_other = payment.amount != expected_total or payment.provider_id != provider_id
        if is_other and not pays(payment):
            await self.close_payment_at_bank(cart_id)
            return False
        return payment.amount == expected_total

    async def find_decisive_session(self, cart_id: str) -> PaymentSession | None:
        """Return the cart's decisive payment session. See `backend.payment.sessions.find_decisive_session`."""
        async with self.database.read() as session:
            return await payments.find_decisive_session(session, cart_id)

    async def check_start(self, session_id: str) -> None:
        """Ask the provider whether it started a payment whose process stopped in the meantime.

        Raises:
            PaymentUnderWay: the payment was started, or the provider may still answer.
        """
        payment = await claim_check(self.database, session_id)
        if payment is not None:
            await check_session(self.database, self.payments.providers, payment)
        await give_up_start(self.database, session_id)

    async def ask_to_cancel(self, session_id: str) -> SessionState:
        """Ask the provider to cancel a payment. PSE cannot cancel payments, so it only reports the state.

        If the provider does not answer, nothing changes.

        Returns:
            The payment's current state.

        Raises:
            Conflict: the payment cannot be closed, because it is approved or the gateway is reviewing it.
        """
        async with self.database.read() as session:
            payment = await session.get_one(PaymentSession, session_id)
        provider = self.payments.find_provider(payment.provider_id)
        state = SessionState(payment.state)
        if provider is not None:
            try:
                report = await provider.cancel(payments.to_started_payment(payment))
            except ShopError:
                pass  # the state `closed` covers a payment that may still be approved
            else:
                state = await apply_report(self.database, session_id, report)
        if state is SessionState.CAPTURED:
            raise Conflict(APPROVED)
        if state is SessionState.HELD:
            raise Conflict(UNDER_REVIEW)
        return state

    async def _check_payer(self, start: PaymentStart) -> PaymentStart:
        """Return the request with the checked payer. Answers that are missing are taken from the cart.

        Raises:
            NotFound: see `PaymentStart.read`.
            InvalidData, OutsideFailure: see `PaymentProvider.check_payer`.
        """
        typed = start.typed
        if typed is None:
            return start
        if not start.provider.asks_payer:
            return replace(start, payer=await start.provider.check_payer(typed))
        async with self.database.read() as session:
            cart = await start.read(session)
        doc_type = str(typed.get("doc_type", ""))
        known_answers = build_payer_fields(cart.billing_address, cart.shipping_address, cart.email, doc_type)
        try:
            payer = await start.provider.check_payer({**known_answers, **typed, "ip": start.ip})
        except ShopError as error:
            if start.replace:  # do not close another payment for an invalid request
                raise
            return replace(start, problem=error)
        return replace(start, payer=payer, typed_name=parse_typed_name(typed))

    async def _check_blocking_payment(self, under_way: PaymentUnderWay, start: PaymentStart) -> str | None:
        """Check whether an earlier payment still prevents the new one. With `start.replace`, ask to cancel it.

        Returns:
            The id of the earlier payment's session if that must be closed before the new payment starts, else None.

        Raises:
            PaymentUnderWay: the earlier payment is at the bank and `start.replace` is not set, or it is being
                started.
            Conflict: the earlier payment is paid, or the gateway is reviewing it.
        """
        if under_way.is_starting:
            await self.check_start(under_way.session_id)
            return None
        if not start.replace:
            raise under_way
        state = await self.ask_to_cancel(under_way.session_id)
        return under_way.session_id if state is SessionState.PENDING_AUTHORIZATION else None

    async def _open_session(
        self, start: PaymentStart, replacing: str | None
    ) -> tuple[PaymentStartResult, PaymentRequest]:
        """Store the new payment session with its snapshot, and reserve the stock, in one transaction.

        Returns:
            The stored payment, and the request to send to its provider.
        """
        provider_id = start.provider.id
        async with self.database.transaction() as session:
            cart = await start.lock(session)
            cart_id = cart.id
            if not await leave_paid_chain(session, cart):
                raise PurchasePaid
            if self.settings.store_api_consents_required:
                await require_consents(session, cart_id)
            payable = await read_payable_cart(session, cart_id)
            cart_payments = payable.payments
            sale, claims = await self._build_sale(session, cart, start, payable)
            if start.expected_total not in (None, sale.totals.total):
                raise TotalChanged(
                    f"The total is now {sale.totals.total}, not {start.expected_total}: show it and ask again"
                )
            if (later := find_later_delivery(sale.shipping.data, start.expected_day)) is not None:
                raise later
            require_provider_offered(provider_id, cart_payments.provider_ids, sale.totals.total)
            await lock_promotions(session, claims)
            collection = await payments.upsert_collection(
                session, cart_payments.collection, cart_id, sale.totals.total
            )
            hold_client = HoldClient.of_sale(
                sale, ip=start.ip, device=start.device, signing_key=self.settings.signing_key
            )
            payment = await payments.open_session(
                session,
                collection,
                provider_id,
                await _build_session_data(session, start, replacing),
                snapshot=to_snapshot(sale, start.payer.answers),
                hold={"units": sale.units, **hold_client.values()},
                cart=cart,
                cart_payments=cart_payments,
                leaves_shop=start.provider.leaves_shop,
                replacing=replacing,
            )
            if start.problem is not None:
                raise start.problem
            # count only after all checks. Clients without an address are counted separately, by their cart
            client = Client.from_ip(start.ip or cart_id, self.settings)
            await hit_in(session, PAYMENT_STARTS, cart_id, client, locks=hold_client.client_locks())
            await reserve_uses(session, claims)
            is_first = not cart_payments.payment_sessions and cart.completed_at is None
            payment.holds_stock = await inventory.reserve(
                session,
                cart_id,
                sale.units,
                until=payment.expires_at,
                is_first=is_first,
                admit=partial(
                    admit_hold, session, client=hold_client, payment=payment, cart_id=cart_id, sale=sale
                ),
            )
        effective = await self.effective_settings()
        return PaymentStartResult(collection, payment, cart_payments.payment_sessions), PaymentRequest(
            session_id=payment.id,
            invoice=payment.invoice,
            amount=payment.amount,
            tax=sale.totals.tax_total,
            description=_("Compra en {store}").format(store=effective.store_name),
            return_url=format_return_url(start.return_url, cart.order_id)
            or self.build_order_link(cart.order_id),
            notification_url=f"{self.settings.base_url}/hooks/payment/{provider_id}",
            ip=start.ip,
            payer=start.payer,
        )

    async def _require_courier(self, session: AsyncSession, sale: Sale) -> None:
        """Check that the settings still allow a sale to a place for which no courier gave a price.

        Raises:
            NoCourier: the settings now refuse such deliveries.
        """
        if (await read_effective_settings(session, self.settings)).refuse_unquoted:
            raise NoCourier(find_municipality_code(sale.shipping_address))

    async def _build_sale(
        self, session: AsyncSession, cart: Cart, start: PaymentStart, payable: PayableCart
    ) -> tuple[Sale, PromotionClaims]:
        """Return the sale to pay, and the promotions that it uses.

        The sale is the current content of the cart or, if the cart is completed, the snapshot of its pending
        order.
        """
        if cart.completed_at is None:
            if cart.payable_until is not None and cart.payable_until <= payable.payments.moment:
                raise LinkExpired("The payment link of this cart has expired: ask the shop for another one")
            priced = await read_priced_cart(session, cart, payable.contents)
            require_shipping_method(cart, has_shipping=priced.shipping is not None)
            sale = build_sale(cart, priced, start.typed_name)
            if payable.is_shipping_off:
                await require_provider_on(session, sale.shipping.option_id)
            if sale.shipping.data.get(NO_COURIER):
                await self._require_courier(session, sale)
            await require_unchanged_zone(
                session, sale.shipping, find_municipality_code(sale.shipping_address)
            )
            return sale, to_promotion_claims(cart, sale, may_hold_uses=priced.may_hold_uses)
        order = await lock_order_of_cart(session, cart.id)
        if start.replace and order is not None and order.status == OrderStatus.PENDING:
            for payment in payable.payments.payment_sessions:
                if payment.id == cart.payment_session_id and payment.snapshot:
                    sale = parse_snapshot(payment.snapshot)
                    return sale, to_promotion_claims(cart, sale)
        raise CartCompleted(cart.id)

    def build_order_link(self, order_id: str) -> str:
        """Return the URL of the order's page with its token, which opens it without a login or cookie."""
        token = ORDER_LINK.token(self.settings.signing_key, order_id)
        return f"{self.settings.base_url}/order/{order_id}?token={token}"


def require_provider_offered(provider_id: str, offered: Collection[str], total: Cop) -> None:
    """Check that a cart of this total may be paid with the provider. `offered` are the region's provider ids.

    Raises:
        NothingToPay: the total is 0, which only `pp_system_default` accepts, in any region.
        PaymentOff: the region does not offer the provider.
    """
    if not total and provider_id != SYSTEM_PAYMENT:
        raise NothingToPay(f"Nothing is left to pay, and no bank charges 0 pesos: use {SYSTEM_PAYMENT}")
    if total and provider_id not in offered:
        raise PaymentOff(NOT_OFFERED.format(provider_id=provider_id))


def build_payer_data(payer: CheckedPayer, ip: str) -> JsonObject:
    """Return the session's data about the payer: the bank and the IP address, which the receipt shows."""
    bank = {"bank_code": payer.answers.get("bank"), "bank_name": payer.answers.get("bank_name")}
    return {"payer_ip": ip, **{name: str(value) for name, value in bank.items() if value}}


async def _build_session_data(
    session: AsyncSession, start: PaymentStart, replacing: str | None
) -> JsonObject:
    """Return the data to store with the payment session. `replacing` is the id of an earlier session, or None."""
    data = build_payer_data(start.payer, start.ip)
    if replacing is not None:
        earlier = await session.get_one(PaymentSession, replacing)
        data["note"] = EARLIER_PAYMENT.format(invoice=earlier.invoice)
    return data
