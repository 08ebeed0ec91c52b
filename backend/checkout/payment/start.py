"""Starting the payment of a cart: a payment session with its snapshot is stored, then the provider is asked.

The payer is checked once, before anything changes. The session is stored under the cart's lock; the
provider is asked without any. While another payment of the cart is at the bank, or is being started, its provider is
asked first: it may have ended. With `replace` it is closed in the transaction that stores the new session.
"""

from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from sqlalchemy.ext.asyncio import AsyncSession

from backend.cart.access import CartCompleted
from backend.cart.models import Cart
from backend.checkout.cart_snapshot import (
    Offered,
    read_offered,
    read_priced_cart,
    require_shipping_method,
    sale_now,
    sale_of,
    snapshot_of,
    taken_by,
)
from backend.checkout.payment.paid_purchases import PurchasePaid, leave_paid_chain
from backend.checkout.payment.return_url import return_url_of
from backend.checkout.payment.stock_holds import HoldClient, HoldTooLarge, admit_hold, report_excess
from backend.checkout.quotes.unquoted_delivery import NO_COURIER, NoCourier
from backend.core.config.modules import SYSTEM_PAYMENT
from backend.core.config.settings import Settings
from backend.core.db.database import Database
from backend.core.db.tables import JsonObject
from backend.core.errors import Conflict, InvalidData, NothingToPay, ShopError, TotalChanged
from backend.core.money import Cop
from backend.core.texts import _
from backend.inventory import service as inventory
from backend.legal.consents import require_consents
from backend.office_settings import read_effective_settings
from backend.orders.links.tokens import ORDER_LINK
from backend.orders.parties import UNNAMED, PartyName, payer_answers, typed_name
from backend.orders.service import Sale, order_of_cart
from backend.orders.states import OrderStatus
from backend.payment import sessions as payments
from backend.payment.checks import check_session, claim_check, give_up_start
from backend.payment.models import PaymentCollection, PaymentSession
from backend.payment.providers.base import CheckedPayer, PaymentProvider, PaymentRequest
from backend.payment.service import PaymentService
from backend.payment.sessions import PaymentUnderWay
from backend.payment.states import SessionState
from backend.payment.transitions import CloseReason, apply_report, close, lock_session, pays
from backend.promotions.uses import Taken, lock_promotions, reserve_uses
from backend.rate_limit.limiter import Client, RateLimit, hit_in
from backend.shipping.addresses import municipality_code
from backend.shipping.provider_switches import require_on

PAYMENT_STARTS = RateLimit("payment", per_pair=12, per_client=60, per_subject=12)
"""How often a payment is started in a quarter of an hour: each reserves units for half an hour, and asks the gateway.

Nobody needs twelve starts for one cart. A thousand people behind one address make fewer than sixty purchases in that
time; sixty reservations are too few to block a shop's stock.
"""
MAX_STARTS = 3
"""How often one request starts again because another payment of the cart began or ended meanwhile."""

NOT_OFFERED = "Payment providers with ids {provider_id} not found or not enabled"
EARLIER = (
    "An earlier payment of this cart ({invoice}) was given up. Its bank may still approve it: then it pays the order, "
    "unless another payment has; what is paid twice is given back"
)
APPROVED = "The earlier payment has just been approved: the cart is paid, complete it"
LOOKED_INTO = (
    "The gateway is looking into the earlier payment: nothing can take its place before it has decided"
)


class PaymentOff(InvalidData):
    """The cart's region does not offer the provider."""

    shopper_text = _(
        "La tienda no está recibiendo pagos de esta forma ahora. Tu carrito sigue guardado: escríbenos y te ayudamos."
    )


@dataclass(frozen=True)
class PaymentStart:
    """A request to pay; `replace` closes a payment that is at the bank.

    `read` finds what is to be paid, and `lock` locks it. `return_url` is where the shopper comes back to from the bank;
    empty: the order's page. `typed` holds the payer's answers that are still to be checked; None: `payer` is the
    checked payer. `problem` is what is wrong with `typed`: the payment is refused for it, unless something else is in
    its way.
    """

    read: Callable[[AsyncSession], Awaitable[Cart]]
    lock: Callable[[AsyncSession], Awaitable[Cart]]
    provider: PaymentProvider
    ip: str
    payer: CheckedPayer = field(default_factory=CheckedPayer)
    typed: Mapping[str, Any] | None = None
    expected_total: Cop | None = None
    replace: bool = False
    return_url: str = ""
    problem: ShopError | None = None
    typed_name: PartyName = UNNAMED
    device: str = ""
    """A secret of the shopper's browser, where it has one: see `backend.checkout.payment.stock_holds`."""


@dataclass(frozen=True, slots=True)
class Started:
    """A payment that was started: of what is owed, and after which others (newest first).

    `has_moved`: its provider's answer was stored afterwards, and the others may have moved meanwhile.
    """

    collection: PaymentCollection
    payment: PaymentSession
    earlier: Sequence[PaymentSession]
    has_moved: bool = False

    @property
    def payment_sessions(self) -> list[PaymentSession]:
        """Every payment session of the cart, newest first."""
        return [self.payment, *self.earlier]


