"""Cut connections lose and double nothing. For many cuts, see `cuts`."""

from pathlib import Path

import pytest

from tests.failure.cuts import Figures, run


@pytest.mark.timeout(1800)  # it starts a shop and buys in it
async def test_purchase_over_an_often_cut_connection_is_completed_exactly_once(tmp_path: Path) -> None:
    figures = Figures(seed=2026)
    await run(figures, tmp_path, cuts=200, purchases=1)
    assert figures.failures == []
    assert (figures.purchases, figures.cuts > 0) == (1, True)
    assert Figures.read(tmp_path, 2026) == figures  # a later run continues from here
