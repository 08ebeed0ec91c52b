"""`/review/{line}`: a buyer says what a toy is like, by the signed link of a mail.

The form carries pictures and needs no script. What was written is kept whatever becomes of
the pictures, and may be changed here until the shop has read it.
"""

from dataclasses import dataclass, field
from typing import Any

import reflex as rx

from backend.app import current_shop
from backend.catalog.views import PictureView
from backend.core.dates import date_label
from backend.core.errors import NotFound
from backend.core.texts import _
from backend.legal.texts import LegalKind
from backend.reviews.models import ReviewState
from backend.reviews.reviewable_products import line_with_order, shown_name, toy_of_line
from backend.reviews.routes import SAID, WRITE
from backend.reviews.submission import LONGEST_TEXT, MOST_PICTURES, SHORTEST_TEXT, STARS, review_of
from backend.reviews.tokens import REVIEW_LINK
from backend.reviews.views import review_pictures
from storefront.components.forms import NO_PROBLEM, field_box, pictures_field
from storefront.components.frame import framed
from storefront.components.http_forms import file_form
from storefront.components.icons import icon
from storefront.components.placeholders import bar, link_button, not_found, until
from storefront.components.reviews import NAME, picture_links
from storefront.links import legal_path, to_product
from storefront.meta import NOINDEX, DocumentMeta
from storefront.pages.page_loader import PageData, PageParams, PageState
from storefront.reflex_ext.hooks import address_part

LINE_ID = "id"
TITLE = _("Tu reseña")
UNKNOWN = _("Este enlace no abre ninguna reseña")
OPEN, SHOWN, REFUSED, CLOSED = "open", "shown", "refused", "closed"
"""What the page shows: a form, what became of the review, or that it is too late."""
GOOD = frozenset({"saved"})
WORDS = (_("Muy malo"), _("Malo"), _("Pasable"), _("Bueno"), _("Excelente"))


@dataclass(frozen=True, slots=True)
class ReviewPage:
    """The page of a link. Without a `mode` the link leads to nothing.

    Attributes:
        line: the id in the link, of an order's line.
        mode: `OPEN`, `SHOWN`, `REFUSED` or `CLOSED`.
        action: where the form is sent to.
        stars, text, pictures: what was written; empty before.
        until: the last day of the form.
    """

    line: str = ""
    mode: str = ""
    toy: str = ""
    handle: str = ""
    name: str = ""
    action: str = ""
    stars: str = ""
    text: str = ""
    pictures: list[PictureView] = field(default_factory=list)
    refusal: str = ""
    until: str = ""
    said: str = ""
    is_good: bool = False


async def load(params: PageParams) -> PageData[ReviewPage]:
    """The page, for whoever holds its link."""
    shop, line_id = current_shop(), params.tail
    try:
        REVIEW_LINK.require(shop.settings.signing_key, line_id, params.asked("token"))
        content = await _content(line_id, params.asked("said"))
    except NotFound:
        return PageData(ReviewPage(line_id), DocumentMeta(title=UNKNOWN, status=404, robots=NOINDEX))
    return PageData(content, DocumentMeta(title=TITLE, robots=NOINDEX))


async def _content(line_id: str, said: str) -> ReviewPage:
    shop = current_shop()
    async with shop.database.read() as session:
        line, order = await line_with_order(session, line_id)
        toy = await toy_of_line(session, order, line)
        row = await review_of(session, order.id, line.product_id)
        name = row.name if row else shown_name(order)
    if row is not None and row.state != ReviewState.WAITING:
        mode = SHOWN if row.state == ReviewState.SHOWN else REFUSED
    else:
        mode = OPEN if toy else CLOSED
    return ReviewPage(
        line=line_id,
        mode=mode,
        toy=line.title,
        handle=toy.handle if toy else line.product_handle,
        name=name,
        action=f"{WRITE}?id={line_id}&token={REVIEW_LINK.token(shop.settings.signing_key, line_id)}",
        stars=str(row.stars) if row else "",
        text=row.text if row else "",
        pictures=review_pictures(row.pictures) if row else [],
        refusal=row.refusal if row else "",
        until=date_label(toy.until) if toy else "",
        said=SAID.get(said, ""),
        is_good=said in GOOD,
    )


class ReviewPageState(PageState, rx.State):
    """The page of a review's link."""

    content: rx.Field[ReviewPage] = rx.field(default_factory=ReviewPage)
    meta: rx.Field[DocumentMeta] = rx.field(default_factory=lambda: DocumentMeta(title=TITLE))

    async def _data(self, params: PageParams) -> PageData[ReviewPage]:
        return await load(params)


SHOWN_PAGE = ReviewPageState.content


