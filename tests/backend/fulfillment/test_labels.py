"""Labels are created once: with concurrent requests, after a crash, a lost response, or a response after a decision."""

import asyncio
import dataclasses
from collections.abc import AsyncIterator
from typing import Any

import pytest
from sqlalchemy.exc import IntegrityError

from backend.attention import AttentionKind, close_attention
from backend.core.db.database import Database
from backend.core.errors import Conflict, InvalidData, NotAllowed, OutcomeUnknown, OutsideFailure
from backend.fulfillment.label_decisions import resolve_doubt
from backend.fulfillment.labels import create_label, mark_overdue
from backend.orders.models import Fulfillment
from backend.sandbox.carrier import Fault, SandboxCarrier
from backend.sandbox.carrier.faults import Operation
from backend.sandbox.carrier.labels import TEST_ORDER_ID, TEST_TRACKER
from backend.shipping.providers.base import Label
from backend.shipping.providers.carrier.provider import CarrierStandard
from backend.shipping.providers.registry import ManualProvider
from backend.staff.rights import COMMAND_LINE
from tests.backend.fulfillment.courier_kit import Courier, list_fulfillments, list_open_attention, new_label
from tests.backend.shipping.samples import SHOPPER
from tests.statements import run_after_query
from tests.store_defaults import Defaults, set_up_defaults

# created once


async def test_created_label_is_stored(
    database: Database, defaults: Defaults, provider: CarrierStandard
) -> None:
    made = await create_label(database, provider, new_label(defaults), actor=COMMAND_LINE)
    (kept,) = await list_fulfillments(database)
    assert (kept.id, kept.state, kept.order_id, kept.reference) == (made.id, "created", "order_1", "1042-1")
    assert (kept.provider_id, kept.location_id) == ("carrier_standard", defaults.location_id)
    assert (kept.carrier_order_id, kept.tracking_number) == (TEST_ORDER_ID, TEST_TRACKER)
    assert kept.items == [{"id": "ordli_1", "quantity": 2}]
    assert kept.data["carrier"] == "Envía"
    assert kept.label_url
    assert kept.label_pdf
    assert kept.label_pdf.startswith(b"%PDF")


async def test_manual_label_has_no_numbers(database: Database, defaults: Defaults) -> None:
    made = await create_label(database, ManualProvider(), new_label(defaults), actor=COMMAND_LINE)
    assert (made.state, made.provider_id) == ("created", "manual_manual")
    assert (made.carrier_order_id, made.tracking_number, made.label_pdf) == (None, None, None)


async def test_repeated_request_for_a_label_returns_the_same_label(
    database: Database, defaults: Defaults
) -> None:
    courier = Courier()
    first, again = [
        await create_label(database, courier, new_label(defaults), actor=COMMAND_LINE) for _ in range(2)
    ]
    assert (again.id, again.carrier_order_id) == (first.id, first.carrier_order_id)
    assert courier.made == 1


async def test_two_test_labels_may_have_the_same_number(
    database: Database, defaults: Defaults, provider: CarrierStandard
) -> None:
    for reference in ("1042-1", "1042-2"):
        await create_label(database, provider, new_label(defaults, reference=reference), actor=COMMAND_LINE)
    assert [each.carrier_order_id for each in await list_fulfillments(database)] == [TEST_ORDER_ID] * 2


async def test_other_order_with_the_same_reference_gets_its_own_label(
    database: Database, defaults: Defaults
) -> None:
    courier = Courier()
    for order_id in ("order_1", "order_2"):
        await create_label(database, courier, new_label(defaults, order_id), actor=COMMAND_LINE)
    assert courier.made == 2


async def test_label_row_is_stored_before_the_request_to_the_carrier(
    database: Database, defaults: Defaults
) -> None:
    seen: list[str] = []

    async def look() -> None:
        seen.extend(each.state for each in await list_fulfillments(database))

    await create_label(database, Courier(look), new_label(defaults), actor=COMMAND_LINE)
    assert seen == ["creating"]


async def test_second_request_while_a_label_is_being_created_raises_a_conflict(
    database: Database, defaults: Defaults
) -> None:
    async def rival() -> None:
        with pytest.raises(Conflict, match="being created"):
            await create_label(database, courier, new_label(defaults), actor=COMMAND_LINE)

    courier = Courier(rival)
    made = await create_label(database, courier, new_label(defaults), actor=COMMAND_LINE)
    assert (made.state, courier.made) == ("created", 1)


