"""Form fields: each has a label, a control, an error message directly below the control, and a hint."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import reflex as rx
from reflex.vars import ArrayVar, ObjectVar

from backend.core.texts import _
from backend.shipping.municipalities import Municipality
from storefront.components.icons import icon
from storefront.components.react_components import on_text
from storefront.reflex_ext.hooks import ABSENT, hook, script, view

PRESS = script("press")
COMBOBOX = script("combobox")
COMBOBOX_PACKAGE = "@github/combobox-nav@3.0.2"
BUSY: rx.Var[bool] = hook(PRESS, "useBusy")
"""True while the enclosing `SubmitOnce` waits for an answer."""

NATIVE_SUBMIT: rx.Var[Any] = rx.Var("{ onSubmit: undefined }")
"""Property of a form that the browser submits itself. Without it, Reflex blocks a form that has no submit event."""

NO_PROBLEM: rx.Var[str] = rx.Var.create("")
"""Empty problem, for the controls of a form with `NATIVE_SUBMIT`.

The page shows the form's problems after it was submitted.
"""

MAX_TEXT_LENGTH = 300
"""Maximum characters of a field."""
OPTIONAL = _("(opcional)")

Text = str | rx.Var[str]


class SubmitOnce(rx.Component):
    """A wrapper of a form, or of buttons with `data-once`.

    After a click it ignores further clicks until `answers` changes.

    When `empties` increases, the form is emptied.
    """

    library = PRESS
    tag = "SubmitOnce"
    answers: rx.Var[int]
    empties: rx.Var[int]


class AskFirst(rx.Component):
    """A wrapper of two children: a button and a question. A click on the button replaces the button by the question.

    See `assets/scripts/press.jsx`.
    """

    library = PRESS
    tag = "AskFirst"


def field(
    name: Text,
    label: Text,
    *extra: rx.Component,
    element_id: Text,
    problem: rx.Var[str],
    hint: str = "",
    is_optional: bool = False,
    live: Text = "polite",
    **control: Any,
) -> rx.Component:
    """Build a text field with one line.

    Args:
        name: the field's name in the submitted form.
        label: the visible label.
        extra: components below the hint.
        element_id: id of the input element.
        problem: the message about an invalid value; empty or undefined if the value is valid.
        hint: help for filling in the field.
        is_optional: True if the field may stay empty.
        live: value of `aria-live`: how a screen reader announces the message.
        control: more props of the input element.
    """
    marks = _control_props(element_id, problem, hint, is_required=not is_optional)
    properties = {"max_length": MAX_TEXT_LENGTH, "name": name, **marks, **control}
    return field_box(
        label,
        rx.el.input(**properties),
        *extra,
        element_id=element_id,
        problem=problem,
        hint=hint,
        is_optional=is_optional,
        live=live,
    )


def text_area_field(
    name: str,
    label: Text,
    *,
    element_id: Text,
    problem: rx.Var[str],
    max_length: int,
    hint: str = "",
    live: Text = "polite",
    **control: Any,
) -> rx.Component:
    """Build an optional text field with several lines. See `field`."""
    marks = _control_props(element_id, problem, hint, is_required=False)
    return field_box(
        label,
        rx.el.textarea(**{"max_length": max_length, "name": name, "rows": "3", **marks, **control}),
        element_id=element_id,
        problem=problem,
        hint=hint,
        is_optional=True,
        live=live,
    )


def select_field(
    label: Text,
    options: Iterable[rx.Component],
    *extra: rx.Component,
    element_id: Text,
    problem: rx.Var[str],
    live: Text = "polite",
    **control: Any,
) -> rx.Component:
    """Build a native select element with its label. `extra` is displayed below it."""
    marks = _control_props(element_id, problem, "", is_required=True)
    select = rx.el.div(
        rx.el.select(*options, auto_complete="off", **marks, **control),
        icon("down", size=20),
        class_name="select",
    )
    return field_box(label, select, *extra, element_id=element_id, problem=problem, live=live)


def field_box(
    label: Text,
    control: rx.Component,
    *extra: rx.Component,
    element_id: Text,
    problem: rx.Var[str],
    hint: str = "",
    is_optional: bool = False,
    live: Text = "polite",
) -> rx.Component:
    """Build the label, problem and hint around any control. See `field`."""
    optional = [rx.el.span(f" {OPTIONAL}", class_name="field__optional")] if is_optional else []
    hints = [rx.el.p(hint, class_name="field__hint", id=_part_id(element_id, "hint"))] if hint else []
    return rx.el.div(
        rx.el.label(label, *optional, class_name="field__label", html_for=element_id),
        control,
        field_problem(element_id, problem, live),
        *hints,
        *extra,
        class_name="field",
    )


def field_problem(element_id: Text, problem: rx.Var[str], live: Text = "polite") -> rx.Component:
    """Build the message about an invalid value. Screen readers announce it unless `live` is empty."""
    text = rx.el.p(
        icon("warning", size=18), problem, class_name="field__problem", id=_part_id(element_id, "problem")
    )
    shown = rx.cond(problem, text)
    return shown if isinstance(live, str) and not live else rx.el.div(shown, custom_attrs={"aria-live": live})


def described_by(element_id: Text, problem: rx.Var[str], hint: str = "") -> dict[str, rx.Var[Any]]:
    """Return the `aria-describedby` prop that links a control to its error message and its hint."""
    hinted = _part_id(element_id, "hint") if hint else ABSENT
    problems = f"{element_id}-problem {element_id}-hint" if hint else f"{element_id}-problem"
    return {"aria-describedby": rx.cond(problem, problems, hinted)}


def _control_props(element_id: Text, problem: rx.Var[str], hint: str, *, is_required: bool) -> dict[str, Any]:
    return {
        "id": rx.Var.create(element_id),
        "class_name": "field__input",
        "custom_attrs": {
            "aria-required": "true" if is_required else "false",
            "aria-invalid": rx.cond(problem, "true", ABSENT),
            **described_by(element_id, problem, hint),
        },
    }


def _part_id(element_id: Text, part: str) -> rx.Var[str]:
    """Return the element id of a control's `problem` or `hint`.

    The id is a variable, because Reflex creates a React ref for every constant id.
    """
    return rx.Var.create(f"{element_id}-{part}")


def spinner_or_icon(shape: str, is_busy: rx.Var[bool]) -> rx.Component:
    """Build the icon of a button, or a spinner while the button is busy."""
    return rx.cond(is_busy, rx.el.span(class_name="spinner", aria_hidden="true"), icon(shape, size=20))


class Combobox(rx.Component):
    """A wrapper of a field with suggestions: see `assets/scripts/combobox.jsx`."""

    library = COMBOBOX
    tag = "Combobox"
    lib_dependencies: list[str] = [COMBOBOX_PACKAGE]  # noqa: RUF012 - Reflex declares it in this way
    answered: rx.Var[str]
    count: rx.Var[int]
    min_letters: rx.Var[int]
    idle_count: rx.Var[int]
    close_key: rx.Var[str]
    is_picked: rx.Var[bool]
    clears_on_escape: rx.Var[bool]
    is_strict: rx.Var[bool]
    on_ask: rx.EventHandler[on_text]  # type: ignore[type-arg, valid-type]


@dataclass(frozen=True, slots=True)
class Suggestions:
    """State of a combobox, an input with a list of suggestions.

    Attributes:
        typed: the typed text.
        is_open: True if the list or the "nothing found" message is open.
        is_listed: True if the list is open.
        is_idle: True if the typed text is too short for a search. The list then has suggestions that need no text.
        is_empty: True if the "nothing found" message is open.
        is_current: True if the suggestions are for the typed text.
    """

    typed: str
    is_open: bool
    is_listed: bool
    is_idle: bool
    is_empty: bool
    is_current: bool


SUGGESTIONS = view(COMBOBOX, "useCombobox", Suggestions)
"""State of the enclosing combobox."""


@dataclass(frozen=True, slots=True)
class Town:
    """A municipality that matches the typed text."""

    value: str
    name: str
    department: str
    label: str


def town_view(town: Municipality) -> Town:
    """Return a municipality labelled with its department, because several municipalities have the same name."""
    return Town(town.code, town.name, town.department, f"{town.name}, {town.department}")


def town_field(
    label: str,
    towns: ArrayVar[list[Town]],
    answered: rx.Var[str],
    on_ask: Any,
    panel: rx.Component,
    *,
    element_id: Text,
    problem: rx.Var[str],
    live: Text = "polite",
    is_picked: bool | rx.Var[bool] = False,
    **control: Any,
) -> rx.Component:
    """Build the field in which a municipality is searched and selected.

    Args:
        label: the visible label.
        towns: the municipalities that match the text `answered`.
        answered: the typed text for which `towns` was searched.
        on_ask: the event that searches for the typed text.
        panel: `town_panel` inside a separate `rx.memo`.
        element_id: id of the input element.
        problem: the message about an invalid value.
        live: value of `aria-live`: how a screen reader announces the message.
        is_picked: True if the displayed municipality was selected from the list.
        control: more props of the input element.
    """
    input_props = {
        "name": "town",
        "auto_capitalize": "words",
        "auto_complete": "off",
        "enter_key_hint": "next",
        "max_length": 80,
        "placeholder": _("Escribe y elige de la lista"),
        "spell_check": False,
        **_control_props(element_id, problem, "", is_required=True),
        **control,
    }
    box = rx.el.div(
        rx.el.input(**input_props),
        rx.cond(is_picked, icon("check", size=20), icon("search", size=20)),
        panel,
        class_name="select town__box",
        data_picked=rx.cond(is_picked, "true", ABSENT),
    )
    return Combobox.create(
        field_box(label, box, element_id=element_id, problem=problem, live=live),
        answered=answered,
        count=towns.length(),
        is_picked=is_picked,
        is_strict=True,
        on_ask=on_ask,
    )


def town_panel(
    towns: ArrayVar[list[Town]], pick: Callable[[ObjectVar[Town]], dict[str, Any]]
) -> rx.Component:
    """Build the list of municipalities, or the message that nothing was found. Screen readers announce both.

    Args:
        towns: the municipalities that match the typed text.
        pick: returns the props of a municipality's option, including its click handler.
    """
    nothing = _("No encontramos ese municipio. Revisa cómo está escrito.")
    is_counted = SUGGESTIONS.is_listed & SUGGESTIONS.is_current
    counted = _("{n} municipios").format(n=towns.length())

    def option(town: ObjectVar[Town]) -> rx.Component:
        return rx.el.li(
            rx.el.b(town.name),
            ", ",
            town.department,
            role="option",
            class_name="town__option",
            key=town.value,
            data_testid="town-option",
            **pick(town),
        )

    return rx.fragment(
        rx.el.div(
            rx.el.ul(rx.foreach(towns, option), role="listbox", aria_label=_("Municipios")),
            rx.cond(SUGGESTIONS.is_empty, rx.el.p(nothing, class_name="town__none")),
            class_name="town__panel",
            hidden=~SUGGESTIONS.is_open.to(bool),
            data_stale=rx.cond(SUGGESTIONS.is_current, ABSENT, "true"),
        ),
        rx.el.p(
            rx.cond(SUGGESTIONS.is_empty, nothing, rx.cond(is_counted, counted, "")),
            class_name="sr-only",
            role="status",
        ),
    )
