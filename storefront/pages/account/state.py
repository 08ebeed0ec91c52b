"""State of the account page.

Every event reads from the database who is signed in, and changes only the data of this customer.
"""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from functools import partial, wraps
from typing import Any, TypeVar, cast

import reflex as rx

from backend.app import current_shop
from backend.cart.access import open_or_create_cart
from backend.cart.views import read_cart_view
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
from backend.customers.saved_payers import delete_saved_payer, read_saved_payer
from backend.fulfillment.views import FulfillmentView
from backend.legal.consents import (
    KIND_NAMES,
    ConsentContext,
    ConsentKind,
    ConsentProof,
    ConsentSource,
    consents_of_customer,
    give_marketing_consent,
    has_marketing_consent,
    withdraw_consent,
)
from backend.office_settings import read_cart_reminders
from backend.payment.providers.pse.payer import DOCUMENT_TYPES
from backend.presses.service import PressUsed, use_press
from backend.reviews.page_links import ReviewLink
from backend.shipping.municipalities import find_municipality_by_name, search_municipalities
from backend.storefront_views import account_page
from backend.storefront_views.account_page import AddressView, OrderedProduct
from storefront.components.forms import MAX_TEXT_LENGTH, Town, town_view
from storefront.links import CART, LOGIN, order_path
from storefront.meta import NOINDEX, DocumentMeta
from storefront.pages.page_loader import PageData, PageParams, PageState
from storefront.state.cart import CartState, resume_cart, use_changed_cart, use_own_cart
from storefront.state.frame import errors_as_notices, notify
from storefront.state.handlers import MAX_ID_LENGTH, Resend, checked_id, checked_text, event, next_number
from storefront.state.session import get_client_ip, get_shopper

TITLE = _("Mi cuenta")
MAX_FORM_FIELDS = 20
MAX_VISIBLE_DIGITS = 3
MISSING_PRODUCTS = _("Ya no hay, o no tantas unidades, de: {toys}.")
WITHDRAWABLE = (ConsentKind.DATA, ConsentKind.MARKETING)
"""The consents that can be withdrawn. The terms of an order cannot be withdrawn after they were accepted."""


def private_meta(title: str) -> DocumentMeta:
    """Return the meta of a page that search engines must not index."""
    return DocumentMeta(title=title, robots=NOINDEX)


@dataclass(frozen=True, slots=True)
class OrderRow:
    """An order in the customer's list of orders."""

    number: int
    page: str
    status: str
    created_label: str
    total_label: str
    fulfillments: list[FulfillmentView]
    id: str
    products: list[OrderedProduct]
    returns: list[str]
    can_ask: bool
    reviews: list[ReviewLink]


@dataclass(frozen=True, slots=True)
class ConsentRow:
    """The customer's latest consent of one kind, and whether it can be withdrawn."""

    kind: str
    title: str
    detail: str
    can_withdraw: bool


@dataclass(frozen=True, slots=True)
class FormAnswer:
    """The response to the latest submitted form; `number` is different for each response."""

    number: int = 0
    form: str = ""
    is_good: bool = True
    message: str = ""
    problems: dict[str, str] = field(default_factory=dict)


async def load(_params: PageParams) -> PageData[None]:
    """Return only the status and head of the document.

    The document is the same for all customers; the customer is known only after the websocket has connected.
    """
    return PageData(None, private_meta(TITLE))


Handler = TypeVar("Handler", bound=Callable[..., Awaitable[Any]])


def _show_errors(handler: Handler) -> Handler:
    """Wrap an event handler so that its errors are shown as notices.

    An error sets `answer.is_good` to False, so that the submitted form keeps its typed text.
    """

    @wraps(handler)
    async def handler_with_notices(self: "AccountState", *arguments: Any, **named: Any) -> Any:
        events: Any = None
        async with errors_as_notices(self):
            try:
                events = await handler(self, *arguments, **named)
            except PressUsed:
                self.answer = FormAnswer(next_number(self.answer.number))
                events = await self._refresh()
            except Exception:
                self.answer = FormAnswer(next_number(self.answer.number), is_good=False)
                raise
        return events

    return cast("Handler", handler_with_notices)


