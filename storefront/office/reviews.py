"""The reviews screen (Reseñas): moderate reviews before they are published, and answer them."""

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
    MAX_ANSWER_LENGTH,
    MAX_REFUSAL_LENGTH,
    answer_review,
    refuse_review,
    show_review,
)
from backend.staff.rights import Actor, Right
from storefront.components.forms import SubmitOnce, field_box
from storefront.components.reviews import picture_links
from storefront.links import product_href
from storefront.office.components.feedback import action_link, chip, invitation, screen
from storefront.office.components.forms import hidden_field
from storefront.office.components.lists import fold_row, office_list, rows
from storefront.office.icons import icon
from storefront.office.layout import office_layout
from storefront.office.list_state import OfficeList
from storefront.office.navigation import ORDERS, REVIEWS
from storefront.office.state import answer_number, has_right, office_event
from storefront.reflex_ext.hooks import text_at
from storefront.reflex_ext.state_loss import KnownClientState
from storefront.state.handlers import checked_fields

TITLE = _("Reseñas")
CHANGED_TEXT = _("Cambió mientras la leías. Mira cómo quedó.")


class ReviewsScreen(OfficeList, KnownClientState):
    """State of the reviews screen: reviews that wait for moderation, and moderated ones."""

    content: rx.Field[ReviewsList | None] = rx.field(None)

    _right: ClassVar[Right] = Right.READ_ORDERS
    _topics: ClassVar[frozenset[str]] = frozenset({Topic.REVIEWS})

    _path: ClassVar[str] = REVIEWS

    async def _read_page(self, actor: Actor, filters: dict[str, str], cursor: str = "") -> ReviewsList:  # noqa: ARG002
        async with current_shop().database.read() as session:
            return await reviews_list(session, actor, cursor)

    async def _read_current_rows(self, actor: Actor, shown: ReviewsList) -> tuple[dict[str, ReviewRow], int]:
        async with current_shop().database.read() as session:
            return {}, await count_new_reviews(session, actor, shown.rows, shown.cursor)

    @office_event(Right.CHANGE_CATALOG)
    async def show(self, actor: Actor, form_data: dict[str, str]) -> None:
        """Publish a review in the version that the staff member read. The form contains its `id` and its `version`."""
        typed = checked_fields(form_data, "id", "version", max_length=60)
        self.problems = {}
        try:
            async with current_shop().database.transaction() as session:
                await show_review(session, actor, typed["id"], seen=typed["version"])
        except Conflict:
            self._announce(CHANGED_TEXT, "problem")
        else:
            self._announce(_("Publicada en la página del producto."))
        await self._show(actor)

    @office_event(Right.CHANGE_CATALOG)
    async def refuse(self, actor: Actor, form_data: dict[str, str]) -> None:
        """Refuse to publish a review. The form contains its `id` and the `refusal`."""
        typed = checked_fields(form_data, "id", "refusal", max_length=MAX_REFUSAL_LENGTH)
        self.problems = {}
        try:
            async with current_shop().database.transaction() as session:
                await refuse_review(session, actor, typed["id"], typed["refusal"])
        except InvalidData as error:
            self._show_problem(typed["id"], "refusal", error)
            return
        except Conflict:
            self._announce(CHANGED_TEXT, "problem")
        else:
            self._announce(_("No se publica. Quien la escribió ve por qué en su enlace."))
        await self._show(actor)

    @office_event(Right.CHANGE_CATALOG)
    async def answer(self, actor: Actor, form_data: dict[str, str]) -> None:
        """Answer a review. The form contains its `id` and the `answer`; an empty answer removes the current one."""
        typed = checked_fields(form_data, "id", "answer", max_length=MAX_ANSWER_LENGTH)
        self.problems = {}
        try:
            async with current_shop().database.transaction() as session:
                await answer_review(session, actor, typed["id"], typed["answer"])
        except InvalidData as error:
            self._show_problem(typed["id"], "answer", error)
            return
        self._announce(_("Respuesta guardada.") if typed["answer"].strip() else _("Respuesta quitada."))
        await self._show(actor)

    def _show_problem(self, review_id: str, name: str, error: InvalidData) -> None:
        self.problems = {f"{review_id[:60]}-{name}": error.fields.get(name, "")}
        self._announce(CHECK_FIELDS, "problem")


