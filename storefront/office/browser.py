"""The office's parts that live in the browser: small React components in `assets/scripts/office`."""

from dataclasses import dataclass
from typing import Any

import reflex as rx
from reflex.vars import ObjectVar

from storefront.components.browser import on_value
from storefront.components.forms import Combobox
from storefront.components.hooks import hook, script, view
from storefront.office.state import Told

SHELL = script("office/shell")
FORMS = script("office/forms")
TOLD = script("office/told")

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
    on_save: rx.EventHandler[on_value]  # type: ignore[type-arg, valid-type]


@dataclass(frozen=True, slots=True)
class Edited:
    """How the form around the markup stands; `reset` are properties of the button that drops what was changed."""

    is_dirty: bool
    is_busy: bool
    reset: Any


EDITED: ObjectVar[Edited] = view(FORMS, "useEdited", Edited)


@dataclass(frozen=True, slots=True)
class Shown:
    """A message while it is shown, and properties of what holds it there and what takes it away."""

    shown: Any
    hold: Any
    leaving: Any


class Telling(rx.Component):
    """Around what shows the messages that its variable holds one after the other."""

    library = TOLD
    tag = "Told"
    message: rx.Var[Any]


NOW: ObjectVar[Shown] = view(TOLD, "useTold", Shown)
"""Of the `Telling` around the markup."""
SAID = NOW.shown.to(ObjectVar, Told)
"""The message that is shown now."""
