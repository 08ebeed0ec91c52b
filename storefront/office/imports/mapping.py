"""The columns of a file with an unknown format, for which a staff member chooses the importer's columns."""

import reflex as rx
from reflex.vars import ObjectVar

from backend.core.texts import _
from backend.office.imports import (
    COLUMN_LABELS,
    ChoiceView,
    ColumnView,
    QuestionView,
)
from storefront.office.imports.row_lists import BUTTON
from storefront.office.imports.state import CURRENT_IMPORT, ImportState


def mapping_panel() -> rx.Component:
    """Render the panel in which staff assign the columns of an unknown file format to product fields.

    Questions, such as which column contains the price, come first.
    """

    def choice(view: ObjectVar[ChoiceView]) -> rx.Component:
        return rx.el.button(
            rx.el.span(view.heading, class_name="o-row__title"),
            rx.el.span(view.samples, class_name="o-row__detail"),
            type="button",
            on_click=ImportState.choose_column(view.place, view.column),
            class_name=f"{BUTTON}button--quiet o-import__choice",
            data_testid="import-column-choice",
        )

    def question(view: ObjectVar[QuestionView]) -> rx.Component:
        return rx.el.fieldset(
            rx.el.legend(view.text, class_name="o-import__title"),
            rx.foreach(view.choices, choice),
            key=view.key,
            class_name="o-import__ways",
            data_testid="import-question",
        )

    def row(view: ObjectVar[ColumnView]) -> rx.Component:
        return rx.el.li(
            rx.el.label(
                rx.el.span(view.heading, class_name="o-row__title"),
                rx.el.span(view.samples, class_name="o-row__detail"),
                rx.el.select(
                    *(rx.el.option(label, value=name) for name, label in COLUMN_LABELS.items()),
                    value=view.column,
                    on_change=lambda column: ImportState.choose_column(view.place, column),
                    class_name="field__input",
                    data_testid="import-column",
                ),
                class_name="o-import__column",
            ),
            key=view.place,
            class_name="o-import__row",
        )

    return rx.el.div(
        rx.foreach(CURRENT_IMPORT.questions, question),
        rx.el.details(
            rx.el.summary(_("Qué es cada columna de tu lista"), class_name="o-disclosure"),
            rx.el.ul(rx.foreach(CURRENT_IMPORT.mapping, row)),
        ),
        data_testid="import-mapping",
    )
