import asyncio
from collections.abc import AsyncIterator
from datetime import timedelta

import pytest

from backend.core.clock import now
from backend.core.config.settings import Settings
from backend.core.db.database import Database
from backend.payment.providers.pse import banks
from backend.payment.providers.pse.banks import (
    FRESH_FOR,
    RETRY_AFTER,
    RETRY_AFTER_WITHOUT_LIST,
    BankListUnavailable,
    offered_banks,
)
from backend.payment.providers.pse.requests import Bank
from backend.sandbox.gateway import Kind, Operation
from tests.gateway_kit import Practice, open_practice

PATH = "/bancos.json"
MOMENT = now()


@pytest.fixture
async def practice(database: Database, settings: Settings) -> AsyncIterator[Practice]:
    async with open_practice(database, settings) as parts:
        yield parts


def fail(practice: Practice, times: int | None = None) -> None:
    practice.sandbox.faults.add(Operation.BANKS, Kind.BAD_GATEWAY, times=times)


async def test_the_list_is_sorted_and_without_the_placeholder(database: Database, practice: Practice) -> None:
    offered = await offered_banks(database, practice.client, now=MOMENT)
    assert [bank.name for bank in offered] == sorted(bank.name for bank in offered if bank.code != "0")
    assert {bank.code for bank in offered} >= {"1022", "1077"}
    assert "0" not in {bank.code for bank in offered}
    assert len(offered) == 15


def test_sorting_is_spanish_and_the_placeholder_falls_by_its_code_wherever_it_stands() -> None:
    rows = [
        Bank("7", "Nubank"), Bank("1", "ñandú"), Bank("2", "NZ"), Bank("3", "Ítaca"), Bank("0", "Elija"),
        Bank("4", "itau"), Bank("5", "Éxito"), Bank("4", "ITAÚ"), Bank("", "nada"), Bank("6", ""),
    ]  # fmt: skip
    assert [bank.name for bank in banks._without_placeholder(rows)] == [
        "Éxito",
        "Ítaca",
        "ITAÚ",
        "Nubank",
        "NZ",
        "ñandú",
    ]


async def test_the_gateway_is_asked_once_a_day(database: Database, practice: Practice) -> None:
    for later in (timedelta(0), timedelta(hours=1), FRESH_FOR - timedelta(seconds=1)):
        assert await offered_banks(database, practice.client, now=MOMENT + later)
    assert practice.calls.count(PATH) == 1
    await offered_banks(database, practice.client, now=MOMENT + FRESH_FOR)
    assert practice.calls.count(PATH) == 2


async def test_shoppers_who_come_at_once_wait_for_one_answer(database: Database, practice: Practice) -> None:
    practice.sandbox.faults.add(Operation.BANKS, Kind.SLOW, seconds=0.05)
    lists = await asyncio.gather(*(offered_banks(database, practice.client, now=MOMENT) for _ in range(6)))
    assert all(one == lists[0] for one in lists)
    assert practice.calls.count(PATH) == 1


async def test_two_replicas_that_fetch_at_once_do_no_harm(
    database_url: str, database: Database, practice: Practice, monkeypatch: pytest.MonkeyPatch
) -> None:
    other, both, fetch = Database(database_url), asyncio.Barrier(2), practice.client.get_banks

    async def fetch_together() -> list[Bank]:
        await both.wait()
        return await fetch()

    monkeypatch.setattr(practice.client, "get_banks", fetch_together)
    lists = await asyncio.gather(
        *(offered_banks(one, practice.client, now=MOMENT) for one in (database, other))
    )
    await other.close()
    monkeypatch.undo()
    assert lists[0] == lists[1]
    assert practice.calls.count(PATH) == 2
    await offered_banks(database, practice.client, now=MOMENT)
    assert practice.calls.count(PATH) == 2


async def test_the_last_good_list_is_offered_while_the_gateway_fails(
    database: Database, practice: Practice
) -> None:
    good = await offered_banks(database, practice.client, now=MOMENT)
    fail(practice)
    asked = practice.calls.count(PATH)
    tomorrow = MOMENT + FRESH_FOR
    assert await offered_banks(database, practice.client, now=tomorrow) == good
    failed = practice.calls.count(PATH)
    assert failed > asked
    # and it is left alone for a while
    assert await offered_banks(database, practice.client, now=tomorrow + RETRY_AFTER / 2) == good
    assert practice.calls.count(PATH) == failed
    practice.sandbox.faults.clear()
    assert await offered_banks(database, practice.client, now=tomorrow + RETRY_AFTER) == good
    assert practice.calls.count(PATH) == failed + 1


async def test_without_any_list_there_is_an_error_in_a_shoppers_words(
    database: Database, practice: Practice
) -> None:
    fail(practice)
    for later in (timedelta(0), RETRY_AFTER_WITHOUT_LIST / 2):
        with pytest.raises(BankListUnavailable) as unavailable:
            await offered_banks(database, practice.client, now=MOMENT + later)
        assert unavailable.value.shopper_text.startswith(
            "No se pudo obtener la lista de entidades financieras"
        )
    practice.sandbox.faults.clear()
    failed = practice.calls.count(PATH)
    assert await offered_banks(database, practice.client, now=MOMENT + RETRY_AFTER_WITHOUT_LIST)
    assert practice.calls.count(PATH) == failed + 1


async def test_an_empty_list_is_no_good_list(
    database: Database, practice: Practice, monkeypatch: pytest.MonkeyPatch
) -> None:
    good = await offered_banks(database, practice.client, now=MOMENT)

    async def only_the_placeholder() -> list[Bank]:
        return [Bank("0", "A continuaciÃ³n seleccione su banco")]

    monkeypatch.setattr(practice.client, "get_banks", only_the_placeholder)
    assert await offered_banks(database, practice.client, now=MOMENT + FRESH_FOR) == good


async def test_a_list_of_another_gateway_is_never_offered(database: Database, practice: Practice) -> None:
    await offered_banks(database, practice.client, now=MOMENT)
    practice.client.test_mode = False
    fail(practice)
    with pytest.raises(BankListUnavailable):
        await offered_banks(database, practice.client, now=MOMENT)


async def test_no_transaction_is_open_while_the_gateway_is_asked(
    database: Database, practice: Practice, monkeypatch: pytest.MonkeyPatch
) -> None:
    ask = practice.client.get_banks

    async def ask_and_look() -> list[Bank]:
        assert database.engine.pool.checkedout() == 0  # type: ignore[attr-defined]
        return await ask()

    monkeypatch.setattr(practice.client, "get_banks", ask_and_look)
    assert await offered_banks(database, practice.client, now=MOMENT)


async def test_a_list_that_another_fetched_meanwhile_is_taken(database: Database, practice: Practice) -> None:
    await offered_banks(database, practice.client, now=MOMENT)
    stored = await banks._refreshed(database, practice.client, MOMENT)
    assert stored.fetched_at is not None
    assert practice.calls.count(PATH) == 1
