"""The sign-in page of the office. Its forms use HTTP, because only an HTTP response can set the session cookie.

On this page an invited staff member also chooses the password, and a signed-in one sets up the second factor. The
address determines which form the browser displays: see `assets/scripts/office/requested_form.jsx`.
"""

from typing import Any

import reflex as rx

from backend.core.texts import _
from backend.core.web.passwords import MIN_STAFF_LENGTH
from storefront.components.forms import field
from storefront.components.http_forms import ANSWER, OFFLINE, http_form
from storefront.components.pictures import SHOP_ICON, drawing
from storefront.components.react_components import Arrival
from storefront.office.navigation import OFFICE, SIGN_IN
from storefront.office.react_components import OfficeShell
from storefront.office.staff_session import find_actor
from storefront.pages.account.forms import HAS_TOKEN, problem_text
from storefront.reflex_ext.hooks import hook, script
from storefront.reflex_ext.state_loss import KnownClientState
from storefront.state.handlers import event

TITLE = _("Entrar a la oficina")
PASSWORD_HINT = _("Al menos {count} caracteres. Una frase corta sirve muy bien.").format(
    count=MIN_STAFF_LENGTH
)
REQUESTED_FORM: rx.Var[str] = hook(script("office/requested_form"), "useRequestedForm").to(str)
"""The form that the address requests; empty for the sign-in form."""


class OfficeSignInState(KnownClientState):
    """State of the sign-in page, which has several forms: see `page`."""

    @event()
    async def load(self) -> Any:
        """Redirect the staff member if the form in the URL is not for them.

        A signed-in staff member who requests no special form is redirected to the office. If the form of the second
        factor is requested, but no staff member is signed in, the browser is redirected to the sign-in form.
        """
        query = self.router.url.query_parameters
        if "invitacion" in query:
            return None  # also in a browser where another staff member is signed in
        is_inside = await find_actor(self) is not None
        if "codigo" in query:
            return None if is_inside else rx.redirect(SIGN_IN, replace=True)
        return rx.redirect(OFFICE, replace=True) if is_inside else None


def sign_in_field(name: str, label: str, auto_complete: str, test_id: str, **more: Any) -> rx.Component:
    """Render a field of a form that is sent over HTTP."""
    return field(
        name,
        label,
        element_id=f"entrar-{name}",
        problem=problem_text(ANSWER, name),
        live="",
        auto_complete=auto_complete,
        auto_capitalize="none",
        data_testid=test_id,
        **more,
    )


class EnrolmentForm(rx.Component):
    """The setup of the second factor: see `assets/scripts/office/enrol.jsx`."""

    library = script("office/enrol")
    tag = "EnrolmentForm"
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


def sign_in_form() -> rx.Component:
    """Render the sign-in form: e-mail, password, and the code of the second factor."""
    return rx.fragment(
        rx.el.h1(TITLE, class_name="o-title"),
        http_form(
            sign_in_field("email", _("Correo"), "username", "office-email", type="email"),
            sign_in_field(
                "password", _("Contraseña"), "current-password", "office-password", type="password"
            ),
            sign_in_field(
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


def enrolment_panel() -> rx.Component:
    """Render the setup of the second factor."""
    return rx.fragment(
        rx.el.h1(_("El código de tu teléfono"), class_name="o-title"),
        rx.el.p(
            _("Con él, quien sepa tu contraseña no puede devolver dinero ni cambiar el equipo."),
            class_name="o-row__detail",
        ),
        EnrolmentForm.create(texts=ENROL_TEXTS, next=OFFICE),
    )


def invitation_form() -> rx.Component:
    """Render the form that sets the password of an invited staff member."""
    choose = rx.fragment(
        rx.el.p(_("Elige la contraseña con la que vas a entrar."), class_name="o-row__detail"),
        http_form(
            sign_in_field(
                "password",
                _("Contraseña"),
                "new-password",
                "office-password",
                type="password",
                hint=PASSWORD_HINT,
            ),
            action="/auth/staff/invitation",
            leads_to=OFFICE,
            submit=_("Entrar"),
            busy=_("Entrando…"),
            test_id="office-enter",
        ),
    )
    missing_token = rx.el.p(
        _("Abre otra vez el enlace del correo: por seguridad, esta página no lo guarda."),
        class_name="o-row__detail",
    )
    return rx.fragment(
        rx.el.h1(_("Bienvenido al equipo"), class_name="o-title"),
        rx.cond(HAS_TOKEN, choose, missing_token),
        rx.el.a(_("Ya tengo contraseña"), href=SIGN_IN, class_name="o-disclosure"),
    )


def page() -> rx.Component:
    """Render the sign-in page: the form that the URL's query requests, by default the sign-in form."""
    return OfficeShell.create(
        rx.el.main(
            rx.el.div(
                drawing(SHOP_ICON, 44),
                rx.cond(
                    REQUESTED_FORM == "codigo",
                    enrolment_panel(),
                    rx.cond(REQUESTED_FORM == "invitacion", invitation_form(), sign_in_form()),
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
