"""Checks of what is the shop's own: settings, identity, store defaults, toys, database and disk."""

import asyncio
import os
import shutil
from collections.abc import AsyncIterator
from datetime import datetime, timedelta

from sqlalchemy import func, select
from stdnum.co import nit

from backend.catalog.models import Picture, Product
from backend.core.clock import now
from backend.core.config.settings import GatewayEnv, Settings
from backend.core.config.values import s3_address
from backend.core.db.database import Database, database_now
from backend.edge.health.readiness import MOST_APART
from backend.legal.texts import current_texts, missing_review
from backend.media.picture_store import PictureStore, PicturesUnavailable
from backend.office_settings import demo_problems, read_effective_settings
from backend.operations.backup.models import Backup
from backend.operations.backup.postgresql_dump import ClientProgramError, check_programs
from backend.operations.demo.seed import PICTURES as DEMO_PICTURES
from backend.operations.doctor.findings import Finding, failure, ok, warning
from backend.operations.opening.store_defaults import missing_defaults

LEAST_FREE = 200 * 2**20
LITTLE_FREE = 2 * 2**30
"""Bytes on the disk of the data folder; a larger ALERT_DISK_FREE_MB warns earlier."""
BACKUP_WARNS = timedelta(days=2)
CLOCK_WARNS = 2.0
"""Seconds between this machine's clock and the database's."""


async def settings_by_name(settings: Settings) -> AsyncIterator[Finding]:
    """Which settings are said; no values."""
    said = sorted(name.upper() for name in settings.model_fields_set)
    yield ok("settings", f"{settings.gateway_env}; said: {', '.join(said) or 'none'}")


async def identity(database: Database, settings: Settings) -> AsyncIterator[Finding]:
    """Who the shop says it is, as it stands."""
    async with database.read() as session:
        effective = await read_effective_settings(session, settings)
    is_real = settings.gateway_env is GatewayEnv.PRODUCTION
    problems = demo_problems(effective)
    for problem in problems:
        yield (failure if is_real else warning)("identity", problem)
    if not nit.is_valid(effective.store_nit):
        yield (failure if is_real else warning)(
            "identity", "STORE_NIT is no NIT: its check digit is the number after the hyphen"
        )
    elif not problems:
        yield ok(
            "identity", f"{effective.store_name}, {effective.store_legal_name}, NIT {effective.store_nit}"
        )


async def defaults(database: Database) -> AsyncIterator[Finding]:
    """Whether there is all that a first toy needs."""
    async with database.read() as session:
        missing = await missing_defaults(session)
    if missing:
        yield failure("defaults", f"missing: {', '.join(missing)}; run `trompo init`")
    else:
        yield ok("defaults", "region, sales channel, key, warehouse and ways to ship are there")


async def toys(database: Database, settings: Settings) -> AsyncIterator[Finding]:
    """How many toys are for sale, which say too little of themselves, and in production those of the demo shop."""
    for_sale = (Product.status == "published", Product.deleted_at.is_(None))
    pictured = select(Picture.product_id)
    counts = [
        select(func.count()).select_from(Product).where(*for_sale),
        select(func.count()).select_from(Product).where(*for_sale, Product.weight.is_(None)),
        select(func.count()).select_from(Product).where(*for_sale, Product.id.not_in(pictured)),
        select(func.count())
        .select_from(Product)
        .where(*for_sale, Product.thumbnail.startswith(DEMO_PICTURES)),
    ]
    async with database.read() as session:
        published, weightless, bare, demo = [(await session.execute(count)).scalar_one() for count in counts]
    if not published:
        yield warning("toys", "none is for sale: `trompo catalog import FILE.csv`")
        return
    if demo and settings.gateway_env is GatewayEnv.PRODUCTION:
        yield warning(
            "toys", f"{demo} of {published} are the demo shop's: take them out at /oficina/productos"
        )
    if bare:
        yield warning("toys", f"{bare} of {published} have no picture")
    if weightless:
        yield warning(
            "toys",
            f"{weightless} of {published} have no weight: their shipping is priced as the usual package",
        )
    if not bare and not weightless:
        yield ok("toys", f"{published} for sale, all with picture and weight")


async def backup(database: Database, settings: Settings) -> AsyncIterator[Finding]:
    """Report whether PostgreSQL's programs can make a copy, and how old the last one is."""
    if not database.is_sqlite:
        try:
            await check_programs(database)
        except ClientProgramError as error:
            yield warning("backup", str(error))
    async with database.read() as session:
        made_at: datetime | None = (await session.execute(select(func.max(Backup.made_at)))).scalar_one()
        moment = await database_now(session)
    if made_at is None:
        is_real = settings.gateway_env is GatewayEnv.PRODUCTION
        yield (warning if is_real else ok)("backup", "no copy was made yet: `trompo backup FILE`, every day")
        return
    age = moment - made_at
    message = f"the last copy is {age.days} days and {age.seconds // 3600} hours old"
    yield (
        ok("backup", message)
        if age <= BACKUP_WARNS
        else warning("backup", f"{message}: `trompo backup FILE`")
    )


async def legal_texts(database: Database, settings: Settings) -> AsyncIterator[Finding]:
    """Whether the shop says who it is where the law asks for it, and has its own legal texts."""
    async with database.read() as session:
        effective = await read_effective_settings(session, settings)
        unread = missing_review(await current_texts(session))
    if not effective.store_address:
        yield warning("legal", "STORE_ADDRESS is empty: shoppers must be able to read where the shop is")
    if unread:
        names = ", ".join(unread)
        yield warning("legal", f"no lawyer has confirmed these texts: {names}; see /oficina/contenido")
    elif effective.store_address:
        yield ok("legal", "the texts are confirmed, and the address is published")


async def clock(database: Database) -> AsyncIterator[Finding]:
    """This machine's clock against the database's."""
    async with database.read() as session:
        apart = abs((now() - await database_now(session)).total_seconds())
    message = f"{apart:.1f} s from the database's clock"
    if apart > CLOCK_WARNS:
        yield (failure if apart > MOST_APART else warning)("clock", f"{message}: set it by NTP")
    else:
        yield ok("clock", message)


async def pictures(settings: Settings, store: PictureStore) -> AsyncIterator[Finding]:
    """Whether the place of the pictures answers."""
    url = settings.pictures_url.get_secret_value()
    where = f"{s3_address(url).endpoint}, bucket {s3_address(url).bucket}" if url else "the data folder"
    try:
        async for _some in store.listed():
            break
    except PicturesUnavailable as error:
        yield failure("pictures", f"{error}: {where}; look at PICTURES_URL")
        return
    yield ok("pictures", f"in {where}")


async def disk(settings: Settings) -> AsyncIterator[Finding]:
    """Space on the disk of the data folder, and whether it can be written."""
    folder = settings.data_dir
    if not os.access(folder, os.W_OK):
        yield failure("disk", f"{folder} cannot be written: give it to the user that runs the shop")
        return
    free = (await asyncio.to_thread(shutil.disk_usage, folder)).free
    message = f"{free / 2**30:.1f} GiB free in {folder}"
    if free < max(LITTLE_FREE, settings.alert_disk_free_mb * 2**20):
        yield (failure if free < LEAST_FREE else warning)("disk", f"{message}: make room")
    else:
        yield ok("disk", message)
