"""The audit in the office, as a list and as a file."""

import ast
from datetime import timedelta
from pathlib import Path

import httpx
import pytest
from sqlmodel import SQLModel

import backend
from backend.app import Shop
from backend.audit import Subject, SubjectType, record
from backend.audit.labels import ACTION_LABELS, AUDITED_FIELD_LABELS, HIDDEN_FIELDS, ID_FIELDS, SUBJECT_LABELS
from backend.audit.values import UNRECORDED as NEVER_RECORDED
from backend.audit.values import is_personal
from backend.catalog.models import Category, Product, Variant
from backend.core.clock import now
from backend.core.dates import TIME_ZONE
from backend.core.errors import Forbidden, InvalidData
from backend.core.spreadsheet import format_csv
from backend.office import audit as module
from backend.office.audit import AuditFilter, AuditPage, audit_entries, audit_file
from backend.staff.rights import COMMAND_LINE, RIGHTS, SHOP, Actor, Right, Role
from tests.amounts import cop
from tests.store_defaults import Defaults, add_product

OWNER = Actor("user_1", Role.OWNER, has_second_factor=True)
TOP = Subject(SubjectType.PRODUCT, "prod_gone")


async def read_audit_page(
    shop: Shop, wanted: AuditFilter | None = None, cursor: str = "", actor: Actor = OWNER
) -> AuditPage:
    async with shop.database.read() as session:
        return await audit_entries(session, actor, wanted or AuditFilter(), cursor)


async def price_changes(shop: Shop, count: int) -> None:
    for step in range(count):
        async with shop.database.transaction() as session:
            await record(session, COMMAND_LINE, "changed", TOP, {"price": (step, step + 1)})


async def test_audit_row_shows_actor_and_action(shop: Shop, shop_defaults: Defaults) -> None:
    async with shop.database.transaction() as session:
        variant_id = await add_product(session, shop_defaults, "trompo-de-madera")
        subject = Subject(SubjectType.VARIANT, variant_id)
        changes = {"price": (20_000, 18_000), "featured": (False, True), "odd": (None, {"a": [1]})}
        await record(session, SHOP, "changed", subject, changes, personal={"note": ("", "Para Ana")})
    (row,) = (await read_audit_page(shop)).rows
    assert (row.actor_name, row.sentence) == ("La tienda, sola", "cambió el producto Trompo de madera")
    assert {change.field: (change.before, change.after) for change in row.changes} == {
        "Precio": (cop("$ 20.000"), cop("$ 18.000")),
        "Destacado": ("no", "sí"),
        "odd": ("", '{"a": [1]}'),
        "Nota": ("", "Para Ana"),
    }


async def test_audit_row_shows_formatted_values_and_names_of_subjects(
    shop: Shop, shop_defaults: Defaults
) -> None:
    async with shop.database.transaction() as session:
        variant_id = await add_product(session, shop_defaults, "trompo-de-madera")
        product = await session.get_one(Product, (await session.get_one(Variant, variant_id)).product_id)
        puzzles = Category(name="Rompecabezas", handle="rompecabezas")
        session.add(puzzles)
        await session.flush()
        changes = {
            "product_id": (None, product.id),  # link of a part to the product itself
            "category_id": (None, puzzles.id),
            "collection_id": ("pcol_gone", None),
            "status": ("draft", "published"),
            "payment_status": ("awaiting", "captured"),
            "fulfillment_status": ("fulfilled", "shipped"),
            "state": ("creating", "created"),
            "sources": (None, [{"width": 320}]),
        }
        await record(session, SHOP, "changed", Subject(SubjectType.PRODUCT, product.id), changes)
    (row,) = (await read_audit_page(shop)).rows
    assert [(change.field, change.before, change.after) for change in row.changes] == [
        ("Categoría", "", "Rompecabezas"),
        ("Colección", "pcol_gone", ""),
        ("Estado", "oculto", "publicado"),
        ("Pago", "Esperando al banco", "Pagado"),
        ("Despacho", "Empacado", "Enviado"),
        ("Estado", "Haciendo la guía", "Guía lista"),
    ]


@pytest.mark.parametrize(
    "table", ["product", "variant", "picture", "product_category", "inventory_level", "order_line"]
)
def test_every_field_of_products_and_orders_has_a_label(table: str) -> None:
    columns = {
        column.name
        for column in SQLModel.metadata.tables[table].columns
        if not is_personal(table, column.name)
    }
    assert columns - AUDITED_FIELD_LABELS.keys() - HIDDEN_FIELDS - NEVER_RECORDED == set()
    assert ID_FIELDS.keys() <= AUDITED_FIELD_LABELS.keys()


