"""Decisions about labels are stored; labels that wait for no decision are refused."""

import pytest

from backend.core.db.database import Database
from backend.core.errors import Conflict, NotAllowed, NotFound
from backend.fulfillment.cancellation import cancel_label
from backend.fulfillment.label_decisions import decide_price, resolve_doubt
from backend.fulfillment.labels import create_label
from backend.shipping.providers.base import Label, LabelTooExpensive
from backend.staff.rights import COMMAND_LINE
from tests.backend.fulfillment.courier_kit import Courier, create_label_in_doubt, list_fulfillments, new_label
from tests.store_defaults import Defaults


async def test_decision_stores_the_numbers_of_a_label_that_exists(
    database: Database, defaults: Defaults
) -> None:
    doubtful = await create_label_in_doubt(database, defaults)
    async with database.transaction() as session:
        await resolve_doubt(session, doubtful.id, Label("TRM7", 7))
    (settled,) = await list_fulfillments(database)
    assert (settled.state, settled.tracking_number, settled.carrier_order_id) == ("created", "TRM7", 7)


async def test_label_can_be_created_after_the_decision_that_it_does_not_exist(
    database: Database, defaults: Defaults
) -> None:
    doubtful = await create_label_in_doubt(database, defaults)
    async with database.transaction() as session:
        await resolve_doubt(session, doubtful.id, None)
    assert (
        await create_label(database, Courier(), new_label(defaults), actor=COMMAND_LINE)
    ).state == "created"


async def test_decision_about_a_label_that_is_not_in_doubt_is_refused(
    database: Database, defaults: Defaults
) -> None:
    made = await create_label(database, Courier(), new_label(defaults), actor=COMMAND_LINE)
    async with database.transaction() as session:
        with pytest.raises(NotAllowed):
            await resolve_doubt(session, made.id, None)
        with pytest.raises(NotFound):
            await resolve_doubt(session, "ful_unknown", None)


async def test_price_decision_is_refused_for_a_label_that_does_not_wait_for_it(
    database: Database, defaults: Defaults
) -> None:
    made = await create_label(database, Courier(), new_label(defaults), actor=COMMAND_LINE)
    async with database.transaction() as session:
        with pytest.raises(NotAllowed, match="does not wait for a decision"):
            await decide_price(session, made.id, 90_000)


async def test_label_waiting_for_a_price_decision_is_neither_requested_nor_cancelled(
    database: Database, defaults: Defaults
) -> None:
    dear = Courier(answer=LabelTooExpensive(90_000, 25_000))
    with pytest.raises(LabelTooExpensive):
        await create_label(database, dear, new_label(defaults), actor=COMMAND_LINE)
    (waits,) = await list_fulfillments(database)
    assert waits.state == "too_expensive"
    with pytest.raises(Conflict, match="too expensive"):
        await create_label(database, Courier(), new_label(defaults), actor=COMMAND_LINE)
    with pytest.raises(NotAllowed, match="no label"):
        await cancel_label(database, Courier(), waits.id, actor=COMMAND_LINE)
    async with database.transaction() as session:
        await decide_price(session, waits.id, None)
    assert (
        await create_label(database, Courier(), new_label(defaults), actor=COMMAND_LINE)
    ).state == "created"
