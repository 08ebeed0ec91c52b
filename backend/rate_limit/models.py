"""Table of the rate limits' counters."""

from datetime import datetime
from typing import Any

from sqlalchemy import bindparam, case
from sqlmodel import Field, SQLModel

from backend.core.db.database import UtcDateTime
from backend.core.db.tables import table_of


class RateLimitCounter(SQLModel, table=True):
    """The tries of one window. `key` is a hash of the limit's kind and of whose tries these are."""

    __tablename__ = "rate_limit_counter"

    key: str = Field(primary_key=True)
    hits: int
    expires_at: datetime = Field(sa_type=UtcDateTime, index=True)


def add_to_counters(new: Any) -> Any:
    """Return the INSERT of counters as one that adds their hits to those that are open at `moment`, a parameter."""
    stored = table_of(RateLimitCounter).c
    is_over = stored.expires_at <= bindparam("moment", type_=UtcDateTime())
    return new.on_conflict_do_update(
        index_elements=["key"],
        set_={
            "hits": case((is_over, new.excluded.hits), else_=stored.hits + new.excluded.hits),
            "expires_at": case((is_over, new.excluded.expires_at), else_=stored.expires_at),
        },
    )
