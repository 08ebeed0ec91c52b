"""The table of copies that were made (`backend.operations.backup.backup`)."""

from datetime import datetime

from sqlalchemy import BigInteger
from sqlmodel import Field, SQLModel

from backend.core.db.database import UtcDateTime
from backend.core.ids import new_id


class Backup(SQLModel, table=True):
    """A copy of the shop that was made, for knowing how old the last one is. Where it lies is not noted."""

    __tablename__ = "backup"

    id: str = Field(default_factory=lambda: new_id("backup"), primary_key=True)
    made_at: datetime = Field(sa_type=UtcDateTime, index=True)
    """The moment that it shows, by the database's clock."""
    size: int = Field(sa_type=BigInteger)
    """Bytes."""
