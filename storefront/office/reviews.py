"""Reseñas: what buyers wrote, read before it is shown, and what the shop answers."""

from typing import Any, ClassVar

import reflex as rx
from reflex.vars import ObjectVar

from backend.app import current_shop
from backend.core.error_texts import CHECK_FIELDS
from backend.core.errors import Conflict, InvalidData
from backend.core.texts import _
from backend.news.topics import Topic
from backend.office.reviews import ReviewRow, ReviewsList, count_new_reviews, reviews_list
from backend.reviews.models import ReviewState
from backend.reviews.moderation import (
    LONGEST_ANSWER,
    LONGEST_REFUSAL,
    answer_review,
    refuse_review,
    show_review,
)
from backend.staff.rights import Actor, Right
from storefront.components.forms import Once, field_box
from storefront.components.reviews import picture_links
from storefront.links import to_product
from storefront.office.components.feedback import chip, empty, screen
from storefront.office.components.lists import fold_row, office_list, rows
from storefront.office.icons import icon
from storefront.office.layout import office
from storefront.office.list_state import OfficeList
from storefront.office.navigation import ORDERS, REVIEWS
from storefront.office.state import answers, may, office_event
from storefront.reflex_ext.hooks import text_at
from storefront.reflex_ext.state_loss import KnownClientState
from storefront.state.handlers import checked_fields

TITLE = _("Reseñas")
CHANGED = _("Cambió mientras la leías. Mira cómo quedó.")


class ReviewsScreen(OfficeList, KnownClientState):
    """What buyers wrote."""

    content: rx.Field[ReviewsList | None] = rx.field(None)

    _right: ClassVar[Right] = Right.READ_ORDERS
    _topics: ClassVar[frozenset[str]] = frozenset({Topic.REVIEWS})

    _place: ClassVar[str] = REVIEWS

    async def _page(self, actor: Actor, asked: dict[str, str], cursor: str = "") -> ReviewsList:  # noqa: ARG002
        async with current_shop().database.read() as session:
            return await reviews_list(session, actor, cursor)

    async def _rows_again(self, actor: Actor, shown: ReviewsList) -> tuple[dict[str, ReviewRow], int]:
        async with current_shop().database.read() as session:
            return {}, await count_new_reviews(session, actor, shown.rows, shown.cursor)

    @office_event(Right.CHANGE_CATALOG)
    async def show(self, actor: Actor, form_data: dict[str, str]) -> None:
        """Show a review as it was read. The form names its `id` and its `version`."""
        typed = checked_fields(form_data, "id", "version", longest=60)
        self.problems = {}
        try:
            async with current_shop().database.transaction() as session:
                await show_review(session, actor, typed["id"], seen=typed["version"])
        except Conflict:
            self._tell(CHANGED, "problem")
        else:
            self._tell(_("Publicada en la página del juguete."))
        await self._show(actor)

    @office_event(Right.CHANGE_CATALOG)
    async def refuse(self, actor: Actor, form_data: dict[str, str]) -> None:
        """Do not show a review. The form names its `id`, and holds the `refusal`."""
        typed = checked_fields(form_data, "id", "refusal", longest=LONGEST_REFUSAL)
        self.problems = {}
        try:
            async with current_shop().database.transaction() as session:
                await refuse_review(session, actor, typed["id"], typed["refusal"])
        except InvalidData as error:
            self._mark(typed["id"], "refusal", error)
            return
        except Conflict:
            self._tell(CHANGED, "problem")
        else:
            self._tell(_("No se publica. Quien la escribió ve por qué en su enlace."))
        await self._show(actor)

    @office_event(Right.CHANGE_CATALOG)
    async def answer(self, actor: Actor, form_data: dict[str, str]) -> None:
        """Answer a review. The form names its `id`, and holds the `answer`; an empty one takes it away."""
        typed = checked_fields(form_data, "id", "answer", longest=LONGEST_ANSWER)
        self.problems = {}
        try:
            async with current_shop().database.transaction() as session:
                await answer_review(session, actor, typed["id"], typed["answer"])
        except InvalidData as error:
            self._mark(typed["id"], "answer", error)
            return
        self._tell(_("Respuesta guardada.") if typed["answer"].strip() else _("Respuesta quitada."))
        await self._show(actor)

    def _mark(self, review_id: str, name: str, error: InvalidData) -> None:
        self.problems = {f"{review_id[:60]}-{name}": error.fields.get(name, "")}
        self._tell(CHECK_FIELDS, "problem")


SHOWN = ReviewsScreen.content


