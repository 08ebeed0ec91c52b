"""Push subscriptions of staff members: add, list and remove them."""

from collections.abc import Sequence

from sqlalchemy import delete, select, update
from sqlalchemy.ext.asyncio import AsyncSession

from backend.audit import Subject, SubjectType, record
from backend.core.db.tables import insert_row
from backend.core.errors import InvalidData, NotFound
from backend.core.events import subscribe
from backend.core.web.contact import is_plain_url
from backend.core.web.outside_post import MAX_URL_LENGTH
from backend.rate_limit.limiter import take_turns
from backend.staff.events import StaffPasswordChanged, StaffSessionReplaced, StaffSessionsEnded
from backend.staff.rights import Actor
from backend.staff_notices.push.models import PushSubscription

MAX_SUBSCRIPTIONS = 5
"""Browsers of a staff member. With another one, the oldest is removed."""


async def add_subscription(
    session: AsyncSession, actor: Actor, endpoint: str, p256dh: str, auth: str, *, device: str
) -> None:
    """Subscribe this browser to the actor's notices, instead of the staff member who got notices there before.

    If the actor has too many subscriptions, the oldest ones are removed.

    Raises:
        InvalidData: the endpoint is not an https URL, or the keys are invalid.
    """
    from backend.staff_notices.push.encryption import parse_browser_keys

    if len(endpoint) > MAX_URL_LENGTH or not is_plain_url(endpoint, {"https"}):
        raise InvalidData("The push service's address is not an https URL")
    parse_browser_keys(p256dh, auth)
    await take_turns(session, f"push {actor.id}")
    subject = Subject(SubjectType.STAFF, actor.id)
    await record(session, actor, "device added", subject, {"device": (None, device)})
    same = select(PushSubscription).where(PushSubscription.endpoint == endpoint)
    replaced = (await session.execute(same)).scalars().all()
    others = [row for row in await list_subscriptions(session, actor) if row.endpoint != endpoint]
    oldest = others[: max(0, len(others) - MAX_SUBSCRIPTIONS + 1)]
    for removed in (*(row for row in replaced if row.staff_id != actor.id), *oldest):
        member = Subject(SubjectType.STAFF, removed.staff_id)
        await record(session, actor, "device removed", member, {"device": (removed.device, None)})
    removed_ids = [row.id for row in (*replaced, *oldest)]
    await session.execute(delete(PushSubscription).where(PushSubscription.id.in_(removed_ids)))
    row = PushSubscription(
        staff_id=actor.id,
        endpoint=endpoint,
        p256dh=p256dh,
        auth=auth,
        session_id=actor.session_id,
        device=device,
    )
    await insert_row(session, row)  # not with the session: the audit must not contain its address and keys


async def remove_subscription(session: AsyncSession, actor: Actor, subscription_id: str) -> None:
    """Delete a push subscription of the actor.

    Raises:
        NotFound: the actor has no subscription with this id.
    """
    row = await session.get(PushSubscription, subscription_id)
    if row is None or row.staff_id != actor.id:
        raise NotFound("The device was not found")
    subject = Subject(SubjectType.STAFF, actor.id)
    await record(session, actor, "device removed", subject, {"device": (row.device, None)})
    await session.execute(delete(PushSubscription).where(PushSubscription.id == subscription_id))


async def list_subscriptions(session: AsyncSession, actor: Actor) -> Sequence[PushSubscription]:
    """Return the actor's push subscriptions, the oldest first."""
    query = select(PushSubscription).where(PushSubscription.staff_id == actor.id)
    ordered = query.order_by(PushSubscription.created_at, PushSubscription.id)
    return (await session.execute(ordered)).scalars().all()


@subscribe(StaffSessionsEnded)
async def remove_of_sessions(session: AsyncSession, event: StaffSessionsEnded) -> None:
    """Delete the subscriptions of browsers that were signed out: the next person there must see no notices."""
    await session.execute(delete(PushSubscription).where(PushSubscription.session_id.in_(event.session_ids)))


@subscribe(StaffSessionReplaced)
async def follow_session(session: AsyncSession, event: StaffSessionReplaced) -> None:
    """Keep a browser's subscription if the same staff member signs in there again.

    If another staff member signs in, delete the subscription.
    """
    same = PushSubscription.session_id == event.old_id
    await session.execute(delete(PushSubscription).where(same, PushSubscription.staff_id != event.staff_id))
    await session.execute(update(PushSubscription).where(same).values(session_id=event.new_id))


@subscribe(StaffPasswordChanged)
async def remove_all(session: AsyncSession, event: StaffPasswordChanged) -> None:
    """Delete all subscriptions of a staff member whose password was changed, because their sessions end too."""
    await session.execute(delete(PushSubscription).where(PushSubscription.staff_id == event.staff_id))
