"""A gateway that dies and comes back hours later: no payment and no order is lost, and no reservation is left."""

from pathlib import Path

from tests.failure.outage import run


async def test_a_gateway_that_dies_loses_no_payment(database_url: str, tmp_path: Path) -> None:
    figures = await run(1, database_url=database_url, folder=tmp_path / "shop", seed_of_chance=7)
    assert figures.outages == 1
    assert figures.approved
