"""The customer who is signed in in this browser.

Every event that needs the customer checks the session in the database. The session cookie is in the websocket's
handshake. It is read when needed, and no variable of the state stores it. So no script can read it, and it is not
sent to the browser (design: decision 8).
"""

from collections.abc import Mapping

import reflex as rx

from backend.app import current_shop
from backend.cart.access import Caller
from backend.cart.owners import check_usable_cart, find_browser_cart, set_owner
from backend.checkout.form import COMPANY_NAME
from backend.customers.auth.accounts import ShopperView, find_shopper
from backend.customers.auth.sessions import COOKIE
from backend.customers.saved_payers import read_saved_payer, save_payer
from backend.edge.requests import resolve_client_address
from backend.storefront_views import account_page
from backend.storefront_views.account_page import AddressView
from storefront.reflex_ext.session_cookie import token_in
from storefront.state.handlers import MAX_ID_LENGTH


def get_session_token(state: rx.State) -> str:
    """Return the token that this browser's cookie had when its websocket was opened; empty if there was none."""
    return token_in(state, COOKIE)


def get_client_ip(state: rx.State) -> str:
    """Return the browser's IP address, from the connection and the headers of trusted proxies only."""
    forwarded = state.router.headers.raw_headers.get("x-forwarded-for", "")
    trusted = current_shop().settings.trusted_proxies
    return resolve_client_address(state.router.session.client_ip, [forwarded], trusted)


async def get_shopper(state: rx.State) -> ShopperView | None:
    """Return the customer who is signed in in this browser; None if there is no valid session."""
    return await find_shopper(current_shop().database, get_session_token(state))


async def get_caller(state: rx.State) -> Caller:
    """Return the current user of the carts in this browser: the signed-in customer, or a guest."""
    shopper = await get_shopper(state)
    return Caller(shopper.id if shopper else None)


async def get_known_fields(state: rx.State) -> tuple[dict[str, str], list[AddressView]]:
    """Return the customer's values for the checkout form, and their address book. Both are empty for a guest."""
    shopper = await get_shopper(state)
    if shopper is None:
        return {}, []
    async with current_shop().database.read() as session:
        book = await account_page.list_address_views(session, shopper.id)
        payer = await read_saved_payer(session, shopper.id)
        company = await account_page.find_company_name(session, shopper.id, payer)
    known = {**account_page.list_known_fields(shopper, book), **payer}
    return ({**known, COMPANY_NAME: company} if company else known), book


async def find_own_cart(state: rx.State, cart_id: str) -> str:
    """Return the id of the cart that this browser must use from now on: see `backend.cart.owners`."""
    return await find_browser_cart(
        current_shop().database, cart_id[:MAX_ID_LENGTH], (await get_caller(state)).customer_id
    )


async def find_usable_cart(state: rx.State, cart_id: str) -> str:
    """Return the id if this browser may use the cart; empty if the cart is unknown or belongs to another customer."""
    customer_id = (await get_caller(state)).customer_id if cart_id else None
    return await check_usable_cart(current_shop().database, cart_id[:MAX_ID_LENGTH], customer_id)


async def set_cart_owner(token: str, cart_id: str) -> None:
    """Make the customer with this session token the owner of the cart and of its future order.

    If the token belongs to no customer, the cart has no owner.

    Raises:
        NotFound: see `set_owner`.
    """
    database = current_shop().database
    shopper = await find_shopper(database, token)
    async with database.transaction() as session:
        await set_owner(session, cart_id, shopper.id if shopper else None)


async def remember_payer(token: str, typed: Mapping[str, str]) -> None:
    """Save the payer's data for the customer with this session token, if the form asks for it. Ignore a guest."""
    database = current_shop().database
    shopper = await find_shopper(database, token)
    if shopper is None:
        return
    async with database.transaction() as session:
        await save_payer(session, shopper.id, typed)


async def remember_destination(order_id: str) -> None:
    """Add the order's shipping address to the address book of its customer. For a guest, do nothing."""
    async with current_shop().database.transaction() as session:
        await account_page.remember_destination(session, order_id)
