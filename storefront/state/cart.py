"""State of the customer's cart.

The database stores the cart, the browser stores the cart's id, and the state stores the displayed data.
"""

from contextlib import suppress
from dataclasses import dataclass

import reflex as rx

from backend.app import current_shop
from backend.cart.access import open_cart, open_or_create_cart
from backend.cart.lines import MAX_QUANTITY, add_to_cart, change_line
from backend.cart.notices import dismiss_news
from backend.cart.owners import join_carts
from backend.cart.promotion_codes import PROMO_CODES, CodeRefused, add_codes, format_refusal, remove_codes
from backend.cart.views import CartView, read_cart_view
from backend.catalog.views import PictureView
from backend.core.errors import NotFound, TooManyRequests
from backend.core.money import format_cop
from backend.core.texts import _
from backend.presses.service import PressUsed, current_press_id, use_press
from backend.rate_limit.limiter import Client, hit
from storefront.live.open_pages import watch
from storefront.state.frame import FrameState, errors_as_notices, show_frame
from storefront.state.handlers import (
    MAX_ID_LENGTH,
    Resend,
    checked_fields,
    checked_id,
    checked_number,
    checked_text,
    event,
    next_number,
)
from storefront.state.session import find_own_cart, find_usable_cart, get_caller, get_client_ip
from storefront.state.wishlist import AccountWishlistState, show_account_wishes

MAX_CODE_LENGTH = 255
"""Maximum characters of a promotion code."""

EMPTY_CART = CartView(
    id="",
    lines=[],
    count=0,
    item_total=0,
    item_total_label=format_cop(0),
    subtotal_label=format_cop(0),
    savings=[],
    codes=[],
    shipping_name="",
    shipping_total=None,
    shipping_total_label="",
    total=0,
    total_label=format_cop(0),
    is_free=False,
    tax_label=format_cop(0),
    news=[],
    wrapping=None,
)


@dataclass(frozen=True, slots=True)
class AddedProduct:
    """The product that was added most recently. `number` is different each time."""

    number: int = 0
    title: str = ""
    picture: PictureView | None = None
    variant_id: str = ""


