"""State of the screen «Vender». The sale is stored in the database: this state only shows it."""

from typing import Any, ClassVar

import reflex as rx

from backend.app import current_shop
from backend.core.errors import InsufficientStock, InvalidData, TotalChanged
from backend.core.money import format_cop, parse_pesos
from backend.core.texts import _
from backend.core.web.contact import parse_phone
from backend.draft_orders.contact import FIELDS as CONTACT_FIELDS
from backend.draft_orders.contact import parse_contact
from backend.draft_orders.counter_sale import parse_received, sell
from backend.draft_orders.customers import choose_customer, remove_customer
from backend.draft_orders.delivery import FIELDS as DELIVERY_FIELDS
from backend.draft_orders.delivery import choose_option, set_delivery
from backend.draft_orders.drafts import (
    add_units,
    cancel_draft,
    open_current_draft,
    set_discount,
    set_origin,
    set_units,
    take_along,
)
from backend.draft_orders.links import build_whatsapp_url, create_link, mail_link, withdraw
from backend.news.topics import Topic
from backend.office.customers.listing import CustomerRow, find_customers_by_text
from backend.office.sell import SOLD_IN, LinkView, SaleView, SoldView, sale_view, sold_view
from backend.orders.origins import OrderOrigin
from backend.presses.service import use_press
from backend.staff.rights import Actor, Right
from storefront.components.forms import MAX_TEXT_LENGTH
from storefront.office.components.delivery import AddressScreen
from storefront.office.components.sale import SaleScreen
from storefront.office.state import office_event
from storefront.reflex_ext.state_loss import KnownClientState
from storefront.state.handlers import checked_fields, checked_id, checked_number

MAX_UNITS = 99
MAX_CUSTOMERS = 6
PAYMENT_FIELDS = ("draft", "method", "reference", "given", "total", *CONTACT_FIELDS)


