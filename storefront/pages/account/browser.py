"""The account's forms, and their parts that live in the browser: see `assets/scripts/account.jsx`."""

from dataclasses import dataclass
from typing import Any

import reflex as rx
from reflex.vars import ObjectVar

from backend.customers.google_routes import OWN_PAGE
from backend.texts import _
from storefront.components.forms import Once, Text, field
from storefront.components.hooks import ABSENT, function, hook, script, text_at, view
from storefront.components.icons import icon
from storefront.pages.account.state import AccountState, FormAnswer
from storefront.state.frame import FAILURE

SCRIPT = script("account")
OFFLINE = _("No hay conexión. Revisa tu internet e inténtalo otra vez.")

HAS_TOKEN: rx.Var[bool] = hook(SCRIPT, "useHasToken").to(bool)
"""Whether the address carried a link's token."""
DROP_TOKEN = function(SCRIPT, "dropToken")
KEEPING: rx.Var[str] = hook(SCRIPT, "useKeeping", OWN_PAGE.pattern).to(str)
"""What keeps in an address where the page's own says to go on to."""


@dataclass(frozen=True, slots=True)
class HttpAnswer:
    """What came of a form that was sent by HTTP."""

    number: int
    is_good: bool
    message: str
    problems: dict[str, str]
    is_busy: bool


ANSWER = view(SCRIPT, "useAnswer", HttpAnswer)


class HttpForm(rx.Component):
    """A form that is sent by HTTP, as its answer sets a cookie. `next` is where it leads; or `done` is said.

    `offline` is said without a connection, `failed` when it could not be answered; a notice in place of an empty text.

    `form_action` is where a browser without scripts sends it.
    """

    library = SCRIPT
    tag = "HttpForm"
    action: rx.Var[str]
    form_action: rx.Var[str]
    next: rx.Var[str]
    done: rx.Var[str]
    offline: rx.Var[str]
    failed: rx.Var[str]
    own_page: rx.Var[str]


class Answered(rx.Component):
    """Says what came of the form around it; its focus follows the answer."""

    library = SCRIPT
    tag = "Answered"
    number: rx.Var[int]
    is_good: rx.Var[bool]


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
            _said(answer_of(form)),
            *content,
            button,
            class_name="account-form",
            no_validate=True,
            on_submit=on_submit,
        ),
        answers=AccountState.answer.number,
    )


def http_form(
    *content: rx.Component,
    action: str,
    submit: str,
    busy: str,
    look: str = "primary",
    leads_to: str = "",
    done: str = "",
    without_scripts: str = "",
    test_id: str = "",
) -> rx.Component:
    """A form that is sent by HTTP.

    Args:
        content: its fields.
        action: where it is sent.
        submit: what its button says.
        busy: what its button says until the answer is there.
        look: how its button looks.
        leads_to: the page after it.
        done: what is said when all is well, if it leads nowhere.
        without_scripts: where a browser without scripts sends it, if it can.
        test_id: the button's `data-testid`.
    """
    button = _submit(submit, busy, ANSWER.is_busy, look, test_id)
    return HttpForm.create(
        _said(ANSWER),
        *content,
        button,
        action=action,
        form_action=without_scripts or ABSENT,
        next=leads_to,
        done=done,
        offline=OFFLINE,
        failed=FAILURE,
        own_page=OWN_PAGE.pattern,
        class_name="account-form",
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


def _said(answer: ObjectVar[Any]) -> rx.Component:
    kind = rx.cond(answer.is_good, "account-form__said account-form__said--good", "account-form__said")
    shape = rx.cond(answer.is_good, icon("check", size=20), icon("warning", size=20))
    return Answered.create(
        rx.cond(answer.message, rx.el.p(shape, answer.message, class_name=kind)),
        number=answer.number,
        is_good=answer.is_good,
    )


def _submit(submit: str, busy: str, is_busy: rx.Var[bool], look: str, test_id: str) -> rx.Component:
    return rx.el.button(
        rx.cond(is_busy, busy, submit),
        type="submit",
        **({"data_testid": test_id} if test_id else {}),
        class_name=f"button button--{look}",
        custom_attrs={"aria-busy": rx.cond(is_busy, "true", ABSENT)},
    )
