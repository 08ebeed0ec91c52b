"""A gateway that fails and recovers hours later: no payment or order is lost, and no reservation is left."""

from pathlib import Path

from tests.failure.outage import run


async def test_gateway_outage_loses_no_payment(database_url: str, tmp_path: Path) -> None:
    figures = await run(1, database_url=database_url, folder=tmp_path / "shop", rng_seed=7)
    assert figures.outages == 1
    assert figures.approved
