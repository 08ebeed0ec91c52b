"""Buying, as the storefront and the Store API both do it: quote, pay, complete."""

import logging
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sqlalchemy.ext.asyncio import AsyncSession

from backend.cart import service as carts
from backend.cart.models import Cart
from backend.checkout.address import send_to
from backend.checkout.completion import complete
from backend.checkout.form import Destination, read_destination, require_town
from backend.checkout.order_page import order_view
from backend.checkout.quoting import one_line
from backend.checkout.shipping import (
    choose_shipping,
    deliver_to,
    offer_shipping,
    priced_offers,
)
from backend.checkout.steps import require_shipping_method
from backend.checkout.totals import read_priced_cart
from backend.checkout.views import PlacedOrder, ShippingOffer
from backend.customers.attempts import Limit, count_try
from backend.database import Database
from backend.errors import Conflict, InvalidData, NotAllowed, NotFound, OutsideFailure, TotalChanged
from backend.inventory import service as inventory
from backend.modules import GATEWAY_PSE
from backend.money import Cop
from backend.orders.following import Follower
from backend.orders.models import Order
from backend.orders.service import lines_of_order, order_of_cart, read_order
from backend.orders.states import OrderStatus
from backend.orders.tokens import order_token, require_order_token
from backend.orders.views import OrderView
from backend.payment import service as payments
from backend.payment.desk import PaymentDesk
from backend.payment.models import PaymentCollection, PaymentSession
from backend.payment.providers.base import PaymentProvider, PaymentRequest
from backend.payment.states import SessionState
from backend.settings import Settings
from backend.shipping.municipalities import municipality
from backend.shipping.providers.base import FulfillmentProvider, Quote
from backend.shipping.service import Offer
from backend.tables import JsonObject

log = logging.getLogger(__name__)

PAYMENTS = Limit("payment", per_pair=12, per_client=60, per_subject=12)
"""How often a payment is started in a quarter of an hour: each holds units for half an hour, and asks the gateway.

Nobody tries the same cart at twelve banks. Behind one address there may be an office, a school or a mobile network:
sixty purchases in a quarter of an hour are more than such a place makes, and too few to keep a shop's shelves empty.
"""


