"""Tests of argument checks and errors of handlers: any browser may send any argument."""

import logging
from unittest.mock import Mock

import pytest
import reflex as rx
from reflex_base.registry import RegistrationContext

from backend.core.error_texts import FAILURE, NOTICE, text_for
from backend.core.errors import InsufficientStock, InvalidData
from backend.core.outage import DatabaseUnavailable
from storefront.office.routes import OFFICE_PAGES
from storefront.pages.routes import PAGES
from storefront.state import frame
from storefront.state.frame import FrameState, errors_as_notices
from storefront.state.handlers import checked_id, checked_number, checked_text, checked_texts


def fail(error: Exception) -> None:
    raise error


@pytest.mark.parametrize("value", [None, 7, "", "x" * 65, ["variant_1"], {"id": "variant_1"}])
def test_invalid_id_sent_by_a_browser_is_refused(value: object) -> None:
    with pytest.raises(InvalidData):
        checked_id(value)


@pytest.mark.parametrize("value", [None, "3", 1.5, True, 0, 100, -1])
def test_invalid_number_sent_by_a_browser_is_refused(value: object) -> None:
    with pytest.raises(InvalidData):
        checked_number(value, 1, 99)


def test_text_sent_by_a_browser_is_stripped_and_limited() -> None:
    assert checked_text("  oso ", 10) == "oso"
    with pytest.raises(InvalidData):
        checked_text("x" * 11, 10)


def test_list_of_texts_sent_by_a_browser_is_unique_and_limited() -> None:
    assert checked_texts(["a", "b", "a"], 10) == ["a", "b"]
    assert checked_texts([str(n) for n in range(100)], 3) == ["0", "1", "2"]


def test_lost_event_that_supersedes_earlier_ones_is_sent_again_in_its_latest_form() -> None:
    assert PAGES
    assert OFFICE_PAGES  # their handlers are registered when they are imported
    handlers = RegistrationContext.get().event_handlers.items()
    actions = [
        one.handler.event_actions for name, one in handlers if one.handler.supersedes and "storefront" in name
    ]
    assert len(actions) > 10
    assert {str(one.get("press")) for one in actions} == {"latest"}


async def test_shop_error_is_shown_with_its_text_for_customers() -> None:
    state = rx.State(init_substates=True, _reflex_internal_init=True)  # type: ignore[call-arg]
    async with errors_as_notices(state):
        fail(InsufficientStock("Some variant does not have the required inventory"))
    notice = (await state.get_state(FrameState)).notice
    assert notice.text == text_for(InsufficientStock(""), NOTICE)
    assert "variant" not in notice.text
    assert notice.number > 0
    assert notice.tone == "problem"


async def test_unexpected_error_shows_a_notice_and_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    state = rx.State(init_substates=True, _reflex_internal_init=True)  # type: ignore[call-arg]
    with caplog.at_level(logging.ERROR):
        async with errors_as_notices(state):
            fail(ZeroDivisionError("the shop's own secret"))
    assert (await state.get_state(FrameState)).notice.text == FAILURE
    assert caplog.records[0].exc_info is not None


@pytest.mark.parametrize(
    ("error", "times"),
    [
        (TypeError("'dict' object is not subscriptable"), 1),
        (InsufficientStock("Some variant does not have the required inventory"), 0),
        (DatabaseUnavailable("The database does not answer: try again"), 0),
    ],
    ids=["unexpected", "refused by the shop", "database unavailable"],
)
async def test_only_unexpected_errors_count_towards_the_failure_limit_of_a_socket(
    error: Exception, times: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    state = rx.State(init_substates=True, _reflex_internal_init=True)  # type: ignore[call-arg]
    count = Mock()
    monkeypatch.setattr(frame, "count_failure", count)
    async with errors_as_notices(state):
        fail(error)
    assert count.call_count == times
