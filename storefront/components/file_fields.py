"""Fields for files of a form that the browser sends: see `assets/scripts/file_field.jsx`."""

from typing import Any

import reflex as rx

from backend.core.texts import _
from backend.media.picture_forms import PICTURES
from backend.media.uploads import MAX_FILE_BYTES
from storefront.components.forms import OPTIONAL, Text
from storefront.components.http_forms import ANSWER
from storefront.components.icons import icon
from storefront.reflex_ext.hooks import script, text_at

MAX_FILE_SIZE = f"{MAX_FILE_BYTES >> 20} MB"
PICTURE_TYPES = "image/jpeg,image/png,image/webp,image/avif"
"""Accepted picture types. HEIC is missing, so that an iPhone sends its photos as JPEG."""
TEXTS = {
    "remove": _("Quitar"),
    "removed": _("Quitaste {name}."),
    "too_large": _("{name} pesa demasiado: hasta {most}.").format(name="{name}", most=MAX_FILE_SIZE),
}


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
        **TEXTS,
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
            texts={**TEXTS, "rules": rules, "wrong_type": wrong_type, "too_many": ""},
            problem=problem,
        ),
        class_name="field",
    )