VIEW = ReviewsScreen.content


def page() -> rx.Component:
    """Render the reviews screen."""
    nothing = invitation(
        "check",
        _("Nada por leer"),
        _(
            "Cuatro días después de la entrega le pedimos su opinión a quien compró. Aquí llega lo que escriba."
        ),
        action_link(_("Ver los pedidos"), ORDERS),
    )
    content = rx.fragment(
        office_list(
            ReviewsScreen,
            VIEW.rows,
            _review_row,
            nothing,
            label=_("Por leer"),
            counts_new=True,
            wrap=lambda listed: SubmitOnce.create(listed, answers=answer_number(ReviewsScreen)),
        ),
        rx.cond(
            VIEW.decided.length() > 0,
            rx.el.section(
                rx.el.h2(_("Ya leídas"), class_name="o-section__title"),
                SubmitOnce.create(
                    rows(VIEW.decided, _review_row, rx.fragment(), label=_("Ya leídas")),
                    answers=answer_number(ReviewsScreen),
                ),
                class_name="o-pqrs__answered",
            ),
        ),
    )
    return office_layout(ReviewsScreen, REVIEWS, TITLE, screen(ReviewsScreen, content))


def _review_row(row: ObjectVar[ReviewRow]) -> rx.Component:
    tone = rx.match(
        row.state, (ReviewState.SHOWN.value, "good"), (ReviewState.WAITING.value, "wait"), "plain"
    )
    stars = _("{stars} de 5 estrellas").format(stars=row.stars)
    return fold_row(
        rx.el.summary(
            rx.el.span(
                rx.el.span(row.product, class_name="o-row__title"),
                rx.el.span(stars, " · ", row.name, " · ", row.written_label, class_name="o-row__detail"),
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
                rx.el.a(_("Ver el producto"), href=product_href(row.handle), class_name="o-link"),
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
            rx.cond(has_right(Right.CHANGE_CATALOG), _action_forms(row)),
            class_name="o-attention__body",
        ),
        row_id=row.id,
        class_name="o-attention",
        data_testid="review-row",
        data_state=row.state,
    )


def _action_forms(row: ObjectVar[ReviewRow]) -> rx.Component:
    """Render the forms of the actions that are possible in the review's state: publish, refuse, answer."""
    show = rx.el.form(
        hidden_field("id", row.id),
        hidden_field("version", row.version),
        _submit_button(_("Publicar"), "primary", "review-show"),
        class_name="o-attention__way",
        on_submit=ReviewsScreen.show,
    )
    return rx.fragment(
        rx.cond(row.state != ReviewState.SHOWN.value, show),
        rx.cond(
            row.state != ReviewState.REFUSED.value,
            _text_form(
                row,
                "refusal",
                _("Por qué no se publica"),
                "",
                MAX_REFUSAL_LENGTH,
                _("No publicar"),
                ReviewsScreen.refuse,
            ),
        ),
        rx.cond(
            row.state == ReviewState.SHOWN.value,
            _text_form(
                row,
                "answer",
                _("Respuesta de la tienda"),
                row.answer,
                MAX_ANSWER_LENGTH,
                _("Guardar la respuesta"),
                ReviewsScreen.answer,
            ),
        ),
    )


def _text_form(  # noqa: PLR0917 - each has one call
    row: ObjectVar[ReviewRow], name: str, label: str, value: Any, longest: int, button: str, on_submit: Any
) -> rx.Component:
    """Render a form with one text area, for an action on a review that needs a text."""
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
        hidden_field("id", row.id),
        field_box(label, area, element_id=element_id, problem=problem, live=""),
        _submit_button(button, "quiet", f"review-{name}"),
        class_name="o-attention__way",
        no_validate=True,
        on_submit=on_submit,
    )


def _submit_button(text: str, look: str, test_id: str) -> rx.Component:
    return rx.el.button(
        text, type="submit", class_name=f"button button--small button--{look}", data_testid=test_id
    )
