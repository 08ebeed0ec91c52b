"""PQRS: the form for petitions, complaints and claims, and the page with the status of a sent message."""

from dataclasses import dataclass

import reflex as rx

from backend.app import current_shop
from backend.core.dates import date_label, last_day, time_label
from backend.core.error_texts import CHECK_FIELDS, TOO_MANY_PQRS
from backend.core.errors import NotFound
from backend.core.texts import _
from backend.legal.texts import LegalKind
from backend.pqrs.models import KIND_NAMES, Pqrs, PqrsKind
from backend.pqrs.service import MAX_TEXT_LENGTH, PQRS_LINK, read_pqrs
from storefront.components.forms import field_box, select_field
from storefront.components.frame import page_frame
from storefront.components.http_forms import ANSWER, http_form
from storefront.components.icons import icon
from storefront.components.placeholders import link_button, loaded_content, not_found_state, skeleton_bar
from storefront.links import PQRS, legal_path, sic_link
from storefront.meta import NOINDEX, DocumentMeta, absolute_url
from storefront.pages.account.forms import account_field, problem_text
from storefront.pages.account.sign_in import card_page
from storefront.pages.page_loader import PageData, PageParams, PageState
from storefront.reflex_ext.hooks import ABSENT, address_part

TITLE = _("Peticiones, quejas, reclamos y sugerencias")
LEAD = _(
    "Escríbenos. Te damos un número de radicado y te respondemos por correo: una petición en máximo 10 días "
    "hábiles, lo demás en máximo 15, casi siempre mucho antes."
)
RESULT_MESSAGES = {"check": CHECK_FIELDS, "wait": TOO_MANY_PQRS}
"""Messages about a form that was submitted without scripts, by the value of the URL's parameter `said`."""
ACTION = "/api/pqrs"
WITHOUT_SCRIPTS = f"{ACTION}/form"
FORM = "pqrs"
PQRS_ID = "id"
UNKNOWN = _("No encontramos este radicado")
STATUS_TITLE = _("Tu mensaje")


@dataclass(frozen=True, slots=True)
class PqrsPage:
    """Content of the page: the message above the form, or empty."""

    message: str = ""


async def load(params: PageParams) -> PageData[PqrsPage]:
    """Return the message about the form, if a browser without scripts has just submitted it.

    The URL contains only a key of a known message, so that no link can put another text on the page.
    """
    return PageData(PqrsPage(RESULT_MESSAGES.get(params.get_parameter("said"), "")), build_meta())


def build_meta() -> DocumentMeta:
    """Return the status and head of the document, which are the same for all visitors."""
    return DocumentMeta(TITLE, LEAD, canonical=absolute_url(PQRS))


class PqrsState(PageState, rx.State):
    """State of the page with the PQRS form."""

    content: rx.Field[PqrsPage] = rx.field(default_factory=PqrsPage)
    meta: rx.Field[DocumentMeta] = rx.field(default_factory=lambda: DocumentMeta(TITLE, LEAD))

    async def _data(self, params: PageParams) -> PageData[PqrsPage]:
        return await load(params)


def page() -> rx.Component:
    """Build the whole page."""
    result = PqrsState.content.message
    return card_page(
        TITLE,
        rx.el.p(LEAD, class_name="account-card__lead"),
        rx.cond(
            result != "",
            rx.el.p(icon("warning", size=20), result, class_name="account-form__said", role="status"),
        ),
        http_form(
            kind_select(),
            account_field("name", _("Nombre"), "name", ANSWER, FORM),
            account_field("email", _("Correo electrónico"), "email", ANSWER, FORM, kind="email"),
            account_field(
                "order_number",
                _("Número del pedido"),
                "off",
                ANSWER,
                FORM,
                is_optional=True,
                input_mode="numeric",
            ),
            message_field(),
            rx.el.p(
                _("Usamos estos datos solo para responderte, según la "),
                rx.el.a(_("política de tratamiento de datos"), href=legal_path(LegalKind.DATA)),
                ".",
                class_name="field__hint",
            ),
            action=ACTION,
            without_scripts=WITHOUT_SCRIPTS,
            leads_to=PQRS,
            submit=_("Enviar"),
            busy=_("Enviando…"),
            test_id="pqrs-send",
        ),
        rx.el.p(_("También puedes acudir a la "), sic_link(), class_name="account-card__more"),
    )


def kind_select() -> rx.Component:
    """Build the select element of the kind of message."""
    options = [rx.el.option(label, value=kind.value) for kind, label in KIND_NAMES.items()]
    return select_field(
        _("¿Qué es?"),
        [rx.el.option(_("Elige"), value=""), *options],
        element_id=f"{FORM}-kind",
        problem=problem_text(ANSWER, "kind"),
        live="",
        name="kind",
        default_value="",
    )


