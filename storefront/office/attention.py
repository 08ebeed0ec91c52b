"""The attention screen (Por resolver). Each row has a sentence, one recommended action, and other actions."""

from typing import ClassVar

import reflex as rx
from reflex.vars import ObjectVar

from backend.app import current_shop
from backend.attention.kinds import Action
from backend.attention.service import Decision
from backend.core.error_texts import DECISION, text_for
from backend.core.errors import InvalidData, ShopError
from backend.core.texts import _
from backend.news.topics import Topic
from backend.office.attention import (
    ActionView,
    AttentionPage,
    AttentionRow,
    count_new_attention,
    open_attention,
)
from backend.staff.rights import Actor, Right
from storefront.components.forms import field
from storefront.office.components.feedback import action_link, chip, invitation, screen
from storefront.office.components.lists import fold_row, office_list
from storefront.office.icons import icon
from storefront.office.layout import office_layout
from storefront.office.list_state import OfficeList
from storefront.office.navigation import ATTENTION, OFFICE
from storefront.office.state import office_event
from storefront.reflex_ext.hooks import text_at
from storefront.reflex_ext.state_loss import KnownClientState
from storefront.state.handlers import checked_fields

TITLE = _("Por resolver")
REFERENCE, NOTE, TRACKING, LABEL = "reference", "note", "tracking_number", "label"
MISSING_FIELD_TEXTS = {
    REFERENCE: _("Escribe la referencia de la transferencia."),
    NOTE: _("Escribe por qué no hay que hacer nada."),
    LABEL: _("Escribe el número de la guía."),
}


class AttentionState(OfficeList, KnownClientState):
    """The open attention rows that a staff member must resolve."""

    content: rx.Field[AttentionPage | None] = rx.field(None)

    _right: ClassVar[Right] = Right.READ_ATTENTION
    _topics: ClassVar[frozenset[str]] = frozenset({Topic.ATTENTION})

    _path: ClassVar[str] = ATTENTION

    async def _read_page(self, actor: Actor, filters: dict[str, str], cursor: str = "") -> AttentionPage:  # noqa: ARG002
        async with current_shop().database.read() as session:
            return await open_attention(session, actor, cursor)

    async def _read_current_rows(
        self, actor: Actor, shown: AttentionPage
    ) -> tuple[dict[str, AttentionRow], int]:
        async with current_shop().database.read() as session:
            shown_ids = [row.id for row in shown.rows]
            return {}, await count_new_attention(session, actor, shown_ids, shown.cursor)

    @office_event(Right.RESOLVE_ATTENTION)
    async def resolve(self, actor: Actor, form_data: dict[str, str]) -> None:
        """Perform the chosen action on a row. A repeated form has no effect.

        The form contains the row's `id`, the `action`, and the fields that the action needs.
        """
        typed = checked_fields(form_data, "id", "action", REFERENCE, NOTE, TRACKING)
        if typed["action"] not in tuple(Action):
            raise InvalidData("not an action")
        self.problems = {}
        label = {TRACKING: typed[TRACKING]} if typed[TRACKING] else {}
        decision = Decision(
            Action(typed["action"]), actor, typed[REFERENCE] or None, typed[NOTE] or None, label
        )
        if missing := self._find_missing_field(typed, decision):
            self.problems = {f"{typed['id']}-{missing}": MISSING_FIELD_TEXTS[missing]}
            return
        try:
            await current_shop().attention.resolve(typed["id"], decision)
        except ShopError as error:
            if LABEL in error.fields:
                self.problems = {f"{typed['id']}-{LABEL}": error.fields[LABEL]}
                return
            self._announce(text_for(error, DECISION), "problem")
        else:
            self._announce(_("Resuelto."))
        await self._show(actor)

    def _find_missing_field(self, typed: dict[str, str], decision: Decision) -> str:
        rows_shown = self.content.rows if self.content else []
        row = next((row for row in rows_shown if row.id == typed["id"]), None)
        actions = [row.recommended, *row.others] if row else []
        needs = next((way.needs for way in actions if way.name == decision.action), "")
        values = {REFERENCE: decision.reference, NOTE: decision.note, LABEL: decision.label}
        return needs if needs and not values[needs] else ""


VIEW = AttentionState.content


def page() -> rx.Component:
    """Render the attention screen."""
    nothing = invitation(
        "check",
        _("Todo al día"),
        _("No hay nada por resolver. Si algo pasa, aparece aquí."),
        action_link(_("Ir a Hoy"), OFFICE),
    )
    content = office_list(AttentionState, VIEW.rows, attention_row, nothing, label=TITLE, counts_new=True)
    return office_layout(AttentionState, ATTENTION, TITLE, screen(AttentionState, content))


def attention_row(row: ObjectVar[AttentionRow]) -> rx.Component:
    """Render a row: its summary and, when it is expanded, the advice and the actions."""
    return fold_row(
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
            rx.cond(
                row.facts != "",
                rx.el.p(rx.el.b(row.facts), class_name="o-attention__facts", data_testid="attention-facts"),
            ),
            rx.el.p(row.advice, class_name="o-attention__advice"),
            action_form(row, row.recommended, is_recommended=True),
            rx.cond(
                row.others.length() > 0,
                rx.el.details(
                    rx.el.summary(_("Hacer otra cosa"), class_name="o-disclosure"),
                    rx.foreach(row.others, lambda other: action_form(row, other, is_recommended=False)),
                ),
            ),
            class_name="o-attention__body",
        ),
        row_id=row.id,
        class_name="o-attention",
        data_testid="attention-row",
    )


def action_form(
    row: ObjectVar[AttentionRow], action: ObjectVar[ActionView], *, is_recommended: bool
) -> rx.Component:
    """Render the form of a row's action: the field that the action needs, and the button."""

    def needed_field(name: str, need: str, label: str, hint: str) -> rx.Component:
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
        needed_field(REFERENCE, REFERENCE, _("Referencia de la transferencia"), _("La que dice tu banco.")),
        needed_field(NOTE, NOTE, _("Nota"), _("Queda escrita para quien pregunte después.")),
        needed_field(TRACKING, LABEL, _("Número de la guía"), _("El que muestra la transportadora.")),
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