async def test_pages_of_the_audit_list_contain_all_rows_in_order(
    shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "PAGE_SIZE", 2)
    await price_changes(shop, 5)
    found, cursor = [], ""
    while True:
        read = await read_audit_page(shop, cursor=cursor)
        found += [row.changes[0].after for row in read.rows]
        cursor = read.cursor
        if not cursor:
            break
    assert found == [cop("$ 5"), cop("$ 4"), cop("$ 3"), cop("$ 2"), cop("$ 1")]


async def test_filters_narrow_the_audit_list(shop: Shop) -> None:
    await price_changes(shop, 1)
    async with shop.database.transaction() as session:
        await record(session, SHOP, "deleted", Subject(SubjectType.PRODUCT, "prod_2"))
    today = now().astimezone(TIME_ZONE).date()
    before, after = (today - timedelta(days=2)).isoformat(), (today + timedelta(days=2)).isoformat()

    async def count(**wanted: str) -> int:
        return len((await read_audit_page(shop, AuditFilter(**wanted))).rows)

    assert await count() == 2
    assert await count(actor_id="shop") == 1
    assert await count(subject_id="prod_gone") == 1
    assert await count(since=before, until=after) == 2
    assert await count(until=before) == await count(since=after) == 0


@pytest.mark.parametrize("wanted", [AuditFilter(since="today"), AuditFilter(until="2026-02-30")])
async def test_invalid_day_is_refused(shop: Shop, wanted: AuditFilter) -> None:
    with pytest.raises(InvalidData):
        await read_audit_page(shop, wanted)
    with pytest.raises(InvalidData):
        await anext(audit_file(shop.database, OWNER, wanted))


@pytest.mark.parametrize("cursor", ["x", "2026-01-01|a", "|", "9" * 50])
async def test_invalid_audit_cursor_is_refused(shop: Shop, cursor: str) -> None:
    with pytest.raises(InvalidData):
        await read_audit_page(shop, cursor=cursor)


async def test_audit_list_is_not_readable_without_the_right(shop: Shop) -> None:
    for role in Role:
        actor = Actor("user_1", role, has_second_factor=True)
        if Right.READ_AUDIT not in RIGHTS[role]:
            with pytest.raises(Forbidden):
                await read_audit_page(shop, actor=actor)
            with pytest.raises(Forbidden):
                await anext(audit_file(shop.database, actor, AuditFilter()))


async def test_audit_export_contains_all_fields_and_no_formula(
    shop: Shop, admin: httpx.AsyncClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "BATCH_SIZE", 2)
    await price_changes(shop, 3)
    async with shop.database.transaction() as session:
        changes = {"title": ("Trompo", "=1+1"), "price": (1, -5)}
        await record(session, SHOP, "changed", TOP, changes, personal={"note": ("", "Para Ana")})
    answer = await admin.get("/admin/audit/export?subject_id=prod_gone")
    assert answer.headers["content-type"] == "text/csv; charset=utf-8"
    written = answer.text.splitlines()
    assert len(written) == 1 + 3 + 3
    assert written[1].endswith(";title;Trompo;'=1+1")
    assert written[2].endswith(";price;1;-5")
    assert "Para Ana" not in answer.text
    listed = (await admin.get("/admin/audit?actor_id=shop")).json()
    assert [one["who"] for one in listed["audit"]] == ["La tienda, sola"]
    assert (await admin.get("/admin/audit?until=never")).status_code == 400


def test_cells_of_the_audit_export_are_never_formulas() -> None:
    cells = ["=1", "+1", "-1", "@a", "\tx", "  =2", "a=1", "", None, -3, 'say "x", y']
    assert format_csv([cells]) == "'=1,'+1,'-1,'@a,'\tx,'  =2,a=1,,,-3,\"say \"\"x\"\", y\"\r\n"


def test_every_action_and_subject_type_has_a_label() -> None:
    said: set[object] = set()
    texts = [file.read_text("utf-8") for file in Path(backend.__file__).parent.rglob("*.py")]
    for text in texts:
        for call in ast.walk(ast.parse(text if "record(" in text else "")):
            if isinstance(call, ast.Call) and ast.unparse(call.func) == "record" and len(call.args) > 2:
                said.update(one.value for one in ast.walk(call.args[2]) if isinstance(one, ast.Constant))
    assert said - set(ACTION_LABELS) == set()
    assert set(SUBJECT_LABELS) == set(SubjectType)
