import pytest
from hypothesis import given
from hypothesis import strategies as st

from backend.payment.providers.pse.requests import INITIALISATION, decrypt, encrypt, key_parameter

KEY = "00112233445566778899aabbccddeeff"


@pytest.mark.parametrize(
    ("text", "hidden"),
    [
        ("1022", "IqLdwtf6ECc+B7MQqNTSlA=="),
        ("TRUE", "Ovwuvjw1ToZFZP/KFjR8KQ=="),
        ("0", "EiGB/Hl8Alw9nizHEVzbAQ=="),
        ("P44", "jXB+eJ7EZV/lc3DyZpnAjw=="),
        ("", "AGV+oUBlWkR4J0dwXUIvrQ=="),
    ],
)
def test_gives_the_published_values(text: str, hidden: str) -> None:
    assert encrypt(text, KEY) == hidden
    assert decrypt(hidden, KEY) == text


def test_names_its_key_and_its_beginning_as_the_sdk_does() -> None:
    assert key_parameter(KEY) == "ABEiM0RVZneImaq7zN3u/w=="
    assert INITIALISATION == "AAAAAAAAAAA="


@given(text=st.text(), key=st.binary(min_size=16, max_size=16))
def test_any_text_comes_back(text: str, key: bytes) -> None:
    assert decrypt(encrypt(text, key.hex()), key.hex()) == text


@pytest.mark.parametrize(
    "hidden", ["no base64!", "", "AAAA", "JqLdwtf6ECc+B7MQqNTSlA==", "x7+ghdqNgH03jYG/y1lwig=="]
)
def test_what_the_key_did_not_hide_is_refused(hidden: str) -> None:
    with pytest.raises(ValueError):  # noqa: PT011 (the message is the library's)
        decrypt(hidden, KEY)
