"""Notices that a sold-out product is available again: the form, and the pages to which the links in the e-mails lead.

The page `/unsubscribe` also ends offers, for the link in the reminder of an abandoned cart.

Opening such a page changes nothing, because programs open links too. Only its button changes something. The pages
work without scripts.
"""

from dataclasses import dataclass

import reflex as rx

from backend.cart_reminders.unsubscribing import OFFERS
from backend.core.error_texts import CHECK_FIELDS, PRODUCT_GONE, TOO_MANY
from backend.core.texts import _
from storefront.components.forms import NATIVE_SUBMIT
from storefront.components.http_forms import ANSWER, http_form
from storefront.components.variant_picker import CHOSEN, SHOWN_VARIANT
from storefront.links import CATALOG
from storefront.meta import NOINDEX, DocumentMeta
from storefront.pages.account.forms import account_field, problem_text
from storefront.pages.account.sign_in import card_page
from storefront.pages.page_loader import PageData, PageParams, PageState

ACTION = "/api/stock-notices"
CONSENT = _("Autorizo que usen mi correo para avisarme una sola vez de este producto. Después se borra.")
SENT = _("Te escribimos a ese correo: sigue el enlace para confirmar, y te avisamos una sola vez.")
RESULT_MESSAGES = {
    "sent": SENT,
    "check": CHECK_FIELDS,
    "wait": f"{PRODUCT_GONE} {TOO_MANY}",
    "confirmed": _("Listo: te escribimos apenas llegue, una sola vez."),
    "forgotten": _("Borramos tu correo: no te escribiremos sobre este producto."),
    "unsubscribed": _("Listo: no te escribimos más con noticias ni ofertas."),
    "invalid": _("Este enlace no sirve. Sigue el enlace del correo."),
    "gone": _("Este enlace ya no sirve: el aviso se envió o se borró."),
}
"""Messages after a click on the page's button, by the value of the URL's parameter `said`.

The URL contains only the key of a known message, so that it cannot put other text on the page.
"""
QUESTIONS = {
    "confirm": (
        _("Te escribimos una sola vez, cuando el producto se pueda comprar otra vez."),
        _("Sí, avísame"),
        f"{ACTION}/confirm",
    ),
    "forget": (_("Borramos tu correo y no te avisamos."), _("Borrar mi correo"), f"{ACTION}/forget"),
    OFFERS: (
        _("No te escribimos más con noticias ni ofertas. Los correos de tus pedidos te siguen llegando."),
        _("No recibir más"),
        "/api/cart-reminders/unsubscribe",
    ),
}
"""Question, button and the form's address, by the purpose of the link."""
CONFIRM_TITLE, UNSUBSCRIBE_TITLE = _("Avísame cuando llegue"), _("No quiero este aviso")
OFFERS_TITLE = _("Noticias y ofertas")


@dataclass(frozen=True, slots=True)
class NoticePage:
    """Content of the page that an e-mail's link opens: a question with a button, or the result of the click.

    `has_form` is True if the button is displayed.
    """

    title: str = CONFIRM_TITLE
    message: str = ""
    has_form: bool = False
    question: str = ""
    button: str = ""
    action: str = ""
    id: str = ""
    token: str = ""


async def load(params: PageParams) -> PageData[NoticePage]:
    """Read the page of a link in an e-mail. The link is validated only when the button is clicked."""
    is_unsubscribe = params.path.rstrip("/").endswith("/unsubscribe")
    title = UNSUBSCRIBE_TITLE if is_unsubscribe else CONFIRM_TITLE
    notice_id, token = params.get_parameter("id"), params.get_parameter("token")
    result = RESULT_MESSAGES.get(params.get_parameter("said"), "")
    purpose = "forget" if is_unsubscribe else "confirm"
    if is_unsubscribe and params.get_parameter("about") == OFFERS:
        purpose, title = OFFERS, OFFERS_TITLE
    question, button, action = QUESTIONS[purpose]
    page = NoticePage(
        title=title,
        message=result
        or (_("A esta dirección le falta una parte. Sigue el enlace del correo.") if not token else ""),
        has_form=bool(token) and not result,
        question=question,
        button=button,
        action=action,
        id=notice_id,
        token=token,
    )
    return PageData(page, DocumentMeta(title, robots=NOINDEX))


class NoticeState(PageState, rx.State):
    """State of the page of an e-mail's link."""

    content: rx.Field[NoticePage] = rx.field(default_factory=NoticePage)
    meta: rx.Field[DocumentMeta] = rx.field(
        default_factory=lambda: DocumentMeta(CONFIRM_TITLE, robots=NOINDEX)
    )

    async def _data(self, params: PageParams) -> PageData[NoticePage]:
        return await load(params)


def page() -> rx.Component:
    """Build the whole page."""
    content = NoticeState.content
    return card_page(
        content.title,
        rx.cond(
            content.message != "", rx.el.p(content.message, class_name="account-card__lead", role="status")
        ),
        rx.cond(
            content.has_form,
            rx.el.form(
                rx.el.p(content.question, class_name="account-card__lead"),
                rx.el.input(type="hidden", name="id", value=content.id, read_only=True),
                rx.el.input(type="hidden", name="token", value=content.token, read_only=True),
                rx.el.button(
                    content.button,
                    type="submit",
                    class_name="button button--primary",
                    data_testid="notice-answer",
                ),
                action=content.action,
                method="post",
                special_props=[NATIVE_SUBMIT],
                class_name="account-form",
            ),
        ),
        rx.el.p(
            rx.el.a(_("Ver el catálogo"), href=CATALOG),
            class_name="account-card__more",
        ),
    )


def stock_notice_form() -> rx.Component:
    """Build the form for a sold-out variant. It is hidden if the variant can be bought or does not exist."""
    consent = "aviso-consent"
    form = http_form(
        rx.el.h2(_("Avísame cuando llegue"), class_name="notify__title"),
        rx.el.input(type="hidden", name="variant_id", value=SHOWN_VARIANT.id, read_only=True),
        account_field("email", _("Correo electrónico"), "email", ANSWER, "aviso", kind="email"),
        rx.el.div(
            rx.el.label(
                rx.el.input(
                    type="checkbox",
                    name="consent",
                    id=consent,
                    custom_attrs={"aria-describedby": f"{consent}-problem"},
                ),
                rx.el.span(CONSENT),
                class_name="notify__consent",
            ),
            rx.el.p(
                problem_text(ANSWER, "consent"),
                id=rx.Var.create(f"{consent}-problem"),
                class_name="field__problem",
            ),
            class_name="field",
        ),
        action=ACTION,
        without_scripts=f"{ACTION}/form",
        done=SENT,
        submit=_("Avísame"),
        busy=_("Enviando…"),
        test_id="notify-me",
    )
    return rx.cond(
        ~SHOWN_VARIANT.available & ~CHOSEN.is_missing.to(bool), rx.el.div(form, class_name="notify")
    )
