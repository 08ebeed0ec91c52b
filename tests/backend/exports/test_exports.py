"""Export files: their rows, cells without formulas, allowed readers, and expiry."""

import csv
import re
from codecs import BOM_UTF8
from collections.abc import Sequence
from datetime import UTC, date, datetime, timedelta
from io import BytesIO, StringIO
from xml.etree import ElementTree as ET
from zipfile import ZipFile

import httpx
import pytest
from sqlalchemy import func, select, update
from sqlalchemy.ext.asyncio import AsyncSession

from backend.app import Shop
from backend.core.db.database import db_now
from backend.core.errors import Forbidden, InvalidData, NotFound, TooManyRequests
from backend.customers.models import Customer, GuestCustomer
from backend.exports import export_job, kinds, service
from backend.exports.export_job import DataExports
from backend.exports.kinds import KINDS, PLATFORM
from backend.exports.models import DataExport, DataExportPiece, FileFormat
from backend.exports.service import (
    JOB,
    MAX_RUNNING_EXPORTS,
    list_kinds,
    list_own_exports,
    open_export_file,
    request_export,
)
from backend.inventory.movements import MovementDetails, Reason, move_stock
from backend.jobs import JobRun, RunAgain
from backend.office.orders.listing import orders_view
from backend.operations.tidy.rules import RULES
from backend.pricing import Adjustment, PricedLine
from backend.staff.models import Staff
from backend.staff.rights import Actor, Role, SecondFactorMissing
from tests.backend.orders.paying import place_order_at_bank, report_amount
from tests.backend.reports.selling import paid_order, store_orders
from tests.store_defaults import Defaults, add_product
from tests.store_steps import PSE, complete_purchase

OWNER = Actor("user_1", Role.OWNER, has_second_factor=True)
MARCH = datetime(2026, 3, 10, 15, tzinfo=UTC)
DAYS = (date(2026, 3, 1), date(2026, 3, 31))
EVIL = '=HYPERLINK("http://evil.example","Ñandú")'
SHEET = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"


async def request_file(
    shop: Shop, kind: str, file_format: str = "csv", actor: Actor = OWNER, days: tuple[date, date] = DAYS
) -> str:
    async with shop.database.transaction() as session:
        return await request_export(session, actor, kind, file_format, days)


async def fetch_file(shop: Shop, export_id: str, actor: Actor = OWNER) -> bytes:
    file = await open_export_file(shop.database, actor, export_id)
    return b"".join([piece async for piece in file.pieces])


async def export_rows(shop: Shop, kind: str, days: tuple[date, date] = DAYS) -> list[list[str]]:
    """Export this kind of data as CSV, and return the rows."""
    export_id = await request_file(shop, kind, days=days)
    await shop.worker.run_due(JOB)
    return parse_csv(await fetch_file(shop, export_id))


def parse_csv(content: bytes) -> list[list[str]]:
    """Return the rows of a CSV file. Files for people begin with a byte order mark and have `;` between the cells."""
    delimiter = ";" if content.startswith(BOM_UTF8) else ","
    return list(csv.reader(StringIO(content.decode("utf-8-sig"), newline=""), delimiter=delimiter))


def parse_workbook(content: bytes) -> list[list[str]]:
    """Return the cells of an XLSX in row order. Check that none is a formula."""
    with ZipFile(BytesIO(content)) as book:
        assert [name for name in book.namelist() if "externalLink" in name or "_rels/sheet" in name] == []
        sheet = ET.fromstring(book.read("xl/worksheets/sheet1.xml"))
    assert list(sheet.iter(f"{SHEET}f")) == []
    return [["".join(cell.itertext()) for cell in row.iter(f"{SHEET}c")] for row in sheet.iter(f"{SHEET}row")]


@pytest.fixture
async def sold(shop: Shop, shop_defaults: Defaults) -> None:
    """Store an order of March with a promotion and a refund, one of April, a stock movement, a customer and a guest."""
    one = paid_order(
        PricedLine("trompo", 2, 119_000),
        PricedLine("book", 1, 20_000, 0),
        at=MARCH,
        shipping=11_900,
        adjustments=[Adjustment(38_000, "trompo")],
        titles={"trompo": EVIL},
        refunds=[(MARCH, 100_000, {"trompo": 1})],
    )
    later = paid_order(
        PricedLine("yoyo", 1, 5_000), at=datetime(2026, 4, 1, 5, tzinfo=UTC)
    )  # midnight in Colombia
    async with shop.database.transaction() as session:
        await store_orders(session, [one, later])
        variant = await add_product(session, shop_defaults, "trompo", stock=7, price=119_000, title=EVIL)
        why = MovementDetails(Reason.RECEIVED, OWNER, note="+57 300", supplier="@casa")
        await move_stock(session, variant, shop_defaults.location_id, 3, why)
        session.add(Customer(email="ana@example.com", first_name="-Ana", last_name="Gómez"))
        session.add(GuestCustomer(email="luz@example.com"))