def page() -> rx.Component:
    """What buyers wrote."""
    nothing = empty(
        "check",
        _("Nada por leer"),
        _(
            "Cuatro días después de la entrega le pedimos su opinión a quien compró. Aquí llega lo que escriba."
        ),
    )
    content = rx.fragment(
        office_list(
            ReviewsScreen,
            SHOWN.rows,
            _row,
            nothing,
            label=_("Por leer"),
            counts_new=True,
            around=lambda listed: Once.create(listed, answers=answers(ReviewsScreen)),
        ),
        rx.cond(
            SHOWN.decided.length() > 0,
            rx.el.section(
                rx.el.h2(_("Ya leídas"), class_name="o-section__title"),
                Once.create(
                    rows(SHOWN.decided, _row, rx.fragment(), label=_("Ya leídas")),
                    answers=answers(ReviewsScreen),
                ),
                class_name="o-pqrs__answered",
            ),
        ),
    )
    return office(ReviewsScreen, REVIEWS, TITLE, screen(ReviewsScreen, content))


def _row(row: ObjectVar[ReviewRow]) -> rx.Component:
    tone = rx.match(
        row.state, (ReviewState.SHOWN.value, "good"), (ReviewState.WAITING.value, "wait"), "plain"
    )
    stars = _("{stars} de 5 estrellas").format(stars=row.stars)
    return fold_row(
        rx.el.summary(
            rx.el.span(
                rx.el.span(row.toy, class_name="o-row__title"),
                rx.el.span(stars, " · ", row.name, " · ", row.written, class_name="o-row__detail"),
                class_name="o-attention__what",
            ),
            rx.cond(row.is_demo, chip(_("De muestra"))),
            chip(row.state_label, tone),
            icon("down", size=20),
            class_name="o-attention__head",
        ),
        rx.el.div(
            rx.el.p(row.text, class_name="o-pqrs__words"),
            picture_links(row.pictures),
            rx.el.p(
                rx.el.a(_("Ver el juguete"), href=to_product(row.handle), class_name="o-link"),
                rx.cond(
                    row.order_id != "",
                    rx.fragment(
                        " · ",
                        rx.el.a(
                            _("Pedido "),
                            row.order,
                            href=f"{ORDERS}/" + row.order_id.to(str),
                            class_name="o-link",
                        ),
                    ),
                ),
                class_name="o-row__detail",
            ),
            rx.cond(
                row.refusal != "",
                rx.el.p(rx.el.b(_("No se publica")), " · ", row.refusal, class_name="o-pqrs__words"),
            ),
            rx.cond(may(Right.CHANGE_CATALOG), _ways(row)),
            class_name="o-attention__body",
        ),
        row_id=row.id,
        class_name="o-attention",
        data_testid="review-row",
        data_state=row.state,
    )


def _ways(row: ObjectVar[ReviewRow]) -> rx.Component:
    """What may be done with it."""
    show = rx.el.form(
        _hidden("id", row.id),
        _hidden("version", row.version),
        _button(_("Publicar"), "primary", "review-show"),
        class_name="o-attention__way",
        on_submit=ReviewsScreen.show,
    )
    return rx.fragment(
        rx.cond(row.state != ReviewState.SHOWN.value, show),
        rx.cond(
            row.state != ReviewState.REFUSED.value,
            _written(
                row,
                "refusal",
                _("Por qué no se publica"),
                "",
                LONGEST_REFUSAL,
                _("No publicar"),
                ReviewsScreen.refuse,
            ),
        ),
        rx.cond(
            row.state == ReviewState.SHOWN.value,
            _written(
                row,
                "answer",
                _("Respuesta de la tienda"),
                row.answer,
                LONGEST_ANSWER,
                _("Guardar la respuesta"),
                ReviewsScreen.answer,
            ),
        ),
    )


def _written(  # noqa: PLR0917 - one call each
    row: ObjectVar[ReviewRow], name: str, label: str, value: Any, longest: int, button: str, on_submit: Any
) -> rx.Component:
    """A form with a text for the review."""
    element_id = f"{row.id}-{name}"
    problem = text_at(ReviewsScreen.problems, element_id)
    area = rx.el.textarea(
        id=rx.Var.create(element_id),
        name=name,
        rows="3",
        max_length=longest,
        default_value=value,
        class_name="field__input o-review__area",
        custom_attrs={"aria-invalid": rx.cond(problem, "true", "false")},
    )
    return rx.el.form(
        _hidden("id", row.id),
        field_box(label, area, element_id=element_id, problem=problem, live=""),
        _button(button, "quiet", f"review-{name}"),
        class_name="o-attention__way",
        no_validate=True,
        on_submit=on_submit,
    )


def _hidden(name: str, value: Any) -> rx.Component:
    return rx.el.input(type="hidden", name=name, value=value, read_only=True)


def _button(text: str, look: str, test_id: str) -> rx.Component:
    return rx.el.button(
        text, type="submit", class_name=f"button button--small button--{look}", data_testid=test_id
    )
