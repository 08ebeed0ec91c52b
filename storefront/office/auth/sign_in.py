"""The way into the office: address and password, sent by HTTP, as only an HTTP answer can set the session's cookie.

Whoever is invited chooses their password here, and whoever is in sets up their second factor. Which of them is shown
follows from the address, in the browser: see `assets/scripts/office/entering.jsx`.
"""

from typing import Any

import reflex as rx

from backend.core.texts import _
from storefront.components.forms import field
from storefront.components.http_forms import ANSWER, OFFLINE, http_form
from storefront.components.pictures import MARK, drawing
from storefront.components.react_components import Arrival
from storefront.office.navigation import ENTER, OFFICE
from storefront.office.react_components import OfficeShell
from storefront.office.staff_session import actor_at
from storefront.pages.account.forms import HAS_TOKEN, problem_in
from storefront.reflex_ext.hooks import hook, script
from storefront.reflex_ext.state_loss import KnownClientState
from storefront.state.handlers import event

TITLE = _("Entrar a la oficina")
ASKED: rx.Var[str] = hook(script("office/entering"), "useAsked").to(str)
"""Which form the address asks for; empty for the one that signs in."""


class OfficeEnterState(KnownClientState):
    """Where the page leads whoever has nothing to do here."""

    @event()
    async def load(self) -> Any:
        """Lead on whoever is signed in and asks for nothing, and to signing in whoever is not and wants a code."""
        asked = self.router.url.query_parameters
        if "invitacion" in asked:
            return None  # on a browser where somebody else is signed in, too
        is_inside = await actor_at(self) is not None
        if "codigo" in asked:
            return None if is_inside else rx.redirect(ENTER, replace=True)
        return rx.redirect(OFFICE, replace=True) if is_inside else None


def enter_field(name: str, label: str, fill: str, test_id: str, **more: Any) -> rx.Component:
    """A line of a form that is sent by HTTP."""
    return field(
        name,
        label,
        element_id=f"entrar-{name}",
        problem=problem_in(ANSWER, name),
        live="",
        auto_complete=fill,
        auto_capitalize="none",
        data_testid=test_id,
        **more,
    )


class Enrol(rx.Component):
    """Sets up the second factor: see `assets/scripts/office/enrol.jsx`."""

    library = script("office/enrol")
    tag = "Enrol"
    texts: rx.Var[dict[str, str]]
    next: rx.Var[str]


ENROL_TEXTS = {
    "begin": _("Activar el código"),
    "later": _("Más tarde"),
    "scan": _(
        "Abre en tu teléfono la aplicación de códigos (Google Authenticator, 1Password…) y escanea esto."
    ),
    "qr": _("Código QR para la aplicación del teléfono"),
    "type": _("O escribe esta clave:"),
    "code": _("El código de seis cifras que muestra"),
    "confirm": _("Confirmar"),
    "keep": _("Listo. Guarda estos códigos de recuperación: cada uno sirve una vez si pierdes el teléfono."),
    "done": _("Ya los guardé"),
    "offline": OFFLINE,
    "failed": _("No se pudo. Sal, entra otra vez e inténtalo de nuevo."),
}


def entering() -> rx.Component:
    """Address, password, and the code of whoever has one."""
    return rx.fragment(
        rx.el.h1(TITLE, class_name="o-title"),
        http_form(
            enter_field("email", _("Correo"), "username", "office-email", type="email"),
            enter_field("password", _("Contraseña"), "current-password", "office-password", type="password"),
            enter_field(
                "code",
                _("Código"),
                "one-time-code",
                "office-code",
                is_optional=True,
                hint=_("El de tu teléfono, o uno de recuperación, si lo activaste."),
            ),
            action="/auth/staff/login",
            leads_to=OFFICE,
            submit=_("Entrar"),
            busy=_("Entrando…"),
            test_id="office-enter",
        ),
    )


def enrolling() -> rx.Component:
    """Setting up the second factor."""
    return rx.fragment(
        rx.el.h1(_("El código de tu teléfono"), class_name="o-title"),
        rx.el.p(
            _("Con él, quien sepa tu contraseña no puede devolver dinero ni cambiar el equipo."),
            class_name="o-row__detail",
        ),
        Enrol.create(texts=ENROL_TEXTS, next=OFFICE),
    )


def invited() -> rx.Component:
    """Choosing a password by the link of an invitation."""
    choose = rx.fragment(
        rx.el.p(_("Elige la contraseña con la que vas a entrar."), class_name="o-row__detail"),
        http_form(
            enter_field(
                "password",
                _("Contraseña"),
                "new-password",
                "office-password",
                type="password",
                hint=_("Al menos 8 caracteres. Una frase corta sirve muy bien."),
            ),
            action="/auth/staff/invitation",
            leads_to=OFFICE,
            submit=_("Entrar"),
            busy=_("Entrando…"),
            test_id="office-enter",
        ),
    )
    gone = rx.el.p(
        _("Abre otra vez el enlace del correo: por seguridad, esta página no lo guarda."),
        class_name="o-row__detail",
    )
    return rx.fragment(
        rx.el.h1(_("Bienvenido al equipo"), class_name="o-title"),
        rx.cond(HAS_TOKEN, choose, gone),
        rx.el.a(_("Ya tengo contraseña"), href=ENTER, class_name="o-disclosure"),
    )


def page() -> rx.Component:
    """The form that the address asks for."""
    return OfficeShell.create(
        rx.el.main(
            rx.el.div(
                drawing(MARK, 44),
                rx.cond(
                    ASKED == "codigo",
                    enrolling(),
                    rx.cond(ASKED == "invitacion", invited(), entering()),
                ),
                class_name="o-enter",
            ),
            id="contenido",
            class_name="o-main o-main--enter",
            custom_attrs={"tabIndex": -1},
        ),
        Arrival.create(target="contenido"),
        class_name="office office--enter",
    )
