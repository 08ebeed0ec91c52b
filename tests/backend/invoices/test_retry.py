"""What is decided about a document that waits."""

import pytest
from sqlalchemy import select

from backend.app import Shop
from backend.attention.kinds import Action
from backend.attention.models import Attention
from backend.attention.service import Decision
from backend.invoices.issue_job import LATER
from backend.jobs import RunAgain
from backend.staff.rights import COMMAND_LINE
from tests.backend.invoices.desk import Desk, documents, run, sell, turned_on
from tests.store_defaults import Defaults


async def open_rows(shop: Shop) -> list[Attention]:
    query = select(Attention).where(Attention.resolved_at.is_(None))
    async with shop.database.read() as session:
        return list((await session.execute(query)).scalars())


@pytest.mark.parametrize(
    ("decision", "told"),
    [
        (Decision(Action.DISMISSED, COMMAND_LINE, note="It was made by hand"), []),
        (Decision(Action.HONOR, COMMAND_LINE), ["invoice_waits"]),
    ],
)
async def test_a_document_without_a_number_is_told_again_unless_nothing_is_to_be_done(
    shop: Shop, shop_defaults: Defaults, decision: Decision, told: list[str]
) -> None:
    """Every hour it is tried again, and the range is still used up."""
    invoices = await turned_on(shop, Desk(), last="990000000")
    for _ in range(2):
        await sell(shop)
    first, second = await documents(shop)
    await run(invoices, first)
    assert await run(invoices, second) == RunAgain(LATER, reset=True)
    (row,) = [one for one in await open_rows(shop) if one.subject_id == second.id]
    await shop.attention.resolve(row.id, decision)
    await run(invoices, second)
    assert [one.kind for one in await open_rows(shop) if one.subject_id == second.id] == told
