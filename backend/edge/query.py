"""The query of a request: its parameters as a model, the wanted `fields`, and the page and order of a list.

A parameter that is a list may be written `id=a&id=b`, `id[]=a&id[]=b` or `id[0]=a&id[1]=b`. FastAPI's own reader of
models knows only the first, and takes longer than the database does.

`fields` says which parts of an answer a program wants (wire: commerce-api, Conventions): `a,b` replaces what is shown
by default, `+a` adds to it, `-a` takes away, `*relation` is a relation as a whole, and dots lead into relations.
Unknown names are ignored; `id` always comes.
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

from backend.core.collation import MOST_WORDS, fold
from backend.core.errors import InvalidData
from backend.edge.schemas import FilterParameters, ListParameters, Moments, NamedParameters, Parameters
from backend.edge.wire import JsonDict, Page

_INDEX = re.compile(r"\[\d{0,3}\]$")
_BRANCH = re.compile(r"\$(or|and)\[(\d{1,2})\]\[([^\[\]]+)\](.*)")
"""`$or[0][title]`, and what follows it: an index, an operator, or `[0][title]` of a `$and` below."""
_ACCENTED = {"áÁ": "a", "éÉ": "e", "íÍ": "i", "óÓ": "o", "úÚüÜ": "u", "ñÑ": "n"}
MAX_VALUES = 1000
MAX_DEPTH = 3
"""Of `$or` and `$and` within each other."""
PAGING = frozenset(ListParameters.model_fields)

Row = TypeVar("Row", bound=SQLModel)
Asked = TypeVar("Asked", bound=FilterParameters)
Shape = TypeVar("Shape")
Pairs = Sequence[tuple[str, str]]


class QueryReader:
    """A dependency: the request's parameters as this model."""

    def __init__(self, model: type[Parameters]) -> None:
        self.model = model
        self._combines = issubclass(model, FilterParameters)
        self._lists = frozenset(
            field.alias or name for name, field in model.model_fields.items() if _is_list(field.annotation)
        )

    async def __call__(self, request: Request) -> Parameters:
        """The parameters.

        Raises:
            RequestValidationError: one is unknown, malformed or too much.
        """
        return self._read(request.query_params.multi_items()[:MAX_VALUES], 0)

    def read_text(self, query: str) -> Parameters:
        """The parameters of a query that was kept as text.

        Raises:
            RequestValidationError: see `__call__`.
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
            asked = self.model.model_validate(values, by_name=False, by_alias=True)
        except ValidationError as error:
            problems = [
                {**problem, "loc": ("query", *problem["loc"])} for problem in error.errors(include_url=False)
            ]
            raise RequestValidationError(problems) from None
        if depth and (paging := PAGING & asked.model_fields_set):
            raise InvalidData(f"Invalid request: Unrecognized fields: '{', '.join(sorted(paging))}'")
        if isinstance(asked, FilterParameters):
            any_of, all_of = (
                [self._read(part, depth + 1) for part in branches[name].values()] for name in ("or", "and")
            )
            asked.combine(any_of, all_of)  # type: ignore[arg-type]  # they are of the same model
        return asked

    def documentation(self) -> list[dict[str, Any]]:
        """The parameters as OpenAPI has them."""
        schema = self.model.model_json_schema(ref_template="#/components/schemas/{model}")
        required = schema.get("required", ())
        return [
            {
                "name": name,
                "in": "query",
                "required": name in required,
                **({"description": part.pop("description")} if "description" in part else {}),
                "schema": _without_null(part),
            }
            for name, part in schema["properties"].items()
        ]


def read_query(model: type[Parameters]) -> Any:
    """What a route writes beside the model: its parameters are read by a `QueryReader`."""
    return Depends(QueryReader(model))


def _is_list(annotation: Any) -> bool:
    if get_origin(annotation) is Annotated:
        annotation = get_args(annotation)[0]
    return get_origin(annotation) is list or any(map(_is_list, get_args(annotation)))


def _without_null(part: dict[str, Any]) -> dict[str, Any]:
    """A parameter that is left out is left out: nobody writes null into a query."""
    options = [option for option in part.get("anyOf", ()) if option.get("type") != "null"]
    if len(options) == 1:
        rest = {name: value for name, value in part.items() if name not in ("anyOf", "default", "title")}
        return {**rest, **options[0]}
    return part


Node = dict[str, Any]
"""Names to nodes. `*`: all that is shown by default; `-`: the names taken away."""

EVERYTHING = "*"
MAX_FIELDS = 4000


class Fields:
    """A wish for fields, parsed once: `wants` says what has to be read, `pick` what is shown of it."""

    def __init__(self, text: str | None = None) -> None:
        names = _parts(text)
        self._root: Node = {}
        # a plain name replaces the defaults, except one that only adds, takes away or names a whole relation
        self.shows_defaults = not any(name[0] not in "+-*" for name in names)
        if self.shows_defaults:
            self._root[EVERYTHING] = {}
        for name in names:
            _plant(self._root, name)
        self.is_plain = self._root.keys() == {EVERYTHING}

    def wants(self, path: str, *, by_default: bool = False) -> bool:
        """Whether the field is to be read. `by_default`: it is shown where nothing else was asked for."""
        node = self._root
        for name in path.split("."):
            if name in node.get("-", ()):
                return False
            if name not in node:
                # a relation that was named without any of its fields is wanted whole
                return by_default and (EVERYTHING in node or (node is not self._root and not node))
            node = node[name]
        return True

    def pick(self, value: Shape) -> Shape:
        """Return the requested fields of the value, typed as the whole value."""
        return value if self.is_plain else cast(Shape, _pick(value, self._root))


def _parts(text: str | None) -> list[str]:
    """The names. A `+` in an unescaped query arrives as a space, so a leading space is read as one.

    Before another mark it is only a space: the official storefront writes `*items, *region`.
    """
    if not text:
        return []
    parts = [(part, part.strip()) for part in text[:MAX_FIELDS].split(",")]
    return [
        f"+{name}" if part.startswith(" ") and name[:1] not in ("+", "-", "*") else name
        for part, name in parts
        if name
    ]


def _plant(root: Node, name: str) -> None:
    mark = name[0] if name[0] in "+-*" else ""
    path = [step for step in name.removeprefix(mark).split(".") if step not in ("", EVERYTHING)]
    if not path:
        return
    *relations, last = path
    node = root
    for relation in relations:
        node = _into(node, relation)
    if mark == "-":
        node.setdefault("-", set()).add(last)
        return
    is_whole = mark == EVERYTHING or name.endswith(".*")
    child = _into(node, last)
    if is_whole:
        child[EVERYTHING] = {}


def _into(node: Node, name: str) -> Node:
    """The node below. Under defaults, what is named comes on top of what is shown anyway."""
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


def pick_each(items: Iterable[Shape], asked: ListParameters) -> list[Shape]:
    """Return the requested fields of each item."""
    fields = Fields(asked.fields)
    return [fields.pick(item) for item in items]


def paging(count: int, asked: ListParameters) -> Page:
    """Return `count`, `offset` and `limit` of a list's answer."""
    return {"count": count, "offset": asked.offset, "limit": asked.limit}


