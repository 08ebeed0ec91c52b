"""Spreadsheets with two columns: former addresses, and the product or category of each."""

from io import BytesIO
from typing import Any

import pytest
from openpyxl import Workbook, load_workbook
from sqlalchemy import select

from backend.audit.models import AuditEntry
from backend.catalog.redirects import service, sheet
from backend.catalog.redirects.models import UnknownAddress, UrlRedirect
from backend.catalog.redirects.sheet import SheetProblem, SheetResult, SheetRow, import_sheet, read_sheet
from backend.catalog.redirects.targets import RedirectTarget
from backend.core.clock import now
from backend.core.errors import Forbidden, InvalidData, NotAllowed
from backend.staff.rights import COMMAND_LINE, Actor, Role
from tests.backend.catalog.redirects.conftest import FormerShop
from tests.store_defaults import Defaults, add_product


async def send(former: FormerShop, content: str | bytes) -> SheetResult:
    raw = content.encode() if isinstance(content, str) else content
    return await import_sheet(former.shop.database, COMMAND_LINE, raw)


async def read_targets(former: FormerShop) -> dict[str, str]:
    """Return the handle of each redirect's target, by address."""
    names = {
        target: handle for some in (former.products, former.categories) for handle, target in some.items()
    }
    async with former.shop.database.read() as session:
        found = (await session.execute(select(UrlRedirect))).scalars()
        return {one.former_address: names[RedirectTarget.of(one)] for one in found}


def to_workbook(*rows: tuple[Any, ...]) -> bytes:
    workbook, content = Workbook(), BytesIO()
    for row in rows:
        workbook.active.append(row)  # type: ignore[union-attr]
    workbook.save(content)
    return content.getvalue()


async def test_target_is_found_by_code_name_handle_path_or_address(former: FormerShop) -> None:
    result = await send(
        former,
        "Dirección anterior;Nueva\n"
        "https://vieja.com/p/1;SKU-balero\n"
        "/p/2;Balero de Madera\n"
        "/p/3;balero\n"
        "/p/4;/product/yoyo\n"
        "/p/5;https://trompo.example/product/yoyo?variant=x\n"
        "/c/1;de-madera\n"
        "/c/2;De  MADERA\n"
        "/c/3;Juguetes > De madera\n"
        "/c/4;/catalog?category=juguetes\n"
        "/index.php?id=7;SKU-yoyo\n",
    )
    assert result == SheetResult(created=10)
    assert await read_targets(former) == {
        "/p/1": "balero", "/p/2": "balero", "/p/3": "balero", "/p/4": "yoyo", "/p/5": "yoyo", "/c/1": "de-madera",
        "/c/2": "de-madera", "/c/3": "de-madera", "/c/4": "juguetes", "/index.php?id=7": "yoyo",
    }  # fmt: skip


async def test_shopify_redirect_to_a_redirected_address_gets_its_target(former: FormerShop) -> None:
    await former.redirect("/products/balero", former.products["balero"])
    result = await send(
        former, "Redirect from,Redirect to\n/balero-viejo,/products/balero\n/x,/products/nada\n"
    )
    assert (result.created, [(one.line, one.value) for one in result.problems]) == (
        1,
        [(3, "/products/nada")],
    )
    assert (await read_targets(former))["/balero-viejo"] == "balero"


@pytest.mark.parametrize(
    "content",
    [
        b"SKU\tURL anterior\nSKU-balero\t/p/1\nSKU-yoyo\t/p/2\n",
        b"SKU-balero,/p/1\nSKU-yoyo,/p/2\n",
        b"/p/1;SKU-balero\n/p/2;SKU-yoyo\n",
        to_workbook(("Address", "SKU"), ("/p/1", "SKU-balero"), ("/p/2", "SKU-yoyo")),
        to_workbook(("/p/1", "SKU-balero"), (None, None), ("/p/2", "SKU-yoyo")),
    ],
)
async def test_redirects_are_read_with_columns_in_any_order_and_without_headings(
    former: FormerShop, content: bytes
) -> None:
    assert (await send(former, content)).created == 2
    assert await read_targets(former) == {"/p/1": "balero", "/p/2": "yoyo"}


