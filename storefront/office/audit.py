"""Auditoría: who did what, when, on which thing, and what it was before."""

from typing import Any, ClassVar
from urllib.parse import parse_qs, urlencode

import reflex as rx
from reflex.vars import ObjectVar

from backend.app import current_shop
from backend.core.texts import _
from backend.office.audit import AuditFilter, AuditPage, AuditRow, Person, audit_entries
from backend.office.list_filters import address_with
from backend.staff.rights import Actor, Right
from storefront.office.components.feedback import empty, screen
from storefront.office.components.forms import office_field, office_select
from storefront.office.components.history import entry_changes
from storefront.office.components.lists import more, rows
from storefront.office.icons import icon
from storefront.office.layout import office
from storefront.office.list_state import PagedScreen
from storefront.office.navigation import AUDIT
from storefront.office.state import office_event
from storefront.reflex_ext.state_loss import KnownClientState
from storefront.state.handlers import checked_fields

TITLE = _("Auditoría")
FILE = "/admin/audit/export"
FIELDS = ("actor_id", "subject_id", "since", "until")
"""What the list can be narrowed by, as the address and the form name it."""
LONGEST = 100


class AuditState(PagedScreen, KnownClientState):
    """Entries of the audit, the newest first."""

    content: rx.Field[AuditPage | None] = rx.field(None)
    wanted: rx.Field[AuditFilter | None] = rx.field(None)
    said: rx.Field[str] = rx.field("")
    """What the list is narrowed by, as the query of an address."""

    _right: ClassVar[Right] = Right.READ_AUDIT

    async def _content(self, actor: Actor) -> AuditPage:
        asked = parse_qs(self.router.url.query)
        named = {name: asked[name][0][:LONGEST] for name in FIELDS if name in asked}
        self.wanted, self.said = AuditFilter(**named), urlencode(named)
        async with current_shop().database.read() as session:
            return await audit_entries(session, actor, self.wanted)

    async def _next_page(self, actor: Actor, shown: AuditPage) -> AuditPage:
        async with current_shop().database.read() as session:
            return await audit_entries(session, actor, self.wanted or AuditFilter(), shown.cursor)

    @office_event(Right.READ_AUDIT, is_press=False)
    async def narrow(self, actor: Actor, form_data: dict[str, str]) -> Any:
        """Show the entries that the form asks for: they have an address of their own."""
        actor.require(Right.READ_AUDIT)
        typed = checked_fields(form_data, *FIELDS)
        return rx.redirect(address_with(typed, AUDIT))


SHOWN = AuditState.content
WANTED = AuditState.wanted


def page() -> rx.Component:
    """Who did what."""
    nothing = empty("history", _("Nada en esta búsqueda"), _("Prueba con otras fechas o con otra persona."))
    content = rx.fragment(
        filters(),
        rows(SHOWN.rows, card, rx.el.div(nothing, class_name="o-panel"), label=TITLE),
        more(SHOWN.cursor != "", AuditState.more),
    )
    return office(AuditState, AUDIT, TITLE, screen(AuditState, content))


def filters() -> rx.Component:
    """What the list is narrowed by, and the file of what it shows."""

    def line(name: str, label: str, kind: str) -> rx.Component:
        return office_field(
            AuditState,
            "audit",
            name,
            label,
            is_optional=True,
            type=kind,
            default_value=getattr(WANTED, name),
            auto_complete="off",
        )

    def option(person: ObjectVar[Person]) -> rx.Component:
        return rx.el.option(person.name, value=person.id, key=person.id)

    people = office_select(
        AuditState,
        "audit",
        "actor_id",
        _("Quién"),
        [rx.el.option(_("Todos"), value=""), rx.foreach(SHOWN.people, option)],
        default_value=WANTED.actor_id,
    )
    return rx.el.form(
        people,
        line("since", _("Desde"), "date"),
        line("until", _("Hasta"), "date"),
        rx.el.input(type="hidden", name="subject_id", default_value=WANTED.subject_id),
        rx.el.div(
            rx.el.button(_("Filtrar"), type="submit", class_name="button button--small button--dark"),
            rx.el.a(
                icon("download", size=18),
                _("Descargar"),
                href=f"{FILE}?{AuditState.said}",
                download="auditoria.csv",
                class_name="button button--small button--quiet",
                custom_attrs={"reloadDocument": True},
            ),
            rx.cond(
                WANTED.subject_id != "",
                rx.el.a(_("Ver todo"), href=AUDIT, class_name="button button--small button--quiet"),
            ),
            class_name="o-audit__buttons",
        ),
        key=AuditState.said,
        class_name="o-panel o-audit__filters",
        on_submit=AuditState.narrow,
    )


def card(row: ObjectVar[AuditRow]) -> rx.Component:
    """Who did what; opened, the values."""
    return rx.el.li(
        rx.el.details(
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
        ),
        id=rx.Var.create(row.id),
        key=row.id,
        data_row="",
        class_name="o-audit",
        data_testid="audit-row",
    )
