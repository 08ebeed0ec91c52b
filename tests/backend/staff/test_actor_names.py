"""Names of actors in lists and sentences of the office."""

from backend.app import Shop
from backend.staff.actor_names import actor_names, short_actor_names
from backend.staff.rights import COMMAND_LINE, SHOP, Actor, Role
from backend.staff.secret_keys import create_secret_key


async def test_names_of_staff_members_secret_keys_and_machines_are_displayed(
    shop: Shop, staff: dict[Role, str]
) -> None:
    owner, other = staff[Role.OWNER], staff[Role.SHOP]
    actor = Actor(owner, Role.OWNER, has_second_factor=True)
    async with shop.database.transaction() as session:
        key, _token = await create_secret_key(session, actor, "Contabilidad", Role.ACCOUNTANT)
    machines = {COMMAND_LINE.id: "Línea de comandos", SHOP.id: "La tienda, sola"}
    async with shop.database.read() as session:
        assert await actor_names(session, [owner, key.id]) == {
            **machines,
            owner: "owner@trompo.example",
            key.id: "Llave Contabilidad",
        }
        assert await actor_names(session, []) == machines
        assert await short_actor_names(session, [other, key.id]) == {
            COMMAND_LINE.id: "la línea de comandos",
            SHOP.id: "",
            other: "shop",
            key.id: "Llave Contabilidad",
        }
