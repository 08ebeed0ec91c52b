"""The forms that start, stop and continue an import."""

from typing import Any

import reflex as rx
from reflex.vars import ObjectVar

from backend.core.texts import _
from backend.office.imports import UnfinishedView
from storefront.components.forms import SubmitOnce
from storefront.office.imports.row_lists import BUTTON, once_button, text_list
from storefront.office.imports.state import CURRENT_IMPORT, VIEW, ImportState
from storefront.office.state import answer_number
from storefront.reflex_ext.numbers import grouped


def progress_panel() -> rx.Component:
    """Render the progress of a started import, and the button that stops or continues it."""
    return rx.fragment(
        rx.el.progress(
            value=CURRENT_IMPORT.settled,
            max=CURRENT_IMPORT.total,
            class_name="o-bulk__progress",
            aria_label=CURRENT_IMPORT.name,
            data_testid="import-progress",
        ),
        rx.el.p(CURRENT_IMPORT.progress, class_name="o-row__detail", data_testid="import-progress-text"),
        SubmitOnce.create(
            rx.el.div(
                rx.cond(
                    CURRENT_IMPORT.status == "running",
                    once_button(_("Detener"), ImportState.stop, "quiet", "import-stop"),
                    once_button(_("Seguir"), ImportState.go_on, "primary", "import-continue"),
                ),
                class_name="o-import__ways",
            ),
            answers=answer_number(ImportState),
        ),
    )


def unfinished_panel() -> rx.Component:
    """Render the other imports that are not finished, with buttons that open and continue them."""

    def line(view: ObjectVar[UnfinishedView]) -> rx.Component:
        buttons = rx.el.div(
            rx.cond(
                view.is_stopped,
                once_button(
                    _("Seguir"), ImportState.continue_other(view.id), "primary", "import-continue-other"
                ),
            ),
            once_button(_("Ver"), ImportState.open_import(view.id), "quiet", "import-open"),
            class_name="o-import__ways",
        )
        return rx.el.li(
            rx.el.span(view.name, class_name="o-row__title"),
            rx.el.span(view.state, class_name="o-row__detail"),
            buttons,
            key=view.id,
            class_name="o-import__row",
            data_testid="import-unfinished",
        )

    return rx.el.section(
        rx.el.h2(_("Sin terminar"), class_name="o-section__title"),
        SubmitOnce.create(
            rx.el.ul(rx.foreach(VIEW.unfinished, line), class_name="o-import__list"),
            answers=answer_number(ImportState),
        ),
        class_name="o-panel o-import",
    )


def confirm_panel() -> rx.Component:
    """Render the buttons that run or discard the import."""
    label = rx.cond(
        CURRENT_IMPORT.refused > 0,
        _("Importar {n} y dejar {wrong} por corregir").format(
            n=grouped(CURRENT_IMPORT.to_write), wrong=grouped(CURRENT_IMPORT.refused)
        ),
        _("Importar {n}").format(n=grouped(CURRENT_IMPORT.to_write)),
    )
    return rx.fragment(
        rx.foreach(
            CURRENT_IMPORT.pictures,
            lambda text: rx.el.p(text, class_name="o-row__detail", data_testid="import-pictures"),
        ),
        text_list(CURRENT_IMPORT.codes, _("Códigos que cambian"), "import-codes"),
        rx.cond(
            CURRENT_IMPORT.losses != "",
            rx.el.div(
                rx.el.p(
                    rx.el.b(_("Se vacía o se quita: ")),
                    CURRENT_IMPORT.losses,
                    data_testid="import-losses",
                ),
                rx.el.label(
                    rx.el.input(
                        type="checkbox",
                        name="confirm_losses",
                        required=True,
                        key=CURRENT_IMPORT.losses,
                        class_name="o-box",
                        data_testid="import-confirm-losses",
                    ),
                    rx.el.span(_("Sí, quitarlo de la tienda")),
                    class_name="o-every",
                ),
            ),
        ),
        rx.cond(
            CURRENT_IMPORT.misses_places,
            tick(
                _(
                    "Crear las categorías, colecciones, etiquetas y tipos que faltan. Sin marcar, esas filas no entran."
                ),
                CURRENT_IMPORT.makes_places,
                ImportState.choose_makes_places,
                "import-places",
            ),
        ),
        rx.cond(
            CURRENT_IMPORT.new_count > 0,
            tick(
                _("Publicar los productos nuevos. Sin marcar, quedan ocultos."),
                CURRENT_IMPORT.publishes,
                ImportState.choose_publishes,
                "import-publish",
            ),
        ),
        rx.el.div(
            rx.cond(
                CURRENT_IMPORT.to_write > 0,
                rx.el.button(
                    label,
                    type="submit",
                    class_name=f"{BUTTON}button--primary",
                    data_testid="import-run",
                ),
                rx.el.p(_("No hay nada que importar.")),
            ),
            once_button(_("Descartar"), ImportState.discard_import, "quiet", "import-drop-it"),
            class_name="o-import__ways",
        ),
    )


def tick(text: str, checked: Any, on_change: Any, test_id: str) -> rx.Component:
    """Render a checkbox for an option of the import. A change updates the preview."""
    return rx.el.label(
        rx.el.input(
            type="checkbox", checked=checked, on_change=on_change, class_name="o-box", data_testid=test_id
        ),
        rx.el.span(text),
        class_name="o-every",
    )
