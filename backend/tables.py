"""What every table has in common, and the one place that knows them all (for migrations)."""

from datetime import datetime
from typing import Any

from sqlalchemy import JSON, MetaData
from sqlalchemy.dialects.postgresql import JSONB
from sqlmodel import Field, SQLModel

from backend.clock import now
from backend.database import UtcDateTime

# named constraints, so that a migration can drop what another one made
SQLModel.metadata.naming_convention = {
    "ix": "ix_%(table_name)s_%(column_0_N_name)s",
    "uq": "uq_%(table_name)s_%(column_0_N_name)s",
    "ck": "ck_%(table_name)s_%(constraint_name)s",
    "fk": "fk_%(table_name)s_%(column_0_N_name)s",
    "pk": "pk_%(table_name)s",
}

Json = JSON().with_variant(JSONB(), "postgresql")
"""A JSON column on both databases."""

JsonObject = dict[str, Any]


class Timestamps(SQLModel):
    """When a row was made and last changed."""

    created_at: datetime = Field(default_factory=now, sa_type=UtcDateTime, nullable=False)
    updated_at: datetime = Field(
        default_factory=now, sa_type=UtcDateTime, nullable=False, sa_column_kwargs={"onupdate": now}
    )


def all_tables() -> MetaData:
    """The metadata of every table of the shop, with every room's models imported."""
    import backend.attention.models
    import backend.cart.models
    import backend.catalog.models
    import backend.customers.models
    import backend.inventory.models
    import backend.jobs.models
    import backend.mail.models
    import backend.orders.models
    import backend.outbox.models
    import backend.payment.models
    import backend.sandbox.models
    import backend.shipping.models  # noqa: F401

    return SQLModel.metadata
