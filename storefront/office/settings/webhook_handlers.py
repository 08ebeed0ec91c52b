"""Event handlers for webhooks (programs that the shop calls with its events) on the settings screen (Ajustes)."""

import reflex as rx

from backend.app import current_shop
from backend.core.error_texts import CHECK_FIELDS
from backend.core.errors import InvalidData
from backend.core.texts import _
from backend.core.web.outside_post import MAX_URL_LENGTH
from backend.staff.rights import Actor, Right
from backend.webhooks.models import DeliveryState, WebhookEvent
from backend.webhooks.service import (
    URL_FIELD,
    EndpointChange,
    change_endpoint,
    check_events,
    create_endpoint,
    delete_endpoint,
    require_callable,
    retry_delivery,
    rotate_secret,
)
from storefront.office.state import OfficeScreen, office_event
from storefront.state.handlers import checked_fields, checked_id

NEW_FORM = "new"
"""Id of the form that adds a webhook. A form that changes a webhook has the webhook's id."""
TICK_PREFIX = "event-"
"""Prefix of the names of the events' checkboxes; the event follows."""


class WebhookHandlers(OfficeScreen, mixin=True):
    """Event handlers of the webhooks, and a new webhook's signing secret until the page has received it."""

    webhook_secret: rx.Field[str] = rx.field("")

    @office_event(Right.CHANGE_SHOP)
    async def save_webhook(self, actor: Actor, form_data: dict[str, str]) -> None:
        """Add or change a webhook.

        The form contains `form` (`new` or the webhook's id), the `url`, and the ticked events.
        """
        ticks = {TICK_PREFIX + name: name.value for name in WebhookEvent}
        typed = checked_fields(form_data, "form", URL_FIELD, *ticks, max_length=MAX_URL_LENGTH)
        form, url = checked_id(typed["form"]), typed[URL_FIELD]
        events = [event for name, event in ticks.items() if typed[name]]
        shop, self.problems = current_shop(), {}
        try:
            check_events(events)
            await require_callable(url)
            async with shop.database.transaction() as session:
                if form == NEW_FORM:
                    key = shop.settings.signing_key
                    _endpoint, secret = await create_endpoint(session, actor, key, url=url, events=events)
                else:
                    await change_endpoint(session, actor, form, EndpointChange(url, events))
                    secret = ""
        except InvalidData as error:
            if not error.fields:
                raise
            self.problems = {f"webhook-{form}-{name}": text for name, text in error.fields.items()}
            self._announce(CHECK_FIELDS, "problem")
            return
        self.webhook_secret = secret
        done = _("Agregada: guarda su clave ahora.") if secret else _("Guardado.")
        await self._announce_done(actor, done)

    @office_event(Right.CHANGE_SHOP)
    async def switch_webhook(self, actor: Actor, webhook_id: str, is_on: bool) -> None:
        """Enable or disable a webhook."""
        change = EndpointChange(is_active=is_on is True)
        async with current_shop().database.transaction() as session:
            await change_endpoint(session, actor, checked_id(webhook_id), change)
        on, off = _("Encendida: le llega lo que faltaba."), _("Apagada: ya no le llega nada.")
        await self._announce_done(actor, on if change.is_active else off)

    @office_event(Right.CHANGE_SHOP, is_press=False)
    async def try_webhook(self, actor: Actor, webhook_id: str) -> None:
        """Call a webhook once, and show its response."""
        delivery = await current_shop().webhooks.send_test(actor, checked_id(webhook_id))
        is_good = delivery.state == DeliveryState.DELIVERED
        text = _("El programa recibió la prueba.") if is_good else _("El programa no recibió bien la prueba.")
        await self._announce_done(actor, text)
        if not is_good:
            self._announce(text, "problem")

    @office_event(Right.CHANGE_SHOP)
    async def retry_webhook(self, actor: Actor, webhook_id: str, delivery_id: str) -> None:
        """Send an event to a webhook again."""
        async with current_shop().database.transaction() as session:
            await retry_delivery(session, actor, checked_id(webhook_id), checked_id(delivery_id))
        await self._announce_done(actor, _("La enviamos otra vez."))

    @office_event(Right.CHANGE_SHOP)
    async def rotate_webhook(self, actor: Actor, webhook_id: str) -> None:
        """Give a webhook a new signing secret."""
        shop = current_shop()
        async with shop.database.transaction() as session:
            _endpoint, secret = await rotate_secret(
                session, actor, shop.settings.signing_key, checked_id(webhook_id)
            )
        self.webhook_secret = secret
        await self._announce_done(actor, _("Clave nueva: guárdala ahora. La anterior sirve un día más."))

    @office_event(Right.CHANGE_SHOP)
    async def delete_webhook(self, actor: Actor, webhook_id: str) -> None:
        """Delete a webhook."""
        async with current_shop().database.transaction() as session:
            await delete_endpoint(session, actor, checked_id(webhook_id))
        await self._announce_done(actor, _("Borrada."))

    @office_event(Right.CHANGE_SHOP, is_press=False)
    async def forget_webhook_secret(self, _actor: Actor) -> None:
        """Forget the secret, because the page has received it."""
        self.webhook_secret = ""
