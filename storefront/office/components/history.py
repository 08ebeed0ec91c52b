"""What was done to a thing: who, when, and each value before and after."""

from typing import Any

import reflex as rx
from reflex.vars import ObjectVar

from backend.office.audit import AuditRow, ChangeView
from backend.texts import _


def entry_changes(changes: Any) -> rx.Component:
    """The values of an entry, before and after."""

    def line(change: ObjectVar[ChangeView]) -> rx.Component:
        nothing = rx.el.span("—", aria_label=_("nada"), role="img")
        return rx.el.div(
            rx.el.dt(change.field),
            rx.el.dd(
                rx.cond(change.before != "", rx.el.del_(change.before), nothing),
                rx.el.span("→", aria_hidden="true"),
                rx.cond(change.after != "", rx.el.ins(change.after), nothing),
            ),
            class_name="o-change",
        )

    return rx.cond(
        changes.length() > 0,
        rx.el.dl(rx.foreach(changes, line), class_name="o-changes"),
        rx.el.p(_("Sin valores que mostrar."), class_name="o-row__detail"),
    )


def history(entries: Any) -> rx.Component:
    """The last that was done to a thing, the newest first. `entries` is a variable of `AuditRow`s."""

    def entry(row: ObjectVar[AuditRow]) -> rx.Component:
        return rx.el.li(
            rx.el.p(rx.el.b(row.who), " ", row.sentence),
            rx.el.p(row.moment_label, class_name="o-row__detail"),
            entry_changes(row.changes),
            key=row.id,
        )

    return rx.el.section(
        rx.el.h2(_("Quién hizo qué"), class_name="o-section__title"),
        rx.cond(
            entries.length() > 0,
            rx.el.ol(rx.foreach(entries, entry), class_name="o-history"),
            rx.el.p(_("Todavía nadie ha hecho nada aquí."), class_name="o-row__detail"),
        ),
        class_name="o-panel",
        data_testid="history",
    )
