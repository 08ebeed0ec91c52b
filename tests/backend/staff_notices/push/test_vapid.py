"""Identification of the shop to push services (RFC 8292)."""

from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric import ec
from joserfc import jwt
from joserfc.jwk import ECKey
from pydantic import SecretStr, ValidationError

from backend.core.clock import now
from backend.core.config.settings import Settings
from backend.staff_notices.push.encryption import decode_base64url, encode_base64url
from backend.staff_notices.push.vapid import read_vapid_key

PRIVATE_KEY = "yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw"
PUBLIC_KEY = "BP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A8"
"""A pair of keys from RFC 8291, appendix A."""


def test_vapid_token_contains_the_push_service_and_the_email_of_the_shop(tmp_path: Path) -> None:
    key = read_vapid_key(Settings(data_dir=tmp_path))
    header = key.build_authorization("https://push.example:8443/send/abc?x=1", "hola@trompo.example")
    scheme, _space, parts = header.partition(" ")
    values = dict(part.split("=", 1) for part in parts.split(", "))
    assert (scheme, values["k"]) == ("vapid", key.public_key)
    point = decode_base64url(values["k"])
    public = ECKey.import_key(
        {
            "kty": "EC",
            "crv": "P-256",
            "x": encode_base64url(point[1:33]),
            "y": encode_base64url(point[33:]),
        }
    )
    token = jwt.decode(values["t"], public, algorithms=["ES256"])
    assert token.header == {"typ": "JWT", "alg": "ES256"}
    assert (token.claims["aud"], token.claims["sub"]) == (
        "https://push.example:8443",
        "mailto:hola@trompo.example",
    )
    assert 0 < token.claims["exp"] - now().timestamp() <= 24 * 3600


def test_key_is_the_same_on_every_replica_and_after_a_restart(tmp_path: Path) -> None:
    """Check that the key depends only on the signing key, which a backup of the data folder contains."""
    first, again = (read_vapid_key(Settings(data_dir=tmp_path)) for _number in range(2))
    assert first.public_key == again.public_key
    other = read_vapid_key(Settings(data_dir=tmp_path / "other"))
    assert other.public_key != first.public_key
    (tmp_path / "restored").mkdir()
    (tmp_path / "restored" / "secret_key").write_text((tmp_path / "secret_key").read_text())
    assert read_vapid_key(Settings(data_dir=tmp_path / "restored")).public_key == first.public_key
    by_setting = Settings(
        data_dir=tmp_path / "x", secret_key=SecretStr((tmp_path / "secret_key").read_text())
    )
    assert read_vapid_key(by_setting).public_key == first.public_key


def test_vapid_key_in_the_settings_replaces_the_derived_key(tmp_path: Path) -> None:
    settings = Settings(data_dir=tmp_path, vapid_private_key=SecretStr(PRIVATE_KEY))
    assert read_vapid_key(settings).public_key == PUBLIC_KEY
    assert isinstance(read_vapid_key(settings).private_key, ec.EllipticCurvePrivateKey)


@pytest.mark.parametrize(
    "text", ["x", PRIVATE_KEY[:-2], "A" * 43, encode_base64url(b"\xff" * 32), "ñ" * 43, PUBLIC_KEY]
)
def test_invalid_key_in_the_settings_is_refused(tmp_path: Path, text: str) -> None:
    with pytest.raises(ValidationError, match="VAPID_PRIVATE_KEY"):
        Settings(data_dir=tmp_path, vapid_private_key=SecretStr(text))
