"""`Checkout`: quoting shipping, paying and completing a cart, for the storefront and the Store API alike."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from functools import partial
from typing import Any

from backend.cart.access import NOT_FOUND, Caller, lock_cart, open_cart, read_cart, unordered_cart
from backend.checkout.cart_snapshot import read_offered, read_priced_cart, require_shipping_method
from backend.checkout.carts.changes import set_town
from backend.checkout.carts.wire import WholeCart
from backend.checkout.completion import Completed, complete
from backend.checkout.form import check_typed, problems_of, require_town
from backend.checkout.payment.payer_questions import missing_answers
from backend.checkout.payment.return_url import require_return_url
from backend.checkout.payment.start import PaymentStart, PaymentStarter, Started
from backend.checkout.placed_orders import PlacedOrder, placed_order
from backend.checkout.quotes.quote_limits import Quoting, UnderWay
from backend.checkout.shipping_options import (
    ShippingOffer,
    choose_shipping,
    deliver_to,
    offer_shipping,
    offered_options,
    priced_offers,
)
from backend.core.config.modules import GATEWAY_PSE, SYSTEM_PAYMENT
from backend.core.config.settings import Settings
from backend.core.db.database import Database
from backend.core.errors import Conflict, NotAllowed, NotFound, require_found
from backend.core.money import Cop
from backend.core.observability.tracing import traced
from backend.legal.consents import Consenting, ConsentSource, give_consents
from backend.orders.service import is_just_placed, order_of_cart
from backend.payment import sessions as payments
from backend.payment.models import PaymentCollection, PaymentSession
from backend.payment.providers.base import CheckedPayer, MissingAnswer, PaymentProvider
from backend.payment.service import PaymentService
from backend.rate_limit.limiter import Client
from backend.shipping.offered_options import Offer
from backend.shipping.providers.base import FulfillmentProviders, Quote


@dataclass(frozen=True)
class Checkout:
    """The checkout of a running shop. Methods open their own transactions and may call services outside."""

    settings: Settings
    database: Database
    payments: PaymentService
    fulfillment_providers: FulfillmentProviders
    effective_settings: Callable[[], Awaitable[Settings]]
    """Reads the effective settings."""
    under_way: UnderWay = field(default_factory=UnderWay)

    @property
    def starter(self) -> PaymentStarter:
        """What starts and closes the payments of carts."""
        return PaymentStarter(self.settings, self.database, self.payments, self.effective_settings)

    @traced
    async def priced_offers(
        self, cart_id: str, option_id: str | None = None, caller: Caller | None = None, *, ip: str
    ) -> list[tuple[Offer, Quote | None]]:
        """The shipping options for the cart, priced just now. See `backend.checkout.shipping_options.priced_offers`."""
        return await priced_offers(self._quoting(cart_id, ip), cart_id, option_id, caller)

    @traced
    async def choose_shipping(
        self, cart_id: str, option_id: str, caller: Caller | None = None, *, ip: str
    ) -> WholeCart:
        """Ship the cart by this option. See `backend.checkout.shipping_options.choose_shipping`."""
        return await choose_shipping(self._quoting(cart_id, ip), cart_id, option_id, caller)

    @traced
    async def offer_shipping(
        self, cart_id: str, wanted: str = "", *, ip: str, is_choice: bool = False
    ) -> ShippingOffer:
        """The options with their prices, one of them chosen. See `backend.checkout.shipping_options.offer_shipping`."""
        return await offer_shipping(self._quoting(cart_id, ip), cart_id, wanted, is_choice=is_choice)

    @traced
    async def set_town(self, cart_id: str, dane_code: str, address: str = "") -> None:
        """Store the municipality, and the street if given, so that shipping is priced while the form is still typed.

        Another place removes the shipping method.

        Raises:
            NotFound, NotAllowed: see `backend.cart.access.open_cart`.
            InvalidData: no municipality has this code.
        """
        town = require_town(dane_code)
        async with self.database.transaction() as session:
            await set_town(session, await open_cart(session, cart_id), town, address)

    async def is_offered(self, cart_id: str, provider_id: str) -> bool:
        """Whether the cart may be paid by this provider: its region offers it, and the shop runs with it.

        Raises:
            NotFound: no cart has this id.
        """
        async with self.database.read() as session:
            cart = await read_cart(session, cart_id)
            offered = await payments.offered_providers(session, cart.region_id)
        return provider_id in offered and self.payments.provider(provider_id) is not None

    async def offered_options(self, cart_id: str) -> frozenset[str]:
        """The ids of the shipping options that the cart is offered.

        Raises:
            NotFound: no cart has this id.
        """
        return await offered_options(self.database, self.fulfillment_providers, cart_id)

    @traced
    async def collect(
        self, cart_id: str, caller: Caller | None = None
    ) -> tuple[PaymentCollection, Sequence[PaymentSession]]:
        """The cart's payment collection, at what the cart costs now; while a payment is at the bank, as it is.

        Returns:
            The collection, and its payment sessions, newest first.

        Raises:
            NotFound, NotAllowed: see `backend.cart.access.unordered_cart`.
            InvalidData, InsufficientStock: see `backend.checkout.cart_snapshot.read_priced_cart`; or a step is not
            done.
        """
        async with self.database.transaction() as session:
            cart = await unordered_cart(session, cart_id, caller)
            offered = await read_offered(session, cart_id)
            terms = offered.terms
            if terms.collection is not None and cart.payment_session_id is not None:
                return terms.collection, terms.payment_sessions
            prices = await read_priced_cart(session, cart, offered.contents)
            require_shipping_method(cart, has_shipping=prices.shipping is not None)
            collection = await payments.upsert_collection(session, terms.collection, cart_id, prices.total)
            return collection, terms.payment_sessions

    @traced
    async def start_payment(
        self,
        cart_id: str,
        provider_id: str,
        payer: CheckedPayer,
        *,
        ip: str,
        expected_total: Cop | None = None,
        replace: bool = False,
        return_url: object = None,
        device: str = "",
    ) -> Started:
        """Reserve the cart's stock and start a payment of what it costs now (spec: States and transitions).

        `payer` is what the provider's `check_payer` returned.
        `return_url` is a storefront's page that the shopper comes back to from the bank: see `require_return_url`.
        With `replace`, a payment of the cart that is at the bank is closed for it: its provider is asked first, and
        what it approves later still pays the order, unless another payment has.

        Raises:
            NotFound: no cart, or no provider, has this id.
            NotAllowed: the cart has become an order.
            InvalidData: the cart is not ready, its region does not offer the provider, or `return_url` is at fault
                (`fields`).
            InsufficientStock: the units are gone.
            HoldTooLarge: the client would hold too much stock without paying: see
                `backend.checkout.payment.stock_holds`.
            TotalChanged: the cart costs something else than the shopper saw.
            Conflict: a payment of this cart is under way, or has just been approved; or the purchase that the cart was
                restored for is paid, and what was paid for is taken out of the cart now (`PurchasePaid`).
            TooManyRequests: this client, or this cart, has started too many lately. Conflicts are not counted.
            PaymentFailed, OutsideFailure, OutcomeUnknown: see `backend.payment.sessions.initiate`.
        """
        start = PaymentStart(
            partial(read_cart, cart_id=cart_id),
            partial(lock_cart, cart_id=cart_id),
            self._provider(provider_id),
            ip,
            payer,
            expected_total=expected_total,
            replace=replace,
            return_url=self._return_url(return_url),
            device=device,
        )
        return await self.starter.start(start)

    @traced
    async def start_collected(
        self,
        collection_id: str,
        provider_id: str,
        typed: Mapping[str, Any],
        *,
        caller: Caller,
        ip: str,
        replace: bool,
        return_url: object,
    ) -> Started:
        """Check the payer, and `start_payment` of the caller's cart that has this payment collection.

        Raises:
            NotFound: see `collected_cart`; or no provider has this id.
            InvalidData: see `PaymentProvider.check_payer`.
        """
        start = PaymentStart(
            partial(payments.read_collected_cart, collection_id=collection_id, caller=caller),
            partial(payments.lock_collected_cart, collection_id=collection_id, caller=caller),
            self._provider(provider_id),
            ip,
            typed=typed,
            replace=replace,
            return_url=self._return_url(return_url),
        )
        return await self.starter.start(start)

    async def missing_answers(
        self, collection_id: str, provider_id: str, *, caller: Caller, ip: str
    ) -> list[MissingAnswer]:
        """What has to be asked of whoever pays the collection with this provider: see `backend.checkout.payment.start`.

        Raises:
            NotFound: see `start_collected`.
        """
        provider = self._provider(provider_id)
        if not provider.asks_payer:
            return []
        async with self.database.read() as session:
            cart, offered = await payments.collected_cart(session, collection_id, caller)
            if not (await session.get_one(PaymentCollection, collection_id)).amount:
                return []  # starting says that nothing is to be paid
        return await missing_answers(provider, cart, offered, ip)

    @traced
    async def close_payment(self, cart_id: str) -> None:
        """Close the cart's payment that is at the bank, and start no other. See `PaymentStarter.close_waiting`."""
        await self.starter.close_waiting(cart_id)

    @traced
    async def complete(
        self, cart_id: str, *, expected_total: Cop | None = None, caller: Caller | None = None
    ) -> Completed:
        """Make the cart's order, once. See `backend.checkout.completion.complete`."""
        manual_for = timedelta(days=(await self.effective_settings()).manual_payment_days)
        async with self.database.transaction() as session:
            return await complete(
                session, cart_id, expected_total=expected_total, manual_for=manual_for, caller=caller
            )

    @traced
    async def place_order(
        self, cart_id: str, typed: Mapping[str, Any], *, expected_total: Cop, ip: str, device: str = ""
    ) -> PlacedOrder:
        """Check what was typed, reserve the stock, start the payment and make the order.

        A total of 0 takes a payment session of `pp_system_default`; any other is paid at the bank.

        Called twice, or from two tabs, it makes one order and starts one payment. The order goes where was typed: if
        shipping was priced for another place, it is priced again, and another price raises `TotalChanged`.

        Raises:
            InvalidData: `fields` has a message for the shopper by field; nothing was started.
            NotFound: no cart has this id, or it has been an order for longer than `JUST_PLACED`.
            InsufficientStock, HoldTooLarge, TotalChanged, Conflict, TooManyRequests, PaymentFailed, OutsideFailure:
                see `start_payment`.
        """
        async with self.database.read() as session:
            order = await order_of_cart(session, cart_id)
            if order is None:
                billing_address = (await read_cart(session, cart_id)).billing_address
            elif not await is_just_placed(session, order):
                raise NotFound(NOT_FOUND.format(cart_id=cart_id))
        if order is None:
            provider = self._provider(GATEWAY_PSE if expected_total else SYSTEM_PAYMENT)
            destination, payer = await check_typed(provider, typed, ip, billing_address)
            try:
                if not await self.starter.has_started(cart_id, expected_total):
                    await deliver_to(self._quoting(cart_id, ip), cart_id, destination)
                    await self._consent(cart_id, ip)
                    await self.start_payment(
                        cart_id, provider.id, payer, ip=ip, expected_total=expected_total, device=device
                    )
                order = (await self.complete(cart_id, expected_total=expected_total)).order
            except (Conflict, NotAllowed):
                async with self.database.read() as session:
                    order = await order_of_cart(session, cart_id)  # another call may have been faster
                if order is None:
                    raise
        return await placed_order(self.starter, order)

    async def problems(self, typed: Mapping[str, Any], ip: str, *, is_free: bool = False) -> dict[str, str]:
        """Return what is wrong with what was typed so far: a message for the shopper by field; empty when nothing is.

        `is_free`: the total is 0, and nobody is asked who pays.
        """
        return await problems_of(self._provider(SYSTEM_PAYMENT if is_free else GATEWAY_PSE), typed, ip)

    async def placed(self, cart_id: str) -> PlacedOrder | None:
        """The order that the cart has just become, for whoever may use the cart.

        None while it is none, and `JUST_PLACED` after it was placed.
        """
        async with self.database.read() as session:
            order = await order_of_cart(session, cart_id)
            if order is None or not await is_just_placed(session, order):
                return None
        return await placed_order(self.starter, order)

    async def _consent(self, cart_id: str, ip: str) -> None:
        """Store what was agreed to by the boxes of the page, with the texts as they are."""
        async with self.database.transaction() as session:
            cart = await read_cart(session, cart_id)
            consenting = Consenting(self.settings, ip, ConsentSource.CHECKOUT)
            await give_consents(session, consenting, cart_id=cart_id, customer_id=cart.customer_id)

    def _quoting(self, cart_id: str, ip: str) -> Quoting:
        """Whoever is at this address asks for live prices; without one they are counted by the cart."""
        client = Client.at(ip or cart_id, self.settings)
        return Quoting(
            self.database, self.fulfillment_providers, client, self.under_way, self.effective_settings
        )

    def _provider(self, provider_id: str) -> PaymentProvider:
        return require_found(self.payments.provider(provider_id), "Payment provider", provider_id)

    def _return_url(self, sent: object) -> str:
        """The page that was sent to come back to, if one was."""
        return "" if sent is None else require_return_url(sent, self.settings.cross_origins["store"])
