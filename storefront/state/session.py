"""Who is signed in at this browser. The cookie says so, and the database is asked again at every event that matters.

The websocket's handshake brings the cookie along. It is read where it is needed and stored in no variable of the state:
no script can read it, and it is sent nowhere (design: decision 8).
"""

from collections.abc import Mapping

import reflex as rx

from backend.app import current_shop
from backend.cart.access import Caller
from backend.cart.owners import cart_for, set_owner, usable_cart
from backend.customers.auth.accounts import ShopperView, shopper_with
from backend.customers.auth.sessions import COOKIE
from backend.customers.saved_payers import keep_payer, payer_of
from backend.edge.requests import address_behind
from backend.storefront_views import account_page
from backend.storefront_views.account_page import AddressView
from storefront.reflex_ext.session_cookie import token_in
from storefront.state.handlers import MAX_ID


def session_token(state: rx.State) -> str:
    """The token in this browser's cookie, at the moment its websocket was opened; empty without one."""
    return token_in(state, COOKIE)


def client_of(state: rx.State) -> str:
    """The IP address of this browser, from the connection and our own proxies' headers, never from the browser's."""
    forwarded = state.router.headers.raw_headers.get("x-forwarded-for", "")
    trusted = current_shop().settings.trusted_proxies
    return address_behind(state.router.session.client_ip, [forwarded], trusted)


async def shopper_of(state: rx.State) -> ShopperView | None:
    """The customer who is signed in at this browser now; None without a valid session."""
    return await shopper_with(current_shop().database, session_token(state))


async def caller_of(state: rx.State) -> Caller:
    """Who uses carts at this browser now."""
    shopper = await shopper_of(state)
    return Caller(shopper.id if shopper else None)


async def known_fields(state: rx.State) -> tuple[dict[str, str], list[AddressView]]:
    """The customer's values for the checkout form, and their address book. Nothing for a guest."""
    shopper = await shopper_of(state)
    if shopper is None:
        return {}, []
    async with current_shop().database.read() as session:
        book = await account_page.address_book(session, shopper.id)
        payer = await payer_of(session, shopper.id)
    return {**account_page.known_fields(shopper, book), **payer}, book


async def own_cart(state: rx.State, cart_id: str) -> str:
    """The cart that this browser goes on with: see `backend.cart.owners`."""
    return await cart_for(current_shop().database, cart_id[:MAX_ID], (await caller_of(state)).customer_id)


async def usable_by(state: rx.State, cart_id: str) -> str:
    """The id again, when this browser may use the cart; empty for an unknown one and for another customer's."""
    customer_id = (await caller_of(state)).customer_id if cart_id else None
    return await usable_cart(current_shop().database, cart_id[:MAX_ID], customer_id)


async def bind_cart(token: str, cart_id: str) -> None:
    """The order that the cart becomes is that of whoever is signed in with this token, and else nobody's.

    Raises:
        NotFound: see `set_owner`.
    """
    database = current_shop().database
    shopper = await shopper_with(database, token)
    async with database.transaction() as session:
        await set_owner(session, cart_id, shopper.id if shopper else None)


async def remember_payer(token: str, typed: Mapping[str, str]) -> None:
    """The next purchase of whoever is signed in with this token need not ask with what they pay."""
    database = current_shop().database
    shopper = await shopper_with(database, token)
    if shopper is None:
        return
    async with database.transaction() as session:
        await keep_payer(session, shopper.id, typed)


async def remember_destination(order_id: str) -> None:
    """A customer's next purchase need not ask where this one goes."""
    async with current_shop().database.transaction() as session:
        await account_page.remember_destination(session, order_id)
