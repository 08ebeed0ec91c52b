"""Admin API of fulfillments (wire: commerce-api, Admin), and the carrier's hook (wire: carrier 2.4, webhook)."""

import logging
from typing import Any

from fastapi import APIRouter, Request, Response
from fastapi.responses import PlainTextResponse

from backend.core.db.database import Database
from backend.core.errors import NotFound, require_found
from backend.core.web.outside_values import parse_identifier, parse_integer, read_json
from backend.edge.dependencies import Db, RequestedFields, ShopSettings
from backend.edge.errors import REFUSALS
from backend.edge.query import Fields
from backend.edge.requests import WireRoute, read_body_start
from backend.edge.wire import Wire
from backend.fulfillment import cancellation, delivery
from backend.fulfillment.label_states import lock_fulfillment
from backend.fulfillment.packing import fulfill
from backend.fulfillment.schemas import NewFulfillment, NewShipment
from backend.fulfillment.tracking import schedule_tracking
from backend.fulfillment.wire_commands import to_create_fulfillment, to_mark_shipped
from backend.orders.admin.routes import order_answer
from backend.orders.answers import FulfillmentAnswer, StaffOrderAnswer
from backend.orders.models import Fulfillment
from backend.orders.wire.orders import fulfillment_wire
from backend.shipping.location_routes import Providers
from backend.staff.dependencies import StaffMember, require_staff_right
from backend.staff.rights import Actor, Right

log = logging.getLogger(__name__)

router = APIRouter(
    prefix="/admin",
    route_class=WireRoute,
    tags=["admin: orders"],
    responses=REFUSALS,
    dependencies=require_staff_right(Right.READ_ORDERS),
)
hook_router = APIRouter()

MAX_BODY_BYTES = 64 * 1024
MAX_CODE_LENGTH = 60


@router.post("/orders/{order_id}/fulfillments")
async def create_fulfillment(
    *,
    actor: StaffMember,
    order_id: str,
    body: NewFulfillment,
    database: Db,
    settings: ShopSettings,
    providers: Providers,
    fields: RequestedFields,
) -> Wire[StaffOrderAnswer]:
    """Create a fulfillment of these units. A repeated request creates no second label (spec: createFulfillment)."""
    await fulfill(database, actor, settings, providers, order_id, to_create_fulfillment(body))
    return await order_answer(database, actor, order_id, fields)


@router.post("/orders/{order_id}/fulfillments/{fulfillment_id}/cancel")
async def cancel_fulfillment(
    *,
    actor: StaffMember,
    order_id: str,
    fulfillment_id: str,
    database: Db,
    providers: Providers,
    fields: RequestedFields,
) -> Wire[StaffOrderAnswer]:
    """Cancel the fulfillment's label."""
    await cancellation.cancel_fulfillment(database, actor, providers, order_id, fulfillment_id)
    return await order_answer(database, actor, order_id, fields)


@router.post("/orders/{order_id}/fulfillments/{fulfillment_id}/shipments")
async def create_shipment(
    *,
    actor: StaffMember,
    order_id: str,
    fulfillment_id: str,
    body: NewShipment,
    database: Db,
    fields: RequestedFields,
) -> Wire[StaffOrderAnswer]:
    """Record that the fulfillment has left."""
    async with database.transaction() as session:
        await delivery.mark_shipped(session, actor, order_id, fulfillment_id, to_mark_shipped(body))
    return await order_answer(database, actor, order_id, fields)


@router.post("/orders/{order_id}/fulfillments/{fulfillment_id}/mark-as-delivered")
async def mark_as_delivered(
    actor: StaffMember, order_id: str, fulfillment_id: str, database: Db, fields: RequestedFields
) -> Wire[StaffOrderAnswer]:
    """Record that the fulfillment was delivered."""
    async with database.transaction() as session:
        await delivery.mark_delivered(session, actor, order_id, fulfillment_id)
    return await order_answer(database, actor, order_id, fields)


