"""The history of an object: who changed it, when, and each value before and after."""

import reflex as rx
from reflex.vars import ArrayVar, ObjectVar

from backend.app import current_shop
from backend.core.texts import _
from backend.office.audit import AuditFilter, AuditRow, ChangeView, audit_entries
from backend.staff.rights import Actor, Right
from storefront.office.icons import icon
from storefront.office.navigation import AUDIT
from storefront.office.state import AnnouncingState, has_right, office_event
from storefront.reflex_ext.state_loss import KnownClientState
from storefront.state.handlers import checked_id

MAX_ENTRIES = 10
MAX_SUBJECTS = 12
"""Maximum number of objects whose entries a browser stores: a list may have several rows open."""


def entry_changes(changes: ArrayVar[list[ChangeView]]) -> rx.Component:
    """Render the values of an audit entry, before and after."""

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


class HistoryState(AnnouncingState, KnownClientState):
    """Audit entries of the objects whose history was opened."""

    entries: rx.Field[dict[str, list[AuditRow]]] = rx.field(default_factory=dict)
    """The latest entries by the object's id, the newest first."""

    @office_event(Right.READ_AUDIT, is_press=False)
    async def show(self, actor: Actor, subject_id: str) -> None:
        """Load the latest audit entries of an object."""
        audit_filter = AuditFilter(subject_id=checked_id(subject_id))
        async with current_shop().database.read() as session:
            page = await audit_entries(session, actor, audit_filter)
        others = {other_id: rows for other_id, rows in self.entries.items() if other_id != subject_id}
        recent = dict(list(others.items())[-MAX_SUBJECTS + 1 :])
        self.entries = {**recent, subject_id: page.rows[:MAX_ENTRIES]}


def history_panel(subject_id: rx.Var[str], class_name: str = "o-panel o-section") -> rx.Component:
    """Render the latest changes of an object. They are loaded when the staff member opens the panel.

    The panel is hidden from staff without the right to read the audit log.

    Args:
        subject_id: the object's id, as in `backend.audit.Subject`.
        class_name: the class of the surrounding element.
    """

    def entry_item(row: ObjectVar[AuditRow]) -> rx.Component:
        return rx.el.li(
            rx.el.p(rx.el.b(row.actor_name), " ", row.sentence),
            rx.el.p(row.moment_label, class_name="o-row__detail"),
            entry_changes(row.changes),
            key=row.id,
        )

    entries = HistoryState.entries
    rows = entries[subject_id]
    listed = rx.cond(
        rows.length() > 0,
        rx.fragment(
            rx.el.ol(rx.foreach(rows, entry_item), class_name="o-history"),
            rx.el.a(
                _("Ver todo en Auditoría"), href=f"{AUDIT}?subject_id={subject_id}", class_name="o-disclosure"
            ),
        ),
        rx.el.p(_("Todavía nadie ha hecho nada aquí."), class_name="o-row__detail"),
    )
    box = rx.el.details(
        rx.el.summary(
            icon("history", size=18),
            _("Quién hizo qué"),
            class_name="o-disclosure",
            on_click=HistoryState.show(subject_id),
            data_opens="",  # a click before the scripts are loaded waits for them
        ),
        rx.el.div(
            rx.cond(
                entries.contains(subject_id),
                listed,
                rx.cond(
                    HistoryState.announcement,
                    rx.el.p(HistoryState.announcement.text, role="alert"),
                    rx.el.p(_("Un momento…"), class_name="o-row__detail"),
                ),
            ),
            class_name="o-history__body",
        ),
        class_name=class_name,
        data_testid="history",
    )
    return rx.cond(has_right(Right.READ_AUDIT), box)