def message_field() -> rx.Component:
    """Build the text area of the message."""
    element_id, problem = f"{FORM}-text", problem_text(ANSWER, "text")
    area = rx.el.textarea(
        id=rx.Var.create(element_id),
        name="text",
        rows="6",
        max_length=MAX_TEXT_LENGTH,
        class_name="field__input pqrs__text",
        custom_attrs={
            "aria-required": "true",
            "aria-invalid": rx.cond(problem, "true", ABSENT),
            "aria-describedby": rx.cond(problem, f"{element_id}-problem", ABSENT),
        },
    )
    return field_box(_("Cuéntanos"), area, element_id=element_id, problem=problem, live="")


# ------------------------------------------------------------------------------------------------- status page


@dataclass(frozen=True, slots=True)
class PqrsView:
    """A customer's PQRS message and its status. `id` is from the URL; `number` is empty if no message has this id."""

    id: str = ""
    number: str = ""
    kind: str = ""
    asked_label: str = ""
    due_label: str = ""
    text: str = ""
    answer: str = ""
    answered_label: str = ""


async def load_status(params: PageParams) -> PageData[PqrsView]:
    """Read the PQRS message of a signed link. An invalid link gets an empty page with status 404."""
    shop, pqrs_id = current_shop(), params.last_part
    try:
        PQRS_LINK.require(shop.settings.signing_key, pqrs_id, params.get_parameter("token"))
        async with shop.database.read() as session:
            shown = to_pqrs_view(await read_pqrs(session, pqrs_id))
    except NotFound:
        return PageData(PqrsView(pqrs_id), DocumentMeta(title=UNKNOWN, status=404, robots=NOINDEX))
    title = _("Radicado {number}").format(number=shown.number)
    return PageData(shown, DocumentMeta(title=title, robots=NOINDEX))


def to_pqrs_view(row: Pqrs) -> PqrsView:
    """Convert a message for its status page."""
    return PqrsView(
        id=row.id,
        number=str(row.number),
        kind=KIND_NAMES[PqrsKind(row.kind)],
        asked_label=time_label(row.asked_at),
        due_label=date_label(last_day(row.due_at)),
        text=row.text,
        answer=row.answer,
        answered_label=time_label(row.answered_at) if row.answered_at else "",
    )


class PqrsStatusState(PageState, rx.State):
    """State of the status page of one message."""

    content: rx.Field[PqrsView] = rx.field(default_factory=PqrsView)
    meta: rx.Field[DocumentMeta] = rx.field(default_factory=lambda: DocumentMeta(title=STATUS_TITLE))

    async def _data(self, params: PageParams) -> PageData[PqrsView]:
        return await load_status(params)


ROW = PqrsStatusState.content


def status_page() -> rx.Component:
    """Build the status page. Until the link is checked it displays nothing, and never the message of another link."""
    skeleton = rx.el.div(skeleton_bar("60%", "2rem"), skeleton_bar("100%", "12rem"), aria_hidden="true")
    unknown = not_found_state(UNKNOWN, _("Revisa que el enlace esté completo, como llegó a tu correo."))
    shown = rx.cond(ROW.number != "", status_card(), unknown)
    return page_frame(
        loaded_content(
            PqrsStatusState.is_ready & (ROW.id == address_part(PQRS_ID)),
            PqrsStatusState.has_failed,
            PqrsStatusState.load,
            skeleton,
            shown,
        ),
        class_name="main--account",
    )


def status_card() -> rx.Component:
    """Build the message with the shop's answer, or with the date by which the shop will answer."""
    return rx.el.div(
        rx.el.h1(_("Radicado "), ROW.number, class_name="page-title", data_testid="pqrs-number"),
        rx.el.p(ROW.kind, " · ", ROW.asked_label, class_name="account__soft"),
        rx.cond(
            ROW.answered_label != "",
            rx.el.section(
                rx.el.h2(_("Nuestra respuesta"), class_name="account__heading"),
                rx.el.p(ROW.answer, class_name="pqrs__words", data_testid="pqrs-answer"),
                rx.el.p(ROW.answered_label, class_name="account__soft"),
            ),
            rx.el.p(
                icon("check", size=20),
                rx.el.span(_("Recibido. Te respondemos por correo a más tardar el "), ROW.due_label, "."),
                class_name="account-form__said account-form__said--good",
                data_testid="pqrs-due",
            ),
        ),
        rx.el.section(
            rx.el.h2(_("Lo que escribiste"), class_name="account__heading"),
            rx.el.p(ROW.text, class_name="pqrs__words"),
        ),
        link_button(_("Volver a la tienda"), "/", "quiet"),
        class_name="account-card",
    )
