"""Effective settings: read them, and save the settings that staff may change in the office."""

from collections.abc import Mapping

from pydantic import Field, ValidationError
from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.audit import AuditActor, Subject, SubjectType, record
from backend.core.caching.cached_reads import CachedReads
from backend.core.config.problems import ProblemKind, SettingProblem, create_problem
from backend.core.config.settings import Identity, OfficeSettings, Settings
from backend.core.db.advisory_locks import AdvisoryLock, take_lock
from backend.core.db.database import Database
from backend.core.db.tables import table_of
from backend.core.errors import InvalidData
from backend.office_settings.models import StoredSetting

LOW_STOCK = 3
_LOW_STOCK_AT = "low_stock_at"
SUMMARY_HOUR = 7
NO_SUMMARY = -1
"""Value of `SavedSettings.daily_summary_hour` without a daily summary."""
_SUMMARY_HOUR = "daily_summary_hour"
_CART_REMINDERS = "cart_reminders"
MAX_LOW_STOCK = 100_000


class SavedSettings(OfficeSettings):
    """All settings that staff can save: some of the environment, and some that exist only in the database."""

    low_stock_at: int = Field(default=LOW_STOCK, ge=0, le=MAX_LOW_STOCK)
    """Default limit: the stock of a variant at a location is low with this number of units or fewer."""
    daily_summary_hour: int = Field(default=SUMMARY_HOUR, ge=NO_SUMMARY, le=23)
    """Hour in Colombia at which the daily summary is mailed to staff; `NO_SUMMARY` for never."""
    cart_reminders: bool = False
    """True if customers who agreed to receive offers are reminded of an abandoned cart."""


DEMO = Identity()
"""Identity of the demo shop, and its address."""
MUST_BE_OWN = ("store_legal_name", "store_nit", "store_phone", "store_email")
OWN_WAREHOUSE = tuple(f"carrier_origin_{part}" for part in ("address", "phone", "email", "company"))


class EffectiveSettings:
    """Reader of the effective settings of a running shop: those of the environment, overridden by saved ones.

    All other code must read these settings through it.

    Attributes:
        last_known: the most recently read settings, for the page that is shown while the database does not answer.
            Before the first read they are those of the environment.
    """

    def __init__(self, settings: Settings, database: Database, probe: CachedReads) -> None:
        self.last_known = settings
        self._settings = settings
        self._database = database
        self._probe = probe

    async def now(self) -> Settings:
        """Return the effective settings. They are cached, and read again after a change on any replica."""
        return await self._probe.read_cached("effective settings", self._read)

    async def _read(self) -> Settings:
        async with self._database.read() as session:
            self.last_known = await read_effective_settings(session, self._settings)
        return self.last_known


async def read_effective_settings(session: AsyncSession, settings: Settings) -> Settings:
    """Return the settings of the environment, overridden by the saved ones."""
    rows = await session.execute(_SAVED)
    saved = {name: value for name, value in rows if name in OfficeSettings.model_fields}
    if not saved:
        return settings
    return settings.model_copy(update=OfficeSettings.model_validate(saved).model_dump(include=set(saved)))


_STORED = table_of(StoredSetting)
_SAVED = select(_STORED.c.name, _STORED.c.value)


async def read_low_stock(session: AsyncSession) -> int:
    """Return the low-stock limit: see `SavedSettings.low_stock_at`."""
    saved = await session.get(StoredSetting, _LOW_STOCK_AT)
    return int(saved.value) if saved is not None else LOW_STOCK


async def read_summary_hour(session: AsyncSession) -> int:
    """Return the hour of the daily summary: see `SavedSettings.daily_summary_hour`."""
    saved = await session.get(StoredSetting, _SUMMARY_HOUR)
    return int(saved.value) if saved is not None else SUMMARY_HOUR


async def read_cart_reminders(session: AsyncSession) -> bool:
    """Return True if reminders of abandoned carts are sent: see `SavedSettings.cart_reminders`."""
    saved = await session.get(StoredSetting, _CART_REMINDERS)
    return saved is not None and saved.value == "true"


async def lock_settings(session: AsyncSession) -> None:
    """Lock the settings until the transaction ends, so that no other request changes the values that are read next."""
    await take_lock(session, AdvisoryLock.SETTINGS)


async def save_settings(session: AsyncSession, actor: AuditActor, changes: Mapping[str, str]) -> None:
    """Save these values, by the lower-case names of the settings. They apply immediately.

    Raises:
        InvalidData: a setting cannot be saved, or a value is invalid; `fields` has the errors.
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
        raise InvalidData("A setting is invalid", fields=problems) from None
    await store_settings(session, actor, changes)


async def store_settings(session: AsyncSession, actor: AuditActor, changes: Mapping[str, str]) -> None:
    """Store these validated values, and record the change in the audit."""
    await record(session, actor, "changed", Subject(SubjectType.SETTINGS, "settings"))
    for name, value in changes.items():
        row = await session.get(StoredSetting, name)
        if row is None:
            session.add(StoredSetting(name=name, value=value))
        else:
            row.value = value
    await session.flush()


def is_demo_identity(effective: Settings) -> bool:
    """Return True if name, legal name, NIT, phone and e-mail are all still those of the demo shop."""
    return all(getattr(effective, name) == getattr(DEMO, name) for name in ("store_name", *MUST_BE_OWN))


def demo_problems(effective: Settings) -> list[SettingProblem]:
    """Return a problem for each part of the shop's identity that is still the demo shop's, and one for the warehouse.

    A real shop must not open with these problems.
    """
    identity, warehouse = (
        [name.upper() for name in names if getattr(effective, name) == getattr(DEMO, name)]
        for names in (MUST_BE_OWN, OWN_WAREHOUSE)
    )
    problems = [create_problem(ProblemKind.DEMO_IDENTITY, setting=name) for name in identity]
    if warehouse:
        problems.append(create_problem(ProblemKind.DEMO_WAREHOUSE, settings=", ".join(warehouse)))
    return problems
