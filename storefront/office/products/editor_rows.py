"""Rows of the product form that can be reordered: variants, pictures and the video."""

from typing import Any

import reflex as rx
from reflex.vars import ArrayVar, ObjectVar

from backend.core.texts import _
from backend.media.videos import VIDEO_KEY
from backend.office.products.draft import MAX_ALT_LENGTH, MAX_CELL_LENGTH
from storefront.components.forms import described_by, field, field_box, field_problem
from storefront.office.components.forms import office_select
from storefront.office.components.reorder_buttons import add_button, drop_button, move_button
from storefront.office.components.uploads import picture_upload, video_upload
from storefront.office.icons import icon
from storefront.office.products.editor_state import ProductState
from storefront.office.products.editor_view import PictureRow, VariantRow, VideoRow
from storefront.office.react_components import ROWS, ReorderableRows, react_key
from storefront.reflex_ext.hooks import ABSENT, text_at

VIEW = ProductState.content
FORM = "product"
"""Prefix of the ids of the form's fields."""
MONEY: dict[str, Any] = {"input_mode": "numeric", "max_length": 15, "data_money": ""}
"""Props of a field with an amount in pesos. Its digits are grouped when it is left: see `EditForm`."""
VARIANTS = ROWS.rows.to(ArrayVar, list[VariantRow])
PICTURES = ROWS.rows.to(ArrayVar, list[PictureRow])
VIDEOS = ROWS.rows.to(ArrayVar, list[VideoRow])


def move_buttons(thing: str, *more: rx.Component) -> rx.Component:
    """Render the buttons that move a row."""
    return rx.el.span(
        move_button(-1, _("{thing}: antes").format(thing=thing)),
        move_button(1, _("{thing}: después").format(thing=thing)),
        *more,
        class_name="o-toy__buttons",
    )


def variants_group() -> rx.Component:
    """Render the variants with price and units."""
    where = office_select(
        ProductState,
        FORM,
        "location_id",
        _("Dónde llegaron"),
        [
            rx.foreach(
                VIEW.locations,
                lambda location: rx.el.option(location.name, value=location.id, key=location.id),
            )
        ],
    )
    the_only_place = rx.foreach(
        VIEW.locations,
        lambda location: rx.el.input(
            type="hidden", name="location_id", value=location.id, read_only=True, key=location.id
        ),
    )
    return ReorderableRows.create(
        field_problem(f"{FORM}-variants", text_at(ProductState.problems, "variants"), ""),
        rx.el.ul(rx.foreach(VARIANTS, variant_row), class_name="o-toy__variants"),
        add_button(_("Otra presentación (color, tamaño)")),
        rx.cond(ROWS.count > 1, common_price_field()),
        rx.cond(VIEW.locations.length() > 1, where, the_only_place),
        items=VIEW.variants,
        blank=VIEW.blank,
        min_count=1,
        moved_text=_("Ahora es la {n} de {count}."),
        class_name="o-toy__group",
    )


def common_price_field() -> rx.Component:
    """Render the field of a price for all variants. If it stays empty, no price is changed."""
    return field(
        "common_price",
        _("Un precio para todas"),
        element_id=f"{FORM}-common_price",
        problem=text_at(ProductState.problems, "common_price"),
        live="",
        auto_complete="off",
        is_optional=True,
        **MONEY,
    )


def variant_row(row: ObjectVar[VariantRow]) -> rx.Component:
    """Render a variant: price, stock and codes. If the product has several variants, also render the variant's name."""
    named = rx.el.div(
        title_field(row),
        move_buttons(_("Presentación"), drop_button(_("Quitar {name}").format(name=row.title))),
        class_name="o-toy__named",
    )
    return rx.el.li(
        rx.el.input(type="hidden", name="variant[]", value=row.key, read_only=True),
        rx.cond(
            ROWS.count > 1,
            named,
            rx.el.input(type="hidden", name="variant_title[]", value=row.title, read_only=True),
        ),
        price_and_units(row),
        free_box(row),
        rx.cond(
            row.stocked != "",
            rx.el.p(
                row.stocked, " · ", rx.el.a(_("Bodega"), href=row.stock_path), class_name="o-toy__stocked"
            ),
        ),
        code_fields(row),
        key=react_key(row),
        data_key=row.key,
        class_name="o-toy__variant",
        data_testid="product-variant",
    )


