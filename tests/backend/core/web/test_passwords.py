"""Passwords are hashed in threads of the calling process."""

import asyncio
import multiprocessing

import pytest

from backend.core.web.passwords import COMMON_PASSWORDS, HASHER, hash_password, is_common, is_password


def test_stored_hash_takes_64_mib_and_three_passes() -> None:
    # the hasher of a running shop: it is imported before the tests replace it
    assert HASHER.hash("una clave larga").startswith("$argon2id$v=19$m=65536,t=3,p=4$")


def _check_login(stored_hash: str) -> None:
    assert asyncio.run(is_password("una clave larga", stored_hash))


async def test_forked_process_can_hash_passwords() -> None:
    """Check a login in a forked process: threads do not survive a fork, so the child needs new threads."""
    stored_hash = await hash_password("una clave larga")
    child = multiprocessing.get_context("fork").Process(target=_check_login, args=(stored_hash,))
    child.start()
    await asyncio.to_thread(child.join, 60)
    if child.is_alive():
        child.kill()
    assert child.exitcode == 0


@pytest.mark.parametrize(
    ("password", "expected"),
    [
        ("123456", True),
        ("Password", True),
        ("QWERTY123", True),
        (" iloveyou ", True),
        ("1qaz2wsx3edc", True),
        ("tres trompos bailan", False),
        ("# The 10,000 most frequent passwords", False),
        ("", False),
    ],
)
def test_frequently_used_passwords_are_recognised(password: str, expected: bool) -> None:
    assert is_common(password) is expected


def test_list_of_frequent_passwords_has_ten_thousand_entries() -> None:
    lines = COMMON_PASSWORDS.read_text("utf-8").splitlines()
    assert len({line for line in lines if not line.startswith("# ")}) == 10_000
