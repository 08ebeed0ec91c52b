"""What was done to a thing, read when somebody opens it."""

from typing import Any

import pytest

from backend.app import Shop
from backend.audit import Subject, Thing, record
from backend.staff.rights import COMMAND_LINE, Role
from storefront.office.components.history import MOST_ENTRIES, MOST_THINGS, HistoryState
from tests.storefront.office.conftest import At


async def show(browser: Any, subject_id: Any) -> Any:
    """Open the history of a thing. Returns the state."""
    state = await browser.get_state(HistoryState)
    await HistoryState.event_handlers["show"].fn(state, subject_id)
    return state


async def note(shop: Shop, subject_id: str, times: int = 1) -> None:
    async with shop.database.transaction() as session:
        for number in range(times):
            changes = {"stocked": (number, number + 1)}
            await record(session, COMMAND_LINE, "stock changed", Subject(Thing.VARIANT, subject_id), changes)


async def test_the_last_entries_of_the_thing_are_shown(shop: Shop, browser_of: At) -> None:
    await note(shop, "variant_1", MOST_ENTRIES + 3)
    await note(shop, "variant_2")
    browser = await browser_of(Role.OWNER)
    state = await show(browser, "variant_1")
    assert len(state.entries["variant_1"]) == MOST_ENTRIES
    await show(browser, "variant_2")
    (row,) = state.entries["variant_2"]
    assert [(one.field, one.before, one.after) for one in row.changes] == [("Unidades", "0", "1")]
    assert (await show(browser, "nothing")).entries["nothing"] == []


async def test_a_browser_keeps_a_few_things(shop: Shop, browser_of: At) -> None:
    browser = await browser_of(Role.OWNER)
    for number in range(MOST_THINGS + 4):
        state = await show(browser, f"variant_{number}")
    assert len(state.entries) == MOST_THINGS
    assert f"variant_{MOST_THINGS + 3}" in state.entries


async def test_who_may_not_see_the_audit_sees_none(shop: Shop, browser_of: At) -> None:
    await note(shop, "variant_1")
    state = await show(await browser_of(Role.STOCKROOM), "variant_1")
    assert (state.entries, state.told.tone) == ({}, "problem")


@pytest.mark.parametrize("nonsense", [None, 7, "", "x" * 100, ["a"]])
async def test_nonsense_shows_nothing(browser_of: At, nonsense: Any) -> None:
    state = await show(await browser_of(Role.OWNER), nonsense)
    assert (state.entries, state.told.tone) == ({}, "problem")
