"""`Checkout`: quote shipping, pay and complete a cart, for the storefront and the Store API."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta
from functools import partial
from typing import Any

from backend.cart.access import NOT_FOUND, Caller, lock_cart, lock_unordered_cart, open_cart, read_cart
from backend.checkout.cart_snapshot import read_payable_cart, read_priced_cart, require_shipping_method
from backend.checkout.carts.changes import set_town
from backend.checkout.carts.wire import WholeCart
from backend.checkout.completion import CompletionResult, complete
from backend.checkout.form import (
    CHOOSE_PAYMENT,
    PAYMENT_PROVIDER,
    check_typed,
    find_problems,
    find_sent_billing_address,
    require_town,
)
from backend.checkout.payment.payer_questions import list_missing_answers
from backend.checkout.payment.return_url import require_return_url
from backend.checkout.payment.start import PaymentStart, PaymentStarter, PaymentStartResult
from backend.checkout.placed_orders import PlacedOrder, to_placed_order
from backend.checkout.quotes.quote_limits import QuotationSlots, Quoter
from backend.checkout.shipping_options import (
    ShippingOffer,
    choose_shipping,
    deliver_to_destination,
    list_offered_option_ids,
    list_priced_offers,
    offer_shipping,
)
from backend.core.config.modules import GATEWAY_PSE, SYSTEM_PAYMENT
from backend.core.config.settings import Settings
from backend.core.db.database import Database
from backend.core.errors import Conflict, InvalidData, NotAllowed, NotFound, require_found
from backend.core.money import Cop
from backend.core.observability.tracing import traced
from backend.legal.consents import ConsentContext, ConsentSource, give_consents
from backend.orders.service import is_just_placed, lock_order_of_cart
from backend.payment import sessions as payments
from backend.payment.models import PaymentCollection, PaymentSession
from backend.payment.providers.base import CheckedPayer, MissingAnswer, PaymentProvider
from backend.payment.service import PaymentService
from backend.rate_limit.limiter import Client
from backend.shipping.delivery_promise import DeliveryPromise
from backend.shipping.offered_options import Offer
from backend.shipping.providers.base import FulfillmentProviders, Quote


@dataclass(frozen=True)
class Checkout:
    """The checkout of a running shop. Methods open their own transactions and may call external services."""

    settings: Settings
    database: Database
    payments: PaymentService
    fulfillment_providers: FulfillmentProviders
    effective_settings: Callable[[], Awaitable[Settings]]
    """Reads the effective settings."""
    quotation_slots: QuotationSlots = field(default_factory=QuotationSlots)

    @property
    def starter(self) -> PaymentStarter:
        """Return the object that starts and closes the payments of carts."""
        return PaymentStarter(self.settings, self.database, self.payments, self.effective_settings)

    @traced
    async def list_priced_offers(
        self, cart_id: str, option_id: str | None = None, caller: Caller | None = None, *, ip: str
    ) -> list[tuple[Offer, Quote | None, DeliveryPromise | None]]:
        """Return the cart's options with live prices and promises. See `shipping_options.list_priced_offers`."""
        return await list_priced_offers(self.create_quoter(cart_id, ip), cart_id, option_id, caller)

    @traced
    async def choose_shipping(
        self, cart_id: str, option_id: str, caller: Caller | None = None, *, ip: str
    ) -> WholeCart:
        """Choose this shipping option for the cart. See `backend.checkout.shipping_options.choose_shipping`."""
        return await choose_shipping(self.create_quoter(cart_id, ip), cart_id, option_id, caller)

    @traced
    async def offer_shipping(
        self, cart_id: str, option_id: str = "", *, ip: str, is_choice: bool = False
    ) -> ShippingOffer:
        """Return the cart's shipping options with prices, and choose one of them.

        See `backend.checkout.shipping_options.offer_shipping`.
        """
        return await offer_shipping(self.create_quoter(cart_id, ip), cart_id, option_id, is_choice=is_choice)

    @traced
    async def set_town(self, cart_id: str, dane_code: str, address: str = "") -> None:
        """Store the municipality, and the street if given, so that shipping can be priced before the form is complete.

        If the place changes, the shipping method is removed.

        Raises:
            NotFound, NotAllowed: see `backend.cart.access.open_cart`.
            InvalidData: no municipality has this code.
        """
        town = require_town(dane_code)
        async with self.database.transaction() as session:
            await set_town(session, await open_cart(session, cart_id), town, address)

    async def list_payment_methods(self, cart_id: str) -> list[PaymentProvider]:
        """Return the providers with which a shopper may pay the cart on the checkout page, in the configured order.

        Raises:
            NotFound: no cart has this id.
        """
        async with self.database.read() as session:
            cart = await read_cart(session, cart_id)
            offered = await payments.list_offered_providers(session, cart.region_id)
        return [provider for provider in self.payments.list_methods() if provider.id in offered]

    def list_payer_field_names(self) -> frozenset[str]:
        """Return the names of the fields that the providers add to the checkout form."""
        return frozenset(
            field.name for provider in self.payments.list_methods() for field in provider.payer_fields
        )

    async def list_offered_option_ids(self, cart_id: str) -> frozenset[str]:
        """Return the ids of the shipping options that are offered for the cart.

        Raises:
            NotFound: no cart has this id.
        """
        return await list_offered_option_ids(self.database, self.fulfillment_providers, cart_id)

    @traced
    async def create_collection(
        self, cart_id: str, caller: Caller | None = None
    ) -> tuple[PaymentCollection, Sequence[PaymentSession]]:
        """Create or update the cart's payment collection with the current total.

        While a payment is at the bank, the collection does not change.

        Returns:
            The collection, and its payment sessions, newest first.

        Raises:
            NotFound, NotAllowed: see `backend.cart.access.lock_unordered_cart`.
            InvalidData: an earlier step of the checkout is missing.
            InvalidData, InsufficientStock: see `backend.checkout.cart_snapshot.read_priced_cart`.
        """
        async with self.database.transaction() as session:
            cart = await lock_unordered_cart(session, cart_id, caller)
            payable = await read_payable_cart(session, cart_id)
            cart_payments = payable.payments
            if cart_payments.collection is not None and cart.payment_session_id is not None:
                return cart_payments.collection, cart_payments.payment_sessions
            prices = await read_priced_cart(session, cart, payable.contents)
            require_shipping_method(cart, has_shipping=prices.shipping is not None)
            collection = await payments.upsert_collection(
                session, cart_payments.collection, cart_id, prices.total
            )
            return collection, cart_payments.payment_sessions

    @traced
    async def start_payment(
        self,
        cart_id: str,
        provider_id: str,
        payer: CheckedPayer,
        *,
        ip: str,
        expected_total: Cop | None = None,
        expected_day: date | None = None,
        replace: bool = False,
        return_url: object = None,
        device: str = "",
    ) -> PaymentStartResult:
        """Reserve the cart's stock and start a payment of its current total (spec: States and transitions).

        `payer` must be the result of the provider's `check_payer`. `return_url` is a storefront's page to
        which the shopper returns from the bank: see `require_return_url`. With `replace`, a payment of the
        cart that is at the bank is closed, after its provider was asked for its state. If the provider
        approves the closed payment later, that payment still pays the order, unless another payment has paid
        it.

        Raises:
            NotFound: no cart, or no provider, has this id.
            NotAllowed: the cart has become an order.
            InvalidData: the cart is not ready, its region does not offer the provider, or `return_url` is
                invalid. For an invalid `return_url`, `fields` has the message.
            InsufficientStock: the units are sold out.
            HoldTooLarge: the client would hold too much stock without paying: see
                `backend.checkout.payment.stock_holds`.
            TotalChanged: the cart's total differs from the one that the shopper saw.
            DeliveryLater: the promised day of delivery is later than the one that the shopper saw.
            Conflict: a payment of this cart is under way, or has just been approved.
            PurchasePaid: a kind of Conflict. The cart was restored from another cart whose payment was
                approved later. The paid lines were removed from the cart.
            TooManyRequests: this client, or this cart, has started too many payments lately. Conflicts are
                not counted.
            PaymentFailed, OutsideFailure, OutcomeUnknown: see `backend.payment.sessions.initiate`.
        """
        start = PaymentStart(
            partial(read_cart, cart_id=cart_id),
            partial(lock_cart, cart_id=cart_id),
            self._require_provider(provider_id),
            ip,
            payer,
            expected_total=expected_total,
            expected_day=expected_day,
            replace=replace,
            return_url=self._parse_return_url(return_url),
            device=device,
        )
        return await self.starter.start(start)

    @traced
    async def start_collection_payment(
        self,
        collection_id: str,
        provider_id: str,
        typed: Mapping[str, Any],
        *,
        caller: Caller,
        ip: str,
        replace: bool,
        return_url: object,
        expected_day: date | None = None,
    ) -> PaymentStartResult:
        """Check the payer, and start a payment of the caller's cart that has this payment collection.

        See `start_payment`.

        Raises:
            NotFound: no provider has this id, or as in `read_cart_and_providers`.
            InvalidData: see `PaymentProvider.check_payer`.
        """
        start = PaymentStart(
            partial(payments.read_cart_of_collection, collection_id=collection_id, caller=caller),
            partial(payments.lock_cart_of_collection, collection_id=collection_id, caller=caller),
            self._require_provider(provider_id),
            ip,
            typed=typed,
            expected_day=expected_day,
            replace=replace,
            return_url=self._parse_return_url(return_url),
        )
        return await self.starter.start(start)

    async def list_missing_answers(
        self, collection_id: str, provider_id: str, *, caller: Caller, ip: str
    ) -> list[MissingAnswer]:
        """Return the answers that the payer of the collection's cart still has to give.

        Raises:
            NotFound: see `start_collection_payment`.
        """
        provider = self._require_provider(provider_id)
        if not provider.asks_payer:
            return []
        async with self.database.read() as session:
            cart, offered = await payments.read_cart_and_providers(session, collection_id, caller)
            if not (await session.get_one(PaymentCollection, collection_id)).amount:
                return []  # starting the payment reports that nothing is left to pay
        return await list_missing_answers(provider, cart, offered, ip)

    @traced
    async def close_payment(self, cart_id: str) -> None:
        """Close the cart's payment at the bank without starting another. See `PaymentStarter.close_payment_at_bank`."""
        await self.starter.close_payment_at_bank(cart_id)

    @traced
    async def complete(
        self, cart_id: str, *, expected_total: Cop | None = None, caller: Caller | None = None
    ) -> CompletionResult:
        """Create the cart's order, once. See `backend.checkout.completion.complete`."""
        manual_payment_time = timedelta(days=(await self.effective_settings()).manual_payment_days)
        async with self.database.transaction() as session:
            return await complete(
                session,
                cart_id,
                expected_total=expected_total,
                manual_payment_time=manual_payment_time,
                caller=caller,
            )

    @traced
    async def place_order(
        self,
        cart_id: str,
        typed: Mapping[str, Any],
        *,
        expected_total: Cop,
        expected_day: date | None = None,
        ip: str,
        device: str = "",
    ) -> PlacedOrder:
        """Check the form, reserve the stock, start the payment and create the order.

        A total of 0 uses a payment session of `pp_system_default`; any other total is paid with the provider that
        the form names in `PAYMENT_PROVIDER`.

        Repeated calls, also from two tabs, create one order and start one payment. The order is sent to the address
        in the form. If shipping was priced for another place, it is priced again, and a different price raises
        `TotalChanged`. `expected_day` is the promised day that the shopper saw; None if they saw none.

        Raises:
            InvalidData: `fields` has a message for the shopper by field; nothing was started.
            NotFound: no cart has this id, or its order was placed longer than `JUST_PLACED` ago.
            InsufficientStock, HoldTooLarge, TotalChanged, DeliveryLater, Conflict, TooManyRequests, PaymentFailed,
                OutsideFailure: see `start_payment`.
        """
        async with self.database.read() as session:
            order = await lock_order_of_cart(session, cart_id)
            if order is None:
                billing_address = find_sent_billing_address(await read_cart(session, cart_id))
            elif not await is_just_placed(session, order):
                raise NotFound(NOT_FOUND.format(cart_id=cart_id))
        if order is None:
            provider = self._require_method(typed, is_free=not expected_total)
            destination, payer = await check_typed(provider, typed, ip, billing_address)
            try:
                if not await self.starter.has_started(cart_id, expected_total, provider.id):
                    await deliver_to_destination(self.create_quoter(cart_id, ip), cart_id, destination)
                    await self._store_consents(cart_id, ip)
                    await self.start_payment(
                        cart_id,
                        provider.id,
                        payer,
                        ip=ip,
                        expected_total=expected_total,
                        expected_day=expected_day,
                        device=device,
                    )
                order = (await self.complete(cart_id, expected_total=expected_total)).order
            except (Conflict, NotAllowed):
                async with self.database.read() as session:
                    order = await lock_order_of_cart(
                        session, cart_id
                    )  # another call may have created it first
                if order is None:
                    raise
        return await to_placed_order(self.starter, order)

    async def find_problems(
        self, typed: Mapping[str, Any], ip: str, *, is_free: bool = False
    ) -> dict[str, str]:
        """Return a message for the shopper for each field of the form that is wrong; empty if there are none.

        `is_free` is True if the total is 0. Then no payer is required.
        """
        try:
            provider = self._require_method(typed, is_free=is_free)
        except InvalidData as error:
            system = self._require_provider(SYSTEM_PAYMENT)
            return {**await find_problems(system, typed, ip), **error.fields}
        return await find_problems(provider, typed, ip)

    async def find_placed_order(self, cart_id: str) -> PlacedOrder | None:
        """Return the order that the cart has just become. The caller must have checked access to the cart.

        Return None if there is no order yet, or if it was placed longer than `JUST_PLACED` ago.
        """
        async with self.database.read() as session:
            order = await lock_order_of_cart(session, cart_id)
            if order is None or not await is_just_placed(session, order):
                return None
        return await to_placed_order(self.starter, order)

    async def _store_consents(self, cart_id: str, ip: str) -> None:
        """Store the consents of the page's checkboxes, with the current texts."""
        async with self.database.transaction() as session:
            cart = await read_cart(session, cart_id)
            consenting = ConsentContext(self.settings, ip, ConsentSource.CHECKOUT)
            await give_consents(session, consenting, cart_id=cart_id, customer_id=cart.customer_id)

    def create_quoter(self, cart_id: str, ip: str) -> Quoter:
        """Return the quoter that limits the live prices of the client with this IP address.

        If `ip` is empty, the limit applies to the cart instead.
        """
        client = Client.from_ip(ip or cart_id, self.settings)
        return Quoter(
            self.database, self.fulfillment_providers, client, self.quotation_slots, self.effective_settings
        )

    def _require_provider(self, provider_id: str) -> PaymentProvider:
        return require_found(self.payments.find_provider(provider_id), "Payment provider", provider_id)

    def _require_method(self, typed: Mapping[str, Any], *, is_free: bool) -> PaymentProvider:
        """Return the provider that the form names; for a total of 0, return `pp_system_default`.

        Raises:
            InvalidData: the checkout page does not offer this provider.
        """
        provider_id = typed.get(PAYMENT_PROVIDER) or GATEWAY_PSE
        if is_free:
            return self._require_provider(SYSTEM_PAYMENT)
        provider = self.payments.find_provider(str(provider_id))
        if provider is None or not provider.shopper_name:
            raise InvalidData(CHOOSE_PAYMENT, fields={PAYMENT_PROVIDER: CHOOSE_PAYMENT})
        return provider

    def _parse_return_url(self, sent: object) -> str:
        """Return the checked return page; empty if none was sent."""
        return "" if sent is None else require_return_url(sent, self.settings.cross_origins["store"])
