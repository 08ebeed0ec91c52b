"""Staff, their browsers, the recovery codes of their second factor, keys of programs, and who is invited."""

from datetime import datetime

from sqlmodel import Field

from backend.core.clock import now
from backend.core.db.database import UtcDateTime
from backend.core.db.tables import Timestamps
from backend.core.ids import new_id, secret_id


class Staff(Timestamps, table=True):
    """Someone who works for the shop: in the office, and over the Admin API. The password is an argon2 hash."""

    __tablename__ = "staff"

    id: str = Field(default_factory=lambda: secret_id("user"), primary_key=True)
    email: str = Field(unique=True)
    password_hash: str
    role: str
    """See `backend.staff.rights.Role`."""
    disabled_at: datetime | None = Field(default=None, sa_type=UtcDateTime)
    token_epoch: int = 0
    """Bearer tokens of an earlier epoch are worth nothing: a new password ends them, and so does being disabled."""
    totp_secret: str | None = None
    """Of the second factor, encrypted; None without one. It is shown while it is set up and never again."""
    totp_pending: str | None = None
    """The encrypted secret of a second factor that is being set up: no code of it has been seen yet."""
    totp_last_step: int | None = None
    """The time step of the last code that was used: it and those before are used up."""
    totp_failures: int = 0
    """Wrong codes since the last right one."""


class StaffSession(Timestamps, table=True):
    """A browser that a member of staff is signed in with. Of the token, only the hash is stored."""

    __tablename__ = "staff_session"

    id: str = Field(default_factory=lambda: secret_id("staffses"), primary_key=True)
    token_hash: str = Field(unique=True)
    staff_id: str = Field(foreign_key="staff.id", index=True, ondelete="CASCADE")
    expires_at: datetime = Field(sa_type=UtcDateTime, index=True)
    last_seen_at: datetime = Field(default_factory=now, sa_type=UtcDateTime)
    second_factor_at: datetime | None = Field(default=None, sa_type=UtcDateTime)
    """When the second factor was proved in this session; None for password only."""
    revoked_at: datetime | None = Field(default=None, sa_type=UtcDateTime)
    user_agent: str = ""
    address: str = ""
    """The client's IP address at the sign-in."""
    token_chain: str = ""
    """The chain of the bearer token that the session was begun with; it ends with the session."""


class StaffRecoveryCode(Timestamps, table=True):
    """A code that proves the second factor once, for whoever has lost the telephone. A used one is deleted."""

    __tablename__ = "staff_recovery_code"

    code_hash: str = Field(primary_key=True)
    staff_id: str = Field(foreign_key="staff.id", index=True, ondelete="CASCADE")


class SecretKey(Timestamps, table=True):
    """A key by which a program uses the Admin API. Of the token, only the hash is stored: it is shown once."""

    __tablename__ = "secret_key"

    id: str = Field(default_factory=lambda: new_id("apk"), primary_key=True)
    token_hash: str = Field(unique=True)
    redacted: str
    """The beginning and the end of the token, by which people tell keys apart."""
    title: str
    role: str
    """What the program may: see `backend.staff.rights.Role`. It never has the second factor."""
    created_by: str = Field(foreign_key="staff.id", index=True)
    """The member of staff who made it. The key counts as long as this is an owner who is not disabled."""
    last_used_at: datetime | None = Field(default=None, sa_type=UtcDateTime)
    revoked_at: datetime | None = Field(default=None, sa_type=UtcDateTime)
    revoked_by: str | None = None


class StaffInvite(Timestamps, table=True):
    """Somebody who was asked by mail to work here, until they do. Of the token, only the hash is stored."""

    __tablename__ = "staff_invite"

    id: str = Field(default_factory=lambda: secret_id("invite"), primary_key=True)
    email: str = Field(unique=True)
    role: str
    invited_by: str
    """Who sent it last: the id of a member, or `command line`."""
    token_hash: str | None = Field(default=None, unique=True)
    """Of the link in the last mail that was written; None before the first."""
    expires_at: datetime | None = Field(default=None, sa_type=UtcDateTime)
    sent_at: datetime | None = Field(default=None, sa_type=UtcDateTime)
    """When the mail left; None while it is to be sent."""
