"""Fields as every form shows them: the label, the control, what is wrong with it right beside it, and a hint."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import reflex as rx
from reflex.vars import ArrayVar, ObjectVar

from backend.core.texts import _
from backend.media.picture_forms import PICTURES
from backend.shipping.municipalities import Municipality
from storefront.components.icons import icon
from storefront.components.react_components import on_text
from storefront.reflex_ext.hooks import ABSENT, hook, script, view

PRESS = script("press")
COMBOBOX = script("combobox")
COMBOBOX_PACKAGE = "@github/combobox-nav@3.0.2"
BUSY: rx.Var[bool] = hook(PRESS, "useBusy")
"""Whether the `Once` around the markup waits for an answer."""

SENT_BY_THE_BROWSER: rx.Var[Any] = rx.Var("{ onSubmit: undefined }")
"""Reflex keeps a form without an event from being sent at all."""

NO_PROBLEM: rx.Var[str] = rx.Var.create("")
"""Of the controls of such a form: its page says what is wrong once it was sent."""

LONGEST = 300
"""Characters that a field takes."""
OPTIONAL = _("(opcional)")

Text = str | rx.Var[str]


class Once(rx.Component):
    """Around a form, or buttons with `data-once`: pressed again before the next of the `answers`, they ask once.

    When `empties` grows, what is typed in the form goes.
    """

    library = PRESS
    tag = "Once"
    answers: rx.Var[int]
    empties: rx.Var[int]


class AskFirst(rx.Component):
    """Its first child asks for its second, in its place: see `assets/scripts/press.jsx`."""

    library = PRESS
    tag = "AskFirst"


def field(
    name: str,
    label: Text,
    *,
    element_id: Text,
    problem: rx.Var[str],
    hint: str = "",
    is_optional: bool = False,
    live: Text = "polite",
    **control: Any,
) -> rx.Component:
    """A line to write on.

    Args:
        name: what its text is sent as.
        label: what a shopper calls it.
        element_id: its element's id.
        problem: what is wrong with it; empty, or nothing at all, when it is well.
        hint: what helps to fill it in.
        is_optional: whether it may stay empty.
        live: how its problem is said aloud, as `aria-live`.
        control: more properties of the input.
    """
    marks = _marks(element_id, problem, hint, is_required=not is_optional)
    properties = {"max_length": LONGEST, "name": name, **marks, **control}
    return field_box(
        label,
        rx.el.input(**properties),
        element_id=element_id,
        problem=problem,
        hint=hint,
        is_optional=is_optional,
        live=live,
    )


def text_field(
    name: str,
    label: Text,
    *,
    element_id: Text,
    problem: rx.Var[str],
    longest: int,
    hint: str = "",
    live: Text = "polite",
    **control: Any,
) -> rx.Component:
    """Several lines to write on; they may stay empty. See `field`."""
    marks = _marks(element_id, problem, hint, is_required=False)
    return field_box(
        label,
        rx.el.textarea(**{"max_length": longest, "name": name, "rows": "3", **marks, **control}),
        element_id=element_id,
        problem=problem,
        hint=hint,
        is_optional=True,
        live=live,
    )


def select_field(
    label: str,
    options: Iterable[rx.Component],
    *extra: rx.Component,
    element_id: Text,
    problem: rx.Var[str],
    live: Text = "polite",
    **control: Any,
) -> rx.Component:
    """A native list: the telephone's own wheel, the keyboard's own letters. `extra` stands below it."""
    marks = _marks(element_id, problem, "", is_required=True)
    select = rx.el.div(
        rx.el.select(*options, auto_complete="off", **marks, **control),
        icon("down", size=20),
        class_name="select",
    )
    return field_box(label, select, *extra, element_id=element_id, problem=problem, live=live)


def pictures_field(element_id: Text, most: int) -> rx.Component:
    """Chooses up to so many pictures of one's own; there may be none. Its form is sent by the browser itself."""
    chooser = rx.el.input(
        id=rx.Var.create(element_id),
        type="file",
        name=PICTURES,
        accept="image/jpeg,image/png,image/webp,image/avif",
        multiple=True,
        class_name="field__input",
    )
    return field_box(
        _("Fotos, hasta {most}").format(most=most),
        chooser,
        element_id=element_id,
        problem=NO_PROBLEM,
        is_optional=True,
        live="",
    )


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
    """What stands around any control."""
    optional = [rx.el.span(f" {OPTIONAL}", class_name="field__optional")] if is_optional else []
    hints = [rx.el.p(hint, class_name="field__hint", id=_id(element_id, "hint"))] if hint else []
    return rx.el.div(
        rx.el.label(label, *optional, class_name="field__label", html_for=element_id),
        control,
        problem_of(element_id, problem, live),
        *hints,
        *extra,
        class_name="field",
    )


