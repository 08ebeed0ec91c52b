"""Validation of an import's rows: the changes that each row would make now, and its problems."""

from collections import defaultdict
from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from sqlalchemy.ext.asyncio import AsyncSession

from backend.catalog.importer.categories import ProductGroups
from backend.catalog.importer.columns import COLUMNS, ID_CELLS, OPTIONS, VARIANT_PICTURES
from backend.catalog.importer.publication import set_new_statuses
from backend.catalog.importer.row_matching import KnownProducts, Match, drop_addresses, match_rows
from backend.catalog.importer.row_reader import TAX_EXCLUDED, Note, Problem, Row
from backend.catalog.importer.source_rows import find_titled_rows, to_titled_row
from backend.catalog.models import Product, Variant
from backend.core.db.tables import JsonObject
from backend.imports.models import Plan, ProductImport
from backend.imports.picture_matching import Album
from backend.imports.rows.changes import RESERVED, find_changes, format_cell, read_current_values
from backend.imports.rows.losses import find_losses

MAX_VALUE_LENGTH = 300
"""Maximum number of characters that are stored of a changed value."""


@dataclass(frozen=True, slots=True)
class RowValidation:
    """Result of the validation of one row.

    Attributes:
        row: the row's values; the handle is filled in if it follows from the title.
        match: the product and the variant that the row changes.
        problems: reasons why the row cannot be imported.
        changes: the value before and after, by column.
        lost_pictures: problems of pictures that could not be downloaded; the row is written without these pictures.
    """

    row: Row
    match: Match | None = None
    problems: Sequence[Problem] = ()
    changes: Mapping[str, tuple[Any, Any]] = field(default_factory=dict)
    lost_pictures: Sequence[Problem] = ()

    @property
    def plan(self) -> Plan:
        """Return the planned effect of the row; `Plan.WRONG` if it has problems."""
        if self.problems:
            return Plan.WRONG
        if self.match is None or self.match.product is None or self.match.variant is None:
            return Plan.NEW
        return Plan.CHANGED if self.changes else Plan.SAME

    @property
    def losses(self) -> list[str]:
        """Return the columns whose value the row would empty or take away."""
        return find_losses(self.changes) if self.plan in (Plan.NEW, Plan.CHANGED) else []


@dataclass
class RepeatedValues:
    """Values that must be unique in a spreadsheet, with the line numbers of the rows that have them."""

    lines: dict[str, dict[str, int]] = field(default_factory=lambda: defaultdict(dict))
    owners: dict[str, str] = field(default_factory=dict)
    """The product of the first row that names a former address, as a key, by address."""

    def find_problems(self, row: Row, match: Match | None, *, is_titled: bool) -> list[Problem]:
        """Return a problem for each SKU, EAN or handle that an earlier row of the spreadsheet already has.

        It is a problem too if only some of the rows that would create one product have options. Rows for several
        variants of one product may share the product's handle. With `is_titled`, the handle was made from the title,
        so a repeated handle is reported as a repeated title.
        """
        shares = match is None or (match.variant is not None and row.get("sku") is not None)
        problems = []
        if match is not None and match.product is None:
            problems += self._find_option_conflict(row)
        shares = shares or OPTIONS in row.values
        for column in ("sku", "ean") if shares else ("sku", "ean", "handle"):
            value = row.get(column)
            if value is None:
                continue
            first = self.lines[column].setdefault(value, row.line)
            if first != row.line and column == "handle" and is_titled:
                problems.append(Problem(row.line, "title", "stands twice", "name twice", str(first)))
            elif first != row.line:
                problems.append(Problem(row.line, column, "stands twice", "twice", str(first)))
        return problems

    def drop_repeated_addresses(self, row: Row, match: Match | None) -> Row:
        """Return the row without those former addresses that an earlier row of another product has.

        A note about each is added to the row.
        """
        key = match.product.id if match and match.product else f"handle {row.get('handle')}"
        owners = {address: self.owners.setdefault(address, key) for address in row.get("old_addresses") or ()}
        return drop_addresses(row, [address for address, owner in owners.items() if owner != key])

    def _find_option_conflict(self, row: Row) -> list[Problem]:
        """Return a problem if some rows of one new product have options and others have none."""
        own, other = ("with options", "without") if OPTIONS in row.values else ("without", "with options")
        handle = row.values["handle"]
        self.lines[own].setdefault(handle, row.line)
        first = self.lines[other].get(handle)
        if first is None:
            return []
        return [Problem(row.line, OPTIONS, "others have options", "option names", str(first))]


