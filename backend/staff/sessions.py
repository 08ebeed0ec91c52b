"""Authentication of staff by a bearer token or by the cookie of a session. Every request looks them up in the database.

A session is an opaque random token in its own cookie; the database stores its hash. It ends after twelve hours,
when it is revoked, when the password changes, and when its owner is disabled.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from fastapi import Request
from sqlalchemy import bindparam, delete, select, update
from sqlalchemy.ext.asyncio import AsyncSession
from starlette.responses import Response

from backend.audit import Subject, SubjectType, record
from backend.core.config.settings import Settings
from backend.core.db.database import Database, database_now, db_now
from backend.core.db.tables import table_of
from backend.core.errors import NotFound, require_found
from backend.core.events import publish
from backend.core.web.passwords import hash_token, new_token
from backend.edge.auth.bearer_tokens import USER, TokenOwner, session_end
from backend.edge.auth.cookies import delete_cookie, read_cookie, set_cookie
from backend.edge.auth.revoked_tokens import is_revoked, revoke_chains
from backend.staff.events import StaffSessionReplaced, StaffSessionsEnded
from backend.staff.models import Staff, StaffRole, StaffSession
from backend.staff.rights import Actor, Right
from backend.staff.roles import to_custom_role

COOKIE = "trompo_staff"
LIFETIME = timedelta(hours=12)
RETENTION = timedelta(days=30)
"""Time for which a session's row is retained after it has expired."""
LAST_SEEN_INTERVAL = timedelta(minutes=1)
MAX_USER_AGENT = 300

_STAFF, _SESSION, _ROLE = table_of(Staff), table_of(StaffSession), table_of(StaffRole)
_ROLE_COLUMNS = (_ROLE.c.name.label("role_name"), _ROLE.c.rights.label("role_rights"))
_BY_TOKEN = (
    select(_STAFF.c.id, _STAFF.c.role, *_ROLE_COLUMNS)
    .select_from(_STAFF)
    .outerjoin(_ROLE, _ROLE.c.id == _STAFF.c.role)
    .where(
        _STAFF.c.id == bindparam("staff_id"),
        _STAFF.c.token_epoch == bindparam("epoch"),
        _STAFF.c.disabled_at.is_(None),
        ~is_revoked(),
    )
)
_OPEN = (_SESSION.c.revoked_at.is_(None), _SESSION.c.expires_at > db_now())
_BY_SESSION = (
    select(
        _STAFF.c.id,
        _STAFF.c.role,
        _SESSION.c.id.label("session_id"),
        _SESSION.c.second_factor_at,
        (_SESSION.c.last_seen_at < db_now(-LAST_SEEN_INTERVAL)).label("is_unseen"),
        *_ROLE_COLUMNS,
    )
    .select_from(_STAFF)
    .join(_SESSION, _SESSION.c.staff_id == _STAFF.c.id)
    .outerjoin(_ROLE, _ROLE.c.id == _STAFF.c.role)
    .where(_SESSION.c.token_hash == bindparam("token_hash"), _STAFF.c.disabled_at.is_(None), *_OPEN)
)


@dataclass(frozen=True, slots=True)
class SessionView:
    """A session of a staff member in a browser."""

    id: str
    email: str
    created_at: datetime
    last_seen_at: datetime
    expires_at: datetime
    has_second_factor: bool
    is_current: bool
    user_agent: str
    address: str


@dataclass(frozen=True, slots=True)
class Browser:
    """Browser of a request: its IP address, its user agent, and its current session token."""

    address: str
    user_agent: str = ""
    old_token: str = ""


async def actor_of_token(database: Database, owner: TokenOwner) -> Actor | None:
    """Return the staff member of this bearer token; None if the token is invalid or belongs to a customer.

    A bearer token never has the second factor.
    """
    if owner.type != USER:
        return None
    async with database.read() as session:
        params = {"staff_id": owner.id, "epoch": owner.epoch, "chain": owner.chain}
        found = await session.execute(_BY_TOKEN, params)
        row = found.one_or_none()
    if row is None:
        return None
    custom = to_custom_role(row.role_name, row.role_rights)
    return Actor(row.id, row.role, credential=owner.chain or owner.id, custom_role=custom)


async def actor_of_session(database: Database, token: str) -> Actor | None:
    """Return the staff member with this session token; None if the token is unknown, revoked or expired."""
    if not token:
        return None
    async with database.read() as session:
        row = (await session.execute(_BY_SESSION, {"token_hash": hash_token(token)})).one_or_none()
    if row is None:
        return None
    if row.is_unseen:
        async with database.transaction() as session:
            await session.execute(
                update(_SESSION).where(_SESSION.c.id == row.session_id).values(last_seen_at=db_now())
            )
    return Actor(
        row.id,
        row.role,
        row.second_factor_at is not None,
        row.session_id,
        row.session_id,
        to_custom_role(row.role_name, row.role_rights),
    )


async def open_session(
    session: AsyncSession,
    staff_id: str,
    browser: Browser,
    *,
    has_second_factor: bool,
    token_owner: TokenOwner | None = None,
) -> str:
    """Sign a browser in, always with a new token. The browser's old session ends.

    A session that was started with a bearer token (`token_owner`) ends at most twelve hours after the sign-in that
    issued this token. Closing the session revokes the token's chain.

    Returns:
        The token, only for the browser's cookie.
    """
    moment = await database_now(session)
    replaced = await _end(session, _SESSION.c.token_hash == hash_token(browser.old_token))
    await session.execute(delete(_SESSION).where(_SESSION.c.expires_at < db_now(-RETENTION)))
    token = new_token()
    opened = StaffSession(
        token_hash=hash_token(token),
        staff_id=staff_id,
        expires_at=session_end(moment, LIFETIME, token_owner),
        last_seen_at=moment,
        second_factor_at=moment if has_second_factor else None,
        user_agent=browser.user_agent[:MAX_USER_AGENT],
        address=browser.address,
        token_chain=token_owner.chain if token_owner else "",
    )
    session.add(opened)
    await session.flush()
    for old_id in replaced:
        await publish(session, StaffSessionReplaced(old_id, opened.id, staff_id))
    return token


