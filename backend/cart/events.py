"""What happens to carts."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class CartChanged:
    """Event: the lines or the address of a cart changed, so its shipping method and started payment are not valid."""

    cart_id: str


@dataclass(frozen=True, slots=True)
class CartsMerged:
    """Event: the lines of an open cart were moved into another one. The chains of both are locked."""

    cart_id: str
    into: str
