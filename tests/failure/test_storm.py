"""Notifications in any order, any number of times, forged among genuine: each gets its 200, each order its end."""

from sqlalchemy.engine import make_url

from tests.failure.storm import run


async def test_a_storm_of_notifications_leaves_every_order_where_the_bank_says(database_url: str) -> None:
    processes = 1 if make_url(database_url).get_backend_name() == "sqlite" else 2
    figures = await run(notifications=200, orders=10, database_url=database_url, processes=processes)
    assert figures.statuses == {200: 200}
    assert sum(figures.ends.values()) == 10
