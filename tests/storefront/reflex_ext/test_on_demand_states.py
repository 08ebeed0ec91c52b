"""States of the office: customers and their pages never have one, and both state managers find them."""

from collections.abc import AsyncIterator, Callable
from weakref import ref

import pytest
import reflex as rx
from redis.asyncio import Redis
from reflex.istate.manager.memory import StateManagerMemory
from reflex.istate.manager.redis import StateManagerRedis
from reflex.istate.manager.token import BaseStateToken
from reflex.state import BaseState

from storefront.office.routes import OFFICE_PAGES
from storefront.office.today import TodayState
from storefront.reflex_ext.on_demand_states import substates_of
from storefront.reflex_ext.state_loss import KnownClientState

STORED = (rx.Cookie, rx.LocalStorage, rx.SessionStorage)
"""Values of states that browsers store."""


def list_states(state: BaseState) -> list[BaseState]:
    """Return the state and all its descendants."""
    return [state, *(one for below in state.substates.values() for one in list_states(below))]


def test_every_office_screen_has_a_state_that_is_created_on_demand() -> None:
    assert {page.state for page in OFFICE_PAGES} <= substates_of(KnownClientState)


def test_browser_of_a_customer_has_no_office_state(shopper: Callable[[], rx.State]) -> None:
    names = {type(state).__module__ for state in list_states(shopper())}
    assert not any(name.startswith("storefront.office") for name in names)
    assert "office" not in repr(sorted(shopper().dict(initial=True)))


async def test_office_state_is_created_on_demand(shopper: Callable[[], rx.State]) -> None:
    root = shopper()
    today = await root.get_state(TodayState)
    assert await root.get_state(TodayState) is today
    assert today.parent_state is await root.get_state(KnownClientState)
    today.new_count = 3
    assert root.get_delta() == {TodayState.get_full_name(): {"new_count_rx_state_": 3}}


async def test_page_that_connects_receives_no_values_of_existing_office_states(
    shopper: Callable[[], rx.State],
) -> None:
    root = shopper()
    (await root.get_state(TodayState)).new_count = 3
    known = KnownClientState.get_full_name()
    assert root.dict()[known] == {}
    assert "office" not in repr(sorted(root.dict()))


async def test_unknown_state_name_is_refused(shopper: Callable[[], rx.State]) -> None:
    known = await shopper().get_state(KnownClientState)
    assert "nobody" not in known.substates
    with pytest.raises(KeyError):
        known.substates["nobody"]
    with pytest.raises(ValueError, match="Invalid path"):
        rx.State.get_class_substate(f"{KnownClientState.get_full_name()}.nobody")


def test_state_class_is_found_by_its_name() -> None:
    assert rx.State.get_class_substate(TodayState.get_full_name()) is TodayState


def test_memory_of_a_closed_page_is_freed_without_garbage_collection(shopper: Callable[[], rx.State]) -> None:
    """Check that no reference cycle keeps the states of a closed page until a garbage collection."""
    parent = shopper().substates.pop(KnownClientState.get_name())
    substates, parent_ref = parent.substates, ref(parent)
    del parent
    assert parent_ref() is None
    with pytest.raises(KeyError):
        substates[TodayState.get_name()]


def test_no_office_state_has_client_storage() -> None:
    for state in substates_of(KnownClientState):
        assert not state.computed_vars
        stored = [
            name for name, field in state.get_fields().items() if isinstance(field.default_value(), STORED)
        ]
        assert stored == []


async def test_office_state_is_kept_by_the_state_manager_in_memory(shopper: Callable[[], rx.State]) -> None:
    del shopper
    manager = StateManagerMemory()  # type: ignore[abstract]  # Reflex declares them with `override`
    token = BaseStateToken(ident="ana", cls=TodayState)
    async with manager.modify_state(token) as root:
        (await root.get_state(TodayState)).new_count = 3
    async with manager.modify_state(token) as root:
        assert (await root.get_state(TodayState)).new_count == 3
    await manager.close()


@pytest.fixture
async def manager(redis_url: str) -> AsyncIterator[StateManagerRedis]:
    """Return Reflex's manager with this test's Redis."""
    manager = StateManagerRedis(redis=Redis.from_url(redis_url))  # type: ignore[abstract]
    yield manager
    await manager.close()


async def test_office_state_is_kept_by_the_state_manager_in_redis(manager: StateManagerRedis) -> None:
    token = BaseStateToken(ident="ana", cls=TodayState)
    async with manager.modify_state(token) as root:
        (await root.get_state(TodayState)).new_count = 3
    async with manager.modify_state(BaseStateToken(ident="ana", cls=rx.State)) as root:
        assert TodayState.get_full_name() not in root.dict()  # a connecting page reads no state of the office
    async with manager.modify_state(token) as root:
        assert (await root.get_state(TodayState)).new_count == 3
