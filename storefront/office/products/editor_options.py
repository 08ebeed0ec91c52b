"""Options of the product form, such as colour and size. Saving a new value creates the variants that have it."""

from typing import Any

import reflex as rx
from reflex.vars import ArrayVar, ObjectVar

from backend.core.texts import _
from backend.office.products.options_form import MAX_FORM_OPTIONS, MAX_OPTION_LENGTH, NO_COLOR
from storefront.components.forms import field, field_problem
from storefront.office.components.reorder_buttons import add_button, drop_button
from storefront.office.products.editor_rows import FORM, VIEW, move_buttons
from storefront.office.products.editor_state import ProductState
from storefront.office.products.editor_view import ValueRow
from storefront.office.react_components import ROWS, ReorderableRows, react_key
from storefront.reflex_ext.hooks import text_at

VALUES = ROWS.rows.to(ArrayVar, list[ValueRow])
BLANK = {"key": "", "value": "", "color": NO_COLOR}
EXAMPLES = (_("Color"), _("Talla"), _("Material"))


def options_group() -> rx.Component:
    """Render the options, or a note if the product has more of them than the form can change."""
    problem = field_problem(f"{FORM}-options", text_at(ProductState.problems, "options"), "")
    return rx.fragment(
        problem,
        rx.cond(
            VIEW.has_more_options,
            rx.el.p(_("Tiene más de tres opciones: las cambia el programa que las creó.")),
            rx.fragment(*(option_field(number) for number in range(1, MAX_FORM_OPTIONS + 1))),
        ),
    )


def option_field(number: int) -> rx.Component:
    """Render an option with its values in their order."""
    option = VIEW.options[number - 1]

    def value_row(row: ObjectVar[ValueRow]) -> rx.Component:
        element_id = f"{FORM}-value-{number}-{row.key}"
        color: dict[str, Any] = {
            "type": "color",
            "name": f"color_{number}[]",
            "default_value": row.color,
            "aria_label": _("Color"),
            "class_name": "o-option__color",
            "auto_complete": "off",
        }
        return rx.el.li(
            rx.el.input(type="hidden", name=f"value_key_{number}[]", value=row.key, read_only=True),
            rx.cond(option.is_color, rx.el.input(**color)),
            rx.el.label(_("Valor"), html_for=element_id, class_name="sr-only"),
            rx.el.input(
                id=rx.Var.create(element_id),
                name=f"value_{number}[]",
                default_value=row.value,
                max_length=MAX_OPTION_LENGTH,
                auto_complete="off",
                class_name="field__input",
            ),
            move_buttons(_("Valor"), drop_button(_("Quitar {name}").format(name=row.value))),
            key=react_key(row),
            data_key=row.key,
            class_name="o-option__value",
            data_testid="option-value",
        )

    return ReorderableRows.create(
        rx.el.input(type="hidden", name=f"option_key_{number}", value=option.key, read_only=True),
        field(
            f"option_{number}",
            _("Opción {n}").format(n=number),
            element_id=f"{FORM}-option-{number}",
            problem=text_at(ProductState.problems, f"option-{number}"),
            live="",
            default_value=option.title,
            placeholder=EXAMPLES[number - 1],
            max_length=MAX_OPTION_LENGTH,
            auto_complete="off",
            is_optional=True,
        ),
        rx.el.ul(rx.foreach(VALUES, value_row), class_name="o-option__values"),
        add_button(_("Agregar un valor")),
        items=option.choices,
        blank=BLANK,
        moved_text=_("Ahora es la {n} de {count}."),
        class_name="o-toy__group o-option",
    )
