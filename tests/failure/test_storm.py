"""Notifications in any order, any number of times, forged among genuine: each gets its 200, each order its end."""

from tests.failure.storm import run


async def test_a_storm_of_notifications_leaves_every_order_where_the_bank_says() -> None:
    figures = await run(notifications=300, orders=15)
    assert figures.statuses == {200: 300}
    assert sum(figures.ends.values()) == 15
