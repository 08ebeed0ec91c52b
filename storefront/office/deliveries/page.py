"""Components of the screen of own deliveries and pickup points (Entregas)."""

from typing import Any

import reflex as rx
from reflex.vars import ArrayVar, ObjectVar

from backend.core.texts import _
from backend.office.deliveries.form import HOLIDAYS, MAX_NAME_LENGTH
from backend.office.deliveries.page import DayTick, DeliveryForm, DeliveryRow, TownTag, list_hours
from backend.shipping.terms.own_delivery import (
    ADDRESS,
    CUTOFF_HOUR,
    DELIVERY_DAYS,
    FREE_FROM,
    MAX_ADDRESS_LENGTH,
    MAX_DELIVERY_DAYS,
)
from backend.staff.rights import Right
from storefront.components.forms import SubmitOnce, field, select_field
from storefront.office.components.feedback import screen
from storefront.office.components.forms import confirm_button, hidden_field
from storefront.office.components.lists import fold
from storefront.office.deliveries.state import MAX_TEXT_LENGTH, DeliveriesState
from storefront.office.icons import icon
from storefront.office.layout import office_layout
from storefront.office.navigation import DELIVERIES
from storefront.office.state import answer_number, has_right
from storefront.reflex_ext.hooks import text_at

TITLE = _("Entregas")
BUTTON = "button button--small "
VIEW = DeliveriesState.content


def page() -> rx.Component:
    """Render the zones of own delivery and the pickup points."""
    content = SubmitOnce.create(
        rx.el.div(
            rx.cond(
                VIEW.warning != "",
                rx.el.p(icon("warning", size=20), VIEW.warning, class_name="alert o-settings__alert"),
            ),
            zones_panel(),
            points_panel(),
            class_name="o-deliveries",
        ),
        answers=answer_number(DeliveriesState),
    )
    return office_layout(DeliveriesState, DELIVERIES, TITLE, screen(DeliveriesState, content))


def zones_panel() -> rx.Component:
    """Render the zones of own delivery, and the form of a new one."""
    return delivery_panel(
        _("Entrega propia"),
        _(
            "Domicilios que llevas tú. Quien compra los ve junto al precio de la transportadora. Si un municipio "
            "está en dos zonas, se le ofrece la más barata."
        ),
        VIEW.zones,
        VIEW.new_zone,
        zone_form,
        nothing=_("Todavía no hay zonas: solo se ofrece la transportadora."),
        add=_("Agregar una zona"),
        test_id="zone",
    )


def points_panel() -> rx.Component:
    """Render the pickup points, and the form of a new one."""
    return delivery_panel(
        _("Puntos para recoger"),
        _("Quien compra ve la dirección y el horario al pagar, en su pedido y en los correos."),
        VIEW.points,
        VIEW.new_point,
        point_form,
        nothing=_("Todavía no hay puntos para recoger."),
        add=_("Agregar un punto"),
        test_id="point",
    )


def delivery_panel(
    title: str,
    about: str,
    rows: ArrayVar[list[DeliveryRow]],
    new: ObjectVar[DeliveryForm],
    form: Any,
    *,
    nothing: str,
    add: str,
    test_id: str,
) -> rx.Component:
    """Render a list of zones or points, and the form of a new one."""
    return rx.el.section(
        rx.el.h2(title, class_name="o-section__title"),
        rx.el.p(about, class_name="o-row__detail"),
        rx.cond(
            rows.length() > 0,
            rx.el.ul(rx.foreach(rows, lambda row: delivery_row(row, form, test_id))),
            rx.el.p(nothing, class_name="o-row__detail"),
        ),
        rx.cond(
            has_right(Right.CHANGE_SETTINGS),
            fold(add, form(new, _("Agregar")), test_id=f"{test_id}-new", key=rows.length().to_string()),
        ),
        class_name="o-panel o-section o-webhooks",
        data_testid=f"{test_id}-panel",
    )


