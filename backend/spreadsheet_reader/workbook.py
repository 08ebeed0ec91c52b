"""The parts of an XLSX (ECMA-376): which are its sheets, its texts and its number formats.

`openpyxl.load_workbook` is not used: it keeps an object for each cell, reads charts, pictures and styles, and refuses
files over details that Excel ignores. What numbers and dates mean comes from openpyxl.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from posixpath import join, normpath
from typing import IO, BinaryIO
from xml.etree.ElementTree import Element
from zipfile import ZipFile, ZipInfo

from openpyxl.styles.numbers import BUILTIN_FORMATS, is_date_format, is_timedelta_format
from openpyxl.utils.escape import unescape

from backend.core.archives import TooManyMembers, open_zip, require_safe
from backend.spreadsheet_reader.markup import iter_elements, local_name
from backend.spreadsheet_reader.models import ForeignFormat, Limits, Refusal, UnreadableSpreadsheet

MAX_PARTS = 500
MAX_SHEETS = 500
MAX_STYLES = 65_536
ROOT_RELATIONS = "_rels/.rels"
OFFICE_DOCUMENT, WORKSHEET = "/officeDocument", "/worksheet"
SHARED_STRINGS, STYLES = "/sharedStrings", "/styles"
"""Ends of the types of relations; what is before differs between Transitional and Strict."""
GENERAL = "General"


@dataclass(frozen=True, slots=True)
class SheetPart:
    """A sheet of a workbook: its name, and the part that holds its cells."""

    name: str
    is_hidden: bool
    part: str


@dataclass(slots=True)
class NumberFormats:
    """Number formats by the number of a cell's style."""

    codes: list[str] = field(default_factory=list)
    dates: set[str] = field(default_factory=set)
    durations: set[str] = field(default_factory=set)

    def code_of(self, style: str | None) -> str:
        """Return the code of a style; General if there is none."""
        try:
            return self.codes[int(style or 0)]
        except (ValueError, IndexError):
            return GENERAL

    def add(self, code: str) -> None:
        """Add the code of the next style."""
        self.codes.append(code)
        if is_timedelta_format(code):
            self.durations.add(code)
        elif is_date_format(code):
            self.dates.add(code)


