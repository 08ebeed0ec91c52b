"""Events of orders, for example for the package that sends e-mails about them."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class OrderPlaced:
    """Event: a new order was created. `origin` is an `OrderOrigin`."""

    order_id: str
    origin: str = "web"


@dataclass(frozen=True, slots=True)
class OrderPaid:
    """Event: the order was paid. `origin` is an `OrderOrigin`."""

    order_id: str
    origin: str = "web"


@dataclass(frozen=True, slots=True)
class OrderCanceled:
    """Event: the order was cancelled, for any reason. Published in the transaction that cancels it."""

    order_id: str


@dataclass(frozen=True, slots=True)
class OrderEdited:
    """Event: staff changed the lines of a paid order before it was packed. Published in the transaction of the edit."""

    order_id: str
    edit_id: str


@dataclass(frozen=True, slots=True)
class OrderLost:
    """Event: the order was cancelled because the provider reported that the payment failed and took no money."""

    order_id: str


@dataclass(frozen=True, slots=True)
class OrderUnconfirmed:
    """Event: the order was cancelled because its payment was not confirmed in time. The money may still arrive."""

    order_id: str


@dataclass(frozen=True, slots=True)
class AccountLinkRequested:
    """Event: a link that opens an account was requested for the e-mail address of a guest's order."""

    order_id: str


@dataclass(frozen=True, slots=True)
class FulfillmentShipped:
    """Event: a fulfillment left the warehouse. Published in the transaction that marks it as shipped."""

    fulfillment_id: str
    order_id: str


@dataclass(frozen=True, slots=True)
class FulfillmentReady:
    """Event: a parcel waits for its customer, who collects it. Published in the transaction that packs it."""

    fulfillment_id: str
    order_id: str


@dataclass(frozen=True, slots=True)
class FulfillmentDelivered:
    """Event: a fulfillment was delivered. Published in the transaction that records the delivery."""

    fulfillment_id: str
    order_id: str


@dataclass(frozen=True, slots=True)
class FulfillmentUnpacked:
    """Event: a label was cancelled, and its units are in stock again.

    Published in the transaction that restocks the units.
    """

    fulfillment_id: str
    order_id: str


@dataclass(frozen=True, slots=True)
class OrderLinkRequested:
    """Event: a visitor requested an order's link by e-mail.

    The order may not exist, or may have another e-mail address.
    """

    number: int
    email: str
    """In lower case."""