async def validate_rows(
    session: AsyncSession,
    found: ProductImport,
    rows: Sequence[Row],
    places: ProductGroups | None,
    repeats: RepeatedValues | None = None,
    *,
    lock: bool = False,
) -> list[RowValidation]:
    """Validate rows against the current data of the shop.

    Args:
        session: for reading; in a transaction if `lock` is True.
        found: the import.
        rows: the parsed rows.
        places: the categories and collections; None if the rows were checked against them already.
        repeats: the values of earlier rows; None if repetitions were checked already.
        lock: True to lock the products.
    """
    sound = [row for row in rows if not row.problems]
    titled = find_titled_rows(sound)
    known = await KnownProducts.read(session, [*sound, *titled.values()], lock=lock)
    all_places = places or await ProductGroups.read(session)
    album = await Album.read(session, found.id, {name for row in rows for name in row.picture_names})
    validated: list[RowValidation] = []
    pairs: list[tuple[Product, Variant | None]] = []
    matched: list[tuple[Row, Match, list[Problem]]] = []
    matchings = match_rows(known, rows, titled, creates_words=found.makes_places)
    listed = {name for one in matchings for name in one.row.get("pictures") or ()}
    lost = {
        one.row.line: lost_pictures
        for one in matchings
        if (
            lost_pictures := _find_lost_pictures(
                _list_pictures(one.row, listed), one.match, album, one.row.line
            )
        )
    }
    for matching in set_new_statuses(matchings, publishes=found.publishes, hidden_lines=lost):
        row, match, problems = matching.row, matching.match, list(matching.problems)
        if repeats is not None:
            problems += repeats.find_problems(row, match, is_titled="handle" not in found.columns)
            row = repeats.drop_repeated_addresses(row, match)
        problems += _find_picture_problems(row.line, _list_pictures(row, listed), album)
        row = _drop_lost_variant_pictures(row, album)
        if row.line in lost and row.get("pictures"):
            row = _drop_lost_pictures(row, match, album)
        if places is not None:
            problems += places.find_group_problems(row)
        if match is None or match.product is None:
            validated.append(RowValidation(row, match, problems, _to_changes(row), lost.get(row.line, ())))
            continue
        matched.append((row, match, problems))
        pairs.append((match.product, match.variant))
    for (row, match, problems), now in zip(
        matched, await read_current_values(session, pairs, found.location_id), strict=True
    ):
        changes = find_changes(row.values, now, album, all_places)
        if match.product is not None and match.product.deleted_at is not None and row.get("status"):
            changes["status"] = (None, row.get("status"))
        if "stock" in changes and row.get("stock") < now[RESERVED]:
            problems.append(Problem(row.line, "stock", "reserved", "reserved", str(now[RESERVED])))
        validated.append(RowValidation(row, match, problems, changes, lost.get(row.line, ())))
    return _refuse_incomplete_products(sorted(validated, key=lambda one: one.row.line))


