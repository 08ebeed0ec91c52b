"""State of the checkout: thin event handlers that call the checkout's services.

The typed values are in the browser and in the cart's draft in the database; this state has only the server's
answers. A broken connection or a server restart loses nothing: `load` runs again, and the browser sends its values
again.
"""

import json
import logging
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import date
from typing import Any

import reflex as rx

from backend.app import current_shop
from backend.cart.checkout_drafts import read_draft, save_draft
from backend.cart.contents import has_wrapping
from backend.cart.views import read_cart_view
from backend.checkout.form import PAYMENT_PROVIDER, parse_destination
from backend.checkout.later_delivery import find_later_delivery_of_cart, parse_expected_day
from backend.checkout.placed_orders import PlacedOrder
from backend.checkout.quotes.quote_limits import TooManyQuotations
from backend.core.clock import now
from backend.core.error_texts import CHECKOUT, NOT_CREATED, text_for
from backend.core.errors import InvalidData, NotAllowed, NotFound, OutsideFailure, ShopError
from backend.core.money import Cop, format_cop
from backend.core.outage import DatabaseUnavailable
from backend.core.texts import _
from backend.core.web.email_suggestions import suggest_email
from backend.news.topics import Topic
from backend.orders.gifts import GIFT_MESSAGE, GIFT_RECIPIENT, WRAPPED
from backend.payment.providers.base import PaymentProvider
from backend.shipping.municipalities import search_municipalities
from backend.storefront_views.account_page import AddressView
from storefront.components.change_bank import change_bank
from storefront.components.forms import MAX_TEXT_LENGTH, Town, town_view
from storefront.links import order_path
from storefront.live.open_pages import watch
from storefront.meta import DocumentMeta
from storefront.pages.checkout import fields
from storefront.pages.checkout.document import META, load
from storefront.pages.checkout.error_texts import CHECKOUT_UNAVAILABLE, get_result_kind
from storefront.pages.checkout.payment_methods import (
    choose_method,
    list_bank_options,
    load_options,
    payment_choice,
)
from storefront.pages.checkout.views import (
    LastOrder,
    PaymentChoice,
    PlacingResult,
    SelectOption,
    Shipping,
    shipping_card,
)
from storefront.pages.page_loader import PageData, PageParams, PageState
from storefront.state.cart import CartState, forget_cart, refresh_cart, use_own_cart
from storefront.state.frame import SHOP_UNAVAILABLE as SHOP_COMING_BACK
from storefront.state.frame import errors_as_notices, notify
from storefront.state.handlers import (
    MAX_ID_LENGTH,
    Resend,
    checked_id,
    checked_number,
    checked_text,
    event,
    next_number,
)
from storefront.state.session import (
    find_usable_cart,
    get_caller,
    get_client_ip,
    get_known_fields,
    get_session_token,
    remember_destination,
    remember_payer,
    set_cart_owner,
)

log = logging.getLogger(__name__)

MAX_TOTAL: Cop = 10**12
MAX_NUMBER = 2**53
DEBOUNCE_MS = 100
MAX_REPRICINGS = 2


