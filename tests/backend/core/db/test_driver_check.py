"""A SQLAlchemy version that does not fit the SQLite driver stops the start with one line."""

from typing import Any

import pytest
import sqlalchemy
from sqlalchemy.dialects.sqlite.aiosqlite import AsyncAdapt_aiosqlite_dbapi

from backend.core.db.driver_check import check_sqlite_driver
from backend.core.db.sqlite_inline import InlineConnection, InlineCursor
from backend.core.errors import CannotStart


async def test_installed_sqlalchemy_version_passes_the_driver_check() -> None:
    await check_sqlite_driver()


@pytest.mark.parametrize(
    ("driver", "name"),
    [
        (InlineConnection, "cursor"),
        (InlineConnection, "_connection"),
        (InlineCursor, "executemany"),
        (InlineCursor, "fetchall"),
    ],
)
async def test_driver_without_a_method_that_sqlalchemy_calls_stops_the_start(
    driver: type, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delattr(driver, name)
    with pytest.raises(CannotStart) as stopped:
        await check_sqlite_driver()
    (line,) = str(stopped.value).splitlines()
    assert line.startswith(
        f"Trompo cannot start: SQLAlchemy {sqlalchemy.__version__} does not fit the shop's"
    )
    assert "AttributeError" in line


async def test_start_stops_if_sqlalchemy_ignores_the_shops_driver(monkeypatch: pytest.MonkeyPatch) -> None:
    connect = AsyncAdapt_aiosqlite_dbapi.connect

    def ignore_driver(self: AsyncAdapt_aiosqlite_dbapi, *arguments: Any, **options: Any) -> Any:
        del options["async_creator_fn"]
        return connect(self, *arguments, **options)

    monkeypatch.setattr(AsyncAdapt_aiosqlite_dbapi, "connect", ignore_driver)
    with pytest.raises(CannotStart, match=r"does not fit the shop's SQLite driver \(TypeError\)"):
        await check_sqlite_driver()