def _refuse_incomplete_products(validated: Sequence[RowValidation]) -> list[RowValidation]:
    """Refuse all rows of a new product if one of them has a problem.

    The problem of each other row names the row with the original problem.
    """
    wrong: dict[str, str] = {}
    for one in validated:
        if one.problems and (handle := _new_product_handle(one)):
            wrong.setdefault(handle, str(one.row.line))
    return [
        replace(one, problems=[Problem(one.row.line, "", f"line {line} is wrong", "other row", line)])
        if not one.problems and (line := wrong.get(_new_product_handle(one)))
        else one
        for one in validated
    ]


def _new_product_handle(validation: RowValidation) -> str:
    """Return the product's handle if the row belongs to a new product with options; otherwise an empty text."""
    row, match = validation.row, validation.match
    if OPTIONS not in row.values or (match is not None and match.product is not None):
        return ""
    return (to_titled_row(row) or row).get("handle") or ""


def _to_changes(row: Row) -> dict[str, tuple[Any, Any]]:
    """Return all values of a new product or variant as changes."""
    return {
        column: (None, value)
        for column, value in row.values.items()
        if column not in ID_CELLS and value not in (None, "", ()) and (column != TAX_EXCLUDED or value)
    }


def _list_pictures(row: Row, listed: Container[str]) -> list[str]:
    """Return the names of the pictures in the row: those of its product, then those of its variant.

    `listed` has the names of the pictures of all products. The variant's pictures with these names are left out.
    """
    of_variant = row.get(VARIANT_PICTURES) or ()
    return [*(row.get("pictures") or ()), *(name for name in of_variant if name not in listed)]


def _find_picture_problems(line: int, names: Sequence[str], album: Album) -> list[Problem]:
    return [
        Problem(line, "pictures", code, f"picture {code}", name)
        for name in names
        if (code := album.find_problem(name)) and not album.is_lost(name)
    ]


def _find_lost_pictures(names: Sequence[str], match: Match | None, album: Album, line: int) -> list[Problem]:
    """Return a problem for each picture that could not be downloaded, and one about the consequence for the product.

    A new product is created without these pictures; an existing product keeps its current ones.
    """
    lost = [name for name in names if album.is_lost(name)]
    if not lost:
        return []
    code = "without picture" if _is_new(match) else "pictures kept"
    return [
        *(Problem(line, "pictures", "lost", f"picture {album.find_problem(name)}", name) for name in lost),
        Problem(line, "", code, code),
    ]


def _drop_lost_pictures(row: Row, match: Match | None, album: Album) -> Row:
    """Return the row without the pictures that could not be downloaded.

    The row of an existing product loses all its pictures, so that the product keeps its current ones.
    """
    values = {column: value for column, value in row.values.items() if column != "pictures"}
    if _is_new(match):
        values["pictures"] = tuple(name for name in row.values["pictures"] if not album.is_lost(name))
    return replace(row, values=values)


def _drop_lost_variant_pictures(row: Row, album: Album) -> Row:
    if not row.get(VARIANT_PICTURES):
        return row
    kept = tuple(name for name in row.values[VARIANT_PICTURES] if not album.is_lost(name))
    return replace(row, values={**row.values, VARIANT_PICTURES: kept})


def _is_new(match: Match | None) -> bool:
    return match is None or match.product is None or match.product.deleted_at is not None


def to_stored_changes(changes: Mapping[str, tuple[Any, Any]]) -> list[JsonObject]:
    """Return the changes in the JSON form that is stored with the row."""
    return [
        {"column": column, "before": _shorten(column, before), "after": _shorten(column, after)}
        for column, (before, after) in changes.items()
        if column in COLUMNS or column == OPTIONS
    ]


def to_stored_messages(messages: Sequence[Problem | Note]) -> list[JsonObject]:
    """Return problems or notes in the JSON form that is stored with the row."""
    return [
        {"column": one.column, "code": one.code, "detail": one.detail[:MAX_VALUE_LENGTH]} for one in messages
    ]


def _shorten(column: str, value: Any) -> object:
    cell = format_cell(column, value)
    return cell[:MAX_VALUE_LENGTH] if isinstance(cell, str) else cell
