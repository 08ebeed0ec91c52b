"""Staff, the browsers they are signed in with, and the recovery codes of their second factor."""

from datetime import datetime

from sqlmodel import Field

from backend.clock import now
from backend.database import UtcDateTime
from backend.ids import secret_id
from backend.tables import Timestamps


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


class StaffRecoveryCode(Timestamps, table=True):
    """A code that proves the second factor once, for whoever has lost the telephone. A used one is deleted."""

    __tablename__ = "staff_recovery_code"

    code_hash: str = Field(primary_key=True)
    staff_id: str = Field(foreign_key="staff.id", index=True, ondelete="CASCADE")