class CartState(rx.State):
    """The cart of this browser.

    `answers` changes at the end of every event that may change the cart, even if it fails. Until `answers` changes,
    the browser displays the result that it expects.
    """

    cart_id: str = rx.LocalStorage("", name="trompo_cart", sync=True)
    forgotten_cart_id: str = rx.LocalStorage("", name="trompo_forgotten_cart")
    """Id of the previous cart of this browser.

    The cart may have become an order, if the response to the browser was lost.
    """
    kept_cart_id: str = rx.LocalStorage("", name="trompo_kept_cart")
    """Id of the cart that this browser had before it opened a payment link. It is used again after the payment."""
    cart: rx.Field[CartView] = rx.field(default_factory=lambda: EMPTY_CART)
    is_loaded: rx.Field[bool] = rx.field(False)
    has_problem: rx.Field[bool] = rx.field(False)
    answers: rx.Field[int] = rx.field(0)
    last_added: rx.Field[AddedProduct] = rx.field(default_factory=AddedProduct)
    code_problem: rx.Field[str] = rx.field("")
    """Why the latest entered code gives no discount."""
    _added_press_id: str = ""
    """Id of the press (an action of a page) that set `last_added`."""

    @event()
    async def load_frame(self) -> None:
        """Load the frame of every page in one event: departments, shop details, the cart and the wishlist."""
        async with errors_as_notices(self):
            await show_frame(await self.get_state(FrameState))
        await self.load_cart()
        async with errors_as_notices(self):
            await show_account_wishes(await self.get_state(AccountWishlistState))

    @event()
    async def load_cart(self) -> None:
        """Load the cart of this browser, or the cart of the signed-in customer."""
        async with errors_as_notices(self):
            view = await _read_cart(self, as_owner=True)
            if view is not None:  # the usual case: one query checks the owner and reads the cart
                show_cart(self, view)
            else:
                await use_own_cart(self)
                await refresh_cart(self)

    @event(press=Resend.EVERY_PAGE)
    async def add(self, variant_id: str, quantity: int) -> None:
        """Add units of a variant to the cart. If there is no cart, create one first."""
        async with errors_as_notices(self):
            variant_id, quantity = checked_id(variant_id), checked_number(quantity, 1, MAX_QUANTITY)
            await use_own_cart(self)
            try:
                async with current_shop().database.transaction() as session:
                    cart_id = await open_or_create_cart(session, self.cart_id)
                    await use_press(session, cart_id)
                    await add_to_cart(session, cart_id, variant_id, quantity)
                    view = await read_cart_view(session, cart_id)
                await use_changed_cart(self, cart_id, view)
            except PressUsed as used:
                await resume_cart(self, used.subject)
            line = next((line for line in self.cart.lines if line.variant_id == variant_id), None)
            press_id = current_press_id()
            if line is not None and (not press_id or press_id != self._added_press_id):
                title = f"{line.title}, {line.variant}" if line.variant else line.title
                number = next_number(self.last_added.number)
                self.last_added = AddedProduct(number, title, line.picture, variant_id)
                self._added_press_id = press_id
        self.answers = next_number(self.answers)

    @event(press=Resend.EVERY_PAGE)
    async def set_quantity(self, line_id: str, quantity: int) -> None:
        """Change the quantity of a line; 0 removes it."""
        await self._change_line(line_id, quantity)

    @event(press=Resend.EVERY_PAGE)
    async def remove(self, line_id: str) -> None:
        """Remove a line."""
        await self._change_line(line_id, 0)

    async def _change_line(self, line_id: str, quantity: int) -> None:
        async with errors_as_notices(self):
            line_id, quantity = checked_id(line_id), checked_number(quantity, 0, MAX_QUANTITY)
            cart_id = await find_usable_cart(self, self.cart_id)
            with suppress(NotFound):  # the line was removed a moment ago: the refresh below shows that
                async with current_shop().database.transaction() as session:
                    await use_press(session, cart_id)
                    await change_line(session, cart_id, line_id, quantity)
        async with errors_as_notices(self):
            await refresh_cart(self)
        self.answers = next_number(self.answers)

    @event(press=Resend.EVERY_PAGE)
    async def apply_code(self, form_data: dict[str, str]) -> None:
        """Apply a promotion code to the cart, or show in `code_problem` why it is refused."""
        self.code_problem = ""
        async with errors_as_notices(self):
            code = checked_fields(form_data, "code", max_length=MAX_CODE_LENGTH)["code"]
            cart_id = await find_usable_cart(self, self.cart_id)
            try:
                await _apply_code(cart_id, code, get_client_ip(self))
            except CodeRefused as error:
                self.code_problem = format_refusal(error)
            except TooManyRequests:
                self.code_problem = _("Van muchos códigos seguidos. Espera unos minutos.")
        async with errors_as_notices(self):
            await refresh_cart(self)
        self.answers = next_number(self.answers)

    @event(press=Resend.EVERY_PAGE)
    async def drop_code(self, code: str) -> None:
        """Remove a promotion code from the cart."""
        async with errors_as_notices(self):
            code = checked_text(code, MAX_CODE_LENGTH)
            cart_id = await find_usable_cart(self, self.cart_id)
            async with current_shop().database.transaction() as session:
                await use_press(session, cart_id)
                await remove_codes(session, await open_cart(session, cart_id), [code])
        self.code_problem = ""
        async with errors_as_notices(self):
            await refresh_cart(self)
        self.answers = next_number(self.answers)

    @event(press=Resend.EVERY_PAGE)
    async def dismiss_news(self, news_id: str) -> None:
        """Dismiss a notice of the cart."""
        async with errors_as_notices(self):
            news_id = checked_id(news_id)
            cart_id = await find_usable_cart(self, self.cart_id)
            async with current_shop().database.transaction() as session:
                await use_press(session, cart_id)
                await dismiss_news(session, cart_id, news_id)
        async with errors_as_notices(self):
            await refresh_cart(self)
        self.answers = next_number(self.answers)

    async def _update(self) -> None:
        await refresh_cart(self)


