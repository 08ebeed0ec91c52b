"""Opening zips that others made, within bounds, before anything of them is unpacked."""

from typing import BinaryIO
from zipfile import ZIP_DEFLATED, ZIP_STORED, BadZipFile, ZipFile, ZipInfo

MAX_DIRECTORY_BYTES = 2 << 20
"""Of the list of members at the end of a zip, which `ZipFile` reads as a whole into memory."""
COMPRESSIONS = (ZIP_STORED, ZIP_DEFLATED)
"""What programs that make zips use. The others may ask for gigabytes to unpack a byte."""


class TooManyMembers(Exception):
    """The zip has more members than are allowed."""


class UnsafeMember(Exception):
    """A member is encrypted, or compressed in another way than `COMPRESSIONS`."""


class _BoundedFile:
    """A file that refuses to return more than `MAX_DIRECTORY_BYTES` at once, until `is_open`."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self.is_open = False

    def read(self, size: int = -1) -> bytes:
        """Read from the file."""
        if self.is_open:
            return self._file.read(size)
        if size > MAX_DIRECTORY_BYTES:
            raise TooManyMembers
        content = self._file.read(MAX_DIRECTORY_BYTES + 1 if size < 0 else size)
        if len(content) > MAX_DIRECTORY_BYTES:
            raise TooManyMembers
        return content

    def seek(self, offset: int, whence: int = 0) -> int:
        """Move in the file."""
        return self._file.seek(offset, whence)

    def tell(self) -> int:
        """Return the place in the file."""
        return self._file.tell()

    def seekable(self) -> bool:
        """Return True: it is a file."""
        return True


def open_zip(file: BinaryIO, max_members: int) -> ZipFile:
    """Open a zip. The file stays open when the zip is closed.

    Raises:
        BadZipFile: it is no zip, or damaged.
        TooManyMembers: it has more than `max_members`.
    """
    bounded = _BoundedFile(file)
    try:
        packed = ZipFile(bounded)  # it asks for these four methods only
    except (OSError, ValueError, NotImplementedError, ArithmeticError) as error:
        raise BadZipFile(str(error)) from error
    bounded.is_open = True
    if len(packed.infolist()) > max_members:
        packed.close()
        raise TooManyMembers
    return packed


def require_safe(member: ZipInfo) -> None:
    """Check that a member can be unpacked in bounded memory.

    Raises:
        UnsafeMember: it cannot.
    """
    if member.compress_type not in COMPRESSIONS or member.flag_bits & 1:
        raise UnsafeMember
