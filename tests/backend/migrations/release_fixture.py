"""A small shop of the current version: `python -m tests.backend.migrations.release_fixture` writes its two backups.

`make release` runs it. The two backups, of SQLite and of PostgreSQL, contain the database and the files: products with
pictures, a customer, an order whose payment is at the bank, and a paid order that is not packed. From release 1.0
on, the backups of each minor release are stored in `RELEASES`, in a folder with the name of the version, and
`test_release_upgrade.py` restores them with the current code.
"""

import asyncio
import os
import tempfile
from io import BytesIO
from pathlib import Path

from PIL import Image

from backend import subscriptions  # noqa: F401 - so that orders follow their payments
from backend.app import Shop
from backend.core.config.settings import Settings
from backend.core.config.version import VERSION
from backend.migrations.runner import upgrade
from backend.operations.backup.backup import make_backup
from backend.payment.providers.base import ProviderState
from tests.api_clients import open_clients
from tests.backend.operations.conftest import POSTGRESQL_18
from tests.backend.orders.paying import list_sessions, report_payment
from tests.failure.databases import DATABASE_KINDS, empty_database
from tests.store_defaults import add_product, set_up_defaults
from tests.store_steps import PSE, complete_purchase, post, read_ok

RELEASES = Path(__file__).parent / "releases"
"""Backups of former releases, by version."""
ROOT = Path(__file__).resolve().parents[3]
LOGIN = {"email": "eva@example.com", "password": "una clave muy larga"}
PRODUCTS = ("trompo-de-madera", "yoyo", "rompecabezas")
PRICE, STOCK, UNITS = 40_000, 9, 2


def backup_name(kind: str) -> str:
    """Return the file name of the backup of this kind of database."""
    return f"{kind}.tar.gz"


async def build_shop(shop: Shop) -> None:
    """Add products, a customer and two orders to the shop, whose database must be migrated and empty."""
    defaults = await set_up_defaults(shop.database, shop.settings)
    async with shop.database.transaction() as session:
        variants = [
            await add_product(session, defaults, handle, stock=STOCK, price=PRICE) for handle in PRODUCTS
        ]
    async with open_clients(shop) as (store, admin):
        listed = (await read_ok(await admin.get("/admin/products")))["products"]
        for product in listed:
            sent = {"files": ("toy.png", _draw_picture(), "image/png")}
            (file,) = (await read_ok(await admin.post("/admin/uploads", files=sent)))["files"]
            await post(admin, f"/admin/products/{product['id']}", {"images": [{"url": file["url"]}]})
        answer = await post(store, "/auth/customer/emailpass/register", LOGIN)
        store.headers["authorization"] = f"Bearer {answer['token']}"
        await post(store, "/store/customers", {"email": LOGIN["email"], "first_name": "Eva"})
        del store.headers["authorization"]
        await complete_purchase(store, variants[0], UNITS, PSE)
        paid = await complete_purchase(store, variants[1], 1, PSE)
    newest = (await list_sessions(shop, paid["id"]))[-1]
    await report_payment(shop, newest.id, ProviderState.CAPTURED)


async def write_backup(database_url: str, file: Path) -> None:
    """Migrate an empty database, fill it with `build_shop`, and write its backup to the file."""
    with tempfile.TemporaryDirectory() as folder:
        settings = Settings(data_dir=Path(folder), database_url=database_url)
        shop = Shop(settings)
        try:
            await upgrade(shop.database)
            await build_shop(shop)
            await make_backup(settings, shop.database, shop.pictures, file)
        finally:
            await shop.stop()


def _draw_picture() -> bytes:
    content = BytesIO()
    Image.new("RGB", (40, 30), "#cc3344").save(content, "PNG")
    return content.getvalue()


def main(folder: Path) -> None:
    """Write both backups into the folder, and print their sizes."""
    folder.mkdir(parents=True, exist_ok=True)
    os.environ["PATH"] = f"{POSTGRESQL_18}:{os.environ['PATH']}"
    for kind in DATABASE_KINDS:
        file = folder / backup_name(kind)
        file.unlink(missing_ok=True)
        with tempfile.TemporaryDirectory() as place, empty_database(kind, Path(place)) as url:
            asyncio.run(write_backup(url, file))
        print(f"{file.relative_to(ROOT)}: {file.stat().st_size / 1024:.0f} KiB")


if __name__ == "__main__":
    main(ROOT / "dist" / f"trompo-{VERSION}-fixture")
