"""The boxes by which a shopper agrees: empty at first, each with the text it is about one tap away."""

from typing import Any

import reflex as rx

from backend.core.texts import _
from backend.legal.texts import TITLES, LegalKind
from storefront.components.forms import Text, described_by, problem_of
from storefront.links import legal_path
from storefront.reflex_ext.hooks import ABSENT

WORDS = {
    "consent_data": (_("Autorizo que traten mis datos según la "), LegalKind.DATA),
    "consent_terms": (_("Acepto los "), LegalKind.TERMS),
}
"""What is agreed to, up to the title of the text."""


def consent_box(
    box: str, *, element_id: Text, problem: rx.Var[str], live: Text, **control: Any
) -> rx.Component:
    """A box.

    Args:
        box: its field.
        element_id: its element's id.
        problem: what is said beside it where it is missing.
        live: how that is said aloud, as `aria-live`.
        control: more properties of the input.
    """
    words, kind = WORDS[box]
    marks = {
        "aria-required": "true",
        "aria-invalid": rx.cond(problem, "true", ABSENT),
        **described_by(element_id, problem),
    }
    link = rx.el.a(TITLES[kind], href=legal_path(kind), target="_blank")
    return rx.el.div(
        rx.el.label(
            rx.el.input(
                id=rx.Var.create(element_id),
                custom_attrs=marks,
                data_testid=box.replace("_", "-"),
                **control,
            ),
            rx.el.span(words, link, "."),
            class_name="consent",
        ),
        problem_of(element_id, problem, live),
        class_name="field",
    )
