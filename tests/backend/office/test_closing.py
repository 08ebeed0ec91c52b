"""The screen «Cerrar el día» of the office."""

from backend.app import Shop
from backend.office.closing import closing_view
from backend.staff.rights import Actor, Role
from tests.amounts import cop


async def test_day_without_cash_shows_zeros_without_a_sign(shop: Shop) -> None:
    async with shop.database.read() as session:
        view = await closing_view(session, Actor("user_1", Role.OWNER))
    assert [amount for _name, amount in view.sums] == [cop("$ 0"), cop("$ 0")]
