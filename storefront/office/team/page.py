"""Components of the staff screen (Equipo)."""

from typing import Any

import reflex as rx
from reflex.vars import ArrayVar, ObjectVar

from backend.core.texts import _
from backend.office.team.notices import NoticeRow
from backend.office.team.page import InviteRow, MemberRow
from storefront.components.forms import SubmitOnce, select_field
from storefront.office.components.feedback import chip, empty_state, screen
from storefront.office.components.forms import confirm_button, hidden_field, office_field, office_select
from storefront.office.components.history import history_panel
from storefront.office.components.lists import fold_row, new_rows_button, rows
from storefront.office.icons import icon
from storefront.office.layout import office_layout
from storefront.office.navigation import OWN_ACCOUNT, TEAM
from storefront.office.state import answer_number
from storefront.office.team.account import second_factor_notice
from storefront.office.team.notices import notices_form
from storefront.office.team.roles import role_options, roles_section
from storefront.office.team.state import TeamState
from storefront.reflex_ext.hooks import text_at

TITLE = _("Equipo")
VIEW = TeamState.content
BUTTON = "button button--small "
ROLES_HINT = _(
    "Dueño: todo. Tienda: productos, precios, pedidos. Bodega: unidades y despachos. "
    "Contabilidad: ve y descarga."
)


def page() -> rx.Component:
    """Render the staff members and the invitations."""
    nobody = empty_state("people", _("Todavía no hay nadie"), _("Invita a quien trabaja contigo."))
    content = rx.fragment(
        second_factor_notice(
            VIEW.missing,
            absent=_("Para cambiar el equipo necesitas el código de tu teléfono."),
            unproved=_("Para cambiar el equipo escribe el código de tu teléfono."),
            leads_to=TEAM,
            test_id="team-missing",
        ),
        new_rows_button(TeamState),
        SubmitOnce.create(invite_panel(), answers=answer_number(TeamState)),
        rx.cond(
            VIEW.invites.length() > 0, SubmitOnce.create(invitations(), answers=answer_number(TeamState))
        ),
        SubmitOnce.create(
            rows(VIEW.members, member_row, rx.el.div(nobody, class_name="o-panel"), label=TITLE),
            answers=answer_number(TeamState),
        ),
        roles_section(),
    )
    return office_layout(TeamState, TEAM, TITLE, screen(TeamState, content))


def invite_panel() -> rx.Component:
    """Render the form that invites a staff member."""
    form = rx.el.form(
        office_field(
            TeamState,
            "invite",
            "email",
            _("Correo"),
            type="email",
            auto_complete="off",
            auto_capitalize="none",
            data_testid="invite-email",
        ),
        office_select(
            TeamState,
            "invite",
            "role",
            _("Rol"),
            role_options(rx.el.option(_("Elige un rol"), value="")),
            default_value="",
            data_testid="invite-role",
        ),
        rx.el.button(
            _("Enviar invitación"),
            type="submit",
            class_name=f"{BUTTON}button--primary",
            data_testid="save",
        ),
        key=f"invite-{TeamState.invite_count}",
        class_name="o-stock__form",
        no_validate=True,
        on_submit=TeamState.invite,
    )
    return rx.el.details(
        rx.el.summary(
            rx.el.span(icon("mail", size=20), _("Invitar a alguien"), class_name="o-stock__receive"),
            icon("down", size=20),
            class_name="o-audit__head",
            data_testid="team-invite",
        ),
        rx.el.div(
            form,
            rx.el.p(ROLES_HINT, class_name="o-row__detail"),
            rx.el.p(
                _("Recibe un correo con un enlace para elegir su contraseña. Vence en 72 horas."),
                class_name="o-row__detail",
            ),
            class_name="o-audit__body",
        ),
        class_name="o-panel o-stock__box",
    )


def invitations() -> rx.Component:
    """Render the invitations that were not accepted yet."""

    def invite_row(row: ObjectVar[InviteRow]) -> rx.Component:
        return rx.el.li(
            title_and_detail(row.email, row.role_label),
            chip(row.status, row.tone),
            rx.cond(
                ~row.is_gone,
                rx.el.div(
                    action_button(_("Enviar otra vez"), TeamState.send_again(row.id), row.email),
                    confirmed_button(
                        _("Retirar"),
                        _("¿Retirar la invitación? Su enlace deja de servir."),
                        _("Sí, retirarla"),
                        TeamState.revoke(row.id),
                        row.email,
                    ),
                    class_name="o-team__ways",
                ),
            ),
            key=row.id,
            class_name="o-team__invite",
            data_testid="invite-row",
        )

    return rx.el.section(
        rx.el.h2(_("Invitaciones"), class_name="o-section__title"),
        rx.el.ul(rx.foreach(VIEW.invites, invite_row)),
        class_name="o-panel o-section",
    )


