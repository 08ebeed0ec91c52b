"""Por resolver: what happened in one sentence, the one recommended action, and what else may be done."""

from typing import ClassVar

import reflex as rx
from reflex.vars import ObjectVar

from backend.app import current_shop
from backend.attention.kinds import Action
from backend.attention.service import Decision, NothingToRun
from backend.checkout.attention_resolvers import (
    AmountUnknown,
    HoldsNoMoney,
    NothingLeft,
    OtherTransactionPays,
    PaidAlready,
    PurchaseUnknown,
)
from backend.core.errors import (
    Conflict,
    InsufficientStock,
    InvalidData,
    OutcomeUnknown,
    OutsideFailure,
    ShopError,
)
from backend.core.texts import _
from backend.fulfillment.label_decisions import OrderCanceled
from backend.news.topics import Topic
from backend.office.attention import (
    ActionView,
    AttentionPage,
    AttentionRow,
    count_unknown,
    open_attention,
)
from backend.orders.packing_holds import PackingHeld
from backend.orders.service import FulfillmentsStand
from backend.shipping.providers.base import LabelTooExpensive
from backend.staff.rights import Actor, Right
from storefront.components.forms import field
from storefront.office.components.feedback import chip, empty, screen
from storefront.office.components.lists import fresh, more, rows
from storefront.office.icons import icon
from storefront.office.layout import office
from storefront.office.list_state import PagedScreen, ShowsFresh
from storefront.office.navigation import ATTENTION
from storefront.office.state import Messages, message_of, office_event
from storefront.reflex_ext.hooks import text_at
from storefront.reflex_ext.state_loss import KnownClientState
from storefront.state.handlers import checked_fields

TITLE = _("Por resolver")
REFERENCE, NOTE, TRACKING, LABEL = "reference", "note", "tracking_number", "label"
MISSING = {
    REFERENCE: _("Escribe la referencia de la transferencia."),
    NOTE: _("Escribe por qué no hay que hacer nada."),
    LABEL: _("Escribe el número de la guía."),
}
REFUSALS: Messages = (
    (PaidAlready, _("El pedido ya está pagado: devuelve este dinero y anota la referencia.")),
    (
        OtherTransactionPays,
        _(
            "El pedido ya está pagado por otra transacción. Si esta también fue aprobada, devuelve su dinero y di en una nota que no hay que hacer nada más."  # noqa: E501
        ),
    ),
    (HoldsNoMoney, _("El pedido ya no tiene dinero: no hay que hacer nada, y la nota dice por qué.")),
    (
        AmountUnknown,
        _("Nadie sabe cuánto dinero es: devuélvelo y di en una nota que no hay que hacer nada más."),
    ),
    (
        NothingLeft,
        _("Ese dinero ya está anotado como devuelto: no hay que hacer nada, y la nota dice por qué."),
    ),
    (
        PackingHeld,
        _("El banco se contradice sobre el pago de este pedido. Resuelve eso primero."),
    ),
    (PurchaseUnknown, _("No se sabe qué se compró: devuelve el dinero y anota la referencia.")),
    (InsufficientStock, _("Faltan unidades: súmalas en Bodega o devuelve el dinero.")),
    (
        FulfillmentsStand,
        _("El pedido tiene un despacho: cancélalo primero. Si ya salió, abre una devolución."),
    ),
    (OrderCanceled, _("El pedido se canceló: no compres la guía, no hay que hacer nada.")),
    (LabelTooExpensive, _("Ahora cuesta todavía más. Mira el precio y decide otra vez.")),
    (OutcomeUnknown, _("La guía quedó en duda: no la pidas otra vez. Está en Por resolver.")),
    (OutsideFailure, _("La transportadora no responde. Inténtalo otra vez en un rato.")),
    (NothingToRun, _("Esta tarea ya corrió o ya no existe: no hay que hacer nada.")),
    (Conflict, _("Otra persona lo resolvió antes.")),
)
"""Why a decision was not carried out, and which one is right."""


