"""History of an object: loading, the limits, and the right to read it."""

from typing import Any

import pytest

from backend.app import Shop
from backend.audit import Subject, SubjectType, record
from backend.staff.rights import COMMAND_LINE, Role
from storefront.office.components.history import MAX_ENTRIES, MAX_SUBJECTS, HistoryState
from tests.storefront.office.conftest import BrowserFactory


async def open_history(browser: Any, subject_id: Any) -> Any:
    """Open the history of an object and return the state."""
    state = await browser.get_state(HistoryState)
    await HistoryState.event_handlers["show"].fn(state, subject_id)
    return state


async def record_entries(shop: Shop, subject_id: str, count: int = 1) -> None:
    async with shop.database.transaction() as session:
        for number in range(count):
            changes = {"stocked": (number, number + 1)}
            await record(
                session, COMMAND_LINE, "stock changed", Subject(SubjectType.VARIANT, subject_id), changes
            )


async def test_history_shows_only_the_latest_entries_of_its_object(
    shop: Shop, browser_of: BrowserFactory
) -> None:
    await record_entries(shop, "variant_1", MAX_ENTRIES + 3)
    await record_entries(shop, "variant_2")
    browser = await browser_of(Role.OWNER)
    state = await open_history(browser, "variant_1")
    assert len(state.entries["variant_1"]) == MAX_ENTRIES
    await open_history(browser, "variant_2")
    (row,) = state.entries["variant_2"]
    assert [(change.field, change.before, change.after) for change in row.changes] == [("Unidades", "0", "1")]
    assert (await open_history(browser, "nothing")).entries["nothing"] == []


async def test_number_of_histories_stored_in_the_browser_is_limited(
    shop: Shop, browser_of: BrowserFactory
) -> None:
    browser = await browser_of(Role.OWNER)
    for number in range(MAX_SUBJECTS + 4):
        state = await open_history(browser, f"variant_{number}")
    assert len(state.entries) == MAX_SUBJECTS
    assert f"variant_{MAX_SUBJECTS + 3}" in state.entries


async def test_history_is_hidden_without_the_audit_right(shop: Shop, browser_of: BrowserFactory) -> None:
    await record_entries(shop, "variant_1")
    state = await open_history(await browser_of(Role.STOCKROOM), "variant_1")
    assert (state.entries, state.announcement.tone) == ({}, "problem")


@pytest.mark.parametrize("nonsense", [None, 7, "", "x" * 100, ["a"]])
async def test_invalid_subject_id_shows_no_history(browser_of: BrowserFactory, nonsense: Any) -> None:
    state = await open_history(await browser_of(Role.OWNER), nonsense)
    assert (state.entries, state.announcement.tone) == ({}, "problem")
