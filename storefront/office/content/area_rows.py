"""The rows that can be reordered in the form of a content area: slides, sections and lines."""

from collections.abc import Callable
from typing import Any

import reflex as rx
from reflex.vars import ArrayVar, ObjectVar

from backend.content.areas import MAX_SECTION_PRODUCTS, Area, SectionKind, SlideKind
from backend.content.links import MAX_LINK_CHARS
from backend.core.texts import _
from backend.office.content.area_form import CELLS, HIDDEN, AreaRow
from storefront.components.forms import field, field_box, field_problem, select_field
from storefront.office.components.product_picker import product_picker
from storefront.office.components.reorder_buttons import add_button, drop_button, move_button
from storefront.office.components.uploads import picture_upload
from storefront.office.content.area_state import AreaState
from storefront.office.icons import icon
from storefront.office.react_components import ROWS, ReorderableRows
from storefront.reflex_ext.hooks import text_at

FORM = "area"
"""Prefix of the ids of the form's fields."""
VIEW = AreaState.content
AREA_ROWS = ROWS.rows.to(ArrayVar, list[AreaRow])


def slide_rows() -> rx.Component:
    """Render the slides of the banner."""
    return row_group(
        slide_row,
        add_button(_("Un producto")),
        rx.el.p(_("O una imagen:"), class_name="o-row__detail"),
        picture_upload(AreaState.add_pictures),
        placed=_("Ahora es el {n} de {count}."),
    )


def section_rows() -> rx.Component:
    """Render the sections of the home page."""
    return row_group(
        section_row,
        add_button(_("Una sección tuya")),
        rx.el.p(_("O una sección con imagen:"), class_name="o-row__detail"),
        picture_upload(AreaState.add_pictures),
        placed=_("Ahora es la {n} de {count}."),
    )


def line_rows() -> rx.Component:
    """Render the lines of the footer."""
    return row_group(
        line_row,
        add_button(_("Una línea")),
        placed=_("Ahora es la {n} de {count}."),
    )


def row_group(
    row: Callable[[ObjectVar[AreaRow]], rx.Component], *adding: rx.Component, placed: str
) -> rx.Component:
    """Render rows that can be reordered, and the buttons that add a row."""
    return ReorderableRows.create(
        field_problem(f"{FORM}-rows", text_at(AreaState.problems, "rows"), ""),
        rx.el.ol(rx.foreach(AREA_ROWS, row), class_name="o-areas__rows"),
        *adding,
        items=VIEW.rows + AreaState.added_rows,
        blank=VIEW.blank,
        moved_text=placed,
        class_name="o-toy__group",
    )


def area_row(row: ObjectVar[AreaRow], fields: rx.Component) -> rx.Component:
    """Render a row. Every kind uses the same element, so that a moved row keeps its typed text."""
    return rx.el.li(
        rx.el.input(type="hidden", name="row[]", value=row.key, read_only=True),
        fields,
        key=row.key,
        data_key=row.key,
        class_name="o-areas__row",
        data_testid="area-row",
    )


def row_fields(
    row: ObjectVar[AreaRow],
    name: str | rx.Var[str],
    *content: rx.Component,
    sent: tuple[str, ...],
    is_removable: bool = True,
    is_folded: bool = False,
) -> rx.Component:
    """Render the fields of a row, below the grip that drags it and the buttons that move or remove it.

    Values of the row without a visible field are sent back unchanged in hidden fields.

    Args:
        row: the row.
        name: the label of its kind.
        content: its visible fields.
        sent: the names of the values that the fields in `content` send.
        is_removable: True if the row can be removed.
        is_folded: True to hide the fields until the row is opened. A row that is not saved yet is open.
    """
    unsent = [
        rx.el.input(type="hidden", name=f"cell_{cell}[]", value=getattr(row, cell), read_only=True)
        for cell in CELLS
        if cell not in sent
    ]
    return rx.fragment(
        *unsent,
        rx.el.div(
            rx.el.span(icon("grip", size=20), class_name="o-areas__grip", data_grip="", aria_hidden="true"),
            rx.el.span(name, class_name="o-areas__name"),
            move_button(-1, _("Antes")),
            move_button(1, _("Después")),
            *([drop_button(_("Quitar"))] if is_removable else []),
            class_name="o-areas__head",
        ),
        fold_fields(row, *content) if is_folded else rx.fragment(*content),
    )


