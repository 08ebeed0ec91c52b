"""What Equipo looks like."""

from typing import Any

import reflex as rx
from reflex.vars import ObjectVar

from backend.core.texts import _
from backend.office.team.page import InviteRow, MemberRow
from backend.staff.rights import ROLE_NAMES
from storefront.components.forms import Once, select_field
from storefront.office.components.feedback import chip, empty, screen
from storefront.office.components.forms import asked_twice, office_field, office_select
from storefront.office.components.history import history
from storefront.office.components.lists import fold_row, fresh, rows
from storefront.office.icons import icon
from storefront.office.layout import office
from storefront.office.navigation import OWN_ACCOUNT, TEAM
from storefront.office.state import answers
from storefront.office.team.account import second_factor_wanted
from storefront.office.team.state import TeamState
from storefront.reflex_ext.hooks import text_at

TITLE = _("Equipo")
SHOWN = TeamState.content
BUTTON = "button button--small "
WHAT_ROLES_DO = _(
    "Dueño: todo. Tienda: productos, precios, pedidos. Bodega: unidades y despachos. "
    "Contabilidad: ve y descarga."
)


def page() -> rx.Component:
    """Who works here, and who is invited."""
    nobody = empty("people", _("Todavía no hay nadie"), _("Invita a quien trabaja contigo."))
    content = rx.fragment(
        second_factor_wanted(
            SHOWN.missing,
            absent=_("Para cambiar el equipo necesitas el código de tu teléfono."),
            unproved=_("Para cambiar el equipo escribe el código de tu teléfono."),
            leads_to=TEAM,
            test_id="team-missing",
        ),
        fresh(TeamState),
        Once.create(inviting(), answers=answers(TeamState)),
        rx.cond(SHOWN.invites.length() > 0, Once.create(invitations(), answers=answers(TeamState))),
        Once.create(
            rows(SHOWN.members, member, rx.el.div(nobody, class_name="o-panel"), label=TITLE),
            answers=answers(TeamState),
        ),
    )
    return office(TeamState, TEAM, TITLE, screen(TeamState, content))


def roles() -> list[rx.Component]:
    """The roles, to choose from."""
    return [rx.el.option(name, value=role.value) for role, name in ROLE_NAMES.items()]


def inviting() -> rx.Component:
    """Whom to invite, and as what."""
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
            [rx.el.option(_("Elige un rol"), value=""), *roles()],
            default_value="",
            data_testid="invite-role",
        ),
        rx.el.button(
            _("Enviar invitación"),
            type="submit",
            class_name=f"{BUTTON}button--primary",
            data_testid="save",
        ),
        key=f"invite-{TeamState.sent}",
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
            rx.el.p(WHAT_ROLES_DO, class_name="o-row__detail"),
            rx.el.p(
                _("Recibe un correo con un enlace para elegir su contraseña. Vence en 72 horas."),
                class_name="o-row__detail",
            ),
            class_name="o-audit__body",
        ),
        class_name="o-panel o-stock__box",
    )


def invitations() -> rx.Component:
    """Who was invited and has not come yet."""

    def one(row: ObjectVar[InviteRow]) -> rx.Component:
        return rx.el.li(
            words(row.email, row.role_label),
            chip(row.status, row.tone),
            rx.cond(
                ~row.is_gone,
                rx.el.div(
                    button(_("Enviar otra vez"), TeamState.send_again(row.id), row.email),
                    asked(
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
        rx.el.ul(rx.foreach(SHOWN.invites, one)),
        class_name="o-panel o-section",
    )


def words(title: Any, detail: Any) -> rx.Component:
    """Somebody: who, and what about them."""
    return rx.el.span(
        rx.el.span(title, class_name="o-row__title"),
        rx.el.span(detail, class_name="o-row__detail"),
        class_name="o-audit__what",
    )


def member(row: ObjectVar[MemberRow]) -> rx.Component:
    """Somebody; opened, what can be done with their account."""
    seen = rx.cond(
        row.seen_label != "", _("visto {moment}").format(moment=row.seen_label), _("aún no ha entrado")
    )
    return fold_row(
        rx.el.summary(
            words(row.email, rx.fragment(row.role_label, " · ", seen)),
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
                changing(row),
            ),
            history(row.id, "o-history__box"),
            class_name="o-audit__body",
        ),
        row_id=row.id,
        data_testid="team-row",
    )


def changing(row: ObjectVar[MemberRow]) -> rx.Component:
    """A member's role, their sessions, their second factor, their access."""
    role = rx.el.form(
        rx.el.input(type="hidden", name="id", value=row.id, read_only=True),
        rx.el.input(type="hidden", name="seen", value=row.role, read_only=True),
        select_field(
            _("Rol"),
            roles(),
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
    return rx.fragment(
        role,
        rx.el.div(
            button(_("Cerrar sus sesiones"), TeamState.end_sessions(row.id), row.email),
            rx.cond(
                row.has_second_factor,
                asked(
                    _("Quitar su código"),
                    _("¿Perdió el teléfono? Sus sesiones se cierran y activa otro código al entrar."),
                    _("Sí, quitarlo"),
                    TeamState.take_code(row.id),
                    row.email,
                ),
            ),
            rx.cond(
                row.is_disabled,
                button(_("Dar acceso otra vez"), TeamState.enable(row.id), row.email),
                asked(
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


def button(label: str, on_click: Any, who: rx.Var[str]) -> rx.Component:
    """Does something at once, once. `who` it is done with is said to those who do not see the row."""
    return rx.el.button(
        label,
        rx.el.span(": ", who, class_name="sr-only"),
        type="button",
        data_once="",
        on_click=on_click,
        class_name=f"{BUTTON}button--quiet",
    )


def asked(label: str, question: str, yes: str, on_click: Any, who: rx.Var[str]) -> rx.Component:
    """Does something after a question; `who` as for `button`."""
    with_who = rx.fragment(label, rx.el.span(": ", who, class_name="sr-only"))
    return asked_twice(with_who, question, yes, on_click)