def delivery_row(row: ObjectVar[DeliveryRow], form: Any, test_id: str) -> rx.Component:
    """Render a zone or a point, with the form that changes it."""
    line = "o-row__detail"
    return rx.el.li(
        rx.el.div(
            rx.el.b(row.name, class_name="o-webhooks__host"),
            rx.el.span(row.price, class_name="o-deliveries__price"),
            class_name="o-settings__head",
        ),
        rx.cond(row.where != "", rx.el.p(row.where, class_name=line)),
        rx.cond(row.when != "", rx.el.p(row.when, class_name=line)),
        rx.cond(row.promise != "", rx.el.p(row.promise, class_name=line)),
        rx.cond(
            row.warning != "",
            rx.el.p(row.warning, class_name="o-settings__outcome", data_testid="delivery-warning"),
        ),
        rx.cond(
            has_right(Right.CHANGE_SETTINGS),
            rx.fragment(
                fold(
                    _("Cambiar"),
                    form(row.form, _("Guardar cambios")),
                    test_id=f"{test_id}-change",
                    key=row.form.version,
                ),
                rx.el.div(
                    confirm_button(
                        rx.fragment(_("Borrar"), rx.el.span(": ", row.name, class_name="sr-only")),
                        _("Nadie más la podrá elegir. Los pedidos que ya la tienen siguen igual."),
                        _("Sí, borrarla"),
                        DeliveriesState.delete(row.id),
                    ),
                    class_name="o-team__ways",
                ),
            ),
        ),
        key=row.id,
        class_name="o-settings__way",
        data_testid=f"{test_id}-row",
    )


def zone_form(form: ObjectVar[DeliveryForm], label: str) -> rx.Component:
    """Render the form of a zone of own delivery."""
    return delivery_form(
        form,
        label,
        DeliveriesState.save_zone,
        text_field(
            form, "name", _("Nombre que ve quien compra"), _("Como «Domicilio en Medellín»."), MAX_NAME_LENGTH
        ),
        towns_field(form, _("Municipios")),
        text_field(form, "price", _("Precio"), _("0 es gratis."), input_mode="numeric"),
        text_field(
            form,
            FREE_FROM,
            _("Gratis desde"),
            _("Lo que suman los productos, ya con descuentos. Vacío es nunca."),
            input_mode="numeric",
            is_optional=True,
        ),
        days_field(form, _("Días de entrega")),
        hours_field(form, _("Desde"), _("Hasta")),
        rx.el.div(
            select_field(
                _("Llega"),
                [
                    rx.el.option(_("El mismo día"), value="0"),
                    rx.el.option(_("Al día siguiente"), value="1"),
                    *(
                        rx.el.option(_("En {n} días de entrega").format(n=days), value=str(days))
                        for days in range(2, MAX_DELIVERY_DAYS + 1)
                    ),
                ],
                element_id=f"{form.id}-{DELIVERY_DAYS}",
                problem=text_at(DeliveriesState.problems, f"{form.id}-{DELIVERY_DAYS}"),
                live="",
                name=DELIVERY_DAYS,
                default_value=form.texts[DELIVERY_DAYS],
            ),
            hour_select(form, CUTOFF_HOUR, _("Si se paga antes de")),
            class_name="o-deliveries__pair",
        ),
    )


def point_form(form: ObjectVar[DeliveryForm], label: str) -> rx.Component:
    """Render the form of a pickup point."""
    return delivery_form(
        form,
        label,
        DeliveriesState.save_point,
        text_field(
            form, "name", _("Nombre que ve quien compra"), _("Como «Recoger en la tienda»."), MAX_NAME_LENGTH
        ),
        towns_field(form, _("Municipio")),
        text_field(form, ADDRESS, _("Dirección"), "", MAX_ADDRESS_LENGTH),
        days_field(form, _("Días en que se puede recoger")),
        hours_field(form, _("Desde"), _("Hasta")),
    )


def delivery_form(
    form: ObjectVar[DeliveryForm], label: str, on_submit: Any, *fields: rx.Component
) -> rx.Component:
    """Render a form with its hidden values and its submit button."""
    return rx.el.form(
        hidden_field("form", form.id),
        hidden_field("version", form.version),
        hidden_field("towns", DeliveriesState.codes[form.id]),
        *fields,
        rx.el.button(label, type="submit", class_name=f"{BUTTON}button--primary", data_testid="save"),
        class_name="o-form",
        no_validate=True,
        on_submit=on_submit,
    )


