"""The signed link to review a product. It identifies an order line and gives no other access."""

from backend.core.web.signing import SignedLink

PAGE = "/review"
REVIEW_LINK = SignedLink(salt="review", noun="Order line")
"""Signer of the link. `backend.reviews.reviewable_products` decides until when a review is accepted."""


def review_path(signing_key: str, line_id: str) -> str:
    """Return the signed link, as a path, to the review page for the product of this order line."""
    return f"{PAGE}/{line_id}?token={REVIEW_LINK.token(signing_key, line_id)}"
