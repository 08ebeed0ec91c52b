"""Tables of regions, sales channels with their keys, and shipping profiles."""

from datetime import datetime

from sqlalchemy import text
from sqlmodel import Field

from backend.core.db.database import UtcDateTime
from backend.core.db.tables import Json, JsonObject, Timestamps
from backend.core.ids import new_id


class Region(Timestamps, table=True):
    """A region where the shop sells. There is one row: Colombia, COP (spec: What the service does 1)."""

    __tablename__ = "region"

    id: str = Field(default_factory=lambda: new_id("reg"), primary_key=True)
    name: str
    currency_code: str = "cop"
    country_code: str = "co"
    payment_providers: list[str] = Field(
        default_factory=lambda: ["gateway_pse"],
        sa_type=Json,
        sa_column_kwargs={"server_default": text("'[\"gateway_pse\"]'")},
    )
    """Ids of the payment providers that are offered here."""
    meta: JsonObject = Field(
        default_factory=dict, sa_type=Json, sa_column_kwargs={"server_default": text("'{}'")}
    )


class SalesChannel(Timestamps, table=True):
    """A sales channel. It sells the stock of the locations that are linked to it."""

    __tablename__ = "sales_channel"

    id: str = Field(default_factory=lambda: new_id("sc"), primary_key=True)
    name: str
    description: str | None = None
    meta: JsonObject = Field(
        default_factory=dict, sa_type=Json, sa_column_kwargs={"server_default": text("'{}'")}
    )


class ShippingProfile(Timestamps, table=True):
    """A group of products with the same shipping. There is only one, the default profile."""

    __tablename__ = "shipping_profile"

    id: str = Field(default_factory=lambda: new_id("sp"), primary_key=True)
    name: str
    type: str = "default"


class PublishableKey(Timestamps, table=True):
    """The public key by which Store API calls name their sales channel. Unlike a `SecretKey`, it is not secret."""

    __tablename__ = "publishable_key"

    token: str = Field(primary_key=True)
    sales_channel_id: str = Field(foreign_key="sales_channel.id")
    title: str = "Storefront"
    created_by: str | None = None
    """The staff member's id; None for the first key, which the shop creates itself."""
    revoked_at: datetime | None = Field(default=None, sa_type=UtcDateTime)
    revoked_by: str | None = None

    @property
    def id(self) -> str:
        """The key's id in the API, made of the first characters of its token."""
        return f"apk_{self.token[len('pk_') :][:26]}"
