"""Tables of staff: members, custom roles, sessions, recovery codes, secret keys and invitations."""

from datetime import datetime

from sqlmodel import Field

from backend.core.clock import now
from backend.core.db.database import UtcDateTime
from backend.core.db.tables import Json, Timestamps
from backend.core.ids import new_id, secret_id


class Staff(Timestamps, table=True):
    """A staff member, who uses the back office and the Admin API. The password is stored as an argon2 hash."""

    __tablename__ = "staff"

    id: str = Field(default_factory=lambda: secret_id("user"), primary_key=True)
    email: str = Field(unique=True)
    password_hash: str
    role: str
    """The role: a `backend.staff.rights.Role`, or the id of a `StaffRole`."""
    disabled_at: datetime | None = Field(default=None, sa_type=UtcDateTime)
    token_epoch: int = 0
    """Bearer tokens of an earlier epoch are invalid. A new password or disabling the member increments it."""
    totp_secret: str | None = None
    """Encrypted secret of the second factor; None without one. It is only shown during the setup."""
    totp_pending: str | None = None
    """Encrypted secret of a second factor that is being set up and was not confirmed by a code yet."""
    totp_last_step: int | None = None
    """Time step of the newest used code. Codes of this and earlier steps are invalid."""
    totp_failures: int = 0
    """Number of wrong codes since the last right one."""


class StaffRole(Timestamps, table=True):
    """A custom role: the rights that the owner gives to some staff members."""

    __tablename__ = "staff_role"

    id: str = Field(default_factory=lambda: new_id("role"), primary_key=True)
    name: str
    name_key: str = Field(unique=True)
    """The normalized name, for comparison."""
    rights: list[str] = Field(default_factory=list, sa_type=Json)
    """Names of `backend.staff.rights.Right`."""


class StaffSession(Timestamps, table=True):
    """A browser in which a staff member is signed in. Only the token's hash is stored."""

    __tablename__ = "staff_session"

    id: str = Field(default_factory=lambda: secret_id("staffses"), primary_key=True)
    token_hash: str = Field(unique=True)
    staff_id: str = Field(foreign_key="staff.id", index=True, ondelete="CASCADE")
    expires_at: datetime = Field(sa_type=UtcDateTime, index=True)
    last_seen_at: datetime = Field(default_factory=now, sa_type=UtcDateTime)
    second_factor_at: datetime | None = Field(default=None, sa_type=UtcDateTime)
    """Moment when this session proved the second factor; None if it has only the password."""
    revoked_at: datetime | None = Field(default=None, sa_type=UtcDateTime)
    user_agent: str = ""
    address: str = ""
    """IP address of the client at the sign-in."""
    token_chain: str = ""
    """Chain of the bearer token that started the session; it is revoked with the session."""


class StaffRecoveryCode(Timestamps, table=True):
    """A code that replaces the second factor once, after the loss of the telephone. A used code is deleted."""

    __tablename__ = "staff_recovery_code"

    code_hash: str = Field(primary_key=True)
    staff_id: str = Field(foreign_key="staff.id", index=True, ondelete="CASCADE")


class SecretKey(Timestamps, table=True):
    """A secret key of an API client for the Admin API. Only the token's hash is stored: the token is shown once."""

    __tablename__ = "secret_key"

    id: str = Field(default_factory=lambda: new_id("apk"), primary_key=True)
    token_hash: str = Field(unique=True)
    redacted: str
    """The beginning and the end of the token, for display."""
    title: str
    role: str
    """Role of the API client: see `backend.staff.rights.Role`. A key never has the second factor."""
    created_by: str = Field(foreign_key="staff.id", index=True)
    """The staff member who created it. The key is valid as long as this member is an owner and not disabled."""
    last_used_at: datetime | None = Field(default=None, sa_type=UtcDateTime)
    revoked_at: datetime | None = Field(default=None, sa_type=UtcDateTime)
    revoked_by: str | None = None


class StaffInvite(Timestamps, table=True):
    """An invitation of a person by e-mail that was not accepted yet. Only the token's hash is stored."""

    __tablename__ = "staff_invite"

    id: str = Field(default_factory=lambda: secret_id("invite"), primary_key=True)
    email: str = Field(unique=True)
    role: str
    invited_by: str
    """The sender of the newest mail: id of a staff member, or `command line`."""
    token_hash: str | None = Field(default=None, unique=True)
    """Hash of the token in the newest mail; None before the first."""
    expires_at: datetime | None = Field(default=None, sa_type=UtcDateTime)
    sent_at: datetime | None = Field(default=None, sa_type=UtcDateTime)
    """Moment when the mail was sent; None before."""
