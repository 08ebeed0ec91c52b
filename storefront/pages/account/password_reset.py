"""A forgotten password: asking for a link, and choosing a new one by it.

The token of a link is behind the `#` of its address, where no log and no other site sees it. The page takes it out of
there at once (`assets/scripts/account.jsx`) and sends it with the new password alone.
"""

import reflex as rx

from backend.core.texts import _
from storefront.components.http_forms import http_form
from storefront.links import ACCOUNT, LOGIN
from storefront.pages.account.forms import DROP_TOKEN, HAS_TOKEN
from storefront.pages.account.sign_in import card, email_field, new_password, way
from storefront.pages.account.state import meta
from storefront.pages.page_loader import PageData, PageParams

HEADING = _("Cambia tu contraseña")
TITLE = HEADING


async def load(_params: PageParams) -> PageData[None]:
    """Nothing but two forms."""
    return PageData(None, meta(HEADING))


def page() -> rx.Component:
    """The form that the address is for."""
    choose = rx.fragment(
        http_form(
            new_password(label=_("Contraseña nueva")),
            action="/auth/account/reset",
            leads_to=ACCOUNT,
            submit=_("Guardar y entrar"),
            busy=_("Guardando…"),
        ),
        rx.el.p(
            rx.el.button(
                _("Pedir otro enlace"),
                type="button",
                class_name="text-button",
                custom_attrs={"onClick": DROP_TOKEN},
            ),
            class_name="account-card__more",
        ),
    )
    ask = rx.fragment(
        rx.el.p(
            _("Escribe tu correo y te enviaremos un enlace para elegir una nueva."),
            class_name="account-card__lead",
        ),
        http_form(
            email_field(),
            action="/auth/account/forgot",
            done=_(
                "Si hay una cuenta con ese correo, ya va en camino un enlace. Sirve una vez y dura una hora."
            ),
            submit=_("Enviarme el enlace"),
            busy=_("Enviando…"),
        ),
        rx.el.p(way(_("Volver a entrar"), LOGIN), class_name="account-card__more"),
    )
    return card(HEADING, rx.cond(HAS_TOKEN, choose, ask))
