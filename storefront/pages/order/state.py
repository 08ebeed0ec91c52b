"""The order that is shown. Nothing is taken from the state: each handler reads the address and checks its token again."""

import logging
from typing import Any
from urllib.parse import unquote

import reflex as rx

from backend.app import current_shop
from backend.errors import NotFound, ShopError
from storefront.components.links import CHECKOUT
from storefront.documents.facts import DocumentFacts
from storefront.locale import _
from storefront.pages.loading import PageData, PageParams, PageState
from storefront.pages.order.loader import ORDER_ID, UNKNOWN, OrderContent, facts_of, load, token_of
from storefront.state.answers import problems_told
from storefront.state.cart import CartState

log = logging.getLogger(__name__)


class OrderState(PageState, rx.State):
    """An order. `answers` counts the tries to bring its cart back."""

    content: rx.Field[OrderContent] = rx.field(OrderContent())
    facts: rx.Field[DocumentFacts] = rx.field(DocumentFacts(title=UNKNOWN))
    answers: rx.Field[int] = rx.field(0)

    async def _data(self, params: PageParams) -> PageData[OrderContent]:
        return await load(self._params())

    def _params(self) -> PageParams:
        """The order's id and token, from the address this very event came from."""
        url = self.router.url
        return PageParams.from_url(url, {ORDER_ID: unquote(url.path.rstrip("/").rsplit("/", 1)[-1])})

    @rx.event(background=True, supersedes=True)
    async def refresh(self) -> None:
        """See how the payment stands: the gateway is asked, at most every few seconds."""
        async with self:
            params = self._params()
        order_id = params.part(ORDER_ID)
        try:
            order = await current_shop().checkout.order_page(order_id, token_of(params))
        except NotFound:
            return
        except ShopError as error:
            log.warning("order %s could not be refreshed: %s", order_id, error.message)
            return
        async with self:
            if self.content.order != order:
                self.content, self.facts = OrderContent(order_id, order), facts_of(order)

    @rx.event
    async def try_again(self) -> Any:
        """Bring the cart of a lost order back and go to pay it."""
        params = self._params()
        async with problems_told(self):
            cart_id = await current_shop().checkout.try_again(params.part(ORDER_ID), token_of(params))
            (await self.get_state(CartState)).cart_id = cart_id
            return rx.redirect(CHECKOUT)
        self.answers += 1
        return None
