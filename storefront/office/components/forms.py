"""Forms of the office: fields with their error messages, and the bar with the save button."""

from collections.abc import Iterable
from typing import Any

import reflex as rx

from backend.core.texts import _
from storefront.components.forms import AskFirst, field, select_field
from storefront.office.react_components import EDIT_FORM, EditForm
from storefront.office.state import answer_number
from storefront.reflex_ext.hooks import text_at

LEAVE_QUESTION = _("Hay cambios sin guardar. ¿Salir de todas formas?")


def edit_form(
    state: Any, on_save: Any, *content: rx.Component, end: rx.Component | None = None, **more: Any
) -> rx.Component:
    """Render a form whose values are passed to the event `on_save`, by field name.

    After every save, successful or refused, `on_save` must have set `announcement` and `problems` (messages by field)
    of `state`. `end` replaces the save bar. `more` are props of `EditForm`.
    """
    properties = {
        "answers": answer_number(state),
        "is_good": rx.cond(state.announcement, state.announcement.tone == "news", True),
        "question": LEAVE_QUESTION,
        "on_save": on_save,
        "class_name": "o-form",
        **more,
    }
    return EditForm.create(*content, end or save_bar(), **properties)


def office_field(state: Any, form: str, name: str, label: str, **more: Any) -> rx.Component:
    """Render a text field of a form. Its error message is `state.problems[name]`.

    `more` are arguments of `storefront.components.forms.field`.
    """
    return field(
        name, label, element_id=f"{form}-{name}", problem=text_at(state.problems, name), live="", **more
    )


def office_select(
    state: Any, form: str, name: str, label: str, options: Iterable[rx.Component], **more: Any
) -> rx.Component:
    """Render a select field of a form: see `office_field` and `storefront.components.forms.select_field`."""
    return select_field(
        label,
        options,
        element_id=f"{form}-{name}",
        problem=text_at(state.problems, name),
        live="",
        name=name,
        **more,
    )


def confirm_button(label: Any, question: str, yes: str, on_yes: Any) -> rx.Component:
    """Render a button for an action that cannot be undone.

    The first click asks for confirmation, the second runs the action.

    It must be inside a `SubmitOnce`, so that the action runs only once.

    Args:
        label: the label of the first button.
        question: the consequence that the staff member confirms.
        yes: the label of the confirming button.
        on_yes: the event of the confirming button.
    """
    quiet, dark = "button button--small button--quiet", "button button--small button--dark"
    return AskFirst.create(
        rx.el.button(label, type="button", data_asks="", class_name=quiet),
        rx.el.div(
            rx.el.p(question),
            rx.el.button(yes, type="button", data_first="", data_once="", on_click=on_yes, class_name=dark),
            rx.el.button(_("No"), type="button", data_stays="", class_name=quiet),
            class_name="o-asks",
        ),
    )


def hidden_field(name: str, value: Any) -> rx.Component:
    """Render a hidden input: its value is sent with the form."""
    return rx.el.input(type="hidden", name=name, value=value, read_only=True)


@rx.memo
def save_bar() -> rx.Component:
    """Render the buttons that save or discard the changes. They are visible only while there are changes."""
    return submit_bar(_("Guardar"), _("Guardando…"), "primary", "save")


def submit_bar(label: str, busy: str, look: str, test_id: str) -> rx.Component:
    """Render the end of a form: a discard button, and a submit button that displays `busy` while it saves.

    It must be inside a separate `rx.memo`, because it renders again after every typed letter.
    """
    return rx.el.div(
        rx.el.button(
            _("Descartar"),
            type="button",
            class_name="button button--quiet button--small",
            special_props=[EDIT_FORM.reset],
        ),
        rx.el.button(
            rx.cond(EDIT_FORM.is_busy, busy, label),
            type="submit",
            class_name=f"button button--{look} button--small",
            disabled=EDIT_FORM.is_busy,
            data_testid=test_id,
        ),
        class_name="o-save",
        hidden=~EDIT_FORM.is_dirty.to(bool),
    )
