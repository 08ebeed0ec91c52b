"""Tables of webhook endpoints, and of the deliveries of events to them."""

from datetime import datetime
from enum import StrEnum

from sqlalchemy import Index
from sqlmodel import Field, SQLModel

from backend.core.clock import now
from backend.core.db.database import UtcDateTime
from backend.core.db.tables import Json, JsonObject, Timestamps
from backend.core.ids import new_id


class WebhookEvent(StrEnum):
    """An event that is sent to other programs. Its value is the platform's name of the event."""

    ORDER_PLACED = "order.placed"
    ORDER_CANCELED = "order.canceled"
    PAYMENT_CAPTURED = "payment.captured"
    PAYMENT_REFUNDED = "payment.refunded"
    SHIPMENT_CREATED = "shipment.created"
    DELIVERY_CREATED = "delivery.created"
    PRODUCT_CREATED = "product.created"
    PRODUCT_UPDATED = "product.updated"
    PRODUCT_DELETED = "product.deleted"
    STOCK_UPDATED = "inventory-level.updated"


PING = "ping"
"""Event of a call that staff request to test an endpoint."""


class DeliveryState(StrEnum):
    """State of a delivery. `failed`: it is not tried again automatically."""

    WAITING = "waiting"
    DELIVERED = "delivered"
    FAILED = "failed"


class WebhookEndpoint(Timestamps, table=True):
    """A URL of another program that is called with events.

    All times are taken from the database's clock.
    """

    __tablename__ = "webhook_endpoint"

    id: str = Field(default_factory=lambda: new_id("hook"), primary_key=True)
    callback_url: str
    """A URL of the program; its path or query may be a secret of the program."""
    events: list[str] = Field(sa_type=Json)
    """The names of the events that it gets."""
    is_active: bool = True
    secret: str
    """Encrypted signing secret."""
    former_secret: str | None = None
    """Encrypted signing secret before the latest rotation."""
    former_secret_until: datetime | None = Field(default=None, sa_type=UtcDateTime)
    """End of the time in which calls are also signed with the former secret."""
    failures: int = 0
    """Number of consecutive runs of its job in which no delivery succeeded."""
    failing_since: datetime | None = Field(default=None, sa_type=UtcDateTime)
    """Time of the first of these failed runs."""
    paused_until: datetime | None = Field(default=None, sa_type=UtcDateTime)
    """End of the pause after the latest failure."""
    is_given_up: bool = False
    """True if the shop switched it off, because it failed for days."""
    created_by: str
    """Id of the staff member or secret key that added the endpoint."""


class WebhookDelivery(SQLModel, table=True):
    """The delivery of an event to one endpoint.

    `endpoint_id` is no foreign key, so that no sale waits for a deletion of the endpoint. The job deletes deliveries
    whose endpoint does not exist.
    """

    __tablename__ = "webhook_delivery"
    __table_args__ = (
        Index("ix_webhook_delivery_endpoint_id_created_at", "endpoint_id", "created_at", "id"),
        Index("ix_webhook_delivery_endpoint_id_next_try_at", "endpoint_id", "next_try_at"),
    )

    id: str = Field(default_factory=lambda: new_id("whdel"), primary_key=True)
    endpoint_id: str
    event_id: str
    """The id of the event, which is the same for every attempt and every endpoint."""
    event: str
    data: JsonObject = Field(default_factory=dict, sa_type=Json)
    created_at: datetime = Field(default_factory=now, sa_type=UtcDateTime, index=True)
    state: str = DeliveryState.WAITING
    attempts: int = 0
    next_try_at: datetime | None = Field(default=None, sa_type=UtcDateTime)
    """The earliest time of the next attempt; None if there is none."""
    tried_at: datetime | None = Field(default=None, sa_type=UtcDateTime)
    """Time of the latest attempt."""
    status: int | None = None
    """Status of the latest answer; None without an answer."""
    answer: str = ""
    """Beginning of the latest answer, without secrets, or the reason why there is none."""
