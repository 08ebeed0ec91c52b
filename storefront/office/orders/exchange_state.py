"""State of the screen «Hacer un cambio». The database stores the exchange; this state only displays it."""

from collections.abc import Awaitable, Callable
from typing import Any, ClassVar

import reflex as rx

from backend.app import current_shop
from backend.core.errors import InsufficientStock, InvalidData, NotAllowed, TotalChanged
from backend.core.money import format_cop
from backend.core.texts import _
from backend.draft_orders.delivery import FIELDS as ADDRESS_FIELDS
from backend.exchanges.delivery import (
    choose_new_delivery,
    deliver_new_order,
    deliver_to_other_address,
    deliver_with_option,
    relist_deliveries,
    take_new_order_along,
)
from backend.exchanges.preparation import (
    add_outbound_units,
    cancel_exchange,
    open_exchange,
    request_exchange,
    set_inbound_units,
    set_outbound_units,
)
from backend.exchanges.settlement import SeenExchange, settle_exchange
from backend.news.topics import Topic
from backend.office.orders.exchange import LATER, ExchangeView, exchange_view, settlement_methods
from backend.order_edits.difference import DifferenceReceipt
from backend.payment.manual_methods import ManualMethod
from backend.staff.rights import Actor, Right
from storefront.components.forms import MAX_TEXT_LENGTH
from storefront.office.components.delivery import AddressScreen
from storefront.office.components.sale import SaleScreen
from storefront.office.navigation import ORDERS
from storefront.office.state import office_event
from storefront.reflex_ext.state_loss import KnownClientState
from storefront.state.handlers import checked_fields, checked_id, checked_number

MAX_UNITS = 99
MAX_AMOUNT = 10**12
NO_UNITS = _("Elige qué unidades devuelve.")
FAILED = _("No se pudo. Mira el pedido.")
SETTLE_FIELDS = ("exchange", "difference", "method", "reference", "damaged")


