"""State of an order's screen."""

from dataclasses import replace
from typing import Any, ClassVar

import reflex as rx

from backend.app import current_shop
from backend.checkout.form import parse_destination
from backend.core.errors import (
    Conflict,
    InvalidData,
    NotAllowed,
    NotImplementedByProvider,
    OutcomeUnknown,
    OutsideFailure,
)
from backend.core.money import parse_pesos
from backend.core.texts import _
from backend.fulfillment.bulk_fulfillment import Outcome, hand_over, send_remaining_units, ship_order
from backend.fulfillment.cancellation import cancel_fulfillment
from backend.fulfillment.delivery import mark_delivered_by_hand
from backend.mail.resend import resend_order_mail
from backend.news.topics import Topic
from backend.office.orders.detail import OrderDetail, order_detail
from backend.office.orders.editing import add_difference_link
from backend.office.orders.timeline import PACKED_ACTIONS, describe_last_action
from backend.order_edits.difference import DifferenceReceipt, give_back_difference, receive_difference
from backend.order_edits.difference_payment import build_difference_url
from backend.orders.admin.cancellation import cancel_order
from backend.orders.admin.corrections import MAX_NOTE_LENGTH, add_note, correct_address
from backend.orders.service import read_order
from backend.orders.states import OrderStatus
from backend.payment.manual_methods import ManualMethod
from backend.shipping.municipalities import find_municipality_by_name
from backend.staff.rights import Actor, Right
from storefront.components.forms import MAX_TEXT_LENGTH
from storefront.office.components.delivery import AddressScreen
from storefront.office.state import office_event
from storefront.reflex_ext.state_loss import KnownClientState
from storefront.state.handlers import checked_fields, checked_id

ADDRESS_FIELDS = ("first_name", "last_name", "phone", "town", "address", "suburb", "reference", "version")
SENT = ("shipped",)
UNPACKED = ("label canceled", "packing canceled")


