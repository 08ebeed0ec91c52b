"""What the screen of one thing is made of: an order, a customer, a return, a toy."""

from typing import Any

import reflex as rx
from reflex.vars import ArrayVar

from backend.core.texts import _
from storefront.components.forms import problem_of
from storefront.components.pictures import picture
from storefront.components.placeholders import bar
from storefront.office.components.feedback import screen
from storefront.office.icons import icon
from storefront.office.layout import office
from storefront.reflex_ext.hooks import text_at

BUTTON = "button button--small "
SMALL = "72px"


def detail_screen(
    state: Any, title: Any, back_to: tuple[str, str], content: rx.Component, waiting: rx.Component
) -> rx.Component:
    """The screen.

    Args:
        state: the screen's state.
        title: its heading.
        back_to: the name and the address of the list it stands in.
        content: what is shown of it.
        waiting: what holds the place of that: see `skeleton`.
    """
    label, place = back_to
    back = rx.el.a(icon("left", size=20), label, href=place, class_name="o-back")
    return office(state, place, title, back, screen(state, content, waiting), class_name="o-one")


def skeleton(*more: rx.Component) -> rx.Component:
    """What holds the place of a head, of `more`, and of columns."""
    waiting = rx.el.div(bar("40%"), bar("80%"), bar("60%"), class_name="o-panel o-panel--waiting o-section")
    return rx.el.div(
        rx.el.div(bar("10rem", "1.5rem"), class_name="o-one__head"),
        *more,
        rx.el.div(waiting, waiting, class_name="o-order__columns"),
        aria_hidden="true",
    )


def panel(title: Any, *content: Any, test_id: str = "") -> rx.Component:
    """A part of the screen."""
    marks = {"data_testid": test_id} if test_id else {}
    return rx.el.section(
        rx.el.h2(title, class_name="o-section__title"), *content, class_name="o-panel o-section", **marks
    )


def fact(pair: ArrayVar[tuple[str, str]]) -> rx.Component:
    """A name and its value, in a `dl`."""
    return rx.el.div(rx.el.dt(pair[0]), rx.el.dd(pair[1]), key=pair[0])


def line_head(shown: Any, title: Any, detail: Any, *more: Any) -> rx.Component:
    """A toy by its picture and its name."""
    return rx.fragment(
        rx.cond(
            shown,
            picture(shown, SMALL, class_name="o-item__picture", alt=""),
            rx.el.span(icon("box", size=28), class_name="o-item__picture o-item__picture--none"),
        ),
        rx.el.span(
            rx.el.b(title),
            rx.cond(detail != "", rx.el.span(detail, class_name="o-row__detail")),
            rx.el.span(*more, class_name="o-row__detail"),
            class_name="o-item__words",
        ),
    )


def way_to_reach(href: Any, shape: str, *label: Any, **more: Any) -> rx.Component:
    """A button that calls or writes to somebody."""
    return rx.el.a(
        icon(shape, size=18),
        *label,
        href=href,
        custom_attrs={"reloadDocument": True},
        class_name=f"{BUTTON}button--quiet",
        **more,
    )


def note_form(state: Any, name: str, longest: int) -> rx.Component:
    """Writes a note for the others: `state` has a handler `note`. Its ids begin with `name`."""
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
        problem_of(name, text_at(state.problems, "text"), ""),
        rx.el.button(_("Guardar nota"), type="submit", class_name=f"{BUTTON}button--dark"),
        class_name="o-note",
        on_submit=state.note,
    )