class AccountState(PageState, rx.State):
    """The signed-in customer's data."""

    meta: rx.Field[DocumentMeta] = rx.field(default_factory=lambda: private_meta(TITLE))
    content: rx.Field[None] = rx.field(None)
    shopper: rx.Field[ShopperView] = rx.field(default_factory=ShopperView)
    has_password: rx.Field[bool] = rx.field(True)
    orders: rx.Field[list[OrderRow]] = rx.field(default_factory=list)
    book: rx.Field[list[AddressView]] = rx.field(default_factory=list)
    consents: rx.Field[list[ConsentRow]] = rx.field(default_factory=list)
    can_accept_offers: rx.Field[bool] = rx.field(False)
    payer: rx.Field[str] = rx.field("")
    """The identity document that is saved for the next payment. Only its final digits are readable."""
    towns: rx.Field[list[Town]] = rx.field(default_factory=list)
    towns_for: rx.Field[str] = rx.field("")
    answer: rx.Field[FormAnswer] = rx.field(default_factory=FormAnswer)

    async def _data(self, params: PageParams) -> PageData[None]:
        return await load(params)

    async def _read_and_show(self) -> Any:
        """Show the customer's data, or redirect to the sign-in page."""
        await super()._read_and_show()
        return await self._refresh()

    @event(press=Resend.EVERY_PAGE)
    @_show_errors
    async def save_profile(self, values: dict[str, str]) -> Any:
        """Save the customer's name and telephone number."""
        shopper = await get_shopper(self)
        if shopper is None:
            return self._clear_and_redirect()
        try:
            typed = _parse_texts(values)
            async with current_shop().database.transaction() as session:
                await use_press(session)
                await accounts.change_profile(session, shopper.id, typed)
        except InvalidData as error:
            self._set_answer("profile", error)
            return None
        self._set_answer("profile", None, _("Guardado."))
        return await self._refresh()

    @event(press=Resend.EVERY_PAGE)
    @_show_errors
    async def save_address(self, values: dict[str, str]) -> Any:
        """Save an address in the address book. If the form has an id, it replaces the entry with that id."""
        shopper = await get_shopper(self)
        if shopper is None:
            return self._clear_and_redirect()
        form = "address"
        try:
            typed = _parse_texts(values)
            address_id = typed.get("id", "")[:MAX_ID_LENGTH]
            form += address_id
            code = _find_town_code(typed.get("town", ""))
            place = read_form(Destination, {**typed, "email": shopper.email, "dane_code": code}).to_address()
            async with current_shop().database.transaction() as session:
                await use_press(session)
                if address_id:
                    await addresses.change_address(session, shopper.id, address_id, place)
                else:
                    await addresses.add_address(session, shopper.id, place)
        except (InvalidData, NotAllowed, NotFound) as error:
            self._set_answer(form, error)
            return None
        self._set_answer(form, None, "")
        await notify(self, _("Guardamos la dirección."), "news")
        return await self._refresh()

    @event(press=Resend.EVERY_PAGE)
    @_show_errors
    async def remove_address(self, address_id: str) -> Any:
        """Remove an address from the address book."""
        return await self._change_book(address_id, addresses.remove_address)

    @event(press=Resend.EVERY_PAGE)
    @_show_errors
    async def prefer_address(self, address_id: str) -> Any:
        """Make an entry of the address book the default shipping address."""
        return await self._change_book(
            address_id, partial(addresses.change_address, changes={}, is_shipping=True)
        )

    @event(press=Resend.EVERY_PAGE)
    @_show_errors
    async def buy_again(self, order_id: str) -> Any:
        """Add the products of an order to the cart, and redirect to the cart.

        A notice names the unavailable products.
        """
        shopper = await get_shopper(self)
        if shopper is None:
            return self._clear_and_redirect()
        order_id, cart = checked_id(order_id), await self.get_state(CartState)
        await use_own_cart(cart)
        gone: list[str] = []
        try:
            async with current_shop().database.transaction() as session:
                cart_id = await open_or_create_cart(session, cart.cart_id)
                await use_press(session, cart_id)
                gone = await buy_again(session, shopper.id, order_id, cart_id)
                view = await read_cart_view(session, cart_id)
            await use_changed_cart(cart, cart_id, view)
        except PressUsed as used:
            await resume_cart(cart, used.subject)
        cart.answers = next_number(cart.answers)
        if gone:
            await notify(self, MISSING_PRODUCTS.format(toys="; ".join(gone)))
        return rx.redirect(CART)

    @event(press=Resend.EVERY_PAGE)
    @_show_errors
    async def withdraw_consent(self, kind: str) -> Any:
        """Withdraw the consent of this kind."""
        shopper = await get_shopper(self)
        if shopper is None:
            return self._clear_and_redirect()
        async with errors_as_notices(self):
            if not isinstance(kind, str) or kind not in WITHDRAWABLE:
                raise InvalidData("not a consent that can be withdrawn")
            async with current_shop().database.transaction() as session:
                await use_press(session)
                await withdraw_consent(session, shopper.id, ConsentKind(kind))
            await notify(self, _("Listo: retiraste tu autorización."), "news")
        return await self._refresh()

    @event(press=Resend.EVERY_PAGE)
    @_show_errors
    async def accept_offers(self) -> Any:
        """Store the customer's consent to receive offers."""
        shopper = await get_shopper(self)
        if shopper is None:
            return self._clear_and_redirect()
        async with errors_as_notices(self):
            shop = current_shop()
            context = ConsentContext(shop.settings, get_client_ip(self), ConsentSource.ACCOUNT)
            async with shop.database.transaction() as session:
                await use_press(session)
                await give_marketing_consent(session, context, shopper.id)
            await notify(self, _("Listo: te escribiremos cuando haya algo para ti."), "news")
        return await self._refresh()

    @event(press=Resend.EVERY_PAGE)
    @_show_errors
    async def forget_payer(self) -> Any:
        """Delete the customer's saved document and bank."""
        shopper = await get_shopper(self)
        if shopper is None:
            return self._clear_and_redirect()
        async with errors_as_notices(self):
            async with current_shop().database.transaction() as session:
                await use_press(session)
                await delete_saved_payer(session, shopper.id)
            await notify(self, _("Listo: borramos tu documento y tu banco."), "news")
        return await self._refresh()

    @event(supersedes=True, debounce=150)
    async def find_towns(self, text: str) -> None:
        """Find the municipalities that match the typed text."""
        async with errors_as_notices(self):
            text = checked_text(text, MAX_TEXT_LENGTH)
            self.towns = [town_view(town) for town in search_municipalities(text)]
            self.towns_for = text

    async def _change_book(self, address_id: str, change: Callable[..., Awaitable[object]]) -> Any:
        shopper = await get_shopper(self)
        if shopper is None:
            return self._clear_and_redirect()
        async with errors_as_notices(self):
            address_id = checked_id(address_id)
            try:
                async with current_shop().database.transaction() as session:
                    await use_press(session)
                    await change(session, shopper.id, address_id)
            except NotFound:  # it was removed a moment ago, here or in another tab
                await notify(self, ADDRESS_GONE)
        return await self._refresh()

    async def _refresh(self) -> Any:
        shop, shopper = current_shop(), await get_shopper(self)
        if shopper is None:
            return self._clear_and_redirect()
        async with shop.database.read() as session:
            orders = await account_page.list_customer_orders(session, shop.settings.signing_key, shopper.id)
            self.book = await account_page.list_address_views(session, shopper.id)
            given = await consents_of_customer(session, shopper.id)
            sends_offers = await read_cart_reminders(session)
            self.can_accept_offers = sends_offers and not await has_marketing_consent(session, shopper.id)
            self.payer = payer_label(await read_saved_payer(session, shopper.id))
            self.has_password = await accounts.find_password_login(session, shopper.id) is not None
        self.orders = [
            OrderRow(
                order.number,
                order_path(order.id, order.token),
                order.status,
                order.created_label,
                order.total_label,
                order.fulfillments,
                order.id,
                order.ordered_products,
                order.returns,
                order.can_request_return,
                order.reviews,
            )
            for order in orders
        ]
        self.consents = consent_rows(given)
        self.shopper = shopper
        return None

    def _clear_and_redirect(self) -> Any:
        """Delete all personal data from the state, because the session has ended, and redirect to the sign-in page."""
        self.shopper, self.orders, self.book, self.consents = ShopperView(), [], [], []
        self.payer, self.can_accept_offers = "", False
        self.answer = FormAnswer(next_number(self.answer.number))
        return rx.redirect(LOGIN, replace=True)

    def _set_answer(self, form: str, error: ShopError | None, message: str = "") -> None:
        if error:
            message = text_for(error, ACCOUNT)
        problems = dict(error.fields) if error else {}
        if "dane_code" in problems:
            problems["town"] = problems.pop("dane_code")
        self.answer = FormAnswer(next_number(self.answer.number), form, error is None, message, problems)


