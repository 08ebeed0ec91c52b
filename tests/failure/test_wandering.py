"""A shopper who acts at random finds no failure. For many shoppers, see `wandering`."""

from pathlib import Path

from tests.failure.wandering import Figures, wander

ACTIONS = 60


async def test_random_actions_of_a_shopper_cause_no_failure(tmp_path: Path) -> None:
    """Use a fixed seed, so that every run does the same actions."""
    figures = Figures(seed=2024)
    await wander(figures, tmp_path, ACTIONS, actions_per_visit=ACTIONS // 2)
    assert figures.failures == []
    assert (figures.actions, figures.visits) == (ACTIONS, 2)
    assert Figures.read(tmp_path, 2024) == figures  # a later run continues from here