async def mark_second_factor(session: AsyncSession, session_id: str) -> str:
    """Store that the session is signed in with the second factor, and give it a new token.

    Returns:
        The new token.
    """
    token = new_token()
    await session.execute(
        update(_SESSION)
        .where(_SESSION.c.id == session_id)
        .values(token_hash=hash_token(token), second_factor_at=db_now())
    )
    return token


async def clear_second_factor(session: AsyncSession, session_id: str) -> None:
    """Store that the session no longer has the second factor."""
    await session.execute(update(_SESSION).where(_SESSION.c.id == session_id).values(second_factor_at=None))


async def close_session(session: AsyncSession, token: str) -> None:
    """End the session with this token, so that its browser is signed out."""
    await _revoke(session, _SESSION.c.token_hash == hash_token(token))


async def end_all(session: AsyncSession, staff_id: str) -> None:
    """End all sessions and bearer tokens of a staff member immediately."""
    await session.execute(
        update(_STAFF).where(_STAFF.c.id == staff_id).values(token_epoch=_STAFF.c.token_epoch + 1)
    )
    await _revoke(session, _SESSION.c.staff_id == staff_id)


async def end_everywhere(session: AsyncSession, actor: Actor, staff_id: str) -> None:
    """Sign a staff member out of all browsers and API clients.

    Raises:
        Forbidden: it is not the actor's own account, and the actor may not change staff.
        NotFound: the staff member does not exist.
    """
    _require_own(actor, staff_id)
    require_found(await session.get(Staff, staff_id), "User", staff_id)
    await record(session, actor, "session ended", Subject(SubjectType.STAFF, staff_id))
    await end_all(session, staff_id)


async def end_others(session: AsyncSession, staff_id: str, session_id: str) -> None:
    """End all sessions of a staff member except the session `session_id`."""
    await _revoke(session, _SESSION.c.staff_id == staff_id, _SESSION.c.id != session_id)


async def sessions_of(session: AsyncSession, actor: Actor, staff_id: str) -> Sequence[SessionView]:
    """Return the open sessions of a staff member, most recently used first.

    Raises:
        Forbidden: it is not the actor's own account, and the actor may not change staff.
    """
    _require_own(actor, staff_id)
    rows = await session.execute(
        select(_SESSION, _STAFF.c.email)
        .join(_STAFF, _STAFF.c.id == _SESSION.c.staff_id)
        .where(_SESSION.c.staff_id == staff_id, *_OPEN)
        .order_by(_SESSION.c.last_seen_at.desc(), _SESSION.c.id)
    )
    return [
        SessionView(
            id=row.id,
            email=row.email,
            created_at=row.created_at,
            last_seen_at=row.last_seen_at,
            expires_at=row.expires_at,
            has_second_factor=row.second_factor_at is not None,
            is_current=row.id == actor.session_id,
            user_agent=row.user_agent,
            address=row.address,
        )
        for row in rows
    ]


async def revoke(session: AsyncSession, actor: Actor, session_id: str) -> None:
    """End one session of a staff member.

    Raises:
        NotFound: the session does not exist, or belongs to another staff member and the actor may not change staff.
    """
    found = await session.get(StaffSession, session_id)
    if found is None or not (found.staff_id == actor.id or actor.may(Right.CHANGE_STAFF)):
        raise NotFound(f"Session with id: {session_id} was not found")
    _require_own(actor, found.staff_id)
    await record(
        session,
        actor,
        "session ended",
        Subject(SubjectType.STAFF, found.staff_id),
        {"session": (session_id, None)},
    )
    await _revoke(session, _SESSION.c.id == session_id)


def _require_own(actor: Actor, staff_id: str) -> None:
    if actor.id != staff_id:
        actor.require(Right.CHANGE_STAFF)


async def _revoke(session: AsyncSession, *which: object) -> None:
    """End the open sessions that meet these conditions, and publish one event about them, if there are any."""
    if ended := await _end(session, *which):
        await publish(session, StaffSessionsEnded(ended))


async def _end(session: AsyncSession, *which: object) -> frozenset[str]:
    """End the open sessions that meet these conditions, and revoke the bearer tokens that started them.

    Return the ids of the ended sessions.
    """
    still = _SESSION.c.revoked_at.is_(None)
    ended = update(_SESSION).where(*which, still).values(revoked_at=db_now())  # type: ignore[arg-type]
    rows = (await session.execute(ended.returning(_SESSION.c.id, _SESSION.c.token_chain))).all()
    await revoke_chains(session, {row.token_chain for row in rows})
    return frozenset(row.id for row in rows)


def read_session_token(request: Request) -> str:
    """Return the session token of the request; empty if it has none."""
    return read_cookie(request.cookies, request.app.state.settings, COOKIE)


def set_session_cookie(response: Response, settings: Settings, token: str) -> None:
    """Set the cookie of the staff member's session to this token."""
    set_cookie(response, settings, COOKIE, token, seconds=int(LIFETIME.total_seconds()))


def clear_session_cookie(response: Response, settings: Settings) -> None:
    """Delete the cookie of the staff member's session."""
    delete_cookie(response, settings, COOKIE)
