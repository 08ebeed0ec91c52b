"""Staff and shoppers with an account."""

from sqlmodel import Field

from backend.ids import new_id
from backend.tables import Timestamps


class Staff(Timestamps, table=True):
    """Someone who may use the Admin API. The password is an argon2 hash."""

    __tablename__ = "staff"

    id: str = Field(default_factory=lambda: new_id("user"), primary_key=True)
    email: str = Field(unique=True)
    password_hash: str
