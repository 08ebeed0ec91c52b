"""Questions to the payer that a cart does not answer, field by field."""

from collections.abc import Sequence

from backend.cart.models import Cart
from backend.orders.parties import payer_answers
from backend.payment.providers.base import MissingAnswer, PaymentProvider


async def missing_answers(
    provider: PaymentProvider, cart: Cart, offered: Sequence[str], ip: str
) -> list[MissingAnswer]:
    """What the payer has still to answer before the cart can be paid; nothing where something else is in the way.

    Raises:
        OutsideFailure: see `PaymentProvider.missing`.
    """
    if not _is_free(cart) or provider.id not in offered:
        return []
    known = payer_answers(cart.billing_address, cart.shipping_address, cart.email, doc_type="")
    return await provider.missing({**known, "ip": ip})


def _is_free(cart: Cart) -> bool:
    """Whether nothing has been paid of the cart, nor is at the bank."""
    return cart.payment_session_id is None and cart.completed_at is None
