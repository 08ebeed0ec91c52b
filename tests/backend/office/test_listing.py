"""Parts that all lists of the office share: pages, active filters and day labels."""

from datetime import date

import pytest
from sqlalchemy import select

from backend.app import Shop
from backend.core.db.database import database_now
from backend.core.errors import InvalidData
from backend.office.listing import (
    ActiveFilter,
    active_filters,
    count_new_rows,
    days_label,
    labels_of,
    read_filters,
    read_page,
)
from backend.pqrs.models import Pqrs
from backend.pqrs.service import send_pqrs
from backend.rate_limit.limiter import Client

KEY = (Pqrs.asked_at, Pqrs.number)
ASKED = {"kind": "queja", "name": "Ana", "email": "ana@example.com", "text": "Nadie contesta el teléfono."}


@pytest.mark.parametrize("is_descending", [False, True])
async def test_pages_of_an_office_list_contain_every_row_once_in_order(
    shop: Shop, *, is_descending: bool
) -> None:
    numbers = []
    for person in range(5):
        words = {**ASKED, "email": f"ana{person}@example.com"}
        numbers.append((await send_pqrs(shop.database, words, client=Client(f"190.24.{person}.1"))).number)
    found: list[int | None] = []
    cursor = ""
    async with shop.database.read() as session:
        for size in (2, 2, 1):
            page, cursor = await read_page(session, select(Pqrs), KEY, cursor, 2, is_descending=is_descending)
            assert len(page) == size
            found += [row.number for (row,) in page]
        assert cursor == ""
        assert await count_new_rows(session, select(Pqrs.id)) == 5
    assert found == (numbers[::-1] if is_descending else numbers)


@pytest.mark.parametrize("last", ["", "x", "١", "-1"])
async def test_cursor_of_another_list_is_refused(shop: Shop, last: str) -> None:
    async with shop.database.read() as session:
        moment = (await database_now(session)).isoformat()
        with pytest.raises(InvalidData):
            await read_page(session, select(Pqrs), KEY, f"{moment}|{last}", 2)


def test_each_active_filter_has_a_link_to_the_list_without_it() -> None:
    asked = read_filters(
        {"q": " trompo ", "since": "2026-11-01", "until": "x" * 90, "other": "1"}, ("q", "since", "until"), 80
    )
    assert asked == {"q": " trompo ", "since": "2026-11-01", "until": "x" * 80}
    asked["until"] = "2026-11-03"
    assert active_filters(asked, ("1 nov – 3 nov", "since", "until"), ("", "q")) == [
        ActiveFilter("«trompo»", "?since=2026-11-01&until=2026-11-03"),
        ActiveFilter("1 nov – 3 nov", "?q=+trompo+"),
    ]


@pytest.mark.parametrize(
    ("first", "last", "label"),
    [
        (None, None, ""),
        (date(2026, 11, 1), None, "Desde 1 nov"),
        (None, date(2026, 11, 3), "Hasta 3 nov"),
        (date(2026, 11, 1), date(2026, 11, 3), "1 nov – 3 nov"),
        (date(2026, 11, 3), date(2026, 11, 3), "3 nov"),
    ],
)
def test_day_range_of_a_filter_gets_its_label(first: date | None, last: date | None, label: str) -> None:
    assert days_label(first, last) == label
    assert labels_of({"one": ("Uno", 1)}) == {"one": "Uno"}
