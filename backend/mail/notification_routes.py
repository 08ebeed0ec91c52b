"""Routes of the commerce platform's notifications: mails about orders, and the dashboard's feed.

The text of a mail is not stored, so the routes return only its kind and subject.
"""

from datetime import datetime
from functools import partial
from typing import Annotated

from fastapi import APIRouter
from pydantic import Field
from sqlalchemy import ColumnElement, Select, false, func, select, union_all

from backend.audit import SubjectType
from backend.core.errors import require_found
from backend.edge.dependencies import Db, RequestedFields, ShopSettings
from backend.edge.errors import REFUSALS
from backend.edge.query import (
    in_clauses,
    order_clauses,
    paging_fields,
    pick_each,
    read_query,
    search_clauses,
    where_clauses,
)
from backend.edge.requests import WireRoute
from backend.edge.schemas import FilterParameters, Name
from backend.edge.wire import Wire, iso, stamps
from backend.jobs.models import Job
from backend.mail.answers import NotificationAnswer, NotificationOut, NotificationsAnswer
from backend.mail.models import SEND, Mail
from backend.mail.notification_feed import PREFIX, list_feed_entries
from backend.orders.models import Fulfillment, Order
from backend.payment.models import Refund
from backend.returns.models import Return
from backend.staff.bulk_reads import count_reads
from backend.staff.dependencies import StaffMember, require_staff_right
from backend.staff.rights import Actor, Right

router = APIRouter(
    prefix="/admin",
    route_class=WireRoute,
    tags=["admin: orders"],
    responses=REFUSALS,
    dependencies=require_staff_right(Right.READ_ORDERS),
)
SUBJECTS = union_all(
    select(Order.id.label("about"), Order.id.label("order_id")),
    select(Fulfillment.id, Fulfillment.order_id),
    select(Refund.id, Refund.order_id),
    select(Return.id, Return.order_id),
).subquery()
"""Possible subjects of a mail, each with the id of its order."""
SORTABLE = {"created_at": Mail.created_at}


class NotificationsParameters(FilterParameters):
    """Filters of the list of notifications."""

    id: list[Name] | None = None
    q: Name | None = Field(None, description="Part of the kind, which is called its template.")
    channel: list[Name] | None = None
    to: list[Annotated[str, Field(max_length=255)]] | None = Field(
        None, description="Recipients. Entries of the feed have none: an empty text."
    )
    resource_id: list[Name] | None = Field(None, description="Ids of the orders that the mails are about.")


@router.get("/notifications")
async def list_notifications(
    actor: StaffMember,
    params: Annotated[NotificationsParameters, read_query(NotificationsParameters)],
    database: Db,
    settings: ShopSettings,
) -> Wire[NotificationsAnswer]:
    """List the mails to customers about their orders, packages, refunds and returns, newest first.

    The list includes the caller's own finished product imports and exports; `channel=feed` returns only these.
    """
    async with database.read() as session:
        feed = await list_feed_entries(session, actor, settings.public_url)
    feed = [one for one in feed if _matches_filters(params, one)]
    order = order_clauses(params.order, SORTABLE, [Mail.created_at.desc(), Mail.id.desc()])
    query = _select_mails().where(*where_clauses(params, partial(_build_conditions, actor=actor)))
    async with database.read() as session:
        count = (await session.execute(select(func.count()).select_from(query.subquery()))).scalar_one()
        # the feed is short: read enough mails for the case that all its entries precede this page, then merge and slice
        start = max(0, params.offset - len(feed))
        page = query.order_by(*order).offset(start).limit(params.offset + params.limit - start)
        entries = [_notification_view(*row, actor=actor) for row in await session.execute(page)]
    is_turned = params.order == "created_at"
    entries = sorted([*feed, *entries], key=lambda one: one["created_at"], reverse=not is_turned)
    entries = entries[params.offset - start :][: params.limit]
    orders = {one["resource_id"] for one in entries if one["channel"] == "email"}
    await count_reads(database, actor, SubjectType.ORDER, len(orders))
    return Wire({"notifications": pick_each(entries, params), **paging_fields(count + len(feed), params)})


def _matches_filters(params: NotificationsParameters, entry: NotificationOut) -> bool:
    """Return True if the feed's entry matches the filters."""
    filters = (
        (entry["id"], params.id),
        (entry["channel"], params.channel),
        (entry["resource_id"], params.resource_id),
        (entry["to"], params.to),
    )
    if params.any_of or params.all_of or not all(values is None or own in values for own, values in filters):
        return False
    return not params.q or params.q.casefold() in entry["template"]


def _build_conditions(params: NotificationsParameters, actor: Actor) -> list[ColumnElement[bool]]:
    conditions = in_clauses((Mail.id, params.id), (Order.id, params.resource_id), (Order.email, params.to))
    conditions += search_clauses(params.q, Mail.kind)
    if params.channel is not None and "email" not in params.channel:
        conditions.append(false())
    if params.to is not None and not actor.may(Right.READ_CUSTOMERS):
        conditions.append(false())
    return conditions


@router.get("/notifications/{mail_id}")
async def read_notification(
    mail_id: str, actor: StaffMember, database: Db, settings: ShopSettings, fields: RequestedFields
) -> Wire[NotificationAnswer]:
    """Return a mail, or an entry of the feed."""
    if mail_id.startswith(PREFIX):
        async with database.read() as session:
            for entry in await list_feed_entries(session, actor, settings.public_url):
                if entry["id"] == mail_id:
                    return Wire({"notification": fields.pick(entry)})
    async with database.read() as session:
        query = _select_mails().where(Mail.id == mail_id)
        found = (await session.execute(query)).one_or_none()
    found = require_found(found, "Notification", mail_id)
    await count_reads(database, actor, SubjectType.ORDER, 1)
    return Wire({"notification": fields.pick(_notification_view(*found, actor=actor))})


def _select_mails() -> Select[Mail, Order, datetime | None]:
    """Return the query of mails about orders, each with its order and the time at which the shop gave up sending it."""
    of_mail = (Job.kind == SEND) & (Job.key == Mail.id)
    return (
        select(Mail, Order, Job.failed_at)
        .join(SUBJECTS, SUBJECTS.c.about == Mail.about)
        .join(Order, Order.id == SUBJECTS.c.order_id)
        .outerjoin(Job, of_mail)
    )


def _notification_view(
    mail: Mail, order: Order, failed_at: datetime | None, *, actor: Actor
) -> NotificationOut:
    is_lost = mail.sent_at is None and failed_at is not None
    return {
        "id": mail.id,
        "to": order.email if actor.may(Right.READ_CUSTOMERS) else None,
        "from": None,
        "channel": "email",
        "template": mail.kind,
        "data": {"about": mail.about, "sent_at": iso(mail.sent_at)},
        "content": None,
        "trigger_type": mail.kind,
        "resource_id": order.id,
        "resource_type": "order",
        "receiver_id": order.customer_id or order.guest_id,
        "original_notification_id": None,
        "idempotency_key": mail.id,
        "external_id": None,
        "provider_id": "smtp",
        "status": "success" if mail.sent_at else "failure" if is_lost else "pending",
        **stamps(mail.created_at, mail.updated_at),
        "deleted_at": None,
    }
