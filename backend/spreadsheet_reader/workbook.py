"""The parts of an XLSX file (ECMA-376): its sheets, shared texts and number formats.

`openpyxl.load_workbook` is not used: it creates an object for each cell, reads charts, pictures and styles, and
refuses files because of details that Excel ignores. Only number and date formats are interpreted by openpyxl.
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
from backend.spreadsheet_reader.markup import get_local_name, iter_elements
from backend.spreadsheet_reader.models import ForeignFormat, Limits, Refusal, UnreadableSpreadsheet

MAX_PARTS = 500
MAX_SHEETS = 500
MAX_STYLES = 65_536
ROOT_RELATIONS = "_rels/.rels"
OFFICE_DOCUMENT, WORKSHEET = "/officeDocument", "/worksheet"
SHARED_STRINGS, STYLES = "/sharedStrings", "/styles"
"""Ends of relation types. Their beginnings differ between the two variants of the format, Transitional and Strict."""
GENERAL = "General"


@dataclass(frozen=True, slots=True)
class SheetPart:
    """A sheet of a workbook: its name, and the path of the file in the workbook that contains its cells."""

    name: str
    is_hidden: bool
    part: str


@dataclass(slots=True)
class NumberFormats:
    """Number formats by the index of a cell's style."""

    codes: list[str] = field(default_factory=list)
    dates: set[str] = field(default_factory=set)
    durations: set[str] = field(default_factory=set)

    def get_code(self, style: str | None) -> str:
        """Return the number format code of a cell style; General if the style has none."""
        try:
            return self.codes[int(style or 0)]
        except (ValueError, IndexError):
            return GENERAL

    def add(self, code: str) -> None:
        """Add the format code of the next style."""
        self.codes.append(code)
        if is_timedelta_format(code):
            self.durations.add(code)
        elif is_date_format(code):
            self.dates.add(code)


class Workbook:
    """An opened XLSX file.

    Attributes:
        sheets: the visible sheets in their order, then the hidden ones.
        formats: see `NumberFormats`.
        texts: the shared texts of cells.
        is_from_1904: True if dates are stored as days since 1904.
    """

    def __init__(self, file: BinaryIO, limits: Limits) -> None:
        """Open the file.

        Raises:
            UnreadableSpreadsheet: the file is no workbook, or exceeds a limit.
            BadZipFile, ParseError: the file is damaged.
        """
        self._limits = limits
        self._packed = _open(file, limits)
        self._names = {_normalize_name(name): name for name in self._packed.namelist()}
        _refuse_foreign(self._packed, self._names)
        self.is_from_1904 = False
        root = self._read_relations(ROOT_RELATIONS, "")
        book = next((part for kind, part in root.values() if kind.endswith(OFFICE_DOCUMENT)), "")
        if book.endswith(".bin"):
            raise UnreadableSpreadsheet(Refusal.OTHER_FORMAT, ForeignFormat.XLSB)
        if _normalize_name(book) not in self._names:
            raise UnreadableSpreadsheet(Refusal.DAMAGED, "no workbook")
        folder, _, name = book.rpartition("/")
        relations = self._read_relations(join(folder, "_rels", f"{name}.rels"), folder)
        parts = {kind.rpartition("/")[2]: part for kind, part in relations.values()}
        self.sheets = self._read_sheets(book, relations)
        self.formats = self._read_formats(parts.get(STYLES[1:], ""))
        self.texts = self._read_texts(parts.get(SHARED_STRINGS[1:], ""))

    def open(self, part: str) -> IO[bytes]:
        """Open a part of the workbook.

        Upper and lower case are ignored, because some programs mix them in names of parts.

        Raises:
            UnreadableSpreadsheet: there is no such part.
        """
        name = self._names.get(_normalize_name(part))
        if name is None:
            raise UnreadableSpreadsheet(Refusal.DAMAGED, "a part is missing")
        return self._packed.open(name)

    def _iter_elements(self, part: str) -> Iterator[tuple[str, Element]]:
        if _normalize_name(part) in self._names:
            with self.open(part) as file:
                yield from iter_elements(file)

    def _read_relations(self, part: str, folder: str) -> dict[str, tuple[str, str]]:
        """Return the type of each relation and the path of its target, by the relation's id."""
        found: dict[str, tuple[str, str]] = {}
        for event, element in self._iter_elements(part):
            if event == "start" and get_local_name(element) == "Relationship":
                target = element.get("Target", "")
                path = target if target.startswith("/") else join("/", folder, target)
                relation = (element.get("Type", ""), normpath(path).lstrip("/"))
                found[element.get("Id", "")] = relation
                _require_within_limit(len(found) <= MAX_PARTS * 10)
        return found

    def _read_sheets(self, book: str, relations: dict[str, tuple[str, str]]) -> list[SheetPart]:
        found: list[SheetPart] = []
        for event, element in self._iter_elements(book):
            if event == "end":
                continue
            name = get_local_name(element)
            if name == "workbookPr":
                self.is_from_1904 = element.get("date1904", "") in {"1", "true", "on"}
            elif name == "sheet":
                ids = [value for key, value in element.items() if key.rpartition("}")[2] == "id"]
                kind, part = next((relations[one] for one in ids if one in relations), ("", ""))
                if kind.endswith(WORKSHEET):
                    is_hidden = element.get("state", "visible") != "visible"
                    found.append(SheetPart(element.get("name", ""), is_hidden, part))
                    _require_within_limit(len(found) <= MAX_SHEETS)
        return sorted(found, key=lambda sheet: sheet.is_hidden)

    def _read_formats(self, part: str) -> NumberFormats:
        own: dict[str, str] = {}
        formats = NumberFormats()
        is_within = False
        for event, element in self._iter_elements(part):
            name = get_local_name(element)
            if name == "cellXfs":
                is_within = event == "start"
            elif event == "start" and name == "numFmt":
                own[element.get("numFmtId", "")] = element.get("formatCode", GENERAL)
                _require_within_limit(len(own) <= MAX_STYLES)
            elif event == "start" and name == "xf" and is_within:
                number = element.get("numFmtId", "0")
                builtin = BUILTIN_FORMATS.get(int(number), GENERAL) if number.isdecimal() else GENERAL
                formats.add(own.get(number, builtin))
                _require_within_limit(len(formats.codes) <= MAX_STYLES)
        return formats

    def _read_texts(self, part: str) -> list[str]:
        found: list[str] = []
        for event, element in self._iter_elements(part):
            if event == "end" and get_local_name(element) == "si":
                found.append(join_text(element))
                if len(found) > self._limits.max_cells:
                    raise UnreadableSpreadsheet(Refusal.TOO_MANY_CELLS)
        return found


