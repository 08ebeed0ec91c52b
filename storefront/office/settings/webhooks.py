"""Components for webhooks (programs that the shop calls with its events) on the settings screen (Ajustes)."""

from typing import Any

import reflex as rx
from reflex.vars import ArrayVar, ObjectVar

from backend.core.texts import _
from backend.core.web.outside_post import MAX_URL_LENGTH
from backend.office.settings.webhooks import DeliveryRow, EventTick, WebhookRow, build_ticks
from backend.webhooks.service import EVENTS_FIELD, URL_FIELD
from storefront.components.forms import field
from storefront.office.components.feedback import chip
from storefront.office.components.forms import confirm_button
from storefront.office.components.lists import fold
from storefront.office.icons import icon
from storefront.office.settings.state import SettingsState
from storefront.office.settings.webhook_handlers import NEW_FORM, TICK_PREFIX
from storefront.reflex_ext.hooks import script, text_at

BUTTON = "button button--small "
ROWS = SettingsState.content.webhooks
SECRET_TEXTS = {
    "title": _("Clave para comprobar las firmas"),
    "rules": _("Cópiala ahora y guárdala en el programa: no la mostramos otra vez."),
    "copy": _("Copiar"),
    "copied": _("Copiada"),
    "done": _("Ya la guardé"),
}


class SecretOnce(rx.Component):
    """A secret that is displayed until the owner has stored it: see `assets/scripts/office/secret.jsx`."""

    library = script("office/secret")
    tag = "SecretOnce"
    secret: rx.Var[str]
    texts: rx.Var[dict[str, str]]
    on_kept: rx.EventHandler[rx.event.no_args_event_spec]  # type: ignore[type-arg, valid-type]


def webhook_panel() -> rx.Component:
    """Render the webhooks, and the form of a new one. It must be inside a `SubmitOnce`."""
    return rx.el.section(
        rx.el.h2(_("Conexiones con otros programas"), class_name="o-section__title"),
        rx.el.p(
            _("Tu contabilidad o tu inventario reciben, firmado, lo que pasa en la tienda."),
            class_name="o-row__detail",
        ),
        SecretOnce.create(
            secret=SettingsState.webhook_secret,
            texts=rx.Var.create(SECRET_TEXTS),
            on_kept=SettingsState.forget_webhook_secret,
        ),
        rx.el.ul(rx.foreach(ROWS, webhook_row)),
        fold(
            _("Agregar una conexión"),
            webhook_form(
                NEW_FORM,
                "",
                [event_tick(one) for one in build_ticks([])],
                _("Agregar"),
                key=ROWS.length().to_string(),
            ),
            test_id="webhook-new",
        ),
        class_name="o-panel o-section o-webhooks",
        data_testid="settings-webhooks",
    )


def webhook_row(row: ObjectVar[WebhookRow]) -> rx.Component:
    """Render a webhook: its state, its latest deliveries, its form, and its actions."""
    named = rx.el.span(": ", row.host, class_name="sr-only")
    off = confirm_button(
        rx.fragment(_("Apagar"), named),
        _("Mientras esté apagada no guardamos novedades para este programa."),
        _("Sí, apagarla"),
        SettingsState.switch_webhook(row.id, False),
    )
    on = action(_("Encender"), SettingsState.switch_webhook(row.id, True), named, "dark")
    return rx.el.li(
        rx.el.div(
            rx.el.b(row.host, class_name="o-webhooks__host"),
            chip(row.state, row.tone),
            class_name="o-settings__head",
        ),
        rx.el.p(row.events_label, class_name="o-row__detail"),
        rx.cond(row.warning != "", rx.el.p(row.warning, class_name="o-settings__outcome")),
        rx.cond(
            row.deliveries.to(ArrayVar).length() > 0,
            fold(
                _("Últimas novedades"),
                rx.el.ul(rx.foreach(row.deliveries.to(ArrayVar, list[DeliveryRow]), delivery_row(row))),
                test_id="webhook-deliveries",
            ),
        ),
        fold(
            _("Cambiar"),
            webhook_form(
                row.id,
                row.url,
                rx.foreach(row.ticks.to(ArrayVar, list[EventTick]), event_tick),
                _("Guardar cambios"),
                key=row.version,
            ),
            test_id="webhook-change",
        ),
        rx.el.div(
            action(_("Probar"), SettingsState.try_webhook(row.id), named, "quiet"),
            rx.cond(row.is_on, off, on),
            confirm_button(
                rx.fragment(_("Clave nueva"), named),
                _("La clave anterior sirve un día más."),
                _("Sí, cambiarla"),
                SettingsState.rotate_webhook(row.id),
            ),
            confirm_button(
                rx.fragment(_("Borrar"), named),
                _("Se borra con sus novedades, también las que faltan por enviar."),
                _("Sí, borrarla"),
                SettingsState.delete_webhook(row.id),
            ),
            class_name="o-team__ways",
        ),
        key=row.id,
        class_name="o-settings__way",
        data_testid="webhook-row",
    )


