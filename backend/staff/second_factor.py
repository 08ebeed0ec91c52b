"""The second factor: a code of six digits from a telephone (TOTP, RFC 6238), or a recovery code, each good once.

The secret is encrypted with a key that follows from SECRET_KEY. A code is good in its 30 seconds, in those before and
in those after. The step of the last one that was used is kept, so that none is used twice. Whoever guesses knows the
password already. They have 5 tries in a quarter of an hour and `MOST_FAILURES` in a row, each with 3 of a million codes
right: a chance of 60 in a million. After that, only a recovery code helps, or the command line.
"""

import hmac
import logging
import secrets
from base64 import b32encode, urlsafe_b64encode
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pyotp
from sqlalchemy import delete, func, select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.audit import Subject, Thing, record
from backend.core.clock import now
from backend.core.db.database import Database, locked
from backend.core.db.tables import get_or_404, table_of
from backend.core.errors import InvalidData, NotAllowed
from backend.core.texts import _
from backend.core.web.passwords import hash_of
from backend.core.web.signing import derive_key
from backend.rate_limit import limiter
from backend.rate_limit.limiter import Client, RateLimit
from backend.staff.models import Staff, StaffRecoveryCode
from backend.staff.rights import OFFICE, Actor, Right, SecondFactorMissing
from backend.staff.sessions import end_others, lower_session, raise_session

if TYPE_CHECKING:
    from cryptography.fernet import Fernet

log = logging.getLogger(__name__)

CODES = RateLimit("staff code", per_pair=5, per_client=20, per_subject=10)
MOST_FAILURES = 20
NO_SESSION = f"A bearer token never has the second factor: sign in at the office ({OFFICE})"
STEPS = (-1, 0, 1)
DIGITS = 6
RECOVERY_CODES = 10
RECOVERY_BYTES = 10
"""80 random bits: a fast hash of them is enough."""

_RECOVERY = table_of(StaffRecoveryCode)


class WrongCode(InvalidData):
    """The code is wrong, too old, or was used."""

    def __init__(self) -> None:
        super().__init__("Wrong code", fields={"code": _("Este código no sirve. Escribe el que ves ahora.")})


@dataclass(frozen=True, slots=True)
class Enrolment:
    """What a telephone needs to make codes; it is shown once."""

    secret: str
    uri: str
    """`otpauth://…`, which the QR code holds."""

    @property
    def qr(self) -> str:
        """The QR code to be scanned: an SVG picture as a `data:` address."""
        import segno  # for those who set up a second factor

        return segno.make(self.uri, error="m", micro=False).svg_data_uri(scale=4, border=2)


async def begin(database: Database, signing_key: str, actor: Actor, *, issuer: str) -> Enrolment:
    """Set up a second factor. It counts once a code of it was seen (`confirm`); until then, the one before does.

    Raises:
        SecondFactorMissing: there is one already, and this sign-in has not proved it.
        NotAllowed: there is no session.
    """
    if not actor.session_id:
        raise NotAllowed(NO_SESSION)
    secret = pyotp.random_base32()
    async with database.transaction() as session:
        staff = await _locked(session, actor.id)
        if staff.totp_secret is not None and not actor.has_second_factor:
            raise SecondFactorMissing(Right.CHANGE_STAFF)
        await record(session, actor, "second factor begun", Subject(Thing.STAFF, actor.id))
        staff.totp_pending = _fernet(signing_key).encrypt(secret.encode()).decode()
        await session.flush()
        uri = pyotp.TOTP(secret).provisioning_uri(name=staff.email, issuer_name=issuer)
    return Enrolment(secret, uri)


async def confirm(
    database: Database, signing_key: str, actor: Actor, code: str, *, client: Client
) -> tuple[str, list[str]]:
    """The telephone makes codes: from now on it is the second factor. The session has it, and every other one ends.

    Returns:
        The session's new token, and the recovery codes, which are shown this once.

    Raises:
        NotAllowed: nothing is being set up, or there is no session.
        WrongCode, TooManyRequests: see `prove`.
    """
    if not actor.session_id:
        raise NotAllowed(NO_SESSION)
    await limiter.hit(database, CODES, actor.id, client)
    codes = [b32encode(secrets.token_bytes(RECOVERY_BYTES)).decode() for _code in range(RECOVERY_CODES)]
    async with database.transaction() as session:
        staff = await _locked(session, actor.id)
        if staff.totp_pending is None:
            raise NotAllowed("No second factor is being set up")
        step = _step_of(_decrypted(signing_key, staff.totp_pending), code)
        if step is None:
            raise WrongCode
        await record(session, actor, "second factor set up", Subject(Thing.STAFF, actor.id))
        staff.totp_secret, staff.totp_pending = staff.totp_pending, None
        staff.totp_last_step, staff.totp_failures = step, 0
        await session.flush()
        await session.execute(delete(_RECOVERY).where(_RECOVERY.c.staff_id == actor.id))
        session.add_all(StaffRecoveryCode(code_hash=hash_of(one), staff_id=actor.id) for one in codes)
        await session.flush()
        await end_others(session, actor.id, actor.session_id)
        token = await raise_session(session, actor.session_id)
    await limiter.refund(database, CODES, actor.id, client)
    return token, codes


