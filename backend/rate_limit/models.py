"""Table of the rate limit counters."""

from datetime import datetime
from typing import Any

from sqlalchemy import bindparam, case
from sqlmodel import Field, SQLModel

from backend.core.db.database import UtcDateTime
from backend.core.db.tables import table_of


class RateLimitCounter(SQLModel, table=True):
    """Number of tries in one window. `key` is a hash of the limit's kind and of the client, device or subject."""

    __tablename__ = "rate_limit_counter"

    key: str = Field(primary_key=True)
    hits: int
    expires_at: datetime = Field(sa_type=UtcDateTime, index=True)


def add_to_counters(new: Any) -> Any:
    """Turn the INSERT of counters into an upsert: hits are added to a stored counter if its window is open.

    The statement has a parameter `moment`, the current time. A counter whose window has ended by then starts a new
    window.
    """
    stored = table_of(RateLimitCounter).c
    is_over = stored.expires_at <= bindparam("moment", type_=UtcDateTime())
    return new.on_conflict_do_update(
        index_elements=["key"],
        set_={
            "hits": case((is_over, new.excluded.hits), else_=stored.hits + new.excluded.hits),
            "expires_at": case((is_over, new.excluded.expires_at), else_=stored.expires_at),
        },
    )
