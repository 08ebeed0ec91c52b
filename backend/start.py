"""Preparation before the shop starts: run migrations and fill an empty database with store defaults or the demo."""

from sqlalchemy import delete

from backend.core.config.modules import list_blocks, registered_providers
from backend.core.config.problems import settings_error
from backend.core.config.settings import GatewayEnv, Settings
from backend.core.config.values import create_private_folder
from backend.core.db.database import Database
from backend.core.db.driver_check import check_sqlite_driver
from backend.core.errors import CannotStart, InvalidData
from backend.migrations.errors import explain_database_errors
from backend.migrations.runner import upgrade
from backend.office_settings import demo_problems, read_effective_settings
from backend.operations.demo.seed import SeedResult, seed
from backend.operations.opening.database_lock import hold_opening_lock
from backend.operations.opening.store_defaults import create_store_defaults, has_no_defaults
from backend.operations.opening.used_providers import require_used_providers
from backend.outbox.models import OutboxEvent
from backend.staff.service import create_first_staff

NOTHING_SEEDED = SeedResult(products=0, categories=0, collections=0)


async def prepare(settings: Settings) -> SeedResult:
    """Migrate the database. Fill an empty one: with the demo products, or in production with store defaults only.

    A shop without staff gets its first staff member from ADMIN_EMAIL and ADMIN_PASSWORD. Processes that start at
    the same time on one database prepare it one after the other.

    Returns:
        The numbers of demo products, categories and collections that were added.

    Raises:
        CannotStart: the data folder cannot be used, the database does not answer or was created by another version
            of the code, the SQLAlchemy version does not fit, ADMIN_EMAIL or ADMIN_PASSWORD is invalid, or a provider
            does not exist or is missing.
        SettingsError: a production shop would open with the identity of the demo shop.
    """
    registered = registered_providers(list_blocks(settings.provider_lists))
    create_private_folder(settings.data_dir)
    database = Database.from_settings(settings, is_patient=True)
    try:
        if database.is_sqlite:
            await check_sqlite_driver()
        with explain_database_errors():
            async with hold_opening_lock(database):
                await upgrade(database)
                async with database.read() as session:
                    await require_used_providers(session, registered)
                return await _fill_shop(database, settings)
    finally:
        await database.close()


async def _fill_shop(database: Database, settings: Settings) -> SeedResult:
    await _create_first_staff(database, settings)
    async with database.read() as session:
        effective = await read_effective_settings(session, settings)
    if settings.gateway_env is GatewayEnv.PRODUCTION and (problems := demo_problems(effective)):
        raise settings_error(*problems)
    return await _fill_if_empty(database, effective)


async def _fill_if_empty(database: Database, settings: Settings) -> SeedResult:
    async with database.transaction() as session:
        if not await has_no_defaults(session):
            return NOTHING_SEEDED
        if settings.gateway_env is GatewayEnv.PRODUCTION:
            await create_store_defaults(session, settings)
            return NOTHING_SEEDED
    seeded = await seed(database, settings)
    async with database.transaction() as session:
        await session.execute(
            delete(OutboxEvent)
        )  # no storefront is open yet, so there is nothing to revalidate
    return seeded


async def _create_first_staff(database: Database, settings: Settings) -> None:
    try:
        await create_first_staff(database, settings)
    except InvalidData as error:
        raise CannotStart(
            f"Trompo cannot start: ADMIN_EMAIL, ADMIN_PASSWORD: {error.message[0].lower()}{error.message[1:]}"
        ) from None
