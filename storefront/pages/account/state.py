"""A customer's own page. Every event asks the database again who is signed in, and touches what is theirs alone."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from functools import partial, wraps
from typing import Any, TypeVar, cast

import reflex as rx

from backend.app import current_shop
from backend.cart.access import open_or_new
from backend.cart.views import cart_view
from backend.checkout.carts.reorder import buy_again
from backend.checkout.form import Destination
from backend.core.dates import time_label
from backend.core.error_texts import ACCOUNT, ADDRESS_GONE, text_for
from backend.core.errors import InvalidData, NotAllowed, NotFound, ShopError
from backend.core.texts import _
from backend.core.web.contact import read_form
from backend.customers import addresses
from backend.customers.auth import accounts
from backend.customers.auth.accounts import ShopperView
from backend.customers.saved_payers import forget_payer, payer_of
from backend.fulfillment.views import FulfillmentView
from backend.legal.consents import (
    KIND_NAMES,
    ConsentKind,
    ConsentProof,
    consents_of_customer,
    withdraw_consent,
)
from backend.payment.providers.pse.payer import DOCUMENT_TYPES
from backend.presses.service import PressUsed, use_press
from backend.reviews.page_links import ReviewLink
from backend.shipping.municipalities import municipality_named, search_municipalities
from backend.storefront_views import account_page
from backend.storefront_views.account_page import AddressView, OrderedToy
from storefront.components.forms import LONGEST, Town, town_view
from storefront.links import CART, LOGIN, order_path
from storefront.meta import NOINDEX, DocumentMeta
from storefront.pages.page_loader import PageData, PageParams, PageState
from storefront.state.cart import CartState, find_cart, go_on_with, use_own_cart
from storefront.state.frame import errors_as_notices, notify
from storefront.state.handlers import MAX_ID, Resend, checked_id, checked_text, event, next_number
from storefront.state.session import shopper_of

TITLE = _("Mi cuenta")
MOST_FIELDS = 20
SHOWN_FIGURES = 3
LESS = _("Ya no hay, o no tantas unidades, de: {toys}.")
WITHDRAWN = (ConsentKind.DATA, ConsentKind.MARKETING)
"""What can be taken back: the conditions of what was bought stand."""


def meta(title: str) -> DocumentMeta:
    """The document of a page that is nobody's to find."""
    return DocumentMeta(title=title, robots=NOINDEX)


@dataclass(frozen=True, slots=True)
class OrderRow:
    """An order in the list."""

    number: int
    page: str
    status: str
    created_label: str
    total_label: str
    fulfillments: list[FulfillmentView]
    id: str
    toys: list[OrderedToy]
    returns: list[str]
    can_ask: bool
    reviews: list[ReviewLink]


@dataclass(frozen=True, slots=True)
class ConsentRow:
    """What the customer agreed to last of one kind, and whether that can be taken back."""

    kind: str
    title: str
    detail: str
    can_withdraw: bool


@dataclass(frozen=True, slots=True)
class FormAnswer:
    """What came of the last form that was sent; `number` tells one from the next."""

    number: int = 0
    form: str = ""
    is_good: bool = True
    message: str = ""
    problems: dict[str, str] = field(default_factory=dict)


async def load(_params: PageParams) -> PageData[None]:
    """The document knows nobody: only the websocket does."""
    return PageData(None, meta(TITLE))


Handler = TypeVar("Handler", bound=Callable[..., Awaitable[Any]])


def _answered(handler: Handler) -> Handler:
    """Make any error that comes out of a handler a notice. It is an answer too: the forms keep what was typed."""

    @wraps(handler)
    async def answered(self: "AccountState", *arguments: Any, **named: Any) -> Any:
        leads: Any = None
        async with errors_as_notices(self):
            try:
                leads = await handler(self, *arguments, **named)
            except PressUsed:
                self.answer = FormAnswer(next_number(self.answer.number))
                leads = await self._refresh()
            except Exception:
                self.answer = FormAnswer(next_number(self.answer.number), is_good=False)
                raise
        return leads

    return cast("Handler", answered)


