"""The query of a request: its parameters as a model, the requested `fields`, and the page and order of a list.

A list parameter may be written `id=a&id=b`, `id[]=a&id[]=b` or `id[0]=a&id[1]=b`. FastAPI's own parser supports
only the first form, and takes longer than the database does.

`fields` selects parts of an answer (wire: commerce-api, Conventions): `a,b` replaces the default fields, `+a` adds
one, `-a` removes one, `*relation` is a whole relation, and dots lead into relations. Unknown names are ignored;
`id` is always included.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Annotated, Any, TypeVar, cast, get_args, get_origin
from urllib.parse import parse_qsl

from fastapi import Depends, Request
from fastapi.exceptions import RequestValidationError
from pydantic import ValidationError
from sqlalchemy import ColumnElement, and_, func, or_, select, true
from sqlalchemy.ext.asyncio import AsyncSession
from sqlmodel import SQLModel

from backend.core.collation import MAX_SEARCH_WORDS, fold
from backend.core.errors import InvalidData
from backend.edge.schemas import (
    FilterParameters,
    ListParameters,
    MomentParameters,
    NamedParameters,
    Parameters,
)
from backend.edge.wire import JsonDict, Page

_INDEX = re.compile(r"\[\d{0,3}\]$")
_BRANCH = re.compile(r"\$(or|and)\[(\d{1,2})\]\[([^\[\]]+)\](.*)")
"""Pattern of `$or[0][title]` and of what may follow it: an index, an operator, or `[0][title]` of a nested `$and`."""
_ACCENTED = {"áÁ": "a", "éÉ": "e", "íÍ": "i", "óÓ": "o", "úÚüÜ": "u", "ñÑ": "n"}
MAX_VALUES = 1000
MAX_DEPTH = 3
"""Maximum nesting of `$or` and `$and`."""
PAGING = frozenset(ListParameters.model_fields)

Row = TypeVar("Row", bound=SQLModel)
Query = TypeVar("Query", bound=FilterParameters)
Shape = TypeVar("Shape")
Pairs = Sequence[tuple[str, str]]


class QueryReader:
    """A FastAPI dependency that parses the query parameters of a request into `model`."""

    def __init__(self, model: type[Parameters]) -> None:
        self.model = model
        self._combines = issubclass(model, FilterParameters)
        self._lists = frozenset(
            field.alias or name for name, field in model.model_fields.items() if _is_list(field.annotation)
        )

    async def __call__(self, request: Request) -> Parameters:
        """Parse the request's parameters.

        Raises:
            RequestValidationError: a parameter is unknown, malformed or out of range.
            InvalidData: a part of `$and` or `$or` has parameters for paging.
        """
        return self._read(request.query_params.multi_items()[:MAX_VALUES], 0)

    def read_text(self, query: str) -> Parameters:
        """Parse the parameters of a query that was stored as text.

        Raises:
            RequestValidationError, InvalidData: see `__call__`.
        """
        return self._read(parse_qsl(query, keep_blank_values=True)[:MAX_VALUES], 0)

    def _read(self, pairs: Pairs, depth: int) -> Parameters:
        values: dict[str, Any] = {}
        branches: dict[str, dict[str, list[tuple[str, str]]]] = {"or": {}, "and": {}}
        for written, value in pairs:
            name = _INDEX.sub("", written) if "[" in written else written
            if self._combines and depth < MAX_DEPTH and (branch := _BRANCH.fullmatch(written)):
                operator, number, first, rest = branch.groups()
                branches[operator].setdefault(number, []).append((f"{first}{rest}", value))
            elif name in self._lists:
                values.setdefault(name, []).append(value)
            else:
                values[name] = value
        try:
            parameters = self.model.model_validate(values, by_name=False, by_alias=True)
        except ValidationError as error:
            problems = [
                {**problem, "loc": ("query", *problem["loc"])} for problem in error.errors(include_url=False)
            ]
            raise RequestValidationError(problems) from None
        if depth and (paging := PAGING & parameters.model_fields_set):
            raise InvalidData(f"Invalid request: Unrecognized fields: '{', '.join(sorted(paging))}'")
        if isinstance(parameters, FilterParameters):
            any_of, all_of = (
                [self._read(part, depth + 1) for part in branches[name].values()] for name in ("or", "and")
            )
            parameters.combine(any_of, all_of)  # type: ignore[arg-type]  # they have the same model
        return parameters

    def documentation(self) -> list[dict[str, Any]]:
        """Return the parameters for the OpenAPI document."""
        schema = self.model.model_json_schema()
        types = schema.get("$defs", {})
        required = schema.get("required", ())
        return [
            {
                "name": name,
                "in": "query",
                "required": name in required,
                **({"description": part.pop("description")} if "description" in part else {}),
                "schema": _inline_types(_without_null(part), types),
            }
            for name, part in schema["properties"].items()
        ]


def read_query(model: type[Parameters]) -> Any:
    """Return the annotation for a route's parameter: a `QueryReader` parses the request's query into this model."""
    return Depends(QueryReader(model))


def _is_list(annotation: Any) -> bool:
    if get_origin(annotation) is Annotated:
        annotation = get_args(annotation)[0]
    return get_origin(annotation) is list or any(map(_is_list, get_args(annotation)))


def _inline_types(part: Any, types: Mapping[str, Any]) -> Any:
    """Return the schema with each `$ref` replaced by its type. Types of parameters are not in `components`."""
    if isinstance(part, list):
        return [_inline_types(each, types) for each in part]
    if not isinstance(part, dict):
        return part
    named = types[part["$ref"].rpartition("/")[2]] if "$ref" in part else {}
    rest = {name: _inline_types(value, types) for name, value in part.items() if name != "$ref"}
    return {**named, **rest}


def _without_null(part: dict[str, Any]) -> dict[str, Any]:
    """Return the parameter's schema without null, because a query has no null: a parameter is left out instead."""
    options = [option for option in part.get("anyOf", ()) if option.get("type") != "null"]
    if len(options) == 1:
        rest = {name: value for name, value in part.items() if name not in ("anyOf", "default", "title")}
        return {**rest, **options[0]}
    return part


