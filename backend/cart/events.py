"""What happens to carts."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class CartChanged:
    """Event: the lines or the address of a cart changed, so its shipping method and started payment are not valid."""

    cart_id: str
