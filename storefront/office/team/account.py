"""The account screen (Mi cuenta): the staff member's password, second factor, notices and sessions."""

from typing import ClassVar

import reflex as rx
from reflex.vars import ObjectVar

from backend.app import current_shop
from backend.core.texts import _
from backend.core.web.outside_post import MAX_URL_LENGTH
from backend.news.topics import Topic
from backend.office.team.account import ENROL as TO_ENROL
from backend.office.team.account import (
    PROVE,
    DeviceRow,
    OwnAccount,
    SessionRow,
    browser_name,
    own_account,
)
from backend.office.team.notices import parse_ticked_kinds
from backend.staff.rights import Actor, Right
from backend.staff.sessions import revoke
from backend.staff_notices.choices import save_choices
from backend.staff_notices.push.subscriptions import add_subscription, remove_subscription
from storefront.components.forms import SubmitOnce
from storefront.components.http_forms import http_form
from storefront.office.auth.sign_in import PASSWORD_HINT, sign_in_field
from storefront.office.auth.sign_out import sign_out_everywhere
from storefront.office.components.feedback import chip, screen
from storefront.office.layout import office_layout
from storefront.office.navigation import ENROL, OWN_ACCOUNT, SIGN_IN
from storefront.office.react_components import PushDevice
from storefront.office.state import OfficeScreen, answer_number, office_event
from storefront.office.team.notices import NOTICE_FIELDS, notices_form
from storefront.reflex_ext.state_loss import KnownClientState
from storefront.state.handlers import checked_fields, checked_id

TITLE = _("Mi cuenta")
BUTTON = "button button--small "
PUSH_TEXTS = {
    "turnOn": _("Recibir avisos en este equipo"),
    "busy": _("Un momento…"),
    "on": _("Este equipo recibe tus avisos."),
    "failed": _("El navegador no pudo activarlos. Inténtalo otra vez."),
    "denied": _(
        "Este navegador no permite los avisos. Permítelos en los ajustes del sitio y vuelve a intentarlo."
    ),
    "unsupported": _(
        "Este navegador no recibe avisos. En un iPhone, agrega primero la oficina a la pantalla de inicio."
    ),
}
"""Texts of `PushDevice`, by the state of the browser."""


class OwnAccountState(OfficeScreen, KnownClientState):
    """The account of the signed-in staff member."""

    content: rx.Field[OwnAccount | None] = rx.field(None)

    _right: ClassVar[Right] = Right.READ_ORDERS
    """A right that every role has."""
    _topics: ClassVar[frozenset[str]] = frozenset({Topic.STAFF})

    async def _read_content(self, actor: Actor) -> OwnAccount:
        from backend.staff_notices.push.vapid import read_vapid_key

        shop = current_shop()
        async with shop.database.read() as session:
            return await own_account(session, actor, read_vapid_key(shop.settings).public_key)

    @office_event(Right.READ_ORDERS)
    async def end_session(self, actor: Actor, session_id: str) -> None:
        """Sign the staff member out of another browser."""
        async with current_shop().database.transaction() as session:
            await revoke(session, actor, checked_id(session_id))
        self._announce(_("Esa sesión está cerrada."))
        await self._show(actor)

    @office_event(Right.READ_ORDERS)
    async def choose_notices(self, actor: Actor, form_data: dict[str, str]) -> None:
        """Save which notices the staff member gets. The form contains the ticked kinds."""
        ticked = parse_ticked_kinds(checked_fields(form_data, *NOTICE_FIELDS))
        async with current_shop().database.transaction() as session:
            await save_choices(session, actor, actor.id, ticked)
        self._announce(_("Tus avisos quedaron guardados."))
        await self._show(actor)

    @office_event(Right.READ_ORDERS)
    async def add_device(self, actor: Actor, subscription: dict[str, str]) -> None:
        """Store this browser's push subscription, so that it gets the staff member's notices."""
        typed = checked_fields(subscription, "endpoint", "p256dh", "auth", max_length=MAX_URL_LENGTH)
        user_agent = str(self.router.headers.user_agent)
        async with current_shop().database.transaction() as session:
            await add_subscription(
                session,
                actor,
                typed["endpoint"],
                typed["p256dh"],
                typed["auth"],
                device=browser_name(user_agent),
            )
        self._announce(_("Los avisos llegan a este equipo."))
        await self._show(actor)

    @office_event(Right.READ_ORDERS)
    async def remove_device(self, actor: Actor, device_id: str) -> None:
        """Stop sending the staff member's notices to a browser."""
        async with current_shop().database.transaction() as session:
            await remove_subscription(session, actor, checked_id(device_id))
        self._announce(_("A ese equipo ya no llegan avisos."))
        await self._show(actor)


VIEW = OwnAccountState.content


def page() -> rx.Component:
    """Render the account screen."""
    content = rx.fragment(
        rx.el.p(VIEW.email, " · ", VIEW.role_label, class_name="o-row__detail o-account__who"),
        rx.el.div(
            rx.el.div(second_factor_panel(), password_panel()),
            rx.el.div(
                SubmitOnce.create(notices_panel(), answers=answer_number(OwnAccountState)),
                SubmitOnce.create(sessions_panel(), answers=answer_number(OwnAccountState)),
            ),
            class_name="o-columns",
        ),
    )
    return office_layout(OwnAccountState, OWN_ACCOUNT, TITLE, screen(OwnAccountState, content))


