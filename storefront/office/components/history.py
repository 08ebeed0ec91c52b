"""What was done to a thing: who, when, and each value before and after."""

import reflex as rx
from reflex.vars import ArrayVar, ObjectVar

from backend.app import current_shop
from backend.core.texts import _
from backend.office.audit import AuditFilter, AuditRow, ChangeView, audit_entries
from backend.staff.rights import Actor, Right
from storefront.office.icons import icon
from storefront.office.navigation import AUDIT
from storefront.office.state import Tells, may, office_event
from storefront.reflex_ext.state_loss import KnownClientState
from storefront.state.handlers import checked_id

MOST_ENTRIES = 10
MOST_THINGS = 12
"""How many things' entries a browser keeps: a list may have several rows open."""


def entry_changes(changes: ArrayVar[list[ChangeView]]) -> rx.Component:
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


class HistoryState(Tells, KnownClientState):
    """What was done to the things whose history was opened."""

    entries: rx.Field[dict[str, list[AuditRow]]] = rx.field(default_factory=dict)
    """The last entries by the thing's id, the newest first."""

    @office_event(Right.READ_AUDIT, is_press=False)
    async def show(self, actor: Actor, subject_id: str) -> None:
        """Read what was done to a thing."""
        wanted = AuditFilter(subject_id=checked_id(subject_id))
        async with current_shop().database.read() as session:
            page = await audit_entries(session, actor, wanted)
        others = {known: rows for known, rows in self.entries.items() if known != subject_id}
        kept = dict(list(others.items())[-MOST_THINGS + 1 :])
        self.entries = {**kept, subject_id: page.rows[:MOST_ENTRIES]}


def history(subject_id: rx.Var[str], class_name: str = "o-panel o-section") -> rx.Component:
    """The last that was done to a thing, read when it is opened. Who may not see the audit does not see it.

    Args:
        subject_id: the thing's id, as `backend.audit.Subject` has it.
        class_name: what stands around it.
    """

    def entry(row: ObjectVar[AuditRow]) -> rx.Component:
        return rx.el.li(
            rx.el.p(rx.el.b(row.who), " ", row.sentence),
            rx.el.p(row.moment_label, class_name="o-row__detail"),
            entry_changes(row.changes),
            key=row.id,
        )

    known = HistoryState.entries
    rows = known[subject_id]
    listed = rx.cond(
        rows.length() > 0,
        rx.fragment(
            rx.el.ol(rx.foreach(rows, entry), class_name="o-history"),
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
            data_opens="",  # pressed before the scripts are there, it waits for them
        ),
        rx.el.div(
            rx.cond(
                known.contains(subject_id),
                listed,
                rx.cond(
                    HistoryState.told,
                    rx.el.p(HistoryState.told.text, role="alert"),
                    rx.el.p(_("Un momento…"), class_name="o-row__detail"),
                ),
            ),
            class_name="o-history__body",
        ),
        class_name=class_name,
        data_testid="history",
    )
    return rx.cond(may(Right.READ_AUDIT), box)