class CheckoutState(PageState, rx.State):
    """The progress of this browser's purchase.

    Attributes:
        stage: `waiting` (not known yet), `open` (to be filled in), `placed` (the order's payment is pending at the
            bank) or `empty`.
        loaded_at: a number that changes with every `load`.
        email_suggestion: the typed e-mail address with a known domain, if its domain looks mistyped; else empty.
        has_payer: True if the customer has saved the payer's document and bank.
        book: the addresses of the signed-in customer.
        noted: the number of the latest saved note (see `save_note`).
        is_payable: True if the shop offers a payment method for the cart.
        payment: the payment methods for the cart.
        changes: a number that changes after every attempt to change the bank.
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
    email_suggestion: rx.Field[str] = rx.field("")
    steps_done: rx.Field[list[str]] = rx.field(default_factory=list)
    banks: rx.Field[list[SelectOption]] = rx.field(default_factory=list)
    banks_problem: rx.Field[str] = rx.field("")
    is_payable: rx.Field[bool] = rx.field(True)
    payment: rx.Field[PaymentChoice] = rx.field(default_factory=PaymentChoice)
    towns: rx.Field[list[Town]] = rx.field(default_factory=list)
    towns_for: rx.Field[str] = rx.field("")
    shipping: rx.Field[Shipping] = rx.field(default_factory=Shipping)
    answer: rx.Field[PlacingResult] = rx.field(default_factory=PlacingResult)
    last_order_view: rx.Field[LastOrder] = rx.field(default_factory=LastOrder)
    changes: rx.Field[int] = rx.field(0)
    last_order: str = rx.LocalStorage("", name="trompo_order")
    _cart_id: str = ""
    _is_placing: bool = False

    async def _data(self, params: PageParams) -> PageData[str]:
        return await load(params)

    async def _update(self) -> Any:
        """Update the payment and shipping options after a change of the settings: see `storefront.live.refresh`."""
        cart_id = await self._usable_cart_id()
        if self.stage != "open" or not cart_id:
            return None
        checkout = current_shop().checkout
        with suppress(NotFound):
            self._show_methods(await checkout.list_payment_methods(cart_id), self._known_options())
            offered = await checkout.list_offered_option_ids(cart_id)
            shown = self.shipping
            if any(choice.id not in offered for choice in shown.choices):
                choices = [choice for choice in shown.choices if choice.id in offered]
                chosen = shown.chosen if shown.chosen in offered else ""
                self.shipping = replace(shown, choices=choices, chosen=chosen)
        is_known = self._known_options().keys() >= set(self.payment.field_names)
        return None if is_known else CheckoutState.load_banks

    async def _load(self) -> list[Any]:
        """Find the stage of this browser's purchase, and restore the typed values."""
        self._show(await self._data(PageParams.from_url(self.router.url)))
        self._is_placing = False
        watch(self, (), {Topic.SETTINGS})
        async with errors_as_notices(self):
            cart = await self.get_state(CartState)
            # an earlier refresh of the cart may have found that it became an order, and forgotten its id
            await self._find_stage(cart.cart_id or self._cart_id or cart.forgotten_cart_id)
        return self._form_events()

    @event(background=True)
    async def load_banks(self) -> None:
        """Load the payment methods for the cart, the options of their fields, and the banks."""
        shop, banks, problem = current_shop(), [], ""
        methods: list[PaymentProvider] | None = None
        options: dict[str, list[SelectOption]] = {}
        try:
            async with self:
                cart_id = await self._usable_cart_id()
            with suppress(NotFound):  # the cart no longer exists: the page shows that itself
                methods, options = await load_options(await shop.checkout.list_payment_methods(cart_id))
            banks = await list_bank_options()
        except OutsideFailure as error:
            log.warning("no banks to offer: %s", error.message)
            problem = text_for(error, CHECKOUT)
        except DatabaseUnavailable:
            problem = SHOP_COMING_BACK
        async with self:
            self.banks, self.banks_problem = banks, problem
            if methods is not None:
                self._show_methods(methods, options)

    @event(supersedes=True)
    async def save_note(self, values: dict[str, str], reached: list[str], number: int) -> None:
        """Save the typed values in the cart's draft, and show the errors of the fields that the customer has reached.

        Every note contains all values of the previous one. So if several notes are waiting, only the newest is
        saved.
        """
        async with errors_as_notices(self):
            further = current_shop().checkout.list_payer_field_names()
            typed = fields.parse_fields(values, further)
            names = fields.parse_field_names(reached, further)
            number = checked_number(number, 0, MAX_NUMBER)
            try:
                async with current_shop().database.transaction() as session:
                    saved = await save_draft(session, await self._usable_cart_id(), typed)
            except (NotFound, NotAllowed):
                # the cart has become an order, in another tab or by `place_order`, which will show that
                if not self._is_placing:
                    await self._find_stage(await self._usable_cart_id())
                return
            filled = {**self.draft, **saved}  # the draft has values that were filled in automatically
            is_free = (await self.get_state(CartState)).cart.is_free
            problems = await current_shop().checkout.find_problems(
                filled, get_client_ip(self), is_free=is_free
            )
            self.problems = {name: text for name, text in problems.items() if name in names}
            self.email_suggestion = suggest_email(filled.get("email", "")) if "email" in names else ""
            self.steps_done = [
                step
                for step, names_of in fields.STEPS.items()
                if not problems.keys() & {*names_of, *(further if step == "payment" else ())}
            ]
            self.noted = number

    @event(supersedes=True, debounce=DEBOUNCE_MS)
    async def find_town(self, text: str) -> None:
        """Find the municipalities that match the typed text."""
        async with errors_as_notices(self):
            text = checked_text(text, MAX_TEXT_LENGTH)
            self.towns = [town_view(town) for town in search_municipalities(text)]
            self.towns_for = text

    @event(background=True, supersedes=True)
    async def price_shipping(self, dane_code: str, address: str, option_id: str) -> None:
        """Price the shipping options for this address, and choose one of them. A later call cancels this one."""
        async with self:
            is_known_place = self.shipping.is_ready_for(dane_code)
            self.shipping = replace(self.shipping, status="choosing" if is_known_place else "quoting")
            ip = get_client_ip(self)
        try:
            async with self:
                cart_id = await self._usable_cart_id()
        except DatabaseUnavailable:
            shipping = Shipping(status="failed", problem=SHOP_COMING_BACK)
        else:
            shipping = await _try_price_options(
                cart_id, dane_code, address, option_id, ip, is_choice=is_known_place
            )
        async with self:
            self.shipping = shipping
            with suppress(DatabaseUnavailable):  # the next attempt shows the outage
                await self._show_cart()

    @event()
    async def follow_cart(self) -> Any:
        """Show the current cart after another tab has changed it, emptied it, or placed its order.

        A change removes the cart's shipping option, so the shipping is priced again.
        """
        if self._is_placing or self.stage != "open":
            return None
        cart, shown = await self.get_state(CartState), self.shipping
        async with errors_as_notices(self):
            await self._show_cart()
            if cart.cart_id != self._cart_id or not cart.cart.lines:
                await self._find_stage(
                    await self._usable_cart_id()
                )  # another tab placed the order and forgot the cart
                return self._form_events()
            if shown.status == "ready" and shown.chosen and not cart.cart.shipping_name:
                cart_id = await self._usable_cart_id()
                async with current_shop().database.read() as session:
                    draft = await read_draft(session, cart_id)
                address = draft.get("address", "")
                return CheckoutState.price_shipping(shown.dane_code, address, shown.chosen)  # type: ignore[call-arg]
        return None

    @event(background=True, press=Resend.SAME_PAGE)
    async def place_order(self, values: dict[str, str], total: Cop, day: str = "") -> Any:
        """Place the order and send the customer to the bank, or to the order's page. A second click is ignored.

        `total` and `day` are the total and the promised day that the customer saw. `day` is an ISO date, or empty.
        """
        async with self:
            if self._is_placing:
                return
            ip, token, shown = get_client_ip(self), get_session_token(self), self.shipping
            device = self.router.session.client_token
            self._is_placing = True
        answer, problems, cart_id = PlacingResult(kind="failed", text=NOT_CREATED), None, ""
        further = current_shop().checkout.list_payer_field_names()
        seen_day, priced = None, None
        try:
            async with self:
                cart_id = await self._usable_cart_id()
            typed, total = fields.parse_fields(values, further), checked_number(total, 0, MAX_TOTAL)
            seen_day = parse_expected_day(day)
            await set_cart_owner(token, cart_id)
            placed = await place_as_shown(cart_id, typed, shown, total, ip, day=seen_day, device=device)
            page = order_path(placed.order_id, placed.token)
            await remember_destination(placed.order_id)
            await remember_payer(token, typed)
            answer = PlacingResult(kind="placed", address=placed.redirect_url or page)
        except ShopError as error:
            log.info("no order of %s: %s: %s", cart_id, type(error).__name__, error.message)
            answer, problems = (
                PlacingResult(kind=get_result_kind(error, further), text=text_for(error, CHECKOUT)),
                error.fields,
            )
            if answer.kind in ("total", "day", "shipping"):
                priced = await _price_again(cart_id, typed, shown, ip)
            if answer.kind in ("total", "day") and priced is not None and priced.chosen:
                text = await _changes_text(cart_id, total, seen_day)
                answer = replace(answer, text=text or answer.text)
        except DatabaseUnavailable:
            answer = PlacingResult(kind="failed", text=CHECKOUT_UNAVAILABLE)
        except Exception:
            log.exception("the order of %s failed", cart_id)
        async with self:
            self._is_placing = False
            is_empty = False
            if priced is not None and self.shipping == shown:  # else the page has requested other prices
                self.shipping = priced
            if answer.kind == "placed":
                await self._remember_order(cart_id, placed)
            else:
                with suppress(DatabaseUnavailable):  # the answer already shows the outage
                    await self._show_cart()
                is_empty = not (await self.get_state(CartState)).cart.lines
            self._show_answer(answer, problems, {*fields.LABELS, *further})
        if is_empty:
            async with self:  # the form that would show the answer disappears
                await notify(self, answer.text)
            yield CheckoutState.load

    @event(background=True, press=Resend.SAME_PAGE)
    async def change_bank(self) -> Any:
        """Cancel the payment at the bank, and display the form again, so that the customer can choose another bank.

        If the payment has ended in the meantime, the order's page opens and displays its result.
        """
        async with self:
            page, (order_id, token) = self.last_order_view.page, self._stored_order()
        changed = await change_bank(self, order_id, token)
        if changed.has_cart:
            yield CheckoutState.load
        elif not changed.problem:
            yield rx.redirect(page)
        async with self:
            if changed.problem:
                await notify(self, changed.problem)
            self.changes = next_number(self.changes)

    def _show_answer(
        self, answer: PlacingResult, problems: Mapping[str, str] | None, names: set[str]
    ) -> None:
        """Show the result of placing the order, and the problems of the fields in `names`.

        If `problems` is None, keep the displayed problems.
        """
        if problems is not None:
            self.problems = {name: text for name, text in problems.items() if name in names}
        self.answer = replace(answer, number=next_number(self.answer.number))

    def _form_events(self) -> list[Any]:
        """Return the events that load the banks and the shipping prices; empty unless `stage` is `open`.

        The prices are loaded only if the municipality is known.
        """
        if self.stage != "open":
            return []
        draft = self.draft
        town, address, option = (draft.get(name, "") for name in ("dane_code", "address", "shipping_option"))
        prices = [CheckoutState.price_shipping(town, address, option)] if town else []  # type: ignore[call-arg]
        return [CheckoutState.load_banks, *prices]

    def _show_methods(
        self, providers: Sequence[PaymentProvider], options: Mapping[str, list[SelectOption]]
    ) -> None:
        self.payment, self.is_payable = payment_choice(providers, options), bool(providers)

    def _known_options(self) -> dict[str, list[SelectOption]]:
        return {one.name: one.options for method in self.payment.methods for one in method.fields}

    async def _usable_cart_id(self) -> str:
        """Return the id of the cart with which this page was loaded, even if another tab has forgotten the cart.

        Return an empty id if the cart belongs to another customer.
        """
        return await find_usable_cart(self, self._cart_id or (await self.get_state(CartState)).cart_id)

    async def _show_cart(self) -> None:
        cart = await self.get_state(CartState)
        if cart.cart_id:
            await refresh_cart(cart)

    async def _find_stage(self, cart_id: str) -> None:
        """Set the stage: whether this cart can be paid, has become an order, or does not exist.

        If it can be paid, also set the values of the form.
        """
        checkout, cart = current_shop().checkout, await self.get_state(CartState)
        self._cart_id = await find_usable_cart(self, cart_id)
        placed = await checkout.find_placed_order(self._cart_id) if self._cart_id else None
        if placed is not None:
            await self._remember_order(self._cart_id, placed)
        await use_own_cart(cart)
        self._cart_id = cart.cart_id or self._cart_id
        await refresh_cart(cart)
        if cart.cart.lines:
            async with current_shop().database.read() as session:
                draft = await read_draft(session, self._cart_id)
                is_wrapped = await has_wrapping(session, self._cart_id)
            methods = await checkout.list_payment_methods(self._cart_id)
            known_values, self.book = await get_known_fields(self)
            self.is_guest, self.has_payer = not known_values, "doc_number" in known_values
            is_gift = {GIFT_RECIPIENT: WRAPPED} if is_wrapped or draft.get(GIFT_MESSAGE) else {}
            self._show_methods(methods, self._known_options())
            self.draft = {
                **fields.INITIAL_VALUES,
                **is_gift,
                **known_values,
                **draft,
                **choose_method(methods, draft.get(PAYMENT_PROVIDER, "")),
            }
            self.problems, self.shipping = {}, Shipping()
            self.loaded_at = next_number(self.loaded_at)
            self.stage = "open"
            return
        self.last_order_view = await self._last_order()
        self.stage = "placed" if self.last_order_view.bank_url else "empty"

    async def _remember_order(self, cart_id: str, placed: PlacedOrder) -> None:
        """Store the link of the order in the browser, and forget the cart from which the order was created."""
        self.last_order = json.dumps({"id": placed.order_id, "token": placed.token})
        cart = await self.get_state(CartState)
        if cart.cart_id == cart_id:
            forget_cart(cart)

    async def _last_order(self) -> LastOrder:
        """Return the latest order of this browser.

        Return an empty `LastOrder` if its token is invalid, or if the current customer may not see the order.
        """
        order_id, token = self._stored_order()
        try:
            placed = await current_shop().placed_orders.get_placed_order(
                order_id, token, await get_caller(self)
            )
        except ShopError:
            self.last_order = ""
            return LastOrder()
        return LastOrder(placed.number, order_path(order_id, token), placed.redirect_url or "")

    def _stored_order(self) -> tuple[str, str]:
        """Return the id and token of the latest order stored in the browser; empty if they are missing or invalid."""
        try:
            stored = json.loads(self.last_order)
            return checked_id(stored["id"]), checked_text(stored["token"], MAX_TEXT_LENGTH)
        except (ValueError, KeyError, TypeError, ShopError):
            return "", ""