Node = dict[str, Any]
"""Requested fields below one field: child nodes by name.

`*` as a name means all default fields; `-` has the names that are removed.
"""

EVERYTHING = "*"
MAX_FIELDS = 4000


class Fields:
    """The parsed `fields` parameter: `wants` decides which data is read, `pick` selects it from an answer."""

    def __init__(self, text: str | None = None) -> None:
        names = _split_names(text)
        self._root: Node = {}
        # a plain name replaces the defaults; one that adds, removes or names a whole relation does not
        self.shows_defaults = not any(name[0] not in "+-*" for name in names)
        if self.shows_defaults:
            self._root[EVERYTHING] = {}
        for name in names:
            _add_name(self._root, name)
        self.is_plain = self._root.keys() == {EVERYTHING}

    def wants(self, path: str, *, by_default: bool = False) -> bool:
        """Return True if the field must be read. `by_default` is True if the field is one of the default fields."""
        node = self._root
        for name in path.split("."):
            if name in node.get("-", ()):
                return False
            if name not in node:
                # a relation that is named without fields is requested as a whole
                return by_default and (EVERYTHING in node or (node is not self._root and not node))
            node = node[name]
        return True

    def pick(self, value: Shape) -> Shape:
        """Return the value with only the requested fields. Its declared type stays that of the whole value."""
        return value if self.is_plain else cast(Shape, _pick(value, self._root))


def _split_names(text: str | None) -> list[str]:
    """Return the names in the parameter. A leading space means `+`, because an unescaped `+` arrives as a space.

    A space before another mark has no meaning: the official storefront writes `*items, *region`.
    """
    if not text:
        return []
    parts = [(part, part.strip()) for part in text[:MAX_FIELDS].split(",")]
    return [
        f"+{name}" if part.startswith(" ") and name[:1] not in ("+", "-", "*") else name
        for part, name in parts
        if name
    ]


def _add_name(root: Node, name: str) -> None:
    mark = name[0] if name[0] in "+-*" else ""
    path = [step for step in name.removeprefix(mark).split(".") if step not in ("", EVERYTHING)]
    if not path:
        return
    *relations, last = path
    node = root
    for relation in relations:
        node = _get_child(node, relation)
    if mark == "-":
        node.setdefault("-", set()).add(last)
        return
    is_whole = mark == EVERYTHING or name.endswith(".*")
    child = _get_child(node, last)
    if is_whole:
        child[EVERYTHING] = {}


def _get_child(node: Node, name: str) -> Node:
    """Return the child node of this name. Create it if necessary.

    A new child includes its default fields if its parent does.
    """
    if name not in node:
        node[name] = {EVERYTHING: {}} if EVERYTHING in node else {}
    child: Node = node[name]
    return child


def _pick(value: Any, node: Node) -> Any:
    if isinstance(value, list):
        return [_pick(item, node) for item in value]
    if not isinstance(value, dict) or not node:
        return value
    away = node.get("-", ())
    shows_rest = EVERYTHING in node
    picked: dict[str, Any] = {}
    for name, part in value.items():
        if name in away:
            continue
        if name in node:
            picked[name] = _pick(part, node[name])
        elif shows_rest or name == "id":
            picked[name] = part
    return picked


def pick_each(items: Iterable[Shape], parameters: ListParameters) -> list[Shape]:
    """Return the requested fields of each item."""
    fields = Fields(parameters.fields)
    return [fields.pick(item) for item in items]


def paging_fields(count: int, parameters: ListParameters) -> Page:
    """Return `count`, `offset` and `limit` of a list's answer."""
    return {"count": count, "offset": parameters.offset, "limit": parameters.limit}


def list_response(name: str, items: Iterable[JsonDict], count: int, parameters: ListParameters) -> Page:
    """Return the answer to a list: `{<name>: […], count, offset, limit}`.

    Use it if the list's name is known only at run time.
    """
    return cast(Page, {name: pick_each(items, parameters), **paging_fields(count, parameters)})


