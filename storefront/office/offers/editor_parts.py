"""Shared components of the editors of offers and sales."""

from dataclasses import dataclass
from typing import Any

import reflex as rx
from reflex.vars import ObjectVar

from backend.core.texts import _
from backend.office.offers.form import CATEGORIES, CATEGORY_FIELD, PRODUCTS
from backend.office.offers.listing import Choice
from backend.promotions.rules import MAX_VALUES
from storefront.components.forms import SubmitOnce, select_field
from storefront.office.components.feedback import screen
from storefront.office.components.forms import confirm_button, office_field
from storefront.office.components.product_picker import product_picker
from storefront.office.icons import icon
from storefront.office.layout import office_layout
from storefront.office.navigation import OFFERS
from storefront.office.state import answer_number
from storefront.reflex_ext.hooks import text_at
from storefront.reflex_ext.numbers import grouped


@dataclass(frozen=True, slots=True)
class Editor:
    """Components of the editor of an offer or a sale. Its `state` is a `PreviewedForm`.

    Attributes:
        name: prefix of the fields' element ids.
        test_id: prefix of the test ids.
        content: variable of the content, with `id`, `version`, `category_boxes` and `can_end`.
        form: variable of the form's values.
        preview: variable of the changes that the form would make.
    """

    name: str
    test_id: str
    state: Any
    content: Any
    form: Any
    preview: Any

    def page(self, title: str, *content: rx.Component) -> rx.Component:
        """Render the whole editor, with a link back to the list."""
        back = rx.el.a(icon("left", size=18), _("Todas las ofertas"), href=OFFERS, class_name="o-disclosure")
        return office_layout(
            self.state,
            OFFERS,
            title,
            screen(self.state, rx.el.div(back, *content, class_name="o-offer")),
        )

    def end_button(self, question: str) -> rx.Component:
        """Render the button that ends the offer or sale after a confirmation."""
        button = confirm_button(_("Terminar ahora"), question, _("Sí, terminar"), self.state.end)
        return rx.el.div(
            SubmitOnce.create(button, answers=answer_number(self.state)), class_name="o-offer__end"
        )

    def text_field(self, name: str, label: str, **more: Any) -> rx.Component:
        """Render a text field of the form."""
        value = self.form[name]
        return office_field(
            self.state, self.name, name, label, default_value=value, auto_complete="off", **more
        )

    def choice_field(self, name: str, label: str, options: dict[str, str]) -> rx.Component:
        """Render a select field of the form."""
        return select_field(
            label,
            [rx.el.option(text, value=value) for value, text in options.items()],
            element_id=f"{self.name}-{name}",
            problem=text_at(self.state.problems, name),
            live="",
            name=name,
            default_value=self.form[name],
        )

    def products_field(
        self,
        name: str = "product_ids",
        label: str = _("Productos"),
        chosen: str = "products",
        shown_for: str = PRODUCTS,
    ) -> rx.Component:
        """Render a product picker.

        It is visible if `shown_for` is chosen: by default, if the offer is for single products. `chosen` is the name
        of the variable in `content` that has the stored products.
        """
        problem = text_at(self.state.problems, name)
        return rx.el.div(
            product_picker(name, label, self.content[chosen], most=MAX_VALUES, problem=problem),
            class_name="o-offer__wide",
            data_for=shown_for,
        )

    def category_boxes(self) -> rx.Component:
        """Render the checkboxes of categories; visible if categories are the chosen target."""

        def category_box(category: ObjectVar[Choice]) -> rx.Component:
            return rx.el.label(
                rx.el.input(
                    type="checkbox",
                    name=CATEGORY_FIELD + category.id.to(str),
                    default_checked=category.is_chosen,
                ),
                rx.el.span(category.name),
                key=category.id,
                class_name="o-content__check",
            )

        problem = text_at(self.state.problems, "categories")
        return rx.el.fieldset(
            rx.el.legend(_("Categorías, con las que están dentro"), class_name="field__label"),
            rx.el.div(rx.foreach(self.content.categories, category_box), class_name="o-offer__categories"),
            rx.cond(problem, rx.el.p(icon("warning", size=18), problem, class_name="field__problem")),
            class_name="o-offer__wide",
            data_for=CATEGORIES,
        )

    def edit_form(self, *fields: rx.Component) -> rx.Component:
        """Render the form. Its button previews the changes, because only previewed changes can be saved.

        The form is reset when a new version is saved, so that staff members do not overwrite changes that they have
        not seen.
        """
        return rx.el.form(
            rx.el.div(*fields, class_name="o-offer__fields"),
            rx.el.button(
                _("Ver qué cambia"),
                type="submit",
                class_name="button button--small button--dark",
                data_testid=f"{self.test_id}-look",
            ),
            key=f"{self.content.id}|{self.content.version}",
            no_validate=True,
            on_submit=self.state.preview_changes,
            class_name="o-panel o-form o-section o-offer__form",
        )

    def save_button(self, label: str) -> rx.Component:
        """Render the button that saves the previewed form."""
        button = rx.el.button(
            label,
            type="button",
            on_click=self.state.save,
            data_once="",
            class_name="button button--small button--primary",
            data_testid="save",
        )
        return SubmitOnce.create(button, answers=answer_number(self.state))

    def changes_panel(self, *content: rx.Component) -> rx.Component:
        """Render the form's changes as sentences, and `content` below them."""
        return rx.el.section(
            rx.el.h2(_("Qué cambia"), class_name="o-section__title"),
            rx.el.ul(
                rx.foreach(self.preview.words, lambda words: rx.el.li(words, key=words)),
                class_name="o-offer__words",
            ),
            *content,
            class_name="o-panel o-section",
            data_testid=f"{self.test_id}-preview",
            custom_attrs={"aria-live": "polite"},
        )


def more_rows_line(count: Any) -> rx.Component:
    """Render the number of table rows that are not shown."""
    return rx.cond(count > 0, rx.el.p(_("y {n} más").format(n=grouped(count)), class_name="o-row__detail"))
