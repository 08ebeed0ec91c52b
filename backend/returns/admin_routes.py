"""The Admin API of returns (platform: returns): what programs write of them, and what they read.

Returns are decided and paid in the office. Nothing fetches goods back: who asks for that is told so.
"""

from typing import Annotated

from fastapi import APIRouter
from sqlalchemy import ColumnElement
from sqlalchemy.ext.asyncio import AsyncSession

from backend.audit import Thing
from backend.edge.dependencies import Db, ShopSettings, Shown
from backend.edge.errors import REFUSALS
from backend.edge.query import Fields, in_order, met, moments, one_of, paging, pick_each, read_query, rows_of
from backend.edge.requests import WireRoute
from backend.edge.schemas import Body
from backend.edge.wire import Deleted, Wire
from backend.fulfillment.return_labels import request_return
from backend.orders.answers import OrderPreview
from backend.orders.service import read_order
from backend.orders.wire.orders import OrderView
from backend.orders.wire.staff import orders_for_staff
from backend.returns import drafts
from backend.returns.answers import (
    PreviewAnswer,
    ReturnAnswer,
    ReturnOfOrder,
    ReturnOut,
    ReturnPreview,
    ReturnsAnswer,
)
from backend.returns.drafts import Action, Asked, Item, ItemChange, Units
from backend.returns.models import DraftStep, Return, ReturnDraft, ReturnKind
from backend.returns.processing import read_return
from backend.returns.requests import Remark
from backend.returns.schemas import (
    ArrivedChange,
    ArrivedItem,
    ArrivedItems,
    Confirmation,
    NewReturn,
    NothingMore,
    RequestChange,
    ReturnItem,
    ReturnItemChange,
    ReturnItems,
    ReturnShipping,
    ReturnsParameters,
)
from backend.returns.wire import any_status, draft_wire, previewed, returns_wire
from backend.shipping.location_routes import Providers
from backend.staff.bulk_reads import count_reads
from backend.staff.dependencies import StaffMember, staff_who_may
from backend.staff.rights import Actor, Right

router = APIRouter(
    prefix="/admin",
    route_class=WireRoute,
    tags=["admin: orders"],
    responses=REFUSALS,
    dependencies=staff_who_may(Right.READ_ORDERS),
)
SORTABLE = {"created_at": Return.created_at, "updated_at": Return.updated_at, "display_id": Return.number}


@router.get("/orders/{order_id}/preview")
async def preview(actor: StaffMember, order_id: str, database: Db, fields: Shown) -> Wire[PreviewAnswer]:
    """The order as it would be after what programs are writing of it: a return (`order_change`), or nothing."""
    await count_reads(database, actor, Thing.ORDER, 1)
    async with database.read() as session:
        return Wire({"order": fields.pick(await _preview(session, actor, order_id, fields))})


@router.get("/returns")
async def list_returns(
    asked: Annotated[ReturnsParameters, read_query(ReturnsParameters)], database: Db
) -> Wire[ReturnsAnswer]:
    """The returns that were asked for, by buyers or by staff, newest first. Not those that are still being written."""

    def conditions(part: ReturnsParameters) -> list[ColumnElement[bool]]:
        found = moments(part, Return.created_at, Return.updated_at)
        found += one_of((Return.id, part.id), (Return.order_id, part.order_id))
        return [*found, any_status(part.status)] if part.status else found

    order = in_order(asked.order, SORTABLE, [Return.created_at.desc(), Return.number.desc()])
    async with database.read() as session:
        found, count = await rows_of(session, Return, met(asked, conditions), order, asked)
        return Wire({"returns": pick_each(await returns_wire(session, found), asked), **paging(count, asked)})