def fold_fields(row: ObjectVar[AreaRow], *content: rx.Component) -> rx.Component:
    """Render fields that are hidden until their heading is tapped. In a new row they are visible."""
    return rx.el.details(
        rx.el.summary(
            rx.el.span(_("Editar"), rx.el.span(row.name, " ", row.title, class_name="sr-only")),
            icon("down", size=20),
            class_name="o-disclosure o-areas__fold",
        ),
        rx.el.div(*content, class_name="o-areas__fields"),
        open=row.is_added,
    )


def section_name(row: ObjectVar[AreaRow], name: str | rx.Var[str]) -> rx.Var[str]:
    """Return the heading of a section: its title, or its kind if it has none, and a mark if it is hidden."""
    title = rx.cond(row.title != "", row.title, name)
    return rx.cond(row.visibility == HIDDEN, _("{name} · oculta").format(name=title), title).to(str)


def cell_field(row: ObjectVar[AreaRow], name: str, label: str, **more: Any) -> rx.Component:
    """Render a text field of a row."""
    return field(
        f"cell_{name}[]",
        label,
        element_id=f"{FORM}-{name}-{row.key}",
        problem=text_at(AreaState.problems, f"{name}-{row.key}"),
        live="",
        **{"default_value": getattr(row, name), "auto_complete": "off", **more},
    )


def link_field(row: ObjectVar[AreaRow], *, is_optional: bool, hint: str = "") -> rx.Component:
    """Render the link field of a row."""
    return cell_field(
        row,
        "link",
        _("Enlace"),
        is_optional=is_optional,
        max_length=MAX_LINK_CHARS,
        placeholder="/catalog",
        input_mode="url",
        auto_capitalize="none",
        spell_check=False,
        hint=hint,
    )


def day_fields(row: ObjectVar[AreaRow]) -> rx.Component:
    """Render the start and end day of a row."""
    return rx.el.div(
        cell_field(row, "starts", _("Primer día"), type="date", is_optional=True),
        cell_field(row, "ends", _("Último día"), type="date", is_optional=True),
        class_name="o-areas__days",
    )


def text_area(row: ObjectVar[AreaRow], name: str, label: str, hint: str, rows: int) -> rx.Component:
    """Render a field of several lines."""
    element_id = f"{FORM}-{name}-{row.key}"
    problem = text_at(AreaState.problems, f"{name}-{row.key}")
    area = rx.el.textarea(
        id=rx.Var.create(element_id),
        name=f"cell_{name}[]",
        default_value=getattr(row, name),
        rows=str(rows),
        class_name="field__input",
        custom_attrs={"aria-invalid": rx.cond(problem, "true", "false")},
    )
    return field_box(
        label, area, element_id=element_id, problem=problem, hint=hint, is_optional=True, live=""
    )


def picture_fields(row: ObjectVar[AreaRow]) -> rx.Component:
    """Render the row's picture and its alternative text."""
    return rx.el.div(
        rx.el.img(
            src=row.src, alt="", width="120", height="120", loading="lazy", class_name="o-toy__picture"
        ),
        cell_field(row, "alt", _("Qué se ve"), is_optional=True),
        field_problem(f"{FORM}-picture-{row.key}", text_at(AreaState.problems, f"picture-{row.key}"), ""),
        class_name="o-areas__picture",
    )


def slide_row(row: ObjectVar[AreaRow]) -> rx.Component:
    """Render a slide that shows a product or a picture."""
    is_picture = row.kind == SlideKind.PICTURE
    words = cell_field(row, "text", _("Frase"), is_optional=True)
    product_fields = row_fields(
        row,
        _("Producto"),
        cell_picker(row, _("Producto"), most=1),
        rx.el.p(_("Se ve mientras se pueda comprar."), class_name="field__hint"),
        words,
        link_field(row, is_optional=True, hint=_("Vacío: la página del producto.")),
        day_fields(row),
        sent=("product_ids", "text", "link", "starts", "ends"),
    )
    picture_slide_fields = row_fields(
        row,
        _("Imagen"),
        picture_fields(row),
        cell_field(row, "title", _("Título")),
        words,
        link_field(row, is_optional=False),
        day_fields(row),
        sent=("alt", "title", "text", "link", "starts", "ends"),
    )
    return area_row(row, rx.cond(is_picture, picture_slide_fields, product_fields))


