"""Components of the settings screen: shop data, warehouse, delivery days, limits, notices, and providers with tests."""

from collections.abc import Callable
from functools import partial
from typing import Any

import reflex as rx
from reflex.vars import ArrayVar, ObjectVar

from backend.core.texts import _
from backend.office.settings.form import (
    ALERTS,
    CHOICES,
    DELIVERY,
    FIELDS,
    LABELS,
    LIMITS,
    MAX_FIELD_LENGTH,
    NUMBERS,
    REMINDERS,
    SHOP,
    SUMMARY,
    WAREHOUSE,
)
from backend.office.settings.page import ProviderRow, Trial
from backend.operations.doctor.trials import TrialResult
from storefront.components.forms import SubmitOnce, town_field, town_panel
from storefront.office.components.feedback import chip, screen
from storefront.office.components.forms import confirm_button, edit_form, office_field, office_select
from storefront.office.icons import icon
from storefront.office.layout import office_layout
from storefront.office.navigation import CONTENT, INVOICES, SETTINGS, TEAM
from storefront.office.settings.state import SettingsState
from storefront.office.settings.webhooks import webhook_panel
from storefront.office.state import answer_number
from storefront.office.team.account import second_factor_notice
from storefront.reflex_ext.hooks import text_at

TITLE = _("Ajustes")
BUTTON = "button button--small "
OPTIONAL_FIELDS = {
    "store_address", "store_notice_address", "store_whatsapp", "store_hours", "store_about",
    "carrier_origin_suburb", "carrier_origin_cross_street", "carrier_origin_reference", "alert_email",
    "alert_webhook",
}  # fmt: skip
HINTS = {
    "store_nit": _("Con su dígito de verificación, como 800.197.268-4."),
    "store_notice_address": _("Si la dejas vacía es la dirección de la tienda."),
    "store_whatsapp": _("Con su indicativo, como 57 300 123 4567."),
    "store_hours": _(
        "Como «Lunes a sábado, 9 a. m. a 6 p. m.». Vacío: «Lunes a viernes, 8 a. m. a 5 p. m.»."
    ),
    "packing_days": _(
        "Desde que se paga hasta que lo recibe la transportadora o lo pueden recoger. 0 es el mismo día."
    ),
    "cutoff_hour": _(
        "Lo que se paga desde esa hora se alista a partir del siguiente día hábil. 15 son las 3 p. m."
    ),
    "low_stock_at": _("De una presentación. Cada producto puede tener su propio número en Bodega."),
    "manual_payment_days": _("Mientras alguien confirma la consignación."),
    "label_over_paid": _(
        "Frente a lo que costaba el envío, sin descuentos. Más cara, te preguntamos antes de comprarla."
    ),
    "sell_discount_percent": _("En Vender. Un descuento mayor solo lo puede dar el dueño."),
    "alert_email": _("Si lo dejas vacío llegan al correo de la tienda."),
    "alert_webhook": _("Un programa tuyo que recibe los avisos, firmados."),
    "alert_no_sale_hours": _("Te avisamos si pasan tantas sin un pedido pagado. 0 es nunca."),
    "alert_failing_minutes": _("La pasarela, la transportadora o el correo. 0 es nunca."),
    "alert_disk_free_mb": _("Te avisamos cuando queden menos. 0 es nunca."),
    "alert_certificate_days": _("Te avisamos cuando le queden menos. 0 es nunca."),
}
CONTROLS: dict[str, dict[str, Any]] = {
    **{name: {"type": "email", "auto_capitalize": "none"} for name in FIELDS if name.endswith("_email")},
    **{name: {"type": "tel"} for name in ("store_phone", "store_whatsapp", "carrier_origin_phone")},
    **{name: {"input_mode": "numeric"} for name in (*DELIVERY, *NUMBERS, *ALERTS[2:])},
    "alert_webhook": {"type": "url", "input_mode": "url", "max_length": MAX_FIELD_LENGTH},
}


VIEW = SettingsState.content
OUTCOMES = SettingsState.outcomes


def page() -> rx.Component:
    """Render the settings form, and the outside services next to it."""
    content = rx.fragment(
        second_factor_notice(
            VIEW.missing,
            absent=_("Para cambiar los ajustes necesitas el código de tu teléfono."),
            unproved=_("Para cambiar los ajustes escribe el código de tu teléfono."),
            leads_to=SETTINGS,
            test_id="settings-missing",
        ),
        rx.cond(
            VIEW.cannot_sell != "",
            rx.el.p(
                icon("warning", size=20),
                VIEW.cannot_sell,
                class_name="alert o-settings__alert",
                data_testid="cannot-sell",
            ),
        ),
        rx.el.div(
            rx.el.div(settings_form()),
            SubmitOnce.create(
                rx.el.div(
                    provider_list(_("Formas de pago"), VIEW.payments, "payments"),
                    provider_list(_("Formas de envío"), VIEW.shippings, "shippings"),
                    mail_panel(),
                    webhook_panel(),
                    other_settings_links(),
                    version_line(),
                ),
                answers=answer_number(SettingsState),
            ),
            class_name="o-settings",
        ),
    )
    return office_layout(SettingsState, SETTINGS, TITLE, screen(SettingsState, content))


