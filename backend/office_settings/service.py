"""Reading the effective settings, and saving those that the office may change."""

from collections.abc import Mapping

from pydantic import Field, ValidationError
from sqlalchemy import select, text
from sqlalchemy.ext.asyncio import AsyncSession

from backend.audit import Subject, Thing, Who, record
from backend.core.caching.cached_reads import CachedReads
from backend.core.config.settings import Identity, OfficeSettings, Settings
from backend.core.db.database import Database
from backend.core.errors import InvalidData
from backend.office_settings.models import StoredSetting

LOW_STOCK = 3
_LOW_STOCK_AT = "low_stock_at"
_LOCK = 0x5E771465
"""The number of the lock; no other lock of the shop has it."""
MOST_LOW_STOCK = 100_000


class SavedSettings(OfficeSettings):
    """All that is saved by its name: what stands in place of first values, and what has none in the environment."""

    low_stock_at: int = Field(default=LOW_STOCK, ge=0, le=MOST_LOW_STOCK)
    """So many units of a variant at a location, or fewer, are few, where its product does not say otherwise."""


DEMO = Identity()
"""Who the demo shop is, and where it stands."""
MUST_BE_OWN = ("store_legal_name", "store_nit", "store_phone", "store_email")
OWN_WAREHOUSE = tuple(f"carrier_origin_{part}" for part in ("address", "phone", "email", "company"))


class EffectiveSettings:
    """The only way to read the effective settings of a running shop: the environment's, with what the office saved."""

    def __init__(self, settings: Settings, database: Database, probe: CachedReads) -> None:
        self._settings = settings
        self._database = database
        self._probe = probe

    async def now(self) -> Settings:
        """The effective settings. Exact on every replica, and seldom read."""
        return await self._probe.cached("effective settings", self._read)

    async def _read(self) -> Settings:
        async with self._database.read() as session:
            return await read_effective_settings(session, self._settings)


async def read_effective_settings(session: AsyncSession, settings: Settings) -> Settings:
    """The settings with what the office saved in place of their first values."""
    rows = (await session.execute(select(StoredSetting))).scalars()
    saved = {row.name: row.value for row in rows if row.name in OfficeSettings.model_fields}
    if not saved:
        return settings
    return settings.model_copy(update=OfficeSettings.model_validate(saved).model_dump(include=set(saved)))


async def read_low_stock(session: AsyncSession) -> int:
    """How many units are few: see `SavedSettings.low_stock_at`."""
    saved = await session.get(StoredSetting, _LOW_STOCK_AT)
    return int(saved.value) if saved is not None else LOW_STOCK


async def lock_settings(session: AsyncSession) -> None:
    """Let nobody else save settings by a form until the transaction ends: what is read from now on is what is replaced.

    SQLite has the whole database locked by `transaction()` already.
    """
    if session.get_bind().dialect.name == "postgresql":
        await session.execute(text("SELECT pg_advisory_xact_lock(:lock)"), {"lock": _LOCK})


async def save_settings(session: AsyncSession, who: Who, changes: Mapping[str, str]) -> None:
    """Let these values stand from now on, by the settings' names in lower case. `who` saves them.

    Raises:
        InvalidData: a name is not the office's to save, or a value does not fit; `fields` says which.
    """
    unknown = sorted(set(changes) - set(SavedSettings.model_fields))
    if unknown:
        raise InvalidData(
            "These settings are not saved in the shop", fields=dict.fromkeys(unknown, "unknown")
        )
    changes = {name: " ".join(value.split()) for name, value in changes.items()}
    try:
        SavedSettings.model_validate(changes)
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


def demo_problems(effective: Settings) -> list[str]:
    """A line for each part of the shop's identity that is the demo shop's: no real shop may open with it."""
    problems = [
        f"{name.upper()} is the demo shop's: set your own, or run `trompo init`"
        for name in MUST_BE_OWN
        if getattr(effective, name) == getattr(DEMO, name)
    ]
    warehouse = [name.upper() for name in OWN_WAREHOUSE if getattr(effective, name) == getattr(DEMO, name)]
    if warehouse:
        problems.append(
            f"{', '.join(warehouse)}: the demo shop's warehouse; set your own, or run `trompo init`"
        )
    return problems
