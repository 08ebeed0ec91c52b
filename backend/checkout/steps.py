"""Which step of a purchase a cart has come to (spec: What the service does 2: a chain of seven steps, none optional).

Cart, items and address may be told in any order. From the shipping method on, each step needs those before it; whoever
comes too early is told everything that is missing, by the names of the Store API. Where the platform has words for it,
they are the platform's (wire: commerce-api, Error bodies).
"""

from backend.cart.models import Cart
from backend.checkout.totals import NO_ITEMS, NO_SHIPPING
from backend.errors import InvalidData
from backend.shipping.contacts import missing_for_a_label
from backend.shipping.destination import municipality_of

ITEMS, EMAIL, ADDRESS, SHIPPING_METHOD = "items", "email", "shipping_address", "shipping_method"
PLATFORMS_WORDS: dict[tuple[str, ...], str] = {(ITEMS,): NO_ITEMS, (SHIPPING_METHOD,): NO_SHIPPING}
"""What the platform says when nothing else is missing."""


def require_address(cart: Cart, *, has_items: bool) -> None:
    """Let a shipping method be chosen.

    Raises:
        InvalidData: items, e-mail or a part of the address are missing, or the address names no municipality.
    """
    _require(cart, _missing(cart, has_items=has_items))


def require_shipping_method(cart: Cart, *, has_shipping: bool) -> None:
    """Let a cart with items in it be paid.

    Raises:
        InvalidData: e-mail, a part of the address or the shipping method are missing, or the address names no
            municipality.
    """
    _require(cart, _missing(cart, has_items=True) + ([] if has_shipping else [SHIPPING_METHOD]))


def _missing(cart: Cart, *, has_items: bool) -> list[str]:
    parts = missing_for_a_label(cart.shipping_address or {})
    return [
        *([] if has_items else [ITEMS]),
        *([] if cart.email else [EMAIL]),
        *(f"{ADDRESS}.{part}" for part in parts),
    ]


def _require(cart: Cart, missing: list[str]) -> None:
    if missing:
        told = f"The steps before this one are not done. Missing: {', '.join(missing)}"
        raise InvalidData(PLATFORMS_WORDS.get(tuple(missing), told))
    municipality_of(cart.shipping_address)
