"""Workers are woken by commits: in a plain session of SQLAlchemy, whose listeners the coverage gate measures."""

from collections.abc import Iterator

import pytest
from sqlalchemy import Engine, create_engine
from sqlalchemy.orm import Session

from backend.jobs.queue import enqueue_in, wake_no_longer, wake_on_commit


@pytest.fixture
def engine(sqlite_url: str) -> Iterator[Engine]:
    engine = create_engine(sqlite_url.replace("+aiosqlite", ""))
    yield engine
    engine.dispose()


@pytest.fixture
def wakes(engine: Engine) -> Iterator[list[None]]:
    """Record how often workers of the database are woken."""
    wakes: list[None] = []

    def wake() -> None:
        wakes.append(None)

    wake_on_commit(engine, wake)
    yield wakes
    wake_no_longer(engine, wake)


def test_commit_of_a_job_wakes_workers(engine: Engine, wakes: list[None]) -> None:
    with Session(engine) as session:
        enqueue_in(session, "mail", {"order": 7})
        assert wakes == []
        session.commit()
    assert len(wakes) == 1


def test_commit_of_a_job_in_a_database_without_workers_wakes_nobody(engine: Engine) -> None:
    with Session(engine) as session:
        enqueue_in(session, "mail", {"order": 7})
        session.commit()


def test_commit_without_a_job_wakes_nobody(engine: Engine, wakes: list[None]) -> None:
    with Session(engine) as session:
        session.commit()
    assert wakes == []


def test_job_that_is_rolled_back_wakes_nobody(engine: Engine, wakes: list[None]) -> None:
    with Session(engine) as session:
        enqueue_in(session, "mail", {"order": 7})
        session.rollback()
    assert wakes == []
