"""Forms that a script submits over HTTP, their results, and fields for files.

See `HttpForm` in `assets/scripts/account.jsx`, and `assets/scripts/file_field.jsx`.
"""

from dataclasses import dataclass
from typing import Any

import reflex as rx
from reflex.vars import ObjectVar

from backend.core.error_texts import FAILURE
from backend.core.texts import _
from backend.customers.auth.google_routes import OWN_PAGE
from backend.media.picture_forms import PICTURES
from backend.media.uploads import MAX_FILE_BYTES
from storefront.components.forms import OPTIONAL, Text
from storefront.components.icons import icon
from storefront.reflex_ext.hooks import ABSENT, script, text_at, view

SCRIPT = script("account")
OFFLINE = _("No hay conexión. Revisa tu internet e inténtalo otra vez.")
MAX_FILE_SIZE = f"{MAX_FILE_BYTES >> 20} MB"
PICTURE_TYPES = "image/jpeg,image/png,image/webp,image/avif"
"""Accepted picture types. HEIC is missing, so that an iPhone sends its photos as JPEG."""
FILE_TEXTS = {
    "remove": _("Quitar"),
    "removed": _("Quitaste {name}."),
    "too_large": _("{name} pesa demasiado: hasta {most}.").format(name="{name}", most=MAX_FILE_SIZE),
}


@dataclass(frozen=True, slots=True)
class HttpAnswer:
    """The response to a form that was submitted over HTTP."""

    number: int
    is_good: bool
    message: str
    problems: dict[str, str]
    is_busy: bool


ANSWER = view(SCRIPT, "useAnswer", HttpAnswer)


class HttpForm(rx.Component):
    """A form that a script submits over HTTP, because the response sets a cookie.

    Attributes:
        action: the URL that receives the form.
        form_action: the URL that receives the form in a browser without scripts.
        next: the page that opens after success. The response, or the `next` parameter of the page's URL, may
            replace it.
        done: the text that is displayed after success if no page opens.
        offline: the text for a lost connection; if empty, a notice is shown.
        failed: the text for a server error; if empty, a notice is shown.
        own_page: regular expression of the paths that the URL's `next` parameter may have; others are ignored.
        has_files: True if the form has files. The browser then validates it.
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


class FormResult(rx.Component):
    """A component that displays the result of the enclosing form. It receives the focus when the response arrives."""

    library = SCRIPT
    tag = "FormResult"
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
    """Build a form that a script submits over HTTP.

    Args:
        content: the form's fields.
        action: the URL that receives the form.
        submit: the button's text.
        busy: the button's text while the response is pending.
        look: the button's style.
        leads_to: the path of the page that opens after success.
        done: the text that is displayed after success if no page opens.
        without_scripts: the URL that receives the form in a browser without scripts; empty if there is none.
        test_id: the button's `data-testid`.
    """
    button = _submit_button(submit, busy, ANSWER.is_busy, look, test_id)
    return HttpForm.create(
        form_result(ANSWER),
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
    """Build a form with files. A script submits it, so that the typed text is not lost if the connection fails.

    Args:
        content: the form's fields.
        action: the URL that receives the form.
        submit: the button's text.
        look: the button's style.
        test_id: the button's `data-testid`.
        class_name: the form's class.
        after: an element below the button.
        more: more props: see `HttpForm`.
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
    """Build the result and the button of a form with files. Being a memo, it also works in a form inside a list."""
    return rx.fragment(
        form_result(ANSWER), _submit_button(submit, _("Enviando…"), ANSWER.is_busy, look, test_id)
    )


