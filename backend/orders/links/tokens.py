"""The signed link that opens an order for a guest."""

from backend.core.web.signing import SignedLink

ORDER_LINK = SignedLink(salt="order page", noun="Order")
