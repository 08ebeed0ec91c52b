"""Events of orders, for the packages that send e-mails about them."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class OrderPlaced:
    """A new order was created."""

    order_id: str


@dataclass(frozen=True, slots=True)
class OrderPaid:
    """The order was paid."""

    order_id: str


@dataclass(frozen=True, slots=True)
class OrderLost:
    """The order was cancelled because the provider reported that it took no money for it."""

    order_id: str


@dataclass(frozen=True, slots=True)
class OrderUnconfirmed:
    """The order was cancelled because its payment was not confirmed in time. The money may still arrive."""

    order_id: str


@dataclass(frozen=True, slots=True)
class FulfillmentShipped:
    """A fulfillment left the warehouse. Published in the transaction that marks it as shipped."""

    fulfillment_id: str
    order_id: str


@dataclass(frozen=True, slots=True)
class FulfillmentDelivered:
    """A fulfillment was delivered. Published in the transaction that records the delivery."""

    fulfillment_id: str
    order_id: str


@dataclass(frozen=True, slots=True)
class FulfillmentUnpacked:
    """A label was cancelled and its units are in stock again. Published in the transaction that restocks them."""

    fulfillment_id: str
    order_id: str


@dataclass(frozen=True, slots=True)
class OrderLinkRequested:
    """A visitor requested the link to an order by e-mail. The order may not exist or may belong to another address."""

    number: int
    email: str
    """In lower case."""