async def _try_price_options(
    cart_id: str, dane_code: str, address: str, option_id: str, ip: str, *, is_choice: bool
) -> Shipping:
    """Return the priced shipping options, or the problem that the page shows instead. See `_price_options`."""
    try:
        return await _price_options(cart_id, dane_code, address, option_id, ip, is_choice=is_choice)
    except TooManyQuotations as error:
        return Shipping(status="failed", problem=text_for(error, CHECKOUT))
    except ShopError as error:
        log.info("shipping of %s could not be priced: %s", cart_id, error.message)
    except DatabaseUnavailable:
        return Shipping(status="failed", problem=SHOP_COMING_BACK)
    except Exception:
        log.exception("shipping of %s could not be priced", cart_id)
    return Shipping(status="failed")


async def _price_options(
    cart_id: str, dane_code: str, address: str, option_id: str, ip: str, *, is_choice: bool
) -> Shipping:
    """Return the priced shipping options, one of them chosen.

    If `is_choice` is True, the customer has only chosen another displayed option, so the known prices are reused.
    """
    dane_code, address = checked_text(dane_code, MAX_ID_LENGTH), checked_text(address, MAX_TEXT_LENGTH)
    option_id = checked_text(option_id, MAX_ID_LENGTH)
    checkout = current_shop().checkout
    is_an_address = "address" not in parse_destination({"address": address})[1]
    await checkout.set_town(cart_id, dane_code, address if is_an_address else "")
    offer = await checkout.offer_shipping(cart_id, option_id, ip=ip, is_choice=is_choice)
    moment = now()
    cards = [shipping_card(choice, moment) for choice in offer.choices]
    return Shipping("ready", dane_code, cards, offer.chosen, notice=offer.notice)


