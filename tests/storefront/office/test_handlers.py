"""Every event handler of the office, called as every role and as nobody: whoever may not is refused beforehand."""

from typing import Any

import pytest
from reflex_base.registry import RegistrationContext
from sqlalchemy import update

from backend.app import Shop
from backend.core.db.database import db_now
from backend.core.outage import DatabaseUnavailable
from backend.staff.models import StaffSession
from backend.staff.rights import RIGHTS, Right, Role
from storefront.office import search
from storefront.office.auth import sign_in
from storefront.office.navigation import PLACES
from storefront.office.routes import OFFICE_PAGES
from storefront.office.state import RIGHT, OfficeScreen, StaffState
from storefront.reflex_ext.on_demand_states import substates_of
from storefront.reflex_ext.state_loss import KnownClientState
from storefront.state.frame import COMING_BACK, FrameState
from tests.storefront.office.conftest import At

SCREENS = [page.state for page in OFFICE_PAGES if issubclass(page.state, OfficeScreen)]
OPEN = {
    (sign_in.OfficeEnterState, "load"),  # says where to go on to, and nothing else
    (search.OfficeSearchState, "find"),  # each finder asks for the right; nobody finds anything
}
"""Handlers that anybody may send."""


def _right_of(state: Any, handler: Any) -> Right | None:
    """None for a handler that nothing guards."""
    return getattr(handler.fn, RIGHT) or state._right if hasattr(handler.fn, RIGHT) else None


LOADS = {(state, "load") for state in SCREENS}
HANDLERS = [
    (state, name, handler)
    for state in sorted(substates_of(KnownClientState), key=lambda one: one.get_full_name())
    for name, handler in state.event_handlers.items()
    if name != "setvar"
]
GUARDED = [
    pytest.param(state, name, _right_of(state, handler), id=f"{state.__name__}.{name}")
    for state, name, handler in HANDLERS
    if (state, name) not in OPEN | LOADS
]
CALLERS = [None, *Role]


def test_every_handler_has_its_right() -> None:
    assert all(isinstance(one.values[2], Right) for one in GUARDED)
    assert {(state, name) for state, name, _handler in HANDLERS} >= OPEN | LOADS
    assert set(RegistrationContext.get().event_handlers) >= {
        f"{state.get_full_name()}.{name}" for state, name, _handler in HANDLERS
    }


def test_every_place_is_a_screen_whose_right_is_the_same() -> None:
    routes = {page.route: page.state for page in OFFICE_PAGES}
    for place in PLACES:
        assert routes[place.path]._right is place.right
    assert sum(place.is_main for place in PLACES) <= 4


@pytest.mark.parametrize(("state", "name", "right"), GUARDED)
async def test_who_may_not_is_refused(
    state: Any, name: str, right: Right, browser_of: At, monkeypatch: pytest.MonkeyPatch
) -> None:
    reached: list[str] = []
    fn = state.event_handlers[name].fn
    monkeypatch.setattr(_method_of(fn), "cell_contents", _noting(reached))
    for role in CALLERS:
        root = await browser_of(role)
        screen: Any = await root.get_state(state)
        reached.clear()
        answer = await fn(screen)
        may = role is not None and right in RIGHTS[role]
        assert (role, reached) == (role, ["done"] if may else [])
        if role is None:
            assert "/oficina/entrar" in str(answer)
        elif not may:
            assert (role, screen.told.tone) == (role, "problem")


def _method_of(guarded: Any) -> Any:
    """The cell that holds the method which the guard calls."""
    names = guarded.__code__.co_freevars
    return guarded.__closure__[names.index("method")]


def _noting(reached: list[str]) -> Any:
    async def method(_self: Any, _actor: Any) -> None:
        reached.append("done")

    return method


@pytest.mark.parametrize("state", SCREENS, ids=lambda one: str(one.__name__))
async def test_who_may_not_sees_nothing(shop: Shop, state: Any, browser_of: At) -> None:
    del shop
    for role in CALLERS:
        root = await browser_of(role)
        screen: Any = await root.get_state(state)
        answer = await state.event_handlers["load"].fn(screen)
        if role is None:
            assert "/oficina/entrar?next=/oficina" in str(answer)
            assert (await root.get_state(StaffState)).who is None
        elif state._right in RIGHTS[role]:
            assert screen.is_ready or screen.problem == "missing", role
        else:
            assert screen.problem == "forbidden", role
            assert screen.content is None, role


@pytest.mark.parametrize("role", CALLERS)
async def test_the_search_shows_what_the_role_may_see(role: Role | None, browser_of: At) -> None:
    state: Any = await (await browser_of(role)).get_state(search.OfficeSearchState)
    await search.OfficeSearchState.find.fn(state, "por")  # type: ignore[attr-defined]
    found = [hit.path for hit in state.hits]
    assert found == ([] if role is None else ["/oficina/por-resolver"])
    assert state.answered == "por"


@pytest.mark.parametrize("typed", [{"a": 1}, None, "x" * 81])
async def test_the_search_refuses_what_its_field_does_not_take(typed: object, browser_of: At) -> None:
    state: Any = await (await browser_of(Role.OWNER)).get_state(search.OfficeSearchState)
    await search.OfficeSearchState.find.fn(state, typed)  # type: ignore[attr-defined]
    assert (state.hits, state.answered) == ([], "")
    notice = (await state.get_state(FrameState)).notice
    assert notice.tone == "problem"


async def test_the_search_says_that_the_database_is_away(
    browser_of: At, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def actor_at(_state: object) -> None:
        raise DatabaseUnavailable("frozen")

    monkeypatch.setattr(search, "actor_at", actor_at)
    state: Any = await (await browser_of(Role.OWNER)).get_state(search.OfficeSearchState)
    await search.OfficeSearchState.find.fn(state, "por")  # type: ignore[attr-defined]
    assert (await state.get_state(FrameState)).notice.text == COMING_BACK


async def test_a_session_that_ends_shows_nothing_more(shop: Shop, browser_of: At) -> None:
    root = await browser_of(Role.OWNER)
    screen: Any = await root.get_state(SCREENS[0])
    await SCREENS[0].event_handlers["load"].fn(screen)
    assert screen.is_ready
    async with shop.database.transaction() as session:
        await session.execute(update(StaffSession).values(revoked_at=db_now()))
    await screen._update()
    assert (screen.content, screen.is_ready, screen.problem) == (None, False, "ended")
    assert "/oficina/entrar" in str(await SCREENS[0].event_handlers["load"].fn(screen))
