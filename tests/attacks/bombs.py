"""Small files that need gigabytes or minutes when they are read without limits; one builder for each kind."""

import struct
import zipfile
import zlib
from collections.abc import Mapping
from io import BytesIO

from PIL import Image
from pypdf import PdfWriter

MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
RELATIONS = "http://schemas.openxmlformats.org/package/2006/relationships"
DOCUMENT = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
MIB = 1 << 20


def pack(parts: Mapping[str, bytes], compression: int = zipfile.ZIP_DEFLATED) -> bytes:
    """Return a zip of these parts."""
    packed = BytesIO()
    with zipfile.ZipFile(packed, "w", compression) as file:
        for name, content in parts.items():
            file.writestr(name, content)
    return packed.getvalue()


def relations(*targets: tuple[str, str, str]) -> bytes:
    """Return the relationships part of a workbook. A target is a tuple of id, final part of the type, and path."""
    elements = "".join(
        f'<Relationship Id="{name}" Type="{DOCUMENT}/{kind}" Target="{target}"/>'
        for name, kind, target in targets
    )
    return f'<Relationships xmlns="{RELATIONS}">{elements}</Relationships>'.encode()


def xlsx_parts(sheet: bytes, more: Mapping[str, bytes] | None = None) -> dict[str, bytes]:
    """Return the parts of a workbook with one sheet."""
    book = (
        f'<workbook xmlns="{MAIN}" xmlns:r="{DOCUMENT}"><sheets><sheet name="Hoja" sheetId="1" r:id="s"/></sheets>'
        "</workbook>"
    )
    return {
        "_rels/.rels": relations(("b", "officeDocument", "xl/workbook.xml")),
        "xl/workbook.xml": book.encode(),
        "xl/_rels/workbook.xml.rels": relations(
            ("s", "worksheet", "worksheets/sheet1.xml"), ("t", "sharedStrings", "sharedStrings.xml")
        ),
        "xl/worksheets/sheet1.xml": sheet,
        **(more or {}),
    }


def xlsx(rows: bytes, more: Mapping[str, bytes] | None = None, before: bytes = b"") -> bytes:
    """Return a workbook with one sheet of these rows."""
    sheet = f'<worksheet xmlns="{MAIN}"><sheetData>'.encode() + rows + b"</sheetData></worksheet>"
    return pack(xlsx_parts(before + sheet, more))


def cells_without_reference() -> bytes:
    """Return an XLSX with cells without a position, in the row with the maximum number."""
    cells = b"<c><v>1</v></c>" * 100
    return xlsx(b'<row r="1"><c><v>1</v></c></row><row r="1048576">' + cells + b"</row>")


def unfinished_cells() -> bytes:
    """Return an XLSX with 40,000 unfinished cell elements."""
    return xlsx(b"<c " * 40_000)


def cells_in_one_row() -> bytes:
    """Return an XLSX of a few KiB with a row of five million cells."""
    return xlsx(b"<row>" + b"<c/>" * 5_000_000 + b"</row>")


def empty_rows() -> bytes:
    """Return an XLSX with 1.2 million empty rows."""
    return xlsx(b"<row/>" * 1_200_000)


def shared_texts() -> bytes:
    """Return an XLSX with four million shared texts."""
    texts = b"<si><t>a</t></si>" * 4_000_000
    return xlsx(b"", {"xl/sharedStrings.xml": f'<sst xmlns="{MAIN}">'.encode() + texts + b"</sst>"})


def expanding_entities() -> bytes:
    """Return an XLSX with entities that expand to 10^9 letters."""
    levels = "".join(f'<!ENTITY e{n} "{f"&e{n - 1};" * 10}">' for n in range(1, 10))
    head = f'<!DOCTYPE worksheet [<!ENTITY e0 "a">{levels}]>'.encode()
    return xlsx(b'<row><c t="str"><v>&e9;</v></c></row>', before=head)


def nested_elements() -> bytes:
    """Return an XLSX with elements nested a million times."""
    return xlsx(b"<a>" * 1_000_000)


