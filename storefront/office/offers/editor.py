"""One offer: the form, what it would change, and ending it."""

from typing import Any

import reflex as rx
from reflex.vars import ObjectVar

from backend.office.offer_form import CATEGORIES, CATEGORY_FIELD, ORDER, SHIPPING, TOYS, OfferForm
from backend.office.offers import Choice, OfferPage, OfferRow, Preview, PreviewRow
from backend.promotions.kinds import MethodType
from backend.staff.rights import Right
from backend.texts import _
from storefront.components.forms import Once, field_box, select_field
from storefront.components.hooks import text_at
from storefront.office.components.feedback import chip, screen
from storefront.office.components.forms import asked_twice, office_field
from storefront.office.icons import icon
from storefront.office.layout import office
from storefront.office.offers.state import OfferState
from storefront.office.places import OFFERS
from storefront.office.state import answers, may

TITLE = _("Oferta")
NAME = "oferta"
SHOWN: Any = OfferState.content.to(ObjectVar, OfferPage)
ROW: Any = SHOWN.row.to(ObjectVar, OfferRow)
FORM: Any = SHOWN.form.to(ObjectVar, OfferForm)
PREVIEW: Any = OfferState.preview.to(ObjectVar, Preview)


def page() -> rx.Component:
    """The offer of this address, or a new one."""
    content = rx.el.div(
        rx.el.a(icon("left", size=18), _("Todas las ofertas"), href=OFFERS, class_name="o-disclosure"),
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
        class_name="o-offer",
    )
    return office(OfferState, OFFERS, TITLE, screen(OfferState, content))


def head() -> rx.Component:
    """How the offer stands, and the button that ends it."""
    end = asked_twice(
        _("Terminar ahora"),
        _("Deja de aplicar desde ya. Los pagos que están en curso conservan su precio."),
        _("Sí, terminar"),
        OfferState.end,
    )
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
            rx.el.div(Once.create(end, answers=answers(OfferState)), class_name="o-offer__end"),
        ),
        class_name="o-panel o-section",
    )


def choice_field(form: str, name: str, label: str, options: dict[str, str], chosen: Any) -> rx.Component:
    """One of a few."""
    return select_field(
        label,
        [rx.el.option(text, value=value) for value, text in options.items()],
        element_id=f"{form}-{name}",
        problem=rx.Var.create(""),
        live="",
        name=name,
        default_value=chosen,
    )


def choice(name: str, label: str, options: dict[str, str]) -> rx.Component:
    """One of a few, of the offer."""
    return choice_field(NAME, name, label, options, FORM[name])


def typed(name: str, label: str, **more: Any) -> rx.Component:
    """A line of the form."""
    return office_field(OfferState, NAME, name, label, default_value=FORM[name], auto_complete="off", **more)


def editor() -> rx.Component:
    """The form. Its button shows what it would change: nothing is stored before that was seen."""
    number: dict[str, Any] = {"input_mode": "numeric"}
    return rx.el.form(
        rx.el.div(
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
            toys_field(OfferState, NAME, FORM.toys),
            categories_field(OfferState, SHOWN.categories),
            typed("minimum", _("Desde cuántos pesos en juguetes"), is_optional=True, **number),
            typed("starts", _("Primer día"), type="date", is_optional=True),
            typed("ends", _("Último día"), type="date", is_optional=True, hint=_("Termina sola esa noche.")),
            typed("limit", _("Veces en total"), is_optional=True, **number),
            typed("each", _("Veces por cliente"), is_optional=True, **number),
            class_name="o-offer__fields",
        ),
        rx.el.button(
            _("Ver qué cambia"),
            type="submit",
            class_name="button button--small button--dark",
            data_testid="offer-look",
        ),
        key=SHOWN.id,
        no_validate=True,
        on_submit=OfferState.look,
        class_name="o-panel o-form o-section o-offer__form",
    )


def toys_field(state: Any, form: str, toys: Any) -> rx.Component:
    """The toys, one a line; shown while they are what is chosen."""
    element_id, problem = f"{form}-toys", text_at(state.problems, "toys")
    area = rx.el.textarea(
        id=rx.Var.create(element_id),
        name="toys",
        default_value=toys,
        rows="4",
        class_name="field__input",
        custom_attrs={"aria-invalid": rx.cond(problem, "true", "false")},
    )
    box = field_box(
        _("Juguetes"),
        area,
        element_id=element_id,
        problem=problem,
        hint=_("Uno por línea: su título o el código (SKU) de una presentación."),
        live="",
    )
    return rx.el.div(box, class_name="o-offer__wide", data_for=TOYS)


def categories_field(state: Any, choices: Any) -> rx.Component:
    """The categories to tick; shown while they are what is chosen."""

    def one(category: ObjectVar[Choice]) -> rx.Component:
        return rx.el.label(
            rx.el.input(
                type="checkbox",
                name=CATEGORY_FIELD + category.id.to(str),
                default_checked=category.is_chosen,
            ),
            rx.el.span(category.name),
            key=category.id,
            class_name="o-content__check",
        )

    problem = text_at(state.problems, "categories")
    return rx.el.fieldset(
        rx.el.legend(_("Categorías, con las que están dentro"), class_name="field__label"),
        rx.el.div(rx.foreach(choices, one), class_name="o-offer__categories"),
        rx.cond(problem, rx.el.p(icon("warning", size=18), problem, class_name="field__problem")),
        class_name="o-offer__wide",
        data_for=CATEGORIES,
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
    save = rx.el.button(
        _("Guardar oferta"),
        type="button",
        on_click=OfferState.save,
        data_once="",
        class_name="button button--small button--primary",
        data_testid="save",
    )
    return rx.el.section(
        rx.el.h2(_("Qué cambia"), class_name="o-section__title"),
        rx.el.ul(
            rx.foreach(PREVIEW.words, lambda words: rx.el.li(words, key=words)), class_name="o-offer__words"
        ),
        rx.cond(PREVIEW.rows.length() > 0, table),
        rx.cond(PREVIEW.more > 0, rx.el.p(_("y {n} más").format(n=PREVIEW.more), class_name="o-row__detail")),
        Once.create(save, answers=answers(OfferState)),
        class_name="o-panel o-section",
        data_testid="offer-preview",
        custom_attrs={"aria-live": "polite"},
    )
