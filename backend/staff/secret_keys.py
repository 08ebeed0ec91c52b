"""Secret keys of API clients for the Admin API, each with the rights of a role (wire: commerce-api, Admin).

A key is sent as the user name of HTTP Basic, as in the platform's SDK. It never has the second factor, and cannot
create other keys. It is valid until it is revoked, or until the staff member who created it is disabled or no
longer an owner.
"""

import binascii
from base64 import b64decode
from collections.abc import Collection
from datetime import timedelta
from secrets import token_hex

from sqlalchemy import bindparam, select, update
from sqlalchemy.ext.asyncio import AsyncSession

from backend.audit import Subject, SubjectType, record
from backend.core.db.database import Database, db_now
from backend.core.db.tables import table_of
from backend.core.errors import NotAllowed
from backend.core.texts import _
from backend.core.web.passwords import hash_token
from backend.staff.models import SecretKey, Staff
from backend.staff.rights import Actor, Right, Role

PREFIX = "sk_"
LAST_USED_INTERVAL = timedelta(minutes=1)
NO_PERSON = "A secret key is made by a member of staff who is signed in, not by another key"

_KEY, _STAFF = table_of(SecretKey), table_of(Staff)
_BY_TOKEN = (
    select(
        _KEY.c.id,
        _KEY.c.role,
        (_KEY.c.last_used_at.is_(None) | (_KEY.c.last_used_at < db_now(-LAST_USED_INTERVAL))).label(
            "is_unseen"
        ),
    )
    .join(_STAFF, _STAFF.c.id == _KEY.c.created_by)
    .where(
        _KEY.c.token_hash == bindparam("token_hash"),
        _KEY.c.revoked_at.is_(None) | (_KEY.c.revoked_at > db_now()),
        _STAFF.c.disabled_at.is_(None),
        _STAFF.c.role == Role.OWNER,
    )
)


def parse_key(authorization: str) -> str:
    """Return the secret key of an `Authorization` header; empty if there is none.

    The header contains `Basic` and the key: either followed by a colon and encoded in base64, or as plain text.
    """
    scheme, _space, sent = authorization.partition(" ")
    if scheme.lower() != "basic":
        return ""
    sent = sent.strip()
    if not sent.startswith(PREFIX):
        try:
            sent = b64decode(sent, validate=True).decode()
        except (binascii.Error, UnicodeDecodeError, ValueError):
            return ""
    key = sent.partition(":")[0]
    return key if key.startswith(PREFIX) else ""


async def actor_of_key(database: Database, key: str) -> Actor | None:
    """Return the actor of a secret key; None if the key is unknown, revoked or no longer valid."""
    if not key:
        return None
    async with database.read() as session:
        row = (await session.execute(_BY_TOKEN, {"token_hash": hash_token(key)})).one_or_none()
    if row is None:
        return None
    if row.is_unseen:
        async with database.transaction() as session:
            await session.execute(update(_KEY).where(_KEY.c.id == row.id).values(last_used_at=db_now()))
    return Actor(row.id, Role(row.role), credential=row.id)


async def create_secret_key(
    session: AsyncSession, actor: Actor, title: str, role: Role
) -> tuple[SecretKey, str]:
    """Create a secret key with the rights of this role.

    Returns:
        The key, and its token, which cannot be read again.

    Raises:
        NotAllowed: the actor is not a staff member.
    """
    actor.require(Right.CHANGE_SETTINGS)
    if await session.get(Staff, actor.id) is None:
        raise NotAllowed(NO_PERSON)
    token = f"{PREFIX}{token_hex(32)}"
    key = SecretKey(
        token_hash=hash_token(token), redacted=redact(token), title=title, role=role, created_by=actor.id
    )
    await record(session, actor, "created", Subject(SubjectType.API_KEY, key.id))
    session.add(key)
    await session.flush()
    return key, token


async def key_names(session: AsyncSession, key_ids: Collection[str]) -> dict[str, str]:
    """Return the names of secret keys by id. Ids that are not those of a secret key are left out."""
    found = await session.execute(select(_KEY.c.id, _KEY.c.title).where(_KEY.c.id.in_(set(key_ids))))
    return {key_id: _("Llave {title}").format(title=title) for key_id, title in found}


def redact(token: str) -> str:
    """Return only the beginning and the end of a token, in the form that the platform uses to display keys."""
    return f"{token[:6]}***{token[-3:]}"
