"""What was typed at the checkout of a cart so far, valid or not, so that a reload loses nothing."""

from sqlalchemy.ext.asyncio import AsyncSession

from backend.cart.access import NOT_FOUND, read_cart, unordered_cart
from backend.core.errors import InvalidData, NotFound

MAX_DRAFT_FIELDS = 40
MAX_DRAFT_TEXT = 1100


async def save_draft(session: AsyncSession, cart_id: str, typed: dict[str, str]) -> dict[str, str]:
    """Store what was typed at the checkout, valid or not, on top of what is stored already.

    Returns:
        All that is stored now.

    Raises:
        NotFound, NotAllowed: see `unordered_cart`.
        InvalidData: more or longer texts than a checkout has.
    """
    cart = await unordered_cart(session, cart_id)
    draft = {**cart.draft, **typed}
    if len(draft) > MAX_DRAFT_FIELDS or any(len(k) + len(v) > MAX_DRAFT_TEXT for k, v in draft.items()):
        raise InvalidData("Too much text")
    cart.draft = draft
    return draft


async def read_draft(session: AsyncSession, cart_id: str) -> dict[str, str]:
    """What was typed at the checkout of this cart so far.

    Raises:
        NotFound: no cart has this id, or it has become an order.
    """
    cart = await read_cart(session, cart_id)
    if cart.completed_at is not None:
        raise NotFound(NOT_FOUND.format(cart_id=cart_id))
    return {name: str(text) for name, text in cart.draft.items()}
