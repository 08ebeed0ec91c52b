"""The page to find an order. The customer enters its number and the e-mail address, and gets the link by e-mail."""

from dataclasses import dataclass

import reflex as rx

from backend.core.error_texts import CHECK_FIELDS, TOO_MANY
from backend.core.texts import _
from storefront.components.http_forms import ANSWER, http_form
from storefront.components.icons import icon
from storefront.links import ACCOUNT, FIND_ORDER
from storefront.meta import DocumentMeta, absolute_url
from storefront.pages.account.forms import account_field
from storefront.pages.account.sign_in import card_page
from storefront.pages.page_loader import PageData, PageParams, PageState

TITLE = _("Encuentra tu pedido")
LEAD = _(
    "Escribe el número de tu pedido y el correo con el que compraste. Te enviamos ahí el enlace para verlo."
)
SENT = _("Si hay un pedido con ese número y ese correo, su enlace ya va en camino a tu correo.")
RESULT_MESSAGES = {"sent": SENT, "check": CHECK_FIELDS, "wait": TOO_MANY}
"""Messages about a form that was submitted without scripts, by the value of the URL's parameter `said`."""
ACTION = "/api/order-link"
WITHOUT_SCRIPTS = f"{ACTION}/form"


@dataclass(frozen=True, slots=True)
class FindOrderContent:
    """Content of the page: the message above the form, or empty."""

    message: str = ""
    is_good: bool = True


async def load(params: PageParams) -> PageData[FindOrderContent]:
    """Return the message about the form, if a browser without scripts has just submitted it.

    The URL contains only a key of a known message, so that no link can put another text on the page.
    """
    result = params.get_parameter("said")
    return PageData(FindOrderContent(RESULT_MESSAGES.get(result, ""), result == "sent"), build_meta())


def build_meta() -> DocumentMeta:
    """Return the status and head of the document, which are the same for all visitors."""
    return DocumentMeta(TITLE, LEAD, canonical=absolute_url(FIND_ORDER))


class FindOrderState(PageState, rx.State):
    """State of the page to find an order."""

    content: rx.Field[FindOrderContent] = rx.field(default_factory=FindOrderContent)
    meta: rx.Field[DocumentMeta] = rx.field(default_factory=lambda: DocumentMeta(TITLE, LEAD))

    async def _data(self, params: PageParams) -> PageData[FindOrderContent]:
        return await load(params)


def page() -> rx.Component:
    """Build the whole page."""
    content = FindOrderState.content
    kind = rx.cond(content.is_good, "account-form__said account-form__said--good", "account-form__said")
    shape = rx.cond(content.is_good, icon("check", size=20), icon("warning", size=20))
    return card_page(
        TITLE,
        rx.el.p(LEAD, class_name="account-card__lead"),
        rx.cond(content.message != "", rx.el.p(shape, content.message, class_name=kind, role="status")),
        http_form(
            account_field(
                "number",
                _("Número del pedido"),
                "off",
                ANSWER,
                "buscar",
                input_mode="numeric",
                hint=_("Está en los correos que te enviamos."),
            ),
            account_field("email", _("Correo electrónico"), "email", ANSWER, "buscar", kind="email"),
            action=ACTION,
            without_scripts=WITHOUT_SCRIPTS,
            done=SENT,
            submit=_("Enviarme el enlace"),
            busy=_("Enviando…"),
            test_id="find-order",
        ),
        rx.el.p(
            _("¿Compraste con tu cuenta? "),
            rx.el.a(_("Mira tus pedidos"), href=ACCOUNT),
            class_name="account-card__more",
        ),
    )
