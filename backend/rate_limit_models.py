"""Table of the rate limits' counters."""

from datetime import datetime

from sqlmodel import Field, SQLModel

from backend.database import UtcDateTime


class RateLimitCounter(SQLModel, table=True):
    """The tries of one window. `key` is a hash of the limit's kind and of whose tries these are."""

    __tablename__ = "rate_limit_counter"

    key: str = Field(primary_key=True)
    hits: int
    expires_at: datetime = Field(sa_type=UtcDateTime, index=True)
