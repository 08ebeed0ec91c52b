"""A forgotten password: asking for a link, and choosing a new one by it.

The token of a link is behind the `#` of its address, where no log and no other site sees it. The page takes it out of
there at once (`assets/scripts/account.jsx`) and sends it with the new password alone.
"""

import reflex as rx

from backend.texts import _
from storefront.components.header import STORE_NAME
from storefront.components.links import ACCOUNT, LOGIN
from storefront.pages.account.browser import AccountForm, DropLink, WayLink, WithLink
from storefront.pages.account.enter import card, email_field, form_texts, meta, new_password
from storefront.pages.loading import PageData, PageParams

HEADING = _("Cambia tu contraseña")
TITLE = f"{HEADING} · {STORE_NAME}"


async def load(_params: PageParams) -> PageData[None]:
    """Nothing but two forms."""
    return PageData(None, meta(HEADING))


def page() -> rx.Component:
    """The form that the address is for."""
    return card(
        HEADING,
        WithLink.create(
            rx.el.p(
                _("Escribe tu correo y te enviaremos un enlace para elegir una nueva."),
                class_name="account-card__lead",
            ),
            AccountForm.create(
                email_field(),
                action="/auth/account/forgot",
                done=_(
                    "Si hay una cuenta con ese correo, ya va en camino un enlace. Sirve una vez y dura una hora."
                ),
                texts=form_texts(_("Enviarme el enlace"), _("Enviando…")),
            ),
            rx.el.p(WayLink.create(_("Volver a entrar"), to=LOGIN), class_name="account-card__more"),
            has=False,
        ),
        WithLink.create(
            AccountForm.create(
                new_password(label=_("Contraseña nueva")),
                action="/auth/account/reset",
                next=ACCOUNT,
                texts=form_texts(_("Guardar y entrar"), _("Guardando…")),
            ),
            rx.el.p(DropLink.create(label=_("Pedir otro enlace")), class_name="account-card__more"),
            has=True,
        ),
    )
