"""`trompo init`: save the shop's identity, and create the defaults that it needs before its first product."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from backend.core.config.problems import SettingProblem
from backend.core.config.settings import GatewayEnv, Settings
from backend.core.db.database import Database
from backend.office_settings import demo_problems, read_effective_settings, save_settings
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
        problems: the reasons why no store defaults were created; the answers are saved anyway.
    """

    saved: Sequence[str]
    created_defaults: Sequence[str] = ()
    has_moved: bool = False
    problems: Sequence[SettingProblem] = ()


async def read_identity(database: Database, settings: Settings) -> Settings:
    """Return the settings with the identity and warehouse that were saved in the shop."""
    async with database.read() as session:
        return await read_effective_settings(session, settings)


async def save_answers(database: Database, settings: Settings, answers: Mapping[str, str]) -> Sequence[str]:
    """Save the answers that differ from the stored values. Return their names.

    Raises:
        InvalidData: a setting is not valid; `fields` names it.
    """
    async with database.transaction() as session:
        effective = await read_effective_settings(session, settings)
        changed = {name: value for name, value in answers.items() if value != getattr(effective, name)}
        await save_settings(session, COMMAND_LINE, changed)
    return list(changed)


async def init_shop(
    database: Database, settings: Settings, answers: Mapping[str, str] | None = None
) -> InitResult:
    """Save the answers about the shop and its warehouse, and create the missing store defaults.

    If `answers` is given, the warehouse also gets the address in the settings. If a production shop still has
    data of the demo shop, no store defaults are created.

    Raises:
        InvalidData: a setting is not valid; `fields` names it.
    """
    saved = await save_answers(database, settings, answers or {})
    async with database.transaction() as session:
        effective = await read_effective_settings(session, settings)
        is_real = settings.gateway_env is GatewayEnv.PRODUCTION
        if is_real and (problems := demo_problems(effective)):
            return InitResult(saved, problems=problems)
        created_defaults = await create_store_defaults(session, effective)
        has_moved = answers is not None and await move_warehouse(session, COMMAND_LINE, effective)
    return InitResult(saved, created_defaults, has_moved)
