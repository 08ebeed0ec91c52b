"""`/admin/webhooks`: the programs that are called with events. The commerce platform has no such routes."""

from collections.abc import Sequence
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Request
from pydantic import Field
from sqlalchemy.ext.asyncio import AsyncSession
from typing_extensions import TypedDict

from backend.core.web.outside_post import MAX_URL_LENGTH
from backend.edge.dependencies import Db, RequestedFields, ShopSettings
from backend.edge.errors import REFUSALS
from backend.edge.query import (
    Fields,
    in_clauses,
    order_clauses,
    paging_fields,
    pick_each,
    read_page,
    read_query,
    slice_page,
)
from backend.edge.requests import WireRoute
from backend.edge.schemas import Body, ListParameters, Name, example
from backend.edge.wire import Deleted, JsonDict, Page, Stamps, Wire, iso, stamps
from backend.staff.dependencies import StaffMember, require_staff_right
from backend.staff.rights import Right
from backend.webhooks.models import DeliveryState, WebhookDelivery, WebhookEndpoint, WebhookEvent
from backend.webhooks.sending import WebhookSender
from backend.webhooks.service import (
    EndpointChange,
    change_endpoint,
    create_endpoint,
    delete_endpoint,
    find_endpoint,
    list_endpoints,
    list_latest_deliveries,
    require_callable,
    retry_delivery,
    rotate_secret,
)

router = APIRouter(
    prefix="/admin/webhooks",
    route_class=WireRoute,
    tags=["admin: webhooks"],
    responses=REFUSALS,
    dependencies=require_staff_right(Right.CHANGE_SETTINGS),
)
SORTABLE = {"created_at": WebhookDelivery.created_at}
Url = Annotated[str, Field(max_length=MAX_URL_LENGTH, description="A URL with https and a public host.")]
Events = Annotated[list[Annotated[WebhookEvent, Field(strict=False)]], Field(min_length=1, max_length=50)]


class DeliveryOut(TypedDict):
    """The delivery of an event to a webhook, with the latest answer."""

    id: str
    webhook_id: str
    event_id: Annotated[str, Field(description="The id that every attempt has as `webhook-id`.")]
    event: str
    data: JsonDict
    state: Annotated[str, Field(description="`waiting`, `delivered` or `failed`.")]
    attempts: int
    status: Annotated[int | None, Field(description="Status of the latest answer; null without an answer.")]
    answer: Annotated[str, Field(description="Beginning of the latest answer, or why there is none.")]
    created_at: str
    tried_at: str | None
    next_try_at: str | None


class WebhookOut(Stamps):
    """A webhook."""

    id: str
    url: str
    events: list[str]
    is_active: bool
    failing_since: str | None
    last_delivery: DeliveryOut | None


class NewWebhookOut(WebhookOut):
    """A webhook with its new signing secret, which is not returned again."""

    secret: str


class WebhookAnswer(TypedDict):
    """Response with one webhook."""

    webhook: WebhookOut


class NewWebhookAnswer(TypedDict):
    """A webhook with its new signing secret."""

    webhook: NewWebhookOut


class WebhooksAnswer(Page):
    """A page of the webhooks."""

    webhooks: list[WebhookOut]


class DeliveryAnswer(TypedDict):
    """Response with one delivery of an event."""

    delivery: DeliveryOut


class DeliveriesAnswer(Page):
    """A page of a webhook's deliveries."""

    deliveries: list[DeliveryOut]


class DeliveriesParameters(ListParameters):
    """Filters of the list of deliveries."""

    state: list[DeliveryState] | None = None
    event: list[Name] | None = None


class NewWebhook(Body):
    """A URL, and the names of the events with which it is called."""

    model_config = example(url="https://erp.example.com/trompo", events=["order.placed", "payment.captured"])

    url: Url
    events: Events


class WebhookChange(Body):
    """New values of a webhook. Values that are left out stay as they are."""

    model_config = example(events=["order.placed"], is_active=True)

    url: Url | None = None
    events: Events | None = None
    is_active: bool | None = None


async def get_sender(request: Request) -> WebhookSender:
    """Return the running shop's sender of webhooks."""
    sender: WebhookSender = request.app.state.webhooks
    return sender


Sender = Annotated[WebhookSender, Depends(get_sender)]


@router.get("")
async def list_webhooks(
    actor: StaffMember, params: Annotated[ListParameters, read_query(ListParameters)], database: Db
) -> Wire[WebhooksAnswer]:
    """List the webhooks, each with its latest delivery."""
    async with database.read() as session:
        endpoints = await list_endpoints(session, actor)
        webhooks = await _to_wire(session, slice_page(endpoints, params))
    return Wire({"webhooks": pick_each(webhooks, params), **paging_fields(len(endpoints), params)})


@router.post("")
async def create_webhook(
    actor: StaffMember, body: NewWebhook, database: Db, settings: ShopSettings, fields: RequestedFields
) -> Wire[NewWebhookAnswer]:
    """Add a webhook. Only this answer contains its signing secret.

    Its host must have only public addresses. Calls are signed according to Standard Webhooks.
    """
    await require_callable(body.url)
    async with database.transaction() as session:
        endpoint, secret = await create_endpoint(
            session, actor, settings.signing_key, url=body.url, events=body.events
        )
        return await _answer_with_secret(session, endpoint, secret, fields)


