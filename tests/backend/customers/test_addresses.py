"""The address book is its owner's alone."""

from typing import Any

import pytest
from sqlalchemy.ext.asyncio import AsyncSession

from backend.core.db.database import Database
from backend.core.errors import NotAllowed, NotFound
from backend.customers.addresses import (
    MAX_ADDRESSES,
    add_address,
    addresses_of,
    change_address,
    read_address,
    remember,
    remove_address,
)
from backend.customers.models import Customer

HOME = {"address_1": "Calle 10 # 5-20", "city": "Cali", "metadata": {"dane_code": "76001000"}}
WORK = {"address_1": "Carrera 7 # 71-21", "city": "Bogotá, D.C.", "metadata": {"dane_code": "11001000"}}


async def customer(session: AsyncSession, email: str) -> str:
    person = Customer(email=email)
    session.add(person)
    await session.flush()
    return person.id


async def test_the_first_address_is_the_one_to_ship_to(database: Database) -> None:
    async with database.transaction() as session:
        ana = await customer(session, "ana@example.com")
        home, work = [(await add_address(session, ana, place)).id for place in (HOME, WORK)]
        assert [entry.id for entry in await addresses_of(session, ana)] == [home, work]
        await change_address(session, ana, work, {}, ships=True)
    async with database.read() as session:
        book = await addresses_of(session, ana)
    assert [(entry.id, entry.is_default_shipping) for entry in book] == [(work, True), (home, False)]


async def test_anothers_address_does_not_exist(database: Database) -> None:
    async with database.transaction() as session:
        ana, mallory = await customer(session, "ana@example.com"), await customer(session, "m@example.com")
        home = (await add_address(session, ana, HOME)).id
    async with database.transaction() as session:
        with pytest.raises(NotFound):
            await read_address(session, mallory, home)
        with pytest.raises(NotFound):
            await change_address(session, mallory, home, WORK)
        with pytest.raises(NotFound):
            await remove_address(session, mallory, home)
    async with database.read() as session:
        assert (await read_address(session, ana, home)).address == HOME
        assert not await addresses_of(session, mallory)


async def test_what_was_shipped_to_is_remembered_once(database: Database) -> None:
    async with database.transaction() as session:
        ana = await customer(session, "ana@example.com")
        for place in (HOME, WORK, {**HOME, "address_1": "CALLE 10 # 5-20"}):
            await remember(session, ana, place)
        assert len(await addresses_of(session, ana)) == 2
        await remember(session, ana, {**HOME, "address_2": "Apto 902"})
        assert len(await addresses_of(session, ana)) == 3  # another door in the same building


async def test_a_book_has_an_end(database: Database) -> None:
    async with database.transaction() as session:
        ana = await customer(session, "ana@example.com")
        for _ in range(MAX_ADDRESSES):
            await add_address(session, ana, HOME)
        with pytest.raises(NotAllowed):
            await add_address(session, ana, HOME)
        await remember(session, ana, WORK)
        assert len(await addresses_of(session, ana)) == MAX_ADDRESSES


@pytest.mark.parametrize(
    ("changes", "metadata"),
    [
        ({"city": "Medellín", "province": "Antioquia"}, {"suburb": "San Antonio"}),
        ({"city": "Medellín", "metadata": {"dane_code": "05001000"}}, {"dane_code": "05001000"}),
        ({"city": "Cali", "phone": "3001234567"}, {"dane_code": "76001000", "suburb": "San Antonio"}),
        ({"address_1": "Calle 5 # 38-14"}, {"dane_code": "76001000", "suburb": "San Antonio"}),
    ],
)
async def test_another_city_leaves_the_code_of_the_former_one_behind(
    database: Database, changes: dict[str, Any], metadata: dict[str, str]
) -> None:
    async with database.transaction() as session:
        ana = await customer(session, "ana@example.com")
        suburb = {"dane_code": "76001000", "suburb": "San Antonio"}
        home = (await add_address(session, ana, {**HOME, "metadata": suburb})).id
        await change_address(session, ana, home, changes)
    async with database.read() as session:
        assert (await read_address(session, ana, home)).address["metadata"] == metadata
