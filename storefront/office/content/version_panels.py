"""Panels of a screen that edits versioned content: the preview, another person's version, and all versions.

`state` is a `VersionedScreen` with the events `publish`, `restore`, `show_version` and `start_over`.
"""

from typing import Any

import reflex as rx
from reflex.vars import ObjectVar

from backend.core.texts import _
from backend.office.content.area_page import SavedRow
from backend.staff.rights import Right
from storefront.components.forms import SubmitOnce
from storefront.office.components.feedback import chip
from storefront.office.content.area_preview import area_preview
from storefront.office.state import answer_number, has_right


def conflict_panel(state: Any) -> rx.Component:
    """Render the version that another staff member published while the signed-in staff member edited the form."""
    return rx.el.section(
        area_preview(state.other_version, "area-theirs"),
        SubmitOnce.create(
            rx.el.button(
                _("Dejar lo de ellos"),
                type="button",
                on_click=state.start_over,
                data_once="",
                class_name="button button--small button--quiet",
            ),
            answers=answer_number(state),
        ),
        class_name="o-panel o-section",
        data_testid="area-conflict",
    )


def preview_panel(state: Any, right: Right) -> rx.Component:
    """Render the preview and the button that publishes it."""
    shown = state.preview
    publish = rx.el.button(
        rx.cond(state.other_version, _("Publicar lo mío"), _("Publicar")),
        type="button",
        on_click=state.publish,
        data_once="",
        class_name="button button--small button--primary",
        data_testid="save",
    )
    return rx.el.section(
        area_preview(state.preview, "area-preview"),
        rx.cond(
            has_right(right),
            rx.cond(
                shown.version < 0,
                SubmitOnce.create(publish, answers=answer_number(state)),
                SubmitOnce.create(restore_button(state, shown.version), answers=answer_number(state)),
            ),
        ),
        class_name="o-panel o-section",
        custom_attrs={"aria-live": "polite"},
    )


def restore_button(state: Any, version: rx.Var[int]) -> rx.Component:
    """Render a button that publishes an earlier version again."""
    return rx.el.button(
        _("Volver a esta"),
        type="button",
        on_click=state.restore(version),
        data_once="",
        class_name="button button--small button--quiet",
        data_testid="area-restore",
    )


def versions_panel(state: Any) -> rx.Component:
    """Render every version, with buttons to preview or restore it."""

    def version_row(row: ObjectVar[SavedRow]) -> rx.Component:
        look = rx.el.button(
            _("Ver"),
            rx.el.span(_("la versión {version}").format(version=row.version), class_name="sr-only"),
            type="button",
            on_click=state.show_version(row.version),
            class_name="button button--small button--quiet",
        )
        return rx.el.li(
            rx.el.span(
                rx.el.span(_("Versión {version}").format(version=row.version), class_name="o-row__title"),
                rx.el.span(
                    row.label,
                    rx.cond(row.saved_by != "", " · ", ""),
                    row.saved_by,
                    class_name="o-row__detail",
                ),
            ),
            rx.cond(row.is_current, chip(_("Vigente"), "good"), look),
            key=row.version,
            class_name="o-content__version",
        )

    return rx.el.section(
        rx.el.h3(_("Versiones")),
        rx.el.ol(rx.foreach(state.content.versions, version_row), class_name="o-content__versions"),
        class_name="o-panel o-section",
    )
