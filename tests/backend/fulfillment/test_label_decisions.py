"""What somebody decided about a label is stored; what waits for nobody is not decided about."""

import pytest

from backend.core.db.database import Database
from backend.core.errors import Conflict, NotAllowed, NotFound
from backend.fulfillment.cancellation import cancel_label
from backend.fulfillment.label_decisions import decide_price, resolve_doubt
from backend.fulfillment.labels import create_label
from backend.shipping.providers.base import Label, LabelTooExpensive
from backend.staff.rights import COMMAND_LINE
from tests.backend.fulfillment.courier_kit import Courier, lost_answer, new_label, stored
from tests.store_defaults import Defaults


async def test_a_label_that_was_found_is_recorded(database: Database, defaults: Defaults) -> None:
    doubtful = await lost_answer(database, defaults)
    async with database.transaction() as session:
        await resolve_doubt(session, doubtful.id, Label("TRM7", 7))
    (settled,) = await stored(database)
    assert (settled.state, settled.tracking_number, settled.carrier_order_id) == ("created", "TRM7", 7)


async def test_a_label_that_was_never_made_can_be_made(database: Database, defaults: Defaults) -> None:
    doubtful = await lost_answer(database, defaults)
    async with database.transaction() as session:
        await resolve_doubt(session, doubtful.id, None)
    assert (await create_label(database, Courier(), new_label(defaults), by=COMMAND_LINE)).state == "created"


async def test_what_is_not_in_doubt_is_not_settled(database: Database, defaults: Defaults) -> None:
    made = await create_label(database, Courier(), new_label(defaults), by=COMMAND_LINE)
    async with database.transaction() as session:
        with pytest.raises(NotAllowed):
            await resolve_doubt(session, made.id, None)
        with pytest.raises(NotFound):
            await resolve_doubt(session, "ful_unknown", None)


async def test_only_what_waits_for_a_price_gets_one(database: Database, defaults: Defaults) -> None:
    made = await create_label(database, Courier(), new_label(defaults), by=COMMAND_LINE)
    async with database.transaction() as session:
        with pytest.raises(NotAllowed, match="waits for no decision"):
            await decide_price(session, made.id, 90_000)


async def test_a_label_that_waits_for_a_price_is_neither_asked_for_nor_cancelled(
    database: Database, defaults: Defaults
) -> None:
    dear = Courier(answer=LabelTooExpensive(90_000, 25_000))
    with pytest.raises(LabelTooExpensive):
        await create_label(database, dear, new_label(defaults), by=COMMAND_LINE)
    (waits,) = await stored(database)
    assert waits.state == "too_expensive"
    with pytest.raises(Conflict, match="too expensive"):
        await create_label(database, Courier(), new_label(defaults), by=COMMAND_LINE)
    with pytest.raises(NotAllowed, match="no label"):
        await cancel_label(database, Courier(), waits.id, by=COMMAND_LINE)
    async with database.transaction() as session:
        await decide_price(session, waits.id, None)
    assert (await create_label(database, Courier(), new_label(defaults), by=COMMAND_LINE)).state == "created"
