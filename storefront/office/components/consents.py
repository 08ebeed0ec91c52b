"""The list of a customer's consents with their proofs."""

import reflex as rx
from reflex.vars import ArrayVar

from backend.core.texts import _


def consents_list(consents: ArrayVar[list[tuple[str, str, str]]]) -> rx.Component:
    """Render each consent with its proof and the SHA-256 of its text.

    `consents` are results of `describe_consent`.
    """

    def consent_row(consent: ArrayVar[tuple[str, str, str]]) -> rx.Component:
        return rx.el.li(
            rx.el.p(rx.el.b(consent[0])),
            rx.el.p(consent[1], class_name="o-row__detail"),
            rx.cond(
                consent[2] != "",
                rx.el.p("SHA-256 ", consent[2], class_name="o-row__detail o-consent__digest"),
            ),
            key=f"{consent[0]}-{consent[1]}",
        )

    return rx.el.ul(rx.foreach(consents, consent_row), class_name="o-consents", aria_label=_("Lo que aceptó"))
