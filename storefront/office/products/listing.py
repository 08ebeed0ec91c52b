"""What Productos looks like."""

from typing import Any

import reflex as rx
from reflex.vars import ObjectVar

from backend.core.texts import _
from backend.office.products.listing import (
    LONGEST_TEXT,
    MOST_COUNTED,
    ONLY,
    STATUS,
    CategoryOption,
    ProductRow,
)
from backend.office.views import ChipView
from backend.staff.rights import Right
from storefront.components.forms import field, select_field
from storefront.components.placeholders import bar
from storefront.office.components.feedback import chip, empty, screen
from storefront.office.components.list_filters import Finding
from storefront.office.components.lists import office_list
from storefront.office.icons import icon
from storefront.office.layout import office
from storefront.office.navigation import NEW_PRODUCT, PRODUCTS, STOCK
from storefront.office.products.bulk import choosing, drafting, every, last_ones, products_chosen_bar
from storefront.office.products.listing_state import PRICE, REASONS, UNITS, ProductsState
from storefront.office.react_components import Choosing
from storefront.office.state import may
from storefront.office.stock.page import picture
from storefront.reflex_ext.hooks import text_at

TITLE = _("Productos")
SHOWN = ProductsState.content
FINDING = Finding("products", PRODUCTS, SHOWN, ProductsState.ask)
NO_PROBLEM = text_at(ProductsState.problems, "none")


def new_toy() -> rx.Component:
    """Leads to the form of a toy that is not there yet."""
    link = rx.el.a(
        icon("plus", size=18),
        _("Juguete nuevo"),
        href=NEW_PRODUCT,
        class_name="button button--small button--dark",
        data_testid="product-new",
    )
    return rx.cond(may(Right.CHANGE_CATALOG), link)


def page() -> rx.Component:
    """The products."""
    nothing = empty(
        "blocks",
        _("Ningún producto"),
        _("Con estos filtros no hay ninguno. Quita alguno, o busca por otra palabra o por el código."),
    )
    content = rx.fragment(
        filters(),
        rx.el.p(counted(), class_name="o-products__count", role="status", data_testid="products-count"),
        office_list(ProductsState, SHOWN.rows, product_row, nothing, label=TITLE, around=choosing_several),
        last_ones(),
    )
    return office(
        ProductsState,
        PRODUCTS,
        TITLE,
        screen(ProductsState, content, skeleton()),
        actions=(new_toy(),),
        undo=ProductsState.undo,
        class_name="o-products",
    )


def choosing_several(listed: rx.Component) -> rx.Component:
    """Wrap the rows in what chooses several, with what is being done with them below."""
    choosing_form = Choosing.create(
        rx.cond((SHOWN.rows.length() > 0) & may(Right.CHANGE_CATALOG), every()),
        listed,
        products_chosen_bar(),
        class_name="o-choosing",
        answers=ProductsState.drafts,
        holds_forms=True,
        on_act=ProductsState.act,
    )
    return rx.fragment(choosing_form, drafting())


def counted() -> rx.Var[str]:
    """How many products are asked for."""
    many = _("Más de {n} juguetes").format(n=MOST_COUNTED)
    several = rx.cond(SHOWN.count == 1, _("1 juguete"), _("{n} juguetes").format(n=SHOWN.count.to_string()))
    label: rx.Var[str] = rx.cond(SHOWN.count >= MOST_COUNTED, many, several)
    return label


def filters() -> rx.Component:
    """Which products."""

    def category(one: ObjectVar[CategoryOption]) -> rx.Component:
        return rx.el.option(one.label, value=one.handle, key=one.handle)

    categories = [rx.foreach(SHOWN.categories, category)]
    return FINDING.bar(
        FINDING.search(_("Buscar productos"), _("Título, código o EAN…"), LONGEST_TEXT),
        (
            (STATUS["ocultos"], "estado", "ocultos"),
            (ONLY["pocas"], "ver", "pocas"),
            (ONLY["sin-foto"], "ver", "sin-foto"),
        ),
        FINDING.form(
            _("Ver estos productos"),
            FINDING.choice("estado", _("Estado"), _("Publicados y ocultos"), STATUS),
            FINDING.choice("ver", _("Mostrar"), _("Todos"), ONLY),
            FINDING.choice("categoria", _("Categoría"), _("Cualquier categoría"), categories),
        ),
    )


def product_row(row: ObjectVar[ProductRow]) -> rx.Component:
    """A product: its picture, title and state, and its price and units, which open to be changed."""

    def state_chip(state: ObjectVar[ChipView]) -> rx.Component:
        return chip(state.text, state.tone)

    return rx.el.li(
        rx.cond(may(Right.CHANGE_CATALOG), choosing(row)),
        rx.el.a(
            picture(row.picture),
            rx.el.span(
                rx.el.span(row.title, class_name="o-row__title"),
                rx.el.span(row.detail, class_name="o-row__detail"),
                rx.el.span(rx.foreach(row.chips, state_chip), class_name="o-product__chips"),
                class_name="o-stock__words",
            ),
            href=f"{PRODUCTS}/{row.id}",
            class_name="o-product__link",
            data_opens_row="",
        ),
        price_cell(row),
        units_cell(row),
        id=rx.Var.create(row.id),
        key=row.id,
        data_row="",
        data_testid="product-row",
        class_name="o-product",
    )