class SellState(SaleScreen, AddressScreen, KnownClientState):
    """The sale that the staff member is preparing, and the latest finished one."""

    content: rx.Field[SaleView | None] = rx.field(None)
    sold: rx.Field[SoldView | None] = rx.field(None)
    link: rx.Field[LinkView | None] = rx.field(None)
    """The new payment link. Its address is shown only once, because only its hash is stored."""
    customers: rx.Field[list[CustomerRow]] = rx.field(default_factory=list)
    """Customers that match the search."""

    _right: ClassVar[Right] = Right.SELL
    _topics: ClassVar[frozenset[str]] = frozenset({Topic.STOCK, Topic.ORDERS})

    async def _read_content(self, actor: Actor) -> SaleView:
        async with current_shop().database.read() as session:
            return await sale_view(session, actor)

    async def _add(self, actor: Actor, variant_id: str) -> None:
        self.sold = self.link = None
        try:
            async with current_shop().database.transaction() as session:
                draft_id = await _open_sale(session, actor)
                await add_units(session, actor, draft_id, variant_id)
        except (InsufficientStock, InvalidData) as error:
            self._show_refusal(error)
        await self._show(actor)

    @office_event()
    async def set_quantity(self, actor: Actor, line_id: str, quantity: int) -> None:
        """Set the units of a line of the sale; 0 removes the line."""
        checked_id(line_id)
        checked_number(quantity, 0, MAX_UNITS)
        self.problems = {}
        try:
            async with current_shop().database.transaction() as session:
                draft_id = await _open_sale(session, actor)
                await set_units(session, actor, draft_id, line_id, quantity)
        finally:
            await self._show(actor)

    @office_event()
    async def change_origin(self, actor: Actor, origin: str) -> None:
        """Set where the customer buys: at the counter, by telephone or on WhatsApp."""
        if origin not in SOLD_IN:
            raise InvalidData("not an origin")
        async with current_shop().database.transaction() as session:
            draft_id = await _open_sale(session, actor)
            await set_origin(session, actor, draft_id, OrderOrigin(origin))
        await self._show(actor)

    @office_event()
    async def give_discount(self, actor: Actor, form_data: dict[str, str]) -> None:
        """Set the discount in pesos, with its reason; an empty amount removes it."""
        typed = checked_fields(form_data, "discount", "reason")
        self.problems = {}
        amount = parse_pesos(typed["discount"]) if typed["discount"] else 0
        if amount is None:
            raise InvalidData("not pesos", fields={"discount": _("Escribe los pesos, como 5.000.")})
        shop = current_shop()
        async with shop.database.transaction() as session:
            draft_id = await _open_sale(session, actor)
            await set_discount(session, actor, shop.settings, draft_id, amount=amount, reason=typed["reason"])
        await self._announce_done(actor, _("Descuento puesto.") if amount else _("Sin descuento."))

    @office_event()
    async def find_customer(self, actor: Actor, form_data: dict[str, str]) -> None:
        """List the customers that match a name, an e-mail address, a telephone number or a document."""
        text = checked_fields(form_data, "customer")["customer"]
        self.problems, self.customers = {}, []
        if not text:
            return
        async with current_shop().database.read() as session:
            self.customers = await find_customers_by_text(session, actor, text, MAX_CUSTOMERS)
        if not self.customers:
            self.problems = {"customer": _("Ningún cliente tiene estos datos.")}

    @office_event()
    async def assign_customer(self, actor: Actor, customer_id: str) -> None:
        """Choose one of the matching customers."""
        checked_id(customer_id)
        async with current_shop().database.transaction() as session:
            draft_id = await _open_sale(session, actor)
            await choose_customer(session, actor, draft_id, customer_id)
        self.problems, self.customers = {}, []
        await self._show(actor)

    @office_event()
    async def drop_customer(self, actor: Actor) -> None:
        """Remove the chosen customer from the sale."""
        async with current_shop().database.transaction() as session:
            draft_id = await _open_sale(session, actor)
            await remove_customer(session, actor, draft_id)
        await self._show(actor)

    @office_event()
    async def deliver(self, actor: Actor, form_data: dict[str, str]) -> None:
        """Store the typed address of the sale, and show the shipping options with their prices."""
        typed = checked_fields(form_data, *DELIVERY_FIELDS, max_length=MAX_TEXT_LENGTH)
        self.problems = {}
        shop = current_shop()
        async with shop.database.transaction() as session:
            draft_id = await _open_sale(session, actor)
        offer = await set_delivery(shop.checkout, actor, draft_id, typed)
        self._show_offer(offer)
        await self._show(actor)

    @office_event()
    async def choose_shipping(self, actor: Actor, option_id: str) -> None:
        """Choose another shipping option."""
        checked_id(option_id)
        shop = current_shop()
        async with shop.database.transaction() as session:
            draft_id = await _open_sale(session, actor)
        await choose_option(shop.checkout, actor, draft_id, option_id)
        await self._show(actor)

    @office_event()
    async def hand_over(self, actor: Actor) -> None:
        """Remove the delivery: the customer takes the products along."""
        async with current_shop().database.transaction() as session:
            draft_id = await _open_sale(session, actor)
            await take_along(session, actor, draft_id)
        self.options = []
        await self._show(actor)

    @office_event()
    async def receive(self, actor: Actor, form_data: dict[str, str]) -> None:
        """Record the received money: the sale becomes an order. `total` is the total that the screen showed."""
        typed = checked_fields(form_data, *PAYMENT_FIELDS, max_length=MAX_TEXT_LENGTH)
        self.problems = {}
        total = parse_pesos(typed["total"])
        given = parse_pesos(typed["given"]) if typed["given"] else None
        if typed["given"] and given is None:
            raise InvalidData("not pesos", fields={"given": _("Escribe los pesos, como 50.000.")})
        received = parse_received(typed, total if total is not None else -1)
        contact, draft_id = parse_contact(typed), checked_id(typed["draft"])
        shop = current_shop()
        try:
            async with shop.database.transaction() as session:
                order = await sell(
                    session, actor, shop.settings, draft_id, received=received, contact=contact
                )
        except TotalChanged:
            await self._announce_problem(actor, _("El total cambió. Míralo y cobra otra vez."))
        except InsufficientStock:
            text = _("No están todas las unidades: se vendieron, o son de una preventa que no ha llegado.")
            await self._announce_problem(actor, text)
        else:
            self._clear_results()
            self.sold = sold_view(order, received.method, given)
            await self._announce_done(actor, _("Venta guardada."))

    @office_event()
    async def make_link(self, actor: Actor, form_data: dict[str, str]) -> None:
        """Create a payment link and its WhatsApp message. If an e-mail address was typed, mail the link to it."""
        typed = checked_fields(form_data, "draft", "phone", "mail_to")
        self.problems = {}
        phone = typed["phone"]
        if phone and not parse_phone(phone):
            raise InvalidData("no number", fields={"phone": _("El celular debe tener 10 dígitos.")})
        shop = current_shop()
        async with shop.database.transaction() as session:
            link = await create_link(session, actor, shop.settings, checked_id(typed["draft"]))
            if typed["mail_to"]:
                await _mail_link(session, actor, typed["draft"], typed["mail_to"])
        name = (await shop.effective_settings.now()).store_name
        whatsapp_url = build_whatsapp_url(phone, link, name)
        self.link = LinkView(link.url, whatsapp_url, format_cop(link.total), typed["mail_to"])
        self._clear_results()
        await self._announce_done(actor, _("Enlace listo."))

    @office_event()
    async def withdraw_link(self, actor: Actor, draft_id: str) -> None:
        """Cancel a sale that waits for the payment of its link. The link can no longer be paid."""
        checked_id(draft_id)
        async with current_shop().database.transaction() as session:
            await withdraw(session, actor, draft_id)
        self.link = None
        await self._announce_done(actor, _("Enlace retirado: ya nadie lo puede pagar."))

    @office_event()
    async def discard(self, actor: Actor, draft_id: str) -> None:
        """Cancel the sale in progress."""
        checked_id(draft_id)
        async with current_shop().database.transaction() as session:
            await cancel_draft(session, actor, draft_id)
        self._clear_results()
        await self._announce_done(actor, _("Venta cancelada."))

    def _clear_results(self) -> None:
        """Clear the shipping options, the search results, and the latest finished sale."""
        self.options, self.matches, self.customers, self.sold = [], [], [], None


async def _mail_link(session: Any, actor: Actor, draft_id: str, address: str) -> None:
    try:
        await mail_link(session, actor, draft_id, address)
    except InvalidData as error:  # the form has another field `email`
        raise InvalidData(
            error.message, fields={"mail_to": error.fields.get("email", error.message)}
        ) from error


async def _open_sale(session: Any, actor: Actor) -> str:
    """Return the id of the sale in progress, and mark the current button click as executed.

    The browser may send the click again, but a marked click is not executed twice. Audit entries mark it too, but most
    changes of a sale write none.
    """
    draft_id = (await open_current_draft(session, actor)).id
    await use_press(session, draft_id)
    return draft_id
