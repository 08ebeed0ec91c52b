"""The checkout of this browser's cart: thin handlers over the checkout's services.

What is typed lives in the browser and in the cart's draft; here is only what the server answers to it. A connection
that breaks, or a server that restarts, loses none of it: `load` runs again and the browser tells again what it holds.
"""

import json
import logging
from contextlib import suppress
from dataclasses import replace
from typing import Any

import reflex as rx

from backend.app import current_shop
from backend.cart.checkout_drafts import read_draft, save_draft
from backend.cart.views import cart_view
from backend.checkout.form import read_destination
from backend.checkout.placed_orders import PlacedOrder
from backend.checkout.quotes.quote_limits import TooManyQuotations
from backend.core.config.modules import GATEWAY_PSE
from backend.core.error_texts import CHECKOUT, NOT_CREATED, text_for
from backend.core.errors import InvalidData, NotAllowed, NotFound, OutsideFailure, ShopError, TotalChanged
from backend.core.money import Cop, format_cop
from backend.core.outage import DatabaseUnavailable
from backend.core.texts import _
from backend.news.topics import Topic
from backend.shipping.municipalities import search_municipalities
from backend.storefront_views.account_page import AddressView
from storefront.components.change_bank import change_bank
from storefront.components.forms import LONGEST, Town, town_view
from storefront.links import order_path
from storefront.live.open_pages import watch
from storefront.meta import DocumentMeta
from storefront.pages.checkout import fields
from storefront.pages.checkout.document import META, load
from storefront.pages.checkout.error_texts import COMING_BACK, kind_of
from storefront.pages.checkout.views import Answer, Choice, LastOrder, Shipping, shipping_card
from storefront.pages.page_loader import PageData, PageParams, PageState
from storefront.state.cart import CartState, forget_cart, refresh, use_own_cart
from storefront.state.frame import COMING_BACK as SHOP_COMING_BACK
from storefront.state.frame import errors_as_notices, notify
from storefront.state.handlers import (
    MAX_ID,
    Resend,
    checked_id,
    checked_number,
    checked_text,
    event,
    next_number,
)
from storefront.state.session import (
    bind_cart,
    caller_of,
    client_of,
    known_fields,
    remember_destination,
    remember_payer,
    session_token,
    usable_by,
)

log = logging.getLogger(__name__)

LARGEST_TOTAL: Cop = 10**12
LARGEST_NUMBER = 2**53
PAUSE_MS = 100
REPRICINGS = 2


