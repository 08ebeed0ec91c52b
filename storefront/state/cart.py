"""The shopper's cart. It is stored in the database and its id in the browser; the state holds what is shown."""

from contextlib import suppress
from dataclasses import dataclass

import reflex as rx

from backend.app import current_shop
from backend.cart.access import open_cart, open_or_new
from backend.cart.lines import MAX_QUANTITY, add_to_cart, change_line
from backend.cart.notices import dismiss_news
from backend.cart.owners import join_carts
from backend.cart.promotion_codes import PROMO_CODES, CodeRefused, add_codes, refusal_of, remove_codes
from backend.cart.views import CartView, cart_view
from backend.catalog.views import PictureView
from backend.core.errors import NotFound, TooManyRequests
from backend.core.texts import _
from backend.presses.service import PressUsed, current_press_id, use_press
from backend.rate_limit.limiter import Client, hit
from storefront.live.open_pages import watch
from storefront.state.frame import FrameState, errors_as_notices, show_frame
from storefront.state.handlers import (
    MAX_ID,
    Resend,
    checked_fields,
    checked_id,
    checked_number,
    checked_text,
    event,
    next_number,
)
from storefront.state.session import caller_of, client_of, own_cart, usable_by

LONGEST_CODE = 255
"""Characters of the code of a promotion."""

EMPTY_CART = CartView(
    id="",
    lines=[],
    count=0,
    item_total=0,
    item_total_label="$ 0",
    subtotal_label="$ 0",
    savings=[],
    codes=[],
    shipping_name="",
    shipping_total=None,
    shipping_total_label="",
    total=0,
    total_label="$ 0",
    is_free=False,
    tax_label="$ 0",
    news=[],
    wrapping=None,
)


@dataclass(frozen=True, slots=True)
class Added:
    """The product that was added last; `number` differs each time."""

    number: int = 0
    title: str = ""
    picture: PictureView | None = None


class CartState(rx.State):
    """The cart of this browser.

    `answers` changes after every event that changes the cart, failed or not: until then the browser shows what it
    expects.
    """

    cart_id: str = rx.LocalStorage("", name="trompo_cart", sync=True)
    forgotten_cart_id: str = rx.LocalStorage("", name="trompo_forgotten_cart")
    """The cart that this browser had last and has no more: it may have become an order whose answer was lost."""
    cart: rx.Field[CartView] = rx.field(default_factory=lambda: EMPTY_CART)
    is_known: rx.Field[bool] = rx.field(False)
    has_problem: rx.Field[bool] = rx.field(False)
    answers: rx.Field[int] = rx.field(0)
    added: rx.Field[Added] = rx.field(default_factory=Added)
    code_problem: rx.Field[str] = rx.field("")
    """Why the code that was typed last takes nothing off."""
    _added_by: str = ""
    """The id of the press that `added` tells of."""

    @event()
    async def load_frame(self) -> None:
        """Load what is around every page: departments, what is said of the shop, and the cart. One event for all."""
        async with errors_as_notices(self):
            await show_frame(await self.get_state(FrameState))
        await self.load_cart()

    @event()
    async def load_cart(self) -> None:
        """Load the cart of this browser, or of the customer who is signed in."""
        async with errors_as_notices(self):
            known = await _read(self, as_owner=True)
            if known is not None:  # as a rule: one reading says that it is theirs, and what is in it
                show(self, known)
            else:
                await use_own_cart(self)
                await refresh(self)

    @event(press=Resend.EVERY_PAGE)
    async def add(self, variant_id: str, quantity: int) -> None:
        """Add units of a variant; without a cart, create one first."""
        async with errors_as_notices(self):
            variant_id, quantity = checked_id(variant_id), checked_number(quantity, 1, MAX_QUANTITY)
            await use_own_cart(self)
            try:
                async with current_shop().database.transaction() as session:
                    cart_id = await open_or_new(session, self.cart_id)
                    await use_press(session, cart_id)
                    await add_to_cart(session, cart_id, variant_id, quantity)
                    view = await cart_view(session, cart_id)
                await go_on_with(self, cart_id, view)
            except PressUsed as used:
                await find_cart(self, used.subject)
            line = next((line for line in self.cart.lines if line.variant_id == variant_id), None)
            press_id = current_press_id()
            if line is not None and (not press_id or press_id != self._added_by):
                title = f"{line.title}, {line.variant}" if line.variant else line.title
                self.added = Added(next_number(self.added.number), title, line.picture)
                self._added_by = press_id
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
            cart_id = await usable_by(self, self.cart_id)
            with suppress(NotFound):  # it was taken out a moment ago: the cart that is shown below says so
                async with current_shop().database.transaction() as session:
                    await use_press(session, cart_id)
                    await change_line(session, cart_id, line_id, quantity)
        async with errors_as_notices(self):
            await refresh(self)
        self.answers = next_number(self.answers)

    @event(press=Resend.EVERY_PAGE)
    async def apply_code(self, form_data: dict[str, str]) -> None:
        """Type the code of a promotion into the cart."""
        self.code_problem = ""
        async with errors_as_notices(self):
            code = checked_fields(form_data, "code", longest=LONGEST_CODE)["code"]
            cart_id = await usable_by(self, self.cart_id)
            try:
                await _type_code(cart_id, code, client_of(self))
            except CodeRefused as error:
                self.code_problem = refusal_of(error)
            except TooManyRequests:
                self.code_problem = _("Van muchos códigos seguidos. Espera unos minutos.")
        async with errors_as_notices(self):
            await refresh(self)
        self.answers = next_number(self.answers)

    @event(press=Resend.EVERY_PAGE)
    async def drop_code(self, code: str) -> None:
        """Take the code of a promotion out of the cart."""
        async with errors_as_notices(self):
            code = checked_text(code, LONGEST_CODE)
            cart_id = await usable_by(self, self.cart_id)
            async with current_shop().database.transaction() as session:
                await use_press(session, cart_id)
                await remove_codes(session, await open_cart(session, cart_id), [code])
        self.code_problem = ""
        async with errors_as_notices(self):
            await refresh(self)
        self.answers = next_number(self.answers)

    @event(press=Resend.EVERY_PAGE)
    async def dismiss_news(self, news_id: str) -> None:
        """Dismiss news of the cart."""
        async with errors_as_notices(self):
            news_id = checked_id(news_id)
            cart_id = await usable_by(self, self.cart_id)
            async with current_shop().database.transaction() as session:
                await use_press(session, cart_id)
                await dismiss_news(session, cart_id, news_id)
        async with errors_as_notices(self):
            await refresh(self)
        self.answers = next_number(self.answers)

    async def _update(self) -> None:
        await refresh(self)