class AttentionState(PagedScreen, ShowsFresh, KnownClientState):
    """What a person must resolve."""

    content: rx.Field[AttentionPage | None] = rx.field(None)

    _right: ClassVar[Right] = Right.READ_ATTENTION
    _topics: ClassVar[frozenset[str]] = frozenset({Topic.ATTENTION})

    async def _content(self, actor: Actor) -> AttentionPage:
        async with current_shop().database.read() as session:
            return await open_attention(session, actor)

    async def _next_page(self, actor: Actor, shown: AttentionPage) -> AttentionPage:
        async with current_shop().database.read() as session:
            return await open_attention(session, actor, shown.cursor)

    async def _refresh(self, actor: Actor) -> None:
        """The list does not move: how many are new is said, and they are shown when somebody asks for them."""
        known = [row.id for row in self.content.rows] if self.content else []
        async with current_shop().database.read() as session:
            self.fresh = await count_unknown(session, actor, known)

    @office_event(Right.RESOLVE_ATTENTION)
    async def resolve(self, actor: Actor, form_data: dict[str, str]) -> None:
        """Do what was decided about a row, once.

        The form names the row's `id` and the `action`, and holds what the action needs.
        """
        typed = checked_fields(form_data, "id", "action", REFERENCE, NOTE, TRACKING)
        if typed["action"] not in tuple(Action):
            raise InvalidData("not an action")
        self.problems = {}
        label = {TRACKING: typed[TRACKING]} if typed[TRACKING] else {}
        decision = Decision(
            Action(typed["action"]), actor, typed[REFERENCE] or None, typed[NOTE] or None, label
        )
        if missing := self._missing(typed, decision):
            self.problems = {f"{typed['id']}-{missing}": MISSING[missing]}
            return
        try:
            await current_shop().attention.resolve(typed["id"], decision)
        except ShopError as error:
            if LABEL in error.fields:
                self.problems = {f"{typed['id']}-{LABEL}": error.fields[LABEL]}
                return
            self._tell(message_of(error, REFUSALS), "problem")
        else:
            self._tell(_("Resuelto."))
        await self._show(actor)

    def _missing(self, typed: dict[str, str], decision: Decision) -> str:
        rows_shown = self.content.rows if self.content else []
        row = next((one for one in rows_shown if one.id == typed["id"]), None)
        ways = [row.recommended, *row.others] if row else []
        needs = next((way.needs for way in ways if way.name == decision.action), "")
        given = {REFERENCE: decision.reference, NOTE: decision.note, LABEL: decision.label}
        return needs if needs and not given[needs] else ""


SHOWN = AttentionState.content.to(ObjectVar, AttentionPage)


def page() -> rx.Component:
    """What a person must resolve."""
    nothing = empty("check", _("Todo al día"), _("No hay nada por resolver. Si algo pasa, aparece aquí."))
    content = rx.fragment(
        fresh(AttentionState.fresh, AttentionState.show_fresh),
        rows(SHOWN.rows, card, rx.el.div(nothing, class_name="o-panel"), label=TITLE),
        more(SHOWN.cursor != "", AttentionState.more),
    )
    return office(AttentionState, ATTENTION, TITLE, screen(AttentionState, content))


def card(row: ObjectVar[AttentionRow]) -> rx.Component:
    """What happened; opened, what to do."""
    return rx.el.li(
        rx.el.details(
            rx.el.summary(
                rx.el.span(
                    rx.el.span(row.title, class_name="o-row__title"),
                    rx.cond(row.about != "", rx.el.span(row.about, class_name="o-row__detail")),
                    class_name="o-attention__what",
                ),
                chip(
                    rx.cond(
                        row.is_late,
                        _("Pasó el plazo"),
                        _("Antes del {moment}").format(moment=row.due_label),
                    ),
                    rx.cond(row.is_late, "bad", "wait"),
                ),
                icon("down", size=20),
                class_name="o-attention__head",
            ),
            rx.el.div(
                rx.el.p(row.advice, class_name="o-attention__advice"),
                way(row, row.recommended.to(ObjectVar, ActionView), is_recommended=True),
                rx.cond(
                    row.others.length() > 0,
                    rx.el.details(
                        rx.el.summary(_("Hacer otra cosa"), class_name="o-disclosure"),
                        rx.foreach(row.others, lambda other: way(row, other, is_recommended=False)),
                    ),
                ),
                rx.el.p(row.detail, class_name="o-attention__detail"),
                class_name="o-attention__body",
            ),
        ),
        id=rx.Var.create(row.id),
        key=row.id,
        data_row="",
        class_name="o-attention",
        data_testid="attention-row",
    )


def way(row: ObjectVar[AttentionRow], action: ObjectVar[ActionView], *, is_recommended: bool) -> rx.Component:
    """A way to resolve the row: what it needs, and its button."""

    def needed(name: str, need: str, label: str, hint: str) -> rx.Component:
        return rx.cond(
            action.needs == need,
            field(
                name,
                label,
                element_id=f"{row.id}-{action.name}-{name}",
                problem=text_at(AttentionState.problems, f"{row.id}-{need}"),
                hint=hint,
                live="",
                auto_complete="off",
            ),
        )

    return rx.el.form(
        rx.el.input(type="hidden", name="id", value=row.id, read_only=True),
        rx.el.input(type="hidden", name="action", value=action.name, read_only=True),
        needed(REFERENCE, REFERENCE, _("Referencia de la transferencia"), _("La que dice tu banco.")),
        needed(NOTE, NOTE, _("Nota"), _("Queda escrita para quien pregunte después.")),
        needed(TRACKING, LABEL, _("Número de la guía"), _("El que muestra la transportadora.")),
        rx.el.button(
            action.label,
            type="submit",
            class_name="button button--small " + ("button--primary" if is_recommended else "button--quiet"),
        ),
        class_name="o-attention__way",
        key=action.name,
        no_validate=True,
        on_submit=AttentionState.resolve,
    )
