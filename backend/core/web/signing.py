"""Signatures and keyed hashes made with the shop's signing key, with a derived key for each purpose."""

import hashlib
import hmac
from dataclasses import dataclass

from itsdangerous import Signer

from backend.core.errors import NotFound


@dataclass(frozen=True)
class SignedLink:
    """A kind of link that opens one object without an account: its token is a signature of the object's id.

    Tokens do not expire, because mails contain such links and are kept for a long time.

    Attributes:
        salt: separates this kind of token from the others. Changing it invalidates all links that were sent.
        noun: names the object in the error message.
    """

    salt: str
    noun: str

    def token(self, signing_key: str, subject_id: str) -> str:
        """Return the token of the object with this id."""
        signer = Signer(signing_key, salt=self.salt, digest_method=hashlib.sha256)
        return signer.get_signature(subject_id.encode("utf-8", "replace")).decode()

    def require(self, signing_key: str, subject_id: str, token: str) -> None:
        """Check that the token belongs to this id. The error is the same as for an id that does not exist.

        Raises:
            NotFound: the token is missing, forged or belongs to another id.
        """
        # compare texts, not bytes: base64 can write the same bytes in several ways, and every change must be refused
        right = self.token(signing_key, subject_id).encode()
        if not hmac.compare_digest(right, token.encode("utf-8", "replace")):
            raise NotFound(f"{self.noun} with id: {subject_id} was not found")


def derive_key(signing_key: str, purpose: str) -> bytes:
    """Return the 32-byte key for one purpose.

    If the purpose changes, everything that the key has signed or encrypted becomes invalid.
    """
    return hmac.digest(signing_key.encode(), purpose.encode(), hashlib.sha256)


def keyed_hash(signing_key: str, purpose: str, value: str) -> bytes:
    """Return a 32-byte hash of the value. Without the signing key, the value cannot be guessed from the hash."""
    return hmac.digest(derive_key(signing_key, purpose), value.encode("utf-8", "replace"), hashlib.sha256)