async def _type_code(cart_id: str, code: str, ip: str) -> None:
    """Type the code into the cart.

    Raises:
        CodeRefused: it takes nothing off it.
        TooManyRequests: many were tried.
        NotFound, NotAllowed, Conflict: see `backend.cart.access.open_cart`.
    """
    shop = current_shop()
    if not code:
        raise CodeRefused(code)
    await hit(shop.database, PROMO_CODES, cart_id, Client.at(ip, shop.settings))
    async with shop.database.transaction() as session:
        await use_press(session, cart_id)
        await add_codes(session, await open_cart(session, cart_id), [code])


async def go_on_with(state: CartState, cart_id: str, view: CartView) -> None:
    """Go on with the cart that was changed, which may be a new one, and show it."""
    if cart_id != state.cart_id:
        state.cart_id = cart_id
        await use_own_cart(state)
    show(state, view)


async def find_cart(state: CartState, cart_id: str) -> None:
    """Go on with a cart that this browser has changed, though it was never told of it, and show it.

    Another cart that it has begun since gets what is in the first.
    """
    if not state.cart_id:
        state.cart_id = await usable_by(state, cart_id)
    elif state.cart_id != cart_id:
        await join_carts(current_shop().database, cart_id, state.cart_id, await caller_of(state))
    await use_own_cart(state)
    await refresh(state)


async def use_own_cart(state: CartState) -> None:
    """Use the cart that belongs to this browser now: signing in or out changes which one that is."""
    cart_id = await own_cart(state, state.cart_id)
    if not cart_id:
        forget_cart(state)
    elif cart_id != state.cart_id:
        state.cart_id = cart_id


def forget_cart(state: CartState) -> None:
    """Forget the cart, but for the order that it may have become."""
    if state.cart_id:
        state.forgotten_cart_id, state.cart_id = state.cart_id, ""


async def refresh(state: CartState) -> None:
    """Read the cart again. An id that leads nowhere, to an order, or to another customer's cart is forgotten."""
    view = await _read(state)
    if view is None:
        forget_cart(state)
    show(state, view or EMPTY_CART)


async def _read(state: CartState, *, as_owner: bool = False) -> CartView | None:
    """The state's cart, for whoever uses this browser now; None when it is none of theirs. See `cart_view`."""
    if not state.cart_id:
        return None
    caller = await caller_of(state)
    try:
        async with current_shop().database.read() as session:
            return await cart_view(session, state.cart_id[:MAX_ID], caller, as_owner=as_owner)
    except NotFound:
        return None


def show(state: CartState, view: CartView) -> None:
    """Show this cart."""
    if view != state.cart:
        state.cart = view
        state.has_problem = any(line.problem for line in view.lines)
    state.is_known = True
    watch(state, view)
