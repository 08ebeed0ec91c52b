"""`trompo init`: ask for the shop's identity, and create the defaults that it needs before its first product."""

from collections.abc import Sequence
from dataclasses import dataclass

from backend.core.config.settings import GatewayEnv, Settings
from backend.core.db.database import Database
from backend.office_settings import demo_problems, read_effective_settings, save_settings
from backend.operations.opening.prompts import ask_settings
from backend.operations.opening.store_defaults import create_store_defaults
from backend.shipping.warehouse_address import move_warehouse
from backend.staff.rights import COMMAND_LINE


@dataclass(frozen=True, slots=True)
class InitResult:
    """Result of `init_shop`.

    Attributes:
        saved: names of the settings whose answers differ from the stored values.
        created_defaults: the store defaults that were created.
        has_moved: True if the address of the warehouse changed.
        problems: one line for each reason why no store defaults were created; the answers are saved anyway.
    """

    saved: Sequence[str]
    created_defaults: Sequence[str] = ()
    has_moved: bool = False
    problems: Sequence[str] = ()


async def init_shop(database: Database, settings: Settings, *, is_interactive: bool) -> InitResult:
    """Save the shop's identity and its warehouse, and create the missing store defaults.

    If `is_interactive`, ask for the identity and the warehouse first. If a production shop still has data of the
    demo shop, no store defaults are created.

    Raises:
        InvalidData: a setting is not valid; `fields` names it.
    """
    async with database.read() as session:
        effective = await read_effective_settings(session, settings)
    is_real = settings.gateway_env is GatewayEnv.PRODUCTION
    answers = ask_settings(effective, is_real=is_real) if is_interactive else {}
    effective = effective.model_copy(update=answers)
    async with database.transaction() as session:
        await save_settings(session, COMMAND_LINE, answers)
        if is_real and (problems := demo_problems(effective)):
            return InitResult(list(answers), problems=problems)
        created_defaults = await create_store_defaults(session, effective)
        has_moved = is_interactive and await move_warehouse(session, COMMAND_LINE, effective)
    return InitResult(list(answers), created_defaults, has_moved)
