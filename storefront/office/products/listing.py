"""Components of the product list (Productos)."""

from typing import Any

import reflex as rx
from reflex.vars import ObjectVar

from backend.core.texts import _
from backend.office.products.listing import (
    MAX_COUNT,
    MAX_TEXT_LENGTH,
    ONLY,
    STATUS,
    CategoryOption,
    ProductRow,
)
from backend.office.views import ChipView
from backend.staff.rights import Right
from storefront.components.forms import field, select_field
from storefront.components.placeholders import skeleton_bar
from storefront.office.components.feedback import (
    action_link,
    chip,
    empty_list,
    invitation,
    no_matches,
    screen,
)
from storefront.office.components.forms import hidden_field
from storefront.office.components.list_filters import ListFilters
from storefront.office.components.lists import office_list, product_picture
from storefront.office.icons import icon
from storefront.office.layout import office_layout
from storefront.office.navigation import IMPORT, NEW_PRODUCT, PRODUCTS, STOCK
from storefront.office.products.bulk import (
    draft_panel,
    last_changes_panel,
    products_selection_bar,
    select_all_box,
    select_box,
)
from storefront.office.products.listing_state import PRICE, REASONS, UNITS, ProductsState
from storefront.office.react_components import RowSelection
from storefront.office.state import has_right
from storefront.reflex_ext.hooks import text_at
from storefront.reflex_ext.numbers import grouped

TITLE = _("Productos")
VIEW = ProductsState.content
FILTERS = ListFilters("products", PRODUCTS, VIEW, ProductsState.apply_filters)
NO_PROBLEM = text_at(ProductsState.problems, "none")


def new_product_link() -> rx.Component:
    """Render a link to the form of a new product."""
    link = rx.el.a(
        icon("plus", size=18),
        _("Producto nuevo"),
        href=NEW_PRODUCT,
        class_name="button button--small button--dark",
        data_testid="product-new",
    )
    return rx.cond(has_right(Right.CHANGE_CATALOG), link)


def page() -> rx.Component:
    """Render the product list."""
    nothing = empty_list(
        VIEW,
        no_matches(
            "blocks",
            _("Ningún producto"),
            _("Con estos filtros no hay ninguno. Quita alguno, o busca por otra palabra o por el código."),
            PRODUCTS,
        ),
        invitation(
            "blocks",
            _("Todavía no hay productos"),
            _("Crea el primero con una foto, o trae tu lista de Excel, Shopify o WooCommerce."),
            action_link(_("Importar una lista"), IMPORT),
        ),
    )
    content = rx.fragment(
        filters(),
        rx.el.p(
            product_count_text(), class_name="o-products__count", role="status", data_testid="products-count"
        ),
        office_list(ProductsState, VIEW.rows, product_row, nothing, label=TITLE, wrap=selectable_rows),
        last_changes_panel(),
    )
    return office_layout(
        ProductsState,
        PRODUCTS,
        TITLE,
        screen(ProductsState, content, skeleton()),
        actions=(new_product_link(),),
        undo=ProductsState.undo,
        class_name="o-products",
    )


def selectable_rows(listed: rx.Component) -> rx.Component:
    """Render the rows so that staff can select products. The panel of the bulk change follows below them."""
    choosing_form = RowSelection.create(
        rx.cond((VIEW.rows.length() > 0) & has_right(Right.CHANGE_CATALOG), select_all_box()),
        listed,
        products_selection_bar(),
        class_name="o-choosing",
        answers=ProductsState.draft_count,
        holds_forms=True,
        on_act=ProductsState.start_draft,
    )
    return rx.fragment(choosing_form, draft_panel())


def product_count_text() -> rx.Var[str]:
    """Return the number of matching products as a text."""
    many = _("Más de {n} productos").format(n=MAX_COUNT)
    several = rx.cond(VIEW.count == 1, _("1 producto"), _("{n} productos").format(n=grouped(VIEW.count)))
    label: rx.Var[str] = rx.cond(VIEW.count >= MAX_COUNT, many, several)
    return label


def filters() -> rx.Component:
    """Render the search and the filters."""

    def category(option: ObjectVar[CategoryOption]) -> rx.Component:
        return rx.el.option(option.label, value=option.handle, key=option.handle)

    categories = [rx.foreach(VIEW.categories, category)]
    return FILTERS.bar(
        FILTERS.search(_("Buscar productos"), _("Título, código o EAN…"), MAX_TEXT_LENGTH),
        (
            (STATUS["ocultos"], "estado", "ocultos"),
            (ONLY["pocas"], "ver", "pocas"),
            (ONLY["sin-foto"], "ver", "sin-foto"),
        ),
        FILTERS.form(
            _("Ver estos productos"),
            FILTERS.choice("estado", _("Estado"), _("Publicados y ocultos"), STATUS),
            FILTERS.choice("ver", _("Mostrar"), _("Todos"), ONLY),
            FILTERS.choice("categoria", _("Categoría"), _("Cualquier categoría"), categories),
        ),
    )


