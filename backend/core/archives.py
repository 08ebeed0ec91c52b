"""Safe opening of zip files from untrusted sources: limits are checked before anything is unpacked."""

from typing import BinaryIO
from zipfile import ZIP_DEFLATED, ZIP_STORED, BadZipFile, ZipFile, ZipInfo

MAX_DIRECTORY_BYTES = 2 << 20
"""Maximum size of the member list at the end of a zip, which `ZipFile` reads into memory as a whole."""
COMPRESSIONS = (ZIP_STORED, ZIP_DEFLATED)
"""Accepted compression methods. Other methods can need gigabytes of memory to unpack one byte."""


class TooManyMembers(Exception):
    """The zip has more members than are allowed, or its directory is too large."""


class UnsafeMember(Exception):
    """A member of the zip is encrypted, or compressed with a method that is not in `COMPRESSIONS`."""


class _BoundedFile:
    """A file that refuses to read more than `MAX_DIRECTORY_BYTES` at once, until `is_unlimited` is set.

    `ZipFile` reads an archive's whole directory at once. With this limit, a huge directory cannot fill the
    memory.
    """

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self.is_unlimited = False

    def read(self, size: int = -1) -> bytes:
        """Read `size` bytes, or the rest of the file if `size` is negative.

        Raises:
            TooManyMembers: more than `MAX_DIRECTORY_BYTES` would be returned, and `is_unlimited` is not set.
        """
        if self.is_unlimited:
            return self._file.read(size)
        if size > MAX_DIRECTORY_BYTES:
            raise TooManyMembers
        content = self._file.read(MAX_DIRECTORY_BYTES + 1 if size < 0 else size)
        if len(content) > MAX_DIRECTORY_BYTES:
            raise TooManyMembers
        return content

    def seek(self, offset: int, whence: int = 0) -> int:
        """Change the position in the file."""
        return self._file.seek(offset, whence)

    def tell(self) -> int:
        """Return the position in the file."""
        return self._file.tell()

    def seekable(self) -> bool:
        """Return True."""
        return True


def open_zip(file: BinaryIO, max_members: int) -> ZipFile:
    """Open a zip file. The file stays open when the zip is closed.

    Raises:
        BadZipFile: the file is not a zip, or is damaged.
        TooManyMembers: the zip has more than `max_members` members.
    """
    bounded = _BoundedFile(file)
    try:
        packed = ZipFile(bounded)  # ZipFile uses only these four methods
    except (OSError, ValueError, NotImplementedError, ArithmeticError) as error:
        raise BadZipFile(str(error)) from error
    bounded.is_unlimited = True
    if len(packed.infolist()) > max_members:
        packed.close()
        raise TooManyMembers
    return packed


def require_safe(member: ZipInfo) -> None:
    """Check that a member can be unpacked in bounded memory.

    Raises:
        UnsafeMember: it is encrypted, or its compression method is not in `COMPRESSIONS`.
    """
    if member.compress_type not in COMPRESSIONS or member.flag_bits & 1:
        raise UnsafeMember
