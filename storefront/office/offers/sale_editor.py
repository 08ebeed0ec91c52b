"""The editor of a sale: its form, the prices before and after, its end day, and the button that ends it now."""

from typing import Any

import reflex as rx
from reflex.vars import ObjectVar

from backend.catalog.price_lists.price_plan import Method
from backend.core.texts import _
from backend.office.offers.form import CATEGORIES, PRODUCTS
from backend.office.offers.sales import ALL, SalePrice
from backend.staff.rights import Right
from storefront.office.components.feedback import chip
from storefront.office.components.forms import office_field
from storefront.office.offers.editor_parts import Editor, more_rows_line
from storefront.office.offers.sale_state import SaleState
from storefront.office.state import has_right

TITLE = _("Rebaja")
VIEW = SaleState.content
ROW = VIEW.row
PREVIEW = SaleState.preview
EDITOR = Editor("rebaja", "sale", SaleState, VIEW, VIEW.form, PREVIEW)


def page() -> rx.Component:
    """Render the editor of the sale in the URL, or of a new one."""
    return EDITOR.page(
        TITLE,
        rx.cond(VIEW.row, status_panel()),
        rx.cond(VIEW.form.is_not_none() & has_right(Right.CHANGE_PROMOTIONS), sale_form()),
        rx.cond(SaleState.preview, preview_panel()),
        rx.cond((VIEW.rows.length() > 0) & SaleState.preview.is_none(), prices_panel()),
    )


def status_panel() -> rx.Component:
    """Render the sale's status, its end day, and the button that ends it now."""
    end = EDITOR.end_button(
        _(
            "Los precios de antes vuelven en menos de un minuto. Los pagos que están en curso conservan su precio."
        )
    )
    last_day = rx.el.form(
        office_field(
            SaleState,
            EDITOR.name,
            "last_day",
            _("Último día"),
            default_value=VIEW.last_day,
            type="date",
            hint=_("Termina sola esa noche."),
        ),
        rx.el.button(_("Cambiar"), type="submit", class_name="button button--small button--dark"),
        key=VIEW.id,
        no_validate=True,
        on_submit=SaleState.move_end,
        class_name="o-form o-offer__end",
    )
    return rx.el.section(
        rx.el.div(rx.el.h2(ROW.title), chip(ROW.chip.text, ROW.chip.tone), class_name="o-content__head"),
        rx.el.p(ROW.detail, class_name="o-row__detail"),
        rx.cond(
            VIEW.can_end & has_right(Right.CHANGE_PROMOTIONS),
            rx.fragment(rx.cond(VIEW.form.is_none(), last_day), end),
        ),
        class_name="o-panel o-section",
    )


def sale_form() -> rx.Component:
    """Render the sale's form."""
    typed, choice = EDITOR.text_field, EDITOR.choice_field
    return EDITOR.edit_form(
        typed("title", _("Nombre"), hint=_("Solo lo ves tú: «Rebajas de diciembre».")),
        choice(
            "target",
            _("¿De qué?"),
            {ALL: _("Todos los productos"), PRODUCTS: _("Algunos productos"), CATEGORIES: _("Categorías")},
        ),
        choice(
            "method",
            _("¿Cuánto se descuenta?"),
            {Method.PERCENTAGE: _("Un porcentaje"), Method.FIXED: _("Pesos")},
        ),
        typed(
            "value",
            _("Valor"),
            hint=_(
                "10 es 10 % o $\N{NO-BREAK SPACE}10. "
                "Con porcentaje, el precio se redondea hacia abajo a $\N{NO-BREAK SPACE}50."
            ),
            input_mode="numeric",
        ),
        EDITOR.products_field(),
        EDITOR.category_boxes(),
        typed("starts", _("Primer día"), type="date", is_optional=True, hint=_("Vacío: empieza ya.")),
        typed("ends", _("Último día"), type="date", hint=_("Termina sola esa noche.")),
    )


def price_table(rows: Any, more: Any) -> rx.Component:
    """Render each price before and during the sale."""

    def price_row(row: ObjectVar[SalePrice]) -> rx.Component:
        return rx.el.tr(
            rx.el.th(
                row.title,
                rx.cond(row.note != "", rx.el.span(row.note, class_name="o-row__detail o-offer__note")),
                scope="row",
            ),
            rx.el.td(rx.cond(row.after != "", rx.el.s(row.before), row.before)),
            rx.el.td(rx.el.b(row.after)),
        )

    return rx.fragment(
        rx.el.table(
            rx.el.thead(rx.el.tr(rx.el.th(_("Producto")), rx.el.th(_("Antes")), rx.el.th(_("En rebaja")))),
            rx.el.tbody(rx.foreach(rows, price_row)),
            class_name="o-offer__table",
        ),
        more_rows_line(more),
    )


def prices_panel() -> rx.Component:
    """Render the prices of the sale."""
    return rx.el.section(
        rx.el.h2(_("Precios"), class_name="o-section__title"),
        price_table(VIEW.rows, VIEW.more),
        class_name="o-panel o-section",
    )


def preview_panel() -> rx.Component:
    """Render the changes that the form would make, and the button that saves them."""
    return EDITOR.changes_panel(
        rx.cond(PREVIEW.can_save, EDITOR.save_button(_("Guardar rebaja"))),
        price_table(PREVIEW.rows, PREVIEW.more),
    )
