"""Encryption of stored secrets that the shop must read again, with a derived key for each purpose."""

from base64 import urlsafe_b64encode
from typing import TYPE_CHECKING

from backend.core.web.signing import derive_key

if TYPE_CHECKING:
    from cryptography.fernet import Fernet


def encrypt(signing_key: str, purpose: str, secret: str) -> str:
    """Return the encrypted secret."""
    return _fernet(signing_key, purpose).encrypt(secret.encode()).decode()


def decrypt(signing_key: str, purpose: str, encrypted: str) -> str | None:
    """Return the secret; None if SECRET_KEY has changed since the encryption."""
    from cryptography.fernet import InvalidToken

    try:
        return _fernet(signing_key, purpose).decrypt(encrypted).decode()
    except InvalidToken:
        return None


def _fernet(signing_key: str, purpose: str) -> "Fernet":
    """Return the cipher. Its library is imported only when it is needed."""
    from cryptography.fernet import Fernet

    return Fernet(urlsafe_b64encode(derive_key(signing_key, purpose)))
