"""What happens before the shop opens: the database gets its shape and, in the sandbox, something to sell."""

from alembic.util import CommandError
from sqlalchemy.exc import SQLAlchemyError

from backend.database import Database
from backend.demo.seed import Seeded, seed
from backend.migrations import upgrade
from backend.settings import GatewayEnv, Settings

NOTHING = Seeded(products=0, categories=0, collections=0)


class CannotStart(SystemExit):
    """The shop cannot open. Printed as one line, without a traceback; it shows no address and no secret."""


async def prepare(settings: Settings) -> Seeded:
    """Migrate the database and fill an empty shop with the demo toys. A production shop is never seeded by itself.

    Raises:
        CannotStart: the database does not answer, or another version of the code made it.
    """
    database = Database.from_settings(settings)
    try:
        await _require(database)
        await _migrate(database)
        if settings.gateway_env is GatewayEnv.PRODUCTION:
            return NOTHING
        return await seed(database, settings)
    finally:
        await database.close()


async def _require(database: Database) -> None:
    try:
        await database.is_up()
    except (SQLAlchemyError, OSError) as error:
        raise CannotStart(
            f"Trompo cannot start: the database does not answer ({type(error).__name__})"
        ) from error


async def _migrate(database: Database) -> None:
    try:
        await upgrade(database)
    except CommandError as error:
        raise CannotStart(f"Trompo cannot start: the database does not fit this version ({error})") from error
