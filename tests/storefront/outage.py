"""A moment without the database, as handlers meet it."""

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from backend.app import Shop
from backend.core.outage import DatabaseUnavailable


@contextmanager
def without_database(shop: Shop, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The database is away for as long as this lasts."""

    def away() -> None:
        raise DatabaseUnavailable("The database does not answer")

    with monkeypatch.context() as outage:
        outage.setattr(shop.database, "read", away)
        outage.setattr(shop.database, "transaction", away)
        yield
