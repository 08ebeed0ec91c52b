"""Management of webhook endpoints: add, change and delete them, rotate their secrets, and repeat deliveries."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from urllib.parse import urlsplit

from sqlalchemy import delete, func, select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.attention import AttentionKind, close_attention
from backend.audit import Subject, SubjectType, record
from backend.core.db.database import database_now, lock_rows
from backend.core.db.tables import get_or_404, table_of
from backend.core.errors import InvalidData, NotAllowed
from backend.core.texts import _
from backend.core.web.encryption import decrypt, encrypt
from backend.core.web.outside_post import NotCallable, resolve_target
from backend.core.web.webhook_signing import create_secret
from backend.jobs import cancel_job, enqueue
from backend.rate_limit.limiter import take_turns
from backend.staff.rights import Actor, Right
from backend.webhooks.models import DeliveryState, WebhookDelivery, WebhookEndpoint, WebhookEvent
from backend.webhooks.recording import SEND_JOB

MAX_ENDPOINTS = 10
FORMER_SECRET_VALIDITY = timedelta(days=1)
"""Time after a rotation in which calls are also signed with the former secret."""
PURPOSE = "webhooks"
"""Purpose of the key that encrypts the secrets."""
URL_FIELD, EVENTS_FIELD = "url", "events"
INVALID_URL_TEXT = _("Escribe una dirección que empiece por https:// y exista.")
PRIVATE_URL_TEXT = _("Esa dirección es de una red privada. Escribe una de internet.")
NO_EVENTS_TEXT = _("Elige por lo menos una novedad.")
REPAIRED = "A staff member switched it on again, or deleted it"

_BY_ID = select(WebhookEndpoint)


@dataclass(frozen=True, slots=True)
class EndpointChange:
    """New values of an endpoint; None leaves a value as it is."""

    url: str | None = None
    events: Sequence[str] | None = None
    is_active: bool | None = None


async def require_callable(url: str, *, allow_private: bool = False) -> None:
    """Check that the URL uses https and that its host has only public addresses.

    Do not call it in a transaction, because it looks up the host's addresses. With `allow_private`, http URLs and
    private addresses are accepted too.

    Raises:
        InvalidData: the URL cannot be called.
    """
    try:
        await resolve_target(url, allow_private=allow_private)
    except NotCallable as error:
        text = PRIVATE_URL_TEXT if error.is_private else INVALID_URL_TEXT
        message = f"Invalid request: url: {error.message}"
        raise InvalidData(message, fields={URL_FIELD: text}) from None


async def create_endpoint(
    session: AsyncSession, actor: Actor, signing_key: str, *, url: str, events: Sequence[str]
) -> tuple[WebhookEndpoint, str]:
    """Add an endpoint. The URL must have been checked by `require_callable`.

    Returns:
        The endpoint, and its signing secret, which cannot be read again.

    Raises:
        InvalidData: there are no events, or an endpoint has this URL already.
        NotAllowed: the shop has `MAX_ENDPOINTS`.
    """
    actor.require(Right.CHANGE_SETTINGS)
    await take_turns(session, "webhooks")
    await _require_free_url(session, url)
    count = (await session.execute(select(func.count()).select_from(WebhookEndpoint))).scalar_one()
    if count >= MAX_ENDPOINTS:
        raise NotAllowed(
            f"The shop has {MAX_ENDPOINTS} webhooks: delete one first",
            staff_text=_("Ya hay {n} conexiones. Borra una primero.").format(n=MAX_ENDPOINTS),
        )
    secret = create_secret()
    endpoint = WebhookEndpoint(
        callback_url=url,
        events=check_events(events),
        secret=encrypt(signing_key, PURPOSE, secret),
        created_by=actor.id,
    )
    host = {"host": (None, get_host(url))}
    await record(session, actor, "created", Subject(SubjectType.WEBHOOK, endpoint.id), host)
    session.add(endpoint)
    await session.flush()
    return endpoint, secret


async def change_endpoint(
    session: AsyncSession, actor: Actor, endpoint_id: str, change: EndpointChange
) -> WebhookEndpoint:
    """Change an endpoint. A new URL must have been checked by `require_callable`.

    When the endpoint is switched on, the deliveries that wait for it are sent.

    Raises:
        NotFound: it does not exist.
        InvalidData: there are no events, or another endpoint has this URL.
    """
    actor.require(Right.CHANGE_SETTINGS)
    await take_turns(session, "webhooks")
    endpoint = await lock_endpoint(session, endpoint_id)
    host = {"host": (get_host(endpoint.callback_url), get_host(change.url or endpoint.callback_url))}
    await record(session, actor, "changed", Subject(SubjectType.WEBHOOK, endpoint_id), host)
    if change.url is not None and change.url != endpoint.callback_url:
        await _require_free_url(session, change.url)
        endpoint.callback_url = change.url
    if change.events is not None:
        endpoint.events = check_events(change.events)
    if change.is_active is not None and change.is_active != endpoint.is_active:
        endpoint.is_active = change.is_active
        if change.is_active:
            endpoint.failures, endpoint.failing_since, endpoint.paused_until = 0, None, None
            endpoint.is_given_up = False
            await close_attention(session, AttentionKind.WEBHOOK_OFF, endpoint_id, note=REPAIRED)
            await enqueue(session, SEND_JOB, key=endpoint_id)
    await session.flush()
    return endpoint


async def delete_endpoint(session: AsyncSession, actor: Actor, endpoint_id: str) -> None:
    """Delete an endpoint with its deliveries.

    Raises:
        NotFound: it does not exist.
    """
    actor.require(Right.CHANGE_SETTINGS)
    endpoint = await lock_endpoint(session, endpoint_id)
    host = {"host": (get_host(endpoint.callback_url), None)}
    await record(session, actor, "deleted", Subject(SubjectType.WEBHOOK, endpoint_id), host)
    await session.delete(endpoint)
    await delete_deliveries(session, endpoint_id)
    await cancel_job(session, SEND_JOB, endpoint_id)
    await close_attention(session, AttentionKind.WEBHOOK_OFF, endpoint_id, note=REPAIRED)


async def rotate_secret(
    session: AsyncSession, actor: Actor, signing_key: str, endpoint_id: str
) -> tuple[WebhookEndpoint, str]:
    """Give the endpoint a new secret. For a day, calls are signed with the former one too.

    Returns:
        The endpoint, and its new secret, which cannot be read again.

    Raises:
        NotFound: the endpoint does not exist.
    """
    actor.require(Right.CHANGE_SETTINGS)
    endpoint = await lock_endpoint(session, endpoint_id)
    await record(session, actor, "secret rotated", Subject(SubjectType.WEBHOOK, endpoint_id))
    secret = create_secret()
    endpoint.former_secret = endpoint.secret
    endpoint.former_secret_until = await database_now(session) + FORMER_SECRET_VALIDITY
    endpoint.secret = encrypt(signing_key, PURPOSE, secret)
    await session.flush()
    return endpoint, secret


async def retry_delivery(
    session: AsyncSession, actor: Actor, endpoint_id: str, delivery_id: str
) -> WebhookDelivery:
    """Try to deliver an event again as soon as possible.

    Raises:
        NotFound: the endpoint or the delivery does not exist.
        NotAllowed: the event was delivered already, or the endpoint is switched off.
    """
    actor.require(Right.CHANGE_SETTINGS)
    endpoint = await lock_endpoint(session, endpoint_id)
    query = select(WebhookDelivery).where(
        WebhookDelivery.id == delivery_id, WebhookDelivery.endpoint_id == endpoint_id
    )
    delivery = await get_or_404(session, lock_rows(query), "Webhook delivery", delivery_id)
    if delivery.state == DeliveryState.DELIVERED:
        raise NotAllowed(
            "This event was delivered already", staff_text=_("Esta novedad ya llegó: no hay que repetirla.")
        )
    if not endpoint.is_active:
        raise NotAllowed(
            "The webhook is switched off: switch it on first",
            staff_text=_("La conexión está apagada. Enciéndela primero."),
        )
    await record(session, actor, "delivery tried again", Subject(SubjectType.WEBHOOK, endpoint_id))
    delivery.state, delivery.attempts = DeliveryState.WAITING, 0
    delivery.next_try_at = await database_now(session)
    endpoint.paused_until = None
    await enqueue(session, SEND_JOB, key=endpoint_id)
    await session.flush()
    return delivery


async def find_endpoint(session: AsyncSession, actor: Actor, endpoint_id: str) -> WebhookEndpoint:
    """Return the webhook endpoint with this id.

    Raises:
        NotFound: it does not exist.
    """
    actor.require(Right.CHANGE_SETTINGS)
    return await get_or_404(session, _BY_ID.where(WebhookEndpoint.id == endpoint_id), "Webhook", endpoint_id)


async def lock_endpoint(session: AsyncSession, endpoint_id: str) -> WebhookEndpoint:
    """Lock and return the webhook endpoint with this id.

    Raises:
        NotFound: it does not exist.
    """
    query = lock_rows(_BY_ID.where(WebhookEndpoint.id == endpoint_id))
    return await get_or_404(session, query, "Webhook", endpoint_id)


async def list_endpoints(session: AsyncSession, actor: Actor) -> Sequence[WebhookEndpoint]:
    """Return all webhook endpoints, the oldest first."""
    actor.require_role(Right.CHANGE_SETTINGS)
    query = _BY_ID.order_by(WebhookEndpoint.created_at, WebhookEndpoint.id)
    return (await session.execute(query)).scalars().all()


async def list_latest_deliveries(
    session: AsyncSession, endpoint_ids: Sequence[str], count: int
) -> dict[str, list[WebhookDelivery]]:
    """Return the newest deliveries of these endpoints by endpoint id, at most `count` of each."""
    latest: dict[str, list[WebhookDelivery]] = {}
    for endpoint_id in endpoint_ids:  # at most `MAX_ENDPOINTS`
        query = (
            select(WebhookDelivery)
            .where(WebhookDelivery.endpoint_id == endpoint_id)
            .order_by(WebhookDelivery.created_at.desc(), WebhookDelivery.id.desc())
            .limit(count)
        )
        latest[endpoint_id] = list((await session.execute(query)).scalars())
    return latest


async def delete_deliveries(session: AsyncSession, endpoint_id: str) -> None:
    """Delete all deliveries of events to an endpoint."""
    deliveries = table_of(WebhookDelivery)
    await session.execute(delete(deliveries).where(deliveries.c.endpoint_id == endpoint_id))


def check_events(names: Sequence[str]) -> list[str]:
    """Check the names of events. Return them without repetitions, in the order of `WebhookEvent`.

    Raises:
        InvalidData: there are none, or one is unknown.
    """
    if unknown := sorted(set(names) - set(WebhookEvent)):
        raise InvalidData(f"Invalid request: events: unknown: {', '.join(unknown)}")
    if not names:
        raise InvalidData("Invalid request: events: name at least one", fields={EVENTS_FIELD: NO_EVENTS_TEXT})
    return [name.value for name in WebhookEvent if name in names]


def read_secrets(signing_key: str, endpoint: WebhookEndpoint, *, includes_former: bool) -> list[str]:
    """Return the valid signing secrets, the newest first. Secrets of another SECRET_KEY are left out."""
    stored = [endpoint.secret, *([endpoint.former_secret] if includes_former else [])]
    secrets = (decrypt(signing_key, PURPOSE, one) for one in stored if one is not None)
    return [secret for secret in secrets if secret is not None]


def get_host(url: str) -> str:
    """Return only the host of an endpoint's URL, because the rest of the URL may contain a secret."""
    return urlsplit(url).hostname or ""


async def _require_free_url(session: AsyncSession, url: str) -> None:
    taken = select(WebhookEndpoint.id).where(WebhookEndpoint.callback_url == url)
    if (await session.execute(taken)).first() is not None:
        raise InvalidData(
            "Invalid request: url: a webhook has it already",
            fields={URL_FIELD: _("Esta dirección ya está en la lista.")},
        )
