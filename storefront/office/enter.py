"""The way into the office: address and password, sent by HTTP, as only an HTTP answer can set the session's cookie."""

from typing import Any

import reflex as rx

from backend.texts import _
from storefront.components.browser import Arrival
from storefront.components.forms import field
from storefront.components.hooks import script
from storefront.components.pictures import MARK, drawing
from storefront.live.state_loss import KnownClientState
from storefront.office.browser import OfficeShell
from storefront.office.places import OFFICE
from storefront.office.session import actor_at
from storefront.pages.account.browser import ANSWER, OFFLINE, http_form, problem_in
from storefront.state.handlers import event

TITLE = _("Entrar a la oficina")


class OfficeEnterState(KnownClientState):
    """The way in, and setting up the second factor for whoever is in."""

    is_inside: rx.Field[bool] = rx.field(False)

    @event()
    async def load(self) -> Any:
        """Whoever is signed in has nothing else to do here than to set up their second factor (`?codigo=1`)."""
        actor = await actor_at(self)
        wants_code = "codigo" in self.router.url.query_parameters
        self.is_inside = actor is not None and wants_code
        self.dirty_vars.update(self.base_vars)  # sent in any case: see storefront.on_demand
        self._mark_dirty()
        return rx.redirect(OFFICE, replace=True) if actor is not None and not wants_code else None


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


def page() -> rx.Component:
    """The way in, or setting up the second factor."""
    return OfficeShell.create(
        rx.el.main(
            rx.el.div(
                drawing(MARK, 44),
                rx.cond(OfficeEnterState.is_inside, enrolling(), entering()),
                class_name="o-enter",
            ),
            id="contenido",
            class_name="o-main o-main--enter",
            custom_attrs={"tabIndex": -1},
        ),
        Arrival.create(target="contenido"),
        class_name="office office--enter",
    )
