"""One sale: the form, each price before and in it, another last day, and ending it."""

from typing import Any

import reflex as rx
from reflex.vars import ObjectVar

from backend.catalog.price_lists.price_plan import Method
from backend.core.texts import _
from backend.office.offers.form import CATEGORIES, TOYS
from backend.office.offers.sales import ALL, SalePrice
from backend.staff.rights import Right
from storefront.office.components.feedback import chip
from storefront.office.components.forms import office_field
from storefront.office.offers.editor_parts import Editor, how_many_more
from storefront.office.offers.sale_state import SaleState
from storefront.office.state import may

TITLE = _("Rebaja")
SHOWN = SaleState.content
ROW = SHOWN.row
PREVIEW = SaleState.preview
EDITOR = Editor("rebaja", "sale", SaleState, SHOWN, SHOWN.form, PREVIEW)


def page() -> rx.Component:
    """The sale of this address, or a new one."""
    return EDITOR.page(
        TITLE,
        rx.cond(SHOWN.row, head()),
        rx.cond(SHOWN.form.is_not_none() & may(Right.CHANGE_PROMOTIONS), editor()),
        rx.cond(SaleState.preview, preview()),
        rx.cond((SHOWN.rows.length() > 0) & SaleState.preview.is_none(), prices()),
    )


def head() -> rx.Component:
    """How the sale stands, its last day, and the button that ends it."""
    end = EDITOR.end(
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
            default_value=SHOWN.last_day,
            type="date",
            hint=_("Termina sola esa noche."),
        ),
        rx.el.button(_("Cambiar"), type="submit", class_name="button button--small button--dark"),
        key=SHOWN.id,
        no_validate=True,
        on_submit=SaleState.move_end,
        class_name="o-form o-offer__end",
    )
    return rx.el.section(
        rx.el.div(rx.el.h2(ROW.title), chip(ROW.chip.text, ROW.chip.tone), class_name="o-content__head"),
        rx.el.p(ROW.detail, class_name="o-row__detail"),
        rx.cond(
            SHOWN.can_end & may(Right.CHANGE_PROMOTIONS),
            rx.fragment(rx.cond(SHOWN.form.is_none(), last_day), end),
        ),
        class_name="o-panel o-section",
    )


def editor() -> rx.Component:
    """The form."""
    typed, choice = EDITOR.typed, EDITOR.choice
    return EDITOR.edit(
        typed("title", _("Nombre"), hint=_("Solo lo ves tú: «Rebajas de diciembre».")),
        choice(
            "target",
            _("¿De qué?"),
            {ALL: _("Todos los juguetes"), TOYS: _("Algunos juguetes"), CATEGORIES: _("Categorías")},
        ),
        choice(
            "method",
            _("¿Cuánto se descuenta?"),
            {Method.PERCENTAGE: _("Un porcentaje"), Method.FIXED: _("Pesos")},
        ),
        typed(
            "value",
            _("Valor"),
            hint=_("10 es 10 % o $ 10. Con porcentaje, el precio se redondea hacia abajo a $ 50."),
            input_mode="numeric",
        ),
        EDITOR.toys(),
        EDITOR.categories(),
        typed("starts", _("Primer día"), type="date", is_optional=True, hint=_("Vacío: empieza ya.")),
        typed("ends", _("Último día"), type="date", hint=_("Termina sola esa noche.")),
    )


def table(rows: Any, more: Any) -> rx.Component:
    """Each price before and in the sale."""

    def one(row: ObjectVar[SalePrice]) -> rx.Component:
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
            rx.el.thead(rx.el.tr(rx.el.th(_("Juguete")), rx.el.th(_("Antes")), rx.el.th(_("En rebaja")))),
            rx.el.tbody(rx.foreach(rows, one)),
            class_name="o-offer__table",
        ),
        how_many_more(more),
    )


def prices() -> rx.Component:
    """The prices of the sale."""
    return rx.el.section(
        rx.el.h2(_("Precios"), class_name="o-section__title"),
        table(SHOWN.rows, SHOWN.more),
        class_name="o-panel o-section",
    )


def preview() -> rx.Component:
    """What the form would change, and the button that stores it."""
    return EDITOR.changes(
        rx.cond(PREVIEW.can_save, EDITOR.save(_("Guardar rebaja"))), table(PREVIEW.rows, PREVIEW.more)
    )
