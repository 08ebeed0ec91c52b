"""Document and bank of a customer: kept when asked for, in whole, and gone when told so or with the account."""

import pytest
from sqlalchemy import delete, func, select

from backend.core.db.database import Database
from backend.customers.models import Customer, CustomerPayer
from backend.customers.saved_payers import KEEP_PAYER, forget_payer, keep_payer, payer_of

TYPED = {
    "person_type": "0",
    "doc_type": "CC",
    "doc_number": " 1020304050 ",
    "bank": "1007",
    "email": "a@b.co",
}
KEPT = {"person_type": "0", "doc_type": "CC", "doc_number": "1020304050", "bank": "1007"}


@pytest.fixture
async def ana(database: Database) -> str:
    async with database.transaction() as session:
        customer = Customer(email="ana@example.com")
        session.add(customer)
        await session.flush()
        return customer.id


async def kept(database: Database, customer_id: str) -> dict[str, str]:
    async with database.read() as session:
        return await payer_of(session, customer_id)


async def keep(database: Database, customer_id: str, **typed: str) -> dict[str, str]:
    async with database.transaction() as session:
        await keep_payer(session, customer_id, {**TYPED, **typed})
    return await kept(database, customer_id)


async def test_it_is_kept_only_when_asked_for_and_in_whole(database: Database, ana: str) -> None:
    assert await keep(database, ana) == {}
    for box in ("", "off", "true"):
        assert await keep(database, ana, **{KEEP_PAYER: box}) == {}
    assert await keep(database, ana, **{KEEP_PAYER: "on"}, bank="") == {}
    assert await keep(database, ana, **{KEEP_PAYER: "on"}) == KEPT


async def test_the_last_that_was_asked_for_is_kept(database: Database, ana: str) -> None:
    await keep(database, ana, **{KEEP_PAYER: "on"})
    company = {"person_type": "1", "doc_type": "NIT", "doc_number": "900123456", "bank": "1022"}
    assert await keep(database, ana, **{KEEP_PAYER: "on"}, **company) == company
    assert await keep(database, ana, doc_number="77777") == company  # without the box nothing changes


async def test_it_can_be_forgotten_and_goes_with_the_account(database: Database, ana: str) -> None:
    for end in (forget_payer, None):
        await keep(database, ana, **{KEEP_PAYER: "on"})
        async with database.transaction() as session:
            if end is not None:
                await end(session, ana)
                await end(session, ana)  # nothing to forget is no mistake
            else:
                await session.execute(delete(Customer).where(Customer.id == ana))
        async with database.read() as session:
            count = select(func.count()).select_from(CustomerPayer)
            assert (await session.execute(count)).scalar_one() == 0
