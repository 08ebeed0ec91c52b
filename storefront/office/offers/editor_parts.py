"""What the editors of an offer and of a sale are made of."""

from dataclasses import dataclass
from typing import Any

import reflex as rx
from reflex.vars import ObjectVar

from backend.core.texts import _
from backend.office.offers.form import CATEGORIES, CATEGORY_FIELD, TOYS
from backend.office.offers.listing import Choice
from storefront.components.forms import Once, field_box, select_field
from storefront.office.components.feedback import screen
from storefront.office.components.forms import asked_twice, office_field
from storefront.office.icons import icon
from storefront.office.layout import office
from storefront.office.navigation import OFFERS
from storefront.office.state import answers
from storefront.reflex_ext.hooks import text_at


@dataclass(frozen=True, slots=True)
class Editor:
    """The editor of one offer or sale, whose `state` is a `PreviewedForm`.

    Attributes:
        name: what the ids of its fields begin with.
        test_id: what its test ids begin with.
        shown: what it shows, with an `id`, a `version`, `categories`, and whether it `can_end`.
        form: what its form holds.
        preview: what its form would change.
    """

    name: str
    test_id: str
    state: Any
    shown: Any
    form: Any
    preview: Any

    def page(self, title: str, *content: rx.Component) -> rx.Component:
        """All of it, below the way back."""
        back = rx.el.a(icon("left", size=18), _("Todas las ofertas"), href=OFFERS, class_name="o-disclosure")
        return office(
            self.state,
            OFFERS,
            title,
            screen(self.state, rx.el.div(back, *content, class_name="o-offer")),
        )

    def end(self, question: str) -> rx.Component:
        """The button that ends it, after it has asked."""
        button = asked_twice(_("Terminar ahora"), question, _("Sí, terminar"), self.state.end)
        return rx.el.div(Once.create(button, answers=answers(self.state)), class_name="o-offer__end")

    def typed(self, name: str, label: str, **more: Any) -> rx.Component:
        """A line of the form."""
        known = self.form[name]
        return office_field(
            self.state, self.name, name, label, default_value=known, auto_complete="off", **more
        )

    def choice(self, name: str, label: str, options: dict[str, str]) -> rx.Component:
        """One of a few."""
        return select_field(
            label,
            [rx.el.option(text, value=value) for value, text in options.items()],
            element_id=f"{self.name}-{name}",
            problem=rx.Var.create(""),
            live="",
            name=name,
            default_value=self.form[name],
        )

    def toys(self) -> rx.Component:
        """The toys, one a line; shown while they are what is chosen."""
        element_id, problem = f"{self.name}-toys", text_at(self.state.problems, "toys")
        area = rx.el.textarea(
            id=rx.Var.create(element_id),
            name="toys",
            default_value=self.form.toys,
            rows="4",
            class_name="field__input",
            custom_attrs={"aria-invalid": rx.cond(problem, "true", "false")},
        )
        box = field_box(
            _("Juguetes"),
            area,
            element_id=element_id,
            problem=problem,
            hint=_("Uno por línea: su título o el código (SKU) de una presentación."),
            live="",
        )
        return rx.el.div(box, class_name="o-offer__wide", data_for=TOYS)

    def categories(self) -> rx.Component:
        """The categories to tick; shown while they are what is chosen."""

        def one(category: ObjectVar[Choice]) -> rx.Component:
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
            rx.el.div(rx.foreach(self.shown.categories, one), class_name="o-offer__categories"),
            rx.cond(problem, rx.el.p(icon("warning", size=18), problem, class_name="field__problem")),
            class_name="o-offer__wide",
            data_for=CATEGORIES,
        )

    def edit(self, *fields: rx.Component) -> rx.Component:
        """The form. Its button shows what it would change: nothing is stored before that was seen.

        It begins anew with each version, so that nobody overwrites what they have not seen.
        """
        return rx.el.form(
            rx.el.div(*fields, class_name="o-offer__fields"),
            rx.el.button(
                _("Ver qué cambia"),
                type="submit",
                class_name="button button--small button--dark",
                data_testid=f"{self.test_id}-look",
            ),
            key=f"{self.shown.id}|{self.shown.version}",
            no_validate=True,
            on_submit=self.state.look,
            class_name="o-panel o-form o-section o-offer__form",
        )

    def save(self, label: str) -> rx.Component:
        """The button that stores what was looked at."""
        button = rx.el.button(
            label,
            type="button",
            on_click=self.state.save,
            data_once="",
            class_name="button button--small button--primary",
            data_testid="save",
        )
        return Once.create(button, answers=answers(self.state))

    def changes(self, *content: rx.Component) -> rx.Component:
        """What the form would change, in words, and `content`."""
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


def how_many_more(count: Any) -> rx.Component:
    """How many rows of a table are not shown."""
    return rx.cond(count > 0, rx.el.p(_("y {n} más").format(n=count), class_name="o-row__detail"))