def page() -> rx.Component:
    """The whole page. It shows nothing before it is known who asks, and nothing of another link."""
    skeleton = rx.el.div(bar("60%", "2rem"), bar("100%", "16rem"), aria_hidden="true")
    unknown = not_found(UNKNOWN, _("Revisa que el enlace esté completo, como llegó a tu correo."))
    return framed(
        until(
            ReviewPageState.is_ready & (SHOWN_PAGE.line == address_part(LINE_ID)),
            ReviewPageState.has_failed,
            ReviewPageState.load,
            skeleton,
            rx.cond(SHOWN_PAGE.mode != "", _known(), unknown),
        ),
        class_name="main--account",
    )


def _known() -> rx.Component:
    one = SHOWN_PAGE
    shown = _note(
        _("Tu reseña ya está en la página del juguete. ¡Gracias!"),
        link_button(_("Ver las reseñas"), f"{to_product(one.handle)}#{NAME}", "primary"),
    )
    refused = _note(_("No publicamos tu reseña:"), rx.el.p(one.refusal, class_name="reviews__text"))
    closed = _note(
        _("Ya no se puede opinar con este enlace: pasó su plazo, o el juguete no quedó en tu pedido."),
        link_button(_("Ir al inicio"), "/", "quiet"),
    )
    return rx.el.div(
        rx.el.h1(_("¿Qué tal salió?"), class_name="page-title"),
        rx.el.p(rx.el.b(one.toy), class_name="account-card__lead"),
        rx.cond(
            (one.said != "") & (one.mode == OPEN),
            rx.el.p(
                icon("check", size=20),
                one.said,
                role="status",
                class_name=rx.cond(
                    one.is_good, "account-form__said account-form__said--good", "account-form__said"
                ),
                data_testid="review-said",
            ),
        ),
        rx.match(one.mode, (OPEN, _form()), (SHOWN, shown), (REFUSED, refused), closed),
        class_name="account-card",
    )


def _note(text: str, *more: rx.Component) -> rx.Component:
    return rx.el.div(rx.el.p(text), *more, class_name="account-form")


def _form() -> rx.Component:
    one = SHOWN_PAGE
    return file_form(
        rx.el.fieldset(
            rx.el.legend(_("¿Cuántas estrellas le das?")),
            *(_star(value, words) for value, words in zip(STARS, WORDS, strict=True)),
            class_name="review__stars",
        ),
        _text(),
        rx.cond(
            one.pictures.length() > 0,
            rx.el.div(
                rx.el.p(_("Tus fotos. Si envías otras, quedan en su lugar."), class_name="review__words"),
                picture_links(one.pictures),
            ),
        ),
        pictures_field("review-pictures", MOST_PICTURES),
        rx.el.label(
            rx.el.input(type="checkbox", name="consent", required=True),
            rx.el.span(
                _("Autorizo que la publiquen firmada así: "),
                rx.el.b(one.name),
                _(" (se borra cuando lo pida, según la "),
                rx.el.a(_("política de tratamiento de datos"), href=legal_path(LegalKind.DATA)),
                ").",
            ),
            class_name="notify__consent",
        ),
        action=one.action,
        submit=rx.cond(one.stars != "", _("Guardar los cambios"), _("Enviar mi reseña")),
        look="primary",
        test_id="review-send",
        after=rx.el.p(
            _(
                "La leemos antes de publicarla; hasta entonces la puedes cambiar aquí. El enlace sirve hasta el "
            ),
            one.until,
            ".",
            class_name="review__words",
        ),
        class_name="account-form",
        key=one.action,  # what is typed stays with its link
    )


def _star(value: str, words: str) -> rx.Component:
    return rx.el.label(
        rx.el.input(
            type="radio",
            name="stars",
            value=value,
            required=True,
            default_checked=SHOWN_PAGE.stars == value,
        ),
        rx.el.span(value, " ★", class_name="choice__value"),
        rx.el.span(words, class_name="choice__note"),
        class_name="choice",
    )


def _text() -> rx.Component:
    element_id = "review-text"
    attributes: dict[str, Any] = {"minLength": SHORTEST_TEXT}
    area = rx.el.textarea(
        id=element_id,
        name="text",
        rows="6",
        max_length=LONGEST_TEXT,
        required=True,
        default_value=SHOWN_PAGE.text,
        class_name="field__input pqrs__text",
        custom_attrs=attributes,
    )
    return field_box(
        _("Cuéntales a otras familias"),
        area,
        element_id=element_id,
        problem=NO_PROBLEM,
        hint=_("¿Es como lo esperabas? ¿A quién le gustó? ¿Cómo aguanta?"),
        live="",
    )