def delivery_row(webhook: ObjectVar[WebhookRow]) -> Any:
    """Return the function that renders a delivery of an event to this webhook."""

    def render(row: ObjectVar[DeliveryRow]) -> rx.Component:
        return rx.el.li(
            rx.el.div(rx.el.b(row.title), chip(row.state, row.tone), class_name="o-settings__head"),
            rx.el.p(row.detail, class_name="o-row__detail"),
            rx.cond(
                row.can_retry,
                action(
                    _("Enviar otra vez"),
                    SettingsState.retry_webhook(webhook.id, row.id),
                    rx.el.span(": ", row.title, class_name="sr-only"),
                    "quiet",
                ),
            ),
            key=row.id,
            class_name="o-settings__way",
            data_testid="webhook-delivery",
        )

    return render


def webhook_form(form: Any, url: Any, ticks: Any, label: str, *, key: Any) -> rx.Component:
    """Render the form that adds or changes a webhook."""
    url_id = f"webhook-{form}-{URL_FIELD}"
    problem = text_at(SettingsState.problems, f"webhook-{form}-{EVENTS_FIELD}")
    return rx.el.form(
        rx.el.input(type="hidden", name="form", value=form, read_only=True),
        field(
            URL_FIELD,
            _("Dirección del programa"),
            element_id=url_id,
            problem=text_at(SettingsState.problems, url_id),
            live="",
            hint=_("La da quien maneja el programa. Empieza por https://."),
            type="url",
            input_mode="url",
            auto_complete="off",
            auto_capitalize="none",
            spell_check=False,
            max_length=MAX_URL_LENGTH,
            default_value=url,
        ),
        rx.el.fieldset(
            rx.el.legend(_("Qué le contamos"), class_name="field__label"),
            rx.el.div(*(ticks if isinstance(ticks, list) else [ticks]), class_name="o-webhooks__ticks"),
            rx.cond(problem, rx.el.p(icon("warning", size=18), problem, class_name="field__problem")),
        ),
        rx.el.button(label, type="submit", class_name=f"{BUTTON}button--primary", data_testid="webhook-save"),
        key=key,
        class_name="o-form",
        no_validate=True,
        on_submit=SettingsState.save_webhook,
    )


def event_tick(one: Any) -> rx.Component:
    """Render the checkbox of an event."""
    return rx.el.label(
        rx.el.input(
            type="checkbox",
            name=f"{TICK_PREFIX}{one.name}",
            value="yes",
            default_checked=one.is_chosen,
            class_name="o-box",
        ),
        rx.el.span(one.label),
        key=one.name,
        class_name="o-every",
    )


def action(label: str, on_click: Any, named: rx.Component, look: str) -> rx.Component:
    """Render a button that acts immediately, and only once. `named` completes its label for screen readers."""
    return rx.el.button(
        label, named, type="button", data_once="", on_click=on_click, class_name=f"{BUTTON}button--{look}"
    )