@dataclass(frozen=True)
class PaymentStarter:
    """Starts payments of carts. Every method may cross the network and opens its own transactions."""

    settings: Settings
    database: Database
    payments: PaymentService
    effective_settings: Callable[[], Awaitable[Settings]]
    """Reads the effective settings."""

    async def start(self, start: PaymentStart) -> Started:
        """Reserve the cart's stock and start a payment of what it costs now. See `Checkout.start_payment`."""
        start = await self._checked(start)
        seen = replacing = None
        for _turn in range(MAX_STARTS):
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
                if seen not in (None, under_way.session_id):
                    raise  # a rival was first: one new payment is enough
                seen = under_way.session_id
                replacing = await self._clear(under_way, start)
            else:
                payment = await payments.initiate(self.database, start.provider, started.payment, request)
                return replace(started, payment=payment, has_moved=payment is not started.payment)
        raise Conflict("Payments of this cart are being started all the time: try again")

    async def close_waiting(self, cart_id: str) -> PaymentSession | None:
        """Close the cart's payment at the bank, if there is one, so that the cart can be changed again.

        Raises:
            NotFound: no cart has this id.
            Conflict: the payment has just been approved, or is being reviewed, or is being started.
        """
        async with self.database.read() as session:
            payment_sessions = await payments.sessions_of(session, cart_id)
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
                payment.data = {**payment.data, "note": EARLIER.format(invoice=payment.invoice)}
                await close(session, payment, cart, CloseReason.BANK_CHANGED)
            return payment

    async def has_started(self, cart_id: str, expected_total: Cop) -> bool:
        """Whether a payment of exactly this total is at the bank already, from an earlier call that did not finish.

        Raises:
            Conflict: a payment is being started right now, or the one at the bank is paid or being reviewed.
        """
        payment = await self.deciding(cart_id)
        if payment is not None and payment.state == SessionState.INITIATING:
            await self.check_start(payment.id)
            payment = await self.deciding(cart_id)
        if payment is None or not (payment.state == SessionState.PENDING_AUTHORIZATION or pays(payment)):
            return False
        if payment.amount != expected_total and not pays(payment):
            await self.close_waiting(cart_id)
            return False
        return payment.amount == expected_total

    async def deciding(self, cart_id: str) -> PaymentSession | None:
        """The cart's payment that decides. See `backend.payment.sessions.decisive_session`."""
        async with self.database.read() as session:
            return await payments.decisive_session(session, cart_id)

    async def check_start(self, session_id: str) -> None:
        """Ask the provider about a payment whose start was never answered: a process that died may have started it.

        Raises:
            PaymentUnderWay: the provider may still answer, or it was started.
        """
        payment = await claim_check(self.database, session_id)
        if payment is not None:
            await check_session(self.database, self.payments.providers, payment)
        await give_up_start(self.database, session_id)

    async def ask_to_cancel(self, session_id: str) -> SessionState:
        """Ask the provider to cancel a payment; PSE can only say its state. Without an answer nothing changes.

        Returns:
            The state it is in now.

        Raises:
            Conflict: it is approved, or the gateway is reviewing it: it cannot be closed.
        """
        async with self.database.read() as session:
            payment = await session.get_one(PaymentSession, session_id)
        provider = self.payments.provider(payment.provider_id)
        state = SessionState(payment.state)
        if provider is not None:
            try:
                report = await provider.cancel(payments.started_payment(payment))
            except ShopError:
                pass  # it may still be approved: that is what the state `closed` is for
            else:
                state = await apply_report(self.database, session_id, report)
        if state is SessionState.CAPTURED:
            raise Conflict(APPROVED)
        if state is SessionState.HELD:
            raise Conflict(LOOKED_INTO)
        return state

    async def _checked(self, start: PaymentStart) -> PaymentStart:
        """Return the same with the checked payer; what was typed is joined with what the cart says of the payer.

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
        known = payer_answers(cart.billing_address, cart.shipping_address, cart.email, doc_type)
        try:
            payer = await start.provider.check_payer({**known, **typed, "ip": start.ip})
        except ShopError as error:
            if start.replace:  # nothing may be closed for it
                raise
            return replace(start, problem=error)
        return replace(start, payer=payer, typed_name=typed_name(typed))

    async def _clear(self, under_way: PaymentUnderWay, start: PaymentStart) -> str | None:
        """Ask about the payment that blocks the new one.

        Returns:
            The id of the session to close for the new one; None when none blocks it any more.

        Raises:
            PaymentUnderWay: it is still at the bank, or is being started.
            Conflict: it is paid.
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
    ) -> tuple[Started, PaymentRequest]:
        """Store the new payment session with its snapshot, and reserve the stock; one transaction."""
        provider_id = start.provider.id
        async with self.database.transaction() as session:
            cart = await start.lock(session)
            cart_id = cart.id
            if not await leave_paid_chain(session, cart):
                raise PurchasePaid
            if self.settings.store_api_consents_required:
                await require_consents(session, cart_id)
            offered = await read_offered(session, cart_id)
            terms = offered.terms
            sale, taken = await self._sale(session, cart, start, offered)
            if start.expected_total not in (None, sale.totals.total):
                raise TotalChanged(
                    f"The total is now {sale.totals.total}, not {start.expected_total}: show it and ask again"
                )
            require_offered(provider_id, terms.provider_ids, sale.totals.total)
            await lock_promotions(session, taken)
            collection = await payments.upsert_collection(
                session, terms.collection, cart_id, sale.totals.total
            )
            hold_client = HoldClient.of_sale(
                sale, ip=start.ip, device=start.device, signing_key=self.settings.signing_key
            )
            payment = await payments.open_session(
                session,
                collection,
                provider_id,
                await _session_data(session, start, replacing),
                snapshot=snapshot_of(sale, start.payer.answers),
                hold={"units": sale.units, **hold_client.values()},
                cart=cart,
                terms=terms,
                leaves_shop=start.provider.leaves_shop,
                replacing=replacing,
            )
            if start.problem is not None:
                raise start.problem
            # after every check, so that a refusal is not counted; clients without an address are not one client
            client = Client.at(start.ip or cart_id, self.settings)
            await hit_in(session, PAYMENT_STARTS, cart_id, client, locks=hold_client.client_locks())
            await reserve_uses(session, taken)
            is_first = not terms.payment_sessions and cart.completed_at is None
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
        return Started(collection, payment, terms.payment_sessions), PaymentRequest(
            session_id=payment.id,
            invoice=payment.invoice,
            amount=payment.amount,
            tax=sale.totals.tax_total,
            description=_("Compra en {store}").format(store=effective.store_name),
            return_url=return_url_of(start.return_url, cart.order_id) or self.order_link(cart.order_id),
            notification_url=f"{self.settings.base_url}/hooks/payment/{provider_id}",
            ip=start.ip,
            payer=start.payer,
        )

    async def _require_courier(self, session: AsyncSession, sale: Sale) -> None:
        """Refuse a sale to a place that no courier quoted, if the office refuses such deliveries by now.

        Raises:
            NoCourier: it does.
        """
        if (await read_effective_settings(session, self.settings)).refuse_unquoted:
            raise NoCourier(municipality_code(sale.shipping_address))

    async def _sale(
        self, session: AsyncSession, cart: Cart, start: PaymentStart, offered: Offered
    ) -> tuple[Sale, Taken]:
        """What is paid for: the cart as it is now, or what the pending order of a completed cart was made of."""
        if cart.completed_at is None:
            priced = await read_priced_cart(session, cart, offered.contents)
            require_shipping_method(cart, has_shipping=priced.shipping is not None)
            sale = sale_now(cart, priced, start.typed_name)
            if offered.is_off:
                await require_on(session, sale.shipping.option_id)
            if sale.shipping.data.get(NO_COURIER):
                await self._require_courier(session, sale)
            return sale, taken_by(cart, sale, may_hold_uses=priced.may_hold_uses)
        order = await order_of_cart(session, cart.id)
        if start.replace and order is not None and order.status == OrderStatus.PENDING:
            for payment in offered.terms.payment_sessions:
                if payment.id == cart.payment_session_id and payment.snapshot:
                    sale = sale_of(payment.snapshot)
                    return sale, taken_by(cart, sale)
        raise CartCompleted(cart.id)

    def order_link(self, order_id: str) -> str:
        """The URL of the order's page with its token: it opens without a login or cookie."""
        token = ORDER_LINK.token(self.settings.signing_key, order_id)
        return f"{self.settings.base_url}/order/{order_id}?token={token}"


def require_offered(provider_id: str, offered: Collection[str], total: Cop) -> None:
    """Check that a cart of this total may be paid with the provider; `offered` are the ids that its region names.

    Raises:
        NothingToPay: the total is 0: only `pp_system_default` takes it, whatever the region names.
        PaymentOff: the region does not name the provider.
    """
    if not total and provider_id != SYSTEM_PAYMENT:
        raise NothingToPay(f"Nothing is left to pay, and no bank charges 0 pesos: use {SYSTEM_PAYMENT}")
    if total and provider_id not in offered:
        raise PaymentOff(NOT_OFFERED.format(provider_id=provider_id))


async def _session_data(session: AsyncSession, start: PaymentStart, replacing: str | None) -> JsonObject:
    """What the result page must show of the payer (wire: checkout), and nothing else that was typed."""
    answers = start.payer.answers
    shown = {"bank_code": answers.get("bank"), "bank_name": answers.get("bank_name")}
    data: JsonObject = {"payer_ip": start.ip, **{name: str(value) for name, value in shown.items() if value}}
    if replacing is not None:
        earlier = await session.get_one(PaymentSession, replacing)
        data["note"] = EARLIER.format(invoice=earlier.invoice)
    return data
