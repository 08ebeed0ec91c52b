"""The tables of where and how the shop sells: regions, sales channels with their keys, shipping profiles."""

from datetime import datetime

from sqlalchemy import text
from sqlmodel import Field

from backend.core.db.database import UtcDateTime
from backend.core.db.tables import Json, JsonObject, Timestamps
from backend.core.ids import new_id


class Region(Timestamps, table=True):
    """Where the shop sells. One row: Colombia, COP (spec: What the service does 1)."""

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
    """The ways to pay that are offered here, by the providers' ids."""
    meta: JsonObject = Field(
        default_factory=dict, sa_type=Json, sa_column_kwargs={"server_default": text("'{}'")}
    )


class SalesChannel(Timestamps, table=True):
    """A way to sell; a stock location serves the channels it is linked to."""

    __tablename__ = "sales_channel"

    id: str = Field(default_factory=lambda: new_id("sc"), primary_key=True)
    name: str
    description: str | None = None
    meta: JsonObject = Field(
        default_factory=dict, sa_type=Json, sa_column_kwargs={"server_default": text("'{}'")}
    )


class ShippingProfile(Timestamps, table=True):
    """A group of products that ship alike. One: the default."""

    __tablename__ = "shipping_profile"

    id: str = Field(default_factory=lambda: new_id("sp"), primary_key=True)
    name: str
    type: str = "default"


class PublishableKey(Timestamps, table=True):
    """The public key that names a sales channel on Store API calls. It is no secret; `SecretKey` is of the staff."""

    __tablename__ = "publishable_key"

    token: str = Field(primary_key=True)
    sales_channel_id: str = Field(foreign_key="sales_channel.id")
    title: str = "Storefront"
    created_by: str | None = None
    """The id of the member of staff; None for the first one, which the shop makes by itself."""
    revoked_at: datetime | None = Field(default=None, sa_type=UtcDateTime)
    revoked_by: str | None = None

    @property
    def id(self) -> str:
        """The key's id on the wire: the beginning of its token."""
        return f"apk_{self.token[len('pk_') :][:26]}"
