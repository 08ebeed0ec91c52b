"""Address books: only the owner has access."""

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
    remove_address,
    save_used_address,
)
from backend.customers.models import Customer

HOME = {"address_1": "Calle 10 # 5-20", "city": "Cali", "metadata": {"dane_code": "76001000"}}
WORK = {"address_1": "Carrera 7 # 71-21", "city": "Bogotá, D.C.", "metadata": {"dane_code": "11001000"}}


async def customer(session: AsyncSession, email: str) -> str:
    person = Customer(email=email)
    session.add(person)
    await session.flush()
    return person.id


async def test_first_address_is_the_default_for_shipping(database: Database) -> None:
    async with database.transaction() as session:
        ana = await customer(session, "ana@example.com")
        home, work = [(await add_address(session, ana, place)).id for place in (HOME, WORK)]
        assert [entry.id for entry in await addresses_of(session, ana)] == [home, work]
        await change_address(session, ana, work, {}, is_shipping=True)
    async with database.read() as session:
        book = await addresses_of(session, ana)
    assert [(entry.id, entry.is_default_shipping) for entry in book] == [(work, True), (home, False)]


async def test_address_of_another_customer_is_not_found(database: Database) -> None:
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


async def test_used_shipping_address_is_saved_once(database: Database) -> None:
    async with database.transaction() as session:
        ana = await customer(session, "ana@example.com")
        for place in (HOME, WORK, {**HOME, "address_1": "CALLE 10 # 5-20"}):
            await save_used_address(session, ana, place)
        assert len(await addresses_of(session, ana)) == 2
        await save_used_address(session, ana, {**HOME, "address_2": "Apto 902"})
        assert len(await addresses_of(session, ana)) == 3  # another apartment in the same building


async def test_address_book_has_a_maximum_size(database: Database) -> None:
    async with database.transaction() as session:
        ana = await customer(session, "ana@example.com")
        for _ in range(MAX_ADDRESSES):
            await add_address(session, ana, HOME)
        with pytest.raises(NotAllowed):
            await add_address(session, ana, HOME)
        await save_used_address(session, ana, WORK)
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
async def test_change_of_city_removes_the_old_municipality_code(
    database: Database, changes: dict[str, Any], metadata: dict[str, str]
) -> None:
    async with database.transaction() as session:
        ana = await customer(session, "ana@example.com")
        suburb = {"dane_code": "76001000", "suburb": "San Antonio"}
        home = (await add_address(session, ana, {**HOME, "metadata": suburb})).id
        await change_address(session, ana, home, changes)
    async with database.read() as session:
        assert (await read_address(session, ana, home)).address["metadata"] == metadata
