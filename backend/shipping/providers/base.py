"""What a fulfilment provider is: one interface for whoever prices parcels and makes their guides.

A provider knows nothing of carts, orders or the database: it is told places, packages and a value.
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import ClassVar

from backend.errors import NotAllowed, NotImplementedByProvider
from backend.money import Cop
from backend.shipping.parcels import Package
from backend.shipping.stages import Sighting
from backend.tables import JsonObject


@dataclass(frozen=True, slots=True)
class Place:
    """Where a parcel starts or ends. `dane_code` has the carrier's eight digits."""

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
    """A price. `is_fallback`: nobody quoted, so the fixed price stands in (spec: Errors)."""

    amount: Cop
    is_fallback: bool = False
    carrier: str | None = None
    delivery_days: int | None = None
    data: JsonObject = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ShipmentRequest:
    """A parcel to make a guide for. `reference` is ours and appears on the guide; it tells parcels apart.

    `pickup_date` is when the parcel is ready; None lets the provider say. `max_price` is the most that the label may
    cost, in whole pesos; None sets no limit.
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
class Guide:
    """What a parcel travels with. A provider that ships by hand gives no numbers."""

    tracking_number: str | None = None
    carrier_order_id: int | None = None
    label_url: str | None = None
    label_pdf: bytes | None = None
    data: JsonObject = field(default_factory=dict)


class LabelTooExpensive(NotAllowed):
    """The label costs more than it may. None was bought.

    Attributes:
        price: what it costs, in whole pesos.
    """

    def __init__(self, price: Cop, max_price: Cop) -> None:
        super().__init__(
            f"The label costs {price} and may cost {max_price}: it waits in attention for a person's decision"
        )
        self.price = price


class FulfillmentProvider(ABC):
    """A way to ship. What a provider does not offer raises `NotImplementedByProvider`: it never pretends."""

    id: ClassVar[str]
    can_calculate: ClassVar[bool]
    gives_numbers: ClassVar[bool] = True
    """Whether its guides have numbers, by which it knows them again."""

    @abstractmethod
    async def calculate_price(self, request: QuoteRequest) -> Quote:
        """The price of shipping now.

        Raises:
            NotImplementedByProvider: the provider has no prices of its own (`can_calculate` is False).
        """

    @abstractmethod
    async def create_fulfillment(self, request: ShipmentRequest) -> Guide:
        """Make the guide of a parcel. Not repeatable: asked twice, it makes two.

        Raises:
            InvalidData: the parcel or a contact cannot be sent as it is; `fields` names what to mend.
            LabelTooExpensive: it costs more than `request.max_price`; none was made.
            OutsideFailure: the guide was not made.
            OutcomeUnknown: it may have been made; look it up, never repeat blindly.
        """

    @abstractmethod
    async def cancel_fulfillment(self, guide: Guide) -> None:
        """Cancel a guide; returns only when it is certainly cancelled. Repeatable.

        Raises:
            OutsideFailure: it is not cancelled.
            OutcomeUnknown: it may have been cancelled.
        """

    async def close(self) -> None:  # noqa: B027 - most have nothing to end
        """End what still goes on in the background, with the shop."""

    async def track(self, guides: Sequence[Guide]) -> list[Sighting | None]:  # noqa: ARG002 - for those that do
        """Where the parcels of these guides are, in their order; None for one that the provider does not know.

        Raises:
            NotImplementedByProvider: always, unless a provider offers it.
            OutsideFailure: there is no answer to use.
        """
        raise NotImplementedByProvider(f"track is not implemented by {self.id}")

    async def create_return_fulfillment(self, request: ShipmentRequest) -> Guide:  # noqa: ARG002 - for those that do
        """Make the guide of a return.

        Raises:
            NotImplementedByProvider: always, unless a provider offers it (spec: Errors,
            createReturnFulfillment).
        """
        raise NotImplementedByProvider(f"createReturnFulfillment is not implemented by {self.id}")
