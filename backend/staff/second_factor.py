"""The second factor: a six-digit code from a telephone (TOTP, RFC 6238), or a recovery code; each is valid once.

The secret is encrypted with a key derived from SECRET_KEY. A code is valid for its 30 seconds, and for the 30
seconds before and after. The time step of the newest used code is stored, so that no code is used twice. An
attacker who knows the password has 5 attempts per quarter of an hour, and at most `MAX_FAILURES` wrong attempts in
a row. As 3 of a million codes are valid at a time, the chance to guess one is 60 in a million. After `MAX_FAILURES`
wrong attempts, only a recovery code or the command line gives access.
"""

import hmac
import logging
import secrets
from base64 import b32encode
from dataclasses import dataclass

import pyotp
from sqlalchemy import delete, func, select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.audit import Subject, SubjectType, record
from backend.core.clock import now
from backend.core.db.database import Database, lock_rows
from backend.core.db.tables import get_or_404, table_of
from backend.core.errors import InvalidData, NotAllowed
from backend.core.texts import _
from backend.core.web.encryption import decrypt, encrypt
from backend.core.web.passwords import hash_token
from backend.rate_limit import limiter
from backend.rate_limit.limiter import Client, RateLimit
from backend.staff.models import Staff, StaffRecoveryCode
from backend.staff.rights import OFFICE, Actor, Right, SecondFactorMissing
from backend.staff.sessions import clear_second_factor, end_others, mark_second_factor

log = logging.getLogger(__name__)

CODES = RateLimit("staff code", per_pair=5, per_client=20, per_subject=10)
PURPOSE = "second factors"
"""Purpose of the key that encrypts the secrets."""
MAX_FAILURES = 20
NO_SESSION = f"A bearer token never has the second factor: sign in at the office ({OFFICE})"
STEPS = (-1, 0, 1)
DIGITS = 6
RECOVERY_CODES = 10
RECOVERY_BYTES = 10
"""Number of random bytes of a recovery code. A code has 80 random bits, so a fast hash is enough to store it safely."""

_RECOVERY = table_of(StaffRecoveryCode)


class WrongCode(InvalidData):
    """The code is wrong, expired or already used."""

    def __init__(self) -> None:
        super().__init__("Wrong code", fields={"code": _("Este código no sirve. Escribe el que ves ahora.")})


@dataclass(frozen=True, slots=True)
class Enrolment:
    """Data with which an app on the telephone generates codes. They are shown only once."""

    secret: str
    uri: str
    """`otpauth://…`, the content of the QR code."""

    @property
    def qr(self) -> str:
        """QR code to scan: an SVG picture as a `data:` URL."""
        import segno  # imported only when a second factor is set up

        return segno.make(self.uri, error="m", micro=False).svg_data_uri(scale=4, border=2)


async def begin(database: Database, signing_key: str, actor: Actor, *, issuer: str) -> Enrolment:
    """Start to set up a second factor. It replaces the current factor when `confirm` accepts its first code.

    Raises:
        SecondFactorMissing: the actor has a second factor already, and signed in without it.
        NotAllowed: the actor has no session.
    """
    if not actor.session_id:
        raise NotAllowed(NO_SESSION)
    secret = pyotp.random_base32()
    async with database.transaction() as session:
        staff = await _lock_staff(session, actor.id)
        if staff.totp_secret is not None and not actor.has_second_factor:
            raise SecondFactorMissing(Right.CHANGE_STAFF)
        await record(session, actor, "second factor begun", Subject(SubjectType.STAFF, actor.id))
        staff.totp_pending = encrypt(signing_key, PURPOSE, secret)
        await session.flush()
        uri = pyotp.TOTP(secret).provisioning_uri(name=staff.email, issuer_name=issuer)
    return Enrolment(secret, uri)


async def confirm(
    database: Database, signing_key: str, actor: Actor, code: str, *, client: Client
) -> tuple[str, list[str]]:
    """Activate the new second factor with its first code.

    This session is then signed in with it; all other sessions end.

    Returns:
        The session's new token, and the recovery codes, which are shown once.

    Raises:
        NotAllowed: no second factor is being set up, or the actor has no session.
        WrongCode, TooManyRequests: see `prove`.
    """
    if not actor.session_id:
        raise NotAllowed(NO_SESSION)
    await limiter.hit(database, CODES, actor.id, client)
    codes = [b32encode(secrets.token_bytes(RECOVERY_BYTES)).decode() for _code in range(RECOVERY_CODES)]
    async with database.transaction() as session:
        staff = await _lock_staff(session, actor.id)
        if staff.totp_pending is None:
            raise NotAllowed("No second factor is being set up")
        step = _find_step(_decrypt(signing_key, staff.totp_pending), code)
        if step is None:
            raise WrongCode
        await record(session, actor, "second factor set up", Subject(SubjectType.STAFF, actor.id))
        staff.totp_secret, staff.totp_pending = staff.totp_pending, None
        staff.totp_last_step, staff.totp_failures = step, 0
        await session.flush()
        await session.execute(delete(_RECOVERY).where(_RECOVERY.c.staff_id == actor.id))
        session.add_all(StaffRecoveryCode(code_hash=hash_token(one), staff_id=actor.id) for one in codes)
        await session.flush()
        await end_others(session, actor.id, actor.session_id)
        token = await mark_second_factor(session, actor.session_id)
    await limiter.refund(database, CODES, actor.id, client)
    return token, codes


