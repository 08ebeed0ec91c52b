"""The form with the notices of a staff member."""

from typing import Any

import reflex as rx
from reflex.vars import ArrayVar, ObjectVar

from backend.core.texts import _
from backend.office.team.notices import NoticeRow
from backend.staff_notices.kinds import NoticeKind

NOTICE_FIELDS = tuple(str(kind) for kind in NoticeKind)
"""Names of the form's checkboxes."""


def notices_form(notices: ArrayVar[list[NoticeRow]], on_submit: Any, *hidden: rx.Component) -> rx.Component:
    """Render a checkbox for each kind of notice, and the button that saves them."""

    def kind_box(notice: ObjectVar[NoticeRow]) -> rx.Component:
        return rx.el.label(
            rx.el.input(
                type="checkbox",
                name=notice.kind,
                value="yes",
                default_checked=notice.by_mail,
                class_name="o-box",
            ),
            rx.el.span(notice.name),
            key=notice.kind + notice.by_mail.to_string(),
            class_name="o-every",
        )

    return rx.el.form(
        *hidden,
        rx.foreach(notices, kind_box),
        rx.el.button(
            _("Guardar avisos"),
            type="submit",
            class_name="button button--small button--dark",
            data_testid="notices-save",
        ),
        no_validate=True,
        class_name="o-notices",
        on_submit=on_submit,
        data_testid="notices",
    )
