import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import timedelta

import pytest
from sqlalchemy.ext.asyncio import AsyncSession

from backend.core.clock import now
from backend.core.config.settings import Settings
from backend.core.db.database import Database
from backend.payment.providers.pse.banks import (
    MAX_LIST_AGE,
    RETRY_INTERVAL,
    RETRY_INTERVAL_WITHOUT_LIST,
    BankListUnavailable,
    list_offered_banks,
)
from backend.payment.providers.pse.requests import Bank
from backend.sandbox.gateway import FaultKind, Operation
from tests.gateway_kit import GatewayPractice, open_practice

PATH = "/bancos.json"
MOMENT = now()


@pytest.fixture
async def practice(database: Database, settings: Settings) -> AsyncIterator[GatewayPractice]:
    async with open_practice(database, settings) as parts:
        yield parts


def fail(practice: GatewayPractice, times: int | None = None) -> None:
    practice.sandbox.faults.add(Operation.BANKS, FaultKind.BAD_GATEWAY, times=times)


async def test_list_of_banks_is_sorted_and_has_no_placeholder(
    database: Database, practice: GatewayPractice
) -> None:
    offered = await list_offered_banks(database, practice.client, now=MOMENT)
    assert [bank.name for bank in offered] == sorted(bank.name for bank in offered if bank.code != "0")
    assert {bank.code for bank in offered} >= {"1022", "1077"}
    assert "0" not in {bank.code for bank in offered}
    assert len(offered) == 15


