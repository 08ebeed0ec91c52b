"""The account's parts that live in the browser: see `assets/scripts/account.jsx`."""

from typing import Any

import reflex as rx

from storefront.components.browser import Texts, on_nothing, on_text

SCRIPT = "$/public/scripts/account.jsx"


def on_form(values: rx.Var[Any]) -> list[rx.Var[Any]]:
    """What a form holds."""
    return [values]


class AccountForm(rx.Component):
    """A form that is submitted by HTTP, as its answer sets a cookie. `next` is where it leads; or `done` is said."""

    library = SCRIPT
    tag = "AccountForm"
    action: rx.Var[str]
    next: rx.Var[str]
    done: rx.Var[str]
    texts: rx.Var[Texts]


class EventForm(rx.Component):
    """A form that is submitted by an event. `answer` tells what came of it."""

    library = SCRIPT
    tag = "EventForm"
    name: rx.Var[str]
    answer: rx.Var[Any]
    texts: rx.Var[Texts]
    on_send: rx.EventHandler[on_form]  # type: ignore[type-arg, valid-type]


class AccountField(rx.Component):
    """A field with its label and what is wrong with it."""

    library = SCRIPT
    tag = "AccountField"
    name: rx.Var[str]
    label: rx.Var[str]
    kind: rx.Var[str]
    fill: rx.Var[str]
    hint: rx.Var[str]
    optional: rx.Var[str]
    value: rx.Var[str]


class HiddenField(rx.Component):
    """What a form says without asking."""

    library = SCRIPT
    tag = "HiddenField"
    name: rx.Var[str]
    value: rx.Var[str]


class TownField(rx.Component):
    """The municipality, with suggestions."""

    library = SCRIPT
    tag = "TownField"
    label: rx.Var[str]
    hint: rx.Var[str]
    value: rx.Var[str]
    towns: rx.Var[list[str]]
    on_type: rx.EventHandler[on_text]  # type: ignore[type-arg, valid-type]


class SignOut(rx.Component):
    """A button that ends the session."""

    library = SCRIPT
    tag = "SignOut"
    action: rx.Var[str]
    label: rx.Var[str]
    next: rx.Var[str]
    test_id: rx.Var[str]


class RemoveButton(rx.Component):
    """A button that takes something away, once it was pressed twice."""

    library = SCRIPT
    tag = "RemoveButton"
    label: rx.Var[str]
    texts: rx.Var[Texts]
    on_remove: rx.EventHandler[on_nothing]  # type: ignore[type-arg, valid-type]


class GoogleLink(rx.Component):
    """The way to Google, which leads back to where the page's address says."""

    library = SCRIPT
    tag = "GoogleLink"
    label: rx.Var[str]


class WayLink(rx.Component):
    """Leads from one way in to another, and keeps where the page's address says to go on to."""

    library = SCRIPT
    tag = "WayLink"
    to: rx.Var[str]


class WithLink(rx.Component):
    """Shows its children when the address carries a link's token, or when it carries none."""

    library = SCRIPT
    tag = "WithLink"
    has: rx.Var[bool]


class DropLink(rx.Component):
    """Forgets the link's token, so that another one can be asked for."""

    library = SCRIPT
    tag = "DropLink"
    label: rx.Var[str]
