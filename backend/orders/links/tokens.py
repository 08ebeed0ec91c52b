"""The signed link that lets a guest open an order."""

from backend.core.web.signing import SignedLink

ORDER_LINK = SignedLink(salt="order page", noun="Order")
