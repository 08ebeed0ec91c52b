"""What the catalogue tells the rooms above it."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ProductChanged:
    """What shoppers see of a product changed: words, price, pictures, place in the shop, or what is left of it.

    Published in the transaction that changes it (spec: Events 2). A product that is new or gone has changed too.
    """

    product_id: str
