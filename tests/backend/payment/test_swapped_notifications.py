"""Genuine notifications with the data of another payment: their signature covers neither the invoice nor our id.

| the notifications | the shop knows the gateway's numbers | both payments |
|---|---|---|
| each with the other's number | yes | captured by the first run of the inbox |
| the same | of neither: the answers were lost | the same |
| the same | of one | the same |
| each with the other's invoice and our id | yes | the same |
| each twice, once swapped and once right | yes | the same |
"""

import pytest

from backend.core.config.settings import Settings
from backend.core.db.database import Database
from tests.backend.payment.lookup_desk import AMOUNT, open_desk


@pytest.mark.parametrize(
    ("answered", "with_ids", "with_right_ones"),
    [
        ((True, True), False, False),
        ((False, False), False, False),
        ((True, False), False, False),
        ((False, True), False, False),
        ((True, True), True, False),
        ((False, False), True, False),
        ((True, True), False, True),
        ((False, False), True, True),
    ],
)
async def test_payments_whose_notified_numbers_were_swapped_are_both_captured(
    database: Database,
    settings: Settings,
    answered: tuple[bool, bool],
    with_ids: bool,
    with_right_ones: bool,
) -> None:
    async with open_desk(database, settings) as desk:
        first, second = [await desk.start(is_answered=is_answered) for is_answered in answered]
        for named, other in ((first, second), (second, first)):
            await desk.notify(named.invoice, str(other.reference), named.id if with_ids else "")
        if with_right_ones:
            for started in (first, second):
                await desk.notify(started.invoice, str(started.reference), started.id if with_ids else "")
        await desk.work()
        for started in (first, second):
            payment = await desk.stored(started)
            assert (payment.state, payment.captured_amount) == ("captured", AMOUNT)
            assert payment.reference == started.reference
        paid = [("paid_without_order", started.id) for started in (first, second)]  # their carts are empty
        assert sorted(await desk.attention()) == sorted(paid)
