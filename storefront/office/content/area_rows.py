"""The rows of an area's form: slides, sections and lines, in an order that can be changed."""

from collections.abc import Callable
from typing import Any

import reflex as rx
from reflex.vars import ArrayVar, ObjectVar

from backend.content.areas import Area, SectionKind, SlideKind
from backend.content.links import LONGEST_LINK
from backend.core.texts import _
from backend.office.content.area_form import CELLS, AreaRow
from storefront.components.forms import field, field_box, problem_of, select_field
from storefront.office.components.reorder_buttons import add, drop, move
from storefront.office.components.uploads import picture_upload
from storefront.office.content.area_state import AreaState
from storefront.office.react_components import ROWS, Ordered
from storefront.reflex_ext.hooks import text_at

FORM = "area"
"""What the ids of the form's fields begin with."""
TITLES = "area-titles"
"""The id of the list of toys that a field suggests."""
SHOWN = AreaState.content
ORDERED = ROWS.rows.to(ArrayVar, list[AreaRow])


def slides() -> rx.Component:
    """The slides of the banner."""
    return group(
        slide,
        add(_("Un juguete")),
        rx.el.p(_("O una imagen:"), class_name="o-row__detail"),
        picture_upload(AreaState.add_pictures),
        placed=_("Ahora es el {n} de {count}."),
    )


def sections() -> rx.Component:
    """The sections of the home page."""
    return group(
        section,
        add(_("Una sección tuya")),
        rx.el.p(_("O una sección con imagen:"), class_name="o-row__detail"),
        picture_upload(AreaState.add_pictures),
        placed=_("Ahora es la {n} de {count}."),
    )


def lines() -> rx.Component:
    """The lines of the footer."""
    return group(
        line,
        add(_("Una línea")),
        placed=_("Ahora es la {n} de {count}."),
    )


def group(
    row: Callable[[ObjectVar[AreaRow]], rx.Component], *adding: rx.Component, placed: str
) -> rx.Component:
    """Rows that can be moved, and what adds one."""
    return Ordered.create(
        problem_of(f"{FORM}-rows", text_at(AreaState.problems, "rows"), ""),
        rx.el.ol(rx.foreach(ORDERED, row), class_name="o-areas__rows"),
        *adding,
        items=SHOWN.rows + AreaState.added,
        blank=SHOWN.blank,
        placed=placed,
        class_name="o-toy__group",
    )


def row_of(row: ObjectVar[AreaRow], fields: rx.Component) -> rx.Component:
    """A row. It is one element whatever its kind, so that what was typed moves with it."""
    return rx.el.li(
        rx.el.input(type="hidden", name="row[]", value=row.key, read_only=True),
        fields,
        key=row.key,
        data_key=row.key,
        class_name="o-areas__row",
        data_testid="area-row",
    )


def fields_of(
    row: ObjectVar[AreaRow],
    name: str | rx.Var[str],
    *content: rx.Component,
    sent: tuple[str, ...],
    can_go: bool = True,
) -> rx.Component:
    """The fields of a row, below its buttons. Of what it has no field for, it sends what it was given.

    Args:
        row: the row.
        name: what it is.
        content: its fields.
        sent: the cells that `content` sends.
        can_go: whether it can be taken away.
    """
    unsent = [
        rx.el.input(type="hidden", name=f"cell_{cell}[]", value=getattr(row, cell), read_only=True)
        for cell in CELLS
        if cell not in sent
    ]
    return rx.fragment(
        *unsent,
        rx.el.div(
            rx.el.span(name, class_name="o-areas__name"),
            move(-1, _("Antes")),
            move(1, _("Después")),
            *([drop(_("Quitar"))] if can_go else []),
            class_name="o-areas__head",
        ),
        *content,
    )


def cell(row: ObjectVar[AreaRow], name: str, label: str, **more: Any) -> rx.Component:
    """A line of a row."""
    return field(
        f"cell_{name}[]",
        label,
        element_id=f"{FORM}-{name}-{row.key}",
        problem=text_at(AreaState.problems, f"{name}-{row.key}"),
        live="",
        **{"default_value": getattr(row, name), "auto_complete": "off", **more},
    )


