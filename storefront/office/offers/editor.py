"""One offer: the form, what it would change, and ending it."""

from typing import Any

import reflex as rx
from reflex.vars import ObjectVar

from backend.core.texts import _
from backend.office.offers.form import CATEGORIES, ORDER, SHIPPING, TOYS
from backend.office.offers.preview import PreviewRow
from backend.promotions.kinds import MethodType
from backend.staff.rights import Right
from storefront.office.components.feedback import chip
from storefront.office.offers.editor_parts import Editor, how_many_more
from storefront.office.offers.state import OfferState
from storefront.office.state import may

TITLE = _("Oferta")
SHOWN = OfferState.content
ROW = SHOWN.row
PREVIEW = OfferState.preview
EDITOR = Editor("oferta", "offer", OfferState, SHOWN, SHOWN.form, PREVIEW)


def page() -> rx.Component:
    """The offer of this address, or a new one."""
    return EDITOR.page(
        TITLE,
        rx.cond(SHOWN.row, head()),
        rx.cond(
            SHOWN.form,
            rx.cond(may(Right.CHANGE_PROMOTIONS), editor()),
            rx.el.p(
                _(
                    "La hizo un programa, con condiciones que esta pantalla no tiene. Aquí la puedes terminar."
                ),
                class_name="o-panel o-section",
            ),
        ),
        rx.cond(OfferState.preview, preview()),
    )


def head() -> rx.Component:
    """How the offer stands, and the button that ends it."""
    return rx.el.section(
        rx.el.div(
            rx.el.h2(ROW.code),
            chip(ROW.chip.text, ROW.chip.tone),
            class_name="o-content__head",
        ),
        rx.el.p(ROW.detail, class_name="o-row__detail"),
        rx.cond(ROW.used != "", rx.el.p(ROW.used, class_name="o-row__detail")),
        rx.cond(
            SHOWN.can_end & may(Right.CHANGE_PROMOTIONS),
            EDITOR.end(_("Deja de aplicar desde ya. Los pagos que están en curso conservan su precio.")),
        ),
        class_name="o-panel o-section",
    )


def editor() -> rx.Component:
    """The form."""
    typed, choice = EDITOR.typed, EDITOR.choice
    number: dict[str, Any] = {"input_mode": "numeric"}
    return EDITOR.edit(
        typed(
            "code",
            _("Código o nombre"),
            hint=_("Lo escriben en la tienda; no importan mayúsculas ni espacios."),
        ),
        choice(
            "way", _("¿Cómo se aplica?"), {"code": _("Con el código"), "automatic": _("Sola, para todos")}
        ),
        choice(
            "method",
            _("¿Cuánto se descuenta?"),
            {MethodType.PERCENTAGE: _("Un porcentaje"), MethodType.FIXED: _("Pesos")},
        ),
        typed("value", _("Valor"), hint=_("10 es 10 % o $ 10."), **number),
        choice(
            "target",
            _("¿De qué?"),
            {
                ORDER: _("Todo el carrito"),
                TOYS: _("Algunos juguetes"),
                CATEGORIES: _("Categorías"),
                SHIPPING: _("El envío"),
            },
        ),
        EDITOR.toys(),
        EDITOR.categories(),
        typed("minimum", _("Desde cuántos pesos en juguetes"), is_optional=True, **number),
        typed("starts", _("Primer día"), type="date", is_optional=True),
        typed("ends", _("Último día"), type="date", is_optional=True, hint=_("Termina sola esa noche.")),
        typed("limit", _("Veces en total"), is_optional=True, **number),
        typed("each", _("Veces por cliente"), is_optional=True, **number),
    )


def preview() -> rx.Component:
    """What the form would change, and the button that stores it."""

    def one(row: ObjectVar[PreviewRow]) -> rx.Component:
        return rx.el.tr(
            rx.el.th(row.title, scope="row"),
            rx.el.td(rx.el.s(row.before)),
            rx.el.td(rx.el.b(row.after)),
            key=row.title,
        )

    table = rx.el.table(
        rx.el.thead(rx.el.tr(rx.el.th(_("Juguete")), rx.el.th(_("Hoy")), rx.el.th(_("Con la oferta")))),
        rx.el.tbody(rx.foreach(PREVIEW.rows, one)),
        class_name="o-offer__table",
    )
    return EDITOR.changes(
        rx.cond(PREVIEW.rows.length() > 0, table),
        how_many_more(PREVIEW.more),
        EDITOR.save(_("Guardar oferta")),
    )