class Workbook:
    """An opened XLSX.

    Attributes:
        sheets: visible ones first, else in their order.
        formats: see `NumberFormats`.
        texts: the texts that cells share.
        is_from_1904: True if days are counted from 1904.
    """

    def __init__(self, file: BinaryIO, limits: Limits) -> None:
        """Open the file.

        Raises:
            UnreadableSpreadsheet: it is none, or exceeds a limit.
            BadZipFile, ParseError: it is damaged.
        """
        self._limits = limits
        self._packed = _open(file, limits)
        self._names = {_key(name): name for name in self._packed.namelist()}
        _refuse_foreign(self._packed, self._names)
        self.is_from_1904 = False
        root = self._relations(ROOT_RELATIONS, "")
        book = next((part for kind, part in root.values() if kind.endswith(OFFICE_DOCUMENT)), "")
        if book.endswith(".bin"):
            raise UnreadableSpreadsheet(Refusal.OTHER_FORMAT, ForeignFormat.XLSB)
        if _key(book) not in self._names:
            raise UnreadableSpreadsheet(Refusal.DAMAGED, "no workbook")
        folder, _, name = book.rpartition("/")
        relations = self._relations(join(folder, "_rels", f"{name}.rels"), folder)
        parts = {kind.rpartition("/")[2]: part for kind, part in relations.values()}
        self.sheets = self._read_sheets(book, relations)
        self.formats = self._read_formats(parts.get(STYLES[1:], ""))
        self.texts = self._read_texts(parts.get(SHARED_STRINGS[1:], ""))

    def open(self, part: str) -> IO[bytes]:
        """Open a part. Names differ in upper and lower case in what some programs write.

        Raises:
            UnreadableSpreadsheet: there is no such part.
        """
        name = self._names.get(_key(part))
        if name is None:
            raise UnreadableSpreadsheet(Refusal.DAMAGED, "a part is missing")
        return self._packed.open(name)

    def _elements(self, part: str) -> Iterator[tuple[str, Element]]:
        if _key(part) in self._names:
            with self.open(part) as file:
                yield from iter_elements(file)

    def _relations(self, part: str, folder: str) -> dict[str, tuple[str, str]]:
        """Return the types and parts of relations by their ids."""
        found: dict[str, tuple[str, str]] = {}
        for event, element in self._elements(part):
            if event == "start" and local_name(element) == "Relationship":
                target = element.get("Target", "")
                path = target if target.startswith("/") else join("/", folder, target)
                relation = (element.get("Type", ""), normpath(path).lstrip("/"))
                found[element.get("Id", "")] = relation
                _require(len(found) <= MAX_PARTS * 10)
        return found

    def _read_sheets(self, book: str, relations: dict[str, tuple[str, str]]) -> list[SheetPart]:
        found: list[SheetPart] = []
        for event, element in self._elements(book):
            if event == "end":
                continue
            name = local_name(element)
            if name == "workbookPr":
                self.is_from_1904 = element.get("date1904", "") in {"1", "true", "on"}
            elif name == "sheet":
                ids = [value for key, value in element.items() if key.rpartition("}")[2] == "id"]
                kind, part = next((relations[one] for one in ids if one in relations), ("", ""))
                if kind.endswith(WORKSHEET):
                    is_hidden = element.get("state", "visible") != "visible"
                    found.append(SheetPart(element.get("name", ""), is_hidden, part))
                    _require(len(found) <= MAX_SHEETS)
        return sorted(found, key=lambda sheet: sheet.is_hidden)

    def _read_formats(self, part: str) -> NumberFormats:
        own: dict[str, str] = {}
        formats = NumberFormats()
        is_within = False
        for event, element in self._elements(part):
            name = local_name(element)
            if name == "cellXfs":
                is_within = event == "start"
            elif event == "start" and name == "numFmt":
                own[element.get("numFmtId", "")] = element.get("formatCode", GENERAL)
                _require(len(own) <= MAX_STYLES)
            elif event == "start" and name == "xf" and is_within:
                number = element.get("numFmtId", "0")
                builtin = BUILTIN_FORMATS.get(int(number), GENERAL) if number.isdecimal() else GENERAL
                formats.add(own.get(number, builtin))
                _require(len(formats.codes) <= MAX_STYLES)
        return formats

    def _read_texts(self, part: str) -> list[str]:
        found: list[str] = []
        for event, element in self._elements(part):
            if event == "end" and local_name(element) == "si":
                found.append(text_of(element))
                if len(found) > self._limits.max_cells:
                    raise UnreadableSpreadsheet(Refusal.TOO_MANY_CELLS)
        return found


def text_of(element: Element) -> str:
    """Return the text of a shared or inline text, without the readings of Japanese signs."""
    parts: list[str] = []
    for child in element:
        name = local_name(child)
        if name == "t":
            parts.append(child.text or "")
        elif name == "r":
            parts += [one.text or "" for one in child if local_name(one) == "t"]
    text = "".join(parts)
    return unescape(text) if "_x" in text else text


def _open(file: BinaryIO, limits: Limits) -> ZipFile:
    try:
        packed = open_zip(file, MAX_PARTS)
    except TooManyMembers:
        raise UnreadableSpreadsheet(Refusal.TOO_LARGE) from None
    parts: list[ZipInfo] = packed.infolist()
    # no part unpacks to more than it says: `ZipFile` stops there
    if sum(part.file_size for part in parts) > limits.max_unpacked_bytes:
        raise UnreadableSpreadsheet(Refusal.TOO_LARGE)
    for part in parts:
        require_safe(part)
    return packed


def _refuse_foreign(packed: ZipFile, names: dict[str, str]) -> None:
    """Refuse other spreadsheets that are zips."""
    if "mimetype" in names:
        with packed.open(names["mimetype"]) as file:
            if b"opendocument.spreadsheet" in file.read(200):
                raise UnreadableSpreadsheet(Refusal.OTHER_FORMAT, ForeignFormat.ODS)
    if any(name.startswith("index/") and name.endswith(".iwa") for name in names) or "index.zip" in names:
        raise UnreadableSpreadsheet(Refusal.OTHER_FORMAT, ForeignFormat.NUMBERS)


def _key(name: str) -> str:
    return normpath(name.replace("\\", "/").lstrip("/")).lower()


def _require(is_within: bool) -> None:
    if not is_within:
        raise UnreadableSpreadsheet(Refusal.TOO_LARGE)
