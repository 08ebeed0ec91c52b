"""Events of carts."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class CartChanged:
    """Event: a cart's lines, address or promotion codes changed, so a started payment of the cart may be invalid."""

    cart_id: str


@dataclass(frozen=True, slots=True)
class CartsMerged:
    """Event: the lines of an open cart were moved into another one.

    The publisher has locked both carts, and all other carts of the same purchases
    (`backend.cart.purchase_chains`).
    """

    cart_id: str
    into: str
