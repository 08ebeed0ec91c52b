"""Every event handler of the office, called as every role and signed out: it refuses callers without the right."""

from typing import Any

import pytest
from reflex_base.registry import RegistrationContext
from sqlalchemy import update

from backend.app import Shop
from backend.core.db.database import db_now
from backend.core.outage import DatabaseUnavailable
from backend.staff.models import StaffSession
from backend.staff.rights import RIGHTS, Right, Role
from storefront.live.refresh import update_state
from storefront.office import search
from storefront.office.auth import sign_in
from storefront.office.navigation import PLACES
from storefront.office.routes import OFFICE_PAGES
from storefront.office.state import RIGHT_ATTRIBUTE, OfficeScreen, StaffState
from storefront.reflex_ext.on_demand_states import substates_of
from storefront.reflex_ext.state_loss import KnownClientState
from storefront.state.frame import SHOP_UNAVAILABLE, FrameState
from tests.storefront.office.conftest import BrowserFactory

SCREENS = [page.state for page in OFFICE_PAGES if issubclass(page.state, OfficeScreen)]
UNGUARDED = {
    (sign_in.OfficeSignInState, "load"),  # only redirects
    (search.OfficeSearchState, "find"),  # each search function checks the right
}
"""Handlers without a right."""


def _get_right(state: Any, handler: Any) -> Right | None:
    """Return the handler's right, or None for an unguarded handler."""
    return (
        getattr(handler.fn, RIGHT_ATTRIBUTE) or state._right if hasattr(handler.fn, RIGHT_ATTRIBUTE) else None
    )


LOADS = {(state, "load") for state in SCREENS}
HANDLERS = [
    (state, name, handler)
    for state in sorted(substates_of(KnownClientState), key=lambda item: item.get_full_name())
    for name, handler in state.event_handlers.items()
    if name != "setvar"
]
GUARDED: list[tuple[Any, str, Any]] = [
    (state, name, _get_right(state, handler))
    for state, name, handler in HANDLERS
    if (state, name) not in UNGUARDED | LOADS
]
CALLERS = [None, *Role]


def test_every_office_event_handler_has_a_right() -> None:
    assert all(isinstance(right, Right) for _state, _name, right in GUARDED)
    assert {(state, name) for state, name, _handler in HANDLERS} >= UNGUARDED | LOADS
    assert set(RegistrationContext.get().event_handlers) >= {
        f"{state.get_full_name()}.{name}" for state, name, _handler in HANDLERS
    }


def test_every_menu_entry_has_an_office_screen_with_the_same_right() -> None:
    routes = {page.route: page.state for page in OFFICE_PAGES}
    for place in PLACES:
        assert routes[place.path]._right is place.right
    assert sum(place.is_main for place in PLACES) <= 4


@pytest.mark.parametrize(
    "state", dict.fromkeys(state for state, _name, _right in GUARDED), ids=lambda item: str(item.__name__)
)
async def test_office_event_handlers_refuse_roles_without_their_right(
    state: Any, browser_of: BrowserFactory
) -> None:
    screens: dict[Role | None, Any] = {
        role: await (await browser_of(role)).get_state(state) for role in CALLERS
    }
    for owner, name, right in GUARDED:
        if owner is state:
            await _call_as_every_role(screens, state.event_handlers[name].fn, name, right)


async def _call_as_every_role(screens: dict[Role | None, Any], fn: Any, name: str, right: Right) -> None:
    calls: list[str] = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_method_cell(fn), "cell_contents", _recording_method(calls))
        for role, screen in screens.items():
            calls.clear()
            screen.announcement = None
            answer = await fn(screen)
            is_allowed = role is not None and right in RIGHTS[role]
            assert (name, role, calls) == (name, role, ["done"] if is_allowed else [])
            if role is None:
                assert "/oficina/entrar" in str(answer), name
            elif not is_allowed:
                assert (name, role, screen.announcement.tone) == (name, role, "problem")


def _method_cell(guarded: Any) -> Any:
    """Return the closure cell that contains the guarded method."""
    names = guarded.__code__.co_freevars
    return guarded.__closure__[names.index("method")]


def _recording_method(calls: list[str]) -> Any:
    async def method(_self: Any, _actor: Any) -> None:
        calls.append("done")

    return method


@pytest.mark.parametrize("state", SCREENS, ids=lambda item: str(item.__name__))
async def test_office_screen_is_empty_without_its_right(
    shop: Shop, state: Any, browser_of: BrowserFactory
) -> None:
    del shop
    for role in CALLERS:
        root = await browser_of(role)
        screen: Any = await root.get_state(state)
        answer = await state.event_handlers["load"].fn(screen)
        if role is None:
            assert "/oficina/entrar?next=/oficina" in str(answer)
            assert (await root.get_state(StaffState)).member is None
        elif state._right in RIGHTS[role]:
            assert screen.is_ready or screen.problem == "missing", role
        else:
            assert screen.problem == "forbidden", role
            assert screen.content is None, role


@pytest.mark.parametrize("role", CALLERS)
async def test_office_search_finds_only_screens_that_the_role_may_see(
    role: Role | None, browser_of: BrowserFactory
) -> None:
    state: Any = await (await browser_of(role)).get_state(search.OfficeSearchState)
    await search.OfficeSearchState.find.fn(state, "por")  # type: ignore[attr-defined]
    found = [hit.path for hit in state.hits]
    assert found == ([] if role is None else ["/oficina/por-resolver"])
    assert state.answered_text == "por"


@pytest.mark.parametrize("typed", [{"a": 1}, None, "x" * 81])
async def test_office_search_refuses_invalid_text(typed: object, browser_of: BrowserFactory) -> None:
    state: Any = await (await browser_of(Role.OWNER)).get_state(search.OfficeSearchState)
    await search.OfficeSearchState.find.fn(state, typed)  # type: ignore[attr-defined]
    assert (state.hits, state.answered_text) == ([], "")
    notice = (await state.get_state(FrameState)).notice
    assert notice.tone == "problem"


async def test_office_search_reports_an_unavailable_database(
    browser_of: BrowserFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def actor_at(_state: object) -> None:
        raise DatabaseUnavailable("frozen")

    monkeypatch.setattr(search, "find_actor", actor_at)
    state: Any = await (await browser_of(Role.OWNER)).get_state(search.OfficeSearchState)
    await search.OfficeSearchState.find.fn(state, "por")  # type: ignore[attr-defined]
    assert (await state.get_state(FrameState)).notice.text == SHOP_UNAVAILABLE


async def test_ended_session_clears_the_office_screen(shop: Shop, browser_of: BrowserFactory) -> None:
    root = await browser_of(Role.OWNER)
    screen: Any = await root.get_state(SCREENS[0])
    await SCREENS[0].event_handlers["load"].fn(screen)
    assert screen.is_ready
    async with shop.database.transaction() as session:
        await session.execute(update(StaffSession).values(revoked_at=db_now()))
    await update_state(screen)
    assert (screen.content, screen.is_ready, screen.problem) == (None, False, "ended")
    assert "/oficina/entrar" in str(await SCREENS[0].event_handlers["load"].fn(screen))