@router.post("/returns")
async def begin_request(
    *, actor: StaffMember, body: NewReturn, database: Db, settings: ShopSettings, providers: Providers
) -> Wire[ReturnOfOrder]:
    """Begin to write a return: it is asked for once it is confirmed. With `items` always 400: nothing fetches goods."""
    async with database.transaction() as session:
        if body.items is not None:
            await request_return(session, actor, settings, providers, body.order_id)
        said = "\n\n".join(filter(None, (body.description, body.internal_note)))
        asked = Asked(_kind(body) or ReturnKind.WITHDRAWAL, said, body.location_id)
        draft = await drafts.begin_request(session, actor, body.order_id, asked)
        shown = await draft_wire(session, draft)
        order = await _preview(session, actor, body.order_id, Fields())
    return Wire({"return": shown, "order": order})


@router.get("/returns/{return_id}")
async def read(return_id: str, database: Db, fields: Shown) -> Wire[ReturnAnswer]:
    """The return, also one that is still being written (`open`)."""
    async with database.read() as session:
        return Wire({"return": fields.pick(await _shown(session, return_id))})


@router.post("/returns/{return_id}")
async def change_request(
    actor: StaffMember, return_id: str, body: RequestChange, database: Db
) -> Wire[ReturnPreview]:
    """Change what is said of the request that is being written."""
    async with database.transaction() as session:
        draft = await drafts.change_request(session, actor, return_id, _kind(body), body.location_id)
        return await _answer(session, actor, draft)


@router.post("/returns/{return_id}/shipping-method")
async def add_return_shipping(
    *,
    actor: StaffMember,
    return_id: str,
    body: ReturnShipping,  # noqa: ARG001 - none is made, whichever is asked for
    database: Db,
    settings: ShopSettings,
    providers: Providers,
) -> Wire[ReturnPreview]:
    """Always 400: no provider fetches goods back (spec: Errors, createReturnFulfillment)."""
    async with database.transaction() as session:
        order_id = await drafts.order_of_request(session, actor, return_id)
        await request_return(session, actor, settings, providers, order_id)
        return await _answer(session, actor, await drafts.find_draft(session, return_id, DraftStep.REQUEST))


@router.post("/returns/{return_id}/request")
async def confirm_request(
    actor: StaffMember,
    return_id: str,
    database: Db,
    body: Confirmation | None = None,  # noqa: ARG001 - the buyer is always written to
) -> Wire[ReturnPreview]:
    """Ask for the return that was written, for its buyer: it is like one that the office opens."""
    async with database.transaction() as session:
        row = await drafts.confirm_request(session, actor, return_id)
        return await _confirmed(session, actor, row)


@router.delete("/returns/{return_id}/request")
async def drop_request(actor: StaffMember, return_id: str, database: Db) -> Wire[Deleted]:
    """Write no more of it; nothing was asked for."""
    async with database.transaction() as session:
        await drafts.drop(session, actor, return_id, DraftStep.REQUEST)
    return Wire({"id": return_id, "object": "return", "deleted": True})


@router.post("/returns/{return_id}/receive")
async def begin_receipt(
    actor: StaffMember,
    return_id: str,
    database: Db,
    body: NothingMore | None = None,  # noqa: ARG001 - it is only sent
) -> Wire[ReturnOfOrder]:
    """Begin to write what arrived of the return."""
    async with database.transaction() as session:
        draft = await drafts.begin_receipt(session, actor, return_id)
        order = await _preview(session, actor, draft.order_id, Fields())
        return Wire({"return": await _shown(session, return_id), "order": order})


@router.post("/returns/{return_id}/receive/confirm")
async def confirm_receipt(
    actor: StaffMember,
    return_id: str,
    database: Db,
    body: Confirmation | None = None,  # noqa: ARG001 - the buyer is always written to
) -> Wire[ReturnPreview]:
    """The units that were written arrived. The office decides then what goes back."""
    async with database.transaction() as session:
        row = await drafts.confirm_receipt(session, actor, return_id)
        return await _confirmed(session, actor, row)


