"""The order that is shown. No handler trusts the state: each reads the address and checks its token again."""

import logging
from typing import Any

import reflex as rx

from backend.app import current_shop
from backend.errors import ShopError
from storefront.components.change_bank import change_bank
from storefront.components.links import CHECKOUT
from storefront.meta import DocumentMeta
from storefront.pages.loading import PageData, PageParams, PageState
from storefront.pages.order.loader import UNKNOWN, OrderContent, load, look, token_of
from storefront.state.cart import CartState, use_own_cart
from storefront.state.frame import errors_as_notices, notify
from storefront.state.handlers import event, next_number

log = logging.getLogger(__name__)


class OrderState(PageState, rx.State):
    """An order. `answers` is another number after every try to bring its cart back, or to change the bank."""

    content: rx.Field[OrderContent] = rx.field(default_factory=OrderContent)
    meta: rx.Field[DocumentMeta] = rx.field(default_factory=lambda: DocumentMeta(title=UNKNOWN))
    answers: rx.Field[int] = rx.field(0)

    async def _data(self, params: PageParams) -> PageData[OrderContent]:
        return await load(params)

    @rx.event(background=True, supersedes=True)
    async def refresh(self) -> None:
        """See how the order stands: the gateway is asked at most every few seconds, the carrier every few minutes."""
        async with self:
            params = PageParams.from_url(self.router.url)
        try:
            data = await look(params, ask=True)
        except ShopError as error:
            log.info("order %s could not be refreshed: %s", params.tail, error.message)
            return
        async with self:
            if self.content != data.content:
                self._show(data)

    @rx.event(background=True)
    async def change_bank(self) -> Any:
        """Let go of the payment at the bank, bring the cart back and go to pay at another bank.

        Pressed twice it is done once: the second press finds the cart brought back. When the payment has ended by now,
        the page says how.
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

    @event()
    async def try_again(self) -> Any:
        """Bring the toys of a lost order back into this browser's cart and go to pay them."""
        params = PageParams.from_url(self.router.url)
        cart, cart_id = await self.get_state(CartState), ""
        async with errors_as_notices(self):
            await use_own_cart(cart)  # nothing is put into a cart that is somebody else's
            token = token_of(params)
            cart_id = await current_shop().checkout.try_again(params.tail, token, cart.cart_id)
        self.answers = next_number(self.answers)
        if not cart_id:
            return None
        cart.cart_id = cart_id
        return rx.redirect(CHECKOUT)