async def test_concurrent_requests_for_one_parcel_create_one_label(
    database: Database, defaults: Defaults
) -> None:
    courier = Courier()
    clicks = await asyncio.gather(
        *(create_label(database, courier, new_label(defaults), actor=COMMAND_LINE) for _ in range(8)),
        return_exceptions=True,
    )
    assert courier.made == 1
    assert all(isinstance(click, Conflict | Fulfillment) for click in clicks)
    assert {click.id for click in clicks if isinstance(click, Fulfillment)} == {
        (await list_fulfillments(database))[0].id
    }


@pytest.fixture
async def postgresql_database(postgresql_url: str) -> AsyncIterator[Database]:
    """Return a PostgreSQL database. The race cannot occur on SQLite, which has one writer at a time."""
    database = Database(postgresql_url)
    yield database
    await database.close()


async def test_label_created_concurrently_between_lookup_and_insert_is_returned(
    postgresql_database: Database, settings: Any
) -> None:
    database, courier, rivals = postgresql_database, Courier(), Courier()
    defaults = await set_up_defaults(database, settings)
    new = new_label(defaults)
    with run_after_query(
        "fulfillment.reference =", lambda: create_label(database, rivals, new, actor=COMMAND_LINE)
    ):
        made = await create_label(database, courier, new, actor=COMMAND_LINE)
    assert (courier.made, rivals.made) == (0, 1)
    assert made.tracking_number == "T1"
    assert len(await list_fulfillments(database)) == 1


async def test_unknown_location_raises_integrity_error(database: Database, defaults: Defaults) -> None:
    courier = Courier()
    nowhere = dataclasses.replace(new_label(defaults), location_id="sloc_unknown")
    with pytest.raises(IntegrityError):
        await create_label(database, courier, nowhere, actor=COMMAND_LINE)
    assert courier.made == 0
    assert await list_fulfillments(database) == []


# not created, or in doubt


@pytest.mark.parametrize(
    ("refusal", "why"),
    [
        (OutsideFailure("no credit", staff_text="Sin crédito."), "Sin crédito."),
        (OutsideFailure("away"), "La transportadora no responde. Inténtalo otra vez en un rato."),
        (InvalidData("bad phone"), "A la dirección le falta algo. Corrígela en el pedido."),
        (
            InvalidData("bad phone", fields={"destination.phone": "Bad", "origin.phone": "Bad"}),
            "A la dirección le falta algo. Corrígela en el pedido.",
        ),
        (
            InvalidData("bad phone", fields={"origin.phone": "Bad"}),
            "A los datos de la bodega les falta algo. Complétalos en Ajustes.",
        ),
        (NotAllowed("no"), "No se puede empacar. Mira el pedido."),
    ],
)
async def test_refused_label_can_be_tried_again(
    database: Database, defaults: Defaults, refusal: Exception, why: str
) -> None:
    with pytest.raises(type(refusal)):
        await create_label(database, Courier(answer=refusal), new_label(defaults), actor=COMMAND_LINE)
    (failed,) = await list_fulfillments(database)
    assert (failed.state, failed.data) == ("failed", {"why_failed": why})
    again = await create_label(database, Courier(), new_label(defaults), actor=COMMAND_LINE)
    assert (again.id, again.state, again.data) == (failed.id, "created", {})


async def test_concurrent_retries_create_one_label(database: Database, defaults: Defaults) -> None:
    with pytest.raises(OutsideFailure):
        await create_label(
            database, Courier(answer=OutsideFailure("no")), new_label(defaults), actor=COMMAND_LINE
        )
    courier = Courier()
    await asyncio.gather(
        *(create_label(database, courier, new_label(defaults), actor=COMMAND_LINE) for _ in range(4)),
        return_exceptions=True,
    )
    assert courier.made == 1


