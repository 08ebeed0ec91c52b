"""An order that was placed, for whoever has its token: its page, the way to its payment, and another try to pay it."""

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
from backend.payment.sessions import decisive_session
from backend.payment.states import CHECKED, SessionState
from backend.storefront_views.order_page import OrderView, order_view


@dataclass(frozen=True, slots=True)
class PlacedOrder:
    """An order that awaits its payment: where to send the shopper next.

    `redirect_url` is the bank's page; None when the payment needs none. `token` opens the order page without a login.
    """

    order_id: str
    number: int
    token: str
    redirect_url: str | None


async def placed_order(starter: PaymentStarter, order: Order) -> PlacedOrder:
    """The order, with the bank's page while it can still be paid there."""
    payment = await starter.deciding(order.cart_id)
    pays = payment is not None and payment.state == SessionState.PENDING_AUTHORIZATION
    return PlacedOrder(
        order_id=order.id,
        number=cast("int", order.number),
        token=ORDER_LINK.token(starter.settings.signing_key, order.id),
        redirect_url=payment.redirect_url if payment is not None and pays else None,
    )


@dataclass(frozen=True)
class PlacedOrders:
    """The orders of a running shop. Methods open their own transactions and may call services outside.

    Each of them raises `NotFound` when there is no such order, or the token is not its.
    """

    starter: PaymentStarter
    tracker: Tracker

    async def placed(self, order_id: str, token: str, caller: Caller | None = None) -> PlacedOrder:
        """The order, with the bank's page while it can still be paid there.

        With a `caller` another customer's is as one that does not exist: its token outlives their session.
        """
        self._require_token(order_id, token)
        async with self.starter.database.read() as session:
            order = await read_order(session, order_id)
        if caller is not None and order.customer_id not in (None, caller.customer_id):
            raise NotFound(f"Order with id: {order_id} was not found")
        return await placed_order(self.starter, order)

    async def page(self, order_id: str, token: str, *, ask: bool = True) -> OrderView:
        """The order's page.

        With `ask`, the gateway is asked first while the payment is open, then the carrier while fulfillments are on
        their way; without it, what is stored is shown.
        """
        self._require_token(order_id, token)
        database = self.starter.database
        async with database.read() as session:
            order = await read_order(session, order_id)
            payment = await decisive_session(session, order.cart_id)
        if ask and payment is not None and payment.state in CHECKED:
            await self.starter.payments.check_on_return(payment.id)
        if ask:
            await self.tracker.track_order(order_id)
        async with database.read() as session:
            return await order_view(session, self.starter.settings, order_id)

    async def try_again(self, order_id: str, token: str, present: str = "") -> str:
        """Restore the cart of a cancelled order. See `backend.checkout.carts.restoration.restore_cart`.

        Raises:
            Conflict: the order stands; there is nothing to restore.
        """
        self._require_token(order_id, token)
        return await restore_cart(self.starter.database, order_id, present)

    async def change_bank(self, order_id: str, token: str, present: str = "") -> str:
        """Close an order's payment that is at the bank, and restore its cart. See `restoration.change_bank`.

        Raises:
            Conflict: it is paid, or its payment is being reviewed: it cannot be closed.
        """
        self._require_token(order_id, token)
        return await change_bank(self.starter, order_id, present)

    def _require_token(self, order_id: str, token: str) -> None:
        ORDER_LINK.require(self.starter.settings.signing_key, order_id, token)
