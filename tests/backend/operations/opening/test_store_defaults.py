"""The store defaults: made once, completed where some are missing, and never against what staff decided."""

from sqlalchemy import delete, func, select, update

from backend.catalog.models import Product
from backend.channels.models import PublishableKey, Region, SalesChannel
from backend.core.clock import now
from backend.core.config.settings import GatewayEnv, Settings
from backend.core.db.database import Database
from backend.office_settings.service import MUST_BE_OWN, OWN_WAREHOUSE
from backend.operations.demo.seed import seed
from backend.operations.opening.store_defaults import has_no_defaults, make_defaults, missing_defaults
from backend.shipping.models import ShippingOption, StockLocation
from backend.start import prepare

ALL = ["region", "sales_channel", "publishable_key", "stock_location", "shipping_option"]


async def made(database: Database, settings: Settings) -> list[str]:
    async with database.transaction() as session:
        return await make_defaults(session, settings)


async def test_the_defaults_are_made_once(database: Database, settings: Settings) -> None:
    async with database.read() as session:
        assert await has_no_defaults(session)
    assert await made(database, settings) == ALL
    assert await made(database, settings) == []
    async with database.read() as session:
        assert await missing_defaults(session) == []
        location = (await session.execute(select(StockLocation))).scalar_one()
        names = (await session.execute(select(ShippingOption.name))).scalars().all()
    assert location.name == "Bodega Bogotá"
    assert location.address["city"] == "Bogotá, D.C."
    assert sorted(names) == ["Envío a domicilio", "Recoger en la tienda (Bogotá)"]


async def test_the_warehouse_is_where_the_settings_say(database: Database, settings: Settings) -> None:
    settings = settings.model_copy(
        update={"carrier_origin_dane_code": "05001000", "carrier_origin_address": "Carrera 50 # 30-12"}
    )
    await made(database, settings)
    async with database.read() as session:
        location = (await session.execute(select(StockLocation))).scalar_one()
    assert location.name == "Bodega Medellín"
    assert location.address["province"] == "Antioquia"
    assert location.address["address_1"] == "Carrera 50 # 30-12"


async def test_what_is_missing_is_made_and_what_staff_deleted_is_not(
    database: Database, settings: Settings
) -> None:
    await made(database, settings)
    async with database.transaction() as session:
        await session.execute(delete(PublishableKey))
        await session.execute(update(ShippingOption).values(deleted_at=now()))
    assert await made(database, settings) == ["publishable_key"]


async def test_a_shop_without_toys_gets_the_demos_only_when_asked(
    database_url: str, database: Database, settings: Settings
) -> None:
    settings = settings.model_copy(update={"database_url": database_url})
    await made(database, settings)
    assert (await prepare(settings)).products == 0
    assert (await seed(database, settings)).products > 0
    assert (await seed(database, settings)).products == 0
    async with database.read() as session:
        assert (await session.execute(select(func.count()).select_from(Region))).scalar_one() == 1


async def test_an_empty_production_shop_gets_its_defaults_by_itself_and_no_toys(
    database_url: str, database: Database, settings: Settings
) -> None:
    own = dict.fromkeys((*MUST_BE_OWN, *OWN_WAREHOUSE), "6044441234")
    settings = settings.model_copy(
        update={"database_url": database_url, "gateway_env": GatewayEnv.PRODUCTION, **own}
    )
    await prepare(settings)
    async with database.transaction() as session:
        assert await missing_defaults(session) == []
        assert (await session.execute(select(Product.id))).first() is None
        await session.execute(delete(PublishableKey))
    await prepare(settings)
    async with database.read() as session:
        assert await missing_defaults(session) == ["publishable_key"]
        assert (await session.execute(select(func.count()).select_from(SalesChannel))).scalar_one() == 1
