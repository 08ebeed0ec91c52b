"""Parts that all lists of the office share: filters in the URL, pages of rows, active filters, and counts of new rows.

A list's view is a `ListView` with its `rows`. Its filters are query parameters of the URL, so every filtered list
has a link. `storefront/office/list_state.py` stores the view, `storefront/office/components/list_filters.py` shows
the filters.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import Any, TypeVarTuple
from urllib.parse import urlencode

from babel.dates import format_date
from sqlalchemy import Integer, Row, Select, func, select, tuple_
from sqlalchemy.ext.asyncio import AsyncSession

from backend.core.cursors import format_cursor, parse_cursor
from backend.core.dates import LOCALE
from backend.core.errors import InvalidData
from backend.core.texts import _

MAX_NEW_ROWS = 99
"""Maximum number of new rows that are counted."""

Columns = TypeVarTuple("Columns")


@dataclass(frozen=True, slots=True)
class ActiveFilter:
    """A filter that is set: its label, and the URL of the list without this filter."""

    label: str
    without: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ListView:
    """A page of a list. Each kind of list adds its `rows`, whose items have an `id`.

    Attributes:
        cursor: the cursor of the next page; empty if there are no more rows.
        newest: cursor of the newest row, for counting newer rows; empty if the list does not need it.
        filters: the values of the URL's query parameters, by their names.
        active: the filters that are set.
    """

    cursor: str = ""
    newest: str = ""
    filters: dict[str, str] = field(default_factory=dict)
    active: list[ActiveFilter] = field(default_factory=list)


def read_filters(params: Mapping[str, str], names: Sequence[str], max_length: int) -> dict[str, str]:
    """Return these query parameters, cut to `max_length` characters; an empty text for a missing parameter."""
    return {name: params.get(name, "")[:max_length] for name in names}


def filters_url(filters: Mapping[str, str], path: str = "", **changed: str) -> str:
    """Return the URL of the list with the parameters in `changed` replaced, without empty parameters."""
    query = urlencode({name: value for name, value in {**filters, **changed}.items() if value})
    return f"{path}?{query}" if query else path


def labels_of(choices: Mapping[str, tuple[str, Any]]) -> dict[str, str]:
    """Return the labels of choices by their names."""
    return {name: label for name, (label, _meaning) in choices.items()}


def label_of(choices: Mapping[str, tuple[str, Any]], name: str) -> str:
    """Return the label of the choice `name`; empty if there is no such choice."""
    return choices[name][0] if name in choices else ""


def active_filters(filters: Mapping[str, str], *labelled: tuple[str, *tuple[str, ...]]) -> list[ActiveFilter]:
    """Return the filters that are set.

    Args:
        filters: the values of the list's query parameters. The search text `q` is one of the filters.
        labelled: for each other filter, its label (empty if it is not set) and the names of its parameters.
    """
    text = filters.get("q", "").strip()
    return [
        ActiveFilter(label, filters_url(filters, **dict.fromkeys(names, "")))
        for label, *names in ((f"«{text}»" if text else "", "q"), *labelled)
        if label
    ]


def days_label(first: date | None, last: date | None) -> str:
    """Return the label of a range of days; empty if both days are None."""
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
        query: the query; the first element of its rows is the entity that has the key's columns.
        key: the sort key of the list: a column with a time, and a unique column.
        cursor: the cursor of the page; empty for the first page.
        size: rows of a page.
        is_descending: True if the highest key is first.

    Raises:
        InvalidData: the cursor does not belong to this list.
    """
    if cursor:
        place = _parse_place(key, cursor)
        query = query.where(tuple_(*key) < place if is_descending else tuple_(*key) > place)
    query = query.order_by(*(column.desc() if is_descending else column for column in key)).limit(size + 1)
    found = (await session.execute(query)).all()
    if len(found) <= size:
        return found, ""
    last_row: Any = found[size - 1]
    moment, last = (getattr(last_row[0], column.key) for column in key)
    return found[:size], format_cursor(moment, last)


def exclude_next_pages(query: Select[*Columns], key: tuple[Any, Any], cursor: str) -> Select[*Columns]:
    """Limit the query to the rows of the pages that are displayed. The list must be sorted in ascending order.

    Args:
        query: a query that counts rows.
        key: see `read_page`.
        cursor: the cursor of the next page; empty if all rows are shown.
    """
    return query.where(tuple_(*key) <= _parse_place(key, cursor)) if cursor else query


async def count_new_rows(session: AsyncSession, query: Select[*Columns]) -> int:
    """Count the rows of the query. The result is at most `MAX_NEW_ROWS`."""
    counted = select(func.count()).select_from(query.limit(MAX_NEW_ROWS).subquery())
    return (await session.execute(counted)).scalar_one()


def _parse_place(key: tuple[Any, Any], cursor: str) -> tuple[datetime, str | int]:
    moment, last = parse_cursor(cursor)
    if not isinstance(key[1].type, Integer):
        return moment, last
    if not (last.isascii() and last.isdecimal()):
        raise InvalidData("not a cursor")
    return moment, int(last)
