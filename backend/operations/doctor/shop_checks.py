"""Checks of the shop itself: settings, identity, store defaults, products, database and disk."""

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
from backend.core.config.values import parse_s3_address
from backend.core.db.database import Database, database_now
from backend.edge.health.readiness import MAX_CLOCK_DIFFERENCE_S
from backend.legal.texts import list_unreviewed_texts
from backend.media.picture_store import PictureStore, PicturesUnavailable
from backend.office_settings import demo_problems, read_effective_settings
from backend.operations.backup.models import Backup
from backend.operations.backup.postgresql_dump import ClientProgramError, check_programs
from backend.operations.demo.seed import DEMO_PICTURES
from backend.operations.doctor.findings import Finding, failure, ok, warning
from backend.operations.opening.store_defaults import find_missing_defaults

MIN_FREE_BYTES = 200 * 2**20
LOW_FREE_BYTES = 2 * 2**30
"""Free bytes on the data folder's disk below which a warning is given. A larger ALERT_DISK_FREE_MB warns earlier."""
MAX_BACKUP_AGE = timedelta(days=2)
CLOCK_WARNING_S = 2.0
"""Seconds of difference between this machine's clock and the database's above which a warning is given."""


async def check_settings(settings: Settings) -> AsyncIterator[Finding]:
    """Report the names of the settings that are set, without their values."""
    names = sorted(name.upper() for name in settings.model_fields_set)
    yield ok("settings", f"{settings.gateway_env}; set: {', '.join(names) or 'none'}")


async def check_identity(database: Database, settings: Settings) -> AsyncIterator[Finding]:
    """Check the name, legal name and NIT of the shop."""
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


async def check_defaults(database: Database) -> AsyncIterator[Finding]:
    """Check that the shop has the store defaults, which it needs before its first product can be sold."""
    async with database.read() as session:
        missing = await find_missing_defaults(session)
    if missing:
        yield failure("defaults", f"missing: {', '.join(missing)}; run `trompo init`")
    else:
        yield ok("defaults", "region, sales channel, key, warehouse and shipping options exist")


async def check_products(database: Database, settings: Settings) -> AsyncIterator[Finding]:
    """Report how many products are for sale, and how many of them lack a picture or a weight.

    In production, also report how many are demo products.
    """
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
        yield warning("toys", "no product is for sale: `trompo catalog import FILE.csv`")
        return
    if demo and settings.gateway_env is GatewayEnv.PRODUCTION:
        yield warning("toys", f"{demo} of {published} are the demo shop's: remove them at /oficina/productos")
    if bare:
        yield warning("toys", f"{bare} of {published} have no picture")
    if weightless:
        yield warning(
            "toys",
            f"{weightless} of {published} have no weight: their shipping is priced as the usual package",
        )
    if not bare and not weightless:
        yield ok("toys", f"{published} for sale, all with picture and weight")


async def check_backup(database: Database, settings: Settings) -> AsyncIterator[Finding]:
    """Check that PostgreSQL's client programs can make a backup, and that the newest backup is not too old."""
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
        yield (warning if is_real else ok)(
            "backup", "no backup was made yet: `trompo backup FILE`, every day"
        )
        return
    age = moment - made_at
    message = f"the newest backup is {age.days} days and {age.seconds // 3600} hours old"
    yield (
        ok("backup", message)
        if age <= MAX_BACKUP_AGE
        else warning("backup", f"{message}: `trompo backup FILE`")
    )


async def check_legal_texts(database: Database, settings: Settings) -> AsyncIterator[Finding]:
    """Check that the shop publishes its address, as the law requires, and that its legal texts are confirmed."""
    async with database.read() as session:
        effective = await read_effective_settings(session, settings)
        unread = await list_unreviewed_texts(session)
    if not effective.store_address:
        yield warning("legal", "STORE_ADDRESS is empty: customers must be able to see where the shop is")
    if unread:
        names = ", ".join(unread)
        yield warning("legal", f"no lawyer has confirmed these texts: {names}; see /oficina/contenido")
    elif effective.store_address:
        yield ok("legal", "the texts are confirmed, and the address is published")


async def check_clock(database: Database) -> AsyncIterator[Finding]:
    """Compare this machine's clock with the database's."""
    async with database.read() as session:
        difference = abs((now() - await database_now(session)).total_seconds())
    message = f"{difference:.1f} s from the database's clock"
    if difference > CLOCK_WARNING_S:
        yield (failure if difference > MAX_CLOCK_DIFFERENCE_S else warning)(
            "clock", f"{message}: set it by NTP"
        )
    else:
        yield ok("clock", message)


async def check_pictures(settings: Settings, store: PictureStore) -> AsyncIterator[Finding]:
    """Check that the picture store answers."""
    url = settings.pictures_url.get_secret_value()
    where = (
        f"{parse_s3_address(url).endpoint}, bucket {parse_s3_address(url).bucket}"
        if url
        else "the data folder"
    )
    try:
        async for _some in store.iter_pictures():
            break
    except PicturesUnavailable as error:
        yield failure("pictures", f"{error}: {where}; check PICTURES_URL")
        return
    yield ok("pictures", f"in {where}")


async def check_disk(settings: Settings) -> AsyncIterator[Finding]:
    """Check that the data folder can be written, and that its disk has enough free space."""
    folder = settings.data_dir
    if not os.access(folder, os.W_OK):
        yield failure("disk", f"{folder} cannot be written: give it to the user that runs the shop")
        return
    free = (await asyncio.to_thread(shutil.disk_usage, folder)).free
    message = f"{free / 2**30:.1f} GiB free in {folder}"
    if free < max(LOW_FREE_BYTES, settings.alert_disk_free_mb * 2**20):
        yield (failure if free < MIN_FREE_BYTES else warning)("disk", f"{message}: free some space")
    else:
        yield ok("disk", message)
