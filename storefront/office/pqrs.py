"""The PQRS screen: requests that were sent with the PQRS form.

Staff answer them by e-mail before the legal deadline.
"""

from typing import ClassVar

import reflex as rx
from reflex.vars import ObjectVar

from backend.app import current_shop
from backend.core.error_texts import CHECK_FIELDS
from backend.core.errors import Conflict, InvalidData
from backend.core.texts import _
from backend.news.topics import Topic
from backend.office.pqrs import PqrsList, PqrsRow, count_new_pqrs, pqrs_list
from backend.pqrs.service import MAX_ANSWER_LENGTH, answer_pqrs
from backend.staff.rights import Actor, Right
from storefront.components.forms import SubmitOnce, field_box
from storefront.links import PQRS as PQRS_PAGE
from storefront.office.components.feedback import action_link, chip, invitation, screen
from storefront.office.components.lists import fold_row, office_list, rows
from storefront.office.icons import icon
from storefront.office.layout import office_layout
from storefront.office.list_state import OfficeList
from storefront.office.navigation import PQRS
from storefront.office.state import answer_number, has_right, office_event
from storefront.reflex_ext.hooks import text_at
from storefront.reflex_ext.state_loss import KnownClientState
from storefront.state.handlers import checked_fields

TITLE = _("PQRS")


class PqrsScreen(OfficeList, KnownClientState):
    """Open and answered PQRS requests."""

    content: rx.Field[PqrsList | None] = rx.field(None)

    _right: ClassVar[Right] = Right.READ_ORDERS
    _topics: ClassVar[frozenset[str]] = frozenset({Topic.PQRS})

    _path: ClassVar[str] = PQRS

    async def _read_page(self, actor: Actor, filters: dict[str, str], cursor: str = "") -> PqrsList:  # noqa: ARG002
        async with current_shop().database.read() as session:
            return await pqrs_list(session, actor, cursor)

    async def _read_current_rows(self, actor: Actor, shown: PqrsList) -> tuple[dict[str, PqrsRow], int]:
        async with current_shop().database.read() as session:
            shown_ids = [row.id for row in shown.rows]
            return {}, await count_new_pqrs(session, actor, shown_ids, shown.cursor)

    @office_event(Right.RESOLVE_ATTENTION)
    async def answer(self, actor: Actor, form_data: dict[str, str]) -> None:
        """Answer a request that has no answer yet. The form contains its `id` and the `answer`."""
        typed = checked_fields(form_data, "id", "answer", max_length=MAX_ANSWER_LENGTH)
        self.problems = {}
        try:
            async with current_shop().database.transaction() as session:
                await answer_pqrs(session, actor, typed["id"], typed["answer"])
        except InvalidData as error:
            self.problems = {f"{typed['id'][:60]}-answer": error.fields.get("answer", "")}
            self._announce(CHECK_FIELDS, "problem")
            return
        except Conflict:
            self._announce(_("Otra persona la respondió antes."), "problem")
        else:
            self._announce(_("Respuesta enviada por correo."))
        await self._show(actor)


VIEW = PqrsScreen.content


def page() -> rx.Component:
    """Render the PQRS screen."""
    nothing = invitation(
        "check",
        _("Nada por responder"),
        _("Lo que escriban en la página PQRS aparece aquí."),
        action_link(_("Ver la página PQRS"), PQRS_PAGE),
    )
    content = rx.fragment(
        office_list(
            PqrsScreen,
            VIEW.rows,
            open_request_row,
            nothing,
            label=_("Por responder"),
            counts_new=True,
            wrap=lambda listed: SubmitOnce.create(listed, answers=answer_number(PqrsScreen)),
        ),
        rx.cond(
            VIEW.answered.length() > 0,
            rx.el.section(
                rx.el.h2(_("Respondidas"), class_name="o-section__title"),
                rows(VIEW.answered, answered_request_row, rx.fragment(), label=_("Respondidas")),
                class_name="o-pqrs__answered",
            ),
        ),
    )
    return office_layout(PqrsScreen, PQRS, TITLE, screen(PqrsScreen, content))


def request_summary(row: ObjectVar[PqrsRow], state: rx.Component) -> rx.Component:
    """Render the summary of a request, which is visible while the request is collapsed."""
    return rx.el.summary(
        rx.el.span(
            rx.el.span(row.kind, " ", row.number, class_name="o-row__title"),
            rx.el.span(row.name, " · ", row.asked_label, class_name="o-row__detail"),
            class_name="o-attention__what",
        ),
        state,
        icon("down", size=20),
        class_name="o-attention__head",
    )


def request_text(row: ObjectVar[PqrsRow]) -> rx.Component:
    """Render the request's text and its sender."""
    return rx.fragment(
        rx.el.p(row.text, class_name="o-pqrs__words"),
        rx.el.p(
            row.email,
            rx.cond(row.order_number != "", _(" · Pedido "), ""),
            row.order_number,
            class_name="o-row__detail",
        ),
    )


def open_request_row(row: ObjectVar[PqrsRow]) -> rx.Component:
    """Render an open request and, when it is expanded, a form to answer it."""
    late = chip(
        rx.cond(row.is_late, _("Pasó el plazo"), _("Antes del {moment}").format(moment=row.due_label)),
        rx.cond(row.is_late, "bad", "wait"),
    )
    element_id, problem = f"{row.id}-answer", text_at(PqrsScreen.problems, f"{row.id}-answer")
    area = rx.el.textarea(
        id=rx.Var.create(element_id),
        name="answer",
        rows="6",
        max_length=MAX_ANSWER_LENGTH,
        class_name="field__input o-pqrs__area",
        custom_attrs={"aria-invalid": rx.cond(problem, "true", "false")},
    )
    form = rx.el.form(
        rx.el.input(type="hidden", name="id", value=row.id, read_only=True),
        field_box(_("Respuesta"), area, element_id=element_id, problem=problem, live=""),
        rx.el.button(
            _("Enviar respuesta"),
            type="submit",
            class_name="button button--small button--primary",
            data_testid="save",
        ),
        class_name="o-attention__way",
        no_validate=True,
        on_submit=PqrsScreen.answer,
    )
    body = rx.el.div(
        request_text(row), rx.cond(has_right(Right.RESOLVE_ATTENTION), form), class_name="o-attention__body"
    )
    return fold_row(
        request_summary(row, late), body, row_id=row.id, class_name="o-attention", data_testid="pqrs-row"
    )


def answered_request_row(row: ObjectVar[PqrsRow]) -> rx.Component:
    """Render an answered request and, when it is expanded, the answer."""
    body = rx.el.div(
        request_text(row),
        rx.el.p(rx.el.b(_("Respuesta")), " · ", row.answered),
        rx.el.p(row.answer, class_name="o-pqrs__words"),
        class_name="o-attention__body",
    )
    return fold_row(
        request_summary(row, chip(_("Respondida"), "good")), body, row_id=row.id, class_name="o-attention"
    )
