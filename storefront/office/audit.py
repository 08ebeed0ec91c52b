"""The audit screen (Auditoría): who did what, when, to which object, and the values before and after."""

from typing import ClassVar

import reflex as rx
from reflex.vars import ObjectVar

from backend.app import current_shop
from backend.core.texts import _
from backend.office.audit import FILTER_FIELDS, AuditActor, AuditFilter, AuditPage, AuditRow, audit_entries
from backend.office.listing import read_filters
from backend.staff.rights import Actor, Right
from storefront.office.components.feedback import (
    action_link,
    empty_list,
    invitation,
    no_matches,
    screen,
)
from storefront.office.components.history import entry_changes
from storefront.office.components.list_filters import ListFilters
from storefront.office.components.lists import fold_row, office_list
from storefront.office.icons import icon
from storefront.office.layout import office_layout
from storefront.office.list_state import OfficeList
from storefront.office.navigation import AUDIT, OFFICE
from storefront.reflex_ext.state_loss import KnownClientState

TITLE = _("Auditoría")
EXPORT_PATH = "/admin/audit/export"
MAX_TEXT_LENGTH = 100


class AuditState(OfficeList, KnownClientState):
    """Audit entries, the newest first."""

    content: rx.Field[AuditPage | None] = rx.field(None)

    _right: ClassVar[Right] = Right.READ_AUDIT
    _filter_fields: ClassVar[tuple[str, ...]] = FILTER_FIELDS
    _max_length: ClassVar[int] = MAX_TEXT_LENGTH
    _path: ClassVar[str] = AUDIT

    async def _read_page(self, actor: Actor, filters: dict[str, str], cursor: str = "") -> AuditPage:
        audit_filter = AuditFilter(**read_filters(filters, FILTER_FIELDS, MAX_TEXT_LENGTH))
        async with current_shop().database.read() as session:
            return await audit_entries(session, actor, audit_filter, cursor)


VIEW = AuditState.content
FILTERS = ListFilters("audit", AUDIT, VIEW, AuditState.apply_filters)


def page() -> rx.Component:
    """Render the audit screen."""
    nothing = empty_list(
        VIEW,
        no_matches(
            "history", _("Nada en esta búsqueda"), _("Prueba con otras fechas o con otra persona."), AUDIT
        ),
        invitation(
            "history",
            _("Nada todavía"),
            _("Aquí queda quién cambió qué, y cuándo."),
            action_link(_("Ir a Hoy"), OFFICE),
        ),
    )
    content = rx.fragment(
        filters(),
        office_list(AuditState, VIEW.rows, audit_row, nothing, label=TITLE),
    )
    return office_layout(AuditState, AUDIT, TITLE, screen(AuditState, content), actions=(download_link(),))


def filters() -> rx.Component:
    """Render the filters: the actor, and the first and last day."""

    def option(person: ObjectVar[AuditActor]) -> rx.Component:
        return rx.el.option(person.name, value=person.id, key=person.id)

    form = FILTERS.form(
        _("Filtrar"),
        FILTERS.choice("actor_id", _("Quién"), _("Todos"), [rx.foreach(VIEW.actors, option)]),
        FILTERS.day("since", _("Desde")),
        FILTERS.day("until", _("Hasta")),
    )
    return FILTERS.bar(None, (), form)


def download_link() -> rx.Component:
    """Render a link that downloads the entries that match the filters as a CSV file."""
    return rx.el.a(
        icon("download", size=18),
        _("Descargar"),
        href=f"{EXPORT_PATH}{VIEW.query}",
        download="auditoria.csv",
        class_name="button button--small button--quiet",
        custom_attrs={"reloadDocument": True},
    )


def audit_row(row: ObjectVar[AuditRow]) -> rx.Component:
    """Render an audit entry and, when it is expanded, the changed values."""
    return fold_row(
        rx.el.summary(
            rx.el.span(
                rx.el.span(rx.el.b(row.actor_name), " ", row.sentence),
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
