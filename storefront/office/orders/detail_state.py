"""What one order's screen knows, and what can be done there."""

from typing import Any, ClassVar

import reflex as rx

from backend.app import current_shop
from backend.checkout.form import read_destination
from backend.core.errors import (
    Conflict,
    InvalidData,
    NotAllowed,
    NotImplementedByProvider,
    OutcomeUnknown,
    OutsideFailure,
)
from backend.core.texts import _
from backend.fulfillment.bulk_fulfillment import Outcome, hand_over, send_rest, ship_order
from backend.fulfillment.cancellation import cancel_fulfillment
from backend.mail.resend import send_again
from backend.news.topics import Topic
from backend.office.orders.detail import OrderDetail, order_detail
from backend.office.orders.timeline import who_last
from backend.orders.admin.cancellation import cancel_order
from backend.orders.admin.corrections import LONGEST_NOTE, add_note, correct_address
from backend.orders.service import read_order
from backend.orders.states import OrderStatus
from backend.shipping.municipalities import municipality_named, search_municipalities
from backend.staff.rights import Actor, Right
from storefront.components.forms import LONGEST, Town, town_view
from storefront.office.state import OfficeScreen, office_event
from storefront.reflex_ext.state_loss import KnownClientState
from storefront.state.handlers import checked_fields, checked_id, checked_text

ADDRESS = ("first_name", "last_name", "phone", "town", "address", "suburb", "reference", "version")
SENT, PACKED = ("shipped",), ("packed", "label requested")


