"""Zip files are checked against limits before anything is unpacked.

| zip | outcome |
|---|---|
| more members than allowed, or a member list that is too long to read | refused |
| a member with an unusual compression, or encrypted | refused |
| damaged | `BadZipFile` |
"""

import tracemalloc
import zipfile
from io import BytesIO

import pytest

from backend.core.archives import MAX_DIRECTORY_BYTES, TooManyMembers, UnsafeMember, open_zip, require_safe
from tests.attacks import bombs


def test_members_of_a_zip_are_read() -> None:
    with open_zip(BytesIO(bombs.pack({"a": b"x" * 5_000_000, "b": b""})), 2) as packed:
        assert (len(packed.read("a")), packed.read("b")) == (5_000_000, b"")


def test_zip_with_too_many_members_is_refused() -> None:
    with pytest.raises(TooManyMembers):
        open_zip(BytesIO(bombs.pack({"a": b"", "b": b""})), 1)


def test_too_long_directory_of_a_zip_is_refused_unread() -> None:
    content = BytesIO(bombs.many_members())
    tracemalloc.start()
    try:
        with pytest.raises(TooManyMembers):
            open_zip(content, 10**9)
        assert tracemalloc.get_traced_memory()[1] < 2 * MAX_DIRECTORY_BYTES
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("compression", [zipfile.ZIP_LZMA, zipfile.ZIP_BZIP2])
def test_zip_member_with_unusual_compression_is_refused(compression: int) -> None:
    with open_zip(BytesIO(bombs.pack({"a": b"x"}, compression)), 1) as packed, pytest.raises(UnsafeMember):
        require_safe(packed.infolist()[0])


@pytest.mark.parametrize(
    "content",
    [b"", b"PK\x03\x04", bombs.pack({"a": b"x"})[:-10]],
    ids=["empty", "only a signature", "cut off"],
)
def test_damaged_zip_is_refused(content: bytes) -> None:
    with pytest.raises(zipfile.BadZipFile):
        open_zip(BytesIO(content), 1)
