"""Drafts of the checkout form, valid or not, so that a page reload loses no input."""

from sqlalchemy.ext.asyncio import AsyncSession

from backend.cart.access import NOT_FOUND, lock_unordered_cart, read_cart
from backend.core.errors import InvalidData, NotFound

MAX_DRAFT_FIELDS = 40
MAX_DRAFT_TEXT = 1100


async def save_draft(session: AsyncSession, cart_id: str, typed: dict[str, str]) -> dict[str, str]:
    """Add these values of the checkout form, valid or not, to the stored draft.

    Returns:
        The whole draft.

    Raises:
        NotFound, NotAllowed: see `lock_unordered_cart`.
        InvalidData: there are more texts, or longer texts, than a checkout form can have.
    """
    cart = await lock_unordered_cart(session, cart_id)
    draft = {**cart.draft, **typed}
    if len(draft) > MAX_DRAFT_FIELDS or any(len(k) + len(v) > MAX_DRAFT_TEXT for k, v in draft.items()):
        raise InvalidData("Too much text")
    cart.draft = draft
    return draft


async def read_draft(session: AsyncSession, cart_id: str) -> dict[str, str]:
    """Return the stored draft of this cart's checkout form.

    Raises:
        NotFound: no cart has this id, or it has become an order.
    """
    cart = await read_cart(session, cart_id)
    if cart.completed_at is not None:
        raise NotFound(NOT_FOUND.format(cart_id=cart_id))
    return {name: str(text) for name, text in cart.draft.items()}
