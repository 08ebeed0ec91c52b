"""State of a return's screen."""

from collections.abc import Mapping
from typing import Any, ClassVar

import reflex as rx

from backend.app import current_shop
from backend.core.errors import Conflict, InvalidData, NotAllowed
from backend.core.money import parse_pesos
from backend.core.texts import _
from backend.news.topics import Topic
from backend.office.returns.detail import ReturnDetail, return_detail
from backend.payment.manual_methods import ManualMethod
from backend.returns.forms import ACCOUNT_FIELDS
from backend.returns.processing import (
    MAX_DENIAL_LENGTH,
    approve,
    deny,
    list_return_lines,
    pay,
    receive,
    save_account,
)
from backend.returns.refund_limits import MAX_REASON_LENGTH
from backend.staff.rights import Actor, Right
from storefront.office.returns.new_return import MAX_FIELDS
from storefront.office.state import OfficeScreen, office_event
from storefront.reflex_ext.state_loss import KnownClientState
from storefront.state.handlers import checked_fields, checked_text

ARRIVAL, GOOD, DAMAGED = "arrival-", "good-", "damaged-"
"""Prefixes of the names of a line's three fields; the line's id follows.

They are the arrival (all good, all damaged, none, or other), the number of good units, and the number of damaged units.
"""
ALL_GOOD, ALL_DAMAGED, NONE, OTHER = "all good", "all damaged", "none", "other"
"""Values of the arrival field. The numbers of good and damaged units are used only with `OTHER`."""
MAX_UNITS = 99_999
NO_RECEIPT = "comprobante=no"
RECEIVED = _("Recibida. Ahora propón cuánto se devuelve.")


class ReturnState(OfficeScreen, KnownClientState):
    """State of the screen of a return."""

    content: rx.Field[ReturnDetail | None] = rx.field(None)

    _right: ClassVar[Right] = Right.READ_ORDERS
    _topics: ClassVar[frozenset[str]] = frozenset({Topic.RETURNS})

    async def _read_content(self, actor: Actor) -> ReturnDetail:
        if NO_RECEIPT in str(self.router.url.query):  # the upload over HTTP was refused
            self.problems = {"receipt": _("Envía una foto, o un PDF de máximo 2 MB.")}
        async with current_shop().database.read() as session:
            return await return_detail(session, actor, self._id_in_url())

    @office_event(Right.HANDLE_RETURNS)
    async def receive(self, actor: Actor, form: dict[str, Any]) -> None:
        """Record the units that arrived. The form has the fields `arrival-…`, `good-…`, `damaged-…` of each line."""
        try:
            async with current_shop().database.transaction() as session:
                lines = await list_return_lines(session, self._id_in_url())
                arrived = parse_arrived_units(form, {line.line_id: line.quantity for line in lines})
                await receive(session, actor, self._id_in_url(), arrived)
        except InvalidData as error:
            self._announce(
                error.fields.get("units") or _("Revisa las unidades: son más que las pedidas."), "problem"
            )
        else:
            await self._announce_done(actor, RECEIVED)

    @office_event(Right.HANDLE_RETURNS)
    async def receive_all(self, actor: Actor) -> None:
        """Record that all requested units arrived in good condition."""
        async with current_shop().database.transaction() as session:
            lines = await list_return_lines(session, self._id_in_url())
            arrived = {line.line_id: (line.quantity, 0) for line in lines}
            await receive(session, actor, self._id_in_url(), arrived)
        await self._announce_done(actor, RECEIVED)

    @office_event(Right.HANDLE_RETURNS)
    async def approve(self, actor: Actor, form: dict[str, Any]) -> None:
        """Approve a refund of the `amount`.

        The form may also contain `restock`, to sell the good units again, and `why`, the reason for an amount above
        the price of the units.
        """
        typed = checked_fields(form, "amount", "restock", "why", max_length=MAX_REASON_LENGTH)
        amount = _parse_pesos(typed["amount"])
        try:
            async with current_shop().database.transaction() as session:
                await approve(
                    session,
                    actor,
                    self._id_in_url(),
                    amount,
                    restock=bool(typed["restock"]),
                    why=typed["why"],
                )
        except NotAllowed:
            self._announce(
                _("Una guía del pedido se está haciendo o está en duda: espera a saberlo."), "problem"
            )
        else:
            await self._announce_done(
                actor, _("Aprobada. Falta devolver el dinero, por transferencia o en efectivo.")
            )

    @office_event(Right.HANDLE_RETURNS)
    async def deny(self, actor: Actor, form: dict[str, Any]) -> None:
        """Deny the return with a reason."""
        why = checked_fields(form, "denial", max_length=MAX_DENIAL_LENGTH)["denial"]
        async with current_shop().database.transaction() as session:
            await deny(session, actor, self._id_in_url(), why)
        await self._announce_done(actor, _("Negada. Al comprador le llega la razón por correo."))

    @office_event(Right.HANDLE_RETURNS)
    async def save_account(self, actor: Actor, form: dict[str, Any]) -> None:
        """Save the customer's bank account for the refund."""
        typed = checked_fields(form, *ACCOUNT_FIELDS)
        async with current_shop().database.transaction() as session:
            await save_account(session, actor, self._id_in_url(), typed)
        await self._announce_done(actor, _("Cuenta guardada."))

    @office_event(Right.BOOK_REFUNDS)
    async def pay(self, actor: Actor, form: dict[str, Any]) -> None:
        """Record that the `amount` was refunded by transfer or in cash (`method`), with its `reference`.

        `why` is the reason for an amount above the approved one.
        """
        typed = checked_fields(form, "amount", "reference", "why", "method", max_length=MAX_REASON_LENGTH)
        in_cash = typed["method"] == ManualMethod.CASH
        amount = _parse_pesos(typed["amount"])
        try:
            await pay(
                current_shop().database,
                actor,
                self._id_in_url(),
                amount,
                typed["reference"],
                why=typed["why"],
                method=ManualMethod.CASH if in_cash else ManualMethod.TRANSFER,
            )
        except NotAllowed:
            too_much = {"amount": _("Es más de lo que queda por devolver de este pago.")}
            raise InvalidData("more than can be refunded", fields=too_much) from None
        except Conflict:
            await self._show(actor)
            self._announce(_("Ya está pagada, o esa referencia es de otra devolución."), "problem")
        else:
            await self._announce_done(actor, _("Pagada. Al comprador le llega la referencia por correo."))