class AccountState(PageState, rx.State):
    """What is the customer's."""

    meta: rx.Field[DocumentMeta] = rx.field(default_factory=lambda: meta(TITLE))
    content: rx.Field[None] = rx.field(None)
    who: rx.Field[ShopperView] = rx.field(default_factory=ShopperView)
    has_password: rx.Field[bool] = rx.field(True)
    orders: rx.Field[list[OrderRow]] = rx.field(default_factory=list)
    book: rx.Field[list[AddressView]] = rx.field(default_factory=list)
    consents: rx.Field[list[ConsentRow]] = rx.field(default_factory=list)
    payer: rx.Field[str] = rx.field("")
    """The document that is kept for the next payment, all but its end hidden."""
    towns: rx.Field[list[Town]] = rx.field(default_factory=list)
    towns_for: rx.Field[str] = rx.field("")
    answer: rx.Field[FormAnswer] = rx.field(default_factory=FormAnswer)

    async def _data(self, params: PageParams) -> PageData[None]:
        return await load(params)

    async def _fill(self) -> Any:
        """Show what is the customer's, or the way in."""
        await super()._fill()
        return await self._refresh()

    @event(press=Resend.EVERY_PAGE)
    @_answered
    async def save_profile(self, values: dict[str, str]) -> Any:
        """Change name and telephone."""
        shopper = await shopper_of(self)
        if shopper is None:
            return self._forget()
        try:
            typed = _texts(values)
            async with current_shop().database.transaction() as session:
                await use_press(session)
                await accounts.change_profile(session, shopper.id, typed)
        except InvalidData as error:
            self._tell("profile", error)
            return None
        self._tell("profile", None, _("Guardado."))
        return await self._refresh()

    @event(press=Resend.EVERY_PAGE)
    @_answered
    async def save_address(self, values: dict[str, str]) -> Any:
        """Write an address into the book, in place of the one whose id the form names, if it names one."""
        shopper = await shopper_of(self)
        if shopper is None:
            return self._forget()
        form = "address"
        try:
            typed = _texts(values)
            address_id = typed.get("id", "")[:MAX_ID]
            form += address_id
            code = _town_code(typed.get("town", ""))
            place = read_form(Destination, {**typed, "email": shopper.email, "dane_code": code}).as_address()
            async with current_shop().database.transaction() as session:
                await use_press(session)
                if address_id:
                    await addresses.change_address(session, shopper.id, address_id, place)
                else:
                    await addresses.add_address(session, shopper.id, place)
        except (InvalidData, NotAllowed, NotFound) as error:
            self._tell(form, error)
            return None
        self._tell(form, None, "")
        await notify(self, _("Guardamos la dirección."), "news")
        return await self._refresh()

    @event(press=Resend.EVERY_PAGE)
    @_answered
    async def remove_address(self, address_id: str) -> Any:
        """Take an address out of the book."""
        return await self._change_book(address_id, addresses.remove_address)

    @event(press=Resend.EVERY_PAGE)
    @_answered
    async def prefer_address(self, address_id: str) -> Any:
        """Ship to this address unless told otherwise."""
        return await self._change_book(address_id, partial(addresses.change_address, changes={}, ships=True))

    @event(press=Resend.EVERY_PAGE)
    @_answered
    async def buy_again(self, order_id: str) -> Any:
        """Put the toys of an order into the cart, and go there. What is not there any more is named."""
        shopper = await shopper_of(self)
        if shopper is None:
            return self._forget()
        order_id, cart = checked_id(order_id), await self.get_state(CartState)
        await use_own_cart(cart)
        gone: list[str] = []
        try:
            async with current_shop().database.transaction() as session:
                cart_id = await open_or_new(session, cart.cart_id)
                await use_press(session, cart_id)
                gone = await buy_again(session, shopper.id, order_id, cart_id)
                view = await cart_view(session, cart_id)
            await go_on_with(cart, cart_id, view)
        except PressUsed as used:
            await find_cart(cart, used.subject)
        cart.answers = next_number(cart.answers)
        if gone:
            await notify(self, LESS.format(toys="; ".join(gone)))
        return rx.redirect(CART)

    @event(press=Resend.EVERY_PAGE)
    @_answered
    async def withdraw(self, kind: str) -> Any:
        """Withdraw what was agreed to of this kind, as easily as it was given."""
        shopper = await shopper_of(self)
        if shopper is None:
            return self._forget()
        async with errors_as_notices(self):
            if not isinstance(kind, str) or kind not in WITHDRAWN:
                raise InvalidData("nothing that can be taken back")
            async with current_shop().database.transaction() as session:
                await use_press(session)
                await withdraw_consent(session, shopper.id, ConsentKind(kind))
            await notify(self, _("Listo: retiraste tu autorización."), "news")
        return await self._refresh()

    @event(press=Resend.EVERY_PAGE)
    @_answered
    async def forget_payer(self) -> Any:
        """Keep the customer's document and bank no longer."""
        shopper = await shopper_of(self)
        if shopper is None:
            return self._forget()
        async with errors_as_notices(self):
            async with current_shop().database.transaction() as session:
                await use_press(session)
                await forget_payer(session, shopper.id)
            await notify(self, _("Listo: borramos tu documento y tu banco."), "news")
        return await self._refresh()

    @event(supersedes=True, debounce=150)
    async def find_towns(self, text: str) -> None:
        """The municipalities that what is typed may mean."""
        async with errors_as_notices(self):
            text = checked_text(text, LONGEST)
            self.towns = [town_view(town) for town in search_municipalities(text)]
            self.towns_for = text

    async def _change_book(self, address_id: str, change: Callable[..., Awaitable[object]]) -> Any:
        shopper = await shopper_of(self)
        if shopper is None:
            return self._forget()
        async with errors_as_notices(self):
            address_id = checked_id(address_id)
            try:
                async with current_shop().database.transaction() as session:
                    await use_press(session)
                    await change(session, shopper.id, address_id)
            except NotFound:  # it was taken out a moment ago, here or in another tab
                await notify(self, ADDRESS_GONE)
        return await self._refresh()

    async def _refresh(self) -> Any:
        shop, shopper = current_shop(), await shopper_of(self)
        if shopper is None:
            return self._forget()
        async with shop.database.read() as session:
            orders = await account_page.own_orders(session, shop.settings.signing_key, shopper.id)
            self.book = await account_page.address_book(session, shopper.id)
            given = await consents_of_customer(session, shopper.id)
            self.payer = payer_label(await payer_of(session, shopper.id))
            self.has_password = await accounts.password_login(session, shopper.id) is not None
        self.orders = [
            OrderRow(
                order.number,
                order_path(order.id, order.token),
                order.status,
                order.created_label,
                order.total_label,
                order.fulfillments,
                order.id,
                order.toys,
                order.returns,
                order.can_ask,
                order.reviews,
            )
            for order in orders
        ]
        self.consents = consent_rows(given)
        self.who = shopper
        return None

    def _forget(self) -> Any:
        """Nobody is signed in any more: nothing of them stays here."""
        self.who, self.orders, self.book, self.consents = ShopperView(), [], [], []
        self.payer = ""
        self.answer = FormAnswer(next_number(self.answer.number))
        return rx.redirect(LOGIN, replace=True)

    def _tell(self, form: str, error: ShopError | None, message: str = "") -> None:
        if error:
            message = text_for(error, ACCOUNT)
        problems = dict(error.fields) if error else {}
        if "dane_code" in problems:
            problems["town"] = problems.pop("dane_code")
        self.answer = FormAnswer(next_number(self.answer.number), form, error is None, message, problems)


