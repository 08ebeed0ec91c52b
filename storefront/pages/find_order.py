"""Finding an order again: by its number and its e-mail address, where the link to it is mailed."""

from dataclasses import dataclass

import reflex as rx

from backend.core.error_texts import CHECK_FIELDS, TOO_MANY
from backend.core.texts import _
from storefront.components.http_forms import ANSWER, http_form
from storefront.components.icons import icon
from storefront.links import ACCOUNT, FIND_ORDER
from storefront.meta import DocumentMeta, absolute
from storefront.pages.account.forms import account_field
from storefront.pages.account.sign_in import card
from storefront.pages.page_loader import PageData, PageParams, PageState

TITLE = _("Encuentra tu pedido")
LEAD = _(
    "Escribe el número de tu pedido y el correo con el que compraste. Te enviamos ahí el enlace para verlo."
)
SENT = _("Si hay un pedido con ese número y ese correo, su enlace ya va en camino a tu correo.")
SAID = {"sent": SENT, "check": CHECK_FIELDS, "wait": TOO_MANY}
"""What came of a form that was sent without scripts, by the parameter `said`."""
ACTION = "/api/order-link"
WITHOUT_SCRIPTS = f"{ACTION}/form"


@dataclass(frozen=True, slots=True)
class FindOrder:
    """What is said above the form, where there is something."""

    message: str = ""
    is_good: bool = True


async def load(params: PageParams) -> PageData[FindOrder]:
    """A form, and what came of it in a browser without scripts: a page says nothing that its address makes up."""
    said = params.asked("said")
    return PageData(FindOrder(SAID.get(said, ""), said == "sent"), meta_of())


def meta_of() -> DocumentMeta:
    """The document is the same for everybody."""
    return DocumentMeta(TITLE, LEAD, canonical=absolute(FIND_ORDER))


class FindOrderState(PageState, rx.State):
    """The form's page."""

    content: rx.Field[FindOrder] = rx.field(default_factory=FindOrder)
    meta: rx.Field[DocumentMeta] = rx.field(default_factory=lambda: DocumentMeta(TITLE, LEAD))

    async def _data(self, params: PageParams) -> PageData[FindOrder]:
        return await load(params)


def page() -> rx.Component:
    """The whole page."""
    said = FindOrderState.content
    kind = rx.cond(said.is_good, "account-form__said account-form__said--good", "account-form__said")
    shape = rx.cond(said.is_good, icon("check", size=20), icon("warning", size=20))
    return card(
        TITLE,
        rx.el.p(LEAD, class_name="account-card__lead"),
        rx.cond(said.message != "", rx.el.p(shape, said.message, class_name=kind, role="status")),
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
