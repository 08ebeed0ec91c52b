"""Mi cuenta: one's own password, second factor, and the browsers one is signed in with."""

from typing import ClassVar

import reflex as rx
from reflex.vars import ObjectVar

from backend.app import current_shop
from backend.core.texts import _
from backend.news.topics import Topic
from backend.office.team.account import ENROL as TO_ENROL
from backend.office.team.account import PROVE, OwnAccount, SessionRow, own_account
from backend.staff.rights import Actor, Right
from backend.staff.sessions import revoke
from storefront.components.forms import Once
from storefront.components.http_forms import http_form
from storefront.office.auth.sign_in import enter_field
from storefront.office.auth.sign_out import sign_out_everywhere
from storefront.office.components.feedback import chip, screen
from storefront.office.layout import office
from storefront.office.navigation import ENROL, ENTER, OWN_ACCOUNT
from storefront.office.state import OfficeScreen, answers, office_event
from storefront.reflex_ext.state_loss import KnownClientState
from storefront.state.handlers import checked_id

TITLE = _("Mi cuenta")
BUTTON = "button button--small "


class OwnAccountState(OfficeScreen, KnownClientState):
    """The account of whoever is signed in."""

    content: rx.Field[OwnAccount | None] = rx.field(None)

    _right: ClassVar[Right] = Right.READ_ORDERS
    """Everybody's."""
    _topics: ClassVar[frozenset[str]] = frozenset({Topic.STAFF})

    async def _content(self, actor: Actor) -> OwnAccount:
        async with current_shop().database.read() as session:
            return await own_account(session, actor)

    @office_event(Right.READ_ORDERS)
    async def end_session(self, actor: Actor, session_id: str) -> None:
        """Sign another browser of one's own out."""
        async with current_shop().database.transaction() as session:
            await revoke(session, actor, checked_id(session_id))
        self._tell(_("Esa sesión está cerrada."))
        await self._show(actor)


SHOWN = OwnAccountState.content


def page() -> rx.Component:
    """One's own account."""
    content = rx.fragment(
        rx.el.p(SHOWN.email, " · ", SHOWN.role_label, class_name="o-row__detail o-account__who"),
        rx.el.div(
            rx.el.div(second_factor(), password()),
            rx.el.div(Once.create(browsers(), answers=answers(OwnAccountState))),
            class_name="o-columns",
        ),
    )
    return office(OwnAccountState, OWN_ACCOUNT, TITLE, screen(OwnAccountState, content))


def panel(title: str, *content: rx.Component, test_id: str) -> rx.Component:
    """A part of the screen."""
    return rx.el.section(
        rx.el.h2(title, class_name="o-section__title"),
        *content,
        class_name="o-panel o-section o-account",
        data_testid=test_id,
    )


def code_form(action: str, submit: str, leads_to: str) -> rx.Component:
    """Asks for a code of the second factor."""
    return http_form(
        enter_field(
            "code",
            _("Código"),
            "one-time-code",
            "office-code",
            hint=_("El de tu teléfono, o uno de recuperación."),
        ),
        action=action,
        leads_to=leads_to,
        submit=submit,
        busy=_("Un momento…"),
        look="dark",
        test_id="save",
    )


def proving(leads_to: str) -> rx.Component:
    """Proves the second factor of whoever signed in without it, and goes on to a screen."""
    return code_form("/auth/staff/second-factor", _("Confirmar"), leads_to)


def enrolling() -> rx.Component:
    """Leads to where the second factor is set up."""
    return rx.el.a(_("Activar el código"), href=ENROL, class_name=f"{BUTTON}button--dark")


