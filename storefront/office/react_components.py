"""The office's small React components in `assets/scripts/office`."""

from dataclasses import dataclass
from typing import Any

import reflex as rx
from reflex.vars import ObjectVar

from storefront.components.forms import Combobox
from storefront.components.react_components import on_nothing, on_value
from storefront.office.state import Announcement
from storefront.reflex_ext.hooks import hook, script, view

SHELL_SCRIPT = script("office/shell")
FORMS_SCRIPT = script("office/forms")
REORDER_SCRIPT = script("office/reorder")
ANNOUNCER_SCRIPT = script("office/announcer")
SELECTION_SCRIPT = script("office/selection")
ZXING = "@zxing/library@0.23.0"
"""The package that `assets/scripts/office/camera.jsx` loads to read codes."""

IS_OFFLINE: rx.Var[bool] = hook(SHELL_SCRIPT, "useIsOffline").to(bool)
"""True if the browser reports that it has no network."""


class OfficeShell(rx.Component):
    """Wrapper of every office screen. It provides shared state, styles and keyboard shortcuts."""

    library = SHELL_SCRIPT
    tag = "OfficeShell"


class OfficeSearch(Combobox):
    """Wrapper of the search field, which becomes a combobox with suggestions of the office."""

    library = script("office/search")
    tag = "OfficeSearch"
    label: rx.Var[str]


class EditForm(rx.Component):
    """A form that tracks changes, and asks for confirmation before the staff member leaves with unsaved changes.

    `shown_values` are the displayed values as text. They may change while the staff member edits the form. In its field
    `seen`, the form sends the values that were displayed when editing began, or at the latest change of
    `conflict_count`: then the staff member saw the conflicting changes of another.
    """

    library = FORMS_SCRIPT
    tag = "EditForm"
    answers: rx.Var[int]
    is_good: rx.Var[bool]
    question: rx.Var[str]
    shown_values: rx.Var[str]
    conflict_count: rx.Var[int]
    on_save: rx.EventHandler[on_value]  # type: ignore[type-arg, valid-type]
    on_edit: rx.EventHandler[on_value]  # type: ignore[type-arg, valid-type]
    on_discard: rx.EventHandler[on_nothing]  # type: ignore[type-arg, valid-type]


class FormValue(rx.Component):
    """A value of the enclosing form that the screen sets; a change of it counts as an edit."""

    library = FORMS_SCRIPT
    tag = "FormValue"
    name: rx.Var[str]
    value: rx.Var[str]


class PushDevice(rx.Component):
    """The button with which this browser subscribes to push messages: see `assets/scripts/office/push.jsx`."""

    library = script("office/push")
    tag = "PushDevice"
    public_key: rx.Var[str]
    is_on: rx.Var[bool]
    texts: rx.Var[dict[str, str]]
    on_subscribe: rx.EventHandler[on_value]  # type: ignore[type-arg, valid-type]


@dataclass(frozen=True, slots=True)
class EditFormState:
    """State of the surrounding `EditForm`. `reset` contains the React props of the button that discards the changes."""

    is_dirty: bool
    is_busy: bool
    reset: Any


EDIT_FORM: ObjectVar[EditFormState] = view(FORMS_SCRIPT, "useEditForm", EditFormState)


class ReorderableRows(rx.Component):
    """Rows of an `EditForm` that can be reordered, added and removed."""

    library = REORDER_SCRIPT
    tag = "ReorderableRows"
    items: rx.Var[Any]
    blank: rx.Var[Any]
    min_count: rx.Var[int]
    moved_text: rx.Var[str]
    restored: rx.Var[dict[str, int]]


@dataclass(frozen=True, slots=True)
class OrderedRows:
    """State of a `ReorderableRows` in the browser: its rows in their current order, and how many there are."""

    rows: list[Any]
    count: int


ROWS: ObjectVar[OrderedRows] = view(REORDER_SCRIPT, "useRows", OrderedRows)
"""State of the surrounding `ReorderableRows`."""


def react_key(row: ObjectVar[Any]) -> rx.Var[Any]:
    """Return the React key of a row of a `ReorderableRows`.

    An added row keeps it when the save gives it the server's key, so that text typed in the meantime stays. The row
    must not contain a select field: React sets the value of one only when it creates it.
    """
    return row.to(ObjectVar, dict[str, str])["react_key"]


def selection_event(action: rx.Var[str], ids: rx.Var[list[str]]) -> list[rx.Var[Any]]:
    """Return the arguments of a selection event for Reflex: the action, and the ids of the selected rows."""
    return [action, ids]


class RowSelection(rx.Component):
    """Wrapper of rows with checkboxes, and of the actions for the selected rows.

    It is a form, unless `holds_forms` is True because the rows contain forms.
    """

    library = SELECTION_SCRIPT
    tag = "RowSelection"
    answers: rx.Var[int]
    holds_forms: rx.Var[bool]
    on_act: rx.EventHandler[selection_event]  # type: ignore[type-arg, valid-type]
    on_print: rx.EventHandler[on_value]  # type: ignore[type-arg, valid-type]


@dataclass(frozen=True, slots=True)
class SelectionState:
    """State of the surrounding `RowSelection`.

    Attributes:
        count: number of selected rows.
        is_busy: True while an action runs.
        select_all: React props of the checkbox that selects all rows.
        clear: React props of the button that clears the selection.
    """

    count: int
    is_busy: bool
    select_all: Any
    clear: Any


SELECTION: ObjectVar[SelectionState] = view(SELECTION_SCRIPT, "useSelection", SelectionState)
"""State of the surrounding `RowSelection`."""


@dataclass(frozen=True, slots=True)
class ShownAnnouncement:
    """The displayed announcement, and React props: `box` of its element, and `dismiss` of its close button."""

    shown: Announcement
    box: Any
    dismiss: Any


class Announcer(rx.Component):
    """Wrapper that displays the announcements in `message` one after the other."""

    library = ANNOUNCER_SCRIPT
    tag = "Announcer"
    message: rx.Var[Any]


ANNOUNCER: ObjectVar[ShownAnnouncement] = view(ANNOUNCER_SCRIPT, "useAnnouncement", ShownAnnouncement)
"""State of the surrounding `Announcer`."""
ANNOUNCEMENT = ANNOUNCER.shown
"""The message that is shown."""