class FileField(rx.Component):
    """A file input with a button in the shop's design, and the list of chosen files.

    Attributes:
        element_id: id of the input; a label outside may refer to it.
        name: the field's name in the submitted form.
        accept: accepted types, separated by commas.
        max_count: maximum number of files. With more than one, a second choice adds files.
        max_bytes: maximum size of a file.
        is_required: True if a file must be chosen.
        texts: `rules` (shown below the button), `remove`, and the messages `removed`, `too_large` and `wrong_type`
            with the placeholder `{name}`, and `too_many`.
        problem: the server's message about the files; empty or undefined if there is none.
    """

    library = script("file_field")
    tag = "FileField"
    element_id: rx.Var[str]
    name: rx.Var[str]
    accept: rx.Var[str]
    max_count: rx.Var[int]
    max_bytes: rx.Var[int]
    is_required: rx.Var[bool]
    texts: rx.Var[dict[str, str]]
    problem: rx.Var[str]


def pictures_field(element_id: Text, max_count: int) -> rx.Component:
    """Build an optional field for up to `max_count` pictures, in a form of `file_form`."""
    return rx.el.div(
        rx.el.label(
            _("Fotos"),
            rx.el.span(f" {OPTIONAL}", class_name="field__optional"),
            class_name="field__label",
            html_for=element_id,
        ),
        _picture_input(element_id=element_id, max_count=max_count),
        class_name="field",
    )


@rx.memo
def _picture_input(element_id: rx.Var[str], max_count: rx.Var[int]) -> rx.Component:
    # a memo, because the form may be an item of a list, and its answer is known only inside it
    most = max_count.to_string()
    texts = {
        **FILE_TEXTS,
        "rules": _("Hasta {count}, en JPEG, PNG, WebP o AVIF, de máximo {most} cada una.").format(
            count=most, most=MAX_FILE_SIZE
        ),
        "wrong_type": _("{name} no es una foto JPEG, PNG, WebP ni AVIF.").format(name="{name}"),
        "too_many": _("Son máximo {count}: dejamos las primeras.").format(count=most),
    }
    return FileField.create(
        icon("plus", size=20),
        _("Elegir fotos"),
        element_id=element_id,
        name=PICTURES,
        accept=PICTURE_TYPES,
        max_count=max_count,
        max_bytes=MAX_FILE_BYTES,
        is_required=False,
        texts=texts,
        problem=text_at(ANSWER.problems, PICTURES),
    )


def document_field(
    name: str, label: str, *, element_id: str, problem: rx.Var[Any], rules: str, wrong_type: str
) -> rx.Component:
    """Build a required field for one picture or PDF.

    Args:
        name: the field's name in the submitted form.
        label: the visible label.
        element_id: id of the input element.
        problem: the server's message about the file.
        rules: the accepted types and sizes.
        wrong_type: the message about a file of another type; `{name}` is the file's name.
    """
    return rx.el.div(
        rx.el.label(label, class_name="field__label", html_for=element_id),
        FileField.create(
            icon("plus", size=20),
            _("Elegir el archivo"),
            element_id=rx.Var.create(element_id),
            name=name,
            accept="image/*,application/pdf",
            max_count=1,
            max_bytes=MAX_FILE_BYTES,
            is_required=True,
            texts={**FILE_TEXTS, "rules": rules, "wrong_type": wrong_type, "too_many": ""},
            problem=problem,
        ),
        class_name="field",
    )


def form_result(answer: ObjectVar[Any]) -> rx.Component:
    """Build the message about the form's result. `answer` is an `HttpAnswer` or an object with the same fields."""
    kind = rx.cond(answer.is_good, "account-form__said account-form__said--good", "account-form__said")
    shape = rx.cond(answer.is_good, icon("check", size=20), icon("warning", size=20))
    return FormResult.create(
        rx.cond(answer.message, rx.el.p(shape, answer.message, class_name=kind)),
        number=answer.number,
        is_good=answer.is_good,
    )


def _submit_button(submit: Text, busy: str, is_busy: rx.Var[bool], look: Text, test_id: Text) -> rx.Component:
    return rx.el.button(
        rx.cond(is_busy, busy, submit),
        type="submit",
        **({"data_testid": test_id} if isinstance(test_id, rx.Var) or test_id else {}),
        class_name=f"button button--{look}",
        custom_attrs={"aria-busy": rx.cond(is_busy, "true", ABSENT)},
    )