async def place_as_shown(
    cart_id: str,
    typed: dict[str, str],
    shown: Shipping,
    total: Cop,
    ip: str,
    *,
    day: date | None = None,
    device: str = "",
) -> PlacedOrder:
    """Place the order as the page displays it; `shown` is the displayed shipping.

    If the cart was changed in another tab or on another device, it has no shipping any more. Then price the
    shipping again, and place the order only if its total is still the displayed `total` and it arrives no later than
    on the displayed `day`.

    After a reconnection, the page may not have loaded the shipping yet. Then the option in the form, or the first
    option, is used.
    """
    checkout = current_shop().checkout
    is_known = shown.status not in ("none", "quoting")
    place = typed.get("dane_code", ""), typed.get("address", "")
    option_id = shown.chosen or typed.get("shipping_option", "")
    for _turn in range(
        MAX_REPRICINGS
    ):  # the page's own pricing may replace the shipping that was priced here
        try:
            return await checkout.place_order(
                cart_id, typed, expected_total=total, expected_day=day, ip=ip, device=device
            )
        except InvalidData as error:
            if "shipping" not in error.fields or (is_known and not shown.chosen):
                raise
        with suppress(NotAllowed):  # another click was faster: the order already exists
            await _price_options(cart_id, *place, option_id, ip, is_choice=True)
    return await checkout.place_order(
        cart_id, typed, expected_total=total, expected_day=day, ip=ip, device=device
    )


