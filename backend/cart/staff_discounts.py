"""A discount that a staff member gives on a cart. It is one more adjustment, after the promotions.

The discount is valid only for the units for which it was given. So a customer who opens the cart and changes it pays
the usual prices again.
"""

from collections.abc import Mapping, Sequence

from backend.cart.contents import Line, count_units_by_variant
from backend.cart.models import Cart
from backend.core.money import Cop
from backend.core.texts import _
from backend.pricing import Adjustment

DISCOUNT_NAME = _("Descuento")
"""The name that customers see next to the discount."""


def store_staff_discount(cart: Cart, lines: Sequence[Line], amount: Cop, reason: str) -> None:
    """Store the staff discount of the (locked) cart for exactly the units of these lines; 0 removes it."""
    cart.staff_discount = amount
    cart.staff_discount_terms = (
        {"reason": reason, "units": dict(count_units_by_variant(lines))} if amount else {}
    )


def list_staff_adjustments(cart: Cart, lines: Sequence[Line]) -> list[Adjustment]:
    """Return a list with the staff discount; empty without one, or if the cart's units have changed since."""
    if not cart.staff_discount or not is_discount_valid(cart, count_units_by_variant(lines)):
        return []
    reason = str(cart.staff_discount_terms.get("reason", ""))
    return [Adjustment(cart.staff_discount, code=DISCOUNT_NAME, description=reason)]


def is_discount_valid(cart: Cart, units: Mapping[str, int]) -> bool:
    """Return True if the cart's staff discount was given for exactly these units (by variant id)."""
    return bool(cart.staff_discount_terms.get("units") == dict(units))
