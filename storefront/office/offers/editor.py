"""The editor of an offer: its form, a preview of the changes, and the button that ends the offer."""

from typing import Any

import reflex as rx
from reflex.vars import ObjectVar

from backend.core.texts import _
from backend.office.offers.form import BUYGET, CATEGORIES, ORDER, PRODUCTS, SHIPPING
from backend.office.offers.preview import PreviewRow
from backend.promotions.kinds import Combination, MethodType
from backend.staff.rights import Right
from storefront.office.components.feedback import chip
from storefront.office.offers.editor_parts import Editor, more_rows_line
from storefront.office.offers.state import OfferState
from storefront.office.state import has_right

TITLE = _("Oferta")
METHOD_LABELS: dict[str, str] = {
    MethodType.PERCENTAGE: _("Un porcentaje"),
    MethodType.FIXED: _("Pesos"),
    "2x1": "2×1",
    "3x2": "3×2",
    "half": _("Segunda unidad a mitad de precio"),
    BUYGET: _("Otra: lleva unas y descuenta otras"),
}
COMBINATION_LABELS: dict[str, str] = {
    Combination.ALL: _("Con todas"),
    Combination.AUTOMATIC: _("Con las automáticas; con otros códigos no"),
    Combination.CODES: _("Con códigos; con otras automáticas no"),
    Combination.SHIPPING: _("Solo con descuentos del envío"),
    Combination.NONE: _("Con ninguna"),
}
VIEW = OfferState.content
ROW = VIEW.row
PREVIEW = OfferState.preview
EDITOR = Editor("oferta", "offer", OfferState, VIEW, VIEW.form, PREVIEW)


def page() -> rx.Component:
    """Render the editor of the offer in the URL, or of a new one."""
    return EDITOR.page(
        TITLE,
        rx.cond(VIEW.row, status_panel()),
        rx.cond(
            VIEW.form,
            rx.cond(has_right(Right.CHANGE_PROMOTIONS), offer_form()),
            rx.el.p(
                _(
                    "La hizo un programa, con condiciones que esta pantalla no tiene. Aquí la puedes terminar."
                ),
                class_name="o-panel o-section",
            ),
        ),
        rx.cond(OfferState.preview, preview_panel()),
    )


def status_panel() -> rx.Component:
    """Render the offer's status and the button that ends it."""
    return rx.el.section(
        rx.el.div(
            rx.el.h2(ROW.code),
            chip(ROW.chip.text, ROW.chip.tone),
            class_name="o-content__head",
        ),
        rx.el.p(ROW.detail, class_name="o-row__detail"),
        rx.cond(ROW.used != "", rx.el.p(ROW.used, class_name="o-row__detail")),
        rx.cond(
            VIEW.can_end & has_right(Right.CHANGE_PROMOTIONS),
            EDITOR.end_button(
                _("Deja de aplicar desde ya. Los pagos que están en curso conservan su precio.")
            ),
        ),
        class_name="o-panel o-section",
    )


def offer_form() -> rx.Component:
    """Render the offer's form."""
    typed, choice = EDITOR.text_field, EDITOR.choice_field
    number: dict[str, Any] = {"input_mode": "numeric"}
    return EDITOR.edit_form(
        typed(
            "code",
            _("Código o nombre"),
            hint=_("Lo escriben en la tienda; no importan mayúsculas ni espacios."),
        ),
        choice(
            "way", _("¿Cómo se aplica?"), {"code": _("Con el código"), "automatic": _("Sola, para todos")}
        ),
        choice("method", _("¿Cuánto se descuenta?"), METHOD_LABELS),
        shown_for(
            "value",
            typed(
                "value", _("Valor"), hint=_("10 es 10 % o $\N{NO-BREAK SPACE}10. 100 es gratis."), **number
            ),
        ),
        shown_for("group", typed("buy", _("Por cada cuántas unidades que pague"), **number)),
        shown_for("group", typed("get", _("Cuántas unidades más se descuentan"), **number)),
        choice(
            "target",
            _("¿De qué?"),
            {
                ORDER: _("Todo el carrito"),
                PRODUCTS: _("Algunos productos"),
                CATEGORIES: _("Categorías"),
                SHIPPING: _("El envío"),
            },
        ),
        EDITOR.products_field(),
        EDITOR.category_boxes(),
        EDITOR.products_field(
            "gifts", _("Qué se descuenta, si son otros productos (opcional)"), "gifts", BUYGET
        ),
        shown_for(
            BUYGET,
            typed(
                "most",
                _("Unidades con descuento en cada compra, máximo"),
                is_optional=True,
                hint=_("Vacío: todas las que alcancen."),
                **number,
            ),
        ),
        typed("minimum", _("Desde cuántos pesos en productos"), is_optional=True, **number),
        typed("starts", _("Primer día"), type="date", is_optional=True),
        typed("ends", _("Último día"), type="date", is_optional=True, hint=_("Termina sola esa noche.")),
        typed("limit", _("Veces en total"), is_optional=True, **number),
        typed("each", _("Veces por cliente"), is_optional=True, **number),
        choice("combination", _("¿Con cuáles otras ofertas se suma?"), COMBINATION_LABELS),
    )


def shown_for(choice: str, content: rx.Component) -> rx.Component:
    """Render a field that is only visible for some choices of the form: see `offers.css`."""
    return rx.el.div(content, data_for=choice)


def preview_panel() -> rx.Component:
    """Render the changes that the form would make, and the button that saves them."""

    def preview_row(row: ObjectVar[PreviewRow]) -> rx.Component:
        return rx.el.tr(
            rx.el.th(row.title, scope="row"),
            rx.el.td(rx.el.s(row.before)),
            rx.el.td(rx.el.b(row.after)),
            key=row.title,
        )

    table = rx.el.table(
        rx.el.thead(rx.el.tr(rx.el.th(_("Producto")), rx.el.th(_("Hoy")), rx.el.th(_("Con la oferta")))),
        rx.el.tbody(rx.foreach(PREVIEW.rows, preview_row)),
        class_name="o-offer__table",
    )
    return EDITOR.changes_panel(
        rx.cond(PREVIEW.rows.length() > 0, table),
        more_rows_line(PREVIEW.more),
        EDITOR.save_button(_("Guardar oferta")),
    )