@router.post("/fulfillments/{fulfillment_id}/cancel")
async def cancel(
    actor: StaffMember, fulfillment_id: str, database: Db, providers: Providers, fields: RequestedFields
) -> Wire[FulfillmentAnswer]:
    """Cancel the label of a fulfillment. The id of the order is not needed."""
    order_id = (await _read_for_change(database, actor, fulfillment_id)).order_id
    await cancellation.cancel_fulfillment(database, actor, providers, order_id, fulfillment_id)
    return await _fulfillment_answer(database, fulfillment_id, fields)


@router.post("/fulfillments/{fulfillment_id}/shipment")
async def ship(
    actor: StaffMember, fulfillment_id: str, body: NewShipment, database: Db, fields: RequestedFields
) -> Wire[FulfillmentAnswer]:
    """Record that a fulfillment has left. The id of the order is not needed."""
    order_id = (await _read_for_change(database, actor, fulfillment_id)).order_id
    async with database.transaction() as session:
        await delivery.mark_shipped(session, actor, order_id, fulfillment_id, to_mark_shipped(body))
    return await _fulfillment_answer(database, fulfillment_id, fields)


@router.get(
    "/orders/{order_id}/fulfillments/{fulfillment_id}/label",
    response_class=Response,
    responses={
        200: {"content": {"application/pdf": {}}, "description": "The label, as the carrier drew it."}
    },
)
async def read_label(order_id: str, fulfillment_id: str, database: Db) -> Response:
    """Return the stored label for printing, also while the carrier's service is unavailable."""
    async with database.read() as session:
        fulfillment = await lock_fulfillment(session, fulfillment_id, order_id)
    if fulfillment.label_pdf is None:
        raise NotFound(f"Fulfillment with id: {fulfillment_id} has no label")
    headers = {"Content-Disposition": f'inline; filename="guia-{fulfillment.reference}.pdf"'}
    return Response(fulfillment.label_pdf, media_type="application/pdf", headers=headers)


@hook_router.post("/hooks/shipping/{provider}", tags=["webhook"])
async def shipping_hook(provider: str, request: Request, database: Db) -> PlainTextResponse:
    """Handle the carrier's notification about a label. The response is always 200.

    The notification is not signed, so its content is not trusted: the shop requests the state from the carrier.
    """
    body = _parse_object(await read_body_start(request, MAX_BODY_BYTES + 1))
    number = parse_integer(body.get("idOrder"))
    code = parse_identifier(body.get("trackingCode"), MAX_CODE_LENGTH)
    try:
        await schedule_tracking(database, number, code)
    except Exception:
        # no data is lost, as tracking asks the carrier later; but staff must notice
        log.exception(
            "could not handle a notification of %s", provider if provider.isidentifier() else "a carrier"
        )
    return PlainTextResponse("OK")


async def _read_for_change(database: Database, actor: Actor, fulfillment_id: str) -> Fulfillment:
    actor.require(Right.FULFILL)  # before the lookup, so that the response reveals nothing without the right
    async with database.read() as session:
        fulfillment = await session.get(Fulfillment, fulfillment_id)
    return require_found(fulfillment, "Fulfillment", fulfillment_id)


async def _fulfillment_answer(
    database: Database, fulfillment_id: str, fields: Fields
) -> Wire[FulfillmentAnswer]:
    async with database.read() as session:
        fulfillment = await session.get_one(Fulfillment, fulfillment_id)
    return Wire({"fulfillment": fields.pick(fulfillment_wire(fulfillment))})


def _parse_object(raw: bytes) -> dict[str, Any]:
    """Return the request's body as an object; an empty one if the body is too large or is not a JSON object."""
    if len(raw) > MAX_BODY_BYTES:
        return {}
    try:
        body = read_json(raw)
    except ValueError:
        return {}
    return body if isinstance(body, dict) else {}