class CheckoutState(PageState, rx.State):
    """Where this browser's purchase stands.

    `stage` is `waiting` (not known yet), `open` (to be filled in), `placed` (the order waits at the bank) or `empty`.
    `book` are the addresses of whoever is signed in; `has_payer`: document and bank are kept for them, as they asked.
    `loaded_at` changes with every `load`; `noted` is the number of the last note that was kept. `is_payable`: the cart
    may be paid by PSE. `changes` is another number after every try to change the bank.
    """

    content: rx.Field[str] = rx.field("")
    meta: rx.Field[DocumentMeta] = rx.field(default_factory=lambda: META)
    stage: rx.Field[str] = rx.field("waiting")
    loaded_at: rx.Field[int] = rx.field(0)
    draft: rx.Field[dict[str, str]] = rx.field(default_factory=dict)
    is_guest: rx.Field[bool] = rx.field(False)
    has_payer: rx.Field[bool] = rx.field(False)
    book: rx.Field[list[AddressView]] = rx.field(default_factory=list)
    noted: rx.Field[int] = rx.field(0)
    problems: rx.Field[dict[str, str]] = rx.field(default_factory=dict)
    steps_done: rx.Field[list[str]] = rx.field(default_factory=list)
    banks: rx.Field[list[Choice]] = rx.field(default_factory=list)
    banks_problem: rx.Field[str] = rx.field("")
    is_payable: rx.Field[bool] = rx.field(True)
    towns: rx.Field[list[Town]] = rx.field(default_factory=list)
    towns_for: rx.Field[str] = rx.field("")
    shipping: rx.Field[Shipping] = rx.field(default_factory=Shipping)
    answer: rx.Field[Answer] = rx.field(default_factory=Answer)
    last: rx.Field[LastOrder] = rx.field(default_factory=LastOrder)
    changes: rx.Field[int] = rx.field(0)
    last_order: str = rx.LocalStorage("", name="trompo_order")
    _cart_id: str = ""
    _is_placing: bool = False

    async def _data(self, params: PageParams) -> PageData[str]:
        return await load(params)

    async def _update(self) -> None:
        """The office switched a way to pay or to ship on or off: see `storefront.live.refresh`."""
        cart_id = await self._cart()
        if self.stage != "open" or not cart_id:
            return
        checkout = current_shop().checkout
        with suppress(NotFound):
            self.is_payable = await checkout.is_offered(cart_id, GATEWAY_PSE)
            offered = await checkout.offered_options(cart_id)
            shown = self.shipping
            if any(one.id not in offered for one in shown.choices):
                left = [one for one in shown.choices if one.id in offered]
                chosen = shown.chosen if shown.chosen in offered else ""
                self.shipping = replace(shown, choices=left, chosen=chosen)

    async def _load(self) -> list[Any]:
        """Find out where the purchase of this browser stands, and bring back what was typed."""
        self._show(await self._data(PageParams.from_url(self.router.url)))
        self._is_placing = False
        watch(self, (), {Topic.SETTINGS})
        async with errors_as_notices(self):
            cart = await self.get_state(CartState)
            # whatever shows the cart anew may have found before that it is one no more, and had the browser forget it
            await self._look(cart.cart_id or self._cart_id or cart.forgotten_cart_id)
        return self._to_fill_in()

    @event(background=True)
    async def load_banks(self) -> None:
        """Ask which banks are on offer, where the cart may be paid by PSE at all."""
        shop, banks, problem, is_payable = current_shop(), [], "", True
        try:
            async with self:
                cart_id = await self._cart()
            with suppress(NotFound):  # it is no more: the page says so by itself
                is_payable = await shop.checkout.is_offered(cart_id, GATEWAY_PSE)
            banks = [Choice(bank.code, bank.name) for bank in await shop.payments.banks()]
        except OutsideFailure as error:
            log.warning("no banks to offer: %s", error.message)
            problem = text_for(error, CHECKOUT)
        except DatabaseUnavailable:
            problem = SHOP_COMING_BACK
        async with self:
            self.banks, self.banks_problem, self.is_payable = banks, problem, is_payable

    @event(supersedes=True)
    async def note(self, values: dict[str, str], reached: list[str], number: int) -> None:
        """Keep what was typed and not confirmed yet; say what is wrong with the fields the shopper has come to.

        Each note holds what the one before it held: of those that wait, only the last is kept.
        """
        async with errors_as_notices(self):
            typed = fields.typed_fields(values)
            names, number = fields.field_names(reached), checked_number(number, 0, LARGEST_NUMBER)
            try:
                async with current_shop().database.transaction() as session:
                    kept = await save_draft(session, await self._cart(), typed)
            except (NotFound, NotAllowed):
                # it has become an order: in another tab, or by `place`, which will tell
                if not self._is_placing:
                    await self._look(await self._cart())
                return
            filled = {**self.draft, **kept}  # the draft knows what nobody had to type
            is_free = (await self.get_state(CartState)).cart.is_free
            problems = await current_shop().checkout.problems(filled, client_of(self), is_free=is_free)
            self.problems = {name: text for name, text in problems.items() if name in names}
            self.steps_done = [
                step
                for step, names_of in fields.STEPS.items()
                if not any(name in problems for name in names_of)
            ]
            self.noted = number

    @event(supersedes=True, debounce=PAUSE_MS)
    async def find_town(self, text: str) -> None:
        """The municipalities that what is typed may mean."""
        async with errors_as_notices(self):
            text = checked_text(text, LONGEST)
            self.towns = [town_view(town) for town in search_municipalities(text)]
            self.towns_for = text

    @event(background=True, supersedes=True)
    async def ship(self, dane_code: str, address: str, option_id: str) -> None:
        """Price the ways to ship to this place and take one of them. A later place or choice goes before this one."""
        async with self:
            is_known_place = self.shipping.status == "ready" and self.shipping.dane_code == dane_code
            self.shipping = replace(self.shipping, status="choosing" if is_known_place else "quoting")
            ip = client_of(self)
        shipping, cart_id = Shipping(status="failed"), ""
        try:
            async with self:
                cart_id = await self._cart()
            shipping = await _priced(cart_id, dane_code, address, option_id, ip, is_choice=is_known_place)
        except TooManyQuotations as error:
            shipping = Shipping(status="failed", problem=text_for(error, CHECKOUT))
        except ShopError as error:
            log.info("shipping of %s could not be priced: %s", cart_id, error.message)
        except DatabaseUnavailable:
            shipping = Shipping(status="failed", problem=SHOP_COMING_BACK)
        except Exception:
            log.exception("shipping of %s could not be priced", cart_id)
        async with self:
            self.shipping = shipping
            with suppress(DatabaseUnavailable):  # the next try shows it
                await self._show_cart()

    @event()
    async def follow(self) -> Any:
        """Show the cart as another tab has left it: changed, emptied, or as an order that waits for its payment.

        A change takes its shipping away, which is priced anew.
        """
        if self._is_placing or self.stage != "open":
            return None
        cart, shown = await self.get_state(CartState), self.shipping
        async with errors_as_notices(self):
            await self._show_cart()
            if cart.cart_id != self._cart_id or not cart.cart.lines:
                await self._look(await self._cart())  # the browser has forgotten a cart that became an order
                return self._to_fill_in()
            if shown.status == "ready" and shown.chosen and not cart.cart.shipping_name:
                cart_id = await self._cart()
                async with current_shop().database.read() as session:
                    draft = await read_draft(session, cart_id)
                address = draft.get("address", "")
                return CheckoutState.ship(shown.dane_code, address, shown.chosen)  # type: ignore[call-arg]
        return None

    @event(background=True, press=Resend.SAME_PAGE)
    async def place(self, values: dict[str, str], total: Cop) -> Any:
        """Place the order and send the shopper to the bank, or to the order. Pressed again, it does nothing."""
        async with self:
            if self._is_placing:
                return
            ip, token, shown = client_of(self), session_token(self), self.shipping
            device = self.router.session.client_token
            self._is_placing = True
        answer, problems, cart_id = Answer(kind="failed", text=NOT_CREATED), None, ""
        try:
            async with self:
                cart_id = await self._cart()
            typed, total = fields.typed_fields(values), checked_number(total, 0, LARGEST_TOTAL)
            await bind_cart(token, cart_id)
            placed = await ordered(cart_id, typed, shown, total, ip, device=device)
            page = order_path(placed.order_id, placed.token)
            await remember_destination(placed.order_id)
            await remember_payer(token, typed)
            answer = Answer(kind="placed", address=placed.redirect_url or page)
        except ShopError as error:
            log.info("no order of %s: %s: %s", cart_id, type(error).__name__, error.message)
            answer, problems = Answer(kind=kind_of(error), text=text_for(error, CHECKOUT)), error.fields
            if isinstance(error, TotalChanged):
                answer = replace(answer, text=await _total_now(cart_id, total))
        except DatabaseUnavailable:
            answer = Answer(kind="failed", text=COMING_BACK)
        except Exception:
            log.exception("the order of %s failed", cart_id)
        async with self:
            self._is_placing = False
            is_empty = False
            if answer.kind == "placed":
                await self._remember(cart_id, placed)
            else:
                with suppress(DatabaseUnavailable):  # the answer says so
                    await self._show_cart()
                is_empty = not (await self.get_state(CartState)).cart.lines
            if problems is not None:
                self.problems = {name: text for name, text in problems.items() if name in fields.LABELS}
            self.answer = replace(answer, number=next_number(self.answer.number))
        if is_empty:
            async with self:  # the form, which would show the answer, goes
                await notify(self, answer.text)
            yield CheckoutState.load
        elif answer.kind in ("total", "shipping"):
            option_id = typed.get("shipping_option", "")
            yield CheckoutState.ship(typed["dane_code"], typed["address"], option_id)  # type: ignore[call-arg]

    @event(background=True, press=Resend.SAME_PAGE)
    async def change_bank(self) -> Any:
        """Let go of the payment that waits at the bank and fill in the form for another one.

        When that payment has ended meanwhile, the order's page says how.
        """
        async with self:
            page, (order_id, token) = self.last.page, self._told_order()
        changed = await change_bank(self, order_id, token)
        if changed.has_cart:
            yield CheckoutState.load
        elif not changed.problem:
            yield rx.redirect(page)
        async with self:
            if changed.problem:
                await notify(self, changed.problem)
            self.changes = next_number(self.changes)

    def _to_fill_in(self) -> list[Any]:
        """The events that bring what the open form asks for: the banks, and the prices for a place that is known."""
        if self.stage != "open":
            return []
        draft = self.draft
        town, address, option = (draft.get(name, "") for name in ("dane_code", "address", "shipping_option"))
        prices = [CheckoutState.ship(town, address, option)] if town else []  # type: ignore[call-arg]
        return [CheckoutState.load_banks, *prices]

    async def _cart(self) -> str:
        """The cart that is being paid: the one this page was loaded with, even when another tab has let go of it.

        Empty when it is another customer's.
        """
        return await usable_by(self, self._cart_id or (await self.get_state(CartState)).cart_id)

    async def _show_cart(self) -> None:
        cart = await self.get_state(CartState)
        if cart.cart_id:
            await refresh(cart)

    async def _look(self, cart_id: str) -> None:
        """Find out whether there is a cart to pay, an order that this cart has become, or neither."""
        checkout, cart = current_shop().checkout, await self.get_state(CartState)
        self._cart_id = await usable_by(self, cart_id)
        placed = await checkout.placed(self._cart_id) if self._cart_id else None
        if placed is not None:
            await self._remember(self._cart_id, placed)
        await use_own_cart(cart)
        self._cart_id = cart.cart_id or self._cart_id
        await refresh(cart)
        if cart.cart.lines:
            async with current_shop().database.read() as session:
                draft = await read_draft(session, self._cart_id)
            known, self.book = await known_fields(self)
            self.is_guest, self.has_payer = not known, "doc_number" in known
            self.draft = {**fields.EMPTY, **known, **draft}
            self.problems, self.shipping = {}, Shipping()
            self.loaded_at = next_number(self.loaded_at)
            self.stage = "open"
            return
        self.last = await self._last_order()
        self.stage = "placed" if self.last.bank else "empty"

    async def _remember(self, cart_id: str, placed: PlacedOrder) -> None:
        """The cart is an order now: the browser keeps the order's link, and forgets the cart if that is still its."""
        self.last_order = json.dumps({"id": placed.order_id, "token": placed.token})
        cart = await self.get_state(CartState)
        if cart.cart_id == cart_id:
            forget_cart(cart)

    async def _last_order(self) -> LastOrder:
        """The order that this browser says it placed last, if its token is right and it is nobody else's."""
        order_id, token = self._told_order()
        try:
            placed = await current_shop().placed_orders.placed(order_id, token, await caller_of(self))
        except ShopError:
            self.last_order = ""
            return LastOrder()
        return LastOrder(placed.number, order_path(order_id, token), placed.redirect_url or "")

    def _told_order(self) -> tuple[str, str]:
        """Id and token of the order that this browser says it placed last; empty when it says nothing of use."""
        try:
            told = json.loads(self.last_order)
            return checked_id(told["id"]), checked_text(told["token"], LONGEST)
        except (ValueError, KeyError, TypeError, ShopError):
            return "", ""


