"""PQRS: the form by which anybody asks something of the shop, and the page that says how that stands."""

from dataclasses import dataclass

import reflex as rx

from backend.app import current_shop
from backend.core.dates import date_label, last_day, time_label
from backend.core.error_texts import CHECK_FIELDS, TOO_MANY_PQRS
from backend.core.errors import NotFound
from backend.core.texts import _
from backend.legal.texts import LegalKind
from backend.pqrs.models import KIND_NAMES, Pqrs, PqrsKind
from backend.pqrs.service import LONGEST_TEXT, PQRS_LINK, read_pqrs
from storefront.components.forms import field_box, select_field
from storefront.components.frame import framed
from storefront.components.http_forms import ANSWER, http_form
from storefront.components.icons import icon
from storefront.components.placeholders import bar, link_button, not_found, until
from storefront.links import PQRS, legal_path, sic_link
from storefront.meta import NOINDEX, DocumentMeta, absolute
from storefront.pages.account.forms import account_field, problem_in
from storefront.pages.account.sign_in import card
from storefront.pages.page_loader import PageData, PageParams, PageState
from storefront.reflex_ext.hooks import ABSENT, address_part

TITLE = _("Peticiones, quejas, reclamos y sugerencias")
LEAD = _(
    "Escríbenos. Te damos un número de radicado y te respondemos por correo: una petición en máximo 10 días "
    "hábiles, lo demás en máximo 15, casi siempre mucho antes."
)
SAID = {"check": CHECK_FIELDS, "wait": TOO_MANY_PQRS}
"""What came of a form that was sent without scripts, by the parameter `said`."""
ACTION = "/api/pqrs"
WITHOUT_SCRIPTS = f"{ACTION}/form"
FORM = "pqrs"
PQRS_ID = "id"
UNKNOWN = _("No encontramos este radicado")
STATE_TITLE = _("Tu mensaje")


@dataclass(frozen=True, slots=True)
class PqrsPage:
    """What is said above the form, where there is something."""

    message: str = ""


async def load(params: PageParams) -> PageData[PqrsPage]:
    """A form, and what came of it in a browser without scripts: a page says nothing that its address makes up."""
    return PageData(PqrsPage(SAID.get(params.asked("said"), "")), meta_of())


def meta_of() -> DocumentMeta:
    """The document is the same for everybody."""
    return DocumentMeta(TITLE, LEAD, canonical=absolute(PQRS))


class PqrsState(PageState, rx.State):
    """The form's page."""

    content: rx.Field[PqrsPage] = rx.field(default_factory=PqrsPage)
    meta: rx.Field[DocumentMeta] = rx.field(default_factory=lambda: DocumentMeta(TITLE, LEAD))

    async def _data(self, params: PageParams) -> PageData[PqrsPage]:
        return await load(params)