def title_field(row: ObjectVar[VariantRow]) -> rx.Component:
    """Render the field of a variant's name. A long name wraps: names of several options differ at their end."""
    element_id = f"{FORM}-title-{row.key}"
    problem = text_at(ProductState.problems, f"title-{row.key}")
    text = rx.el.textarea(
        id=rx.Var.create(element_id),
        name="variant_title[]",
        rows="1",
        max_length=MAX_CELL_LENGTH,
        default_value=row.title,
        auto_complete="off",
        data_one_line="",
        class_name="field__input",
        custom_attrs={
            "aria-required": "true",
            "aria-invalid": rx.cond(problem, "true", ABSENT),
            **described_by(element_id, problem),
        },
    )
    return field_box(_("Presentación"), text, element_id=element_id, problem=problem, live="")


def price_and_units(row: ObjectVar[VariantRow]) -> rx.Component:
    """Render the fields of a variant's price, its price before a sale, and its received units."""
    number: dict[str, Any] = {"input_mode": "numeric"}
    return rx.el.div(
        variant_field(row, "price", _("Precio"), row.price, **MONEY),
        variant_field(row, "before", _("Antes"), row.before, **MONEY, is_optional=True),
        variant_field(
            row,
            "units",
            rx.cond(VIEW.is_new, _("Unidades"), _("Llegaron")),
            "",
            **number,
            placeholder="0",
            is_optional=True,
            max_length=8,
        ),
        class_name="o-toy__cells",
    )


def free_box(row: ObjectVar[VariantRow]) -> rx.Component:
    """Render the checkbox that allows the variant to be sold at a price of 0."""
    box = rx.el.input(
        type="checkbox",
        name="is_free[]",
        value=row.key,
        default_checked=row.is_free,
        id=rx.Var.create(f"{FORM}-is_free-{row.key}"),
        auto_complete="off",
    )
    label = rx.el.span(_("Gratis: se vende con precio 0"), class_name="check__label")
    return rx.el.label(box, label, class_name="check")


def code_fields(row: ObjectVar[VariantRow]) -> rx.Component:
    """Render a variant's SKU, barcode, cost and margin in a part that is collapsed at first."""
    return rx.el.details(
        rx.el.summary(icon("tag", size=18), _("Código, código de barras y costo"), class_name="o-disclosure"),
        rx.el.div(
            variant_field(row, "sku", _("Código"), row.sku, is_optional=True, auto_capitalize="characters"),
            variant_field(
                row,
                "ean",
                _("Código de barras"),
                row.ean,
                is_optional=True,
                input_mode="numeric",
                max_length=20,
            ),
            variant_field(row, "cost", _("Costo, sin IVA"), row.cost, **MONEY, is_optional=True),
            class_name="o-toy__cells",
        ),
        rx.cond(row.margin != "", rx.el.p(row.margin, class_name="o-toy__stocked")),
    )


def variant_field(
    row: ObjectVar[VariantRow], name: str, label: str | rx.Var[str], value: str | rx.Var[str], **more: Any
) -> rx.Component:
    """Render a field of a variant."""
    return field(
        f"{name}[]",
        label,
        element_id=f"{FORM}-{name}-{row.key}",
        problem=text_at(ProductState.problems, f"{name}-{row.key}"),
        live="",
        default_value=value,
        auto_complete="off",
        **more,
    )


