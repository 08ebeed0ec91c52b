"""A button press is executed once, even if the browser sends it again.

| fault | outcome |
|---|---|
| a press is sent again | refused, with the subject of the first sending |
| a sending is rolled back | the next one executes the press |
| one sending uses its press in two transactions | both are executed |
| two sendings at once | one executes the press, the other is refused |
| the same id for another event | another press |
| no press | nothing is stored |
"""

import asyncio

import pytest
from sqlalchemy import func, select

from backend.core.db.database import Database
from backend.presses.expiry import EXPIRED, RETENTION
from backend.presses.models import Press
from backend.presses.service import (
    PressUsed,
    Sending,
    current_press_id,
    handle_press,
    require_unused_press,
    use_press,
)
from tests.failure.time_travel import move_moments_back

ID = "0123456789abcdef" * 2


async def use_in_transaction(database: Database, sending: Sending | None, subject: str = "") -> None:
    with handle_press(sending):
        async with database.transaction() as session:
            await use_press(session, subject)


async def count(database: Database) -> int:
    async with database.read() as session:
        return (await session.execute(select(func.count()).select_from(Press))).scalar_one()


async def test_repeated_button_press_is_refused_with_the_result_of_the_first(database: Database) -> None:
    await use_in_transaction(database, Sending("cart.add", ID), "cart_1")
    with pytest.raises(PressUsed) as used:
        await use_in_transaction(database, Sending("cart.add", ID), "cart_2")
    assert used.value.subject == "cart_1"
    assert await count(database) == 1


async def test_button_press_whose_transaction_was_rolled_back_can_be_used_again(database: Database) -> None:
    async def fail() -> None:
        with handle_press(Sending("cart.add", ID)):
            async with database.transaction() as session:
                await use_press(session, "cart_1")
                raise LookupError

    with pytest.raises(LookupError):
        await fail()
    await use_in_transaction(database, Sending("cart.add", ID), "cart_2")
    with pytest.raises(PressUsed, match="done before"):
        await use_in_transaction(database, Sending("cart.add", ID))


async def test_two_transactions_of_one_request_can_use_the_same_button_press(database: Database) -> None:
    sending = Sending("order.act", ID)
    await use_in_transaction(database, sending)
    await use_in_transaction(database, sending)
    assert await count(database) == 1


async def test_button_press_sent_twice_simultaneously_is_executed_once(database: Database) -> None:
    sendings = [use_in_transaction(database, Sending("cart.add", ID), f"cart_{n}") for n in range(2)]
    results = await asyncio.gather(*sendings, return_exceptions=True)
    assert {type(result) for result in results} == {type(None), PressUsed}
    assert await count(database) == 1


async def test_id_of_a_button_press_can_be_used_again_by_another_event(database: Database) -> None:
    await use_in_transaction(database, Sending("cart.add", ID))
    await use_in_transaction(database, Sending("cart.remove", ID))
    assert await count(database) == 2


async def test_event_without_a_button_press_stores_no_press(database: Database) -> None:
    await use_in_transaction(database, None)
    assert current_press_id() == ""
    assert await count(database) == 0


async def test_used_button_press_is_refused_before_the_action_begins(database: Database) -> None:
    async def check_unused() -> None:
        with handle_press(Sending("cart.add", ID)):
            async with database.read() as session:
                await require_unused_press(session)

    await check_unused()
    await use_in_transaction(database, Sending("cart.add", ID), "cart_1")
    with pytest.raises(PressUsed) as used:
        await check_unused()
    assert used.value.subject == "cart_1"


async def test_old_button_presses_are_deleted(database: Database) -> None:
    await use_in_transaction(database, Sending("cart.add", ID))
    assert await EXPIRED.apply(database) == 0
    await move_moments_back(database, RETENTION, only=Press)
    assert await EXPIRED.apply(database) == 1
