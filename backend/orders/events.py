"""Events of orders, for the packages that send mails about them."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class OrderPlaced:
    """There is a new order."""

    order_id: str


@dataclass(frozen=True, slots=True)
class OrderPaid:
    """The order is paid."""

    order_id: str


@dataclass(frozen=True, slots=True)
class OrderLost:
    """The provider has said that it took no money for the order: it is cancelled."""

    order_id: str


@dataclass(frozen=True, slots=True)
class OrderUnconfirmed:
    """The order is cancelled because nobody has confirmed its payment in time. The money may still come."""

    order_id: str


@dataclass(frozen=True, slots=True)
class FulfillmentShipped:
    """A fulfillment has left the warehouse. Published in the transaction that marks it shipped."""

    fulfillment_id: str
    order_id: str


@dataclass(frozen=True, slots=True)
class FulfillmentDelivered:
    """A fulfillment has arrived. Published in the transaction that notes it."""

    fulfillment_id: str
    order_id: str


@dataclass(frozen=True, slots=True)
class FulfillmentUnpacked:
    """A label was cancelled and its units are in stock again. Published in the transaction that puts them back."""

    fulfillment_id: str
    order_id: str


@dataclass(frozen=True, slots=True)
class OrderLinkAsked:
    """Somebody wants the link to an order mailed. There may be no such order, or it may be another address's."""

    number: int
    email: str
    """In small letters."""