def panel(title: str, *content: rx.Component, test_id: str) -> rx.Component:
    """Render a section of the screen."""
    return rx.el.section(
        rx.el.h2(title, class_name="o-section__title"),
        *content,
        class_name="o-panel o-section o-account",
        data_testid=test_id,
    )


def code_form(action: str, submit: str, leads_to: str) -> rx.Component:
    """Render a form that asks for a code of the second factor."""
    return http_form(
        sign_in_field(
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


def proof_form(leads_to: str) -> rx.Component:
    """Render the code form of a staff member who signed in without the second factor.

    A correct code opens the address `leads_to`.
    """
    return code_form("/auth/staff/second-factor", _("Confirmar"), leads_to)


def enrolment_link() -> rx.Component:
    """Render a link to the setup of the second factor."""
    return rx.el.a(_("Activar el código"), href=ENROL, class_name=f"{BUTTON}button--dark")


def second_factor_notice(
    missing: rx.Var[str], *, absent: str, unproved: str, leads_to: str, test_id: str
) -> rx.Component:
    """Render what the staff member must do with their second factor before the screen allows changes.

    Args:
        missing: variable with the required step: `PROVE`, `ENROL`, or empty if none is required.
        absent: the text for a staff member who has no second factor.
        unproved: the text for a staff member who has one, but signed in without it.
        leads_to: the screen's own address, which a correct code opens again.
        test_id: the panel's test id.
    """
    enrol = rx.fragment(rx.el.p(absent), enrolment_link())
    prove = rx.fragment(rx.el.p(unproved), proof_form(leads_to))
    return rx.cond(
        missing != "",
        rx.el.div(
            rx.match(missing, (PROVE, prove), (TO_ENROL, enrol), rx.fragment()),
            class_name="o-panel o-team__missing",
            data_testid=test_id,
        ),
    )


def second_factor_panel() -> rx.Component:
    """Render the state of the second factor, and its actions."""
    codes_left = rx.cond(
        VIEW.codes_left == 1,
        _("Te queda 1 código de recuperación."),
        _("Te quedan {n} códigos de recuperación.").format(n=VIEW.codes_left),
    )
    active = rx.fragment(
        rx.el.p(chip(_("Activo"), "good"), " ", codes_left),
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
        proof_form(leads_to=OWN_ACCOUNT),
    )
    absent = rx.fragment(
        rx.el.p(_("Con él, quien sepa tu contraseña no puede devolver dinero ni cambiar el equipo.")),
        enrolment_link(),
    )
    return panel(
        _("El código de tu teléfono"),
        rx.cond(VIEW.has_second_factor, rx.cond(VIEW.is_proved, active, unproved), absent),
        test_id="own-code",
    )


def password_panel() -> rx.Component:
    """Render the form that changes the password. A change ends all sessions."""
    return panel(
        _("Contraseña"),
        rx.el.p(_("Al cambiarla se cierran todas tus sesiones, también esta."), class_name="o-row__detail"),
        http_form(
            sign_in_field("password", _("La de ahora"), "current-password", "own-password", type="password"),
            sign_in_field(
                "new_password",
                _("La nueva"),
                "new-password",
                "own-new-password",
                type="password",
                hint=PASSWORD_HINT,
            ),
            action="/auth/staff/password",
            leads_to=SIGN_IN,
            submit=_("Cambiar contraseña"),
            busy=_("Guardando…"),
            look="dark",
            test_id="own-password-save",
        ),
        test_id="own-password-panel",
    )


def device_row(row: ObjectVar[DeviceRow]) -> rx.Component:
    """Render a browser that gets the notices, and the button that removes it."""
    return rx.el.li(
        rx.el.span(
            rx.el.span(row.title, class_name="o-row__title"),
            rx.el.span(row.detail, class_name="o-row__detail"),
            class_name="o-audit__what",
        ),
        rx.el.button(
            _("Quitar"),
            rx.el.span(": ", row.title, class_name="sr-only"),
            type="button",
            data_once="",
            on_click=OwnAccountState.remove_device(row.id),
            class_name=f"{BUTTON}button--quiet",
        ),
        key=row.id,
        class_name="o-team__invite",
        data_testid="own-device",
    )


def notices_panel() -> rx.Component:
    """Render the notices that the staff member gets by mail."""
    return panel(
        _("Mis avisos"),
        rx.el.p(
            _("Por correo, y en los equipos que actives. Varios del mismo tipo van juntos."),
            class_name="o-row__detail",
        ),
        rx.el.div(
            rx.el.ul(rx.foreach(VIEW.devices, device_row)),
            PushDevice.create(
                public_key=VIEW.push_key,
                is_on=VIEW.has_push_here,
                texts=PUSH_TEXTS,
                on_subscribe=OwnAccountState.add_device,
            ),
            class_name="o-devices",
            data_testid="own-devices",
        ),
        notices_form(VIEW.notices, OwnAccountState.choose_notices),
        test_id="own-notices",
    )


def sessions_panel() -> rx.Component:
    """Render the open sessions of the staff member."""

    def session_row(row: ObjectVar[SessionRow]) -> rx.Component:
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
        rx.el.ul(rx.foreach(VIEW.sessions, session_row)),
        sign_out_everywhere(),
        test_id="own-sessions",
    )
