"""What somebody agreed to, with its proof."""

import reflex as rx
from reflex.vars import ArrayVar

from backend.core.texts import _


def consents_list(consents: ArrayVar[list[tuple[str, str, str]]]) -> rx.Component:
    """Each with what was agreed to, the proof, and the text's SHA-256: the texts of `consent_in_words`."""

    def one(consent: ArrayVar[tuple[str, str, str]]) -> rx.Component:
        return rx.el.li(
            rx.el.p(rx.el.b(consent[0])),
            rx.el.p(consent[1], class_name="o-row__detail"),
            rx.cond(
                consent[2] != "",
                rx.el.p("SHA-256 ", consent[2], class_name="o-row__detail o-consent__digest"),
            ),
            key=f"{consent[0]}-{consent[1]}",
        )

    return rx.el.ul(rx.foreach(consents, one), class_name="o-consents", aria_label=_("Lo que aceptó"))
