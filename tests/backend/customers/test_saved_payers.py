"""Saved document and bank of a customer: saved on request and completely, deleted on request or with the account."""

import pytest
from sqlalchemy import delete, func, select

from backend.core.db.database import Database
from backend.customers.models import Customer, CustomerPayer
from backend.customers.saved_payers import KEEP_PAYER, delete_saved_payer, read_saved_payer, save_payer

TYPED = {
    "person_type": "0",
    "doc_type": "CC",
    "doc_number": " 1020304050 ",
    "bank": "1007",
    "email": "a@b.co",
}
SAVED = {"person_type": "0", "doc_type": "CC", "doc_number": "1020304050", "bank": "1007"}


@pytest.fixture
async def ana(database: Database) -> str:
    async with database.transaction() as session:
        customer = Customer(email="ana@example.com")
        session.add(customer)
        await session.flush()
        return customer.id


async def read_payer(database: Database, customer_id: str) -> dict[str, str]:
    async with database.read() as session:
        return await read_saved_payer(session, customer_id)


async def save_and_read_payer(database: Database, customer_id: str, **typed: str) -> dict[str, str]:
    async with database.transaction() as session:
        await save_payer(session, customer_id, {**TYPED, **typed})
    return await read_payer(database, customer_id)


async def test_payer_is_saved_only_if_requested_and_complete(database: Database, ana: str) -> None:
    assert await save_and_read_payer(database, ana) == {}
    for box in ("", "off", "true"):
        assert await save_and_read_payer(database, ana, **{KEEP_PAYER: box}) == {}
    assert await save_and_read_payer(database, ana, **{KEEP_PAYER: "on"}, bank="") == {}
    assert await save_and_read_payer(database, ana, **{KEEP_PAYER: "on"}) == SAVED


async def test_newest_payer_replaces_the_saved_one(database: Database, ana: str) -> None:
    await save_and_read_payer(database, ana, **{KEEP_PAYER: "on"})
    company = {"person_type": "1", "doc_type": "NIT", "doc_number": "900123456", "bank": "1022"}
    assert await save_and_read_payer(database, ana, **{KEEP_PAYER: "on"}, **company) == company
    assert (
        await save_and_read_payer(database, ana, doc_number="77777") == company
    )  # without the box nothing changes


async def test_saved_payer_is_deleted_on_request_and_with_the_account(database: Database, ana: str) -> None:
    for end in (delete_saved_payer, None):
        await save_and_read_payer(database, ana, **{KEEP_PAYER: "on"})
        async with database.transaction() as session:
            if end is not None:
                await end(session, ana)
                await end(session, ana)  # deleting without saved data is no error
            else:
                await session.execute(delete(Customer).where(Customer.id == ana))
        async with database.read() as session:
            count = select(func.count()).select_from(CustomerPayer)
            assert (await session.execute(count)).scalar_one() == 0
