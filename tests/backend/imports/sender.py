"""A staff member who sends spreadsheets."""

from datetime import timedelta
from io import BytesIO
from typing import Any

import pytest
from sqlalchemy import func, select

from backend.app import Shop
from backend.catalog.models import Collection, Product, Variant
from backend.imports import import_job
from backend.imports.confirmation import JOB, start_import
from backend.imports.import_job import ProductImports
from backend.imports.pictures import PictureUploadResult, add_pictures
from backend.imports.preview import preview_import
from backend.imports.reports import ImportReport, read_report
from backend.imports.spreadsheet_upload import store_spreadsheet
from backend.inventory.models import InventoryLevel
from backend.jobs import JobRun, RunAgain
from backend.media.uploads import SentFile
from backend.staff.rights import Actor, Role
from tests.store_defaults import Defaults

OWNER = Actor("user_1", Role.OWNER)


class Sender:
    """A staff member who sends spreadsheets to the import of a shop."""

    def __init__(self, shop: Shop, defaults: Defaults) -> None:
        self.shop, self.defaults, self.id = shop, defaults, ""

    async def send_spreadsheet(
        self, content: str | bytes, *, makes_places: bool = False, may_choose: bool = False
    ) -> ImportReport:
        raw = content.encode() if isinstance(content, str) else content
        self.id = await store_spreadsheet(
            self.shop.database, OWNER, "toys.csv", raw, makes_places=makes_places, may_choose=may_choose
        )
        await preview_import(self.shop.database, self.id)
        return await self.report()

    async def report(self) -> ImportReport:
        async with self.shop.database.read() as session:
            return await read_report(session, OWNER, self.id)

    async def send_pictures(self, name: str, content: bytes) -> PictureUploadResult:
        sent = SentFile(name, len(content), BytesIO(content))
        return await add_pictures(self.shop.database, self.shop.uploads, OWNER, self.id, sent)

    async def run_import(self, *, confirms_losses: bool = False) -> ImportReport:
        await start_import(self.shop.database, OWNER, self.id, confirms_losses=confirms_losses)
        return await self.run_job()

    async def run_job(self) -> ImportReport:
        await self.shop.worker.run_due(JOB)
        return await self.report()

    async def preview(self) -> ImportReport:
        await preview_import(self.shop.database, self.id)
        return await self.report()

    async def run_one_batch(self) -> None:
        """Run the job of the started import for one batch, as if its time limit had been reached."""
        imports = ProductImports(self.shop.database, self.shop.uploads)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(import_job, "RUN_TIME_S", -1.0)
            again = await imports.run(JobRun(1, JOB, self.id, {"import_id": self.id}, 1))
        assert again == RunAgain(timedelta(0), reset=True)

    async def count(self, table: Any = Product) -> int:
        async with self.shop.database.read() as session:
            return (await session.execute(select(func.count()).select_from(table))).scalar_one()

    async def value(self, column: Any, sku: str) -> Any:
        query = select(column).join_from(Variant, Product, Product.id == Variant.product_id)
        query = query.outerjoin(InventoryLevel, InventoryLevel.variant_id == Variant.id)
        query = query.outerjoin(Collection, Collection.id == Product.collection_id)
        async with self.shop.database.read() as session:
            return (await session.execute(query.where(Variant.sku == sku))).scalar_one()


def list_problems(found: ImportReport) -> list[tuple[int, str, str]]:
    return [(one.line, one.column, one.code) for one in found.problems]