async def _apply_code(cart_id: str, code: str, ip: str) -> None:
    """Apply the promotion code to the cart.

    Raises:
        CodeRefused: the code gives no discount.
        TooManyRequests: too many codes were tried.
        NotFound, NotAllowed, Conflict: see `backend.cart.access.open_cart`.
    """
    shop = current_shop()
    if not code:
        raise CodeRefused(code)
    await hit(shop.database, PROMO_CODES, cart_id, Client.from_ip(ip, shop.settings))
    async with shop.database.transaction() as session:
        await use_press(session, cart_id)
        await add_codes(session, await open_cart(session, cart_id), [code])


async def use_changed_cart(state: CartState, cart_id: str, view: CartView) -> None:
    """Display the cart that was changed. If it is a new cart, store its id."""
    if cart_id != state.cart_id:
        state.cart_id = cart_id
        await use_own_cart(state)
    show_cart(state, view)


async def resume_cart(state: CartState, cart_id: str) -> None:
    """Display the cart that an earlier event of this browser changed, because the response to that event was lost.

    If the browser has created another cart in the meantime, the lines of the first cart are moved to it.
    """
    if not state.cart_id:
        state.cart_id = await find_usable_cart(state, cart_id)
    elif state.cart_id != cart_id:
        await join_carts(current_shop().database, cart_id, state.cart_id, await get_caller(state))
    await use_own_cart(state)
    await refresh_cart(state)


async def use_own_cart(state: CartState) -> None:
    """Switch to the cart that belongs to this browser now. Sign-in and sign-out may change it to another cart."""
    cart_id = await find_own_cart(state, state.cart_id)
    if not cart_id:
        forget_cart(state)
    elif cart_id != state.cart_id:
        state.cart_id = cart_id


def forget_cart(state: CartState) -> None:
    """Switch to `kept_cart_id`, which may be empty. Store the previous id as `forgotten_cart_id`."""
    if state.cart_id:
        state.forgotten_cart_id, state.cart_id = state.cart_id, state.kept_cart_id
        state.kept_cart_id = ""


def use_linked_cart(state: CartState, cart_id: str) -> None:
    """Switch to the cart of a payment link. The browser's own cart is restored when that cart has become an order."""
    if cart_id != state.cart_id:
        # another link may be open already: then the own cart is the kept one
        state.kept_cart_id, state.cart_id = state.kept_cart_id or state.cart_id, cart_id


async def refresh_cart(state: CartState) -> None:
    """Read the cart again.

    Forget its id if the cart is unknown, has become an order, or belongs to another customer.
    """
    view = await _read_cart(state)
    if view is None:
        forget_cart(state)
        view = await _read_cart(state)  # the cart from before a payment link
    show_cart(state, view or EMPTY_CART)


async def _read_cart(state: CartState, *, as_owner: bool = False) -> CartView | None:
    """Return the state's cart; None if the user of this browser may not use it.

    See `read_cart_view` for `as_owner`.
    """
    if not state.cart_id:
        return None
    caller = await get_caller(state)
    try:
        async with current_shop().database.read() as session:
            return await read_cart_view(
                session, state.cart_id[:MAX_ID_LENGTH], caller, requires_owner=as_owner
            )
    except NotFound:
        return None


def show_cart(state: CartState, view: CartView) -> None:
    """Store this cart in the state if it differs from the displayed one, and watch it for changes."""
    if view != state.cart:
        state.cart = view
        state.has_problem = any(line.problem for line in view.lines)
    state.is_loaded = True
    watch(state, view)
