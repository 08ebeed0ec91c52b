"""A forgotten password: the form that requests a link, and the form that sets a new password.

The token of a link is in the fragment of its URL (after the `#`), so that no log and no other site can read it. The
page immediately removes it from the URL (`assets/scripts/account.jsx`), and sends it only with the new password.
"""

import reflex as rx

from backend.core.texts import _
from storefront.components.http_forms import http_form
from storefront.links import ACCOUNT, LOGIN
from storefront.pages.account.forms import DROP_TOKEN, HAS_TOKEN
from storefront.pages.account.sign_in import card_page, email_field, new_password_field, sign_in_link
from storefront.pages.account.state import private_meta
from storefront.pages.page_loader import PageData, PageParams

HEADING = _("Cambia tu contraseña")
TITLE = HEADING


async def load(_params: PageParams) -> PageData[None]:
    """Return the document's meta only."""
    return PageData(None, private_meta(HEADING))


def page() -> rx.Component:
    """Build the form for a new password if the URL has a token, otherwise the form that requests a link."""
    choose = rx.fragment(
        http_form(
            new_password_field(label=_("Contraseña nueva")),
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
        rx.el.p(sign_in_link(_("Volver a entrar"), LOGIN), class_name="account-card__more"),
    )
    return card_page(HEADING, rx.cond(HAS_TOKEN, choose, ask))