def title_and_detail(title: Any, detail: Any) -> rx.Component:
    """Render a person's name and details."""
    return rx.el.span(
        rx.el.span(title, class_name="o-row__title"),
        rx.el.span(detail, class_name="o-row__detail"),
        class_name="o-audit__what",
    )


def member_row(row: ObjectVar[MemberRow]) -> rx.Component:
    """Render a staff member and, when it is expanded, the actions on their account."""
    seen = rx.cond(
        row.seen_label != "", _("visto {moment}").format(moment=row.seen_label), _("aún no ha entrado")
    )
    return fold_row(
        rx.el.summary(
            title_and_detail(row.email, rx.fragment(row.role_label, " · ", seen)),
            rx.el.span(
                rx.cond(row.is_self, chip(_("Tú"))),
                rx.cond(row.is_disabled, chip(_("Sin acceso"), "bad")),
                rx.cond(row.has_second_factor, chip(_("Con código"), "good")),
                class_name="o-team__marks",
            ),
            icon("down", size=20),
            class_name="o-audit__head",
        ),
        rx.el.div(
            rx.cond(
                row.is_self,
                rx.el.a(_("Ir a Mi cuenta"), href=OWN_ACCOUNT, class_name=f"{BUTTON}button--quiet"),
                member_actions(row),
            ),
            history_panel(row.id, "o-history__box"),
            class_name="o-audit__body",
        ),
        row_id=row.id,
        data_testid="team-row",
    )


def member_actions(row: ObjectVar[MemberRow]) -> rx.Component:
    """Render the actions on a staff member: role, notices, sessions, second factor and access."""
    role = rx.el.form(
        hidden_field("id", row.id),
        hidden_field("seen", row.role),
        select_field(
            _("Rol"),
            role_options(),
            element_id=f"role-{row.id}",
            problem=text_at(TeamState.problems, "none"),
            live="",
            name="role",
            default_value=row.role,
        ),
        rx.el.button(_("Cambiar rol"), type="submit", class_name=f"{BUTTON}button--dark"),
        key=f"role-{row.role}",
        class_name="o-stock__form",
        no_validate=True,
        on_submit=TeamState.change_role,
    )
    notices = rx.el.details(
        rx.el.summary(_("Avisos por correo"), class_name="o-disclosure"),
        notices_form(
            row.notices.to(ArrayVar, list[NoticeRow]),
            TeamState.choose_notices,
            hidden_field("id", row.id),
        ),
    )
    return rx.fragment(
        role,
        notices,
        rx.el.div(
            action_button(_("Cerrar sus sesiones"), TeamState.end_sessions(row.id), row.email),
            rx.cond(
                row.has_second_factor,
                confirmed_button(
                    _("Quitar su código"),
                    _("¿Perdió el teléfono? Sus sesiones se cierran y activa otro código al entrar."),
                    _("Sí, quitarlo"),
                    TeamState.remove_second_factor(row.id),
                    row.email,
                ),
            ),
            rx.cond(
                row.is_disabled,
                action_button(_("Dar acceso otra vez"), TeamState.enable(row.id), row.email),
                confirmed_button(
                    _("Quitar el acceso"),
                    _("¿Quitar el acceso? Sale de todas partes ahora mismo. Puedes devolverlo después."),
                    _("Sí, quitarlo"),
                    TeamState.disable(row.id),
                    row.email,
                ),
            ),
            class_name="o-team__ways",
        ),
    )


def action_button(label: str, on_click: Any, email: rx.Var[str]) -> rx.Component:
    """Render a button that acts immediately and only once. For screen readers, its label includes the `email`."""
    return rx.el.button(
        label,
        rx.el.span(": ", email, class_name="sr-only"),
        type="button",
        data_once="",
        on_click=on_click,
        class_name=f"{BUTTON}button--quiet",
    )


def confirmed_button(label: str, question: str, yes: str, on_click: Any, email: rx.Var[str]) -> rx.Component:
    """Render a button that asks for confirmation before it acts. For screen readers, its label includes the `email`."""
    with_who = rx.fragment(label, rx.el.span(": ", email, class_name="sr-only"))
    return confirm_button(with_who, question, yes, on_click)
