from sqlalchemy import select, update

from backend.core.config.settings import Settings
from backend.core.db.database import Database
from backend.operations.opening.store_defaults import create_store_defaults
from backend.shipping.models import ShippingOption, StockLocation
from backend.shipping.warehouse_address import move_warehouse
from backend.staff.rights import COMMAND_LINE


async def test_moving_the_warehouse_keeps_names_set_by_staff(database: Database, settings: Settings) -> None:
    async with database.transaction() as session:
        await create_store_defaults(session, settings)

    async def move(code: str) -> tuple[bool, str, str, set[str]]:
        moved = settings.model_copy(update={"carrier_origin_dane_code": code})
        async with database.transaction() as session:
            has_moved = await move_warehouse(session, COMMAND_LINE, moved)
        async with database.read() as session:
            location = (await session.execute(select(StockLocation))).scalar_one()
            names = set((await session.execute(select(ShippingOption.name))).scalars())
        return has_moved, location.name, location.address["city"], names

    home = "Envío a domicilio"
    in_medellin = (True, "Bodega Medellín", "Medellín", {home, "Recoger en la tienda (Medellín)"})
    assert await move("05001000") == in_medellin
    assert await move("05001000") == (False, *in_medellin[1:])
    async with database.transaction() as session:
        await session.execute(update(StockLocation).values(name="La bodega de Ana"))
        pickup = ShippingOption.name == "Recoger en la tienda (Medellín)"
        await session.execute(update(ShippingOption).where(pickup).values(name="En el local"))
    assert await move("76001000") == (True, "La bodega de Ana", "Cali", {home, "En el local"})