async def prove(database: Database, signing_key: str, actor: Actor, code: str, *, client: Client) -> str:
    """The session's member has the second factor: the session goes on with it, under a new token.

    Returns:
        The new token.

    Raises:
        WrongCode: the code is wrong or was used; or too many were wrong in a row, and only a recovery code helps.
        NotAllowed: there is no session.
        TooManyRequests: too many tries lately.
    """
    if not actor.session_id:
        raise NotAllowed(NO_SESSION)
    await limiter.hit(database, CODES, actor.id, client)
    async with database.transaction() as session:
        await record(session, actor, "second factor tried", Subject(Thing.STAFF, actor.id))
        is_right = await _use(session, signing_key, actor.id, code)
        token = await raise_session(session, actor.session_id) if is_right else ""
    if not token:  # raised out here, so that the wrong try stays counted
        raise WrongCode
    await limiter.refund(database, CODES, actor.id, client)
    return token


async def turn_off(database: Database, signing_key: str, actor: Actor, code: str, *, client: Client) -> None:
    """Do without a second factor from now on, by a code of it. Every other session of the member ends.

    Raises:
        WrongCode, NotAllowed, TooManyRequests: see `prove`.
    """
    if not actor.session_id:
        raise NotAllowed(NO_SESSION)
    await limiter.hit(database, CODES, actor.id, client)
    async with database.transaction() as session:
        await record(session, actor, "second factor tried", Subject(Thing.STAFF, actor.id))
        is_right = await _use(session, signing_key, actor.id, code)
        if is_right:
            await record(session, actor, "second factor turned off", Subject(Thing.STAFF, actor.id))
            await _take(session, actor.id)
            await end_others(session, actor.id, actor.session_id)
            await lower_session(session, actor.session_id)
    if not is_right:  # raised out here, so that the wrong try stays counted
        raise WrongCode
    await limiter.refund(database, CODES, actor.id, client)


async def reset(session: AsyncSession, actor: Actor, staff_id: str) -> None:
    """Take the second factor from somebody who has lost it. Their sessions end.

    Raises:
        Forbidden: the actor may not change staff.
        NotFound: there is no such member.
    """
    actor.require(Right.CHANGE_STAFF)
    await _locked(session, staff_id)
    await record(session, actor, "second factor taken", Subject(Thing.STAFF, staff_id))
    await _take(session, staff_id)
    await end_others(session, staff_id, "")


async def recovery_codes_left(session: AsyncSession, actor: Actor) -> int:
    """How many of the actor's own recovery codes were not used yet."""
    query = select(func.count()).select_from(_RECOVERY).where(_RECOVERY.c.staff_id == actor.id)
    return (await session.execute(query)).scalar_one()


async def _take(session: AsyncSession, staff_id: str) -> None:
    """Delete the second factor and its recovery codes."""
    staff = await _locked(session, staff_id)
    staff.totp_secret = staff.totp_pending = staff.totp_last_step = None
    staff.totp_failures = 0
    await session.flush()
    await session.execute(delete(_RECOVERY).where(_RECOVERY.c.staff_id == staff_id))


async def _use(session: AsyncSession, signing_key: str, staff_id: str, code: str) -> bool:
    """Whether the code is right; it is used up then. A wrong one is counted."""
    staff = await _locked(session, staff_id)
    typed = "".join(code.split()).replace("-", "").upper()
    if not (len(typed) == DIGITS and typed.isascii() and typed.isdigit()):
        gone = delete(_RECOVERY).where(
            _RECOVERY.c.code_hash == hash_of(typed), _RECOVERY.c.staff_id == staff_id
        )
        is_right = (await session.execute(gone.returning(_RECOVERY.c.code_hash))).first() is not None
    elif staff.totp_secret is None or staff.totp_failures >= MOST_FAILURES:
        is_right = False
    else:
        step = _step_of(_decrypted(signing_key, staff.totp_secret), typed)
        last = staff.totp_last_step
        is_right = step is not None and (last is None or step > last)
        if is_right:
            staff.totp_last_step = step
    staff.totp_failures = 0 if is_right else staff.totp_failures + 1
    await session.flush()
    return is_right


def _step_of(secret: str | None, code: str) -> int | None:
    """The time step that the code is of; None when it is of none that counts now."""
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


def _decrypted(signing_key: str, kept: str) -> str | None:
    """The secret; None when SECRET_KEY is another than it was."""
    from cryptography.fernet import InvalidToken

    try:
        return _fernet(signing_key).decrypt(kept).decode()
    except InvalidToken:
        log.warning("SECRET_KEY has changed: second factors must be set up anew (trompo admin totp reset)")
        return None


def _fernet(signing_key: str) -> "Fernet":
    """Return the cipher of stored secrets. The library is imported only when it is needed."""
    from cryptography.fernet import Fernet

    return Fernet(urlsafe_b64encode(derive_key(signing_key, "second factors")))


async def _locked(session: AsyncSession, staff_id: str) -> Staff:
    return await get_or_404(session, locked(select(Staff).where(Staff.id == staff_id)), "User", staff_id)
