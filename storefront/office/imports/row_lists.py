"""Lists of an import's rows: problems, notes and changes, page by page."""

from typing import Any

import reflex as rx
from reflex.vars import ObjectVar

from backend.core.texts import _
from backend.imports.row_pages import RowList
from backend.office.imports import (
    ChangeView,
    PagerView,
    RowView,
    TextView,
)
from storefront.office.components.feedback import chip
from storefront.office.icons import icon
from storefront.office.imports.state import CURRENT_IMPORT, ImportState
from storefront.office.navigation import PRODUCTS

BUTTON = "button button--small "


def download_link(href: Any, shape: str, text: Any, test_id: str) -> rx.Component:
    """Render a link that downloads a file."""
    return rx.el.a(
        icon(shape, size=18),
        text,
        href=href,
        download="",
        class_name=f"{BUTTON}button--quiet",
        custom_attrs={"reloadDocument": True},
        data_testid=test_id,
    )


def once_button(text: str, on_click: Any, look: str, test_id: str) -> rx.Component:
    """Render a button that ignores further clicks until its event is answered. It must be inside a `SubmitOnce`."""
    return rx.el.button(
        text,
        type="button",
        data_once="",
        on_click=on_click,
        class_name=f"{BUTTON}button--{look}",
        data_testid=test_id,
    )


def pager(view: ObjectVar[PagerView], kind: RowList) -> rx.Component:
    """Render the position of a page in a list of rows, and the buttons for the previous and the next page."""

    def turn(page: Any, text: str, test_id: str) -> rx.Component:
        return rx.cond(
            page >= 0,
            rx.el.button(
                text,
                type="button",
                on_click=ImportState.open_page(kind.value, page),
                class_name=f"{BUTTON}button--quiet",
                data_testid=test_id,
            ),
        )

    return rx.cond(
        view.text != "",
        rx.el.div(
            rx.el.span(view.text, class_name="o-row__detail", role="status"),
            turn(view.before, _("Anteriores"), f"import-{kind.value}-before"),
            turn(view.after, _("Siguientes"), f"import-{kind.value}-after"),
            role="group",
            aria_label=_("Páginas"),
            class_name="o-import__ways",
            data_testid=f"import-{kind.value}-pager",
        ),
    )


def text_list(
    views: Any, title: Any, test_id: str, *, is_folded: bool = False, end: rx.Component | None = None
) -> rx.Component:
    """Render a list of sentences about parts of the file. Without sentences, render nothing.

    `title` is above the list, and `end` below it.
    """

    def line(view: ObjectVar[TextView]) -> rx.Component:
        return rx.el.li(
            rx.el.span(view.place, class_name="o-row__title"),
            rx.el.span(view.text, class_name="o-row__detail"),
            key=view.key,
            class_name="o-import__row",
            data_testid=test_id,
        )

    items = rx.fragment(rx.el.ul(rx.foreach(views, line)), *([end] if end is not None else []))
    if is_folded:
        block = rx.el.details(rx.el.summary(title, class_name="o-disclosure"), items)
    else:
        block = rx.el.div(rx.el.h3(title, class_name="o-import__title"), items)
    return rx.cond(views.length() > 0, block)


def problems_list() -> rx.Component:
    """Render the problems by cell. Without problems, render nothing."""
    refused = rx.cond(
        CURRENT_IMPORT.status != "running",
        download_link(
            CURRENT_IMPORT.refused_href,
            "download",
            _("Descargar estas filas para corregirlas"),
            "import-refused",
        ),
    )
    return text_list(
        CURRENT_IMPORT.problems,
        _("Por corregir"),
        "import-problem",
        end=rx.fragment(pager(CURRENT_IMPORT.problems_pager, RowList.PROBLEMS), refused),
    )


def changes_list() -> rx.Component:
    """Render the new products and the changed values."""

    def change(view: ObjectVar[ChangeView]) -> rx.Component:
        return rx.el.div(
            rx.el.dt(view.column),
            rx.el.dd(rx.el.del_(view.before), rx.el.span("→", aria_hidden="true"), rx.el.ins(view.after)),
            class_name="o-change",
        )

    def line(row: ObjectVar[RowView]) -> rx.Component:
        return rx.el.li(
            rx.el.details(
                rx.el.summary(
                    rx.el.span(row.title, class_name="o-row__title"),
                    rx.cond(row.is_new, chip(_("Nuevo"), "good"), chip(_("Cambia"), "wait")),
                    rx.cond(row.losses != "", chip(_("Pierde: {losses}").format(losses=row.losses), "bad")),
                    class_name="o-disclosure",
                ),
                rx.el.dl(rx.foreach(row.changes, change), class_name="o-changes"),
            ),
            key=row.line,
            class_name="o-import__row",
            data_testid="import-row",
        )

    title = rx.cond(CURRENT_IMPORT.status == "checked", _("Qué cambia"), _("Qué cambió"))
    return rx.el.div(
        rx.el.h3(title, class_name="o-import__title"),
        rx.el.ul(rx.foreach(CURRENT_IMPORT.rows, line)),
        pager(CURRENT_IMPORT.rows_pager, RowList.CHANGES),
        rx.cond(
            CURRENT_IMPORT.status != "checked",
            rx.el.a(_("Ver los productos"), href=PRODUCTS, class_name=f"{BUTTON}button--quiet"),
        ),
    )
