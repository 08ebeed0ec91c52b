"""Lists of the office: rows with keyboard navigation, more rows on demand, and a counter of new rows."""

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
    """Render a list, or `nothing` if it is empty.

    Args:
        items: the variable of its rows.
        row: renders a row: a `row_link`, or an `rx.el.li` with `data_row=""` and the row's id as its `id`.
        nothing: the component of the empty list: see `feedback.empty_state`.
        label: name of the list for screen readers.
    """
    return rx.cond(
        items.length() > 0,
        rx.el.ul(rx.foreach(items, row), class_name="o-list", aria_label=label),
        nothing,
    )


def row_link(
    href: str | rx.Var[str], *content: rx.Component, row_id: rx.Var[str], test_id: str, class_name: str = ""
) -> rx.Component:
    """Render a row that links to its detail screen.

    When the staff member comes back to the list, the row with `row_id` gets the focus again.
    """
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
    wrap: Callable[[rx.Component], rx.Component] = rx.fragment,
) -> rx.Component:
    """Render the rows of a list, with the number of new rows above and a button for more rows below.

    Args:
        state: an `OfficeList`.
        items: the variable of its rows.
        row: renders a row: see `rows`.
        nothing: the component of the empty list: see `feedback.empty_state`.
        label: name of the list for screen readers.
        counts_new: True if the state counts new rows that are not displayed yet.
        wrap: wraps the rows in another component, for example to select them.
    """
    return rx.fragment(
        *([new_rows_button(state)] if counts_new else []),
        wrap(rows(items, row, rx.el.div(nothing, class_name="o-panel"), label=label)),
        rx.cond(
            state.content.cursor != "",
            rx.el.button(
                _("Ver más"),
                type="button",
                class_name="button button--quiet button--small o-more",
                on_click=state.load_more,
                data_testid="more",
            ),
        ),
    )


def new_rows_button(state: Any) -> rx.Component:
    """Render «3 nuevos», a button that loads the new rows. Its space is reserved, so that the list does not move."""
    count = state.new_count
    text = rx.cond(count == 1, _("1 nuevo"), _("{n} nuevos").format(n=count))
    return rx.el.div(
        rx.cond(
            count > 0,
            rx.el.button(
                icon("history", size=18),
                text,
                type="button",
                class_name="o-fresh__button",
                on_click=state.load,
                data_testid="fresh",
            ),
        ),
        class_name="o-fresh",
        role="status",
    )


def fold(title: str, body: rx.Component, *, test_id: str, **more: Any) -> rx.Component:
    """Render a part that can be expanded. With the prop `key`, it is closed again when the key changes."""
    return rx.el.details(
        rx.el.summary(title, icon("down", size=20), class_name="o-webhooks__fold"),
        body,
        data_testid=test_id,
        **more,
    )


def fold_row(head: rx.Component, body: rx.Component, *, row_id: rx.Var[str], **marks: Any) -> rx.Component:
    """Render a row that can be expanded. `head` is its `summary` element; `marks` are more props, such as a test id."""
    return rx.el.li(rx.el.details(head, body), id=rx.Var.create(row_id), key=row_id, data_row="", **marks)


def product_picture(url: rx.Var[str]) -> rx.Component:
    """Render a product's picture, or an empty space of its size."""
    return rx.cond(
        url != "",
        rx.el.img(src=url, alt="", loading="lazy", width="44", height="44", class_name="o-thumb"),
        rx.el.span(class_name="o-thumb", aria_hidden="true"),
    )
