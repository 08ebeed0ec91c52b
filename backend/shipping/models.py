"""Tables of stock locations and shipping options."""

from datetime import datetime

from sqlalchemy import CheckConstraint
from sqlmodel import Field, SQLModel

from backend.core.db.database import UtcDateTime
from backend.core.db.tables import Json, JsonObject, Timestamps
from backend.core.ids import new_id
from backend.core.money import Cop

CALCULATED = "calculated"
"""Type of a price that the option's provider calculates live; all other prices are flat."""


class StockLocation(Timestamps, table=True):
    """A warehouse: the origin of packages."""

    __tablename__ = "stock_location"

    id: str = Field(default_factory=lambda: new_id("sloc"), primary_key=True)
    name: str
    address: JsonObject = Field(default_factory=dict, sa_type=Json)


class LocationSalesChannel(SQLModel, table=True):
    """A link: the location serves the sales channel."""

    __tablename__ = "location_sales_channel"

    location_id: str = Field(foreign_key="stock_location.id", primary_key=True, ondelete="CASCADE")
    sales_channel_id: str = Field(foreign_key="sales_channel.id", primary_key=True, ondelete="CASCADE")


class LocationFulfillmentProvider(SQLModel, table=True):
    """A link: the location ships with the provider."""

    __tablename__ = "location_fulfillment_provider"

    location_id: str = Field(foreign_key="stock_location.id", primary_key=True, ondelete="CASCADE")
    provider_id: str = Field(primary_key=True)


class ProviderSwitch(Timestamps, table=True):
    """The choice of staff to switch a provider on or off for the whole shop. A provider without a row is on."""

    __tablename__ = "fulfillment_provider"

    id: str = Field(primary_key=True)
    is_enabled: bool = True


class FulfillmentSet(Timestamps, table=True):
    """A kind of fulfillment that a location offers."""

    __tablename__ = "fulfillment_set"

    id: str = Field(default_factory=lambda: new_id("fuset"), primary_key=True)
    name: str
    type: str = "shipping"
    location_id: str = Field(foreign_key="stock_location.id", ondelete="CASCADE")


class ServiceZone(Timestamps, table=True):
    """The places to which a fulfillment set delivers (spec: Entities).

    They are whole countries (geo zones of the type `country`) or, with `municipality_codes`, municipalities of one
    country (type `city`).
    """

    __tablename__ = "service_zone"

    id: str = Field(default_factory=lambda: new_id("serzo"), primary_key=True)
    name: str
    fulfillment_set_id: str = Field(foreign_key="fulfillment_set.id", ondelete="CASCADE")
    country_codes: list[str] = Field(default_factory=lambda: ["co"], sa_type=Json)
    municipality_codes: list[str] = Field(default_factory=list, sa_type=Json)
    """Eight-digit codes of the municipalities; empty: the whole countries."""


class ShippingOption(Timestamps, table=True):
    """A shipping option that shoppers can choose. Its price is fixed (`amount`), or its provider calculates it."""

    __tablename__ = "shipping_option"
    __table_args__ = (
        CheckConstraint("price_type IN ('flat', 'calculated')", name="price_type"),
        CheckConstraint("price_type = 'calculated' OR amount IS NOT NULL", name="amount"),
    )

    id: str = Field(default_factory=lambda: new_id("so"), primary_key=True)
    name: str
    price_type: str
    provider_id: str
    service_zone_id: str = Field(foreign_key="service_zone.id", ondelete="CASCADE")
    shipping_profile_id: str = Field(foreign_key="shipping_profile.id")
    amount: Cop | None = None
    data: JsonObject = Field(default_factory=dict, sa_type=Json)
    meta: JsonObject = Field(default_factory=dict, sa_type=Json)
    deleted_at: datetime | None = Field(default=None, sa_type=UtcDateTime)