def section_row(row: ObjectVar[AreaRow]) -> rx.Component:
    """Render a section of the form.

    A section written by staff has a text, a picture and a link. Every other section has a title, and
    those for new products and for offers can have chosen products.
    """
    written = row_fields(
        row,
        section_name(row, _("Sección tuya")),
        cell_field(row, "title", _("Título")),
        text_area(row, "text", _("Texto"), _("Un párrafo por línea."), 4),
        rx.cond(
            row.picture != "",
            picture_fields(row),
            rx.el.input(type="hidden", name="cell_alt[]", value=row.alt, read_only=True),
        ),
        rx.el.div(
            cell_field(row, "label", _("Botón"), is_optional=True, placeholder=_("Ver todo")),
            link_field(row, is_optional=True),
            class_name="o-toy__cells",
        ),
        *filling_fields(row, hint=""),
        visibility_field(row),
        sent=("title", "text", "alt", "label", "link", "product_ids", "category_id", "visibility"),
        is_folded=True,
    )
    name = cell_field(row, "title", _("Título"), is_optional=True, placeholder=row.name)
    filled = row_fields(
        row,
        section_name(row, row.name),
        name,
        *filling_fields(row, hint=_("Vacío: los elige la tienda.")),
        visibility_field(row),
        sent=("title", "product_ids", "category_id", "visibility"),
        is_removable=False,
        is_folded=True,
    )
    own = row_fields(
        row,
        section_name(row, row.name),
        name,
        visibility_field(row),
        sent=("title", "visibility"),
        is_removable=False,
        is_folded=True,
    )
    is_filled = (row.kind == SectionKind.NEW) | (row.kind == SectionKind.SALE)
    return area_row(row, rx.cond(row.kind == SectionKind.EDITORIAL, written, rx.cond(is_filled, filled, own)))


def cell_picker(row: ObjectVar[AreaRow], label: str, *, most: int) -> rx.Component:
    """Render the picker of the row's products."""
    return product_picker(
        "cell_product_ids[]",
        label,
        row.products,
        most=most,
        problem=text_at(AreaState.problems, f"product_ids-{row.key}"),
    )


def filling_fields(row: ObjectVar[AreaRow], hint: str) -> list[rx.Component]:
    """Render the fields that choose a section's products: a product picker, and a category or collection."""
    group = select_field(
        _("Y los de una categoría o colección"),
        [
            rx.el.option(_("Ninguna"), value=""),
            rx.foreach(
                VIEW.categories, lambda option: rx.el.option(option.name, value=option.id, key=option.id)
            ),
        ],
        element_id=f"{FORM}-category_id-{row.key}",
        problem=text_at(AreaState.problems, f"category_id-{row.key}"),
        live="",
        name="cell_category_id[]",
        default_value=row.category_id,
    )
    picker = cell_picker(row, _("Productos"), most=MAX_SECTION_PRODUCTS)
    return [picker, *([rx.el.p(hint, class_name="field__hint")] if hint else []), group]


def visibility_field(row: ObjectVar[AreaRow]) -> rx.Component:
    """Render the select field that shows or hides a section."""
    return select_field(
        _("En el inicio"),
        [rx.el.option(_("Se ve"), value=""), rx.el.option(_("Oculta"), value=HIDDEN)],
        element_id=f"{FORM}-visibility-{row.key}",
        problem=rx.Var.create(""),
        live="",
        name="cell_visibility[]",
        default_value=row.visibility,
    )


def line_row(row: ObjectVar[AreaRow]) -> rx.Component:
    """Render a line of the footer."""
    fields = row_fields(
        row,
        _("Línea"),
        cell_field(row, "text", _("Texto")),
        link_field(row, is_optional=True, hint=_("Vacío: solo texto.")),
        sent=("text", "link"),
    )
    return area_row(row, fields)


ROW_GROUPS = {Area.BANNER: slide_rows, Area.HOME: section_rows, Area.FOOTER: line_rows}
"""Functions that render the rows of an area, for areas with rows."""
