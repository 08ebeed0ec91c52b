"""The store defaults: created once, completed if some are missing, and never against a decision of staff."""

from sqlalchemy import delete, func, select, update

from backend.catalog.models import Product
from backend.channels.models import PublishableKey, Region, SalesChannel
from backend.core.clock import now
from backend.core.config.settings import GatewayEnv, Settings
from backend.core.db.database import Database
from backend.office_settings.service import MUST_BE_OWN, OWN_WAREHOUSE
from backend.operations.demo.seed import seed
from backend.operations.opening.store_defaults import (
    create_store_defaults,
    find_missing_defaults,
    has_no_defaults,
)
from backend.shipping.models import ShippingOption, StockLocation
from backend.start import prepare

ALL = ["region", "sales_channel", "publishable_key", "stock_location", "shipping_option"]


async def create_defaults(database: Database, settings: Settings) -> list[str]:
    async with database.transaction() as session:
        return await create_store_defaults(session, settings)


async def test_store_defaults_are_created_once(database: Database, settings: Settings) -> None:
    async with database.read() as session:
        assert await has_no_defaults(session)
    assert await create_defaults(database, settings) == ALL
    assert await create_defaults(database, settings) == []
    async with database.read() as session:
        assert await find_missing_defaults(session) == []
        location = (await session.execute(select(StockLocation))).scalar_one()
        names = (await session.execute(select(ShippingOption.name))).scalars().all()
    assert location.name == "Bodega Bogotá"
    assert location.address["city"] == "Bogotá, D.C."
    assert sorted(names) == ["Envío a domicilio", "Recoger en la tienda (Bogotá)"]


async def test_warehouse_gets_the_address_of_the_settings(database: Database, settings: Settings) -> None:
    settings = settings.model_copy(
        update={"carrier_origin_dane_code": "05001000", "carrier_origin_address": "Carrera 50 # 30-12"}
    )
    await create_defaults(database, settings)
    async with database.read() as session:
        location = (await session.execute(select(StockLocation))).scalar_one()
    assert location.name == "Bodega Medellín"
    assert location.address["province"] == "Antioquia"
    assert location.address["address_1"] == "Carrera 50 # 30-12"


async def test_only_missing_defaults_are_created_and_no_deleted_shipping_options(
    database: Database, settings: Settings
) -> None:
    await create_defaults(database, settings)
    async with database.transaction() as session:
        await session.execute(delete(PublishableKey))
        await session.execute(update(ShippingOption).values(deleted_at=now()))
    assert await create_defaults(database, settings) == ["publishable_key"]


async def test_demo_products_are_added_only_on_request(
    database_url: str, database: Database, settings: Settings
) -> None:
    settings = settings.model_copy(update={"database_url": database_url})
    await create_defaults(database, settings)
    assert (await prepare(settings)).products == 0
    assert (await seed(database, settings)).products > 0
    assert (await seed(database, settings)).products == 0
    async with database.read() as session:
        assert (await session.execute(select(func.count()).select_from(Region))).scalar_one() == 1


async def test_empty_production_shop_gets_defaults_but_no_products(
    database_url: str, database: Database, settings: Settings
) -> None:
    own = dict.fromkeys((*MUST_BE_OWN, *OWN_WAREHOUSE), "6044441234")
    settings = settings.model_copy(
        update={"database_url": database_url, "gateway_env": GatewayEnv.PRODUCTION, **own}
    )
    await prepare(settings)
    async with database.transaction() as session:
        assert await find_missing_defaults(session) == []
        assert (await session.execute(select(Product.id))).first() is None
        await session.execute(delete(PublishableKey))
    await prepare(settings)
    async with database.read() as session:
        assert await find_missing_defaults(session) == ["publishable_key"]
        assert (await session.execute(select(func.count()).select_from(SalesChannel))).scalar_one() == 1
