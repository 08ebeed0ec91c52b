"""Encryption of Web Push messages (RFC 8291), with the content coding `aes128gcm` of RFC 8188."""

import base64
import binascii
import os
from dataclasses import dataclass

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from backend.core.errors import InvalidData

RECORD_SIZE = 4096
MAX_PAYLOAD_BYTES = 3993
"""Maximum size of a message: push services accept one record (RFC 8291, section 4)."""
_CURVE = ec.SECP256R1()
_SALT_BYTES, _SECRET_BYTES, _POINT_BYTES = 16, 16, 65
_LAST_RECORD = b"\x02"


@dataclass(frozen=True, slots=True)
class BrowserKeys:
    """The keys of a push subscription: the browser's public key, and the secret that it shares with the shop."""

    public_key: ec.EllipticCurvePublicKey
    auth_secret: bytes


def parse_browser_keys(p256dh: str, auth: str) -> BrowserKeys:
    """Parse the keys of a subscription, which are base64url.

    Raises:
        InvalidData: they are not a point of the curve P-256 and a secret of 16 bytes.
    """
    point, secret = decode_base64url(p256dh), decode_base64url(auth)
    try:
        key = ec.EllipticCurvePublicKey.from_encoded_point(_CURVE, point)
    except ValueError:
        raise InvalidData("The subscription's key is invalid") from None
    if len(point) != _POINT_BYTES or len(secret) != _SECRET_BYTES:
        raise InvalidData("The subscription's keys have the wrong length")
    return BrowserKeys(key, secret)


def encrypt(
    message: bytes,
    keys: BrowserKeys,
    *,
    salt: bytes | None = None,
    sender_key: ec.EllipticCurvePrivateKey | None = None,
) -> bytes:
    """Return the encrypted message: one record with its header.

    `salt` and `sender_key` are new for each message, except in tests.

    Raises:
        ValueError: the message is longer than `MAX_PAYLOAD_BYTES`.
    """
    if len(message) > MAX_PAYLOAD_BYTES:
        raise ValueError(f"a message has at most {MAX_PAYLOAD_BYTES} bytes")
    salt = salt or os.urandom(_SALT_BYTES)
    sender_key = sender_key or ec.generate_private_key(_CURVE)
    sender, browser = encode_point(sender_key.public_key()), encode_point(keys.public_key)
    shared = sender_key.exchange(ec.ECDH(), keys.public_key)
    secret = _derive(keys.auth_secret, shared, b"WebPush: info\x00" + browser + sender, 32)
    content_key = _derive(salt, secret, b"Content-Encoding: aes128gcm\x00", 16)
    nonce = _derive(salt, secret, b"Content-Encoding: nonce\x00", 12)
    header = salt + RECORD_SIZE.to_bytes(4, "big") + bytes([len(sender)]) + sender
    return header + AESGCM(content_key).encrypt(nonce, message + _LAST_RECORD, None)


def encode_point(key: ec.EllipticCurvePublicKey) -> bytes:
    """Return the public key as an uncompressed point."""
    return key.public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)


def encode_base64url(content: bytes) -> str:
    """Encode bytes as base64url without padding."""
    return base64.urlsafe_b64encode(content).rstrip(b"=").decode("ascii")


def decode_base64url(text: str) -> bytes:
    """Decode base64url with or without padding.

    Raises:
        InvalidData: the text is not base64url.
    """
    try:
        return base64.b64decode(text + "=" * (-len(text) % 4), altchars=b"-_", validate=True)
    except (binascii.Error, ValueError):
        raise InvalidData("The subscription's keys are not base64url") from None


def _derive(salt: bytes, secret: bytes, info: bytes, length: int) -> bytes:
    return HKDF(algorithm=hashes.SHA256(), length=length, salt=salt, info=info).derive(secret)
