"""A database outage for tests of handlers."""

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from backend.app import Shop
from backend.core.outage import DatabaseUnavailable


@contextmanager
def without_database(shop: Shop, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Make the database unavailable inside the block."""

    def fail() -> None:
        raise DatabaseUnavailable("The database does not answer")

    with monkeypatch.context() as outage:
        outage.setattr(shop.database, "read", fail)
        outage.setattr(shop.database, "transaction", fail)
        yield
