"""What happens before the shop starts: migrations run, and an empty database gets store defaults or the demo."""

from sqlalchemy import delete

from backend.core.config.modules import registered
from backend.core.config.settings import GatewayEnv, Settings, cannot_start
from backend.core.config.values import private_folder
from backend.core.db.database import Database
from backend.core.db.driver_check import check_sqlite_driver
from backend.core.errors import CannotStart, InvalidData
from backend.migrations.errors import told_in_one_line
from backend.migrations.runner import upgrade
from backend.office_settings import demo_problems, read_effective_settings
from backend.operations.demo.seed import Seeded, seed
from backend.operations.opening.database_lock import alone
from backend.operations.opening.store_defaults import has_no_defaults, make_defaults
from backend.outbox.models import OutboxEvent
from backend.staff.service import first_staff

NOTHING = Seeded(products=0, categories=0, collections=0)


async def prepare(settings: Settings) -> Seeded:
    """Migrate the database and make an empty one a shop: with the demo toys, in production without any.

    A shop without staff gets its first from ADMIN_EMAIL and ADMIN_PASSWORD. Processes that start at once on one
    database do this one after the other.

    Raises:
        CannotStart: the data folder cannot be used, the database does not answer or another version of the code made
            it, SQLAlchemy does not fit, or the first member of staff has no proper address or password.
        SettingsError: a production shop would open with the demo shop's identity.
    """
    registered()
    private_folder(settings.data_dir)
    database = Database.from_settings(settings, is_patient=True)
    try:
        if database.is_sqlite:
            await check_sqlite_driver()
        with told_in_one_line():
            async with alone(database):
                await upgrade(database)
                return await _make_a_shop(database, settings)
    finally:
        await database.close()


async def _make_a_shop(database: Database, settings: Settings) -> Seeded:
    await _create_first_staff(database, settings)
    async with database.read() as session:
        effective = await read_effective_settings(session, settings)
    if settings.gateway_env is GatewayEnv.PRODUCTION and (problems := demo_problems(effective)):
        raise cannot_start(problems)
    return await _fill_if_empty(database, effective)


async def _fill_if_empty(database: Database, settings: Settings) -> Seeded:
    async with database.transaction() as session:
        if not await has_no_defaults(session):
            return NOTHING
        if settings.gateway_env is GatewayEnv.PRODUCTION:
            await make_defaults(session, settings)
            return NOTHING
    seeded = await seed(database, settings)
    async with database.transaction() as session:
        await session.execute(delete(OutboxEvent))  # no storefront is open yet that could be told
    return seeded


async def _create_first_staff(database: Database, settings: Settings) -> None:
    try:
        await first_staff(database, settings)
    except InvalidData as error:
        raise CannotStart(
            f"Trompo cannot start: ADMIN_EMAIL, ADMIN_PASSWORD: {error.message[0].lower()}{error.message[1:]}"
        ) from None
