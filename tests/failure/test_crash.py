"""The shop is killed at every step of a payment and started again: no approved payment is lost or counted twice."""

import pytest

from tests.failure.crash import CHANGE_POINTS, Step, run

PAYMENT_STEPS = tuple(step for step in Step if step not in CHANGE_POINTS)


@pytest.mark.timeout(900)  # it starts the shop twenty times
@pytest.mark.parametrize("steps", [PAYMENT_STEPS, tuple(CHANGE_POINTS)], ids=["paying", "another bank"])
async def test_killed_shop_loses_no_payment(steps: tuple[Step, ...]) -> None:
    figures = await run(len(steps), steps=steps)
    assert figures.steps == dict.fromkeys(steps, 1)
    assert figures.kills >= len(steps)
    assert figures.approved == figures.paid + figures.attention
    # the kills may have ended another job five times in a row, but no payment job
    assert not [kind for kind in figures.failed_jobs if kind.startswith("payment.")]