async def _priced(
    cart_id: str, dane_code: str, address: str, option_id: str, ip: str, *, is_choice: bool
) -> Shipping:
    """The ways to ship there, one of them chosen; for a choice from the list that is shown, at the list's prices."""
    dane_code, address = checked_text(dane_code, MAX_ID), checked_text(address, LONGEST)
    option_id = checked_text(option_id, MAX_ID)
    checkout = current_shop().checkout
    is_an_address = "address" not in read_destination({"address": address})[1]
    await checkout.set_town(cart_id, dane_code, address if is_an_address else "")
    offer = await checkout.offer_shipping(cart_id, option_id, ip=ip, is_choice=is_choice)
    cards = [shipping_card(choice) for choice in offer.choices]
    return Shipping("ready", dane_code, cards, offer.chosen, notice=offer.notice)


async def ordered(
    cart_id: str, typed: dict[str, str], shown: Shipping, total: Cop, ip: str, *, device: str = ""
) -> PlacedOrder:
    """Place the order of what the page shows, shipped as it was `shown`.

    Where the cart was changed meanwhile, in another tab or on another device, its shipping went with the change and is
    priced once more: the order is placed for the total that the shopper has agreed to, or not at all. So it is while a
    new connection has yet to learn what the page shows: then the form's choice, or the first, is what it shows.
    """
    checkout = current_shop().checkout
    is_known = shown.status not in ("none", "quoting")
    place = typed.get("dane_code", ""), typed.get("address", "")
    option_id = shown.chosen or typed.get("shipping_option", "")
    for _turn in range(REPRICINGS):  # the page's own pricing may take away what was priced here
        try:
            return await checkout.place_order(cart_id, typed, expected_total=total, ip=ip, device=device)
        except InvalidData as error:
            if "shipping" not in error.fields or (is_known and not shown.chosen):
                raise
        with suppress(NotAllowed):  # another press was faster: the order is there
            await _priced(cart_id, *place, option_id, ip, is_choice=True)
    return await checkout.place_order(cart_id, typed, expected_total=total, ip=ip, device=device)


async def _total_now(cart_id: str, shown: Cop) -> str:
    async with current_shop().database.read() as session:
        cart = await cart_view(session, cart_id)
    return _(
        "El total cambió: antes era {before} y ahora es {now}. Revísalo y, si estás de acuerdo, paga."
    ).format(before=format_cop(shown), now=cart.total_label)