def product_row(row: ObjectVar[ProductRow]) -> rx.Component:
    """Render a product: picture, title and status, and cells in which its price and units can be edited."""

    def state_chip(state: ObjectVar[ChipView]) -> rx.Component:
        return chip(state.text, state.tone)

    return rx.el.li(
        rx.cond(has_right(Right.CHANGE_CATALOG), select_box(row)),
        rx.el.a(
            product_picture(row.picture),
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
    """Render the price.

    It can be edited here if the product has a single variant; otherwise, it links to the product's screen.
    """
    value: Any = rx.fragment(
        rx.el.b(row.price_label),
        rx.cond(row.old_label != "", rx.el.s(row.old_label, class_name="o-row__detail")),
    )
    leading = rx.el.a(value, href=f"{PRODUCTS}/{row.id}", class_name="o-cell__value o-product__price")
    return rx.cond(
        has_right(Right.CHANGE_CATALOG),
        rx.cond(
            row.variant_id != "",
            edit_cell(value, _("Cambiar el precio"), price_form(row), "o-product__price"),
            leading,
        ),
        rx.el.span(value, class_name="o-cell__value o-product__price"),
    )


def units_cell(row: ObjectVar[ProductRow]) -> rx.Component:
    """Render the units for sale.

    They can be edited here if the product's only variant has a single location. Otherwise, they link to the stock
    screen (Bodega).
    """
    value: Any = rx.fragment(rx.el.b(grouped(row.free)), rx.el.span(_("libres"), class_name="o-row__detail"))
    leading = rx.el.a(value, href=f"{STOCK}?q={row.stock_search}", class_name="o-cell__value")
    return rx.cond(
        has_right(Right.CHANGE_STOCK),
        rx.cond(row.location_id != "", edit_cell(value, _("Cambiar las unidades"), units_form(row)), leading),
        rx.el.span(value, class_name="o-cell__value"),
    )


def edit_cell(value: rx.Component, label: str, form: rx.Component, class_name: str = "") -> rx.Component:
    """Render a value that opens the form to edit it."""
    return rx.el.details(
        rx.el.summary(
            value,
            rx.el.span(label, class_name="sr-only"),
            icon("edit", size=16),
            class_name="o-cell__value o-cell__value--opens",
        ),
        form,
        class_name=f"o-cell {class_name}".strip(),
        custom_attrs={"name": "o-cell"},  # the browser opens one of this name at a time
    )


def price_form(row: ObjectVar[ProductRow]) -> rx.Component:
    """Render the form of a product's price and of its price before a sale."""
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
        hidden_field("variant_id", row.variant_id),
        hidden_field("seen", row.price.to_string()),
        hidden_field("seen_old", row.old_price.to_string()),
        pesos("price", _("Precio"), row.price.to_string(), problem),
        pesos(
            "old_price",
            _("Precio anterior"),
            rx.cond(row.old_price > 0, row.old_price.to_string(), ""),
            NO_PROBLEM,
            is_optional=True,
        ),
        save_button(_("Guardar el precio")),
        class_name="o-cell__form",
        no_validate=True,
        on_submit=ProductsState.change_price,
    )


def units_form(row: ObjectVar[ProductRow]) -> rx.Component:
    """Render the form of a product's units and of the reason for the change."""
    return rx.el.form(
        hidden_field("variant_id", row.variant_id),
        hidden_field("location_id", row.location_id),
        hidden_field("seen", row.stocked.to_string()),
        field(
            "units",
            _("Hay (12), llegaron (+3) o salieron (-2)"),
            element_id=f"{row.variant_id}-units",
            problem=text_at(ProductsState.problems, f"{UNITS}-{row.variant_id}"),
            live="",
            default_value=row.stocked.to_string(),
            key=f"units-{row.stocked}",
            input_mode="tel",  # a phone's keypad has plus and minus signs
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
        save_button(_("Guardar las unidades")),
        class_name="o-cell__form",
        no_validate=True,
        on_submit=ProductsState.change_units,
    )


def save_button(label: str) -> rx.Component:
    """Render the submit button of a cell's form."""
    return rx.el.button(label, type="submit", class_name="button button--primary button--small")


def skeleton() -> rx.Component:
    """Render placeholders while the list loads."""
    row = rx.el.li(
        skeleton_bar("60%"), skeleton_bar("30%", "0.85em"), class_name="o-product o-product--waiting"
    )
    return rx.el.div(
        rx.el.div(
            skeleton_bar("100%", "2.75rem"),
            skeleton_bar("100%", "2.75rem"),
            skeleton_bar("6rem", "2.75rem"),
            class_name="o-filters",
        ),
        rx.el.div(skeleton_bar("8rem"), class_name="o-products__count"),
        rx.el.div(skeleton_bar("12rem"), class_name="o-every"),
        rx.el.ul(*(row for _number in range(8)), class_name="o-list"),
        aria_hidden="true",
    )