@pytest.mark.usefixtures("sold")
async def test_each_kind_of_export_contains_its_rows(shop: Shop) -> None:
    head, *orders = await export_rows(shop, "orders")
    assert list(KINDS["orders"].columns) == head
    assert [row[head.index("Total")] for row in orders] == ["231900"]
    head, *lines = await export_rows(shop, "lines")
    found = {row[head.index("Producto")]: row[head.index("Unidades") :] for row in lines}
    assert found == {
        f"'{EVIL}": ["2", "1", "119000", "38000", "200000", "19", "31933"],
        "book": ["1", "0", "20000", "0", "20000", "0", "0"],
    }
    customers = await export_rows(shop, "customers")
    assert [row[:3] + row[5:6] for row in customers[1:]] == [
        ["'-Ana", "Gómez", "ana@example.com", "sí"],
        ["", "", "luz@example.com", "no"],
    ]
    head, *products = await export_rows(shop, "products")
    assert [(row[0], row[head.index("Precio")], row[head.index("Unidades")]) for row in products] == [
        (f"'{EVIL}", "119000", "10")
    ]
    today = (date(2026, 1, 1), date(2030, 1, 1))
    head, *movements = await export_rows(shop, "movements", today)
    assert [(row[2], row[5:10], row[-1]) for row in movements] == [
        (f"'{EVIL}", ["3", "10", "received", "'+57 300", "'@casa"], "user_1")
    ]
    assert await export_rows(shop, "movements") == [list(KINDS["movements"].columns)]


async def test_payment_has_the_same_label_in_exports_and_in_the_order_list(
    shop: Shop, shop_defaults: Defaults, store: httpx.AsyncClient
) -> None:
    """Let the bank approve money that staff must accept, for one of two orders that await their payment."""
    async with shop.database.transaction() as session:
        trompo = await add_product(session, shop_defaults, "trompo", stock=20, price=40_000)
    _order_id, approved = await place_order_at_bank(shop, store, trompo)
    await report_amount(shop, approved, "20", "USD")
    await complete_purchase(store, trompo, 2, PSE)
    async with shop.database.read() as session:
        listed = (await orders_view(session, OWNER, {})).rows
    expected = {str(row.number): row.chips[0].text for row in listed}
    assert expected == {"1": "Pago por aceptar", "2": "Esperando al banco"}
    for kind in ("orders", "lines"):
        head, *rows = await export_rows(shop, kind, (date(2026, 1, 1), date(2030, 1, 1)))
        assert {row[head.index("Pedido")]: row[head.index("Pago")] for row in rows} == expected


@pytest.mark.usefixtures("sold")
async def test_exported_workbook_has_the_rows_of_the_csv_file_and_no_formula(shop: Shop) -> None:
    for kind in [name for name, one in KINDS.items() if not one.is_for_programs]:
        export_id = await request_file(shop, kind, FileFormat.XLSX)
        await shop.worker.run_due(JOB)
        as_text = [
            [re.sub("^'(?=[=+@-])", "", cell) for cell in row if cell]
            for row in await export_rows(shop, kind)
        ]
        assert [
            [cell for cell in row if cell] for row in parse_workbook(await fetch_file(shop, export_id))
        ] == as_text


async def test_export_without_rows_has_only_headings(shop: Shop) -> None:
    assert await export_rows(shop, "orders") == [list(KINDS["orders"].columns)]
    export_id = await request_file(shop, "products", FileFormat.XLSX)
    await shop.worker.run_due(JOB)
    assert parse_workbook(await fetch_file(shop, export_id)) == [list(KINDS["products"].columns)]


