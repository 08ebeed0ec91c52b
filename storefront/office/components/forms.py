"""Forms of the office: fields with their problem beside them, and the bar that saves."""

from collections.abc import Iterable
from typing import Any

import reflex as rx

from backend.core.texts import _
from storefront.components.forms import AskFirst, field, select_field
from storefront.office.react_components import EDITED, EditForm
from storefront.office.state import answers
from storefront.reflex_ext.hooks import text_at

LEAVE = _("Hay cambios sin guardar. ¿Salir de todas formas?")


def edit_form(
    state: Any, on_save: Any, *content: rx.Component, end: rx.Component | None = None, **more: Any
) -> rx.Component:
    """A form whose values `on_save` gets, by name.

    `state` is the screen's: each save, good or refused, sets its `told`, and `problems` by field. `end` stands in place
    of the bar that saves. For `more` see `EditForm`.
    """
    properties = {
        "answers": answers(state),
        "is_good": rx.cond(state.told, state.told.tone == "news", True),
        "question": LEAVE,
        "on_save": on_save,
        "class_name": "o-form",
        **more,
    }
    return EditForm.create(*content, end or save_bar(), **properties)


def office_field(state: Any, form: str, name: str, label: str, **more: Any) -> rx.Component:
    """A line of a form. For `more` see `storefront.components.forms.field`; a problem is `state.problems[name]`."""
    return field(
        name, label, element_id=f"{form}-{name}", problem=text_at(state.problems, name), live="", **more
    )


def office_select(
    state: Any, form: str, name: str, label: str, options: Iterable[rx.Component], **more: Any
) -> rx.Component:
    """One of several, in a form: see `office_field` and `storefront.components.forms.select_field`."""
    return select_field(
        label,
        options,
        element_id=f"{form}-{name}",
        problem=text_at(state.problems, name),
        live="",
        name=name,
        **more,
    )


def asked_twice(label: Any, question: str, yes: str, on_yes: Any) -> rx.Component:
    """A button for what cannot be undone: the first press asks, the second does it, once.

    Args:
        label: what the button says.
        question: what happens then.
        yes: what the button says that does it. It stands in a `Once`.
        on_yes: what does it.
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


@rx.memo
def save_bar() -> rx.Component:
    """Saves what was changed, or drops it; there while there is something to save."""
    return submit_bar(_("Guardar"), _("Guardando…"), "primary", "save")


def submit_bar(label: str, busy: str, look: str, test_id: str) -> rx.Component:
    """The end of a form: a button that drops what was changed, and the one that sends it, which says when it is `busy`.

    It stands in a memo of its own: it changes with every letter.
    """
    return rx.el.div(
        rx.el.button(
            _("Descartar"),
            type="button",
            class_name="button button--quiet button--small",
            special_props=[EDITED.reset],
        ),
        rx.el.button(
            rx.cond(EDITED.is_busy, busy, label),
            type="submit",
            class_name=f"button button--{look} button--small",
            disabled=EDITED.is_busy,
            data_testid=test_id,
        ),
        class_name="o-save",
        hidden=~EDITED.is_dirty.to(bool),
    )
