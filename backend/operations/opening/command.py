"""`trompo init`: who the shop is, and what it needs before its first toy."""

from collections.abc import Sequence
from dataclasses import dataclass

from backend.core.config.settings import GatewayEnv, Settings
from backend.core.db.database import Database
from backend.office_settings import demo_problems, read_effective_settings, save_settings
from backend.operations.opening.prompts import ask
from backend.operations.opening.store_defaults import make_defaults
from backend.shipping.warehouse_address import move_warehouse
from backend.staff.rights import COMMAND_LINE


@dataclass(frozen=True, slots=True)
class Initialised:
    """What `init_shop` did.

    Attributes:
        saved: the names of the settings that were answered otherwise than they stood.
        made: the store defaults that were missing.
        has_moved: whether the warehouse had another address.
        problems: a line for each reason why nothing was made; what was answered is saved all the same.
    """

    saved: Sequence[str]
    made: Sequence[str] = ()
    has_moved: bool = False
    problems: Sequence[str] = ()


async def init_shop(database: Database, settings: Settings, *, asks: bool) -> Initialised:
    """Ask who the shop is and where its warehouse stands (with `asks`), save it, make the missing store defaults.

    A production shop gets no store defaults at the demo shop's warehouse.

    Raises:
        InvalidData: a setting does not fit; `fields` says which.
    """
    async with database.read() as session:
        effective = await read_effective_settings(session, settings)
    is_real = settings.gateway_env is GatewayEnv.PRODUCTION
    answers = ask(effective, is_real=is_real) if asks else {}
    effective = effective.model_copy(update=answers)
    async with database.transaction() as session:
        await save_settings(session, COMMAND_LINE, answers)
        if is_real and (problems := demo_problems(effective)):
            return Initialised(list(answers), problems=problems)
        made = await make_defaults(session, effective)
        has_moved = asks and await move_warehouse(session, COMMAND_LINE, effective)
    return Initialised(list(answers), made, has_moved)
