"""Mutated files for every parser, each determined by the seed and its number."""

import random
import zipfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from io import BytesIO

from PIL import Image

from backend.core.spreadsheet import build_workbook, format_csv
from tests.attacks import bombs

HEADER_ROW = ("Nombre", "SKU", "Precio", "Unidades", "Descripción", "Fotos")
ROWS = [
    HEADER_ROW,
    *((f"Trompo {n}", f"T-{n}", 1_000 + n, n % 9, "=1+1\n- gira", "trompo.jpg") for n in range(150)),
]
TOKENS = (
    b"<c>", b'<row r="1048576">', b'r="XFD1048576"', b"<!DOCTYPE a [", b"&lt;", b"</row>", b't="s"', b't="e"', b"<v>",
    b"1e400", b"-1", b"99999999999999999999", b"\x00", b"\xff\xfe", b"PK\x03\x04", b"PK\x01\x02", b"PK\x05\x06", b";",
    b",", b'"', b"\t", b"\r", b"\n", b"=", b"IHDR", b"IDAT", b"\xff\xda", b"\xff\xd8", b"ftyp", b"moov",
    b"\x7f\xff\xff\xff",
    b"stream", b"endobj", b"/Length 99999999", b"[" * 50, b"\xff" * 8, b"\xf0\x9f\x92\xa5",
)  # fmt: skip
Rng = random.Random


@dataclass(frozen=True, slots=True)
class MutatedFile:
    """A file to send: its number in the run, its kind (a key of `WEIGHTS`), its name and content."""

    number: int
    kind: str
    name: str
    content: bytes


def mutate(content: bytes, rng: Rng) -> bytes:
    """Return the content with one to eight changes: bytes replaced, pieces cut or repeated, tokens inserted."""
    changed = bytearray(content)
    for _ in range(rng.choice((1, 1, 2, 3, 8))):
        if not changed:
            break
        start = rng.randrange(len(changed))
        end = min(len(changed), start + rng.choice((1, 1, 4, 64, 1_024, len(changed))))
        match rng.randrange(6):
            case 0:
                changed[start] = rng.randrange(256)
            case 1:
                del changed[start:end]
            case 2:
                changed[start:start] = changed[start:end] * rng.choice((1, 2, 50))
            case 3:
                changed[start:end] = rng.randbytes(end - start)
            case 4:
                changed[start:start] = rng.choice(TOKENS) * rng.choice((1, 1, 100, 10_000))
            case _:
                del changed[start:]
        del changed[2 << 20 :]
    return bytes(changed)


def mutate_zip(content: bytes, rng: Rng) -> bytes:
    """Return the zip with one mutated member, sometimes mutated as a whole too."""
    with zipfile.ZipFile(BytesIO(content)) as packed:
        parts = {name: packed.read(name) for name in packed.namelist()}
    chosen = rng.choice(list(parts))
    parts[chosen] = mutate(parts[chosen], rng)
    if rng.random() < 0.1:
        del parts[rng.choice(list(parts))]
    repacked = bombs.pack(parts)
    return mutate(repacked, rng) if rng.random() < 0.1 else repacked


def _build_picture(kind: str) -> bytes:
    content = BytesIO()
    image = Image.effect_noise((320, 240), 60).convert("RGB")
    exif = Image.Exif()
    exif[0x0112] = 6
    image.save(content, kind, exif=exif.tobytes())
    return content.getvalue()


def _build_invoice() -> bytes:
    return (
        b'<?xml version="1.0" encoding="UTF-8"?>'
        b'<Invoice xmlns="urn:oasis:names:specification:ubl:schema:xsd:Invoice-2">'
        + b"<ID>SETP1</ID>" * 50
        + b"</Invoice>"
    )


def _build_video() -> bytes:
    return bombs.many_boxes(20) + b"\0\0\0\x0cmoovavc1" + b"\0\0\4\x08mdat" + b"\0" * 1_024


def valid_files(rng: Rng) -> dict[str, tuple[str, bytes]]:
    """Return a valid file of each kind, with its name."""
    return {
        "xlsx": ("lista.xlsx", build_workbook(ROWS)),
        "csv": ("lista.csv", format_csv(ROWS).encode(rng.choice(("utf-8", "utf-16", "cp1252")))),
        "zip": (
            "fotos.zip",
            bombs.pack({"trompo.jpg": _build_picture("JPEG"), "b/otra.png": _build_picture("PNG")}),
        ),
        "jpeg": ("foto.jpg", _build_picture("JPEG")),
        "png": ("foto.png", _build_picture("PNG")),
        "webp": ("foto.webp", _build_picture("WEBP")),
        "avif": ("foto.avif", _build_picture("AVIF")),
        "mp4": ("video.mp4", _build_video()),
        "pdf": ("guia.pdf", bombs.label()),
        "xml": ("factura.xml", _build_invoice()),
    }


MUTATORS: Mapping[str, Callable[[bytes, Rng], bytes]] = {"xlsx": mutate_zip, "zip": mutate_zip}
WEIGHTS = {
    "xlsx": 38, "csv": 20, "zip": 8, "jpeg": 6, "png": 6, "webp": 5, "avif": 3, "mp4": 4, "pdf": 5, "xml": 5,
}  # fmt: skip
"""Percentage of files of each kind."""


class Mutations:
    """The mutated files by number; the same seed repeats them."""

    def __init__(self, seed: int) -> None:
        self._seed = seed
        self._valid = valid_files(random.Random(seed))

    def build_file(self, number: int) -> MutatedFile:
        """Return the file of this number."""
        rng = random.Random(f"{self._seed}:{number}")
        (kind,) = rng.choices(list(WEIGHTS), list(WEIGHTS.values()))
        name, content = self._valid[kind]
        return MutatedFile(number, kind, name, MUTATORS.get(kind, mutate)(content, rng))


def valid_spreadsheet(row_count: int) -> bytes:
    """Return an XLSX file with `row_count` products."""
    return build_workbook(
        [
            HEADER_ROW,
            *((f"Trompo {n}", f"T-{n}", 1_000 + n, 5, "Gira y gira. " * 4, "") for n in range(row_count)),
        ]
    )
