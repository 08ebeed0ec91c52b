"""Parts that the screens of categories and of collections share."""

from collections.abc import Callable
from typing import Any

import reflex as rx
from reflex.vars import ObjectVar

from backend.core.texts import _
from backend.office.catalog.category_page import MAX_PICKED, GroupOption
from backend.office.catalog.category_saving import MAX_DESCRIPTION_CHARS, MAX_HANDLE_CHARS, MAX_NAME_CHARS
from backend.staff.rights import Right
from storefront.components.forms import text_area_field
from storefront.office.components.feedback import chip
from storefront.office.components.forms import office_field
from storefront.office.components.product_picker import product_picker
from storefront.office.components.uploads import single_picture_upload
from storefront.office.icons import icon
from storefront.office.state import has_right
from storefront.reflex_ext.hooks import script, text_at
from storefront.reflex_ext.numbers import grouped
from storefront.state.handlers import MAX_ID_LENGTH

FORM = "group"
"""Prefix of the ids of the editor's fields."""
BUTTON = "button button--small "
MAX_FIELD_LENGTH = (MAX_PICKED + 1) * (MAX_ID_LENGTH + 1)
"""Maximum length of a field: that of the ids of all chosen products."""


def on_move(row_id: rx.Var[str], place: rx.Var[str], target_id: rx.Var[str]) -> list[rx.Var[str]]:
    """Declare the event of a move: the moved row's id, a place (such as `before`) and the target row's id."""
    return [row_id, place, target_id]


class MovableRows(rx.Component):
    """Rows that are moved by dragging or by buttons: see `assets/scripts/office/tree.jsx`."""

    library = script("office/tree")
    tag = "MovableRows"
    on_move: rx.EventHandler[on_move]  # type: ignore[type-arg, valid-type]


def move_button(
    place: str, target_id: rx.Var[str], shape: str, label: Any, class_name: str = ""
) -> rx.Component:
    """Render a button that moves its row before, after or into the target row. Without a target, it is disabled."""
    return rx.el.button(
        icon(shape, size=18),
        type="button",
        data_place=place,
        data_target=target_id,
        disabled=target_id == "",
        aria_label=label,
        class_name=f"o-toy__button {class_name}".strip(),
    )


def group_picture(row: Any) -> rx.Component:
    """Render the picture of a category or collection, or its first letter."""
    return rx.cond(
        row.picture != "",
        rx.el.img(src=row.picture, alt="", loading="lazy", width="44", height="44", class_name="o-thumb"),
        rx.el.span(row.initial, class_name="o-thumb o-tree__letter", aria_hidden="true"),
    )


def group_row(
    row: Any, path: str | rx.Var[str], state: Any, buttons: Callable[[], rx.Component], **more: Any
) -> rx.Component:
    """Render a row: grip, picture, link to the editor, and the buttons that move and hide it."""
    may_change = has_right(Right.CHANGE_CATALOG)
    hide = rx.el.button(
        rx.cond(row.is_active, _("Ocultar"), _("Mostrar")),
        rx.el.span(row.name, class_name="sr-only"),
        type="button",
        on_click=state.set_active(row.id, ~row.is_active.to(bool)),
        class_name="o-disclosure o-tree__show",
    )
    return rx.el.li(
        rx.cond(
            may_change,
            rx.el.span(icon("grip", size=20), class_name="o-tree__grip", data_grip="", aria_hidden="true"),
            rx.el.span(),
        ),
        group_picture(row),
        rx.el.a(
            rx.el.span(row.name, class_name="o-row__title"),
            rx.el.span(
                row.detail,
                rx.cond(row.is_visible, "", _(" · no se ve en la tienda")),
                class_name="o-row__detail",
            ),
            href=path,
            class_name="o-tree__link",
            data_opens_row="",
        ),
        rx.cond(may_change, rx.el.div(hide, buttons(), class_name="o-tree__buttons")),
        id=row.id,
        key=row.id,
        data_key=row.id,
        data_row="",
        class_name="o-tree__row",
        **more,
    )


def group_option(option: ObjectVar[GroupOption]) -> rx.Component:
    """Render a category as an option of a select field."""
    return rx.el.option(option.label, value=option.id, key=option.id)


