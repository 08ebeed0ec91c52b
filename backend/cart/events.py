"""What a cart tells the rooms above it."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class CartChanged:
    """The lines or the address of a cart changed: what was quoted or started for it no longer holds."""

    cart_id: str