def parse_arrived_units(form: object, requested: Mapping[str, int]) -> dict[str, tuple[int, int]]:
    """Return the arrived units by line id: the number in good condition, and the number damaged.

    Args:
        form: the form as the browser sent it.
        requested: the units of each line of the return.

    Raises:
        InvalidData: the form or a number of units is invalid, or it does not say how the units of a line arrived.
            `fields` has the message under `units`.
    """
    if not isinstance(form, dict) or len(form) > MAX_FIELDS:
        raise InvalidData("not a form")
    arrived: dict[str, tuple[int, int]] = {}
    for line_id, units in requested.items():
        choice = checked_text(form.get(f"{ARRIVAL}{line_id}", ""), 20)
        if choice == ALL_GOOD:
            arrived[line_id] = (units, 0)
        elif choice == ALL_DAMAGED:
            arrived[line_id] = (0, units)
        elif choice == NONE:
            arrived[line_id] = (0, 0)
        elif choice == OTHER:
            good, damaged = (form.get(f"{prefix}{line_id}", "") for prefix in (GOOD, DAMAGED))
            arrived[line_id] = (_parse_units(good), _parse_units(damaged))
        else:
            raise InvalidData("not chosen", fields={"units": _("Di cómo llegó cada producto.")})
    return arrived


def _parse_pesos(text: str) -> int:
    amount = parse_pesos(text)
    if amount is None:
        raise InvalidData("not pesos", fields={"amount": _("Escribe un valor en pesos.")})
    return amount


def _parse_units(value: object) -> int:
    text = checked_text(value, 20) or "0"
    if not (text.isascii() and text.isdecimal() and int(text) <= MAX_UNITS):
        raise InvalidData("not units", fields={"units": _("Escribe las unidades con números.")})
    return int(text)
