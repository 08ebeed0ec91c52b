"""The port of fulfillment providers: whoever prices shipping, makes labels and tracks them.

A provider knows nothing of carts, orders or the database: it gets places, packages and a value.
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


@dataclass(frozen=True, slots=True)
class Place:
    """Where a shipment starts or ends. `dane_code` has the carrier's eight digits."""

    dane_code: str
    address: str


@dataclass(frozen=True, slots=True)
class Contact:
    """A place and who sends or receives there. What is unknown stays empty: the provider fills what it must."""

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
    def place(self) -> Place:
        """The place alone."""
        return Place(self.dane_code, self.address)


@dataclass(frozen=True, slots=True)
class QuoteRequest:
    """What a price depends on. Equal requests are one question."""

    origin: Place
    destination: Place
    packages: tuple[Package, ...]
    content_value: Cop
    description: str = "Juguetes"


@dataclass(frozen=True, slots=True)
class Quote:
    """A price.

    Attributes:
        is_fallback: nobody quoted, so the fixed price stands in (spec: Errors).
        no_courier: the provider answered, and no courier offered to go there.
    """

    amount: Cop
    is_fallback: bool = False
    carrier: str | None = None
    delivery_days: int | None = None
    data: JsonObject = field(default_factory=dict)
    no_courier: bool = False


@dataclass(frozen=True, slots=True)
class LabelRequest:
    """A label to make. `reference` is ours and printed on it; it tells labels of one order apart.

    `pickup_date` is when the packages are ready; None lets the provider say. `max_price` is the most that the label
    may cost, in whole pesos; None sets no limit.
    """

    reference: str
    origin: Contact
    destination: Contact
    packages: tuple[Package, ...]
    content_value: Cop
    description: str = "Juguetes"
    pickup_date: date | None = None
    max_price: Cop | None = None


@dataclass(frozen=True, slots=True)
class Label:
    """The document that packages travel with, and its numbers. One that was made by hand may have none."""

    tracking_number: str | None = None
    carrier_order_id: int | None = None
    label_url: str | None = None
    label_pdf: bytes | None = None
    data: JsonObject = field(default_factory=dict)


class TrackingStage(StrEnum):
    """How far a shipment is, in the shop's words. `INCIDENT` may come at any moment, and pass again."""

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
        """Whether nothing more will come."""
        return self in (TrackingStage.DELIVERED, TrackingStage.RETURNED, TrackingStage.CANCELED)

    @property
    def has_left(self) -> bool:
        """Whether it must have left the warehouse. After an incident nobody can say."""
        return self not in (TrackingStage.AWAITING_PICKUP, TrackingStage.INCIDENT, TrackingStage.CANCELED)


@dataclass(frozen=True, slots=True)
class TrackingUpdate:
    """Where a provider says that a shipment is. Times are UTC; what it did not say is None or empty."""

    stage: TrackingStage
    words: str = ""
    """The provider's own, for people to read."""
    picked_up_at: datetime | None = None
    delivered_at: datetime | None = None
    expected_at: datetime | None = None
    received_by: str = ""


class LabelTooExpensive(NotAllowed):
    """The label costs more than it may. None was bought.

    Attributes:
        price: what it costs, in whole pesos.
    """

    staff_text = _("Ahora cuesta todavía más. Mira el precio y decide otra vez.")

    def __init__(self, price: Cop, max_price: Cop) -> None:
        super().__init__(
            f"The label costs {price} and may cost {max_price}: it waits in attention for a person's decision"
        )
        self.price = price


class FulfillmentProvider(ABC):
    """A way to ship. What it does not offer raises `NotImplementedByProvider`."""

    id: ClassVar[str]
    can_calculate: ClassVar[bool]
    gives_numbers: ClassVar[bool] = True
    """Whether its labels have numbers, by which it knows them again."""

    @abstractmethod
    async def calculate_price(self, request: QuoteRequest) -> Quote:
        """The price of shipping now.

        Raises:
            NotImplementedByProvider: the provider has no prices of its own (`can_calculate` is False).
        """

    @abstractmethod
    async def create_fulfillment(self, request: LabelRequest) -> Label:
        """Make a label. Not repeatable: asked twice, it makes two.

        Raises:
            InvalidData: a package or a contact cannot be sent as it is; `fields` names what to mend.
            LabelTooExpensive: it costs more than `request.max_price`; none was made.
            OutsideFailure: the label was not made.
            OutcomeUnknown: it may have been made; look it up, never repeat blindly.
        """

    @abstractmethod
    async def cancel_fulfillment(self, label: Label) -> None:
        """Cancel a label; returns only when it is certainly cancelled. Repeatable.

        Raises:
            OutsideFailure: it is not cancelled.
            OutcomeUnknown: it may have been cancelled.
        """

    async def close(self) -> None:  # noqa: B027 - most have nothing to end
        """End background work and give connections back, when the shop ends."""

    async def track(self, labels: Sequence[Label]) -> list[TrackingUpdate | None]:  # noqa: ARG002 - for those that do
        """Where these labels are, in their order; None for one that the provider does not know.

        Raises:
            NotImplementedByProvider: always, unless a provider offers it.
            OutsideFailure: there is no answer to use.
        """
        raise NotImplementedByProvider(f"track is not implemented by {self.id}")

    async def create_return_fulfillment(self, request: LabelRequest) -> Label:  # noqa: ARG002 - for those that do
        """Make the label of a return.

        Raises:
            NotImplementedByProvider: always, unless a provider offers it (spec: Errors,
            createReturnFulfillment).
        """
        raise NotImplementedByProvider(f"createReturnFulfillment is not implemented by {self.id}")


FulfillmentProviders = Mapping[str, FulfillmentProvider]
"""The providers that the shop runs with, by their ids."""


def provider_of(providers: FulfillmentProviders, provider_id: str) -> FulfillmentProvider:
    """The provider with this id.

    Raises:
        NotAllowed: the shop does not run with it.
    """
    provider = providers.get(provider_id)
    if provider is None:
        raise NotAllowed(f"The shop does not run with provider {provider_id}")
    return provider