async def test_redirect_rows_with_problems_are_reported_and_not_stored(
    former: FormerShop, shop_defaults: Defaults
) -> None:
    async with former.shop.database.transaction() as session:
        await add_product(session, shop_defaults, "yoyo-2", title="Yoyo")
    result = await send(
        former,
        "/p/1;SKU-balero\n/p/1/;balero\n/P/1;yoyo\n/p/2;Nada\n/p/3;\nnada;balero\n/p/4;balero;de más\n"
        "/product/balero;yoyo\n/p/5;Yoyo\n/oficina;balero\n",
    )
    assert (result.created, result.changed, result.same) == (1, 0, 0)
    assert [(one.line, one.value, one.text) for one in result.problems] == [
        (3, "/P/1", "Ya está en la fila 1, y lleva a otra página."),
        (4, "Nada", service.UNKNOWN_TARGET_TEXT.format(text="Nada")),
        (5, "/p/3", sheet.NO_TARGET_TEXT),
        (6, "nada", service.INVALID_ADDRESS_TEXT),
        (7, "/p/4", sheet.EXTRA_TEXT),
        (8, "/product/balero", service.OWN_ADDRESS_TEXT),
        (9, "Yoyo", service.SEVERAL_TARGETS_TEXT.format(text="Yoyo")),
        (10, "/oficina", service.INVALID_ADDRESS_TEXT),
    ]


async def test_second_spreadsheet_changes_targets_and_is_audited(former: FormerShop) -> None:
    async with former.shop.database.transaction() as session:
        session.add(UnknownAddress(former_address="/p/1", visits=3, seen_at=now()))
    assert (await send(former, "/p/1;balero\n/p/2;balero\n")).created == 2
    assert await send(former, "/p/1;balero\n/p/2;de-madera\n/p/3;yoyo\n") == SheetResult(1, 1, 1)
    assert await read_targets(former) == {"/p/1": "balero", "/p/2": "de-madera", "/p/3": "yoyo"}
    assert await former.visit("/p/2") == "/catalog?category=de-madera"
    async with former.shop.database.read() as session:
        assert (await session.execute(select(UnknownAddress.former_address))).all() == []
        entries = (await session.execute(select(AuditEntry.action, AuditEntry.changes))).all()
    assert [changes for action, changes in entries if action == "addresses imported"] == [
        [{"field": "addresses added", "before": None, "after": 2}],
        [
            {"field": "addresses added", "before": None, "after": 1},
            {"field": "addresses changed", "before": None, "after": 1},
        ],
    ]


@pytest.mark.parametrize(
    ("content", "text"),
    [
        (b"", sheet.EMPTY_TEXT),
        (b"\x00\x01", sheet.UNREADABLE_TEXT),
        (b"/a\n/b\n", sheet.EMPTY_TEXT),
        (b"direccion;sku\n", sheet.EMPTY_TEXT),
        (b"x" * (sheet.MAX_FILE_BYTES + 1), sheet.UNREADABLE_TEXT),
        (b"/a;b\n" * (sheet.MAX_ROWS + 1), sheet.TOO_MANY_TEXT),
    ],
)
def test_unreadable_or_unsuitable_file_is_refused(content: bytes, text: str) -> None:
    with pytest.raises(InvalidData) as refusal:
        read_sheet(content)
    assert refusal.value.staff_text == text


def test_hidden_sheet_is_not_read() -> None:
    def to_content(visible: tuple[str, ...]) -> bytes:
        workbook, content = Workbook(), BytesIO()
        workbook.active.append(visible)  # type: ignore[union-attr]
        old = workbook.create_sheet("2024")
        old.sheet_state = "hidden"
        old.append(("/p/1", "balero"))
        workbook.save(content)
        return content.getvalue()

    assert read_sheet(to_content(("/p/2", "yoyo"))).rows == [SheetRow(1, "/p/2", "yoyo")]
    with pytest.raises(InvalidData) as refusal:
        read_sheet(to_content(("Notas",)))
    assert refusal.value.staff_text == f"{sheet.EMPTY_TEXT} {sheet.HIDDEN_SHEET_TEXT}"


def hide_rows(content: bytes, *numbers: int) -> bytes:
    """Return the workbook with these rows of its first sheet hidden."""
    workbook, changed = load_workbook(BytesIO(content)), BytesIO()
    for number in numbers:
        workbook.worksheets[0].row_dimensions[number].hidden = True
    workbook.save(changed)
    return changed.getvalue()


