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
from backend.core.texts import _, format_count
from backend.edge.health.readiness import MAX_CLOCK_DIFFERENCE_S
from backend.legal.texts import TITLES, list_unreviewed_texts
from backend.media.picture_store import PictureStore, PicturesUnavailable
from backend.office_settings import demo_problems, read_effective_settings
from backend.operations.backup.models import Backup
from backend.operations.backup.postgresql_dump import ClientProgramError, check_programs
from backend.operations.demo.seed import DEMO_PICTURES
from backend.operations.doctor.findings import Finding, failure, ok, warning
from backend.operations.doctor.setting_problems import describe_problems
from backend.operations.opening.store_defaults import DEFAULT_NAMES, find_missing_defaults

MIN_FREE_BYTES = 200 * 2**20
LOW_FREE_BYTES = 2 * 2**30
"""Free bytes on the data folder's disk below which a warning is given. A larger ALERT_DISK_FREE_MB warns earlier."""
MAX_BACKUP_AGE = timedelta(days=2)
CLOCK_WARNING_S = 2.0
"""Seconds of difference between this machine's clock and the database's above which a warning is given."""


async def check_settings(settings: Settings) -> AsyncIterator[Finding]:
    """Report the names of the settings that are set, without their values."""
    names = sorted(name.upper() for name in settings.model_fields_set)
    mode = _("en producción") if settings.gateway_env is GatewayEnv.PRODUCTION else _("en modo de pruebas")
    listed = ", ".join(names) or _("ninguno")
    yield ok("settings", _("{mode}; fijados: {names}").format(mode=mode, names=listed))


async def check_identity(database: Database, settings: Settings) -> AsyncIterator[Finding]:
    """Check the name, legal name and NIT of the shop."""
    async with database.read() as session:
        effective = await read_effective_settings(session, settings)
    is_real = settings.gateway_env is GatewayEnv.PRODUCTION
    problems = describe_problems(demo_problems(effective))
    for problem in problems:
        yield (failure if is_real else warning)("identity", problem)
    if not nit.is_valid(effective.store_nit):
        yield (failure if is_real else warning)(
            "identity",
            _("STORE_NIT no es un NIT: su dígito de verificación es el número después del guion"),
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
        names = ", ".join(DEFAULT_NAMES[name] for name in missing)
        yield failure("defaults", _("faltan: {names}; corre `trompo init`").format(names=names))
    else:
        yield ok("defaults", _("están la región, el canal de venta, la clave, la bodega y los envíos"))


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
        yield warning("products", _("no hay productos a la venta: `trompo catalog import ARCHIVO.csv`"))
        return
    if demo and settings.gateway_env is GatewayEnv.PRODUCTION:
        text = _("{n} de {total} son de la tienda de demostración: quítalos en /oficina/productos")
        yield warning("products", text.format(n=demo, total=published))
    if bare:
        yield warning("products", _("{n} de {total} no tienen foto").format(n=bare, total=published))
    if weightless:
        text = _("{n} de {total} no tienen peso: su envío se cotiza como el paquete de siempre")
        yield warning("products", text.format(n=weightless, total=published))
    if not bare and not weightless:
        text = _("{n} a la venta, todos con foto y peso")
        yield ok("products", text.format(n=published))


async def check_backup(database: Database, settings: Settings) -> AsyncIterator[Finding]:
    """Check that PostgreSQL's client programs can make a backup, and that the newest backup is not too old."""
    if not database.is_sqlite:
        try:
            await check_programs(database)
        except ClientProgramError as error:
            yield warning("backup", error.owner_text or str(error))
    async with database.read() as session:
        made_at: datetime | None = (await session.execute(select(func.max(Backup.made_at)))).scalar_one()
        moment = await database_now(session)
    if made_at is None:
        is_real = settings.gateway_env is GatewayEnv.PRODUCTION
        yield (warning if is_real else ok)(
            "backup", _("todavía no hay ninguna: `trompo backup ARCHIVO`, todos los días")
        )
        return
    age = moment - made_at
    hours = format_count(age.seconds // 3600, _("{n} hora"), _("{n} horas"))
    if age.days:
        days = format_count(age.days, _("{n} día"), _("{n} días"))
        hours = _("{days} y {hours}").format(days=days, hours=hours)
    message = _("la última se hizo hace {time}").format(time=hours)
    yield (
        ok("backup", message)
        if age <= MAX_BACKUP_AGE
        else warning("backup", _("{finding}: `trompo backup ARCHIVO`").format(finding=message))
    )


async def check_legal_texts(database: Database, settings: Settings) -> AsyncIterator[Finding]:
    """Check that the shop publishes its address, as the law requires, and that its legal texts are confirmed."""
    async with database.read() as session:
        effective = await read_effective_settings(session, settings)
        unread = await list_unreviewed_texts(session)
    if not effective.store_address:
        yield warning(
            "legal", _("STORE_ADDRESS está vacío: los clientes tienen que poder ver dónde queda la tienda")
        )
    if unread:
        names = ", ".join(TITLES[kind] for kind in unread)
        text = _("ningún abogado ha confirmado estos textos: {names}; míralos en /oficina/contenido")
        yield warning("legal", text.format(names=names))
    elif effective.store_address:
        yield ok("legal", _("los textos están confirmados y la dirección se ve"))


async def check_clock(database: Database) -> AsyncIterator[Finding]:
    """Compare this machine's clock with the database's."""
    async with database.read() as session:
        difference = abs((now() - await database_now(session)).total_seconds())
    message = _("a {n} s del reloj de la base de datos").format(n=f"{difference:.1f}")
    if difference > CLOCK_WARNING_S:
        yield (failure if difference > MAX_CLOCK_DIFFERENCE_S else warning)(
            "clock", _("{finding}: ponlo en hora con NTP").format(finding=message)
        )
    else:
        yield ok("clock", message)


async def check_pictures(settings: Settings, store: PictureStore) -> AsyncIterator[Finding]:
    """Check that the picture store answers."""
    url = settings.pictures_url.get_secret_value()
    where = (
        f"{parse_s3_address(url).endpoint}, bucket {parse_s3_address(url).bucket}"
        if url
        else _("la carpeta de datos")
    )
    try:
        async for _some in store.iter_pictures():
            break
    except PicturesUnavailable as error:
        text = _("no se pueden leer de {place}; revisa PICTURES_URL ({reason})")
        yield failure("pictures", text.format(place=where, reason=error))
        return
    yield ok("pictures", _("en {place}").format(place=where))


async def check_disk(settings: Settings) -> AsyncIterator[Finding]:
    """Check that the data folder can be written, and that its disk has enough free space."""
    folder = settings.data_dir
    if not os.access(folder, os.W_OK):
        text = _("no se puede escribir en {folder}: dásela al usuario con el que corre la tienda")
        yield failure("disk", text.format(folder=folder))
        return
    free = (await asyncio.to_thread(shutil.disk_usage, folder)).free
    message = _("{n} GiB libres en {folder}").format(n=f"{free / 2**30:.1f}", folder=folder)
    if free < max(LOW_FREE_BYTES, settings.alert_disk_free_mb * 2**20):
        yield (failure if free < MIN_FREE_BYTES else warning)(
            "disk", _("{finding}: libera espacio").format(finding=message)
        )
    else:
        yield ok("disk", message)