class OrderState(AddressScreen, KnownClientState):
    """State of the screen of an order."""

    content: rx.Field[OrderDetail | None] = rx.field(None)
    note_count: rx.Field[int] = rx.field(0)
    """Number of notes added on this page."""

    _right: ClassVar[Right] = Right.READ_ORDERS
    _topics: ClassVar[frozenset[str]] = frozenset({Topic.ORDERS, Topic.RETURNS, Topic.ATTENTION})

    async def _read_content(self, actor: Actor) -> OrderDetail:
        shop = current_shop()
        async with shop.database.read() as session:
            effective = await shop.effective_settings.now()
            detail = await order_detail(session, actor, self._id_in_url(), effective.store_name)
        url = build_difference_url(shop.settings, detail.id)
        difference = add_difference_link(detail.difference, url, detail.phone, detail.number)
        return replace(detail, difference=difference)

    @office_event(Right.FULFILL)
    async def pack(self, actor: Actor) -> None:
        """Create one label for all units of the order that have no label yet."""
        shop = current_shop()
        outcome = await send_remaining_units(
            shop.database,
            actor,
            await shop.effective_settings.now(),
            shop.fulfillment_providers,
            self._id_in_url(),
        )
        await self._announce_outcome(actor, outcome, PACKED_ACTIONS)

    @office_event(Right.FULFILL)
    async def ship(self, actor: Actor) -> None:
        """Record that the packed units were shipped."""
        async with current_shop().database.transaction() as session:
            outcome = await ship_order(session, actor, self._id_in_url())
        await self._announce_outcome(actor, outcome, SENT)

    @office_event(Right.FULFILL)
    async def deliver(self, actor: Actor) -> None:
        """Record that the customer picked up the order."""
        async with current_shop().database.transaction() as session:
            outcome = await hand_over(session, actor, self._id_in_url())
        await self._announce_outcome(actor, outcome, ("delivered",))

    @office_event(Right.FULFILL)
    async def deliver_parcel(self, actor: Actor, form: dict[str, Any]) -> None:
        """Record that a parcel was delivered. The form contains the id (`fulfillment`) and a `reason`."""
        typed = checked_fields(form, "fulfillment", "reason", max_length=MAX_NOTE_LENGTH)
        fulfillment_id = checked_id(typed["fulfillment"])
        try:
            async with current_shop().database.transaction() as session:
                is_new = await mark_delivered_by_hand(
                    session, actor, self._id_in_url(), fulfillment_id, typed["reason"]
                )
        except NotAllowed:
            await self._announce_refusal(actor, _("Este paquete ya se anuló."), UNPACKED)
            return
        if is_new:
            await self._announce_done(actor, _("Entregado."))
        else:
            await self._announce_refusal(actor, _("Ya estaba entregado."), ("delivered",))

    @office_event(Right.FULFILL)
    async def cancel_label(self, actor: Actor, fulfillment_id: str) -> None:
        """Cancel a label that was not shipped."""
        shop, fulfillment_id = current_shop(), checked_id(fulfillment_id)
        try:
            await cancel_fulfillment(
                shop.database, actor, shop.fulfillment_providers, self._id_in_url(), fulfillment_id
            )
        except (NotAllowed, Conflict):
            text = _("Ya no se puede anular.") if self._has_label() else _("Ya no se puede desempacar.")
            await self._announce_refusal(actor, text, (*SENT, *UNPACKED))
        except OutcomeUnknown:
            text = _("No sabemos si la transportadora anuló la guía. Inténtalo otra vez en un rato.")
            await self._announce_refusal(actor, text, ())
        except OutsideFailure as error:
            why = error.staff_text or _("La transportadora no responde.")
            text = _("La guía sigue como estaba. {why}").format(why=why)
            await self._announce_refusal(actor, text, ())
        else:
            self._announce(_("Guía anulada.") if self._has_label() else _("Desempacado."))
            await self._show(actor)

    @office_event(Right.EDIT_ORDERS)
    async def receive(self, actor: Actor, form: dict[str, Any]) -> None:
        """Record that a staff member has received the price difference of an edited order from the customer."""
        receipt = _parse_receipt(form)
        self.problems = {}
        async with current_shop().database.transaction() as session:
            await receive_difference(session, actor, self._id_in_url(), receipt)
        await self._announce_done(actor, _("Diferencia anotada: ya se puede empacar."))

    @office_event(Right.BOOK_REFUNDS)
    async def give_back(self, actor: Actor, form: dict[str, Any]) -> None:
        """Record that the customer has been refunded the price difference of an edited order."""
        receipt = _parse_receipt(form)
        self.problems = {}
        await give_back_difference(current_shop().database, actor, self._id_in_url(), receipt)
        await self._announce_done(actor, _("Devolución anotada. El comprador recibe un correo."))

    @office_event(Right.CANCEL_ORDERS)
    async def cancel(self, actor: Actor) -> None:
        """Cancel the order."""
        shop = current_shop()
        async with shop.database.read() as session:
            order = await read_order(session, self._id_in_url())
        if order.status == OrderStatus.CANCELED:
            await self._announce_refusal(actor, _("Ya estaba cancelado."), ("canceled",))
            return
        try:
            await cancel_order(shop.database, actor, shop.payments, order.id)
        except NotImplementedByProvider:
            await self._announce_refusal(
                actor, _("Ya está pagado: abre una devolución de lo no entregado."), ()
            )
        except NotAllowed:
            text = _("No se puede: el pago está en el banco, o algo ya se empacó. Mira cómo está.")
            await self._announce_refusal(actor, text, PACKED_ACTIONS)
        except OutsideFailure:
            await self._announce_refusal(
                actor, _("No pudimos preguntarle al banco. Inténtalo en un rato."), ()
            )
        else:
            self._announce(_("Pedido cancelado. Sus unidades se pueden vender otra vez."))
            await self._show(actor)

    @office_event(Right.FULFILL)
    async def correct(self, actor: Actor, form: dict[str, Any]) -> None:
        """Correct the shipping address."""
        typed = checked_fields(form, *ADDRESS_FIELDS, max_length=MAX_TEXT_LENGTH)
        city, _comma, department = typed["town"].rpartition(", ")
        town = find_municipality_by_name(city, department)
        shop = current_shop()
        async with shop.database.read() as session:
            email = (await read_order(session, self._id_in_url())).email
        fields = {**typed, "dane_code": town.code if town else "", "email": email}
        destination, problems = parse_destination(fields)
        if destination is None:
            shown = {"town" if name == "dane_code" else name: text for name, text in problems.items()}
            raise InvalidData("not an address", fields=shown)
        try:
            async with shop.database.transaction() as session:
                address = destination.to_address()
                await correct_address(session, actor, self._id_in_url(), address, typed["version"])
        except Conflict:
            text = _("Alguien la corrigió antes. Mira cómo quedó.")
            await self._announce_refusal(actor, text, ("address corrected",))
        except NotAllowed:
            text = (
                _("Ya tiene guía con esta dirección: anúlala primero.")
                if self._has_label()
                else _("Ya está empacado con estos datos: desempácalo primero.")
            )
            await self._announce_refusal(actor, text, PACKED_ACTIONS)
        except InvalidData:
            text = (
                _("Con esta dirección no se puede hacer una guía.")
                if self._has_label()
                else _("Estos datos no sirven: revisa el nombre, el celular y la dirección.")
            )
            self._announce(text, "problem")
        else:
            is_pickup = self.content is not None and self.content.is_pickup
            await self._announce_done(
                actor, _("Datos corregidos.") if is_pickup else _("Dirección corregida.")
            )

    @office_event(Right.FULFILL)
    async def add_staff_note(self, actor: Actor, form: dict[str, Any]) -> None:
        """Add a note for the staff."""
        text = checked_fields(form, "text", max_length=MAX_NOTE_LENGTH)["text"]
        if not text:
            raise InvalidData("an empty note", fields={"text": _("Escribe la nota.")})
        async with current_shop().database.transaction() as session:
            await add_note(session, actor, self._id_in_url(), text)
        self.note_count += 1
        await self._announce_done(actor, _("Nota guardada."))

    @office_event(Right.FULFILL)
    async def send_mail(self, actor: Actor, mail_id: str) -> None:
        """Send a mail to the customer again."""
        resent = await resend_order_mail(
            current_shop().database, actor, self._id_in_url(), checked_id(mail_id)
        )
        text = _("El correo sale otra vez.") if resent.is_sent_again else _("Ese correo ya va en camino.")
        self._announce(text)
        await self._show(actor)

    def _has_label(self) -> bool:
        """Return True if the order is sent with a carrier's label; also True while no order is displayed."""
        return self.content is None or self.content.needs_label

    async def _announce_outcome(self, actor: Actor, outcome: Outcome, actions: tuple[str, ...]) -> None:
        """Announce the outcome of an action. If another staff member has already done it, announce who."""
        if outcome.was_already_done:
            await self._announce_refusal(actor, outcome.text, actions)
            return
        self._announce(outcome.text, "news" if outcome.is_done else "problem")
        await self._show(actor)

    async def _announce_refusal(self, actor: Actor, text: str, actions: tuple[str, ...]) -> None:
        """Announce that an action was refused, and show the current order.

        The message names the staff member who last did one of the `actions`, because this may be the reason.
        """
        last_actor_text = ""
        if actions:
            async with current_shop().database.read() as session:
                last_actor_text = await describe_last_action(session, self._id_in_url(), actions)
        self._announce(f"{text} {last_actor_text}".strip(), "problem")
        await self._show(actor)


def _parse_receipt(form: dict[str, Any]) -> DifferenceReceipt:
    """Parse the form that records the paid or refunded amount of a price difference, and the method.

    Raises:
        InvalidData: the method is unknown, or the amount is not a number of pesos.
    """
    typed = checked_fields(form, "amount", "method", "reference", max_length=MAX_TEXT_LENGTH)
    if typed["method"] not in set(ManualMethod):
        raise InvalidData("not a method", fields={"method": _("Elige cómo.")})
    amount = parse_pesos(typed["amount"])
    if amount is None:
        raise InvalidData("not an amount")
    return DifferenceReceipt(amount, ManualMethod(typed["method"]), typed["reference"])


VIEW = OrderState.content


def is_allowed(action: str) -> rx.Var[bool]:
    """Return a variable that is True if the action is possible now."""
    return VIEW.actions.contains(action)