@pytest.mark.parametrize("file_format", list(FileFormat))
async def test_interrupted_export_is_continued_by_the_next_run(
    shop: Shop, shop_defaults: Defaults, file_format: FileFormat, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kinds, "PAGE_SIZE", 2)
    orders = [
        paid_order(PricedLine("yoyo", n + 1, 5_000), at=MARCH) for n in range(5)
    ]  # all at the same moment
    async with shop.database.transaction() as session:
        await store_orders(session, orders)
    export_id = await request_file(shop, "lines", file_format)
    run = JobRun(1, JOB, export_id, {"export_id": export_id}, 2)
    with monkeypatch.context() as patch:
        patch.setattr(export_job, "RUN_TIME_S", -1.0)
        assert isinstance(await DataExports(shop.database, shop.settings.base_url).create_file(run), RunAgain)
    async with shop.database.read() as session:
        (export,) = await list_own_exports(session, OWNER)
    assert (export.done, export.total, export.is_done) == (2, 5, False)
    with pytest.raises(NotFound):
        await fetch_file(shop, export_id)
    assert await DataExports(shop.database, shop.settings.base_url).create_file(run) is None
    assert (
        await DataExports(shop.database, shop.settings.base_url).create_file(run) is None
    )  # a repeated run changes nothing
    content = await fetch_file(shop, export_id)
    rows = parse_csv(content) if file_format is FileFormat.CSV else parse_workbook(content)
    assert len(rows) == 6
    numbers: Sequence[str] = [row[0] for row in rows[1:]]
    assert len(set(numbers)) == 5


async def test_each_role_may_request_only_its_kinds_of_export(shop: Shop) -> None:
    for role in Role:
        actor = Actor("user_2", role, has_second_factor=True)
        may = {name for name, kind in KINDS.items() if actor.may(kind.right)}
        may = may if role is not Role.STOCKROOM else set()
        assert set(list_kinds(actor)) <= {*may, *KINDS} - {PLATFORM}
        for kind in KINDS:
            if kind not in may:
                with pytest.raises(Forbidden):
                    await request_file(shop, kind, actor=actor)
    assert set(list_kinds(Actor("user_2", Role.ACCOUNTANT))) == set(KINDS) - {PLATFORM}
    assert set(list_kinds(Actor("user_2", Role.SHOP))) == {
        "lines", "invoice_lines", "products", "import", "shopify", "woocommerce", "movements",
    }  # fmt: skip
    with pytest.raises(SecondFactorMissing):
        await request_file(shop, "customers", actor=Actor("user_2", Role.ACCOUNTANT))
    for kind, file_format in (("secrets", "csv"), ("orders", "exe")):
        with pytest.raises(InvalidData):
            await request_file(shop, kind, file_format)
    for _file in range(MAX_RUNNING_EXPORTS):
        await request_file(shop, "products")
    with pytest.raises(TooManyRequests):
        await request_file(shop, "products")
    await request_file(shop, "products", actor=Actor("user_2", Role.SHOP))


async def test_only_the_requester_can_fetch_an_export_until_it_expires(
    shop: Shop, admin: httpx.AsyncClient
) -> None:
    async with shop.database.read() as session:
        member = (await session.execute(select(Staff.id))).scalar_one()
    me = Actor(member, Role.OWNER, has_second_factor=True)
    export_id = await request_file(shop, "customers", actor=me)
    path = f"/admin/exports/{export_id}"
    assert (await admin.get(path)).status_code == 404  # the file is not complete
    await shop.worker.run_due(JOB)
    answer = await admin.get(path)
    assert answer.status_code == 200
    assert answer.headers["cache-control"] == "no-store"
    assert "Clientes%202026-03-01%202026-03-31.csv" in answer.headers["content-disposition"]
    with pytest.raises(NotFound):
        await fetch_file(shop, export_id)
    with pytest.raises(SecondFactorMissing):
        await fetch_file(shop, export_id, Actor(member, Role.OWNER))
    async with shop.database.transaction() as session:
        await session.execute(update(DataExport).values(expires_at=db_now(-timedelta(seconds=1))))
    assert (await admin.get(path)).status_code == 404
    (rule,) = [one for one in RULES if one.table is DataExport]
    assert await rule.apply(shop.database) == 1
    async with shop.database.read() as session:
        assert (await session.execute(select(func.count()).select_from(DataExportPiece))).scalar_one() == 0


async def test_export_without_a_period_is_dated_with_the_day_in_colombia(
    shop: Shop, shop_defaults: Defaults, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def evening(_session: AsyncSession) -> datetime:
        return datetime(2026, 12, 1, 0, 30, tzinfo=UTC)

    monkeypatch.setattr(service, "database_now", evening)
    async with shop.database.transaction() as session:
        export_id = await request_export(session, OWNER, "products", "csv")
        export = await session.get_one(DataExport, export_id)
        assert (export.since, export.until) == ("2026-11-30", "2026-11-30")