def problem_of(element_id: Text, problem: rx.Var[str], live: Text = "polite") -> rx.Component:
    """What is wrong with a control, said aloud when it comes up if it is `live`."""
    text = rx.el.p(
        icon("warning", size=18), problem, class_name="field__problem", id=_id(element_id, "problem")
    )
    shown = rx.cond(problem, text)
    return shown if isinstance(live, str) and not live else rx.el.div(shown, custom_attrs={"aria-live": live})


def described_by(element_id: Text, problem: rx.Var[str], hint: str = "") -> dict[str, rx.Var[Any]]:
    """The property that leads from a control to its problem and its hint."""
    hinted = _id(element_id, "hint") if hint else ABSENT
    problems = f"{element_id}-problem {element_id}-hint" if hint else f"{element_id}-problem"
    return {"aria-describedby": rx.cond(problem, problems, hinted)}


def _marks(element_id: Text, problem: rx.Var[str], hint: str, *, is_required: bool) -> dict[str, Any]:
    return {
        "id": rx.Var.create(element_id),
        "class_name": "field__input",
        "custom_attrs": {
            "aria-required": "true" if is_required else "false",
            "aria-invalid": rx.cond(problem, "true", ABSENT),
            **described_by(element_id, problem, hint),
        },
    }


def _id(element_id: Text, part: str) -> rx.Var[str]:
    """The id of what belongs to a control; a variable, as Reflex keeps a reference to every id that it knows."""
    return rx.Var.create(f"{element_id}-{part}")


def spinner_or(shape: str, is_busy: rx.Var[bool]) -> rx.Component:
    """The icon of a button that may be busy."""
    return rx.cond(is_busy, rx.el.span(class_name="spinner", aria_hidden="true"), icon(shape, size=20))


class Combobox(rx.Component):
    """Around a field with suggestions: see `assets/scripts/combobox.jsx`."""

    library = COMBOBOX
    tag = "Combobox"
    lib_dependencies: list[str] = [COMBOBOX_PACKAGE]  # noqa: RUF012 - as Reflex declares it
    answered: rx.Var[str]
    count: rx.Var[int]
    letters: rx.Var[int]
    idle: rx.Var[int]
    closes: rx.Var[str]
    is_picked: rx.Var[bool]
    is_clearing: rx.Var[bool]
    is_strict: rx.Var[bool]
    on_ask: rx.EventHandler[on_text]  # type: ignore[type-arg, valid-type]


@dataclass(frozen=True, slots=True)
class Suggestions:
    """How a combobox stands: what is typed, and whether its list or "nothing found" is shown for just that.

    `is_idle`: its list is what there is before anything is typed.
    """

    typed: str
    is_open: bool
    is_listed: bool
    is_idle: bool
    is_empty: bool
    is_current: bool


SUGGESTIONS = view(COMBOBOX, "useCombobox", Suggestions)
"""Of the combobox around the markup."""


@dataclass(frozen=True, slots=True)
class Town:
    """A municipality that may be meant."""

    value: str
    name: str
    department: str
    label: str


def town_view(town: Municipality) -> Town:
    """A municipality with its department: names repeat over the country."""
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
    """The municipality, searched for and picked from the list.

    Args:
        label: what a shopper calls it.
        towns: those that what was typed may mean.
        answered: what was typed for them.
        on_ask: the event that looks for what is typed.
        panel: `town_panel` in an `rx.memo` of its own.
        element_id: the input's id.
        problem: what is wrong with it.
        live: how its problem is said aloud.
        is_picked: whether what stands there was picked.
        control: more properties of the input.
    """
    text_field = {
        "name": "town",
        "auto_capitalize": "words",
        "auto_complete": "off",
        "enter_key_hint": "next",
        "max_length": 80,
        "placeholder": _("Escribe y elige de la lista"),
        "spell_check": False,
        **_marks(element_id, problem, "", is_required=True),
        **control,
    }
    box = rx.el.div(
        rx.el.input(**text_field),
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
    """The list of a town's field, or that there is no such town; said aloud too.

    Args:
        towns: those that what was typed may mean.
        pick: properties of the option of a town, with what picks it.
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
