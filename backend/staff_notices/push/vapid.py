"""Identification of the shop to push services (VAPID, RFC 8292).

The key is VAPID_PRIVATE_KEY. Without it, the key is derived from the shop's signing key, which is created at the first
start and is part of each backup. So all replicas have the same key, and subscriptions work after a restore.
"""

import hmac
from dataclasses import dataclass
from datetime import timedelta
from urllib.parse import urlsplit

from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from joserfc import jwt
from joserfc.jwk import ECKey

from backend.core.clock import now
from backend.core.config.settings import Settings
from backend.core.config.values import P256_ORDER
from backend.staff_notices.push.encryption import encode_base64url, encode_point

TOKEN_LIFETIME = timedelta(hours=12)
"""Push services accept at most 24 hours."""


@dataclass(frozen=True, slots=True)
class VapidKey:
    """The shop's key for push services.

    `public_key` is base64url, as browsers expect it when they subscribe.
    """

    private_key: ec.EllipticCurvePrivateKey
    public_key: str

    def build_authorization(self, endpoint: str, contact: str) -> str:
        """Return the `Authorization` header of a message to this endpoint. `contact` is an e-mail address."""
        parts = urlsplit(endpoint)
        claims = {
            "aud": f"{parts.scheme}://{parts.netloc}",
            "exp": int((now() + TOKEN_LIFETIME).timestamp()),
            "sub": f"mailto:{contact}",
        }
        pem = self.private_key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
        token = jwt.encode({"typ": "JWT", "alg": "ES256"}, claims, ECKey.import_key(pem))
        return f"vapid t={token}, k={self.public_key}"


def read_vapid_key(settings: Settings) -> VapidKey:
    """Return the shop's key for push services: VAPID_PRIVATE_KEY, or else one derived from the signing key."""
    number = settings.vapid_private_number or _derive_number(settings.signing_key)
    private_key = ec.derive_private_key(number, ec.SECP256R1())
    return VapidKey(private_key, encode_base64url(encode_point(private_key.public_key())))


def _derive_number(signing_key: str) -> int:
    # 64 bytes, so that the remainder is distributed evenly
    digest = hmac.new(signing_key.encode(), b"web push", "sha512").digest()
    return int.from_bytes(digest, "big") % (P256_ORDER - 1) + 1
