"""Find the questions to the payer that a cart does not answer."""

from collections.abc import Sequence

from backend.cart.models import Cart
from backend.orders.parties import build_payer_fields
from backend.payment.providers.base import MissingAnswer, PaymentProvider


async def list_missing_answers(
    provider: PaymentProvider, cart: Cart, offered: Sequence[str], ip: str
) -> list[MissingAnswer]:
    """Return the answers that the payer still has to give.

    The list is empty if `offered` does not contain the provider, if the cart has become an order, or if a payment
    of the cart is at the bank.

    Raises:
        OutsideFailure: see `PaymentProvider.list_missing_answers`.
    """
    if not _is_unpaid(cart) or provider.id not in offered:
        return []
    known_answers = build_payer_fields(cart.billing_address, cart.shipping_address, cart.email, doc_type="")
    return await provider.list_missing_answers({**known_answers, "ip": ip})


def _is_unpaid(cart: Cart) -> bool:
    """Return True if the cart has not become an order and no payment of it is at the bank."""
    return cart.payment_session_id is None and cart.completed_at is None
