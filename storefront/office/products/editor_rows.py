"""What a toy has several of: its variants and its pictures, in an order that can be changed."""

from typing import Any

import reflex as rx
from reflex.vars import ArrayVar, ObjectVar

from backend.core.texts import _
from backend.media.videos import VIDEO
from backend.office.products.draft import LONGEST_ALT
from storefront.components.forms import field, problem_of
from storefront.office.components.forms import office_select
from storefront.office.components.reorder_buttons import add, drop, move
from storefront.office.components.uploads import picture_upload, video_upload
from storefront.office.icons import icon
from storefront.office.products.editor_state import (
    PictureRow,
    ProductState,
    VariantRow,
    VideoRow,
)
from storefront.office.react_components import ROWS, Ordered
from storefront.reflex_ext.hooks import text_at

SHOWN = ProductState.content
FORM = "product"
"""What the ids of the form's fields begin with."""
VARIANTS = ROWS.rows.to(ArrayVar, list[VariantRow])
PICTURES = ROWS.rows.to(ArrayVar, list[PictureRow])
VIDEOS = ROWS.rows.to(ArrayVar, list[VideoRow])


def buttons(thing: str, *more: rx.Component) -> rx.Component:
    """What puts a row before or after another."""
    return rx.el.span(
        move(-1, _("{thing}: antes").format(thing=thing)),
        move(1, _("{thing}: después").format(thing=thing)),
        *more,
        class_name="o-toy__buttons",
    )


def variants() -> rx.Component:
    """Price and units; with several variants, each of them."""
    where = office_select(
        ProductState,
        FORM,
        "location_id",
        _("Dónde llegaron"),
        [rx.foreach(SHOWN.locations, lambda one: rx.el.option(one.name, value=one.id, key=one.id))],
    )
    the_only_place = rx.foreach(
        SHOWN.locations,
        lambda one: rx.el.input(type="hidden", name="location_id", value=one.id, read_only=True, key=one.id),
    )
    return Ordered.create(
        problem_of(f"{FORM}-variants", text_at(ProductState.problems, "variants"), ""),
        rx.el.ul(rx.foreach(VARIANTS, variant), class_name="o-toy__variants"),
        add(_("Otra presentación (color, tamaño)")),
        rx.cond(SHOWN.locations.length() > 1, where, the_only_place),
        items=SHOWN.variants,
        blank=SHOWN.blank,
        least=1,
        placed=_("Ahora es la {n} de {count}."),
        class_name="o-toy__group",
    )


def variant(row: ObjectVar[VariantRow]) -> rx.Component:
    """A variant: its name where there are several, what it costs, what came of it, and its codes."""
    named = rx.el.div(
        cell(row, "title", _("Presentación"), row.title, max_length=255),
        buttons(_("Presentación"), drop(_("Quitar {name}").format(name=row.title))),
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
        free_tick(row),
        rx.cond(
            row.stocked != "",
            rx.el.p(
                row.stocked, " · ", rx.el.a(_("Bodega"), href=row.stock_path), class_name="o-toy__stocked"
            ),
        ),
        codes(row),
        key=row.key,
        data_key=row.key,
        class_name="o-toy__variant",
        data_testid="product-variant",
    )


def price_and_units(row: ObjectVar[VariantRow]) -> rx.Component:
    """What a variant costs, what it cost before, and how many came."""
    number: dict[str, Any] = {"input_mode": "numeric"}
    return rx.el.div(
        cell(row, "price", _("Precio"), row.price, **number, max_length=15),
        cell(row, "before", _("Antes"), row.before, **number, is_optional=True, max_length=15),
        cell(
            row,
            "units",
            rx.cond(SHOWN.is_new, _("Unidades"), _("Llegaron")),
            "",
            **number,
            placeholder="0",
            is_optional=True,
            max_length=8,
        ),
        class_name="o-toy__cells",
    )


def free_tick(row: ObjectVar[VariantRow]) -> rx.Component:
    """Render the tick that lets the variant be sold at a price of 0."""
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


def codes(row: ObjectVar[VariantRow]) -> rx.Component:
    """A variant's codes, folded."""
    return rx.el.details(
        rx.el.summary(icon("tag", size=18), _("Código y código de barras"), class_name="o-disclosure"),
        rx.el.div(
            cell(row, "sku", _("Código"), row.sku, is_optional=True, auto_capitalize="characters"),
            cell(
                row,
                "ean",
                _("Código de barras"),
                row.ean,
                is_optional=True,
                input_mode="numeric",
                max_length=20,
            ),
            class_name="o-toy__cells",
        ),
    )


def cell(
    row: ObjectVar[VariantRow], name: str, label: str | rx.Var[str], value: str | rx.Var[str], **more: Any
) -> rx.Component:
    """A line of a variant."""
    sent = "variant_title" if name == "title" else name
    return field(
        f"{sent}[]",
        label,
        element_id=f"{FORM}-{name}-{row.key}",
        problem=text_at(ProductState.problems, f"{name}-{row.key}"),
        live="",
        default_value=value,
        auto_complete="off",
        **more,
    )


def pictures() -> rx.Component:
    """The pictures in their order: the first is that of the lists."""

    def one(row: ObjectVar[PictureRow]) -> rx.Component:
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
            buttons(_("Foto"), drop(_("Quitar la foto"))),
            rx.el.label(_("Qué se ve"), html_for=element_id, class_name="sr-only"),
            rx.el.input(
                id=rx.Var.create(element_id),
                name="alt[]",
                default_value=row.alt,
                placeholder=_("Qué se ve"),
                max_length=LONGEST_ALT,
                auto_complete="off",
                class_name="field__input",
            ),
            key=row.key,
            data_key=row.key,
            class_name="o-toy__shot",
            data_testid="product-picture",
        )

    return Ordered.create(
        rx.el.p(_("Fotos"), class_name="field__label"),
        problem_of(f"{FORM}-pictures", text_at(ProductState.problems, "pictures"), ""),
        rx.el.ul(rx.foreach(PICTURES, one), class_name="o-toy__shots"),
        picture_upload(ProductState.add_pictures),
        items=SHOWN.pictures + ProductState.added,
        again=ProductState.again,
        blank={},
        placed=_("Ahora es la {n} de {count}."),
        class_name="o-toy__group",
    )


def video() -> rx.Component:
    """Its video, or none. The last field of this name counts: without a row that is the empty one."""

    def one(row: ObjectVar[VideoRow]) -> rx.Component:
        return rx.el.li(
            rx.el.input(type="hidden", name=VIDEO, value=row.url, read_only=True),
            rx.el.video(
                src=row.url,
                controls=True,
                preload="metadata",
                class_name="o-toy__video",
                custom_attrs={"playsInline": True, "aria-label": _("Video del juguete")},
            ),
            drop(_("Quitar el video")),
            key=row.key,
            data_key=row.key,
            class_name="o-toy__film",
            data_testid="product-video",
        )

    items = rx.cond(ProductState.added_videos.length() > 0, ProductState.added_videos, SHOWN.videos)
    return Ordered.create(
        rx.el.p(_("Video"), class_name="field__label"),
        problem_of(f"{FORM}-{VIDEO}", text_at(ProductState.problems, VIDEO), ""),
        rx.el.input(type="hidden", name=VIDEO, value="", read_only=True, id=rx.Var.create(f"{FORM}-{VIDEO}")),
        rx.el.ul(rx.foreach(VIDEOS, one)),
        video_upload(SHOWN.video_texts, SHOWN.most_video_bytes, ProductState.add_video),
        items=items,
        again=ProductState.again,
        blank={},
        placed="",
        class_name="o-toy__group",
    )
