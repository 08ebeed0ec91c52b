"""Admin API of returns (platform: returns). API clients draft returns and read them.

Staff decide on returns and pay refunds in the back office. No shipping provider collects goods from customers, so a
request to collect them is refused.
"""

from typing import Annotated

from fastapi import APIRouter
from sqlalchemy import ColumnElement
from sqlalchemy.ext.asyncio import AsyncSession

from backend.edge.dependencies import Db, RequestedFields
from backend.edge.errors import REFUSALS
from backend.edge.query import (
    Fields,
    in_clauses,
    moment_clauses,
    order_clauses,
    paging_fields,
    pick_each,
    read_page,
    read_query,
    where_clauses,
)
from backend.edge.requests import WireRoute
from backend.edge.schemas import Body, EmptyBody
from backend.edge.wire import Deleted, Wire
from backend.fulfillment.return_labels import refuse_return_label
from backend.orders.answers import OrderPreview
from backend.orders.service import read_order
from backend.orders.wire.orders import OrderView
from backend.orders.wire.staff import orders_for_staff
from backend.returns import drafts
from backend.returns.answers import (
    ReturnAnswer,
    ReturnOfOrder,
    ReturnPreview,
    ReturnsAnswer,
)
from backend.returns.drafts import Action, DraftItem, ItemChange, LineUnits, RequestData
from backend.returns.models import DraftStep, Return, ReturnDraft, ReturnKind
from backend.returns.requests import Remark
from backend.returns.schemas import (
    ArrivedChange,
    ArrivedItem,
    ArrivedItems,
    Confirmation,
    NewReturn,
    RequestChange,
    ReturnItem,
    ReturnItemChange,
    ReturnItems,
    ReturnShipping,
    ReturnsParameters,
)
from backend.returns.wire import (
    build_order_preview,
    draft_wire,
    has_any_status,
    read_return_wire,
    returns_wire,
)
from backend.staff.dependencies import StaffMember, require_staff_right
from backend.staff.rights import Actor, Right

router = APIRouter(
    prefix="/admin",
    route_class=WireRoute,
    tags=["admin: orders"],
    responses=REFUSALS,
    dependencies=require_staff_right(Right.READ_ORDERS),
)
SORTABLE = {"created_at": Return.created_at, "updated_at": Return.updated_at, "display_id": Return.number}


@router.get("/returns")
async def list_returns(
    parameters: Annotated[ReturnsParameters, read_query(ReturnsParameters)], database: Db
) -> Wire[ReturnsAnswer]:
    """List the returns that customers or staff requested, newest first. Drafts are not included."""

    def conditions(part: ReturnsParameters) -> list[ColumnElement[bool]]:
        found = moment_clauses(part, Return.created_at, Return.updated_at)
        found += in_clauses((Return.id, part.id), (Return.order_id, part.order_id))
        return [*found, has_any_status(part.status)] if part.status else found

    order = order_clauses(parameters.order, SORTABLE, [Return.created_at.desc(), Return.number.desc()])
    async with database.read() as session:
        found, count = await read_page(
            session, Return, where_clauses(parameters, conditions), order, parameters
        )
        return Wire(
            {
                "returns": pick_each(await returns_wire(session, found), parameters),
                **paging_fields(count, parameters),
            }
        )


@router.post("/returns")
async def begin_request(actor: StaffMember, body: NewReturn, database: Db) -> Wire[ReturnOfOrder]:
    """Create the draft of a return; confirming the draft requests the return.

    A body with `items` always gets 400, because no shipping provider collects goods.
    """
    async with database.transaction() as session:
        if body.items is not None:
            await refuse_return_label(session, actor, body.order_id)
        reason = join_notes(body.description, body.internal_note)
        parameters = RequestData(_get_kind(body) or ReturnKind.WITHDRAWAL, reason, body.location_id)
        draft = await drafts.begin_request(session, actor, body.order_id, parameters)
        shown = await draft_wire(session, draft)
        order = await _read_preview(session, actor, body.order_id, Fields())
    return Wire({"return": shown, "order": order})


@router.get("/returns/{return_id}")
async def read(return_id: str, database: Db, fields: RequestedFields) -> Wire[ReturnAnswer]:
    """Return the return, or its draft (`open`)."""
    async with database.read() as session:
        return Wire({"return": fields.pick(await read_return_wire(session, return_id))})


@router.post("/returns/{return_id}")
async def change_request(
    actor: StaffMember, return_id: str, body: RequestChange, database: Db
) -> Wire[ReturnPreview]:
    """Change the data of a drafted return request."""
    async with database.transaction() as session:
        draft = await drafts.change_request(session, actor, return_id, _get_kind(body), body.location_id)
        return await _draft_answer(session, actor, draft)


@router.post("/returns/{return_id}/shipping-method")
async def add_return_shipping(
    *,
    actor: StaffMember,
    return_id: str,
    body: ReturnShipping,  # noqa: ARG001 - no label can be created, whatever is requested
    database: Db,
) -> Wire[ReturnPreview]:
    """Refuse every request with 400: no shipping provider collects goods (spec: Errors, createReturnFulfillment)."""
    async with database.transaction() as session:
        order_id = await drafts.find_order_of_request(session, actor, return_id)
        await refuse_return_label(session, actor, order_id)


@router.post("/returns/{return_id}/request")
async def confirm_request(
    actor: StaffMember,
    return_id: str,
    database: Db,
    body: Confirmation | None = None,  # noqa: ARG001 - the customer is always notified
) -> Wire[ReturnPreview]:
    """Request the drafted return for the customer.

    The result is the same as when staff open a return in the back office.
    """
    async with database.transaction() as session:
        row = await drafts.confirm_request(session, actor, return_id)
        return await _confirmed_answer(session, actor, row)