def settings_form() -> rx.Component:
    """Render the form of the settings that are saved together."""
    return edit_form(
        SettingsState,
        SettingsState.save,
        settings_section(_("La tienda"), SHOP, is_open=True),
        settings_section(
            _("Bodega"),
            WAREHOUSE,
            note=_(
                "De aquí salen los paquetes: con este municipio se calcula el envío, y esto dice cada guía."
            ),
        ),
        settings_section(
            _("Día de entrega"),
            DELIVERY,
            note=_(
                "Con esto y los días de la transportadora prometemos el día de entrega: en cada producto, en el "
                "carrito y al pagar."
            ),
        ),
        settings_section(_("Límites"), LIMITS),
        settings_section(
            _("Carritos abandonados"),
            (REMINDERS,),
            note=_(
                "Solo a clientes con cuenta que aceptaron recibir noticias y ofertas, con los precios del momento y un "
                "enlace para no recibir más. Sale en las horas que permite la Ley 2300 de 2023: lunes a viernes de 7 "
                "a. m. a 7 p. m. y sábados de 8 a. m. a 3 p. m., nunca en domingos ni festivos."
            ),
        ),
        settings_section(_("Avisos"), (*ALERTS, SUMMARY), note=_("Qué te contamos, y a dónde.")),
        shown_values=VIEW.seen,
        conflict_count=SettingsState.clash_count,
    )


def settings_section(
    title: str, names: tuple[str, ...], *, note: str = "", is_open: bool = False
) -> rx.Component:
    """Render fields under a title, expanded or not."""
    special: dict[str, Callable[[], rx.Component]] = {
        "town": warehouse_town_field,
        "refuse_unquoted": partial(choice_field, "refuse_unquoted"),
        REMINDERS: partial(choice_field, REMINDERS),
        SUMMARY: summary_hour_field,
    }
    lines = [special[name]() if name in special else settings_field(name) for name in names]
    notes = [rx.el.p(note, class_name="o-row__detail")] if note else []
    return rx.el.details(
        rx.el.summary(
            rx.el.h2(title, class_name="o-settings__title"), icon("down", size=20), class_name="o-audit__head"
        ),
        rx.el.div(*notes, *lines, class_name="o-settings__fields"),
        open=is_open,
        class_name="o-panel o-stock__box",
        data_testid=f"settings-{names[0]}",
    )


def settings_field(name: str) -> rx.Component:
    """Render a field of the form."""
    return office_field(
        SettingsState,
        "settings",
        name,
        LABELS[name],
        default_value=VIEW.texts[name],
        is_optional=name in OPTIONAL_FIELDS,
        hint=HINTS.get(name, ""),
        auto_complete="off",
        **CONTROLS.get(name, {}),
    )


def choice_field(name: str) -> rx.Component:
    """Render a select field of the form, with the values in `CHOICES`."""
    return office_select(
        SettingsState,
        "settings",
        name,
        LABELS[name],
        [rx.el.option(text, value=value) for value, text in CHOICES[name].items()],
        default_value=VIEW.texts[name],
    )


def summary_hour_field() -> rx.Component:
    """Render the field of the hour at which the daily summary is mailed."""
    hint = _("Desde las 3 p. m. cuenta ese día; antes, el anterior.")
    return rx.fragment(choice_field(SUMMARY), rx.el.p(hint, class_name="field__hint"))


@rx.memo
def settings_towns_panel() -> rx.Component:
    """Render the suggested municipalities."""
    return town_panel(SettingsState.towns, lambda town: {"data_text": town.label})


def warehouse_town_field() -> rx.Component:
    """Render the field of the warehouse's municipality."""
    return town_field(
        LABELS["town"],
        SettingsState.towns,
        SettingsState.towns_for,
        SettingsState.find_towns,
        settings_towns_panel(),
        element_id="settings-town",
        problem=text_at(SettingsState.problems, "town"),
        live="",
        default_value=VIEW.texts["town"],
    )