def large_part() -> bytes:
    """Return an XLSX of 200 KiB with a part of 200 MiB."""
    return pack_large("xl/worksheets/sheet1.xml")


def ods_bomb() -> bytes:
    """Return an ODS of 200 KiB that expands to 200 MiB."""
    return pack_large("content.xml", {"mimetype": b"application/vnd.oasis.opendocument.spreadsheet"})


def pack_large(name: str, parts: Mapping[str, bytes] | None = None, size: int = 200 * MIB) -> bytes:
    """Return a zip with a part of `size` spaces."""
    packed = BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as file:
        for member_name, content in (parts or {}).items():
            file.writestr(member_name, content)
        with file.open(name, "w") as part:
            for _ in range(0, size, MIB):
                part.write(b" " * MIB)
    return packed.getvalue()


def many_members(count: int = 60_000) -> bytes:
    """Return a zip with `count` empty members."""
    return pack({f"{number:06}.jpg": b"" for number in range(count)}, zipfile.ZIP_STORED)


def delimiters() -> bytes:
    """Return a CSV with a row of ten million empty cells."""
    return b"title;price\n" + b";" * (10 * MIB - 20)


def unclosed_quote() -> bytes:
    """Return a CSV with a cell of 10 MiB that does not end."""
    return b'title;price\n"' + b'a""' * (3 * MIB)


def progressive_scans(count: int = 2_000) -> bytes:
    """Return a JPEG of 40 million pixels that repeats its final scan `count` times."""
    content = picture("JPEG", (6_400, 6_400), progressive=True)
    last = content[content.rindex(b"\xff\xda") : -2]
    return content[:-2] + last * count + content[-2:]


def large_picture(kind: str) -> bytes:
    """Return a picture of 100 million equal pixels, in a few KiB."""
    return picture(kind, (10_000, 10_000))


def picture(kind: str, size: tuple[int, int], **options: bool) -> bytes:
    """Return a picture of one colour."""
    content = BytesIO()
    Image.new("RGB", size, "red").save(content, kind, **options)
    return content.getvalue()


def overlapping_exif() -> bytes:
    """Return a WebP whose EXIF has 60,000 values that share the same MiB."""
    entries = b"".join(struct.pack("<HHLL", tag, 7, MIB, 8) for tag in range(60_000))
    exif = b"II*\0" + struct.pack("<LH", 8, 60_000) + entries + b"\0" * MIB
    content = BytesIO()
    Image.new("RGB", (400, 300), "red").save(content, "WEBP", exif=exif)
    return content.getvalue()


def many_boxes(count: int = 3_000_000) -> bytes:
    """Return an MP4 of empty boxes."""
    head = b"\0\0\0\x18ftypmp42\0\0\0\0mp42isom"
    return head + struct.pack(">L4s", 8, b"free") * count


def label() -> bytes:
    """Return a valid PDF of one empty page, as large as a label."""
    writer, content = PdfWriter(), BytesIO()
    writer.add_blank_page(width=288, height=432)
    writer.write(content)
    return content.getvalue()


def expanding_references() -> bytes:
    """Return a PDF of 70 KiB whose table of objects expands to 70 MiB."""
    table = zlib.compress(b"\x01" + b"\0" * 6 + (b"\0" * 7) * (10 * MIB), 9)
    head = b"%PDF-1.5\n"
    body = (
        b"1 0 obj\n<< /Type /XRef /Size 10485761 /W [1 4 2] /Root 2 0 R /Filter /FlateDecode /Length "
        + str(len(table)).encode()
        + b" >>\nstream\n"
        + table
        + b"\nendstream\nendobj\n"
    )
    return head + body + b"startxref\n" + str(len(head)).encode() + b"\n%%EOF\n"


def repeated_dictionaries(count: int = 400_000) -> bytes:
    """Return a PDF whose only object is an array that is nested `count` times."""
    return (
        b"%PDF-1.4\n1 0 obj\n" + b"[" * count + b"\nendobj\ntrailer << /Root 1 0 R >>\nstartxref\n9\n%%EOF\n"
    )
