"""The account's forms, and their parts that live in the browser: see `assets/scripts/account.jsx`."""

from typing import Any

import reflex as rx
from reflex.vars import ObjectVar

from backend.core.texts import _
from backend.customers.auth.google_routes import OWN_PAGE
from storefront.components.forms import Once, Text, field
from storefront.components.http_forms import ANSWER, SCRIPT, HttpForm, result_of
from storefront.pages.account.state import AccountState, FormAnswer
from storefront.reflex_ext.hooks import function, hook, text_at

HAS_TOKEN: rx.Var[bool] = hook(SCRIPT, "useHasToken").to(bool)
"""Whether the address carried a link's token."""
DROP_TOKEN = function(SCRIPT, "dropToken")
KEEPING: rx.Var[str] = hook(SCRIPT, "useKeeping", OWN_PAGE.pattern).to(str)
"""What keeps in an address where the page's own says to go on to."""


def account_field(
    name: str, label: str, fill: str, answer: ObjectVar[Any], form: Text, *, kind: str = "text", **more: Any
) -> rx.Component:
    """A line to write on: what it holds is the browser's until the form is sent.

    Args:
        name: what its text is sent as.
        label: what a customer calls it.
        fill: what the browser may fill it with, as `autocomplete`.
        answer: what came of its form, which says what is wrong with it.
        form: the form's name.
        kind: the input's type.
        more: see `field`.
    """
    if kind in ("email", "password"):
        more["auto_capitalize"] = "none"
    return field(
        name,
        label,
        element_id=f"{form}-{name}",
        problem=problem_in(answer, name),
        type=kind,
        auto_complete=fill,
        live="",
        **more,
    )


def problem_in(answer: ObjectVar[Any], name: str) -> rx.Var[str]:
    """What an answer says is wrong with a field."""
    return text_at(answer.problems, name)


def answer_of(form: Text) -> ObjectVar[FormAnswer]:
    """What came of the form that was sent last, if that is this one."""
    is_mine = AccountState.answer.form == form
    return rx.cond(is_mine, AccountState.answer, FormAnswer()).to(ObjectVar, FormAnswer)


def event_form(form: Text, on_submit: Any, submit: str, *content: rx.Component) -> rx.Component:
    """A form that is sent by an event, once however often it is pressed."""
    button = rx.el.button(
        rx.el.span(submit, class_name="when-idle"),
        rx.el.span(_("Guardando…"), class_name="when-busy"),
        type="submit",
        class_name="button button--dark",
    )
    return Once.create(
        rx.el.form(
            result_of(answer_of(form)),
            *content,
            button,
            class_name="account-form",
            no_validate=True,
            on_submit=on_submit,
        ),
        answers=AccountState.answer.number,
    )


def sign_out(action: str, label: str, leads_to: str, test_id: str) -> rx.Component:
    """A button that ends the session."""
    button = rx.el.button(
        label,
        type="submit",
        class_name="button button--quiet button--small",
        disabled=ANSWER.is_busy,
        data_testid=test_id,
    )
    return HttpForm.create(
        button,
        action=action,
        next=leads_to,
        done="",
        offline="",
        failed="",
        own_page="",
        class_name="contents",
    )
