"""The way into the office: address and password, sent by HTTP, as only an HTTP answer can set the session's cookie."""

from typing import Any

import reflex as rx

from backend.texts import _
from storefront.components.browser import Arrival
from storefront.components.forms import field
from storefront.components.pictures import MARK, drawing
from storefront.live.state_loss import KnownClientState
from storefront.office.browser import OfficeShell
from storefront.office.places import OFFICE
from storefront.office.session import actor_at
from storefront.pages.account.browser import ANSWER, http_form, problem_in
from storefront.state.handlers import event

TITLE = _("Entrar a la oficina")


class OfficeEnterState(KnownClientState):
    """The way in."""

    @event()
    async def load(self) -> Any:
        """Whoever is signed in has nothing to do here."""
        return rx.redirect(OFFICE, replace=True) if await actor_at(self) else None


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


def page() -> rx.Component:
    """Address and password."""
    return OfficeShell.create(
        rx.el.main(
            rx.el.div(
                drawing(MARK, 44),
                rx.el.h1(TITLE, class_name="o-title"),
                http_form(
                    enter_field("email", _("Correo"), "username", "office-email", type="email"),
                    enter_field(
                        "password", _("Contraseña"), "current-password", "office-password", type="password"
                    ),
                    action="/auth/staff/login",
                    leads_to=OFFICE,
                    submit=_("Entrar"),
                    busy=_("Entrando…"),
                    test_id="office-enter",
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