def towns_field(form: ObjectVar[DeliveryForm], label: str) -> rx.Component:
    """Render the chosen municipalities, and the field that searches for more."""
    element_id = f"{form.id}-towns"
    chosen = DeliveriesState.towns[form.id].to(ArrayVar, list[TownTag])
    return rx.el.div(
        rx.el.ul(
            rx.foreach(
                chosen,
                lambda town: rx.el.li(
                    rx.el.button(
                        town.label,
                        icon("close", size=16),
                        rx.el.span(_("Quitar"), class_name="sr-only"),
                        type="button",
                        class_name=f"{BUTTON}button--quiet",
                        on_click=DeliveriesState.remove_town(form.id, town.code),
                        data_testid="town-tag",
                    ),
                    key=town.code,
                ),
            ),
            class_name="o-deliveries__towns",
            aria_label=label,
        ),
        field(
            "town",
            label,
            element_id=element_id,
            problem=text_at(DeliveriesState.problems, element_id),
            live="",
            key=chosen.length().to_string(),
            placeholder=_("Escribe y elige de la lista"),
            auto_complete="off",
            spell_check=False,
            max_length=MAX_TEXT_LENGTH,
            on_change=lambda text: DeliveriesState.find_towns(form.id, text),
        ),
        rx.cond(
            DeliveriesState.suggested_for == form.id,
            rx.el.ul(
                rx.foreach(
                    DeliveriesState.suggestions,
                    lambda town: rx.el.li(
                        rx.el.button(
                            icon("plus", size=16),
                            town.label,
                            type="button",
                            class_name=f"{BUTTON}button--quiet",
                            on_click=DeliveriesState.add_town(form.id, town.code),
                            data_testid="town-suggestion",
                        ),
                        key=town.code,
                    ),
                ),
                class_name="o-deliveries__towns",
                aria_label=_("Municipios que coinciden"),
            ),
        ),
    )


def days_field(form: ObjectVar[DeliveryForm], label: str) -> rx.Component:
    """Render the checkboxes of the days of the week and of holidays."""
    problem = text_at(DeliveriesState.problems, f"{form.id}-weekdays")

    def tick(name: Any, text: Any, is_chosen: Any) -> rx.Component:
        return rx.el.label(
            rx.el.input(
                type="checkbox", name=name, value="yes", default_checked=is_chosen, class_name="o-box"
            ),
            rx.el.span(text),
            key=name,
            class_name="o-every",
        )

    days = form.days.to(ArrayVar, list[DayTick])
    return rx.el.fieldset(
        rx.el.legend(label, class_name="field__label"),
        rx.el.div(
            rx.foreach(days, lambda day: tick(day.name, day.label, day.is_chosen)),
            tick(HOLIDAYS, _("También festivos"), form.on_holidays),
            class_name="o-webhooks__ticks",
        ),
        rx.cond(problem, rx.el.p(icon("warning", size=18), problem, class_name="field__problem")),
    )


def hours_field(form: ObjectVar[DeliveryForm], since: str, until: str) -> rx.Component:
    """Render the fields of the first and last hour of deliveries, or of a pickup point."""
    return rx.el.div(
        hour_select(form, "from_hour", since),
        hour_select(form, "to_hour", until),
        class_name="o-deliveries__pair",
    )


def hour_select(form: ObjectVar[DeliveryForm], name: str, label: str) -> rx.Component:
    """Render the field of an hour."""
    element_id = f"{form.id}-{name}"
    return select_field(
        label,
        [rx.el.option(text, value=value) for value, text in list_hours()],
        element_id=element_id,
        problem=text_at(DeliveriesState.problems, element_id),
        live="",
        name=name,
        default_value=form.texts[name],
    )


def text_field(
    form: ObjectVar[DeliveryForm], name: str, label: str, hint: str, max_length: int = 20, **more: Any
) -> rx.Component:
    """Render a text field of a form."""
    element_id = f"{form.id}-{name}"
    return field(
        name,
        label,
        element_id=element_id,
        problem=text_at(DeliveriesState.problems, element_id),
        live="",
        hint=hint,
        auto_complete="off",
        max_length=max_length,
        default_value=form.texts[name],
        **more,
    )
