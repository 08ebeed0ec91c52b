"""A random shopper does what comes to mind, and the shop stands; how to let many of them wander: see `wandering`."""

from pathlib import Path

from tests.failure.wandering import Figures, wander

ACTIONS = 60


async def test_a_random_shopper_finds_nothing_broken(tmp_path: Path) -> None:
    """Any seed will do; this one tells of the same failures again."""
    figures = Figures(seed=2024)
    await wander(figures, tmp_path, ACTIONS, a_visit=ACTIONS // 2)
    assert figures.failures == []
    assert (figures.actions, figures.visits) == (ACTIONS, 2)
    assert Figures.read(tmp_path, 2024) == figures  # a later run goes on from here
