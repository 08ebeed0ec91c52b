"""One sale: the form, each price before and in it, another last day, and ending it."""

from typing import Any

import reflex as rx
from reflex.vars import ObjectVar

from backend.catalog.price_lists.planning import Method
from backend.office.offer_form import CATEGORIES, TOYS
from backend.office.offers import SaleRow
from backend.office.sales import ALL, SaleForm, SalePage, SalePreview, SalePrice
from backend.staff.rights import Right
from backend.texts import _
from storefront.components.forms import Once
from storefront.office.components.feedback import chip, screen
from storefront.office.components.forms import asked_twice, office_field
from storefront.office.icons import icon
from storefront.office.layout import office
from storefront.office.offers.editor import categories_field, choice_field, toys_field
from storefront.office.offers.sale_state import SaleState
from storefront.office.places import OFFERS
from storefront.office.state import answers, may

TITLE = _("Rebaja")
NAME = "rebaja"
SHOWN: Any = SaleState.content.to(ObjectVar, SalePage)
ROW: Any = SHOWN.row.to(ObjectVar, SaleRow)
FORM: Any = SHOWN.form.to(ObjectVar, SaleForm)
PREVIEW: Any = SaleState.preview.to(ObjectVar, SalePreview)


def page() -> rx.Component:
    """The sale of this address, or a new one."""
    content = rx.el.div(
        rx.el.a(icon("left", size=18), _("Todas las ofertas"), href=OFFERS, class_name="o-disclosure"),
        rx.cond(SHOWN.row, head()),
        rx.cond(SHOWN.form.is_not_none() & may(Right.CHANGE_PROMOTIONS), editor()),
        rx.cond(SaleState.preview, preview()),
        rx.cond((SHOWN.rows.length() > 0) & SaleState.preview.is_none(), prices()),
        class_name="o-offer",
    )
    return office(SaleState, OFFERS, TITLE, screen(SaleState, content))


def head() -> rx.Component:
    """How the sale stands, its last day, and the button that ends it."""
    end = asked_twice(
        _("Terminar ahora"),
        _(
            "Los precios de antes vuelven en menos de un minuto. Los pagos que están en curso conservan su precio."
        ),
        _("Sí, terminar"),
        SaleState.end,
    )
    last_day = rx.el.form(
        office_field(
            SaleState,
            NAME,
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
            rx.fragment(
                rx.cond(SHOWN.form.is_none(), last_day),
                rx.el.div(Once.create(end, answers=answers(SaleState)), class_name="o-offer__end"),
            ),
        ),
        class_name="o-panel o-section",
    )


def typed(name: str, label: str, **more: Any) -> rx.Component:
    """A line of the form."""
    return office_field(SaleState, NAME, name, label, default_value=FORM[name], auto_complete="off", **more)


def editor() -> rx.Component:
    """The form. Its button shows what it would change: nothing is stored before that was seen."""
    return rx.el.form(
        rx.el.div(
            typed("title", _("Nombre"), hint=_("Solo lo ves tú: «Rebajas de diciembre».")),
            choice_field(
                NAME,
                "target",
                _("¿De qué?"),
                {ALL: _("Todos los juguetes"), TOYS: _("Algunos juguetes"), CATEGORIES: _("Categorías")},
                FORM["target"],
            ),
            choice_field(
                NAME,
                "method",
                _("¿Cuánto se descuenta?"),
                {Method.PERCENTAGE: _("Un porcentaje"), Method.FIXED: _("Pesos")},
                FORM["method"],
            ),
            typed(
                "value",
                _("Valor"),
                hint=_("10 es 10 % o $ 10. Con porcentaje, el precio se redondea hacia abajo a $ 50."),
                input_mode="numeric",
            ),
            toys_field(SaleState, NAME, FORM.toys),
            categories_field(SaleState, SHOWN.categories),
            typed("starts", _("Primer día"), type="date", is_optional=True, hint=_("Vacío: empieza ya.")),
            typed("ends", _("Último día"), type="date", hint=_("Termina sola esa noche.")),
            class_name="o-offer__fields",
        ),
        rx.el.button(
            _("Ver qué cambia"),
            type="submit",
            class_name="button button--small button--dark",
            data_testid="sale-look",
        ),
        key=SHOWN.id,
        no_validate=True,
        on_submit=SaleState.look,
        class_name="o-panel o-form o-section o-offer__form",
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
        rx.cond(more > 0, rx.el.p(_("y {n} más").format(n=more), class_name="o-row__detail")),
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
    save = rx.el.button(
        _("Guardar rebaja"),
        type="button",
        on_click=SaleState.save,
        data_once="",
        class_name="button button--small button--primary",
        data_testid="save",
    )
    return rx.el.section(
        rx.el.h2(_("Qué cambia"), class_name="o-section__title"),
        rx.el.ul(
            rx.foreach(PREVIEW.words, lambda words: rx.el.li(words, key=words)), class_name="o-offer__words"
        ),
        rx.cond(PREVIEW.can_save, Once.create(save, answers=answers(SaleState))),
        table(PREVIEW.rows, PREVIEW.more),
        class_name="o-panel o-section",
        data_testid="sale-preview",
        custom_attrs={"aria-live": "polite"},
    )