async def prove(database: Database, signing_key: str, actor: Actor, code: str, *, client: Client) -> str:
    """Check a code of the second factor for the session. If it is right, the session continues with a new token.

    Returns:
        The new token.

    Raises:
        WrongCode: the code is wrong or was used. After `MAX_FAILURES` wrong codes in a row, only a recovery code is
            accepted.
        NotAllowed: the actor has no session.
        TooManyRequests: too many recent attempts.
    """
    if not actor.session_id:
        raise NotAllowed(NO_SESSION)
    await limiter.hit(database, CODES, actor.id, client)
    async with database.transaction() as session:
        await record(session, actor, "second factor tried", Subject(SubjectType.STAFF, actor.id))
        is_right = await _use_code(session, signing_key, actor.id, code)
        token = await mark_second_factor(session, actor.session_id) if is_right else ""
    if not token:  # raised after the commit, so that the wrong attempt stays counted
        raise WrongCode
    await limiter.refund(database, CODES, actor.id, client)
    return token


async def turn_off(database: Database, signing_key: str, actor: Actor, code: str, *, client: Client) -> None:
    """Delete the second factor after checking one of its codes. All other sessions of the staff member end.

    Raises:
        WrongCode, NotAllowed, TooManyRequests: see `prove`.
    """
    if not actor.session_id:
        raise NotAllowed(NO_SESSION)
    await limiter.hit(database, CODES, actor.id, client)
    async with database.transaction() as session:
        await record(session, actor, "second factor tried", Subject(SubjectType.STAFF, actor.id))
        is_right = await _use_code(session, signing_key, actor.id, code)
        if is_right:
            await record(session, actor, "second factor turned off", Subject(SubjectType.STAFF, actor.id))
            await _delete_factor(session, actor.id)
            await end_others(session, actor.id, actor.session_id)
            await clear_second_factor(session, actor.session_id)
    if not is_right:  # raised after the commit, so that the wrong attempt stays counted
        raise WrongCode
    await limiter.refund(database, CODES, actor.id, client)


async def reset(session: AsyncSession, actor: Actor, staff_id: str) -> None:
    """Delete the second factor of a staff member who has lost the telephone. Their sessions end.

    Raises:
        Forbidden: the actor may not change staff.
        NotFound: the staff member does not exist.
    """
    actor.require(Right.CHANGE_STAFF)
    await _lock_staff(session, staff_id)
    await record(session, actor, "second factor taken", Subject(SubjectType.STAFF, staff_id))
    await _delete_factor(session, staff_id)
    await end_others(session, staff_id, "")


async def recovery_codes_left(session: AsyncSession, actor: Actor) -> int:
    """Count the actor's unused recovery codes."""
    query = select(func.count()).select_from(_RECOVERY).where(_RECOVERY.c.staff_id == actor.id)
    return (await session.execute(query)).scalar_one()


async def _delete_factor(session: AsyncSession, staff_id: str) -> None:
    """Delete a staff member's second factor and its recovery codes."""
    staff = await _lock_staff(session, staff_id)
    staff.totp_secret = staff.totp_pending = staff.totp_last_step = None
    staff.totp_failures = 0
    await session.flush()
    await session.execute(delete(_RECOVERY).where(_RECOVERY.c.staff_id == staff_id))


async def _use_code(session: AsyncSession, signing_key: str, staff_id: str, code: str) -> bool:
    """Return True if the code is right, and mark it as used. Count a wrong code."""
    staff = await _lock_staff(session, staff_id)
    typed = "".join(code.split()).replace("-", "").upper()
    if not (len(typed) == DIGITS and typed.isascii() and typed.isdigit()):
        gone = delete(_RECOVERY).where(
            _RECOVERY.c.code_hash == hash_token(typed), _RECOVERY.c.staff_id == staff_id
        )
        is_right = (await session.execute(gone.returning(_RECOVERY.c.code_hash))).first() is not None
    elif staff.totp_secret is None or staff.totp_failures >= MAX_FAILURES:
        is_right = False
    else:
        step = _find_step(_decrypt(signing_key, staff.totp_secret), typed)
        last = staff.totp_last_step
        is_right = step is not None and (last is None or step > last)
        if is_right:
            staff.totp_last_step = step
    staff.totp_failures = 0 if is_right else staff.totp_failures + 1
    await session.flush()
    return is_right


def _find_step(secret: str | None, code: str) -> int | None:
    """Return the TOTP time step to which the code belongs; None if the code is not valid now."""
    if secret is None:
        return None
    totp = pyotp.TOTP(secret)
    current = totp.timecode(now())
    typed = code.strip().encode()
    right = [
        current + offset
        for offset in STEPS
        if hmac.compare_digest(totp.generate_otp(current + offset).encode(), typed)
    ]
    return right[0] if right else None


def _decrypt(signing_key: str, encrypted: str) -> str | None:
    """Return the decrypted secret of a second factor; None if SECRET_KEY has changed since."""
    secret = decrypt(signing_key, PURPOSE, encrypted)
    if secret is None:
        log.warning("SECRET_KEY has changed: second factors must be set up again (trompo admin totp reset)")
    return secret


async def _lock_staff(session: AsyncSession, staff_id: str) -> Staff:
    return await get_or_404(session, lock_rows(select(Staff).where(Staff.id == staff_id)), "User", staff_id)