async def test_hidden_rows_are_left_out_and_reported_as_one_problem(former: FormerShop) -> None:
    content = to_workbook(("/p/1", "balero"), ("/p/2", "nada"), ("/p/3", "yoyo"), ("/p/4", "yoyo"))
    result = await send(former, hide_rows(content, 3))
    assert result.problems[0] == SheetProblem(3, "", sheet.HIDDEN_ROW_TEXT)
    result = await send(former, hide_rows(content, 3, 4))
    assert [(one.line, one.text) for one in result.problems] == [
        (3, sheet.HIDDEN_ROWS_TEXT.format(n="2")),
        (2, service.UNKNOWN_TARGET_TEXT.format(text="nada")),
    ]
    assert await read_targets(former) == {"/p/1": "balero", "/p/4": "yoyo"}


async def test_filtered_sheet_may_have_more_rows_than_the_limit_if_few_are_visible(
    former: FormerShop, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sheet, "MAX_ROWS", 3)
    content = to_workbook(("Dirección", "SKU"), *((f"/p/{number}", "balero") for number in range(2, 11)))
    result = await send(former, hide_rows(content, *range(2, 9)))
    assert (result.created, len(result.problems)) == (2, 1)
    with pytest.raises(InvalidData) as refusal:
        await send(former, hide_rows(content, *range(2, 7)))
    assert refusal.value.staff_text == sheet.TOO_MANY_TEXT


async def test_sheet_with_two_columns_only_in_hidden_rows_is_skipped(former: FormerShop) -> None:
    workbook, content = load_workbook(BytesIO(to_workbook(("Notas",), ("/p/1", "balero")))), BytesIO()
    workbook.create_sheet("Direcciones").append(("/p/2", "yoyo"))
    workbook.save(content)
    assert await send(former, hide_rows(content.getvalue(), 2)) == SheetResult(created=1)
    assert await read_targets(former) == {"/p/2": "yoyo"}


def test_file_whose_rows_are_all_hidden_is_refused_with_the_reason() -> None:
    workbook, content = load_workbook(BytesIO(to_workbook(("/p/1", "balero"), ("/p/2", "yoyo")))), BytesIO()
    workbook.create_sheet("Notas").append(("Nada",))
    workbook.save(content)
    with pytest.raises(InvalidData) as refusal:
        read_sheet(hide_rows(content.getvalue(), 1, 2))
    assert refusal.value.staff_text == f"{sheet.EMPTY_TEXT} {sheet.HIDDEN_ROWS_TEXT.format(n='2')}"


async def test_hidden_rows_decide_neither_the_heading_nor_the_columns(former: FormerShop) -> None:
    hidden = [("/viejo/1", "/viejo/2"), ("balero", "/viejo/3"), ("balero", "/viejo/4")]
    content = to_workbook(hidden[0], ("Dirección", "SKU"), *hidden[1:], ("/p/1", "SKU-balero"))
    result = await send(former, hide_rows(content, 1, 3, 4))
    assert (result.created, [one.line for one in result.problems]) == (1, [1])
    assert await read_targets(former) == {"/p/1": "balero"}


async def test_redirects_beyond_the_limit_are_refused(
    former: FormerShop, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(service, "MAX_REDIRECTS", 2)
    await send(former, "/p/1;balero\n")
    with pytest.raises(NotAllowed):
        await send(former, "/p/2;balero\n/p/3;balero\n")
    await former.redirect("/p/2", former.products["balero"])
    with pytest.raises(NotAllowed):
        await former.redirect("/p/3", former.products["balero"])
    assert set(await read_targets(former)) == {"/p/1", "/p/2"}


async def test_role_without_the_right_is_refused(former: FormerShop) -> None:
    with pytest.raises(Forbidden):
        await import_sheet(former.shop.database, Actor("user_1", Role.STOCKROOM), b"/p/1;balero\n")


async def test_ten_thousand_rows_are_stored(former: FormerShop) -> None:
    content = "".join(f"/p/{number}?id={number};SKU-balero\n" for number in range(10_000))
    assert (await send(former, content)).created == 10_000
    assert await former.visit("/p/9999?id=9999&utm_source=x") == "/product/balero"
