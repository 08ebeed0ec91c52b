"""Failures that a handler answers itself count against the socket that sent its event."""

import pytest
import reflex as rx

from backend.errors import InvalidData
from backend.outage import DatabaseUnavailable
from storefront.socket_guard import GuardedNamespace
from storefront.state import failures
from storefront.state.frame import errors_as_notices
from storefront.storefront import app


def test_the_guard_of_the_sockets_counts_them() -> None:
    assert isinstance(app.event_namespace, GuardedNamespace)
    assert failures._count == [app.event_namespace.count_failure]


@pytest.mark.parametrize(
    ("error", "times"),
    [(ZeroDivisionError("unforeseen"), 1), (InvalidData("no"), 0), (DatabaseUnavailable("away"), 0)],
    ids=lambda one: type(one).__name__,
)
async def test_what_nobody_foresaw_is_counted(
    monkeypatch: pytest.MonkeyPatch, error: Exception, times: int
) -> None:
    counted: list[str] = []
    monkeypatch.setattr(failures, "_count", [counted.append])
    state = rx.State(init_substates=True, _reflex_internal_init=True)  # type: ignore[call-arg]
    async with errors_as_notices(state):
        raise error
    assert len(counted) == times
