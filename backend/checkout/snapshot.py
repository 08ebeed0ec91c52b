"""What is paid for, kept with the payment session when the payment starts.

The order is made of it, never of the cart.
"""

from collections.abc import Mapping
from typing import Any

from backend.cart.models import Cart
from backend.checkout.totals import PricedCart
from backend.orders.service import Sale
from backend.tables import JsonObject

PAYER_FIELDS = ("person_type", "doc_type", "doc_number", "email")
"""What an invoice needs of the payer."""


def sale_now(cart: Cart, priced: PricedCart) -> Sale:
    """What the (locked) cart sells as it is now, and to whom.

    Raises:
        InvalidData: no way to ship it was chosen.
    """
    address = cart.shipping_address or {}
    return Sale(
        lines=priced.lines,
        shipping=priced.require_shipping(),
        totals=priced.totals,
        email=cart.email or "",
        customer_id=cart.customer_id,
        shipping_address=address,
        billing_address=cart.billing_address or address,
        meta=cart.meta,
    )


def snapshot_of(sale: Sale, payer: Mapping[str, Any]) -> JsonObject:
    """The sale as it is kept, with what an invoice needs of the payer, whose e-mail is the cart's unless told."""
    kept = {name: str(payer[name]) for name in PAYER_FIELDS if payer.get(name)}
    return {
        **PricedCart(sale.lines, sale.shipping, sale.totals).as_json(),
        "email": sale.email,
        "customer_id": sale.customer_id,
        "shipping_address": sale.shipping_address,
        "billing_address": sale.billing_address,
        "metadata": sale.meta,
        "payer": {"email": sale.email, **kept} if kept else {},
    }


def sale_of(snapshot: JsonObject) -> Sale:
    """What a snapshot sells, and to whom."""
    priced = PricedCart.from_json(snapshot)
    return Sale(
        lines=priced.lines,
        shipping=priced.require_shipping(),
        totals=priced.totals,
        email=snapshot["email"],
        customer_id=snapshot["customer_id"],
        shipping_address=snapshot["shipping_address"],
        billing_address=snapshot["billing_address"],
        meta=snapshot["metadata"],
    )