def price_cell(row: ObjectVar[ProductRow]) -> rx.Component:
    """What it costs. That of an only variant is changed here, that of several on the product's own screen."""
    said: Any = rx.fragment(
        rx.el.b(row.price_label),
        rx.cond(row.old_label != "", rx.el.s(row.old_label, class_name="o-row__detail")),
    )
    leading = rx.el.a(said, href=f"{PRODUCTS}/{row.id}", class_name="o-cell__value o-product__price")
    return rx.cond(
        may(Right.CHANGE_CATALOG),
        rx.cond(
            row.variant_id != "",
            cell(said, _("Cambiar el precio"), price_form(row), "o-product__price"),
            leading,
        ),
        rx.el.span(said, class_name="o-cell__value o-product__price"),
    )


def units_cell(row: ObjectVar[ProductRow]) -> rx.Component:
    """How many units can be sold. They are changed here where all are stocked in one place, else in Bodega."""
    said: Any = rx.fragment(rx.el.b(row.free), rx.el.span(_("libres"), class_name="o-row__detail"))
    leading = rx.el.a(said, href=f"{STOCK}?q={row.stock_search}", class_name="o-cell__value")
    return rx.cond(
        may(Right.CHANGE_STOCK),
        rx.cond(row.location_id != "", cell(said, _("Cambiar las unidades"), units_form(row)), leading),
        rx.el.span(said, class_name="o-cell__value"),
    )


def cell(said: rx.Component, label: str, form: rx.Component, class_name: str = "") -> rx.Component:
    """A value that opens to be changed."""
    return rx.el.details(
        rx.el.summary(
            said,
            rx.el.span(label, class_name="sr-only"),
            icon("edit", size=16),
            class_name="o-cell__value o-cell__value--opens",
        ),
        form,
        class_name=f"o-cell {class_name}".strip(),
        custom_attrs={"name": "o-cell"},  # one is open at a time
    )


def price_form(row: ObjectVar[ProductRow]) -> rx.Component:
    """The price, and what it was before its sale."""
    problem = text_at(ProductsState.problems, f"{PRICE}-{row.variant_id}")

    def pesos(name: str, label: str, value: Any, problem: rx.Var[str], **more: Any) -> rx.Component:
        return field(
            name,
            label,
            element_id=f"{row.variant_id}-{name}",
            problem=problem,
            live="",
            default_value=value,
            key=f"{name}-{row.price}-{row.old_price}",
            input_mode="numeric",
            max_length=20,
            auto_complete="off",
            **more,
        )

    return rx.el.form(
        hidden("variant_id", row.variant_id),
        hidden("seen", row.price.to_string()),
        hidden("seen_old", row.old_price.to_string()),
        pesos("price", _("Precio"), row.price.to_string(), problem),
        pesos(
            "old_price",
            _("Precio anterior"),
            rx.cond(row.old_price > 0, row.old_price.to_string(), ""),
            NO_PROBLEM,
            is_optional=True,
        ),
        save(_("Guardar el precio")),
        class_name="o-cell__form",
        no_validate=True,
        on_submit=ProductsState.price,
    )


def units_form(row: ObjectVar[ProductRow]) -> rx.Component:
    """How many are stocked there, and why that differs."""
    return rx.el.form(
        hidden("variant_id", row.variant_id),
        hidden("location_id", row.location_id),
        hidden("seen", row.stocked.to_string()),
        field(
            "units",
            _("Hay (12), llegaron (+3) o salieron (-2)"),
            element_id=f"{row.variant_id}-units",
            problem=text_at(ProductsState.problems, f"{UNITS}-{row.variant_id}"),
            live="",
            default_value=row.stocked.to_string(),
            key=f"units-{row.stocked}",
            input_mode="tel",  # the keys of a telephone have signs
            max_length=8,
            auto_complete="off",
        ),
        select_field(
            _("Motivo"),
            [rx.el.option(label, value=reason) for reason, label in REASONS.items()],
            element_id=f"{row.variant_id}-reason",
            problem=NO_PROBLEM,
            live="",
            name="reason",
        ),
        save(_("Guardar las unidades")),
        class_name="o-cell__form",
        no_validate=True,
        on_submit=ProductsState.units,
    )


def hidden(name: str, value: Any) -> rx.Component:
    """What a form says without anybody typing it."""
    return rx.el.input(type="hidden", name=name, value=value, read_only=True)


def save(label: str) -> rx.Component:
    """The button of a form in a cell."""
    return rx.el.button(label, type="submit", class_name="button button--primary button--small")


def skeleton() -> rx.Component:
    """What holds the place of all this."""
    row = rx.el.li(bar("60%"), bar("30%", "0.85em"), class_name="o-product o-product--waiting")
    return rx.el.div(
        rx.el.div(
            bar("100%", "2.75rem"), bar("100%", "2.75rem"), bar("6rem", "2.75rem"), class_name="o-filters"
        ),
        rx.el.div(bar("8rem"), class_name="o-products__count"),
        rx.el.div(bar("12rem"), class_name="o-every"),
        rx.el.ul(*(row for _place in range(8)), class_name="o-list"),
        aria_hidden="true",
    )