def listed(name: str, items: Iterable[JsonDict], count: int, asked: ListParameters) -> Page:
    """Return the answer to a list whose name is known at run time only: `{<name>: […], count, offset, limit}`."""
    return cast(Page, {name: pick_each(items, asked), **paging(count, asked)})


def met(
    asked: Asked, conditions: Callable[[Asked], Iterable[ColumnElement[bool]]]
) -> list[ColumnElement[bool]]:
    """All conditions of a query: those that `conditions` makes of its filters, and of what `$and` and `$or` add."""

    def whole(part: Asked) -> ColumnElement[bool]:
        return and_(true(), *met(part, conditions))

    found = [*conditions(asked), *map(whole, asked.all_of)]
    return [*found, or_(*map(whole, asked.any_of))] if asked.any_of else found


def one_of(*pairs: tuple[Any, Sequence[Any] | None]) -> list[ColumnElement[bool]]:
    """For each column with values that were asked for: it has one of them."""
    return [column.in_(values) for column, values in pairs if values is not None]


def mentions(text: str | None, *columns: Any) -> list[ColumnElement[bool]]:
    """What makes the conditions of `q` on a small table: every word is a part of a column, accents and case ignored.

    A word is looked for as it was typed, too: a column is not folded as much as a word is (`_folded`).

    Every row is read. What a shop has many of is found by its words (`backend.catalog.search.index`, `staff_search`,
    `backend.customers.search_terms`).
    """
    folded = [_folded(column) for column in columns]
    return [
        or_(
            *(column.icontains(word, autoescape=True) for column in columns),
            *(column.contains(fold(word), autoescape=True) for column in folded),
        )
        for word in (text or "").split()[:MOST_WORDS]
    ]


def _folded(column: Any) -> ColumnElement[str]:
    """The column as `fold` writes it, for the letters of Spanish: SQLite has no function for it."""
    folded = func.lower(column)
    for letters, plain in _ACCENTED.items():
        for letter in letters:
            folded = func.replace(folded, letter, plain)
    return folded


def named(table: Any) -> Callable[[NamedParameters], list[ColumnElement[bool]]]:
    """What makes the conditions on rows of a table with ids and names."""

    def conditions(asked: NamedParameters) -> list[ColumnElement[bool]]:
        found = one_of((table.id, asked.id), (table.name, asked.name))
        return [*found, *mentions(asked.q, table.name)]

    return conditions


def moments(asked: Moments, created: Any, updated: Any) -> list[ColumnElement[bool]]:
    """The conditions on when something was made and changed."""
    bounds = (
        (created, asked.created_after, asked.created_from, asked.created_before, asked.created_until),
        (updated, asked.updated_after, asked.updated_from, asked.updated_before, asked.updated_until),
    )
    conditions: list[ColumnElement[bool]] = []
    then = (
        (created, asked.created_at),
        (created, asked.created_then),
        (updated, asked.updated_at),
        (updated, asked.updated_then),
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


def in_order(
    wanted: str | None, columns: Mapping[str, Any], default: Sequence[Any]
) -> list[ColumnElement[Any]]:
    """What to order by: `title` ascending, `-title` descending.

    Raises:
        InvalidData: the list cannot be ordered by this.
    """
    if not wanted:
        return list(default)
    name = wanted.removeprefix("-")
    column = columns.get(name)
    if column is None:
        raise InvalidData(
            f"Invalid request: cannot order by '{name}'; possible: {', '.join(sorted(columns))}"
        )
    return [column.desc() if wanted.startswith("-") else column.asc(), *default]


async def rows_of(
    session: AsyncSession,
    table: type[Row],
    conditions: Sequence[ColumnElement[bool]],
    order: Sequence[ColumnElement[Any]],
    asked: ListParameters,
) -> tuple[Sequence[Row], int]:
    """The asked page of the rows that meet the conditions, and how many rows meet them."""
    count = await session.execute(select(func.count()).select_from(table).where(*conditions))
    page = select(table).where(*conditions).order_by(*order).offset(asked.offset).limit(asked.limit)
    return (await session.execute(page)).scalars().all(), count.scalar_one()


def page_of(items: Sequence[Shape], asked: ListParameters) -> Sequence[Shape]:
    """The asked part of a list that is in memory."""
    return items[asked.offset : asked.offset + asked.limit]