@router.delete("/returns/{return_id}/receive")
async def drop_receipt(actor: StaffMember, return_id: str, database: Db) -> Wire[Deleted]:
    """Write no more of what arrived; nothing did."""
    async with database.transaction() as session:
        await drafts.drop(session, actor, return_id, DraftStep.RECEIVE)
    return Wire({"id": return_id, "object": "return", "deleted": True})


def _serve_items(items: str, action: Action, adds: type[Body], changes: type[Body], about: str) -> None:
    """The three routes that add such items to what is being written of a return, change one, and take one out."""

    async def add(
        actor: StaffMember, return_id: str, body: ArrivedItems, database: Db
    ) -> Wire[ReturnPreview]:
        async with database.transaction() as session:
            added = [_units(item) for item in body.items]
            return await _answer(
                session, actor, await drafts.add_items(session, actor, return_id, action, added)
            )

    async def change(
        actor: StaffMember, return_id: str, action_id: str, body: ArrivedChange, database: Db
    ) -> Wire[ReturnPreview]:
        reason_id = body.reason_id if isinstance(body, ReturnItemChange) else None
        said, item = (
            ItemChange(body.quantity, reason_id, body.internal_note),
            Item(return_id, action_id, action),
        )
        async with database.transaction() as session:
            return await _answer(session, actor, await drafts.change_item(session, actor, item, said))

    async def remove(actor: StaffMember, return_id: str, action_id: str, database: Db) -> Wire[ReturnPreview]:
        item = Item(return_id, action_id, action)
        async with database.transaction() as session:
            return await _answer(session, actor, await drafts.remove_item(session, actor, item))

    add.__annotations__["body"] = adds  # FastAPI reads the body's model from there
    change.__annotations__["body"] = changes
    path = f"/returns/{{return_id}}/{items}"
    of_one = f"{path}/{{action_id}}"
    router.post(path, description=f"Add units that {about}.")(add)
    router.post(of_one, description=f"Change how many units {about}.")(change)
    router.delete(of_one, description=f"Take out units that {about}.")(remove)


_serve_items("request-items", Action.RETURN, ReturnItems, ReturnItemChange, "are to come back")
_serve_items("receive-items", Action.ARRIVED, ArrivedItems, ArrivedChange, "arrived in good state")
_serve_items(
    "dismiss-items", Action.DAMAGED, ArrivedItems, ArrivedChange, "arrived damaged: they are not sold again"
)


def _kind(body: RequestChange) -> ReturnKind | None:
    return body.metadata.kind if body.metadata else None


def _units(item: ArrivedItem) -> Units:
    note = "\n\n".join(filter(None, (item.description, item.internal_note)))
    reason_id = item.reason_id if isinstance(item, ReturnItem) else None
    return Units(item.id, item.quantity, Remark(reason_id, note))


async def _shown(session: AsyncSession, return_id: str) -> ReturnOut:
    drafted = await session.get(ReturnDraft, return_id)
    if drafted is not None and drafted.step == DraftStep.REQUEST:
        return await draft_wire(session, drafted)
    (shown,) = await returns_wire(session, [await read_return(session, return_id)])
    return shown


async def _preview(session: AsyncSession, actor: Actor, order_id: str, fields: Fields) -> OrderPreview:
    order = await read_order(session, order_id)
    (shown,) = await orders_for_staff(session, actor, [order], OrderView(fields, shows_products=True))
    return previewed(shown, await drafts.draft_of_order(session, order_id))


async def _answer(session: AsyncSession, actor: Actor, draft: ReturnDraft) -> Wire[ReturnPreview]:
    shown = await _shown(session, draft.id)
    return Wire({"return": shown, "order_preview": await _preview(session, actor, draft.order_id, Fields())})


async def _confirmed(session: AsyncSession, actor: Actor, row: Return) -> Wire[ReturnPreview]:
    (shown,) = await returns_wire(session, [row])
    return Wire({"return": shown, "order_preview": await _preview(session, actor, row.order_id, Fields())})
