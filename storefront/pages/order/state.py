"""State of the order's page. Only visitors who have its signed link can see the page.

No event handler relies on the state: each reads the URL and checks its token again.
"""

import logging
from contextlib import suppress
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
from backend.order_edits.difference_payment import build_difference_url
from backend.order_edits.editability import is_difference_owed
from backend.orders.links.account_links import request_account_link
from backend.presses.service import PressUsed
from backend.rate_limit.limiter import Client
from backend.returns.routes import REQUEST_PATH, RESULT_TEXTS
from backend.storefront_views.order_page import OrderView
from storefront.components.change_bank import change_bank
from storefront.links import CHECKOUT
from storefront.live.open_pages import address_of
from storefront.meta import NOINDEX, DocumentMeta
from storefront.pages.page_loader import PageData, PageParams, PageState
from storefront.state.cart import CartState, use_own_cart
from storefront.state.frame import errors_as_notices, notify
from storefront.state.handlers import Resend, event, next_number
from storefront.state.session import get_client_ip

log = logging.getLogger(__name__)

ORDER_ID = "id"
TOKEN = "token"  # noqa: S105 (a parameter's name)
TITLE = _("Tu pedido")
"""The page's title until the order in the URL has been read."""
UNKNOWN = _("No encontramos este pedido")


@dataclass(frozen=True, slots=True)
class OrderContent:
    """The content of an order's page.

    Attributes:
        order: None if the URL names no order, or if the token belongs to another order.
        bank_url: the bank's page to pay the order; empty if it cannot be paid there.
        form_action: the URL that receives the forms of the page.
        result: the message about a submitted form.
        token: the token in the URL, which gives access to the order's files.
        difference_path: path of the page on which the customer pays the difference of an edit; empty if none is owed.
    """

    order_id: str = ""
    order: OrderView | None = None
    bank_url: str = ""
    form_action: str = ""
    result: str = ""
    token: str = ""
    difference_path: str = ""


async def load(params: PageParams) -> PageData[OrderContent]:
    """Read the order from the database. The payment gateway is not called, because a document must not wait for it."""
    try:
        return await read_order(params, ask_gateway=False)
    except NotFound:
        meta = DocumentMeta(title=UNKNOWN, status=404, robots=NOINDEX)
        return PageData(OrderContent(params.last_part), meta)


async def read_order(params: PageParams, *, ask_gateway: bool) -> PageData[OrderContent]:
    """Read the order. With `ask_gateway`, request the current state of its payment from the payment gateway.

    Raises:
        NotFound: there is no such order, or the token is for another order.
    """
    placed_orders, order_id, token = current_shop().placed_orders, params.last_part, get_token(params)
    order = await placed_orders.get_order_page(order_id, token, refresh=ask_gateway)
    placed = await placed_orders.get_placed_order(order_id, token) if order.status == "pending" else None
    bank = placed.redirect_url if placed is not None else None
    form = f"{REQUEST_PATH}?{urlencode({'id': order_id, TOKEN: token, PRESS_PARAMETER: token_hex(16)})}"
    result = RESULT_TEXTS.get(params.get_parameter("said"), "")
    difference = await _find_difference_path(order_id) if order.missing_label else ""
    content = OrderContent(order_id, order, bank or "", form, result, token, difference)
    return PageData(content, build_meta(order))


async def _find_difference_path(order_id: str) -> str:
    """Return the path of the page on which the customer pays the difference of an edit; empty if none is owed."""
    shop = current_shop()
    async with shop.database.read() as session:
        if not await is_difference_owed(session, order_id):
            return ""
    return build_difference_url(shop.settings, order_id).removeprefix(shop.settings.base_url)


def get_token(params: PageParams) -> str:
    """Return the token of the URL, without the text that a gateway may have appended (`?token=abc?ref_payco=1`)."""
    return params.get_parameter(TOKEN).partition("?")[0].partition("&")[0]


def build_meta(order: OrderView) -> DocumentMeta:
    """Return the status and head of an order's document. It is private, so search engines must not index it."""
    title = _("Pedido {number}").format(number=order.number)
    return DocumentMeta(title=title, robots=NOINDEX)


class OrderState(PageState, rx.State):
    """State of an order's page.

    `answers` changes after every attempt to restore the order's cart, to change the bank or to request an account.
    """

    content: rx.Field[OrderContent] = rx.field(default_factory=OrderContent)
    meta: rx.Field[DocumentMeta] = rx.field(default_factory=lambda: DocumentMeta(title=UNKNOWN))
    answers: rx.Field[int] = rx.field(0)
    account_link_order: rx.Field[str] = rx.field("")
    """Id of the order whose address gets the link that opens an account."""

    async def _data(self, params: PageParams) -> PageData[OrderContent]:
        return await load(params)

    @event(background=True, supersedes=True)
    async def refresh(self) -> None:
        """Load the order again. The gateway is called at most every few seconds, the carrier every few minutes.

        If the browser has opened another order before they answer, nothing changes. The page repeats this event
        automatically, so a failure is not shown.
        """
        async with self:
            address = address_of(self)
        params = PageParams.from_url(address)
        try:
            data = await read_order(params, ask_gateway=True)
        except (ShopError, DatabaseUnavailable) as error:
            log.info("order %s could not be refreshed: %s", params.last_part, error.message)
            return
        async with self:
            if address_of(self) == address and self.content != data.content:
                self._show(data)

    @event(background=True, press=Resend.SAME_PAGE)
    async def change_bank(self) -> Any:
        """Cancel the unpaid payment, restore the cart, and redirect to the checkout to pay in another way.

        A second click has no effect, because the cart is already restored. If the payment has ended in the
        meantime, the page displays its result.
        """
        async with self:
            params = PageParams.from_url(self.router.url)
        changed = await change_bank(self, params.last_part, get_token(params))
        if changed.has_cart:
            yield rx.redirect(CHECKOUT)
        else:
            yield OrderState.refresh
        async with self:
            if changed.problem:
                await notify(self, changed.problem)
            self.answers = next_number(self.answers)

    @event(press=Resend.EVERY_PAGE)
    async def request_account(self) -> None:
        """Request the e-mail with the link that opens an account. It is sent to the address of the order."""
        params, shop = PageParams.from_url(self.router.url), current_shop()
        async with errors_as_notices(self):
            client = Client.from_ip(get_client_ip(self), shop.settings)
            with suppress(PressUsed):
                await request_account_link(
                    shop.database,
                    shop.settings.signing_key,
                    params.last_part,
                    get_token(params),
                    client=client,
                )
            self.account_link_order = params.last_part
        self.answers = next_number(self.answers)

    @event(press=Resend.EVERY_PAGE)
    async def try_again(self) -> Any:
        """Restore the cart of an order that was not paid, and redirect to the checkout.

        If the order was paid in the meantime, the page displays that.
        """
        params, cart = PageParams.from_url(self.router.url), await self.get_state(CartState)
        events: Any = None
        async with errors_as_notices(self):
            await use_own_cart(cart)  # never add lines to another customer's cart
            orders, token = current_shop().placed_orders, get_token(params)
            try:
                cart.cart_id = await orders.restore_canceled_cart(params.last_part, token, cart.cart_id)
                events = rx.redirect(CHECKOUT)
            except Conflict as error:
                log.info("the cart of order %s is not restored: %s", params.last_part, error.message)
                events = OrderState.refresh
        self.answers = next_number(self.answers)
        return events