def join_text(element: Element) -> str:
    """Return the text of a shared or inline string, without the phonetic readings of Japanese characters."""
    parts: list[str] = []
    for child in element:
        name = get_local_name(child)
        if name == "t":
            parts.append(child.text or "")
        elif name == "r":
            parts += [one.text or "" for one in child if get_local_name(one) == "t"]
    text = "".join(parts)
    return unescape(text) if "_x" in text else text


def _open(file: BinaryIO, limits: Limits) -> ZipFile:
    try:
        packed = open_zip(file, MAX_PARTS)
    except TooManyMembers:
        raise UnreadableSpreadsheet(Refusal.TOO_LARGE) from None
    parts: list[ZipInfo] = packed.infolist()
    # `ZipFile` never unpacks more than the declared size
    if sum(part.file_size for part in parts) > limits.max_unpacked_bytes:
        raise UnreadableSpreadsheet(Refusal.TOO_LARGE)
    for part in parts:
        require_safe(part)
    return packed


def _refuse_foreign(packed: ZipFile, names: dict[str, str]) -> None:
    """Raise UnreadableSpreadsheet if the zip is a spreadsheet of another format (OpenDocument or Numbers)."""
    if "mimetype" in names:
        with packed.open(names["mimetype"]) as file:
            if b"opendocument.spreadsheet" in file.read(200):
                raise UnreadableSpreadsheet(Refusal.OTHER_FORMAT, ForeignFormat.ODS)
    if any(name.startswith("index/") and name.endswith(".iwa") for name in names) or "index.zip" in names:
        raise UnreadableSpreadsheet(Refusal.OTHER_FORMAT, ForeignFormat.NUMBERS)


def _normalize_name(name: str) -> str:
    return normpath(name.replace("\\", "/").lstrip("/")).lower()


def _require_within_limit(is_within: bool) -> None:
    if not is_within:
        raise UnreadableSpreadsheet(Refusal.TOO_LARGE)
