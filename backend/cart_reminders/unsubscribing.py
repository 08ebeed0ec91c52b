"""The link in a reminder that ends further offers to the customer. It works without signing in."""

from sqlalchemy.ext.asyncio import AsyncSession

from backend.core.web.signing import SignedLink
from backend.legal.consents import ConsentKind, withdraw_consent

OFFERS_LINK = SignedLink(salt="offers", noun="Customer")
"""Signer of the link. Only mails to the customer's address contain it."""
OFFERS = "offers"
"""Value of the page's parameter `about`: the link is about offers, not about a stock notice."""


def build_unsubscribe_link(base_url: str, signing_key: str, customer_id: str) -> str:
    """Return the URL of the page on which the customer confirms that they want no more offers."""
    token = OFFERS_LINK.token(signing_key, customer_id)
    return f"{base_url}/unsubscribe?about={OFFERS}&id={customer_id}&token={token}"


async def unsubscribe(session: AsyncSession, signing_key: str, customer_id: str, token: str) -> None:
    """Withdraw the customer's marketing consents. Repeating it has no effect.

    Raises:
        NotFound: the token is for another customer.
    """
    OFFERS_LINK.require(signing_key, customer_id, token)
    await withdraw_consent(session, customer_id, ConsentKind.MARKETING)
