"""The table of backups (`backend.operations.backup.backup`)."""

from datetime import datetime

from sqlalchemy import BigInteger
from sqlmodel import Field, SQLModel

from backend.core.db.database import UtcDateTime
from backend.core.ids import new_id


class Backup(SQLModel, table=True):
    """A completed backup of the shop.

    `trompo doctor` checks the age of the newest one. The backup's location is not stored.
    """

    __tablename__ = "backup"

    id: str = Field(default_factory=lambda: new_id("backup"), primary_key=True)
    made_at: datetime = Field(sa_type=UtcDateTime, index=True)
    """The moment that the backup shows, by the database's clock."""
    size: int = Field(sa_type=BigInteger)
    """Size in bytes."""
