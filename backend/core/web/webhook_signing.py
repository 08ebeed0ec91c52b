"""Signatures of webhook calls according to Standard Webhooks (standardwebhooks.com).

A call has the headers `webhook-id`, `webhook-timestamp` (seconds) and `webhook-signature`. The latter is a list,
separated by spaces, of `v1,` and the base64 of the HMAC-SHA256 over `{id}.{timestamp}.{body}`: one for each valid
secret. A repeated call has the same id.
"""

import base64
import binascii
import hmac
import secrets
from collections.abc import Sequence
from datetime import datetime
from hashlib import sha256

BASE64_SECRET = "whsec_"  # noqa: S105 - how such a secret begins
SECRET_BYTES = 32


def create_secret() -> str:
    """Return a new secret: `whsec_` and the base64 of random bytes."""
    return BASE64_SECRET + base64.b64encode(secrets.token_bytes(SECRET_BYTES)).decode()


def build_signed_headers(
    signing_secrets: Sequence[str], call_id: str, moment: datetime, body: bytes
) -> dict[str, str]:
    """Return the headers of a call, with one signature for each of the secrets."""
    timestamp = str(int(moment.timestamp()))
    content = b".".join((call_id.encode(), timestamp.encode(), body))
    signatures = (
        base64.b64encode(hmac.digest(_decode_secret(secret), content, sha256)).decode()
        for secret in signing_secrets
    )
    return {
        "content-type": "application/json",
        "webhook-id": call_id,
        "webhook-timestamp": timestamp,
        "webhook-signature": " ".join(f"v1,{signature}" for signature in signatures),
    }


def _decode_secret(secret: str) -> bytes:
    """Return the signing key: the secret itself, or the base64-decoded value after `whsec_`."""
    if secret.startswith(BASE64_SECRET):
        try:
            return base64.b64decode(secret.removeprefix(BASE64_SECRET), validate=True)
        except binascii.Error:
            pass  # then the secret is used as written
    return secret.encode()
