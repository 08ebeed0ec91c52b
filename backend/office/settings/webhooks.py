"""Webhooks on the settings screen: the programs that the shop calls with its events, and the latest calls of each."""

from dataclasses import dataclass

from sqlalchemy.ext.asyncio import AsyncSession

from backend.core.dates import short_time_label
from backend.core.texts import _
from backend.staff.rights import Actor
from backend.webhooks.models import PING, DeliveryState, WebhookDelivery, WebhookEndpoint, WebhookEvent
from backend.webhooks.service import get_host, list_endpoints, list_latest_deliveries

MAX_DELIVERIES = 8
"""Maximum number of displayed deliveries of a webhook."""
EVENT_LABELS = {
    WebhookEvent.ORDER_PLACED.value: _("Pedido nuevo"),
    WebhookEvent.ORDER_CANCELED.value: _("Pedido cancelado"),
    WebhookEvent.PAYMENT_CAPTURED.value: _("Pago recibido"),
    WebhookEvent.PAYMENT_REFUNDED.value: _("Dinero devuelto"),
    WebhookEvent.SHIPMENT_CREATED.value: _("Paquete despachado"),
    WebhookEvent.DELIVERY_CREATED.value: _("Paquete entregado"),
    WebhookEvent.PRODUCT_CREATED.value: _("Producto nuevo"),
    WebhookEvent.PRODUCT_UPDATED.value: _("Producto cambiado"),
    WebhookEvent.PRODUCT_DELETED.value: _("Producto borrado"),
    WebhookEvent.STOCK_UPDATED.value: _("Unidades cambiadas"),
    PING: _("Prueba"),
}
STATE_LABELS = {
    DeliveryState.WAITING.value: (_("Por enviar"), "wait"),
    DeliveryState.DELIVERED.value: (_("Llegó"), "good"),
    DeliveryState.FAILED.value: (_("No llegó"), "bad"),
}
"""Label and tone of each state of a delivery."""


@dataclass(frozen=True, slots=True)
class DeliveryRow:
    """A delivery of an event to a webhook, and the webhook's latest response."""

    id: str
    title: str
    detail: str
    state: str
    tone: str
    can_retry: bool


@dataclass(frozen=True, slots=True)
class EventTick:
    """A checkbox of the webhook form: an event that the webhook may receive."""

    name: str
    label: str
    is_chosen: bool


@dataclass(frozen=True, slots=True)
class WebhookRow:
    """A webhook: a program that the shop calls with its events.

    Attributes:
        warning: why it does not receive events; empty if it does.
        version: a text that differs after each change of the webhook, so that the page replaces the form's values.
    """

    id: str
    host: str
    url: str
    events_label: str
    ticks: list[EventTick]
    is_on: bool
    state: str
    tone: str
    warning: str
    deliveries: list[DeliveryRow]
    version: str


async def read_webhook_rows(session: AsyncSession, actor: Actor) -> list[WebhookRow]:
    """Return the webhooks, the oldest first.

    Raises:
        Forbidden: the actor may not see them.
    """
    endpoints = await list_endpoints(session, actor)
    latest = await list_latest_deliveries(session, [one.id for one in endpoints], MAX_DELIVERIES)
    return [_webhook_row(one, latest[one.id]) for one in endpoints]


def build_ticks(chosen: list[str]) -> list[EventTick]:
    """Return the checkboxes of all events; those in `chosen` are ticked."""
    return [EventTick(name.value, EVENT_LABELS[name.value], name.value in chosen) for name in WebhookEvent]


def _webhook_row(endpoint: WebhookEndpoint, deliveries: list[WebhookDelivery]) -> WebhookRow:
    warning = ""
    state, tone = (_("Encendida"), "good") if endpoint.is_active else (_("Apagada"), "bad")
    if endpoint.is_given_up:
        warning = _("La apagamos porque no respondió durante días. Enciéndela cuando el programa funcione.")
    elif endpoint.is_active and endpoint.failing_since is not None:
        state, tone = _("Falla"), "wait"
        moment = short_time_label(endpoint.failing_since)
        warning = _("No responde bien desde {moment}: seguimos intentando.").format(moment=moment)
    return WebhookRow(
        id=endpoint.id,
        host=get_host(endpoint.callback_url),
        url=endpoint.callback_url,
        events_label=" · ".join(EVENT_LABELS[name] for name in endpoint.events),
        ticks=build_ticks(endpoint.events),
        is_on=endpoint.is_active,
        state=state,
        tone=tone,
        warning=warning,
        deliveries=[_delivery_row(one, can_retry=endpoint.is_active) for one in deliveries],
        version=endpoint.updated_at.isoformat(),
    )


def _delivery_row(delivery: WebhookDelivery, *, can_retry: bool) -> DeliveryRow:
    state, tone = STATE_LABELS[delivery.state]
    moment = short_time_label(delivery.tried_at or delivery.created_at)
    if delivery.status is not None:
        answer = _("respondió {status}").format(status=delivery.status)
        answer = f"{answer}: «{delivery.answer}»" if delivery.answer else answer
    else:
        answer = _("no respondió") if delivery.attempts else ""
    return DeliveryRow(
        id=delivery.id,
        title=EVENT_LABELS[delivery.event],
        detail=" · ".join(filter(None, (moment, answer))),
        state=state,
        tone=tone,
        can_retry=can_retry and delivery.state == DeliveryState.FAILED and delivery.event != PING,
    )
