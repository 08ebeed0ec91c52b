"""Auditoría: who did what, when, on which thing, and what it was before."""

from typing import ClassVar

import reflex as rx
from reflex.vars import ObjectVar

from backend.app import current_shop
from backend.core.texts import _
from backend.office.audit import FILTER_FIELDS, AuditFilter, AuditPage, AuditRow, Person, audit_entries
from backend.office.listing import read_asked
from backend.staff.rights import Actor, Right
from storefront.office.components.feedback import empty, screen
from storefront.office.components.history import entry_changes
from storefront.office.components.list_filters import Finding
from storefront.office.components.lists import fold_row, office_list
from storefront.office.icons import icon
from storefront.office.layout import office
from storefront.office.list_state import OfficeList
from storefront.office.navigation import AUDIT
from storefront.reflex_ext.state_loss import KnownClientState

TITLE = _("Auditoría")
FILE = "/admin/audit/export"
MAX_TEXT_LENGTH = 100


class AuditState(OfficeList, KnownClientState):
    """Entries of the audit, the newest first."""

    content: rx.Field[AuditPage | None] = rx.field(None)

    _right: ClassVar[Right] = Right.READ_AUDIT
    _fields: ClassVar[tuple[str, ...]] = FILTER_FIELDS
    _longest: ClassVar[int] = MAX_TEXT_LENGTH
    _place: ClassVar[str] = AUDIT

    async def _page(self, actor: Actor, asked: dict[str, str], cursor: str = "") -> AuditPage:
        wanted = AuditFilter(**read_asked(asked, FILTER_FIELDS, MAX_TEXT_LENGTH))
        async with current_shop().database.read() as session:
            return await audit_entries(session, actor, wanted, cursor)


SHOWN = AuditState.content
FINDING = Finding("audit", AUDIT, SHOWN, AuditState.ask)


def page() -> rx.Component:
    """Who did what."""
    nothing = empty("history", _("Nada en esta búsqueda"), _("Prueba con otras fechas o con otra persona."))
    content = rx.fragment(
        filters(),
        office_list(AuditState, SHOWN.rows, card, nothing, label=TITLE),
    )
    return office(AuditState, AUDIT, TITLE, screen(AuditState, content), actions=(download(),))


def filters() -> rx.Component:
    """Which entries."""

    def option(person: ObjectVar[Person]) -> rx.Component:
        return rx.el.option(person.name, value=person.id, key=person.id)

    form = FINDING.form(
        _("Filtrar"),
        FINDING.choice("actor_id", _("Quién"), _("Todos"), [rx.foreach(SHOWN.people, option)]),
        FINDING.day("since", _("Desde")),
        FINDING.day("until", _("Hasta")),
    )
    return FINDING.bar(None, (), form)


def download() -> rx.Component:
    """Render a link to the file of the entries that are shown."""
    return rx.el.a(
        icon("download", size=18),
        _("Descargar"),
        href=f"{FILE}{SHOWN.query}",
        download="auditoria.csv",
        class_name="button button--small button--quiet",
        custom_attrs={"reloadDocument": True},
    )


def card(row: ObjectVar[AuditRow]) -> rx.Component:
    """Who did what; opened, the values."""
    return fold_row(
        rx.el.summary(
            rx.el.span(
                rx.el.span(rx.el.b(row.who), " ", row.sentence),
                rx.el.span(row.moment_label, class_name="o-row__detail"),
                class_name="o-audit__what",
            ),
            icon("down", size=20),
            class_name="o-audit__head",
        ),
        rx.el.div(
            entry_changes(row.changes),
            rx.el.a(
                _("Todo lo que pasó con esto"),
                href=f"{AUDIT}?subject_id={row.subject}",
                class_name="o-disclosure",
            ),
            class_name="o-audit__body",
        ),
        row_id=row.id,
        class_name="o-audit",
        data_testid="audit-row",
    )