def second_factor_wanted(
    missing: rx.Var[str], *, absent: str, unproved: str, leads_to: str, test_id: str
) -> rx.Component:
    """What somebody has to do with their second factor before they can change anything on a screen.

    Args:
        missing: the screen's var: `PROVE`, `ENROL`, or empty.
        absent: what is said to somebody who has none.
        unproved: what is said to somebody who signed in without it.
        leads_to: the screen itself.
        test_id: of the panel.
    """
    enrol = rx.fragment(rx.el.p(absent), enrolling())
    prove = rx.fragment(rx.el.p(unproved), proving(leads_to))
    return rx.cond(
        missing != "",
        rx.el.div(
            rx.match(missing, (PROVE, prove), (TO_ENROL, enrol), rx.fragment()),
            class_name="o-panel o-team__missing",
            data_testid=test_id,
        ),
    )


def second_factor() -> rx.Component:
    """The code of one's telephone: whether there is one, and what can be done with it."""
    left = rx.cond(
        SHOWN.codes_left == 1,
        _("Te queda 1 código de recuperación."),
        _("Te quedan {n} códigos de recuperación.").format(n=SHOWN.codes_left),
    )
    active = rx.fragment(
        rx.el.p(chip(_("Activo"), "good"), " ", left),
        rx.el.a(
            _("Cambiar de teléfono o pedir códigos nuevos"), href=ENROL, class_name=f"{BUTTON}button--quiet"
        ),
        rx.el.details(
            rx.el.summary(_("Desactivar el código"), class_name="o-disclosure"),
            rx.el.p(
                _("Sin él no puedes devolver dinero, cambiar el equipo ni descargar datos personales."),
                class_name="o-row__detail",
            ),
            code_form("/auth/staff/second-factor/off", _("Desactivar"), OWN_ACCOUNT),
        ),
    )
    unproved = rx.fragment(
        rx.el.p(_("Entraste sin tu código. Escríbelo para hacer todo lo que tu rol permite.")),
        proving(leads_to=OWN_ACCOUNT),
    )
    absent = rx.fragment(
        rx.el.p(_("Con él, quien sepa tu contraseña no puede devolver dinero ni cambiar el equipo.")),
        enrolling(),
    )
    return panel(
        _("El código de tu teléfono"),
        rx.cond(SHOWN.has_second_factor, rx.cond(SHOWN.is_proved, active, unproved), absent),
        test_id="own-code",
    )


def password() -> rx.Component:
    """Another password; one signs in with it then."""
    return panel(
        _("Contraseña"),
        rx.el.p(_("Al cambiarla se cierran todas tus sesiones, también esta."), class_name="o-row__detail"),
        http_form(
            enter_field("password", _("La de ahora"), "current-password", "own-password", type="password"),
            enter_field(
                "new_password",
                _("La nueva"),
                "new-password",
                "own-new-password",
                type="password",
                hint=_("Al menos 8 caracteres. Una frase corta sirve muy bien."),
            ),
            action="/auth/staff/password",
            leads_to=ENTER,
            submit=_("Cambiar contraseña"),
            busy=_("Guardando…"),
            look="dark",
            test_id="own-password-save",
        ),
        test_id="own-password-panel",
    )


def browsers() -> rx.Component:
    """Where one is signed in."""

    def one(row: ObjectVar[SessionRow]) -> rx.Component:
        return rx.el.li(
            rx.el.span(
                rx.el.span(row.title, class_name="o-row__title"),
                rx.el.span(row.detail, class_name="o-row__detail"),
                class_name="o-audit__what",
            ),
            rx.cond(
                row.is_current,
                chip(_("Este equipo"), "good"),
                rx.el.button(
                    _("Cerrar"),
                    rx.el.span(": ", row.title, class_name="sr-only"),
                    type="button",
                    data_once="",
                    on_click=OwnAccountState.end_session(row.id),
                    class_name=f"{BUTTON}button--quiet",
                ),
            ),
            key=row.id,
            class_name="o-team__invite",
            data_testid="own-session",
        )

    return panel(
        _("Dónde tienes la sesión abierta"),
        rx.el.ul(rx.foreach(SHOWN.sessions, one)),
        sign_out_everywhere(),
        test_id="own-sessions",
    )