async def test_banks_are_sorted_in_spanish_and_the_placeholder_is_removed_at_any_position(
    database: Database, practice: GatewayPractice, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = [
        Bank("7", "Nubank"), Bank("1", "ñandú"), Bank("2", "NZ"), Bank("3", "Ítaca"), Bank("0", "Elija"),
        Bank("4", "itau"), Bank("5", "Éxito"), Bank("4", "ITAÚ"), Bank("", "nada"), Bank("6", ""),
    ]  # fmt: skip

    async def get_banks() -> list[Bank]:
        return rows

    monkeypatch.setattr(practice.client, "get_banks", get_banks)
    assert [bank.name for bank in await list_offered_banks(database, practice.client, now=MOMENT)] == [
        "Éxito",
        "Ítaca",
        "ITAÚ",
        "Nubank",
        "NZ",
        "ñandú",
    ]


async def test_list_of_banks_is_fetched_once_a_day(database: Database, practice: GatewayPractice) -> None:
    for later in (timedelta(0), timedelta(hours=1), MAX_LIST_AGE - timedelta(seconds=1)):
        assert await list_offered_banks(database, practice.client, now=MOMENT + later)
    assert practice.calls.count(PATH) == 1
    await list_offered_banks(database, practice.client, now=MOMENT + MAX_LIST_AGE)
    assert practice.calls.count(PATH) == 2


async def test_concurrent_shoppers_share_one_request_for_the_list_of_banks(
    database: Database, practice: GatewayPractice
) -> None:
    practice.sandbox.faults.add(Operation.BANKS, FaultKind.SLOW, seconds=0.05)
    lists = await asyncio.gather(
        *(list_offered_banks(database, practice.client, now=MOMENT) for _ in range(6))
    )
    assert all(one == lists[0] for one in lists)
    assert practice.calls.count(PATH) == 1


async def test_two_replicas_that_fetch_the_list_of_banks_concurrently_store_one_list(
    database_url: str, database: Database, practice: GatewayPractice, monkeypatch: pytest.MonkeyPatch
) -> None:
    other, both, fetch = Database(database_url), asyncio.Barrier(2), practice.client.get_banks

    async def fetch_together() -> list[Bank]:
        await both.wait()
        return await fetch()

    monkeypatch.setattr(practice.client, "get_banks", fetch_together)
    lists = await asyncio.gather(
        *(list_offered_banks(one, practice.client, now=MOMENT) for one in (database, other))
    )
    await other.close()
    monkeypatch.undo()
    assert lists[0] == lists[1]
    assert practice.calls.count(PATH) == 2
    await list_offered_banks(database, practice.client, now=MOMENT)
    assert practice.calls.count(PATH) == 2


async def test_last_valid_list_of_banks_is_offered_while_the_gateway_fails(
    database: Database, practice: GatewayPractice
) -> None:
    good = await list_offered_banks(database, practice.client, now=MOMENT)
    fail(practice)
    asked = practice.calls.count(PATH)
    tomorrow = MOMENT + MAX_LIST_AGE
    assert await list_offered_banks(database, practice.client, now=tomorrow) == good
    failed = practice.calls.count(PATH)
    assert failed > asked
    # and it is left alone for a while
    assert await list_offered_banks(database, practice.client, now=tomorrow + RETRY_INTERVAL / 2) == good
    assert practice.calls.count(PATH) == failed
    practice.sandbox.faults.clear()
    assert await list_offered_banks(database, practice.client, now=tomorrow + RETRY_INTERVAL) == good
    assert practice.calls.count(PATH) == failed + 1


async def test_missing_list_of_banks_raises_an_error(database: Database, practice: GatewayPractice) -> None:
    fail(practice)
    for later in (timedelta(0), RETRY_INTERVAL_WITHOUT_LIST / 2):
        with pytest.raises(BankListUnavailable) as unavailable:
            await list_offered_banks(database, practice.client, now=MOMENT + later)
        assert unavailable.value.shopper_text.startswith(
            "No se pudo obtener la lista de entidades financieras"
        )
    practice.sandbox.faults.clear()
    failed = practice.calls.count(PATH)
    assert await list_offered_banks(database, practice.client, now=MOMENT + RETRY_INTERVAL_WITHOUT_LIST)
    assert practice.calls.count(PATH) == failed + 1


async def test_empty_list_of_banks_does_not_replace_the_stored_list(
    database: Database, practice: GatewayPractice, monkeypatch: pytest.MonkeyPatch
) -> None:
    good = await list_offered_banks(database, practice.client, now=MOMENT)

    async def only_the_placeholder() -> list[Bank]:
        return [Bank("0", "A continuaciÃ³n seleccione su banco")]

    monkeypatch.setattr(practice.client, "get_banks", only_the_placeholder)
    assert await list_offered_banks(database, practice.client, now=MOMENT + MAX_LIST_AGE) == good


async def test_list_of_banks_from_another_gateway_is_not_offered(
    database: Database, practice: GatewayPractice
) -> None:
    await list_offered_banks(database, practice.client, now=MOMENT)
    practice.client.test_mode = False
    fail(practice)
    with pytest.raises(BankListUnavailable):
        await list_offered_banks(database, practice.client, now=MOMENT)


async def test_no_database_transaction_is_open_while_the_list_of_banks_is_fetched(
    database: Database, practice: GatewayPractice, monkeypatch: pytest.MonkeyPatch
) -> None:
    ask = practice.client.get_banks

    async def ask_and_look() -> list[Bank]:
        assert database.engine.pool.checkedout() == 0  # type: ignore[attr-defined]
        return await ask()

    monkeypatch.setattr(practice.client, "get_banks", ask_and_look)
    assert await list_offered_banks(database, practice.client, now=MOMENT)


async def test_list_of_banks_fetched_meanwhile_by_another_caller_is_used(
    database: Database, practice: GatewayPractice, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Let another caller fetch and store the list after this caller has read that none is stored."""
    read, is_first = database.read, True

    @asynccontextmanager
    async def read_and_be_late() -> AsyncIterator[AsyncSession]:
        nonlocal is_first
        async with read() as session:
            yield session
        if is_first:
            is_first = False
            await list_offered_banks(database, practice.client, now=MOMENT)

    monkeypatch.setattr(database, "read", read_and_be_late)
    assert await list_offered_banks(database, practice.client, now=MOMENT)
    assert practice.calls.count(PATH) == 1