def picture_panel(state: Any, view: Any, hint: str) -> rx.Component:
    """Render the picture, with buttons that replace and remove it. They save immediately.

    `hint` is the text next to the picture: where the shop shows it, or what it shows without one.
    """
    remove = rx.el.button(
        _("Quitar la foto"), type="button", on_click=state.remove_picture, class_name=f"{BUTTON}button--quiet"
    )
    return rx.el.section(
        rx.el.h2(_("Foto"), class_name="o-section__title"),
        rx.el.div(
            rx.cond(
                view.picture != "",
                rx.el.img(src=view.picture, alt="", width="104", height="104"),
                rx.el.span(icon("camera", size=28), class_name="o-tree__letter", aria_hidden="true"),
            ),
            rx.el.div(
                rx.el.p(hint, class_name="o-row__detail"),
                rx.cond(
                    has_right(Right.CHANGE_CATALOG),
                    rx.fragment(
                        single_picture_upload(state.set_picture), rx.cond(view.picture != "", remove)
                    ),
                ),
            ),
            class_name="o-tree__picture",
        ),
        class_name="o-panel o-section",
    )


def name_fields(state: Any, view: Any) -> rx.Component:
    """Render the fields of the name, the description and the visibility."""
    return rx.fragment(
        office_field(
            state,
            FORM,
            "name",
            _("Nombre"),
            default_value=view.name,
            max_length=MAX_NAME_CHARS,
            auto_complete="off",
        ),
        text_area_field(
            "description",
            _("Descripción"),
            element_id=f"{FORM}-description",
            problem=text_at(state.problems, "description"),
            max_length=MAX_DESCRIPTION_CHARS,
            live="",
            default_value=view.description,
        ),
        rx.el.label(
            rx.el.input(
                type="checkbox", name="is_active", default_checked=view.is_active, auto_complete="off"
            ),
            rx.el.span(_("Se ve en la tienda"), class_name="check__label"),
            class_name="check",
        ),
    )


def handle_field(state: Any, view: Any) -> rx.Component:
    """Render the field of the handle, and the former addresses."""
    return rx.el.details(
        rx.el.summary(
            rx.el.span(_("Dirección en la tienda"), class_name="o-toy__title"),
            icon("down", size=20),
            class_name="o-audit__head",
        ),
        rx.el.div(
            office_field(
                state,
                FORM,
                "handle",
                _("Dirección"),
                default_value=view.handle,
                max_length=MAX_HANDLE_CHARS,
                auto_capitalize="none",
                auto_complete="off",
                spell_check=False,
                hint=_("Si la cambias, los enlaces de antes siguen llegando aquí."),
            ),
            rx.cond(
                view.former.length() > 0,
                rx.el.div(
                    rx.el.p(_("También llegan aquí:"), class_name="o-row__detail"),
                    rx.el.ul(rx.foreach(view.former, lambda one: rx.el.li(rx.el.code(one), key=one))),
                    class_name="o-toy__former",
                ),
            ),
            class_name="o-toy__body",
        ),
        class_name="o-toy__section",
    )


def products_field(state: Any, view: Any) -> rx.Component:
    """Render the product picker. If a group has too many products to list, the picker can only add more."""
    many = rx.el.p(
        _("Tiene {n} productos. Aquí agregas más; para quitar, usa Productos.").format(
            n=grouped(view.product_count)
        ),
        class_name="o-row__detail",
    )
    return rx.fragment(
        rx.cond(view.is_partial, many),
        product_picker(
            "product_ids",
            _("Productos"),
            view.products,
            most=MAX_PICKED,
            problem=text_at(state.problems, "product_ids"),
        ),
    )


def editor_head(view: Any) -> rx.Component:
    """Render the name, a chip that says if shoppers see the category or collection, and a link if they do."""
    link = rx.el.a(
        icon("store", size=18),
        _("Ver en la tienda"),
        href=view.page_path,
        target="_blank",
        class_name="button button--small button--quiet",
    )
    return rx.el.div(
        rx.el.h2(view.name),
        rx.cond(view.is_visible, chip(_("Se ve"), "good"), chip(_("No se ve"), "wait")),
        rx.cond(view.is_visible, link),
        class_name="o-content__head",
    )