def page() -> rx.Component:
    """The whole page."""
    said = PqrsState.content.message
    return card(
        TITLE,
        rx.el.p(LEAD, class_name="account-card__lead"),
        rx.cond(
            said != "",
            rx.el.p(icon("warning", size=20), said, class_name="account-form__said", role="status"),
        ),
        http_form(
            kinds(),
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
            message(),
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
        rx.el.p(_("También puedes acudir a la "), sic_link(), ".", class_name="account-card__more"),
    )


def kinds() -> rx.Component:
    """What it is."""
    options = [rx.el.option(label, value=kind.value) for kind, label in KIND_NAMES.items()]
    return select_field(
        _("¿Qué es?"),
        [rx.el.option(_("Elige"), value=""), *options],
        element_id=f"{FORM}-kind",
        problem=problem_in(ANSWER, "kind"),
        live="",
        name="kind",
        default_value="",
    )


def message() -> rx.Component:
    """What somebody wants to say."""
    element_id, problem = f"{FORM}-text", problem_in(ANSWER, "text")
    area = rx.el.textarea(
        id=rx.Var.create(element_id),
        name="text",
        rows="6",
        max_length=LONGEST_TEXT,
        class_name="field__input pqrs__text",
        custom_attrs={
            "aria-required": "true",
            "aria-invalid": rx.cond(problem, "true", ABSENT),
            "aria-describedby": rx.cond(problem, f"{element_id}-problem", ABSENT),
        },
    )
    return field_box(_("Cuéntanos"), area, element_id=element_id, problem=problem, live="")


# ------------------------------------------------------------------------------------------------- how it stands


@dataclass(frozen=True, slots=True)
class PqrsView:
    """What was asked, and how it stands. `id` is the address's; `number` is empty where that leads to nothing."""

    id: str = ""
    number: str = ""
    kind: str = ""
    asked: str = ""
    due: str = ""
    text: str = ""
    answer: str = ""
    answered: str = ""


async def load_state(params: PageParams) -> PageData[PqrsView]:
    """What was asked, for whoever holds its signed link."""
    shop, pqrs_id = current_shop(), params.tail
    try:
        PQRS_LINK.require(shop.settings.signing_key, pqrs_id, params.asked("token"))
        async with shop.database.read() as session:
            shown = view_of(await read_pqrs(session, pqrs_id))
    except NotFound:
        return PageData(PqrsView(pqrs_id), DocumentMeta(title=UNKNOWN, status=404, robots=NOINDEX))
    title = _("Radicado {number}").format(number=shown.number)
    return PageData(shown, DocumentMeta(title=title, robots=NOINDEX))


def view_of(row: Pqrs) -> PqrsView:
    """What was asked as its page shows it."""
    return PqrsView(
        id=row.id,
        number=str(row.number),
        kind=KIND_NAMES[PqrsKind(row.kind)],
        asked=time_label(row.asked_at),
        due=date_label(last_day(row.due_at)),
        text=row.text,
        answer=row.answer,
        answered=time_label(row.answered_at) if row.answered_at else "",
    )


class PqrsStatus(PageState, rx.State):
    """How one thing that was asked stands."""

    content: rx.Field[PqrsView] = rx.field(default_factory=PqrsView)
    meta: rx.Field[DocumentMeta] = rx.field(default_factory=lambda: DocumentMeta(title=STATE_TITLE))

    async def _data(self, params: PageParams) -> PageData[PqrsView]:
        return await load_state(params)


ROW = PqrsStatus.content


def status_page() -> rx.Component:
    """The whole page. It shows nothing before it is known who asks, and nothing of another link."""
    skeleton = rx.el.div(bar("60%", "2rem"), bar("100%", "12rem"), aria_hidden="true")
    unknown = not_found(UNKNOWN, _("Revisa que el enlace esté completo, como llegó a tu correo."))
    shown = rx.cond(ROW.number != "", status(), unknown)
    return framed(
        until(
            PqrsStatus.is_ready & (ROW.id == address_part(PQRS_ID)),
            PqrsStatus.has_failed,
            PqrsStatus.load,
            skeleton,
            shown,
        ),
        class_name="main--account",
    )


def status() -> rx.Component:
    """What was asked, and the answer or until when it comes."""
    return rx.el.div(
        rx.el.h1(_("Radicado "), ROW.number, class_name="page-title", data_testid="pqrs-number"),
        rx.el.p(ROW.kind, " · ", ROW.asked, class_name="account__soft"),
        rx.cond(
            ROW.answered != "",
            rx.el.section(
                rx.el.h2(_("Nuestra respuesta"), class_name="account__heading"),
                rx.el.p(ROW.answer, class_name="pqrs__words", data_testid="pqrs-answer"),
                rx.el.p(ROW.answered, class_name="account__soft"),
            ),
            rx.el.p(
                icon("check", size=20),
                rx.el.span(_("Recibido. Te respondemos por correo a más tardar el "), ROW.due, "."),
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
