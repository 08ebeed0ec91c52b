"""Stretches of lists: which order, and how they are answered."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from sqlalchemy import ColumnElement

from backend.edge.fields import Fields
from backend.edge.schemas import ListParameters
from backend.edge.wire import JsonDict
from backend.errors import InvalidData


def listed(name: str, items: Iterable[JsonDict], count: int, asked: ListParameters) -> JsonDict:
    """The answer to a list: `{<name>: […], count, offset, limit}`."""
    fields = Fields(asked.fields)
    return {
        name: [fields.pick(item) for item in items],
        "count": count,
        "offset": asked.offset,
        "limit": asked.limit,
    }


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


def page_of(items: Sequence[Any], asked: ListParameters) -> Sequence[Any]:
    """The asked part of a list that is in memory."""
    return items[asked.offset : asked.offset + asked.limit]
