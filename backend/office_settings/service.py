"""Reading what stands, and saving what is to stand from now on."""

from collections.abc import Awaitable, Callable, Mapping
from typing import Protocol, TypeVar

from pydantic import ValidationError
from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.audit import Subject, Thing, Who, record
from backend.database import Database
from backend.errors import InvalidData
from backend.office_settings.models import StoredSetting
from backend.settings import Identity, Settings

T = TypeVar("T")

DEMO = Identity()
MUST_BE_OWN = ("store_nit", "store_phone", "store_email")
OWN_WAREHOUSE = tuple(f"carrier_origin_{part}" for part in ("address", "phone", "email", "company"))


class CachedReads(Protocol):
    """What reads a value again only after the database says that something changed (`VersionProbe`)."""

    async def cached(self, name: str, read: Callable[[], Awaitable[T]]) -> T:
        """The value that `read` returned under this name."""


class StandingSettings:
    """The one door to the settings as they stand in a running shop."""

    def __init__(self, settings: Settings, database: Database, probe: CachedReads) -> None:
        self._settings = settings
        self._database = database
        self._probe = probe

    async def now(self) -> Settings:
        """The settings with what the office saved. Exact on every replica, and seldom read."""
        return await self._probe.cached("standing settings", self._read)

    async def _read(self) -> Settings:
        async with self._database.read() as session:
            return await read_standing(session, self._settings)


async def read_standing(session: AsyncSession, settings: Settings) -> Settings:
    """The settings with what the office saved in place of their first values."""
    rows = (await session.execute(select(StoredSetting))).scalars()
    saved = {row.name: row.value for row in rows if row.name in Identity.model_fields}
    return settings.model_copy(update=saved)


async def save_settings(session: AsyncSession, who: Who, changes: Mapping[str, str]) -> None:
    """Let these values stand from now on, by the settings' names in lower case. `who` saves them.

    Raises:
        InvalidData: a name is not the office's to save, or a value does not fit; `fields` says which.
    """
    unknown = sorted(set(changes) - set(Identity.model_fields))
    if unknown:
        raise InvalidData(
            "These settings are not saved in the shop", fields=dict.fromkeys(unknown, "unknown")
        )
    changes = {name: " ".join(value.split()) for name, value in changes.items()}
    try:
        Identity.model_validate(changes)
    except ValidationError as error:
        problems = {str(problem["loc"][0]): problem["msg"] for problem in error.errors() if problem["loc"]}
        raise InvalidData("A setting does not fit", fields=problems) from None
    await store(session, who, changes)


async def store(session: AsyncSession, who: Who, changes: Mapping[str, str]) -> None:
    """Keep these values, which were checked, and record who saved them."""
    await record(session, who, "changed", Subject(Thing.SETTINGS, "settings"))
    for name, value in changes.items():
        row = await session.get(StoredSetting, name)
        if row is None:
            session.add(StoredSetting(name=name, value=value))
        else:
            row.value = value
    await session.flush()


def demo_problems(standing: Settings) -> list[str]:
    """A line for each part of the shop's identity that is the demo shop's: no real shop may open with it."""
    problems = [
        f"{name.upper()} is the demo shop's: set your own, or run `trompo init`"
        for name in MUST_BE_OWN
        if getattr(standing, name) == getattr(DEMO, name)
    ]
    warehouse = [name.upper() for name in OWN_WAREHOUSE if getattr(standing, name) == getattr(DEMO, name)]
    if warehouse:
        problems.append(
            f"{', '.join(warehouse)}: the demo shop's warehouse; set your own, or run `trompo init`"
        )
    return problems