def provider_list(title: str, rows: ArrayVar[list[ProviderRow]], test_id: str) -> rx.Component:
    """Render the payment or shipping providers."""
    return rx.el.section(
        rx.el.h2(title, class_name="o-section__title"),
        rx.el.ul(rx.foreach(rows, provider_row)),
        class_name="o-panel o-section",
        data_testid=f"settings-{test_id}",
    )


def provider_row(row: ObjectVar[ProviderRow]) -> rx.Component:
    """Render a provider: its state, and its actions."""
    going_on = _("Quien ya está en ello termina; nadie más lo podrá elegir.")
    off = confirm_button(
        rx.fragment(_("Apagar"), rx.el.span(": ", row.name, class_name="sr-only")),
        rx.cond(row.warning != "", row.warning, going_on),
        _("Sí, apagarlo"),
        SettingsState.switch_off(row.id, row.warning != ""),
    )
    on = rx.el.button(
        _("Encender"),
        rx.el.span(": ", row.name, class_name="sr-only"),
        type="button",
        data_once="",
        on_click=SettingsState.switch_on(row.id),
        class_name=f"{BUTTON}button--dark",
    )
    return rx.el.li(
        rx.el.div(
            rx.el.b(row.name),
            rx.cond(row.is_on, chip(_("Encendido"), "good"), chip(_("Apagado"), "bad")),
            class_name="o-settings__head",
        ),
        rx.el.p(row.about, class_name="o-row__detail"),
        rx.el.div(
            rx.cond(row.trial != "", try_button(row.trial, row.name)),
            rx.cond(row.is_on, off, on),
            class_name="o-team__ways",
        ),
        trial_outcome(row.trial),
        key=row.id,
        class_name="o-settings__way",
        data_testid=f"way-{row.id}",
    )


def mail_panel() -> rx.Component:
    """Render the mail server and the alert webhook."""
    server = rx.cond(
        VIEW.has_mail_server,
        rx.el.p(_("El servidor está en la configuración de la máquina."), class_name="o-row__detail"),
        rx.el.p(
            _("La tienda no tiene servidor de correo: sus correos quedan en archivos."),
            class_name="o-row__detail",
        ),
    )
    return rx.el.section(
        rx.el.h2(_("Correo y avisos"), class_name="o-section__title"),
        server,
        rx.el.div(
            try_button(Trial.MAIL.value, _("el servidor de correo")),
            try_button(Trial.TEST_MAIL.value, "", _("Enviarme un correo de prueba")),
            rx.cond(
                VIEW.has_webhook,
                try_button(Trial.WEBHOOK.value, "", _("Probar el webhook de avisos")),
            ),
            class_name="o-team__ways",
        ),
        *(trial_outcome(trial.value) for trial in (Trial.MAIL, Trial.TEST_MAIL, Trial.WEBHOOK)),
        class_name="o-panel o-section",
        data_testid="settings-mail",
    )


def other_settings_links() -> rx.Component:
    """Render links to the settings of other screens."""
    return rx.el.p(
        _("Personas y roles: "),
        rx.el.a(_("Equipo"), href=TEAM, class_name="o-return__other"),
        _(". Numeración de facturas: "),
        rx.el.a(_("Facturas"), href=INVOICES, class_name="o-return__other"),
        _(". Textos legales y correos: "),
        rx.el.a(_("Contenido"), href=CONTENT, class_name="o-return__other"),
        _(". Las llaves y contraseñas se cambian en el servidor, y aquí nunca se muestran."),
        class_name="o-row__detail o-settings__elsewhere",
    )


def version_line() -> rx.Component:
    """Render the version of the program. The owner gives it to a person who helps with a problem."""
    return rx.el.p("Trompo ", VIEW.version, class_name="o-row__detail", data_testid="version")


def try_button(trial: str | rx.Var[str], name: str | rx.Var[str], label: str = "") -> rx.Component:
    """Render a button that tests an outside service."""
    return rx.el.button(
        label or _("Probar"),
        *([] if label else [rx.el.span(": ", name, class_name="sr-only")]),
        type="button",
        data_once="",
        on_click=SettingsState.try_out(trial),
        class_name=f"{BUTTON}button--quiet",
        data_testid=f"try-{trial}",
    )


def trial_outcome(trial: str | rx.Var[str]) -> rx.Component:
    """Render the result of the latest test of a service, if it was tested. `trial` is the test's key in `OUTCOMES`."""
    result = OUTCOMES[trial].to(ObjectVar, TrialResult)
    return rx.cond(
        SettingsState.outcomes.contains(trial),
        rx.el.p(
            result.text,
            class_name="o-settings__outcome",
            data_good=result.is_good,
            data_testid=f"tried-{trial}",
        ),
    )
