"""Mails about orders as the platform's notifications, with its feed: what was written, and whether it has left.

A mail's text is written when it is sent and not kept; what is kept is what kind it is, and of what.
"""

from datetime import datetime
from functools import partial
from typing import Annotated

from fastapi import APIRouter
from pydantic import Field
from sqlalchemy import ColumnElement, Select, false, func, select, union_all

from backend.audit import Thing
from backend.core.errors import require_found
from backend.edge.dependencies import Db, ShopSettings, Shown
from backend.edge.errors import REFUSALS
from backend.edge.query import in_order, mentions, met, one_of, paging, pick_each, read_query
from backend.edge.requests import WireRoute
from backend.edge.schemas import FilterParameters, Name
from backend.edge.wire import Wire, iso, stamps
from backend.jobs.models import Job
from backend.mail.answers import NotificationAnswer, NotificationOut, NotificationsAnswer
from backend.mail.models import SEND, Mail
from backend.mail.notification_feed import PREFIX, feed_of
from backend.orders.models import Fulfillment, Order
from backend.payment.models import Refund
from backend.returns.models import Return
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
SUBJECTS = union_all(
    select(Order.id.label("about"), Order.id.label("order_id")),
    select(Fulfillment.id, Fulfillment.order_id),
    select(Refund.id, Refund.order_id),
    select(Return.id, Return.order_id),
).subquery()
"""What a mail can be about, and of which order that is."""
SORTABLE = {"created_at": Mail.created_at}


class NotificationsParameters(FilterParameters):
    """Which mails."""

    id: list[Name] | None = None
    q: Name | None = Field(None, description="Part of the kind, which is called its template.")
    channel: list[Name] | None = None
    to: list[Annotated[str, Field(max_length=255)]] | None = Field(
        None, description="To whom; what is in the feed is to nobody: an empty text."
    )
    resource_id: list[Name] | None = Field(None, description="Of the orders that they are about.")


@router.get("/notifications")
async def list_notifications(
    actor: StaffMember,
    asked: Annotated[NotificationsParameters, read_query(NotificationsParameters)],
    database: Db,
    settings: ShopSettings,
) -> Wire[NotificationsAnswer]:
    """What was sent to buyers about their orders, packages, refunds and returns, newest first.

    Among them, or alone with `channel=feed`, the caller's own imports and exports of products that are done.
    """
    async with database.read() as session:
        feed = await feed_of(session, actor, settings.public_url)
    feed = [one for one in feed if _tells(asked, one)]
    order = in_order(asked.order, SORTABLE, [Mail.created_at.desc(), Mail.id.desc()])
    query = _mails().where(*met(asked, partial(_filters, actor=actor)))
    async with database.read() as session:
        count = (await session.execute(select(func.count()).select_from(query.subquery()))).scalar_one()
        # those of the feed are few: the page is cut out of what is left when all of them stood before it
        start = max(0, asked.offset - len(feed))
        page = query.order_by(*order).offset(start).limit(asked.offset + asked.limit - start)
        shown = [_wire(*row, actor=actor) for row in await session.execute(page)]
    is_turned = asked.order == "created_at"
    shown = sorted([*feed, *shown], key=lambda one: one["created_at"], reverse=not is_turned)
    shown = shown[asked.offset - start :][: asked.limit]
    orders = {one["resource_id"] for one in shown if one["channel"] == "email"}
    await count_reads(database, actor, Thing.ORDER, len(orders))
    return Wire({"notifications": pick_each(shown, asked), **paging(count + len(feed), asked)})


def _tells(asked: NotificationsParameters, entry: NotificationOut) -> bool:
    """Whether an entry of the feed was asked for."""
    wanted = (
        (entry["id"], asked.id),
        (entry["channel"], asked.channel),
        (entry["resource_id"], asked.resource_id),
        (entry["to"], asked.to),
    )
    if asked.any_of or asked.all_of or not all(values is None or own in values for own, values in wanted):
        return False
    return not asked.q or asked.q.casefold() in entry["template"]


def _filters(asked: NotificationsParameters, actor: Actor) -> list[ColumnElement[bool]]:
    conditions = one_of((Mail.id, asked.id), (Order.id, asked.resource_id), (Order.email, asked.to))
    conditions += mentions(asked.q, Mail.kind)
    if asked.channel is not None and "email" not in asked.channel:
        conditions.append(false())
    if asked.to is not None and not actor.may(Right.READ_CUSTOMERS):
        conditions.append(false())
    return conditions


@router.get("/notifications/{mail_id}")
async def read_notification(
    mail_id: str, actor: StaffMember, database: Db, settings: ShopSettings, fields: Shown
) -> Wire[NotificationAnswer]:
    """One of these."""
    if mail_id.startswith(PREFIX):
        async with database.read() as session:
            for entry in await feed_of(session, actor, settings.public_url):
                if entry["id"] == mail_id:
                    return Wire({"notification": fields.pick(entry)})
    async with database.read() as session:
        query = _mails().where(Mail.id == mail_id)
        found = (await session.execute(query)).one_or_none()
    found = require_found(found, "Notification", mail_id)
    await count_reads(database, actor, Thing.ORDER, 1)
    return Wire({"notification": fields.pick(_wire(*found, actor=actor))})


def _mails() -> Select[Mail, Order, datetime | None]:
    """Mails about orders, with their order and the job that sends them."""
    of_mail = (Job.kind == SEND) & (Job.key == Mail.id)
    return (
        select(Mail, Order, Job.failed_at)
        .join(SUBJECTS, SUBJECTS.c.about == Mail.about)
        .join(Order, Order.id == SUBJECTS.c.order_id)
        .outerjoin(Job, of_mail)
    )


def _wire(mail: Mail, order: Order, failed_at: datetime | None, *, actor: Actor) -> NotificationOut:
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
