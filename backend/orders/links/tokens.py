"""Tokens of orders: the signature in the link that lets a guest open an order."""

import hashlib
import hmac

from itsdangerous import Signer

from backend.core.errors import NotFound


def order_token(signing_key: str, order_id: str) -> str:
    """The token that opens this order's page without a login. It does not expire, because mails contain it."""
    return _signer(signing_key).get_signature(order_id.encode("utf-8", "replace")).decode()


def require_order_token(signing_key: str, order_id: str, token: str) -> None:
    """Check that the token was made for this order. The error is that of an order that does not exist.

    Raises:
        NotFound: the token is missing, forged or another order's.
    """
    # compared as written: base64 spells the same bytes in several ways, and a changed letter is a changed token
    if not hmac.compare_digest(order_token(signing_key, order_id).encode(), token.encode("utf-8", "replace")):
        raise NotFound(f"Order with id: {order_id} was not found")


def _signer(signing_key: str) -> Signer:
    return Signer(signing_key, salt="order page", digest_method=hashlib.sha256)
