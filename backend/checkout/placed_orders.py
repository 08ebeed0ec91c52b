"""Placed orders, for callers with the order's token: the order's page, its payment link, and another attempt to pay."""

from dataclasses import dataclass
from typing import cast

from backend.cart.access import Caller
from backend.checkout.carts.restoration import change_bank, restore_cart
from backend.checkout.payment.start import PaymentStarter
from backend.core.errors import NotFound
from backend.fulfillment.tracker import Tracker
from backend.orders.links.tokens import ORDER_LINK
from backend.orders.models import Order
from backend.orders.service import read_order
from backend.payment.sessions import find_checked_session
from backend.payment.states import SessionState
from backend.storefront_views.order_page import OrderView, order_view


@dataclass(frozen=True, slots=True)
class PlacedOrder:
    """An order that awaits its payment, and the page where the shopper goes next.

    `redirect_url` is the bank's page; None if the payment needs none. `token` opens the order page without a login.
    """

    order_id: str
    number: int
    token: str
    redirect_url: str | None


async def to_placed_order(starter: PaymentStarter, order: Order) -> PlacedOrder:
    """Return the order, with the bank's page while it can still be paid there."""
    payment = await starter.find_decisive_session(order.cart_id)
    pays = payment is not None and payment.state == SessionState.PENDING_AUTHORIZATION
    return PlacedOrder(
        order_id=order.id,
        number=cast("int", order.number),
        token=ORDER_LINK.token(starter.settings.signing_key, order.id),
        redirect_url=payment.redirect_url if payment is not None and pays else None,
    )


@dataclass(frozen=True)
class PlacedOrders:
    """The placed orders of a running shop. Methods open their own transactions and may call external services.

    Each method raises `NotFound` if there is no such order, or the token is not the order's.
    """

    starter: PaymentStarter
    tracker: Tracker

    async def get_placed_order(self, order_id: str, token: str, caller: Caller | None = None) -> PlacedOrder:
        """Return the order, with the bank's page while it can still be paid there.

        With a `caller`, another customer's order counts as missing. The token alone is not enough then, because a
        browser may still have it after its customer has signed out.
        """
        self._require_token(order_id, token)
        async with self.starter.database.read() as session:
            order = await read_order(session, order_id)
        if caller is not None and order.customer_id not in (None, caller.customer_id):
            raise NotFound(f"Order with id: {order_id} was not found")
        return await to_placed_order(self.starter, order)

    async def get_order_page(self, order_id: str, token: str, *, refresh: bool = True) -> OrderView:
        """Return the order's page.

        With `refresh`, the gateway is first asked for the status of an open payment, then the carrier for the
        fulfillments that are on their way. Without it, the stored state is shown.
        """
        self._require_token(order_id, token)
        database = self.starter.database
        if refresh:
            async with database.read() as session:
                order = await read_order(session, order_id)
                payment = await find_checked_session(session, order.cart_id)
            if payment is not None:
                await self.starter.payments.check_on_return(payment.id)
            await self.tracker.track_order(order_id)
        async with database.read() as session:
            return await order_view(session, self.starter.settings, order_id)

    async def restore_canceled_cart(self, order_id: str, token: str, current_cart_id: str = "") -> str:
        """Restore the cart of a cancelled order. See `backend.checkout.carts.restoration.restore_cart`.

        Raises:
            Conflict: the order is not cancelled; there is nothing to restore.
        """
        self._require_token(order_id, token)
        return await restore_cart(self.starter.database, order_id, current_cart_id)

    async def change_bank(self, order_id: str, token: str, current_cart_id: str = "") -> str:
        """Close an order's payment that is at the bank, and restore its cart. See `restoration.change_bank`.

        Raises:
            Conflict: the order is paid, or its payment is being reviewed: it cannot be closed.
        """
        self._require_token(order_id, token)
        return await change_bank(self.starter, order_id, current_cart_id)

    def _require_token(self, order_id: str, token: str) -> None:
        ORDER_LINK.require(self.starter.settings.signing_key, order_id, token)
