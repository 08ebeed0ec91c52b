"""Lists of the office: rows that keys move through, more on demand, and what is new without moving anything."""

from collections.abc import Callable
from typing import Any, TypeVar

import reflex as rx
from reflex.vars import ArrayVar, ObjectVar

from backend.core.texts import _
from storefront.office.icons import icon

Row = TypeVar("Row")


def rows(
    items: ArrayVar[list[Row]],
    row: Callable[[ObjectVar[Row]], rx.Component],
    nothing: rx.Component,
    *,
    label: str,
) -> rx.Component:
    """A list, or what is said when it is empty.

    Args:
        items: the variable that holds its things.
        row: what one looks like, a `row_link` or an `rx.el.li` with `data_row=""` and the thing's id as its `id`.
        nothing: what stands there without any: `feedback.empty`.
        label: what the list holds, for those who do not see it.
    """
    return rx.cond(
        items.length() > 0,
        rx.el.ul(rx.foreach(items, row), class_name="o-list", aria_label=label),
        nothing,
    )


def row_link(
    href: str | rx.Var[str], *content: rx.Component, row_id: rx.Var[str], test_id: str, class_name: str = ""
) -> rx.Component:
    """A row that leads to its thing. `row_id` is the thing's id: whoever comes back finds the focus there."""
    return rx.el.li(
        rx.el.a(*content, href=href, class_name=f"o-row {class_name}".strip(), data_opens_row=""),
        id=rx.Var.create(row_id),
        key=row_id,
        data_row="",
        data_testid=test_id,
    )


def office_list(
    state: Any,
    items: ArrayVar[list[Row]],
    row: Callable[[ObjectVar[Row]], rx.Component],
    nothing: rx.Component,
    *,
    label: str,
    counts_new: bool = False,
    around: Callable[[rx.Component], rx.Component] = rx.fragment,
) -> rx.Component:
    """Render the rows of a list, with how many are new above them and a button for more below.

    Args:
        state: an `OfficeList`.
        items: the variable of its rows.
        row: renders a row: see `rows`.
        nothing: shown without any: `feedback.empty`.
        label: names the list for screen readers.
        counts_new: the state counts rows that are not shown yet.
        around: wraps the rows, for instance in what chooses some of them.
    """
    return rx.fragment(
        *([fresh(state)] if counts_new else []),
        around(rows(items, row, rx.el.div(nothing, class_name="o-panel"), label=label)),
        rx.cond(
            state.content.cursor != "",
            rx.el.button(
                _("Ver más"),
                type="button",
                class_name="button button--quiet button--small o-more",
                on_click=state.more,
                data_testid="more",
            ),
        ),
    )


def fresh(state: Any) -> rx.Component:
    """«3 nuevos»: shows them when it is pressed, and never by itself. Its room is there all the time."""
    count = state.fresh
    said = rx.cond(count == 1, _("1 nuevo"), _("{n} nuevos").format(n=count))
    return rx.el.div(
        rx.cond(
            count > 0,
            rx.el.button(
                icon("history", size=18),
                said,
                type="button",
                class_name="o-fresh__button",
                on_click=state.load,
                data_testid="fresh",
            ),
        ),
        class_name="o-fresh",
        role="status",
    )


def fold_row(head: rx.Component, body: rx.Component, *, row_id: rx.Var[str], **marks: Any) -> rx.Component:
    """Render a row that opens. `head` is its `summary`; `marks` are further properties, such as its test id."""
    return rx.el.li(rx.el.details(head, body), id=rx.Var.create(row_id), key=row_id, data_row="", **marks)