def payer_label(saved: Mapping[str, str]) -> str:
    """Return the payer's identity document with all but its final digits hidden; empty if no payer is saved."""
    kind = DOCUMENT_TYPES.get(saved.get("doc_type", ""))
    number = saved.get("doc_number", "")
    return (
        f"{kind.label} ···{number[-min(MAX_VISIBLE_DIGITS, len(number) // 2) :]}" if kind and number else ""
    )


def consent_rows(given: list[ConsentProof]) -> list[ConsentRow]:
    """Return the latest consent of each kind, given or withdrawn."""
    rows = []
    for kind, last in {consent.kind: consent for consent in given}.items():
        template = _("Retirado el {date}") if last.withdrawn_at else _("Desde el {date}, versión {version}")
        moment = time_label(last.withdrawn_at or last.given_at)
        detail = template.format(date=moment, version=last.version)
        can = kind in WITHDRAWABLE and last.withdrawn_at is None
        rows.append(ConsentRow(kind, KIND_NAMES[kind], detail, can))
    return rows


def _parse_texts(values: object) -> dict[str, str]:
    """Return the form's texts by name.

    Raises:
        InvalidData: the values are not texts by name.
    """
    if not isinstance(values, Mapping) or len(values) > MAX_FORM_FIELDS:
        raise InvalidData("not a form")
    return {str(name): checked_text(text, MAX_TEXT_LENGTH) for name, text in values.items()}


def _find_town_code(text: str) -> str:
    """Return the code of the municipality that the text names; empty if there is none, or several.

    The text is an entry of the list of municipalities, or a name that only one municipality has.
    """
    for town in search_municipalities(text):
        if text.casefold() == town_view(town).label.casefold():
            return town.code
    city, _comma, department = text.rpartition(",")
    named = find_municipality_by_name(text, "") or find_municipality_by_name(city, department)
    return named.code if named else ""
