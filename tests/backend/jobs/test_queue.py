"""Commits wake workers. The tests use plain SQLAlchemy sessions, without the event loop of the shop."""

from collections.abc import Iterator

import pytest
from sqlalchemy import Engine, create_engine
from sqlalchemy.orm import Session

from backend.jobs.queue import enqueue_in, stop_waking, wake_on_commit


@pytest.fixture
def engine(sqlite_url: str) -> Iterator[Engine]:
    engine = create_engine(sqlite_url.replace("+aiosqlite", ""))
    yield engine
    engine.dispose()


@pytest.fixture
def wakes(engine: Engine) -> Iterator[list[None]]:
    """Return a list with one item for each wake-up of the database's workers."""
    wakes: list[None] = []

    def wake() -> None:
        wakes.append(None)

    wake_on_commit(engine, wake)
    yield wakes
    stop_waking(engine, wake)


def test_commit_of_a_job_wakes_workers(engine: Engine, wakes: list[None]) -> None:
    with Session(engine) as session:
        enqueue_in(session, "mail", {"order": 7})
        assert wakes == []
        session.commit()
    assert len(wakes) == 1


def test_commit_of_a_job_without_workers_raises_no_error(engine: Engine) -> None:
    with Session(engine) as session:
        enqueue_in(session, "mail", {"order": 7})
        session.commit()


def test_commit_without_a_job_does_not_wake_workers(engine: Engine, wakes: list[None]) -> None:
    with Session(engine) as session:
        session.commit()
    assert wakes == []


def test_rolled_back_job_does_not_wake_workers(engine: Engine, wakes: list[None]) -> None:
    with Session(engine) as session:
        enqueue_in(session, "mail", {"order": 7})
        session.rollback()
    assert wakes == []
