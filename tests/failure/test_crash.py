"""The shop is killed at every step of a payment and started again: no approved payment is lost or counted twice."""

import pytest

from tests.failure.crash import Step, run


@pytest.mark.parametrize("step", list(Step), ids=[step.name.lower() for step in Step])
async def test_a_killed_shop_loses_no_payment(step: Step) -> None:
    figures = await run(1, steps=(step,))
    assert figures.steps == {step: 1}
    assert figures.kills >= 1
    assert figures.approved == figures.paid + figures.attention
