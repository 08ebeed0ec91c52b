"""Notifications in any order, repeated, partly forged: each gets a 200, each order reaches its final state."""

from sqlalchemy.engine import make_url

from tests.failure.storm import run


async def test_storm_of_notifications_leaves_every_order_in_the_banks_state(database_url: str) -> None:
    processes = 1 if make_url(database_url).get_backend_name() == "sqlite" else 2
    figures = await run(notifications=200, orders=10, database_url=database_url, processes=processes)
    assert figures.statuses == {200: 200}
    assert sum(figures.final_states.values()) == 10