class OrderState(OfficeScreen, KnownClientState):
    """One order."""

    content: rx.Field[OrderDetail | None] = rx.field(None)
    towns: rx.Field[list[Town]] = rx.field(default_factory=list)
    towns_for: rx.Field[str] = rx.field("")
    noted: rx.Field[int] = rx.field(0)
    """How many notes were written here."""

    _right: ClassVar[Right] = Right.READ_ORDERS
    _topics: ClassVar[frozenset[str]] = frozenset({Topic.ORDERS, Topic.RETURNS, Topic.ATTENTION})

    async def _content(self, actor: Actor) -> OrderDetail:
        shop = current_shop()
        async with shop.database.read() as session:
            effective = await shop.effective_settings.now()
            return await order_detail(session, actor, self._id(), effective.store_name)

    @office_event(Right.FULFILL)
    async def pack(self, actor: Actor) -> None:
        """Make the label of all that is still to be sent."""
        shop = current_shop()
        outcome = await send_rest(
            shop.database, actor, await shop.effective_settings.now(), shop.fulfillment_providers, self._id()
        )
        await self._say(actor, outcome, PACKED)

    @office_event(Right.FULFILL)
    async def ship(self, actor: Actor) -> None:
        """Record that what was packed has left."""
        async with current_shop().database.transaction() as session:
            outcome = await ship_order(session, actor, self._id())
        await self._say(actor, outcome, SENT)

    @office_event(Right.FULFILL)
    async def deliver(self, actor: Actor) -> None:
        """Record that its buyer has fetched it."""
        async with current_shop().database.transaction() as session:
            outcome = await hand_over(session, actor, self._id())
        await self._say(actor, outcome, ("delivered",))

    @office_event(Right.FULFILL)
    async def cancel_label(self, actor: Actor, fulfillment_id: str) -> None:
        """Cancel a label that has not left."""
        shop, fulfillment_id = current_shop(), checked_id(fulfillment_id)
        try:
            await cancel_fulfillment(
                shop.database, actor, shop.fulfillment_providers, self._id(), fulfillment_id
            )
        except (NotAllowed, Conflict):
            await self._say_no(actor, _("Ya no se puede anular."), (*SENT, "label canceled"))
        except OutcomeUnknown:
            text = _("No sabemos si la transportadora anuló la guía. Inténtalo otra vez en un rato.")
            await self._say_no(actor, text, ())
        except OutsideFailure as error:
            why = error.staff_text or _("La transportadora no responde.")
            text = _("La guía sigue como estaba. {why}").format(why=why)
            await self._say_no(actor, text, ())
        else:
            self._tell(_("Guía anulada."))
            await self._show(actor)

    @office_event(Right.CANCEL_ORDERS)
    async def cancel(self, actor: Actor) -> None:
        """Cancel the order."""
        shop = current_shop()
        async with shop.database.read() as session:
            order = await read_order(session, self._id())
        if order.status == OrderStatus.CANCELED:
            await self._say_no(actor, _("Ya estaba cancelado."), ("canceled",))
            return
        try:
            await cancel_order(shop.database, actor, shop.payments, order.id)
        except NotImplementedByProvider:
            await self._say_no(actor, _("Ya está pagado: abre una devolución de lo no despachado."), ())
        except NotAllowed:
            text = _("No se puede: el pago está en el banco, o algo ya se empacó. Mira cómo está.")
            await self._say_no(actor, text, PACKED)
        except OutsideFailure:
            await self._say_no(actor, _("No pudimos preguntarle al banco. Inténtalo en un rato."), ())
        else:
            self._tell(_("Pedido cancelado. Sus unidades se pueden vender otra vez."))
            await self._show(actor)

    @office_event(Right.FULFILL)
    async def correct(self, actor: Actor, form: dict[str, Any]) -> None:
        """Send it to another address."""
        typed = checked_fields(form, *ADDRESS, longest=LONGEST)
        city, _comma, department = typed["town"].rpartition(", ")
        town = municipality_named(city, department)
        shop = current_shop()
        async with shop.database.read() as session:
            email = (await read_order(session, self._id())).email
        fields = {**typed, "dane_code": town.code if town else "", "email": email}
        destination, problems = read_destination(fields)
        if destination is None:
            shown = {"town" if name == "dane_code" else name: text for name, text in problems.items()}
            raise InvalidData("not an address", fields=shown)
        try:
            async with shop.database.transaction() as session:
                address = destination.as_address()
                await correct_address(session, actor, self._id(), address, typed["version"])
        except Conflict:
            text = _("Alguien la corrigió antes. Mira cómo quedó.")
            await self._say_no(actor, text, ("address corrected",))
        except NotAllowed:
            await self._say_no(actor, _("Ya tiene guía con esta dirección: anúlala primero."), PACKED)
        except InvalidData:
            self._tell(_("Con esta dirección no se puede hacer una guía."), "problem")
        else:
            await self._done(actor, _("Dirección corregida."))

    @office_event(Right.READ_ORDERS, supersedes=True, debounce=150)
    async def find_towns(self, _actor: Actor, text: str) -> None:
        """The municipalities that what is typed may mean."""
        text = checked_text(text, LONGEST)
        self.towns = [town_view(town) for town in search_municipalities(text)]
        self.towns_for = text

    @office_event(Right.FULFILL)
    async def note(self, actor: Actor, form: dict[str, Any]) -> None:
        """Write a note for the others."""
        text = checked_fields(form, "text", longest=LONGEST_NOTE)["text"]
        if not text:
            raise InvalidData("an empty note", fields={"text": _("Escribe la nota.")})
        async with current_shop().database.transaction() as session:
            await add_note(session, actor, self._id(), text)
        self.noted += 1
        await self._done(actor, _("Nota guardada."))

    @office_event(Right.FULFILL)
    async def send_mail(self, actor: Actor, mail_id: str) -> None:
        """Send a mail to its buyer once more."""
        resent = await send_again(current_shop().database, actor, self._id(), checked_id(mail_id))
        said = _("El correo sale otra vez.") if resent.is_sent_again else _("Ese correo ya va en camino.")
        self._tell(said)
        await self._show(actor)

    async def _say(self, actor: Actor, outcome: Outcome, actions: tuple[str, ...]) -> None:
        """Say what came of it; where somebody was quicker, who."""
        if outcome.was_before:
            await self._say_no(actor, outcome.text, actions)
            return
        self._tell(outcome.text, "news" if outcome.is_done else "problem")
        await self._show(actor)

    async def _say_no(self, actor: Actor, text: str, actions: tuple[str, ...]) -> None:
        """Say that it cannot be done, and who has done what stands in the way; show how it stands now."""
        who = ""
        if actions:
            async with current_shop().database.read() as session:
                who = await who_last(session, self._id(), actions)
        self._tell(f"{text} {who}".strip(), "problem")
        await self._show(actor)


SHOWN = OrderState.content


def can(action: str) -> rx.Var[bool]:
    """Return true if the action can be done now."""
    return SHOWN.actions.contains(action)
