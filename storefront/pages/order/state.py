"""The order that is shown, to whoever holds its signed link and to nobody else.

No handler trusts the state: each reads the address and checks its token again.
"""

import logging
from dataclasses import dataclass
from secrets import token_hex
from typing import Any
from urllib.parse import urlencode

import reflex as rx

from backend.app import current_shop
from backend.core.errors import Conflict, NotFound, ShopError
from backend.core.outage import DatabaseUnavailable
from backend.core.texts import _
from backend.edge.form_submissions import PRESS_PARAMETER
from backend.returns.routes import ASK, SAID
from backend.storefront_views.order_page import OrderView
from storefront.components.change_bank import change_bank
from storefront.links import CHECKOUT
from storefront.live.open_pages import address_of
from storefront.meta import NOINDEX, DocumentMeta
from storefront.pages.page_loader import PageData, PageParams, PageState
from storefront.state.cart import CartState, use_own_cart
from storefront.state.frame import errors_as_notices, notify
from storefront.state.handlers import Resend, event, next_number

log = logging.getLogger(__name__)

ORDER_ID = "id"
TOKEN = "token"  # noqa: S105 (a parameter's name)
TITLE = _("Tu pedido")
"""Before it is known whether the address leads to an order, and to which."""
UNKNOWN = _("No encontramos este pedido")


@dataclass(frozen=True, slots=True)
class OrderContent:
    """The order of an address; None when it leads to none, or its token is not the order's.

    `bank` is where it can still be paid; empty when it cannot. `ask` is where its forms are sent to, and `said` is what
    came of one. `token` is the address's, for files of the order.
    """

    order_id: str = ""
    order: OrderView | None = None
    bank: str = ""
    ask: str = ""
    said: str = ""
    token: str = ""


async def load(params: PageParams) -> PageData[OrderContent]:
    """The order as the database has it. The gateway is not asked: a document does not wait for it."""
    try:
        return await read_order(params, ask=False)
    except NotFound:
        meta = DocumentMeta(title=UNKNOWN, status=404, robots=NOINDEX)
        return PageData(OrderContent(params.tail), meta)


async def read_order(params: PageParams, *, ask: bool) -> PageData[OrderContent]:
    """The order, and with `ask` what the gateway says of its payment right now.

    Raises:
        NotFound: no such order, or the token is not its.
    """
    placed_orders, order_id, token = current_shop().placed_orders, params.tail, token_of(params)
    order = await placed_orders.page(order_id, token, ask=ask)
    placed = await placed_orders.placed(order_id, token) if order.status == "pending" else None
    bank = placed.redirect_url if placed is not None else None
    form = f"{ASK}?{urlencode({'id': order_id, TOKEN: token, PRESS_PARAMETER: token_hex(16)})}"
    said = SAID.get(params.asked("said"), "")
    return PageData(OrderContent(order_id, order, bank or "", form, said, token), meta_of(order))


def token_of(params: PageParams) -> str:
    """The token of the address, without what a gateway may have hung on it (`?token=abc?ref_payco=1`)."""
    return params.asked(TOKEN).partition("?")[0].partition("&")[0]


def meta_of(order: OrderView) -> DocumentMeta:
    """The document of an order. It belongs to its buyer: it is not to be found by searching."""
    title = _("Pedido {number}").format(number=order.number)
    return DocumentMeta(title=title, robots=NOINDEX)


class OrderState(PageState, rx.State):
    """An order. `answers` changes after every attempt to restore its cart or to change the bank."""

    content: rx.Field[OrderContent] = rx.field(default_factory=OrderContent)
    meta: rx.Field[DocumentMeta] = rx.field(default_factory=lambda: DocumentMeta(title=UNKNOWN))
    answers: rx.Field[int] = rx.field(0)

    async def _data(self, params: PageParams) -> PageData[OrderContent]:
        return await load(params)

    @event(background=True, supersedes=True)
    async def refresh(self) -> None:
        """Load the order again. The gateway is asked at most every few seconds, the carrier every few minutes.

        The browser may be at another order when they answer, which is left as it is. The page asks again by itself, so
        a failure is not told.
        """
        async with self:
            address = address_of(self)
        params = PageParams.from_url(address)
        try:
            data = await read_order(params, ask=True)
        except (ShopError, DatabaseUnavailable) as error:
            log.info("order %s could not be refreshed: %s", params.tail, error.message)
            return
        async with self:
            if address_of(self) == address and self.content != data.content:
                self._show(data)

    @event(background=True, press=Resend.SAME_PAGE)
    async def change_bank(self) -> Any:
        """Cancel the payment at the bank, restore the cart and go to the checkout for another bank.

        Pressed twice it is done once: the second press finds the cart restored. When the payment has ended by now, the
        page shows its result.
        """
        async with self:
            params = PageParams.from_url(self.router.url)
        changed = await change_bank(self, params.tail, token_of(params))
        if changed.has_cart:
            yield rx.redirect(CHECKOUT)
        else:
            yield OrderState.refresh
        async with self:
            if changed.problem:
                await notify(self, changed.problem)
            self.answers = next_number(self.answers)

    @event(press=Resend.EVERY_PAGE)
    async def try_again(self) -> Any:
        """Restore the cart of an order that was not paid, and go to the checkout.

        When it is paid by now, after all, the page shows that.
        """
        params, cart = PageParams.from_url(self.router.url), await self.get_state(CartState)
        leads: Any = None
        async with errors_as_notices(self):
            await use_own_cart(cart)  # nothing is put into a cart that is somebody else's
            orders, token = current_shop().placed_orders, token_of(params)
            try:
                cart.cart_id = await orders.try_again(params.tail, token, cart.cart_id)
                leads = rx.redirect(CHECKOUT)
            except Conflict as error:
                log.info("order %s is not lost: %s", params.tail, error.message)
                leads = OrderState.refresh
        self.answers = next_number(self.answers)
        return leads
