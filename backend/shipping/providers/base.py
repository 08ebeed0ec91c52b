"""Interface of fulfillment providers, which calculate shipping prices, create labels and track shipments.

A provider does not depend on carts, orders or the database: its input is places, packages and a declared value.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from enum import StrEnum
from typing import ClassVar

from backend.core.db.tables import JsonObject
from backend.core.errors import NotAllowed, NotImplementedByProvider
from backend.core.money import Cop
from backend.core.texts import _
from backend.shipping.packages import Package

DEFAULT_DESCRIPTION = "Mercancía"
"""Description of the content of a shipment ("merchandise"): a shop may sell anything."""


@dataclass(frozen=True, slots=True)
class ShippingPlace:
    """Origin or destination of a shipment. `dane_code` has the carrier's eight digits."""

    dane_code: str
    address: str


@dataclass(frozen=True, slots=True)
class Contact:
    """A sender or recipient, with the address. Unknown fields are empty; the provider fills in those that it needs."""

    dane_code: str
    address: str
    first_name: str
    last_name: str
    email: str
    phone: str
    company: str = ""
    suburb: str = ""
    cross_street: str = ""
    reference: str = ""

    @property
    def shipping_place(self) -> ShippingPlace:
        """The municipality and the street, without the contact's name, e-mail address and phone number."""
        return ShippingPlace(self.dane_code, self.address)


@dataclass(frozen=True, slots=True)
class QuoteRequest:
    """Data that determine a shipping price. Concurrent equal requests share one quotation."""

    origin: ShippingPlace
    destination: ShippingPlace
    packages: tuple[Package, ...]
    content_value: Cop
    description: str = DEFAULT_DESCRIPTION


@dataclass(frozen=True, slots=True)
class Quote:
    """A shipping price.

    Attributes:
        is_fallback: no price was quoted, so this is the fixed price (spec: Errors).
        no_courier: the provider responded, but no courier ships to the destination.
    """

    amount: Cop
    is_fallback: bool = False
    carrier: str | None = None
    delivery_days: int | None = None
    data: JsonObject = field(default_factory=dict)
    no_courier: bool = False


@dataclass(frozen=True, slots=True)
class LabelRequest:
    """A label to create.

    Attributes:
        reference: the shop's reference, which is printed on the label and distinguishes labels of one order.
        pickup_date: the day when the packages are ready; None: the provider chooses it.
        max_price: maximum price of the label, in whole pesos; None: no limit.
    """

    reference: str
    origin: Contact
    destination: Contact
    packages: tuple[Package, ...]
    content_value: Cop
    description: str = DEFAULT_DESCRIPTION
    pickup_date: date | None = None
    max_price: Cop | None = None


IS_TEST_LABEL = "is_test"
"""Key in a label's `data`: true if no courier picks up its parcel."""


@dataclass(frozen=True, slots=True)
class Label:
    """The label of a shipment: its PDF or URL, and its numbers. A label for manual shipping may have none of them."""

    tracking_number: str | None = None
    carrier_order_id: int | None = None
    label_url: str | None = None
    label_pdf: bytes | None = None
    data: JsonObject = field(default_factory=dict)


class TrackingStage(StrEnum):
    """Progress of a shipment, in the shop's own stages. An `INCIDENT` may occur at any time, and be resolved."""

    AWAITING_PICKUP = "awaiting_pickup"
    COLLECTED = "collected"
    IN_TRANSIT = "in_transit"
    OUT_FOR_DELIVERY = "out_for_delivery"
    INCIDENT = "incident"
    DELIVERED = "delivered"
    RETURNED = "returned"
    CANCELED = "canceled"

    @property
    def is_final(self) -> bool:
        """True if no further stage follows."""
        return self in (TrackingStage.DELIVERED, TrackingStage.RETURNED, TrackingStage.CANCELED)

    @property
    def has_left(self) -> bool:
        """True if the shipment has certainly left the warehouse. For an incident this is unknown, so it is False."""
        return self not in (TrackingStage.AWAITING_PICKUP, TrackingStage.INCIDENT, TrackingStage.CANCELED)


@dataclass(frozen=True, slots=True)
class TrackingUpdate:
    """Progress of a shipment as reported by a provider. Times are UTC; missing data are None or empty."""

    stage: TrackingStage
    words: str = ""
    """The provider's own words, for staff and customers."""
    picked_up_at: datetime | None = None
    delivered_at: datetime | None = None
    expected_at: datetime | None = None
    received_by: str = ""


class LabelTooExpensive(NotAllowed):
    """The label costs more than its limit. It was not bought.

    Attributes:
        price: its price, in whole pesos.
        max_price: its limit, in whole pesos.
    """

    staff_text = _("Ahora cuesta todavía más. Mira el precio y decide otra vez.")

    def __init__(self, price: Cop, max_price: Cop) -> None:
        super().__init__(
            f"The label costs {price}, above the limit of {max_price}: it waits in attention for a decision by staff"
        )
        self.price = price
        self.max_price = max_price


class FulfillmentProvider(ABC):
    """A provider that ships parcels. Operations that it does not support raise `NotImplementedByProvider`."""

    id: ClassVar[str]
    can_calculate: ClassVar[bool]
    gives_numbers: ClassVar[bool] = True
    """True if its labels have numbers that identify them."""

    @abstractmethod
    async def calculate_price(self, request: QuoteRequest) -> Quote:
        """Return the current price of shipping. It must be fast, because a shopper waits for it.

        Raises:
            InvalidData: the carrier does not know the destination; the shopper has to correct it.
            NotImplementedByProvider: the provider calculates no prices (`can_calculate` is False).
            OutsideFailure: there is no price; the shop charges its fixed price.
        """

    @abstractmethod
    async def create_fulfillment(self, request: LabelRequest) -> Label:
        """Create a label. Not idempotent: a second call creates a second label.

        Raises:
            InvalidData: a package or a contact is not valid; `fields` has the parts to correct.
            LabelTooExpensive: the label costs more than `request.max_price`; it was not created.
            OutsideFailure: the label was not created.
            OutcomeUnknown: the label may have been created. The caller must look it up before it tries again.
        """

    @abstractmethod
    async def cancel_fulfillment(self, label: Label) -> None:
        """Cancel a label, and return only when it is certainly cancelled. Idempotent.

        Raises:
            OutsideFailure: the label is not cancelled.
            OutcomeUnknown: the label may have been cancelled.
        """

    async def close(self) -> None:  # noqa: B027 - most providers have nothing to stop
        """Stop background work and close connections, when the shop stops."""

    async def track(self, labels: Sequence[Label]) -> list[TrackingUpdate | None]:  # noqa: ARG002 - for those that do
        """Return the progress of these labels, in the given order; None for a label that the provider does not know.

        Raises:
            NotImplementedByProvider: the provider does not override this method, so it does not support tracking.
            OutsideFailure: there is no usable response.
        """
        raise NotImplementedByProvider(f"track is not implemented by {self.id}")


FulfillmentProviders = Mapping[str, FulfillmentProvider]
"""The providers that the shop uses, by id."""


def get_provider(providers: FulfillmentProviders, provider_id: str) -> FulfillmentProvider:
    """Return the fulfillment provider with this id.

    Raises:
        NotAllowed: the shop does not use this provider.
    """
    provider = providers.get(provider_id)
    if provider is None:
        raise NotAllowed(f"The shop does not use provider {provider_id}")
    return provider
