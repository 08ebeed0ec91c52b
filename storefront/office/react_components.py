"""The office's parts that live in the browser: small React components in `assets/scripts/office`."""

from dataclasses import dataclass
from typing import Any

import reflex as rx
from reflex.vars import ObjectVar

from storefront.components.forms import Combobox
from storefront.components.react_components import on_nothing, on_value
from storefront.office.state import Told
from storefront.reflex_ext.hooks import hook, script, view

SHELL = script("office/shell")
FORMS = script("office/forms")
ORDERED = script("office/ordered")
TOLD = script("office/told")
CHOOSING = script("office/choosing")

IS_OFFLINE: rx.Var[bool] = hook(SHELL, "useIsOffline").to(bool)
"""Whether the browser knows that it has no network."""


class OfficeShell(rx.Component):
    """Around every screen: its states, its styles and its keys."""

    library = SHELL
    tag = "OfficeShell"


class OfficeSearch(Combobox):
    """The search around its field."""

    library = script("office/search")
    tag = "OfficeSearch"
    label: rx.Var[str]


class EditForm(rx.Component):
    """A form that knows whether it was changed, and asks before anybody leaves it so."""

    library = FORMS
    tag = "EditForm"
    answers: rx.Var[int]
    is_good: rx.Var[bool]
    question: rx.Var[str]
    shown: rx.Var[str]
    met: rx.Var[int]
    on_save: rx.EventHandler[on_value]  # type: ignore[type-arg, valid-type]
    on_discard: rx.EventHandler[on_nothing]  # type: ignore[type-arg, valid-type]


@dataclass(frozen=True, slots=True)
class Edited:
    """How the form around the markup stands; `reset` are properties of the button that drops what was changed."""

    is_dirty: bool
    is_busy: bool
    reset: Any


EDITED: ObjectVar[Edited] = view(FORMS, "useEdited", Edited)


class Ordered(rx.Component):
    """Rows of an `EditForm` that are put into order, added and taken away."""

    library = ORDERED
    tag = "Ordered"
    items: rx.Var[Any]
    blank: rx.Var[Any]
    least: rx.Var[int]
    placed: rx.Var[str]
    again: rx.Var[dict[str, int]]


@dataclass(frozen=True, slots=True)
class OrderedRows:
    """The rows as they stand, and how many there are."""

    rows: list[Any]
    count: int


ROWS: ObjectVar[OrderedRows] = view(ORDERED, "useRows", OrderedRows)
"""Of the `Ordered` around the markup."""


def on_act(action: rx.Var[str], ids: rx.Var[list[str]]) -> list[rx.Var[Any]]:
    """An event that carries what to do, and the ids of what it is to be done with."""
    return [action, ids]


class Choosing(rx.Component):
    """A form around rows with boxes, and buttons for all that are chosen. Rows with forms need `holds_forms`."""

    library = CHOOSING
    tag = "Choosing"
    answers: rx.Var[int]
    holds_forms: rx.Var[bool]
    on_act: rx.EventHandler[on_act]  # type: ignore[type-arg, valid-type]
    on_print: rx.EventHandler[on_value]  # type: ignore[type-arg, valid-type]


@dataclass(frozen=True, slots=True)
class Chosen:
    """How many rows are chosen; properties of the box that chooses all, and of the button that chooses none."""

    count: int
    is_busy: bool
    every: Any
    none: Any


CHOSEN: ObjectVar[Chosen] = view(CHOOSING, "useChosen", Chosen)
"""Of the `Choosing` around the markup."""


@dataclass(frozen=True, slots=True)
class Shown:
    """A message while it is shown, and properties of what holds it there and what takes it away."""

    shown: Told
    hold: Any
    leaving: Any


class Telling(rx.Component):
    """Around what shows the messages that its variable holds one after the other."""

    library = TOLD
    tag = "Told"
    message: rx.Var[Any]


NOW: ObjectVar[Shown] = view(TOLD, "useTold", Shown)
"""Of the `Telling` around the markup."""
SAID = NOW.shown
"""The message that is shown now."""