def link(row: ObjectVar[AreaRow], *, is_optional: bool, hint: str = "") -> rx.Component:
    """Where a row leads."""
    return cell(
        row,
        "link",
        _("Enlace"),
        is_optional=is_optional,
        max_length=LONGEST_LINK,
        placeholder="/catalog",
        input_mode="url",
        auto_capitalize="none",
        spell_check=False,
        hint=hint,
    )


def days(row: ObjectVar[AreaRow]) -> rx.Component:
    """From which day to which."""
    return rx.el.div(
        cell(row, "starts", _("Primer día"), type="date", is_optional=True),
        cell(row, "ends", _("Último día"), type="date", is_optional=True),
        class_name="o-areas__days",
    )


def several_lines(row: ObjectVar[AreaRow], name: str, label: str, hint: str, rows: int) -> rx.Component:
    """A text of several lines."""
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


def picture_of(row: ObjectVar[AreaRow]) -> rx.Component:
    """The row's picture, and what it shows."""
    return rx.el.div(
        rx.el.img(
            src=row.src, alt="", width="120", height="120", loading="lazy", class_name="o-toy__picture"
        ),
        cell(row, "alt", _("Qué se ve"), is_optional=True),
        problem_of(f"{FORM}-picture-{row.key}", text_at(AreaState.problems, f"picture-{row.key}"), ""),
        class_name="o-areas__picture",
    )


def slide(row: ObjectVar[AreaRow]) -> rx.Component:
    """A slide: of a toy or of a picture."""
    is_picture = row.kind == SlideKind.PICTURE
    words = cell(row, "text", _("Frase"), is_optional=True)
    toy = fields_of(
        row,
        _("Juguete"),
        cell(
            row,
            "toy",
            _("Juguete"),
            list=TITLES,
            hint=_("Su título o su código (SKU). Se ve mientras se pueda comprar."),
        ),
        words,
        link(row, is_optional=True, hint=_("Vacío: la página del juguete.")),
        days(row),
        sent=("toy", "text", "link", "starts", "ends"),
    )
    picture = fields_of(
        row,
        _("Imagen"),
        picture_of(row),
        cell(row, "title", _("Título")),
        words,
        link(row, is_optional=False),
        days(row),
        sent=("alt", "title", "text", "link", "starts", "ends"),
    )
    return row_of(row, rx.cond(is_picture, picture, toy))


def section(row: ObjectVar[AreaRow]) -> rx.Component:
    """A section: of the shop, or written."""
    written = fields_of(
        row,
        _("Sección tuya"),
        cell(row, "title", _("Título")),
        several_lines(row, "text", _("Texto"), _("Un párrafo por línea."), 4),
        rx.cond(
            row.picture != "",
            picture_of(row),
            rx.el.input(type="hidden", name="cell_alt[]", value=row.alt, read_only=True),
        ),
        rx.el.div(
            cell(row, "label", _("Botón"), is_optional=True, placeholder=_("Ver los kits")),
            link(row, is_optional=True),
            class_name="o-toy__cells",
        ),
        several_lines(
            row,
            "toys",
            _("Juguetes"),
            _("Uno por línea: su título o el código (SKU) de una presentación."),
            3,
        ),
        select_field(
            _("Y los de una categoría"),
            [
                rx.el.option(_("Ninguna"), value=""),
                rx.foreach(SHOWN.categories, lambda one: rx.el.option(one.name, value=one.id, key=one.id)),
            ],
            element_id=f"{FORM}-category_id-{row.key}",
            problem=text_at(AreaState.problems, f"category_id-{row.key}"),
            live="",
            name="cell_category_id[]",
            default_value=row.category_id,
        ),
        sent=("title", "text", "alt", "label", "link", "toys", "category_id"),
    )
    own = fields_of(row, row.name, sent=(), can_go=False)
    return row_of(row, rx.cond(row.kind == SectionKind.EDITORIAL, written, own))


def line(row: ObjectVar[AreaRow]) -> rx.Component:
    """A line of the footer."""
    fields = fields_of(
        row,
        _("Línea"),
        cell(row, "text", _("Texto")),
        link(row, is_optional=True, hint=_("Vacío: solo texto.")),
        sent=("text", "link"),
    )
    return row_of(row, fields)


GROUPS = {Area.BANNER: slides, Area.HOME: sections, Area.FOOTER: lines}
"""The rows of the areas that have any."""