def where_clauses(
    parameters: Query, conditions: Callable[[Query], Iterable[ColumnElement[bool]]]
) -> list[ColumnElement[bool]]:
    """Return the WHERE clauses for the filters, including nested `$and` and `$or`.

    `conditions` must return the clauses of one level: of the query itself, or of one part of `$and` or `$or`.
    """

    def whole(part: Query) -> ColumnElement[bool]:
        return and_(true(), *where_clauses(part, conditions))

    found = [*conditions(parameters), *map(whole, parameters.all_of)]
    return [*found, or_(*map(whole, parameters.any_of))] if parameters.any_of else found


def in_clauses(*pairs: tuple[Any, Sequence[Any] | None]) -> list[ColumnElement[bool]]:
    """Return the condition `column IN (values)` for each of these pairs; a pair with None is skipped."""
    return [column.in_(values) for column, values in pairs if values is not None]


def search_clauses(text: str | None, *columns: Any) -> list[ColumnElement[bool]]:
    """Return the conditions of the parameter `q` on a small table: each word must be part of one of the columns.

    Accents and case are ignored. A word is also searched as it was typed, because `_folded` removes fewer accents
    from a column than `fold` removes from the word.

    All rows are read. Large tables have a word index instead (`backend.catalog.search.index`, `staff_search`,
    `backend.customers.search_terms`).
    """
    folded = [_folded(column) for column in columns]
    return [
        or_(
            *(column.icontains(word, autoescape=True) for column in columns),
            *(column.contains(fold(word), autoescape=True) for column in folded),
        )
        for word in (text or "").split()[:MAX_SEARCH_WORDS]
    ]


def _folded(column: Any) -> ColumnElement[str]:
    """Return an SQL expression for the column in lower case and without Spanish accents, similar to `fold`.

    It uses only functions that SQLite has too.
    """
    folded = func.lower(column)
    for letters, plain in _ACCENTED.items():
        for letter in letters:
            folded = func.replace(folded, letter, plain)
    return folded


def name_clauses(table: Any) -> Callable[[NamedParameters], list[ColumnElement[bool]]]:
    """Return a function that converts `NamedParameters` to SQL conditions on the ids and names of this table."""

    def conditions(parameters: NamedParameters) -> list[ColumnElement[bool]]:
        found = in_clauses((table.id, parameters.id), (table.name, parameters.name))
        return [*found, *search_clauses(parameters.q, table.name)]

    return conditions


def moment_clauses(parameters: MomentParameters, created: Any, updated: Any) -> list[ColumnElement[bool]]:
    """Return the SQL conditions on the times of creation and of the latest change."""
    bounds = (
        (
            created,
            parameters.created_after,
            parameters.created_from,
            parameters.created_before,
            parameters.created_until,
        ),
        (
            updated,
            parameters.updated_after,
            parameters.updated_from,
            parameters.updated_before,
            parameters.updated_until,
        ),
    )
    conditions: list[ColumnElement[bool]] = []
    then = (
        (created, parameters.created_at),
        (created, parameters.created_then),
        (updated, parameters.updated_at),
        (updated, parameters.updated_then),
    )
    for column, moment in then:
        if moment is not None:
            begin = moment.replace(microsecond=moment.microsecond // 1000 * 1000)
            conditions += [column >= begin, column <= begin.replace(microsecond=begin.microsecond + 999)]
    for column, after, since, before, until in bounds:
        if after is not None:
            conditions.append(column > after)
        if since is not None:
            conditions.append(column >= since)
        if before is not None:
            conditions.append(column < before)
        if until is not None:
            conditions.append(column <= until)
    return conditions


def order_clauses(
    order: str | None, columns: Mapping[str, Any], default: Sequence[Any]
) -> list[ColumnElement[Any]]:
    """Return the ORDER BY columns: that of `order` (`title` ascending, `-title` descending), then those of `default`.

    Raises:
        InvalidData: the list cannot be sorted by this field.
    """
    if not order:
        return list(default)
    name = order.removeprefix("-")
    column = columns.get(name)
    if column is None:
        raise InvalidData(
            f"Invalid request: cannot order by '{name}'; possible: {', '.join(sorted(columns))}"
        )
    return [column.desc() if order.startswith("-") else column.asc(), *default]


async def read_page(
    session: AsyncSession,
    table: type[Row],
    conditions: Sequence[ColumnElement[bool]],
    order: Sequence[ColumnElement[Any]],
    parameters: ListParameters,
) -> tuple[Sequence[Row], int]:
    """Return the requested page of the rows that meet the conditions, and the number of such rows."""
    count = await session.execute(select(func.count()).select_from(table).where(*conditions))
    page = select(table).where(*conditions).order_by(*order).offset(parameters.offset).limit(parameters.limit)
    return (await session.execute(page)).scalars().all(), count.scalar_one()


def slice_page(items: Sequence[Shape], parameters: ListParameters) -> Sequence[Shape]:
    """Return the requested page of a list in memory."""
    return items[parameters.offset : parameters.offset + parameters.limit]
