"""One list of the office: what its address asks for, a page of its rows, the filters that are on, and what is new.

A list's view is a `ListView` with its `rows`. Its filters are fields of the address, so every list can be linked to.
`storefront/office/list_state.py` holds the view, `storefront/office/components/list_filters.py` shows the filters.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import Any, TypeVarTuple
from urllib.parse import urlencode

from babel.dates import format_date
from sqlalchemy import Integer, Row, Select, func, select, tuple_
from sqlalchemy.ext.asyncio import AsyncSession

from backend.core.cursors import cursor_at, read_cursor
from backend.core.dates import LOCALE
from backend.core.errors import InvalidData
from backend.core.texts import _

MAX_NEW_ROWS = 99
"""New rows that are counted at most."""

Columns = TypeVarTuple("Columns")


@dataclass(frozen=True, slots=True)
class ActiveFilter:
    """A filter that is on: its label, and the address of the list without it."""

    label: str
    without: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ListView:
    """A list as it is shown. Each kind of list adds its `rows`, whose items have an `id`.

    Attributes:
        cursor: reads the next rows; empty when there are none.
        newest: marks the newest row there was, so that newer ones can be counted; empty if the list needs no mark.
        asked: the values of the fields of the address, by their names.
        active: the filters that are on.
    """

    cursor: str = ""
    newest: str = ""
    asked: dict[str, str] = field(default_factory=dict)
    active: list[ActiveFilter] = field(default_factory=list)


def read_asked(asked: Mapping[str, str], names: Sequence[str], max_length: int) -> dict[str, str]:
    """Return the values of these fields of an address, cut to `max_length` characters; empty if missing."""
    return {name: asked.get(name, "")[:max_length] for name in names}


def address_with(asked: Mapping[str, str], path: str = "", **changed: str) -> str:
    """Return the address of the list with these fields changed, without the empty ones."""
    query = urlencode({name: value for name, value in {**asked, **changed}.items() if value})
    return f"{path}?{query}" if query else path


def labels_of(choices: Mapping[str, tuple[str, Any]]) -> dict[str, str]:
    """Return the labels of choices by their names."""
    return {name: label for name, (label, _meaning) in choices.items()}


def label_of(choices: Mapping[str, tuple[str, Any]], name: str) -> str:
    """Return the label of a choice; empty if there is none of that name."""
    return choices[name][0] if name in choices else ""


def active_filters(asked: Mapping[str, str], *filters: tuple[str, *tuple[str, ...]]) -> list[ActiveFilter]:
    """Return the filters that are on.

    Args:
        asked: the values of the list's fields. The search `q` is a filter of its own.
        filters: the label of each, empty for one that is off; and the names of the fields that it consists of.
    """
    text = asked.get("q", "").strip()
    return [
        ActiveFilter(label, address_with(asked, **dict.fromkeys(names, "")))
        for label, *names in ((f"«{text}»" if text else "", "q"), *filters)
        if label
    ]


def days_label(first: date | None, last: date | None) -> str:
    """Return the label of the days from the first to the last; empty without any."""
    since, until = (format_date(day, "d MMM", locale=LOCALE) if day else "" for day in (first, last))
    if since and until:
        return since if since == until else f"{since} – {until}"
    if since:
        return _("Desde {day}").format(day=since)
    return _("Hasta {day}").format(day=until) if until else ""


async def read_page(
    session: AsyncSession,
    query: Select[*Columns],
    key: tuple[Any, Any],
    cursor: str,
    size: int,
    *,
    is_descending: bool = False,
) -> tuple[Sequence[Row[*Columns]], str]:
    """Return a page of rows, and the cursor of the next page; empty at the end.

    Args:
        session: for reading.
        query: its rows begin with the entity that has the key's columns.
        key: a moment and a unique column, by which the list is sorted.
        cursor: of the page; empty for the first.
        size: rows of a page.
        is_descending: the highest key comes first.

    Raises:
        InvalidData: the cursor is not one of this list.
    """
    if cursor:
        place = _read_place(key, cursor)
        query = query.where(tuple_(*key) < place if is_descending else tuple_(*key) > place)
    query = query.order_by(*(column.desc() if is_descending else column for column in key)).limit(size + 1)
    found = (await session.execute(query)).all()
    if len(found) <= size:
        return found, ""
    last_row: Any = found[size - 1]
    moment, last = (getattr(last_row[0], column.key) for column in key)
    return found[:size], cursor_at(moment, last)


def exclude_next_pages(query: Select[*Columns], key: tuple[Any, Any], cursor: str) -> Select[*Columns]:
    """Return the query without the rows after the shown pages. The lowest key comes first.

    Args:
        query: for counting.
        key: see `read_page`.
        cursor: of the next page; empty if all rows are shown.
    """
    return query.where(tuple_(*key) <= _read_place(key, cursor)) if cursor else query


async def count_new_rows(session: AsyncSession, query: Select[*Columns]) -> int:
    """Return how many rows the query has, at most `MAX_NEW_ROWS`."""
    counted = select(func.count()).select_from(query.limit(MAX_NEW_ROWS).subquery())
    return (await session.execute(counted)).scalar_one()


def _read_place(key: tuple[Any, Any], cursor: str) -> tuple[datetime, str | int]:
    moment, last = read_cursor(cursor)
    if not isinstance(key[1].type, Integer):
        return moment, last
    if not (last.isascii() and last.isdecimal()):
        raise InvalidData("not a cursor")
    return moment, int(last)