@router.get("/{webhook_id}")
async def read_webhook(
    actor: StaffMember, webhook_id: str, database: Db, fields: RequestedFields
) -> Wire[WebhookAnswer]:
    """Return a webhook."""
    async with database.read() as session:
        return await _answer(session, await find_endpoint(session, actor, webhook_id), fields)


@router.post("/{webhook_id}")
async def update_webhook(
    actor: StaffMember, webhook_id: str, body: WebhookChange, database: Db, fields: RequestedFields
) -> Wire[WebhookAnswer]:
    """Change a webhook. When it is switched on, the deliveries that wait are sent."""
    if body.url is not None:
        await require_callable(body.url)
    change = EndpointChange(body.url, body.events, body.is_active)
    async with database.transaction() as session:
        return await _answer(session, await change_endpoint(session, actor, webhook_id, change), fields)


@router.delete("/{webhook_id}")
async def delete_webhook(actor: StaffMember, webhook_id: str, database: Db) -> Wire[Deleted]:
    """Delete a webhook with its deliveries."""
    async with database.transaction() as session:
        await delete_endpoint(session, actor, webhook_id)
    return Wire({"id": webhook_id, "object": "webhook", "deleted": True})


@router.post("/{webhook_id}/rotate")
async def rotate(
    actor: StaffMember, webhook_id: str, database: Db, settings: ShopSettings, fields: RequestedFields
) -> Wire[NewWebhookAnswer]:
    """Give a webhook a new signing secret, which only this answer contains.

    For a day, calls have a signature with the former secret too.
    """
    async with database.transaction() as session:
        endpoint, secret = await rotate_secret(session, actor, settings.signing_key, webhook_id)
        return await _answer_with_secret(session, endpoint, secret, fields)


@router.post("/{webhook_id}/test")
async def send_test_call(
    actor: StaffMember, webhook_id: str, sender: Sender, fields: RequestedFields
) -> Wire[DeliveryAnswer]:
    """Call a webhook once with the event `ping`, and return the result."""
    delivery = await sender.send_test(actor, webhook_id)
    return Wire({"delivery": fields.pick(delivery_wire(delivery))})


@router.get("/{webhook_id}/deliveries")
async def list_deliveries(
    actor: StaffMember,
    webhook_id: str,
    params: Annotated[DeliveriesParameters, read_query(DeliveriesParameters)],
    database: Db,
) -> Wire[DeliveriesAnswer]:
    """Return a page of a webhook's deliveries, the newest first."""
    conditions: list[Any] = [
        WebhookDelivery.endpoint_id == webhook_id,
        *in_clauses((WebhookDelivery.state, params.state), (WebhookDelivery.event, params.event)),
    ]
    newest_first = [WebhookDelivery.created_at.desc(), WebhookDelivery.id.desc()]
    order = order_clauses(params.order, SORTABLE, newest_first)
    async with database.read() as session:
        await find_endpoint(session, actor, webhook_id)
        rows, count = await read_page(session, WebhookDelivery, conditions, order, params)
    return Wire({"deliveries": pick_each(map(delivery_wire, rows), params), **paging_fields(count, params)})


@router.post("/{webhook_id}/deliveries/{delivery_id}/retry")
async def retry(
    actor: StaffMember, webhook_id: str, delivery_id: str, database: Db, fields: RequestedFields
) -> Wire[DeliveryAnswer]:
    """Send an undelivered event again. The webhook must be switched on."""
    async with database.transaction() as session:
        delivery = await retry_delivery(session, actor, webhook_id, delivery_id)
        return Wire({"delivery": fields.pick(delivery_wire(delivery))})


def delivery_wire(delivery: WebhookDelivery) -> DeliveryOut:
    """Return the delivery in the shape of the API."""
    return {
        "id": delivery.id,
        "webhook_id": delivery.endpoint_id,
        "event_id": delivery.event_id,
        "event": delivery.event,
        "data": delivery.data,
        "state": delivery.state,
        "attempts": delivery.attempts,
        "status": delivery.status,
        "answer": delivery.answer,
        "created_at": iso(delivery.created_at),
        "tried_at": iso(delivery.tried_at),
        "next_try_at": iso(delivery.next_try_at),
    }


async def _to_wire(session: AsyncSession, endpoints: Sequence[WebhookEndpoint]) -> list[WebhookOut]:
    latest = await list_latest_deliveries(session, [one.id for one in endpoints], 1)
    return [
        {
            "id": one.id,
            "url": one.callback_url,
            "events": one.events,
            "is_active": one.is_active,
            "failing_since": iso(one.failing_since),
            "last_delivery": delivery_wire(latest[one.id][0]) if latest[one.id] else None,
            **stamps(one.created_at, one.updated_at),
        }
        for one in endpoints
    ]


async def _answer(session: AsyncSession, endpoint: WebhookEndpoint, fields: Fields) -> Wire[WebhookAnswer]:
    (wire,) = await _to_wire(session, [endpoint])
    return Wire({"webhook": fields.pick(wire)})


async def _answer_with_secret(
    session: AsyncSession, endpoint: WebhookEndpoint, secret: str, fields: Fields
) -> Wire[NewWebhookAnswer]:
    (wire,) = await _to_wire(session, [endpoint])
    shown: NewWebhookOut = {**wire, "secret": secret}
    return Wire({"webhook": fields.pick(shown)})
