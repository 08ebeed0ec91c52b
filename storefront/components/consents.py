"""Consent checkboxes: not ticked at first, each with a link to its legal text."""

from typing import Any

import reflex as rx

from backend.core.texts import _
from backend.legal.texts import TITLES, LegalKind
from storefront.components.forms import Text, described_by, field_problem
from storefront.links import legal_path
from storefront.reflex_ext.hooks import ABSENT

CONSENT_TEXTS = {
    "consent_data": (_("Autorizo que traten mis datos según la "), LegalKind.DATA),
    "consent_terms": (_("Acepto los "), LegalKind.TERMS),
}
"""The label of each checkbox without the title of the legal text at its end, and the kind of that text."""


def consent_box(
    box: str, *, element_id: Text, problem: rx.Var[str], live: Text, **control: Any
) -> rx.Component:
    """Build a consent checkbox with its label and its error message.

    Args:
        box: the name of its field.
        element_id: id of the input element.
        problem: the message that the box must be ticked; empty or undefined if there is no problem.
        live: value of `aria-live`: how a screen reader announces the message.
        control: more props of the input element.
    """
    words, kind = CONSENT_TEXTS[box]
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
        field_problem(element_id, problem, live),
        class_name="field",
    )
