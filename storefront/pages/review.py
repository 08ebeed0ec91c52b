"""`/review/{line}`: a customer reviews a product. The signed link is in an e-mail.

The form accepts pictures and needs no script. The text is saved even if a picture is rejected. The customer can
change it here until the shop has moderated it.
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
from backend.reviews.reviewable_products import find_reviewable_product, format_reviewer_name, line_with_order
from backend.reviews.routes import MESSAGES, WRITE
from backend.reviews.submission import MAX_PICTURES, MAX_TEXT_LENGTH, MIN_TEXT_LENGTH, STARS, find_review
from backend.reviews.tokens import REVIEW_LINK
from backend.reviews.views import review_pictures
from storefront.components.forms import NO_PROBLEM, field_box
from storefront.components.frame import page_frame
from storefront.components.http_forms import file_form, pictures_field
from storefront.components.icons import icon
from storefront.components.placeholders import link_button, loaded_content, not_found_state, skeleton_bar
from storefront.components.reviews import REVIEWS_ID, picture_links
from storefront.links import legal_path, product_href
from storefront.meta import NOINDEX, DocumentMeta
from storefront.pages.page_loader import PageData, PageParams, PageState
from storefront.reflex_ext.hooks import address_part

LINE_ID = "id"
TITLE = _("Tu reseña")
UNKNOWN = _("Este enlace no abre ninguna reseña")
OPEN, SHOWN, REFUSED, CLOSED = "open", "shown", "refused", "closed"
"""Modes of the page: the form, the moderated review (published or refused), or a link that has expired."""
GOOD_RESULTS = frozenset({"saved"})
STAR_LABELS = (_("Muy malo"), _("Malo"), _("Pasable"), _("Bueno"), _("Excelente"))


@dataclass(frozen=True, slots=True)
class ReviewPage:
    """The review page of a link. `mode` is empty if the link is invalid.

    Attributes:
        line: id of the order line in the link.
        mode: `OPEN`, `SHOWN`, `REFUSED` or `CLOSED`.
        action: the URL that receives the form.
        stars, text, pictures: the saved review; empty if there is none.
        until: the final day on which the form can be submitted.
    """

    line: str = ""
    mode: str = ""
    product: str = ""
    handle: str = ""
    name: str = ""
    action: str = ""
    stars: str = ""
    text: str = ""
    pictures: list[PictureView] = field(default_factory=list)
    refusal: str = ""
    until: str = ""
    result: str = ""
    is_good: bool = False


async def load(params: PageParams) -> PageData[ReviewPage]:
    """Read the review page of a signed link. An invalid link gets an empty page with status 404."""
    shop, line_id = current_shop(), params.last_part
    try:
        REVIEW_LINK.require(shop.settings.signing_key, line_id, params.get_parameter("token"))
        content = await _content(line_id, params.get_parameter("said"))
    except NotFound:
        return PageData(ReviewPage(line_id), DocumentMeta(title=UNKNOWN, status=404, robots=NOINDEX))
    return PageData(content, DocumentMeta(title=TITLE, robots=NOINDEX))


async def _content(line_id: str, result_code: str) -> ReviewPage:
    shop = current_shop()
    async with shop.database.read() as session:
        line, order = await line_with_order(session, line_id)
        product = await find_reviewable_product(session, order, line)
        row = await find_review(session, order.id, line.product_id)
        name = row.name if row else format_reviewer_name(order)
    if row is not None and row.state != ReviewState.WAITING:
        mode = SHOWN if row.state == ReviewState.SHOWN else REFUSED
    else:
        mode = OPEN if product else CLOSED
    return ReviewPage(
        line=line_id,
        mode=mode,
        product=line.title,
        handle=product.handle if product else line.product_handle,
        name=name,
        action=f"{WRITE}?id={line_id}&token={REVIEW_LINK.token(shop.settings.signing_key, line_id)}",
        stars=str(row.stars) if row else "",
        text=row.text if row else "",
        pictures=review_pictures(row.pictures) if row else [],
        refusal=row.refusal if row else "",
        until=date_label(product.until) if product else "",
        result=MESSAGES.get(result_code, ""),
        is_good=result_code in GOOD_RESULTS,
    )


class ReviewPageState(PageState, rx.State):
    """State of a review's page."""

    content: rx.Field[ReviewPage] = rx.field(default_factory=ReviewPage)
    meta: rx.Field[DocumentMeta] = rx.field(default_factory=lambda: DocumentMeta(title=TITLE))

    async def _data(self, params: PageParams) -> PageData[ReviewPage]:
        return await load(params)