@router.delete("/returns/{return_id}/request")
async def drop_request(actor: StaffMember, return_id: str, database: Db) -> Wire[Deleted]:
    """Delete the draft of a return request, so that no return is requested."""
    async with database.transaction() as session:
        await drafts.delete_draft(session, actor, return_id, DraftStep.REQUEST)
    return Wire({"id": return_id, "object": "return", "deleted": True})


@router.post("/returns/{return_id}/receive")
async def begin_receipt(
    actor: StaffMember,
    return_id: str,
    database: Db,
    body: EmptyBody | None = None,  # noqa: ARG001 - clients send an empty body
) -> Wire[ReturnOfOrder]:
    """Create the draft of a receipt: the list of the units that arrived."""
    async with database.transaction() as session:
        draft = await drafts.begin_receipt(session, actor, return_id)
        order = await _read_preview(session, actor, draft.order_id, Fields())
        return Wire({"return": await read_return_wire(session, return_id), "order": order})


@router.post("/returns/{return_id}/receive/confirm")
async def confirm_receipt(
    actor: StaffMember,
    return_id: str,
    database: Db,
    body: Confirmation | None = None,  # noqa: ARG001 - the customer is always notified
) -> Wire[ReturnPreview]:
    """Record that the drafted units arrived. Staff then decide on the refund in the back office."""
    async with database.transaction() as session:
        row = await drafts.confirm_receipt(session, actor, return_id)
        return await _confirmed_answer(session, actor, row)


@router.delete("/returns/{return_id}/receive")
async def drop_receipt(actor: StaffMember, return_id: str, database: Db) -> Wire[Deleted]:
    """Delete the draft of a receipt, so that no arrived units are recorded."""
    async with database.transaction() as session:
        await drafts.delete_draft(session, actor, return_id, DraftStep.RECEIVE)
    return Wire({"id": return_id, "object": "return", "deleted": True})


def _add_item_routes(items: str, action: Action, adds: type[Body], changes: type[Body], about: str) -> None:
    """Add the three routes that add items to a draft, change an item, and remove an item."""

    async def add(
        actor: StaffMember, return_id: str, body: ArrivedItems, database: Db
    ) -> Wire[ReturnPreview]:
        async with database.transaction() as session:
            added = [to_line_units(item) for item in body.items]
            return await _draft_answer(
                session, actor, await drafts.add_items(session, actor, return_id, action, added)
            )

    async def change(
        actor: StaffMember, return_id: str, action_id: str, body: ArrivedChange, database: Db
    ) -> Wire[ReturnPreview]:
        reason_id = body.reason_id if isinstance(body, ReturnItemChange) else None
        item_change, item = (
            ItemChange(body.quantity, reason_id, body.internal_note),
            DraftItem(return_id, action_id, action),
        )
        async with database.transaction() as session:
            return await _draft_answer(
                session, actor, await drafts.change_item(session, actor, item, item_change)
            )

    async def remove(actor: StaffMember, return_id: str, action_id: str, database: Db) -> Wire[ReturnPreview]:
        item = DraftItem(return_id, action_id, action)
        async with database.transaction() as session:
            return await _draft_answer(session, actor, await drafts.remove_item(session, actor, item))

    add.__annotations__["body"] = adds  # FastAPI reads the body's model from there
    change.__annotations__["body"] = changes
    path = f"/returns/{{return_id}}/{items}"
    of_one = f"{path}/{{action_id}}"
    router.post(path, description=f"Add units that {about}.")(add)
    router.post(of_one, description=f"Change how many units {about}.")(change)
    router.delete(of_one, description=f"Take out units that {about}.")(remove)


_add_item_routes("request-items", Action.RETURN, ReturnItems, ReturnItemChange, "are to come back")
_add_item_routes("receive-items", Action.ARRIVED, ArrivedItems, ArrivedChange, "arrived in good state")
_add_item_routes(
    "dismiss-items", Action.DAMAGED, ArrivedItems, ArrivedChange, "arrived damaged: they are not sold again"
)


def _get_kind(body: RequestChange) -> ReturnKind | None:
    return body.metadata.kind if body.metadata else None


def to_line_units(item: ArrivedItem) -> LineUnits:
    """Convert an item of a request body to units of a draft."""
    note = join_notes(item.description, item.internal_note)
    reason_id = item.reason_id if isinstance(item, ReturnItem) else None
    return LineUnits(item.id, item.quantity, Remark(reason_id, note))


def join_notes(description: str | None, internal_note: str | None) -> str:
    """Return the two notes of a request body as paragraphs of one text."""
    return "\n\n".join(filter(None, (description, internal_note)))


async def _read_preview(session: AsyncSession, actor: Actor, order_id: str, fields: Fields) -> OrderPreview:
    order = await read_order(session, order_id)
    (shown,) = await orders_for_staff(session, actor, [order], OrderView(fields, shows_products=True))
    return build_order_preview(shown, await drafts.find_draft_of_order(session, order_id))


async def _draft_answer(session: AsyncSession, actor: Actor, draft: ReturnDraft) -> Wire[ReturnPreview]:
    shown = await read_return_wire(session, draft.id)
    return Wire(
        {"return": shown, "order_preview": await _read_preview(session, actor, draft.order_id, Fields())}
    )


async def _confirmed_answer(session: AsyncSession, actor: Actor, row: Return) -> Wire[ReturnPreview]:
    (shown,) = await returns_wire(session, [row])
    return Wire(
        {"return": shown, "order_preview": await _read_preview(session, actor, row.order_id, Fields())}
    )
