"""What one return's screen knows, and what can be done there."""

from typing import Any, ClassVar

import reflex as rx

from backend.app import current_shop
from backend.core.errors import Conflict, InvalidData, NotAllowed
from backend.core.money import typed_pesos
from backend.core.texts import _
from backend.news.topics import Topic
from backend.office.returns.detail import ReturnDetail, return_detail
from backend.returns.forms import ACCOUNT
from backend.returns.processing import LONGEST_DENIAL, approve, deny, pay, receive, save_account
from backend.returns.refund_limits import MAX_REASON
from backend.staff.rights import Actor, Right
from storefront.office.returns.new_return import MOST_FIELDS
from storefront.office.state import OfficeScreen, office_event
from storefront.reflex_ext.state_loss import KnownClientState
from storefront.state.handlers import checked_fields, checked_text

GOOD, DAMAGED = "good-", "damaged-"
"""What the names of the fields begin with that say how many of a line arrived; the line's id follows."""
MOST_UNITS = 99_999
NO_RECEIPT = "comprobante=no"


class ReturnState(OfficeScreen, KnownClientState):
    """One return."""

    content: rx.Field[ReturnDetail | None] = rx.field(None)

    _right: ClassVar[Right] = Right.READ_ORDERS
    _topics: ClassVar[frozenset[str]] = frozenset({Topic.RETURNS})

    async def _content(self, actor: Actor) -> ReturnDetail:
        if NO_RECEIPT in str(self.router.url.query):  # the file came over HTTP, and was refused
            self.problems = {"receipt": _("Envía una foto, o un PDF de máximo 2 MB.")}
        async with current_shop().database.read() as session:
            return await return_detail(session, actor, self._id())

    @office_event(Right.HANDLE_RETURNS)
    async def receive(self, actor: Actor, form: dict[str, Any]) -> None:
        """Its units arrived: `good-…` and `damaged-…` by line."""
        try:
            async with current_shop().database.transaction() as session:
                await receive(session, actor, self._id(), arrived_in(form))
        except InvalidData as error:
            self._tell(
                error.fields.get("units") or _("Revisa las unidades: son más que las pedidas."), "problem"
            )
        else:
            await self._done(actor, _("Recibida. Ahora propón cuánto se devuelve."))

    @office_event(Right.HANDLE_RETURNS)
    async def approve(self, actor: Actor, form: dict[str, Any]) -> None:
        """Propose the `amount`, and `why` it is more than the units cost; `restock` sells the good ones again."""
        typed = checked_fields(form, "amount", "restock", "why", longest=MAX_REASON)
        amount = _pesos(typed["amount"])
        try:
            async with current_shop().database.transaction() as session:
                await approve(
                    session, actor, self._id(), amount, restock=bool(typed["restock"]), why=typed["why"]
                )
        except NotAllowed:
            self._tell(_("Una guía del pedido se está haciendo o está en duda: espera a saberlo."), "problem")
        else:
            await self._done(actor, _("Aprobada. El dueño la paga por transferencia."))

    @office_event(Right.HANDLE_RETURNS)
    async def deny(self, actor: Actor, form: dict[str, Any]) -> None:
        """Deny it, and say why."""
        why = checked_fields(form, "denial", longest=LONGEST_DENIAL)["denial"]
        async with current_shop().database.transaction() as session:
            await deny(session, actor, self._id(), why)
        await self._done(actor, _("Negada. Al comprador le llega la razón por correo."))

    @office_event(Right.HANDLE_RETURNS)
    async def save_account(self, actor: Actor, form: dict[str, Any]) -> None:
        """Keep the bank account."""
        typed = checked_fields(form, *ACCOUNT)
        async with current_shop().database.transaction() as session:
            await save_account(session, actor, self._id(), typed)
        await self._done(actor, _("Cuenta guardada."))

    @office_event(Right.BOOK_REFUNDS)
    async def pay(self, actor: Actor, form: dict[str, Any]) -> None:
        """Book that the `amount` was transferred, with this `reference`, and `why` it is more than was approved."""
        typed = checked_fields(form, "amount", "reference", "why", longest=MAX_REASON)
        amount = _pesos(typed["amount"])
        try:
            await pay(
                current_shop().database, actor, self._id(), amount, typed["reference"], why=typed["why"]
            )
        except NotAllowed:
            too_much = {"amount": _("Es más de lo que queda por devolver de este pago.")}
            raise InvalidData("more than can be refunded", fields=too_much) from None
        except Conflict:
            await self._show(actor)
            self._tell(_("Ya está pagada, o esa referencia es de otra devolución."), "problem")
        else:
            await self._done(actor, _("Pagada. Al comprador le llega la referencia por correo."))


def arrived_in(form: object) -> dict[str, tuple[int, int]]:
    """How many of each line arrived in good state, and how many damaged.

    Raises:
        InvalidData: it is no form, or something is no number of units; `fields` has a message.
    """
    if not isinstance(form, dict) or len(form) > MOST_FIELDS:
        raise InvalidData("not a form")
    arrived: dict[str, tuple[int, int]] = {}
    for name, value in form.items():
        for begin, place in ((GOOD, 0), (DAMAGED, 1)):
            if str(name).startswith(begin):
                line_id = checked_text(name, 100).removeprefix(begin)
                counts = list(arrived.get(line_id, (0, 0)))
                counts[place] = _units(value)
                arrived[line_id] = (counts[0], counts[1])
    return arrived


def _pesos(text: str) -> int:
    amount = typed_pesos(text)
    if amount is None:
        raise InvalidData("not pesos", fields={"amount": _("Escribe un valor en pesos.")})
    return amount


def _units(value: object) -> int:
    text = checked_text(value, 20) or "0"
    if not (text.isascii() and text.isdecimal() and int(text) <= MOST_UNITS):
        raise InvalidData("not units", fields={"units": _("Escribe las unidades con números.")})
    return int(text)