@pytest.mark.parametrize("doubt", [OutcomeUnknown("lost"), ZeroDivisionError("a fault of our own")])
async def test_label_is_not_requested_again_after_a_lost_response(
    database: Database, defaults: Defaults, doubt: Exception
) -> None:
    with pytest.raises(type(doubt)):
        await create_label(database, Courier(answer=doubt), new_label(defaults), actor=COMMAND_LINE)
    courier = Courier()
    with pytest.raises(Conflict, match="may exist"):
        await create_label(database, courier, new_label(defaults), actor=COMMAND_LINE)
    assert courier.made == 0
    assert [each.state for each in await list_fulfillments(database)] == ["unknown"]
    (row,) = await list_open_attention(database)
    assert row.subject_id == (await list_fulfillments(database))[0].id


async def test_crash_during_the_request_leaves_the_label_in_doubt(
    database: Database, defaults: Defaults
) -> None:
    with pytest.raises(asyncio.CancelledError):
        await create_label(
            database, Courier(answer=asyncio.CancelledError()), new_label(defaults), actor=COMMAND_LINE
        )
    (left,) = await list_fulfillments(database)
    assert left.state == "creating"
    courier = Courier()
    assert await list_open_attention(database) == []  # the request may still be running
    await mark_overdue(database, left.id)
    (row,) = await list_open_attention(database)
    assert (row.subject_id, row.kind) == (left.id, "label_in_doubt")
    with pytest.raises(Conflict):
        await create_label(database, courier, new_label(defaults), actor=COMMAND_LINE)
    assert courier.made == 0


async def test_dropped_response_leaves_one_label_in_doubt(
    database: Database, defaults: Defaults, provider: CarrierStandard, carrier: SandboxCarrier
) -> None:
    carrier.faults.plan(Fault.DROP, Operation.SHIPMENT)
    with pytest.raises(OutcomeUnknown):
        await create_label(database, provider, new_label(defaults), actor=COMMAND_LINE)
    with pytest.raises(Conflict):
        await create_label(database, provider, new_label(defaults), actor=COMMAND_LINE)
    assert len(await carrier.ledger.list_labels()) == 1
    assert [each.state for each in await list_fulfillments(database)] == ["unknown"]


async def test_label_with_an_invalid_phone_is_refused_and_can_be_corrected(
    database: Database, defaults: Defaults, provider: CarrierStandard
) -> None:
    mistyped = new_label(defaults, destination=dataclasses.replace(SHOPPER, phone="300"))
    with pytest.raises(InvalidData) as refused:
        await create_label(database, provider, mistyped, actor=COMMAND_LINE)
    assert "destination.phone" in refused.value.fields
    assert (
        await create_label(database, provider, new_label(defaults), actor=COMMAND_LINE)
    ).state == "created"


# responses after a decision by staff


async def test_second_label_in_a_late_response_after_a_decision_raises_attention(
    database: Database, defaults: Defaults
) -> None:
    async def somebody_looks() -> None:
        (asked,) = await list_fulfillments(database)
        await mark_overdue(database, asked.id)
        async with database.transaction() as session:
            await resolve_doubt(session, asked.id, Label("TRM7", 7))
            await close_attention(session, AttentionKind.LABEL_IN_DOUBT, asked.id, note="found")

    made = await create_label(
        database, Courier(somebody_looks, Label("TRM8", 8)), new_label(defaults), actor=COMMAND_LINE
    )
    assert made.carrier_order_id == 7
    (row,) = await list_open_attention(database)
    assert "A second label was created, 8 (TRM8)" in row.message


async def test_late_response_with_a_label_resolves_the_doubt(database: Database, defaults: Defaults) -> None:
    async def slow() -> None:
        await mark_overdue(database, (await list_fulfillments(database))[0].id)
        assert len(await list_open_attention(database)) == 1

    made = await create_label(
        database, Courier(slow, Label("TRM8", 8)), new_label(defaults), actor=COMMAND_LINE
    )
    assert (made.state, made.carrier_order_id) == ("created", 8)
    assert await list_open_attention(database) == []


async def test_late_failure_of_a_label_request_after_a_decision_changes_nothing(
    database: Database, defaults: Defaults
) -> None:
    async def somebody_looks() -> None:
        await mark_overdue(database, (await list_fulfillments(database))[0].id)
        async with database.transaction() as session:
            await resolve_doubt(session, (await list_fulfillments(database))[0].id, Label("TRM7", 7))

    with pytest.raises(OutsideFailure):
        await create_label(
            database, Courier(somebody_looks, OutsideFailure("no")), new_label(defaults), actor=COMMAND_LINE
        )
    assert [each.state for each in await list_fulfillments(database)] == ["created"]
