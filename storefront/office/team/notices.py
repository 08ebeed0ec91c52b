"""The form with the notices of a staff member."""

from typing import Any

import reflex as rx
from reflex.vars import ArrayVar, ObjectVar

from backend.core.texts import _
from backend.office.team.notices import NoticeRow
from backend.staff_notices.choices import Channel
from backend.staff_notices.kinds import NoticeKind

NOTICE_FIELDS = tuple(f"{kind}-{channel}" for kind in NoticeKind for channel in Channel)
"""Names of the form's checkboxes."""


def notices_form(notices: ArrayVar[list[NoticeRow]], on_submit: Any, *hidden: rx.Component) -> rx.Component:
    """Render the channels of each kind of notice as checkboxes, and the button that saves them."""

    def box(notice: ObjectVar[NoticeRow], channel: Channel, label: str, is_on: rx.Var[bool]) -> rx.Component:
        return rx.el.label(
            rx.el.input(
                type="checkbox",
                name=notice.kind + f"-{channel}",
                value="yes",
                default_checked=is_on,
                class_name="o-box",
            ),
            rx.el.span(rx.el.span(notice.name, ": ", class_name="sr-only"), label),
            key=f"{channel}-" + is_on.to_string(),
            class_name="o-every",
        )

    def kind_row(notice: ObjectVar[NoticeRow]) -> rx.Component:
        return rx.el.div(
            rx.el.span(notice.name, class_name="o-notices__name", aria_hidden="true"),
            box(notice, Channel.MAIL, _("Correo"), notice.by_mail),
            box(notice, Channel.PUSH, _("Teléfono"), notice.by_push),
            key=notice.kind,
            class_name="o-notices__kind",
        )

    return rx.el.form(
        *hidden,
        rx.foreach(notices, kind_row),
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