@dataclass(frozen=True)
class Checkout:
    """The checkout of a running shop. Every method may cross the network and opens its own transactions."""

    settings: Settings
    database: Database
    payments: PaymentDesk
    carriers: dict[str, FulfillmentProvider]
    parcels: Follower

    async def priced_offers(
        self, cart_id: str, option_id: str | None = None
    ) -> list[tuple[Offer, Quote | None]]:
        """The shipping options for the cart, priced just now. See `backend.checkout.shipping.priced_offers`."""
        return await priced_offers(self.database, self.carriers, cart_id, option_id)

    async def choose_shipping(self, cart_id: str, option_id: str) -> Cop:
        """Ship the cart by this option. See `backend.checkout.shipping.choose_shipping`."""
        return await choose_shipping(self.database, self.carriers, cart_id, option_id)

    async def offer_shipping(
        self, cart_id: str, wanted: str = "", *, is_choice: bool = False
    ) -> ShippingOffer:
        """The options with their prices, one of them chosen. See `backend.checkout.shipping.offer_shipping`."""
        return await offer_shipping(self.database, self.carriers, cart_id, wanted, is_choice=is_choice)

    async def set_destination(self, cart_id: str, destination: Destination) -> None:
        """Keep who receives the cart and where. A new destination voids the shipping price.

        Raises:
            NotFound, NotAllowed: see `backend.cart.service.open_cart`.
        """
        async with self.database.transaction() as session:
            cart = await carts.open_cart(session, cart_id)
            cart.email = destination.email
            await send_to(session, cart, destination.as_address())

    async def set_town(self, cart_id: str, dane_code: str, address: str = "") -> None:
        """Keep the municipality, and the street when it is known: shipping is priced while the form is still filled in.

        A new place voids the shipping price.

        Raises:
            NotFound, NotAllowed: see `backend.cart.service.open_cart`.
            InvalidData: no municipality has this code.
        """
        town = require_town(dane_code)
        async with self.database.transaction() as session:
            cart = await carts.open_cart(session, cart_id)
            known = cart.shipping_address or {}
            place = {
                "address_1": one_line(address),
                "city": town.name,
                "province": town.department,
                "country_code": "co",
            }
            metadata = {**(known.get("metadata") or {}), "dane_code": town.code}
            await send_to(session, cart, {**known, **place, "metadata": metadata})

    async def collect(self, cart_id: str) -> PaymentCollection:
        """The cart's payment collection, at what the cart costs now.

        Raises:
            NotFound, NotAllowed: see `backend.cart.service.open_cart`.
            InvalidData, InsufficientStock: see `backend.checkout.totals.read_priced_cart`; or a step is not done.
        """
        async with self.database.transaction() as session:
            cart = await carts.open_cart(session, cart_id)
            prices = await read_priced_cart(session, cart)
            require_shipping_method(cart, has_shipping=prices.shipping is not None)
            return await payments.collection_for(session, cart_id, prices.total)

    async def start_payment(
        self,
        cart_id: str,
        provider_id: str,
        payer: Mapping[str, Any],
        *,
        ip: str,
        expected_total: Cop | None = None,
    ) -> PaymentSession:
        """Hold the cart's stock and start a payment of what it costs now (spec: States and transitions).

        Raises:
            NotFound: no cart, or no provider, has this id.
            NotAllowed: the cart has become an order.
            InvalidData: the cart is not ready, or the payer's data is at fault (`fields`).
            InsufficientStock: the units are gone.
            TotalChanged: the cart costs something else than the shopper saw.
            Conflict: a payment of this cart is under way.
            TooManyRequests: this client, or this cart, has started too many lately.
            PaymentFailed, OutsideFailure, OutcomeUnknown: see `backend.payment.service.initiate`.
        """
        provider = self._provider(provider_id)
        await count_try(self.database, PAYMENTS, cart_id, ip or cart_id)  # unknown clients are not one client
        async with self.database.transaction() as session:
            cart = await carts.open_cart(session, cart_id)
            prices = await read_priced_cart(session, cart)
            require_shipping_method(cart, has_shipping=prices.shipping is not None)
            if expected_total is not None and expected_total != prices.total:
                raise TotalChanged(
                    f"The total is now {prices.total}, not {expected_total}: show it and ask again"
                )
            collection = await payments.collection_for(session, cart_id, prices.total)
            attempt = await payments.open_attempt(session, collection, provider_id, _kept(payer, ip))
            await inventory.hold(session, cart_id, prices.units, until=attempt.expires_at)
            address, email, order_id = cart.shipping_address or {}, cart.email, cart.order_id
        request = PaymentRequest(
            session_id=attempt.id,
            invoice=attempt.invoice,
            amount=attempt.amount,
            tax=prices.totals.tax_total,
            description=f"Compra en {self.settings.store_name}",
            return_url=self.order_link(order_id),
            notification_url=f"{self.settings.base_url}/hooks/payment/{provider_id}",
            ip=ip,
            payer={**_from_address(address, email), **payer},
        )
        return await payments.initiate(self.database, provider, attempt, request)

    def _provider(self, provider_id: str) -> PaymentProvider:
        provider = self.payments.provider(provider_id)
        if provider is None:
            raise NotFound(f"Payment provider with id: {provider_id} was not found")
        return provider

    def order_link(self, order_id: str) -> str:
        """The address of the order's page, for whoever bought it: no cookie is needed to come back to it."""
        return f"{self.settings.base_url}/order/{order_id}?token={order_token(self.settings.signing_key, order_id)}"

    async def complete(self, cart_id: str, *, expected_total: Cop | None = None) -> Order:
        """Make the cart's order, once. See `backend.checkout.completion.complete`."""
        async with self.database.transaction() as session:
            return await complete(session, cart_id, expected_total=expected_total)

    async def place_order(
        self, cart_id: str, typed: Mapping[str, Any], *, expected_total: Cop, ip: str
    ) -> PlacedOrder:
        """The storefront's one button: check everything typed, hold, start the payment at the bank, make the order.

        Pressed twice, or in two tabs, it makes one order and starts one payment. What was typed is where the cart
        goes: another place than the one shipping was priced for is priced first, and a price that differs asks again.

        Raises:
            InvalidData: `fields` holds a Spanish message by field; nothing was started.
            NotFound, InsufficientStock, TotalChanged, Conflict, TooManyRequests, PaymentFailed, OutsideFailure:
                see `start_payment`.
        """
        order = await self._order_of(cart_id)
        if order is None:
            destination, payer = await self._check(typed, ip)
            try:
                if not await self._has_started(cart_id, expected_total):
                    await deliver_to(self.database, self.carriers, cart_id, destination)
                    await self.start_payment(
                        cart_id, GATEWAY_PSE, payer, ip=ip, expected_total=expected_total
                    )
                order = await self.complete(cart_id, expected_total=expected_total)
            except (Conflict, NotAllowed):
                order = await self._order_of(cart_id)  # another press may have been faster
                if order is None:
                    raise
        return await self._placed(order)

    async def problems(self, typed: Mapping[str, Any], ip: str) -> dict[str, str]:
        """What is wrong with what was typed so far: a Spanish message by field, nothing when all is well."""
        try:
            await self._check(typed, ip)
        except InvalidData as error:
            return error.fields
        except OutsideFailure as error:
            log.warning("only the destination can be checked: %s", error.message)
            return read_destination(typed)[1]
        return {}

    async def _check(self, typed: Mapping[str, Any], ip: str) -> tuple[Destination, JsonObject]:
        """What was typed, as destination and as the payer's answers; every field's problem is reported at once."""
        destination, problems = read_destination(typed)
        town = municipality(str(typed.get("dane_code", "")))
        answers = {
            **typed,
            **(destination.model_dump() if destination else {}),
            "city": town.name if town else "",
            "department": town.department if town else "",
            "ip": ip,
        }
        try:
            payer = await self._provider(GATEWAY_PSE).check_payer(answers)
        except InvalidData as error:
            problems = {**_that_are_asked(error.fields), **problems}
            raise InvalidData(error.message, fields=problems) from None
        if destination is None:
            raise InvalidData("Revisa los datos marcados.", fields=problems)
        return destination, payer

    async def _has_started(self, cart_id: str, expected_total: Cop) -> bool:
        """Whether a payment of this very total is at the bank already: the first press got that far, then broke off."""
        async with self.database.read() as session:
            attempt = await payments.decisive_attempt(session, cart_id)
        if attempt is None:
            return False
        waits = attempt.state in (SessionState.PENDING_AUTHORIZATION, SessionState.CAPTURED)
        return waits and attempt.amount == expected_total

    async def _placed(self, order: Order) -> PlacedOrder:
        async with self.database.read() as session:
            attempt = await payments.decisive_attempt(session, order.cart_id)
        pays = attempt is not None and attempt.state == SessionState.PENDING_AUTHORIZATION
        if order.number is None:
            raise Conflict("The order was not kept")
        return PlacedOrder(
            order_id=order.id,
            number=order.number,
            token=order_token(self.settings.signing_key, order.id),
            redirect_url=attempt.redirect_url if attempt is not None and pays else None,
        )

    async def _order_of(self, cart_id: str) -> Order | None:
        async with self.database.read() as session:
            return await order_of_cart(session, cart_id)

    async def placed(self, cart_id: str) -> PlacedOrder | None:
        """The order that the cart has become, for whoever holds the cart; None while it is none."""
        order = await self._order_of(cart_id)
        return await self._placed(order) if order is not None else None

    async def order_placed(self, order_id: str, token: str) -> PlacedOrder:
        """The order for whoever holds its signed link, with the bank's page while it can still be paid there.

        Raises:
            NotFound: no such order, or the token is not its.
        """
        require_order_token(self.settings.signing_key, order_id, token)
        async with self.database.read() as session:
            order = await read_order(session, order_id)
        return await self._placed(order)

    async def order_page(self, order_id: str, token: str, *, ask: bool = True) -> OrderView:
        """The order for whoever holds its signed link.

        While its payment is open the gateway is asked first, and then, while its parcels are on their way, the carrier;
        with `ask=False`, what is known already is shown.

        Raises:
            NotFound: no such order, or the token is not its.
        """
        require_order_token(self.settings.signing_key, order_id, token)
        async with self.database.read() as session:
            order = await read_order(session, order_id)
            attempt = await payments.decisive_attempt(session, order.cart_id)
        if ask and attempt is not None and SessionState(attempt.state).is_open:
            await self.payments.ask_on_return(attempt.id)
        if ask:
            await self.parcels.look_at(order_id)
        async with self.database.read() as session:
            return await order_view(session, self.settings, order_id)

    async def try_again(self, order_id: str, token: str, present: str = "") -> str:
        """A cart with what a lost order held, its destination and what was typed: one click brings it back.

        What lies in `present`, the cart in use at that browser now, stays: the order's toys join it there. Of a toy
        that is in both there are as many as in the one that has more, so that asking twice doubles nothing. Whether the
        browser may go on with that cart, its caller has made sure of: see `backend.checkout.own_cart`.

        Returns:
            The cart's id: `present` where that is open, else a new one. What is no longer for sale, or no longer there,
            is left out.

        Raises:
            NotFound: no such order, or the token is not its.
            Conflict: the order stands; there is nothing to try again.
        """
        require_order_token(self.settings.signing_key, order_id, token)
        async with self.database.transaction() as session:
            order = await read_order(session, order_id)
            if order.status != OrderStatus.CANCELED:
                raise Conflict("The order stands: its payment is not lost")
            old = await carts.read_cart(session, order.cart_id)
            cart = await _open_or_new(session, present, old)
            cart.email = cart.email or old.email
            cart.draft = {**old.draft, **{name: text for name, text in cart.draft.items() if text}}
            if old.shipping_address and not cart.shipping_address:
                await send_to(session, cart, old.shipping_address)
            there = {line.variant.id: line.item.quantity for line in await carts.lines_of(session, cart.id)}
            for line in await lines_of_order(session, order_id):
                await _fill_up(
                    session, cart.id, line.variant_id, there.get(line.variant_id, 0), line.quantity
                )
        return cart.id