SHOWN_PAGE = ReviewPageState.content


def page() -> rx.Component:
    """Build the review page. Until the link is checked it displays nothing, and never the review of another link."""
    skeleton = rx.el.div(skeleton_bar("60%", "2rem"), skeleton_bar("100%", "16rem"), aria_hidden="true")
    unknown = not_found_state(UNKNOWN, _("Revisa que el enlace esté completo, como llegó a tu correo."))
    return page_frame(
        loaded_content(
            ReviewPageState.is_ready & (SHOWN_PAGE.line == address_part(LINE_ID)),
            ReviewPageState.has_failed,
            ReviewPageState.load,
            skeleton,
            rx.cond(SHOWN_PAGE.mode != "", _review_card(), unknown),
        ),
        class_name="main--account",
    )


def _review_card() -> rx.Component:
    review_page = SHOWN_PAGE
    shown = _note(
        _("Tu reseña ya está en la página del producto. ¡Gracias!"),
        link_button(_("Ver las reseñas"), f"{product_href(review_page.handle)}#{REVIEWS_ID}", "primary"),
    )
    refused = _note(_("No publicamos tu reseña:"), rx.el.p(review_page.refusal, class_name="reviews__text"))
    closed = _note(
        _("Ya no se puede opinar con este enlace: pasó su plazo, o el producto no quedó en tu pedido."),
        link_button(_("Ir al inicio"), "/", "quiet"),
    )
    return rx.el.div(
        rx.el.h1(_("¿Qué tal salió?"), class_name="page-title"),
        rx.el.p(rx.el.b(review_page.product), class_name="account-card__lead"),
        rx.cond(
            (review_page.result != "") & (review_page.mode == OPEN),
            rx.el.p(
                icon("check", size=20),
                review_page.result,
                role="status",
                class_name=rx.cond(
                    review_page.is_good, "account-form__said account-form__said--good", "account-form__said"
                ),
                data_testid="review-said",
            ),
        ),
        rx.match(review_page.mode, (OPEN, _form()), (SHOWN, shown), (REFUSED, refused), closed),
        class_name="account-card",
    )


def _note(text: str, *more: rx.Component) -> rx.Component:
    return rx.el.div(rx.el.p(text), *more, class_name="account-form")


def _form() -> rx.Component:
    review_page = SHOWN_PAGE
    return file_form(
        rx.el.fieldset(
            rx.el.legend(_("¿Cuántas estrellas le das?")),
            *(_star(value, words) for value, words in zip(STARS, STAR_LABELS, strict=True)),
            class_name="review__stars",
        ),
        _text(),
        rx.cond(
            review_page.pictures.length() > 0,
            rx.el.div(
                rx.el.p(_("Tus fotos. Si envías otras, quedan en su lugar."), class_name="review__words"),
                picture_links(review_page.pictures),
            ),
        ),
        pictures_field("review-pictures", MAX_PICTURES),
        rx.el.label(
            rx.el.input(type="checkbox", name="consent", required=True),
            rx.el.span(
                _("Autorizo que la publiquen firmada así: "),
                rx.el.b(review_page.name),
                _(" (se borra cuando lo pida, según la "),
                rx.el.a(_("política de tratamiento de datos"), href=legal_path(LegalKind.DATA)),
                ").",
            ),
            class_name="notify__consent",
        ),
        action=review_page.action,
        submit=rx.cond(review_page.stars != "", _("Guardar los cambios"), _("Enviar mi reseña")),
        look="primary",
        test_id="review-send",
        after=rx.el.p(
            _(
                "La leemos antes de publicarla; hasta entonces la puedes cambiar aquí. El enlace sirve hasta el "
            ),
            review_page.until,
            ".",
            class_name="review__words",
        ),
        class_name="account-form",
        key=SHOWN_PAGE.action,  # another link starts with an empty form
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
    attributes: dict[str, Any] = {"minLength": MIN_TEXT_LENGTH}
    area = rx.el.textarea(
        id=element_id,
        name="text",
        rows="6",
        max_length=MAX_TEXT_LENGTH,
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
