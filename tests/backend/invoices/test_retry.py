"""A waiting document: it is retried, or its attention is dismissed."""

import pytest
from sqlalchemy import select

from backend.app import Shop
from backend.attention.kinds import Action
from backend.attention.models import Attention
from backend.attention.service import Decision
from backend.invoices.issue_job import RETRY_INTERVAL
from backend.jobs import RunAgain
from backend.staff.rights import COMMAND_LINE
from tests.backend.invoices.desk import Desk, enable_invoices, list_documents, place_paid_order, run_issue_job
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
async def test_document_without_a_free_number_raises_attention_again_unless_dismissed(
    shop: Shop, shop_defaults: Defaults, decision: Decision, told: list[str]
) -> None:
    """Use up the number range. Then dismiss or retry the waiting document in attention, and run its job again."""
    invoices = await enable_invoices(shop, Desk(), last="990000000")
    for _ in range(2):
        await place_paid_order(shop)
    first, second = await list_documents(shop)
    await run_issue_job(invoices, first)
    assert await run_issue_job(invoices, second) == RunAgain(RETRY_INTERVAL, reset=True)
    (row,) = [one for one in await open_rows(shop) if one.subject_id == second.id]
    await shop.attention.resolve(row.id, decision)
    await run_issue_job(invoices, second)
    assert [one.kind for one in await open_rows(shop) if one.subject_id == second.id] == told