async def _open_or_new(session: AsyncSession, cart_id: str, like: Cart) -> Cart:
    try:
        return await carts.open_cart(session, cart_id)
    except (NotFound, NotAllowed):  # none, or an order by now
        new = await carts.create(session, region_id=like.region_id, sales_channel_id=like.sales_channel_id)
        return await carts.open_cart(session, new)


async def _fill_up(session: AsyncSession, cart_id: str, variant_id: str, there: int, quantity: int) -> None:
    """Put units into the cart until there are that many of the variant, or as many as can be sold."""
    units = (await inventory.available_units(session, [variant_id], besides=cart_id))[variant_id]
    missing = min(quantity, units) - there
    if missing <= 0:
        return
    try:
        await carts.add(session, cart_id, variant_id, missing)
    except InvalidData as error:
        log.info("left out of the cart: %s", error.message)  # no longer for sale


def _that_are_asked(problems: Mapping[str, str]) -> dict[str, str]:
    """The problems of fields that are on the form: town and department are told by the municipality that was picked."""
    return {name: message for name, message in problems.items() if name not in ("city", "department")}


def _kept(payer: Mapping[str, Any], ip: str) -> JsonObject:
    """What the result page must show of the payer (wire: checkout); never the whole of what was typed."""
    return {
        "payer_ip": ip,
        "bank_code": str(payer.get("bank", "")),
        "bank_name": str(payer.get("bank_name", "")),
    }


def _from_address(address: Mapping[str, Any], email: str | None) -> JsonObject:
    return {
        "first_name": address.get("first_name", ""),
        "last_name": address.get("last_name", ""),
        "phone": address.get("phone", ""),
        "address": address.get("address_1", ""),
        "city": address.get("city", ""),
        "department": address.get("province", ""),
        "email": email or "",
    }
