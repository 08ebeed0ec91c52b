"""Encryption of Web Push messages: the example of RFC 8291, and messages that an independent library decrypts."""

import http_ece
import pytest
from cryptography.hazmat.primitives.asymmetric import ec

from backend.core.errors import InvalidData
from backend.staff_notices.push.encryption import (
    MAX_PAYLOAD_BYTES,
    BrowserKeys,
    decode_base64url,
    encode_base64url,
    encode_point,
    encrypt,
    parse_browser_keys,
)

AUTH = "BTBZMqHH6r4Tts7J_aSIgg"
BROWSER_KEY = "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4"
SENDER_KEY = "yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw"
SALT = "DGv6ra1nlYgDCS1FRnbzlw"
ENCRYPTED = (
    "DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A"
    "_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN"
)
"""The example of RFC 8291, appendix A."""


def test_encryption_reproduces_the_example_of_the_rfc() -> None:
    number = int.from_bytes(decode_base64url(SENDER_KEY), "big")
    encrypted = encrypt(
        b"When I grow up, I want to be a watermelon",
        parse_browser_keys(BROWSER_KEY, AUTH),
        salt=decode_base64url(SALT),
        sender_key=ec.derive_private_key(number, ec.SECP256R1()),
    )
    assert encode_base64url(encrypted) == ENCRYPTED


@pytest.mark.parametrize("message", [b"", b"{}", "agotado · ñandú".encode(), b"x" * MAX_PAYLOAD_BYTES])
def test_independent_library_decrypts_a_message(message: bytes) -> None:
    browser, secret = ec.generate_private_key(ec.SECP256R1()), b"s" * 16
    encrypted = encrypt(message, BrowserKeys(browser.public_key(), secret))
    assert len(encrypted) <= 4096
    found = http_ece.decrypt(encrypted, private_key=browser, auth_secret=secret, version="aes128gcm")
    assert found == message


def test_two_messages_are_encrypted_differently() -> None:
    keys = parse_browser_keys(BROWSER_KEY, AUTH)
    assert encrypt(b"same", keys) != encrypt(b"same", keys)


def test_message_that_does_not_fit_in_a_record_is_refused() -> None:
    with pytest.raises(ValueError, match="at most 3993 bytes"):
        encrypt(b"x" * (MAX_PAYLOAD_BYTES + 1), parse_browser_keys(BROWSER_KEY, AUTH))


@pytest.mark.parametrize(
    ("p256dh", "auth"),
    [
        ("", AUTH),
        ("ñ", AUTH),
        (BROWSER_KEY[:-4], AUTH),
        (encode_base64url(b"\x04" + b"\x01" * 64), AUTH),  # no point of the curve
        (
            encode_base64url(encode_point(ec.derive_private_key(2, ec.SECP256R1()).public_key())[:33]),
            AUTH,
        ),
        (BROWSER_KEY, ""),
        (BROWSER_KEY, AUTH + "AAAA"),
        (BROWSER_KEY, "not base64!"),
    ],
)
def test_invalid_keys_of_a_browser_are_refused(p256dh: str, auth: str) -> None:
    with pytest.raises(InvalidData):
        parse_browser_keys(p256dh, auth)
