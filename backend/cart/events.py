"""Events of carts."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class CartChanged:
    """Event: the lines or the address of a cart changed: its shipping method and started payment became invalid."""

    cart_id: str


@dataclass(frozen=True, slots=True)
class CartsMerged:
    """Event: the lines of an open cart were moved into another one. The purchase chains of both are locked."""

    cart_id: str
    into: str