async def _price_again(cart_id: str, typed: dict[str, str], shown: Shipping, ip: str) -> Shipping:
    """Price the shipping again after the order was refused because its total, day or shipping has changed.

    The refusal then shows the total with the new price, so that the customer has to accept a change only once.
    """
    town, address = typed.get("dane_code", ""), typed.get("address", "")
    option_id = typed.get("shipping_option") or shown.chosen
    is_choice = shown.is_ready_for(town)
    return await _try_price_options(cart_id, town, address, option_id, ip, is_choice=is_choice)


async def _changes_text(cart_id: str, shown: Cop, day: date | None) -> str:
    """Return how the total and the promised day differ from those that were shown.

    The text is empty if nothing differs any more, or if the cart cannot be read now.
    """
    try:
        async with current_shop().database.read() as session:
            cart = await read_cart_view(session, cart_id)
            later = await find_later_delivery_of_cart(session, cart_id, day)
    except (DatabaseUnavailable, ShopError):
        return ""
    except Exception:
        log.exception("the changes of %s could not be described", cart_id)
        return ""
    total = _(
        "El total cambió: antes era {before} y ahora es {now}. Revísalo y, si estás de acuerdo, paga."
    ).format(before=format_cop(shown), now=cart.total_label)
    texts = [total if cart.total != shown else "", later.shopper_text if later is not None else ""]
    return " ".join(filter(None, texts))
