"""The page of the mailed link by which a guest opens an account after a purchase.

As for a forgotten password, the token of the link is in the fragment of its URL, and is sent only with the form.
"""

import reflex as rx

from backend.core.texts import _
from storefront.components.http_forms import http_form
from storefront.links import ACCOUNT, FIND_ORDER
from storefront.pages.account.forms import HAS_TOKEN
from storefront.pages.account.sign_in import card_page, consent_boxes, new_password_field
from storefront.pages.account.state import private_meta
from storefront.pages.page_loader import PageData, PageParams

TITLE = _("Abre tu cuenta")


async def load(_params: PageParams) -> PageData[None]:
    """Return the document's meta only."""
    return PageData(None, private_meta(TITLE))


def page() -> rx.Component:
    """Build the form that opens the account if the URL has a token; otherwise explain how to get one."""
    open_form = rx.fragment(
        rx.el.p(
            _("Falta tu contraseña y tu autorización. Verás los pedidos que hiciste con este correo."),
            class_name="account-card__lead",
        ),
        http_form(
            new_password_field(),
            consent_boxes(),
            action="/auth/account/open",
            leads_to=ACCOUNT,
            submit=_("Abrir mi cuenta"),
            busy=_("Abriendo tu cuenta…"),
            test_id="open-account",
        ),
    )
    missing = rx.fragment(
        rx.el.p(
            _(
                "Abre el enlace tal como te llegó al correo. Si ya venció, pide otro en la página de tu pedido."
            ),
            class_name="account-card__lead",
        ),
        rx.el.p(rx.el.a(_("Encuentra tu pedido"), href=FIND_ORDER), class_name="account-card__more"),
    )
    return card_page(TITLE, rx.cond(HAS_TOKEN, open_form, missing))
