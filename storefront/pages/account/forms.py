"""The account's forms, and their parts that run in the browser: see `assets/scripts/account.jsx`."""

from typing import Any

import reflex as rx
from reflex.vars import ObjectVar

from backend.core.texts import _
from backend.customers.auth.google_routes import OWN_PAGE
from storefront.components.forms import SubmitOnce, Text, field
from storefront.components.http_forms import ANSWER, SCRIPT, HttpForm, form_result
from storefront.pages.account.state import AccountState, FormAnswer
from storefront.reflex_ext.hooks import function, hook, text_at

HAS_TOKEN: rx.Var[bool] = hook(SCRIPT, "useHasToken").to(bool)
"""True if the URL contained a link's token."""
DROP_TOKEN = function(SCRIPT, "dropToken")
NEXT_QUERY: rx.Var[str] = hook(SCRIPT, "useNextQuery", OWN_PAGE.pattern).to(str)
"""Query string that carries the page's `next` parameter over to another page."""


def account_field(
    name: str,
    label: str,
    autocomplete: str,
    answer: ObjectVar[Any],
    form: Text,
    *,
    kind: str = "text",
    **more: Any,
) -> rx.Component:
    """Build a text field. Only the browser stores its text until the form is submitted.

    Args:
        name: the field's name in the submitted form.
        label: the visible label.
        autocomplete: the `autocomplete` value.
        answer: the response to the form, which has the error of each field.
        form: the form's name.
        kind: the input's type.
        more: further arguments of `field`.
    """
    if kind in ("email", "password"):
        more["auto_capitalize"] = "none"
    return field(
        name,
        label,
        element_id=f"{form}-{name}",
        problem=problem_text(answer, name),
        type=kind,
        auto_complete=autocomplete,
        live="",
        **more,
    )


def problem_text(answer: ObjectVar[Any], name: str) -> rx.Var[str]:
    """Return the problem of a field in the form's response."""
    return text_at(answer.problems, name)


def form_answer(form: Text) -> ObjectVar[FormAnswer]:
    """Return the response to this form; empty if another form was submitted later, or none."""
    is_mine = AccountState.answer.form == form
    return rx.cond(is_mine, AccountState.answer, FormAnswer()).to(ObjectVar, FormAnswer)


def event_form(form: Text, on_submit: Any, submit: str, *content: rx.Component) -> rx.Component:
    """Build a form that is submitted by an event. Further clicks are ignored until the answer arrives."""
    button = rx.el.button(
        rx.el.span(submit, class_name="when-idle"),
        rx.el.span(_("Guardando…"), class_name="when-busy"),
        type="submit",
        class_name="button button--dark",
    )
    return SubmitOnce.create(
        rx.el.form(
            form_result(form_answer(form)),
            *content,
            button,
            class_name="account-form",
            no_validate=True,
            on_submit=on_submit,
        ),
        answers=AccountState.answer.number,
    )


def sign_out_button(action: str, label: str, leads_to: str, test_id: str) -> rx.Component:
    """Build a button that ends the session."""
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
