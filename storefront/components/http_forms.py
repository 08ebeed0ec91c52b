"""Forms that are sent by HTTP, with their answers: see `HttpForm` in `assets/scripts/account.jsx`."""

from dataclasses import dataclass
from typing import Any

import reflex as rx
from reflex.vars import ObjectVar

from backend.core.error_texts import FAILURE
from backend.core.texts import _
from backend.customers.auth.google_routes import OWN_PAGE
from storefront.components.forms import Text
from storefront.components.icons import icon
from storefront.reflex_ext.hooks import ABSENT, script, view

SCRIPT = script("account")
OFFLINE = _("No hay conexión. Revisa tu internet e inténtalo otra vez.")


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

    `form_action` is where a browser without scripts sends it. `has_files`: it carries files, and the browser checks it.
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
    has_files: rx.Var[bool]


class Answered(rx.Component):
    """Says what came of the form around it; its focus follows the answer."""

    library = SCRIPT
    tag = "Answered"
    number: rx.Var[int]
    is_good: rx.Var[bool]


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
        result_of(ANSWER),
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


def file_form(
    *content: rx.Component,
    action: rx.Var[str],
    submit: Text,
    look: str,
    test_id: str,
    class_name: str,
    after: rx.Component | None = None,
    **more: Any,
) -> rx.Component:
    """Build a form with files. A script sends it, so that what is typed outlives a connection.

    Args:
        content: its fields.
        action: where it is sent.
        submit: what its button says.
        look: how its button looks.
        test_id: the button's `data-testid`.
        class_name: the form's.
        after: shown below the button.
        more: see `HttpForm`.
    """
    return HttpForm.create(
        *content,
        file_form_end(submit=submit, look=look, test_id=test_id),
        *([after] if after is not None else []),
        action=action,
        form_action=action,
        next="/",
        done="",
        offline=OFFLINE,
        failed=FAILURE,
        own_page=OWN_PAGE.pattern,
        has_files=True,
        class_name=class_name,
        **more,
    )


@rx.memo
def file_form_end(submit: rx.Var[str], look: rx.Var[str], test_id: rx.Var[str]) -> rx.Component:
    """Build the button of a form with files, and what is said above it. A memo: the form may be one of a list."""
    return rx.fragment(result_of(ANSWER), _submit(submit, _("Enviando…"), ANSWER.is_busy, look, test_id))


def result_of(answer: ObjectVar[Any]) -> rx.Component:
    """Build the place where a form says what its sending came to; `answer` is an `HttpAnswer` or its like."""
    kind = rx.cond(answer.is_good, "account-form__said account-form__said--good", "account-form__said")
    shape = rx.cond(answer.is_good, icon("check", size=20), icon("warning", size=20))
    return Answered.create(
        rx.cond(answer.message, rx.el.p(shape, answer.message, class_name=kind)),
        number=answer.number,
        is_good=answer.is_good,
    )


def _submit(submit: Text, busy: str, is_busy: rx.Var[bool], look: Text, test_id: Text) -> rx.Component:
    return rx.el.button(
        rx.cond(is_busy, busy, submit),
        type="submit",
        **({"data_testid": test_id} if isinstance(test_id, rx.Var) or test_id else {}),
        class_name=f"button button--{look}",
        custom_attrs={"aria-busy": rx.cond(is_busy, "true", ABSENT)},
    )