def payer_label(kept: Mapping[str, str]) -> str:
    """A document with only its last figures to be read; empty when none is kept."""
    kind = DOCUMENT_TYPES.get(kept.get("doc_type", ""))
    number = kept.get("doc_number", "")
    return f"{kind.label} ···{number[-min(SHOWN_FIGURES, len(number) // 2) :]}" if kind and number else ""


def consent_rows(given: list[ConsentProof]) -> list[ConsentRow]:
    """The last of each kind that stands, or that was taken back."""
    rows = []
    for kind, last in {one.kind: one for one in given}.items():
        told = _("Retirado el {date}") if last.withdrawn_at else _("Desde el {date}, versión {version}")
        moment = time_label(last.withdrawn_at or last.given_at)
        detail = told.format(date=moment, version=last.version)
        can = kind in WITHDRAWN and last.withdrawn_at is None
        rows.append(ConsentRow(kind, KIND_NAMES[kind], detail, can))
    return rows


def _texts(values: object) -> dict[str, str]:
    """What a form sent.

    Raises:
        InvalidData: it is no form of texts.
    """
    if not isinstance(values, Mapping) or len(values) > MOST_FIELDS:
        raise InvalidData("not a form")
    return {str(name): checked_text(text, LONGEST) for name, text in values.items()}


def _town_code(text: str) -> str:
    """The code of the municipality that is written so: as the list writes it, or by a name that is one of a kind.

    Empty when there is no such one, or more than one.
    """
    for town in search_municipalities(text):
        if text.casefold() == town_view(town).label.casefold():
            return town.code
    city, _comma, department = text.rpartition(",")
    named = municipality_named(text, "") or municipality_named(city, department)
    return named.code if named else ""