def picture_value_field(row: ObjectVar[PictureRow]) -> rx.Component:
    """Render the field of the option value that a picture shows."""
    element_id = f"{FORM}-picture_value-{row.key}"
    options = rx.foreach(
        VIEW.picture_values, lambda value: rx.el.option(value.name, value=value.id, key=value.id)
    )
    return rx.fragment(
        rx.el.label(_("Muestra"), html_for=element_id, class_name="sr-only"),
        rx.el.select(
            rx.el.option(_("Todas"), value=""),
            options,
            id=rx.Var.create(element_id),
            name="picture_value[]",
            default_value=row.value,
            data_now=row.value,
            class_name="field__input",
        ),
    )


def pictures_group() -> rx.Component:
    """Render the pictures in their order. Lists display the first one."""

    def picture_row(row: ObjectVar[PictureRow]) -> rx.Component:
        element_id = f"{FORM}-alt-{row.key}"
        return rx.el.li(
            rx.el.input(type="hidden", name="picture[]", value=row.url, read_only=True),
            rx.el.div(
                rx.el.img(
                    src=row.src,
                    alt="",
                    width="120",
                    height="120",
                    loading="lazy",
                    draggable=False,
                    data_grip="",
                    class_name="o-toy__picture",
                ),
                rx.el.span(icon("more", size=20), data_grip="", aria_hidden="true", class_name="o-toy__grip"),
                class_name="o-toy__frame",
            ),
            move_buttons(_("Foto"), drop_button(_("Quitar la foto"))),
            rx.el.label(_("Qué se ve"), html_for=element_id, class_name="sr-only"),
            rx.el.input(
                id=rx.Var.create(element_id),
                name="alt[]",
                default_value=row.alt,
                placeholder=_("Qué se ve"),
                max_length=MAX_ALT_LENGTH,
                auto_complete="off",
                class_name="field__input",
            ),
            rx.cond(VIEW.picture_values.length() > 0, picture_value_field(row)),
            key=row.key,
            data_key=row.key,
            class_name="o-toy__shot",
            data_testid="product-picture",
        )

    return ReorderableRows.create(
        rx.el.p(_("Fotos"), class_name="field__label"),
        field_problem(f"{FORM}-pictures", text_at(ProductState.problems, "pictures"), ""),
        rx.el.ul(rx.foreach(PICTURES, picture_row), class_name="o-toy__shots"),
        picture_upload(ProductState.add_pictures),
        items=VIEW.pictures + ProductState.added_pictures,
        restored=ProductState.upload_counts,
        blank={},
        moved_text=_("Ahora es la {n} de {count}."),
        class_name="o-toy__group",
    )


def video_group() -> rx.Component:
    """Render the video field.

    A hidden, empty field of the same name comes first, so that a form without a video also sends the field.
    A form with a video sends both values, and the second one counts.
    """

    def video_row(row: ObjectVar[VideoRow]) -> rx.Component:
        return rx.el.li(
            rx.el.input(type="hidden", name=VIDEO_KEY, value=row.url, read_only=True),
            rx.el.video(
                src=row.url,
                controls=True,
                preload="metadata",
                class_name="o-toy__video",
                custom_attrs={"playsInline": True, "aria-label": _("Video del producto")},
            ),
            drop_button(_("Quitar el video")),
            key=row.key,
            data_key=row.key,
            class_name="o-toy__film",
            data_testid="product-video",
        )

    items = rx.cond(ProductState.added_videos.length() > 0, ProductState.added_videos, VIEW.videos)
    return ReorderableRows.create(
        rx.el.p(_("Video"), class_name="field__label"),
        field_problem(f"{FORM}-{VIDEO_KEY}", text_at(ProductState.problems, VIDEO_KEY), ""),
        rx.el.input(
            type="hidden", name=VIDEO_KEY, value="", read_only=True, id=rx.Var.create(f"{FORM}-{VIDEO_KEY}")
        ),
        rx.el.ul(rx.foreach(VIDEOS, video_row)),
        video_upload(VIEW.video_texts, VIEW.max_video_bytes, ProductState.add_video),
        items=items,
        restored=ProductState.upload_counts,
        blank={},
        moved_text="",
        class_name="o-toy__group",
    )
