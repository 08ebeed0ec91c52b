"""The signed link by which a buyer reviews a toy. It names a line of the order, and opens nothing else."""

import hashlib
import hmac

from itsdangerous import Signer

from backend.core.errors import NotFound

PAGE = "/review"


def review_token(signing_key: str, line_id: str) -> str:
    """Return the token to review this order line. `backend.reviews.reviewable_products` decides until when."""
    signer = Signer(signing_key, salt="review", digest_method=hashlib.sha256)
    return signer.get_signature(line_id.encode("utf-8", "replace")).decode()


def require_review_token(signing_key: str, line_id: str, token: str) -> None:
    """Check that the token was made for this line. The error is that of a line that does not exist.

    Raises:
        NotFound: the token is missing, forged or another line's.
    """
    made = review_token(signing_key, line_id).encode()
    if not hmac.compare_digest(made, token.encode("utf-8", "replace")):
        raise NotFound(f"Order line with id: {line_id} was not found")


def review_path(signing_key: str, line_id: str) -> str:
    """The page on which the toy of this line is reviewed."""
    return f"{PAGE}/{line_id}?token={review_token(signing_key, line_id)}"
