"""Rendering of an uploaded SVG to PNG, in a child process with limits. The SVG itself is never stored or served.

The child checks the file (`backend.media.svg_child`), so no script, external file or entity is ever used.
"""

from base64 import b64decode
from tempfile import TemporaryFile
from typing import BinaryIO

from backend.core.child_process import ChildFailed, ChildProcess
from backend.media.picture_processing import PictureFault, UnusablePicture

CHILD = "backend.media.svg_child"
MAX_SVG_BYTES = 1 << 20
TIMEOUT_S = 10.0
HEAD_BYTES = 1024
MARKERS = (b"<svg", b"<?xml", b"<!doctype svg")
BYTE_ORDER_MARK = b"\xef\xbb\xbf"


def looks_like_svg(content: bytes) -> bool:
    """Return True if the file may be an SVG. No other accepted picture begins like one."""
    text = content[:HEAD_BYTES].removeprefix(BYTE_ORDER_MARK).lstrip().lower()
    return text.startswith(MARKERS) or (text.startswith(b"<!--") and b"<svg" in text)


def render_svg(content: bytes) -> bytes:
    """Return an SVG as PNG. Blocks until the child process has rendered it.

    Raises:
        UnusablePicture: the file is no SVG, refers to other files, contains scripts or text, or is too complex.
    """
    if len(content) > MAX_SVG_BYTES:
        raise UnusablePicture(PictureFault.TOO_LARGE, f"is larger than {MAX_SVG_BYTES >> 20} MiB")
    with TemporaryFile() as file:
        file.write(content)
        file.seek(0)
        answer = _read_answer(file)
    if not isinstance(answer, dict):
        raise UnusablePicture(PictureFault.TOO_LARGE, "is too complex")
    if "fault" in answer:
        raise UnusablePicture(PictureFault(answer["fault"]), answer["message"])
    return b64decode(answer["png"])


def _read_answer(file: BinaryIO) -> object:
    """Return the JSON answer of the child process about the file; None if the process was killed or failed."""
    try:
        with ChildProcess(CHILD, file, {}, timeout_s=TIMEOUT_S) as child:
            return next(iter(child.lines()), None)
    except ChildFailed:
        return None
