"""A numbered step of the checkout's form."""

import reflex as rx

from backend.core.texts import _
from storefront.components.icons import icon


def step(
    number: int, title: str | rx.Var[str], is_done: rx.Var[bool], *content: rx.Component
) -> rx.Component:
    """Build a numbered step of the form. When the step is complete, a tick replaces the number."""
    heading = f"paso-{number}"
    return rx.el.section(
        rx.el.h2(
            rx.el.span(
                rx.cond(is_done, icon("check", size=18), rx.el.span(number)),
                class_name="step__number",
                data_done=rx.cond(is_done, "true", "false"),
                aria_hidden="true",
            ),
            title,
            rx.cond(is_done, rx.el.span(_(" (completo)"), class_name="sr-only")),
            id=heading,
            class_name="step__title",
        ),
        rx.el.div(*content, class_name="step__body"),
        class_name="step",
        aria_labelledby=heading,
    )
