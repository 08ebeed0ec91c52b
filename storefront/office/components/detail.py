"""Parts of a detail screen: of an order, a customer, a return or a product."""

from typing import Any

import reflex as rx
from reflex.vars import ArrayVar

from backend.core.texts import _
from storefront.components.forms import field_problem
from storefront.components.pictures import picture
from storefront.components.placeholders import skeleton_bar
from storefront.office.components.feedback import screen
from storefront.office.icons import icon
from storefront.office.layout import office_layout
from storefront.reflex_ext.hooks import text_at

BUTTON = "button button--small "
PICTURE_WIDTH = "72px"


def detail_screen(
    state: Any, title: Any, back_to: tuple[str, str], content: rx.Component, waiting: rx.Component
) -> rx.Component:
    """Render a detail screen.

    Args:
        state: the screen's state.
        title: the screen's heading.
        back_to: the name and the address of the list to which the object belongs.
        content: the screen's content.
        waiting: the placeholder while the content loads: see `skeleton`.
    """
    label, place = back_to
    back = back_link(label, place)
    return office_layout(state, place, title, back, screen(state, content, waiting), class_name="o-one")


def back_link(label: Any, place: Any) -> rx.Component:
    """Render the link at the top that leads back to a list, or to an order."""
    return rx.el.a(icon("left", size=20), label, href=place, class_name="o-back")


def warning_note(text: Any, test_id: str) -> rx.Component:
    """Render a warning: the text says why an action of the screen is not possible."""
    return rx.el.p(
        icon("warning", size=20), text, role="status", class_name="o-packing__note", data_testid=test_id
    )


def skeleton(*more: rx.Component) -> rx.Component:
    """Render the skeleton of a detail screen: the head, then the components `more`, then two columns."""
    waiting = rx.el.div(
        skeleton_bar("40%"),
        skeleton_bar("80%"),
        skeleton_bar("60%"),
        class_name="o-panel o-panel--waiting o-section",
    )
    return rx.el.div(
        rx.el.div(skeleton_bar("10rem", "1.5rem"), class_name="o-one__head"),
        *more,
        rx.el.div(waiting, waiting, class_name="o-order__columns"),
        aria_hidden="true",
    )


def panel(title: Any, *content: Any, test_id: str = "") -> rx.Component:
    """Render a section of the screen, with a title."""
    marks = {"data_testid": test_id} if test_id else {}
    return rx.el.section(
        rx.el.h2(title, class_name="o-section__title"), *content, class_name="o-panel o-section", **marks
    )


def fact_row(pair: ArrayVar[tuple[str, str]]) -> rx.Component:
    """Render a name and its value, in a `dl`."""
    return rx.el.div(rx.el.dt(pair[0]), rx.el.dd(pair[1]), key=pair[0])


def product_line_head(shown: Any, title: Any, detail: Any, *more: Any) -> rx.Component:
    """Render a product's picture and title."""
    return rx.fragment(
        rx.cond(
            shown,
            picture(shown, PICTURE_WIDTH, class_name="o-item__picture", alt=""),
            rx.el.span(icon("box", size=28), class_name="o-item__picture o-item__picture--none"),
        ),
        rx.el.span(
            rx.el.b(title),
            rx.cond(detail != "", rx.el.span(detail, class_name="o-row__detail")),
            rx.el.span(*more, class_name="o-row__detail"),
            class_name="o-item__words",
        ),
    )


def contact_button(href: Any, shape: str, *label: Any, **more: Any) -> rx.Component:
    """Render a link that calls or writes to a customer."""
    return rx.el.a(
        icon(shape, size=18),
        *label,
        href=href,
        custom_attrs={"reloadDocument": True},
        class_name=f"{BUTTON}button--quiet",
        **more,
    )


def note_form(state: Any, name: str, longest: int) -> rx.Component:
    """Render a form that adds a staff note. `name` is the prefix of its element ids.

    `state` must have an event handler `add_staff_note`. `longest` is the maximum number of characters.
    """
    return rx.el.form(
        rx.el.label(_("Nota para el equipo"), html_for=name, class_name="field__label"),
        rx.el.textarea(
            id=rx.Var.create(name),
            name="text",
            rows="2",
            max_length=longest,
            class_name="field__input",
            custom_attrs={"aria-describedby": f"{name}-problem"},
        ),
        field_problem(name, text_at(state.problems, "text"), ""),
        rx.el.button(_("Guardar nota"), type="submit", class_name=f"{BUTTON}button--dark"),
        class_name="o-note",
        on_submit=state.add_staff_note,
    )