class ExchangeState(SaleScreen, AddressScreen, KnownClientState):
    """State of the screen on which a staff member exchanges units of the order whose id is in the URL."""

    content: rx.Field[ExchangeView | None] = rx.field(None)
    methods: rx.Field[list[tuple[str, str]]] = rx.field(default_factory=list)
    """Ways to settle the difference: values and names."""

    _right: ClassVar[Right] = Right.SELL
    _topics: ClassVar[frozenset[str]] = frozenset({Topic.STOCK, Topic.ORDERS, Topic.RETURNS})

    async def _read_content(self, actor: Actor) -> ExchangeView:
        async with current_shop().database.read() as session:
            return await exchange_view(session, actor, self._order_in_query())

    def _set_content(self, content: ExchangeView | None) -> None:
        super()._set_content(content)
        if content is None or not content.shipping:  # the prices were those of other products
            self.options = []
        is_delivered = content is not None and bool(content.shipping)
        self.methods = settlement_methods(content.kind if content else "", is_delivered=is_delivered)

    @office_event()
    async def set_inbound(self, actor: Actor, line_id: str, quantity: int) -> None:
        """Set how many units of a line of the order come back."""
        await self._set_units(actor, set_inbound_units, line_id, quantity)

    async def _add(self, actor: Actor, variant_id: str) -> None:
        try:
            async with current_shop().database.transaction() as session:
                exchange = await open_exchange(session, actor, self._order_in_query())
                await add_outbound_units(session, actor, exchange.id, variant_id)
        except (InsufficientStock, InvalidData) as error:
            self._show_refusal(error)
        await self._show(actor)

    @office_event()
    async def set_quantity(self, actor: Actor, line_id: str, quantity: int) -> None:
        """Set the units of a product that goes out; 0 removes it."""
        await self._set_units(actor, set_outbound_units, line_id, quantity)

    async def _set_units(
        self, actor: Actor, set_units: Callable[..., Awaitable[None]], line_id: str, quantity: int
    ) -> None:
        checked_id(line_id)
        checked_number(quantity, 0, MAX_UNITS)
        self.problems = {}
        try:
            async with current_shop().database.transaction() as session:
                exchange = await open_exchange(session, actor, self._order_in_query())
                await set_units(session, actor, exchange.id, line_id, quantity)
        finally:
            await self._show(actor)

    @office_event()
    async def deliver(self, actor: Actor, exchange_id: str) -> None:
        """Send the new products to the order's address, and list the shipping options with their prices."""
        offer = await deliver_new_order(current_shop().checkout, actor, checked_id(exchange_id))
        await self._show(actor)
        self._show_offer(offer)

    @office_event()
    async def deliver_elsewhere(self, actor: Actor, form_data: dict[str, str]) -> None:
        """Send the new products to the typed address, and list the shipping options with their prices."""
        typed = checked_fields(form_data, *ADDRESS_FIELDS, max_length=MAX_TEXT_LENGTH)
        self.problems = {}
        offer = await deliver_to_other_address(current_shop().checkout, actor, self._exchange_id(), typed)
        await self._show(actor)
        self._show_offer(offer)

    @office_event()
    async def pick_up(self, actor: Actor, option_id: str) -> None:
        """Choose the pickup point where the customer will later pick up the new products."""
        await deliver_with_option(current_shop().checkout, actor, self._exchange_id(), checked_id(option_id))
        await self._show(actor)

    @office_event()
    async def list_shipping(self, actor: Actor) -> None:
        """List the shipping options for the address with their prices.

        Keep the chosen option if it is still offered, otherwise choose the first one.
        """
        offer = await relist_deliveries(current_shop().checkout, actor, self._exchange_id())
        await self._show(actor)
        self._show_offer(offer)

    @office_event()
    async def choose_shipping(self, actor: Actor, option_id: str) -> None:
        """Choose another shipping option."""
        await choose_new_delivery(current_shop().checkout, actor, self._exchange_id(), checked_id(option_id))
        await self._show(actor)

    @office_event()
    async def hand_over(self, actor: Actor, exchange_id: str) -> None:
        """Remove the delivery: the customer takes the products along."""
        async with current_shop().database.transaction() as session:
            await take_new_order_along(session, actor, checked_id(exchange_id))
        self.options = []
        await self._show(actor)

    @office_event()
    async def wait_for_return(self, actor: Actor, exchange_id: str) -> None:
        """Open the return of the exchanged units. The products go out when these units have arrived."""
        try:
            async with current_shop().database.transaction() as session:
                await request_exchange(session, actor, checked_id(exchange_id))
        except InvalidData as error:
            await self._announce_problem(actor, error.staff_text or NO_UNITS)
        else:
            await self._announce_done(actor, _("Cambio guardado. El cliente recibe un correo."))

    @office_event()
    async def settle(self, actor: Actor, form_data: dict[str, str]) -> Any:
        """Settle the exchange, and return a redirect to its new order.

        `difference` is the difference that the screen showed.
        """
        typed = checked_fields(form_data, *SETTLE_FIELDS)
        self.problems = {}
        difference = _parse_difference(typed["difference"])
        money = _parse_money(typed, difference)
        seen = SeenExchange(difference, is_damaged=bool(typed["damaged"]))
        try:
            async with current_shop().database.transaction() as session:
                order = await settle_exchange(session, actor, checked_id(typed["exchange"]), seen, money)
        except InsufficientStock:
            await self._announce_problem(actor, _("No están todas las unidades que se lleva."))
        except (NotAllowed, TotalChanged) as error:
            await self._announce_problem(actor, error.staff_text or FAILED)
        except InvalidData as error:
            if error.fields:
                raise
            await self._announce_problem(actor, error.staff_text or NO_UNITS)
        else:
            self._announce(_describe_done(difference, money))
            return rx.redirect(f"{ORDERS}/{order.id}")
        return None

    @office_event()
    async def discard(self, actor: Actor, exchange_id: str) -> Any:
        """Cancel the exchange. Return a redirect to the order."""
        try:
            async with current_shop().database.transaction() as session:
                await cancel_exchange(session, actor, checked_id(exchange_id))
        except NotAllowed as error:
            await self._announce_problem(actor, error.staff_text or FAILED)
            return None
        return rx.redirect(f"{ORDERS}/{self._order_in_query()}")

    def _exchange_id(self) -> str:
        """Return the id of the displayed exchange; `-`, which no exchange has, if none has begun."""
        exchange_id = self.content.exchange_id if self.content is not None else ""
        return checked_id(exchange_id or "-")


def _parse_difference(text: str) -> int:
    """Return the difference that the screen showed.

    Raises:
        InvalidData: it is not a number.
    """
    digits = text.removeprefix("-")
    if not digits.isascii() or not digits.isdecimal() or len(digits) > len(str(MAX_AMOUNT)):
        raise InvalidData("not a difference")
    return int(text)


def _parse_money(typed: dict[str, str], difference: int) -> DifferenceReceipt | None:
    """Parse how the difference was paid or refunded; None if there is no difference or it is settled later.

    Raises:
        InvalidData: the method is unknown.
    """
    if not difference or typed["method"] == LATER:
        return None
    if typed["method"] not in set(ManualMethod):
        raise InvalidData("not a method", fields={"method": _("Elige cómo.")})
    return DifferenceReceipt(abs(difference), ManualMethod(typed["method"]), typed["reference"])


def _describe_done(difference: int, money: DifferenceReceipt | None) -> str:
    if not difference or money is None:
        return _("Cambio hecho.")
    amount = format_cop(abs(difference))
    if difference > 0:
        return _("Cambio hecho. Recibiste {amount}.").format(amount=amount)
    return _("Cambio hecho. Devolviste {amount}.").format(amount=amount)
