"""`/admin/imports` over HTTP: a spreadsheet, a picture, their results, and the files."""

from io import BytesIO
from pathlib import Path

import httpx
import pytest
from openpyxl import load_workbook
from PIL import Image

from backend.app import Shop
from backend.imports.confirmation import JOB
from backend.imports.spreadsheet_parsing import read_product_file
from tests.attacks import bombs
from tests.attacks.bombs import pack

SHEET = "Nombre;SKU;Precio;Fotos\nTrompo;T-1;18.900;trompo.jpg\nYoyo;Y-1;mucho;\n"


async def send(admin: httpx.AsyncClient, content: bytes, path: str = "/admin/imports") -> httpx.Response:
    return await admin.post(path, files={"file": ("toys.csv", content, "text/csv")})


async def test_spreadsheet_is_imported_over_the_api_and_its_refused_rows_returned(
    admin: httpx.AsyncClient, shop: Shop, tmp_path: Path
) -> None:
    found = (await send(admin, SHEET.encode("cp1252"))).json()["product_import"]
    assert [found[name] for name in ("status", "total", "new", "wrong", "settled")] == ["checked", 2, 0, 2, 0]
    assert [(one["row"], one["column"], one["code"]) for one in found["problems"]] == [
        (2, "pictures", "picture missing"), (3, "price", "cell"),
    ]  # fmt: skip
    picture = BytesIO()
    Image.new("RGB", (400, 300), "red").save(picture, "JPEG")
    answer = await admin.post(
        f"/admin/import-pictures?id={found['id']}",
        files={"file": ("TROMPO.jpg", picture.getvalue(), "image/jpeg")},
    )
    assert answer.json() == {"taken": 1, "refused": [], "left": 0}
    begun = (await admin.post(f"/admin/imports/{found['id']}/confirm")).json()["product_import"]
    assert begun["status"] == "running"
    await shop.worker.run_due(JOB)
    done = (await admin.get(f"/admin/imports/{found['id']}")).json()["product_import"]
    assert [done[name] for name in ("status", "settled", "refused")] == ["done", 2, 1]
    refused = await admin.get(f"/admin/imports/{found['id']}/refused")
    assert [row.texts[0] for row in read_product_file(refused.content).rows] == ["Yoyo"]
    assert (await admin.post(f"/admin/imports/{found['id']}/confirm")).status_code == 400
    assert read_product_file((await admin.get("/admin/imports/template")).content).rows


async def test_unreadable_file_is_reported(admin: httpx.AsyncClient) -> None:
    answer = await send(admin, b"color\nrojo\n")
    assert answer.status_code == 400
    assert answer.json()["message"].startswith("No encontramos los nombres de las columnas")
    assert (await admin.post("/admin/imports", json={})).status_code == 400
    assert (await admin.post("/admin/imports", files={"other": b"x"})).status_code == 400
    assert (await send(admin, b"x", "/admin/import-pictures?id=imp_x")).status_code == 404
    assert (await admin.post("/admin/imports/imp_x/confirm")).status_code == 404


@pytest.mark.parametrize("path", ["/admin/imports", "/admin/products/import", "/admin/uploads"])
async def test_other_spreadsheet_formats_are_refused_with_advice(path: str, admin: httpx.AsyncClient) -> None:
    content = pack({"mimetype": b"application/vnd.oasis.opendocument.spreadsheet"})
    field = "files" if path == "/admin/uploads" else "file"
    answer = await admin.post(path, files={field: ("juguetes.ods", content, "application/octet-stream")})
    assert answer.status_code == 400
    message = answer.json()["message"]
    assert "Es una hoja de LibreOffice (.ods)." in message
    assert "Guardar como → Excel 2007-365 (.xlsx)" in message
    assert "En Numbers: Archivo → Exportar a → Excel." in message


async def test_spreadsheet_beyond_the_limits_is_refused(admin: httpx.AsyncClient) -> None:
    answer = await send(admin, bombs.cells_without_reference())
    assert answer.status_code == 400
    assert answer.json()["message"].startswith("Tiene demasiadas filas")


async def test_import_report_contains_format_losses_and_rows_set_aside(
    admin: httpx.AsyncClient, shop: Shop
) -> None:
    found = (await send(admin, SHEET.replace(";trompo.jpg", ";").encode())).json()["product_import"]
    assert (found["format"], found["losses"], found["set_aside"], found["publish"]) == (
        "trompo",
        0,
        [],
        False,
    )
    problem = found["problems"][0]
    assert [problem[name] for name in ("row", "column", "value")] == [3, "price", "mucho"]
    confirm = f"/admin/imports/{found['id']}/confirm"
    begun = await admin.post(confirm, json={"publish": True, "confirm_losses": False})
    assert begun.json()["product_import"]["publish"] is True
    await shop.worker.run_due(JOB)
    assert (await admin.get("/admin/products?handle=trompo")).json()["products"][0]["status"] == "published"


async def test_import_with_losses_starts_only_with_confirmation(admin: httpx.AsyncClient, shop: Shop) -> None:
    head = b"Nombre;SKU;Precio;Marca\n"
    first = (await send(admin, head + b"Trompo;T-1;18900;Uno\n")).json()["product_import"]
    await admin.post(f"/admin/imports/{first['id']}/confirm")
    await shop.worker.run_due(JOB)
    found = (await send(admin, head + b"Trompo;T-1;18900;\n")).json()["product_import"]
    assert (found["losses"], found["losses_by_column"], found["changes"][0]["losses"]) == (
        1, {"brand": 1}, ["brand"],
    )  # fmt: skip
    confirm = f"/admin/imports/{found['id']}/confirm"
    refused = await admin.post(confirm)
    assert (refused.status_code, refused.json()["type"]) == (400, "not_allowed")
    assert "empty or take away: 1." in refused.json()["message"]
    begun = await admin.post(confirm, json={"confirm_losses": True})
    assert begun.json()["product_import"]["status"] == "running"


async def test_refused_file_discards_the_previous_preview(admin: httpx.AsyncClient) -> None:
    found = (await send(admin, SHEET.encode())).json()["product_import"]
    assert (await send(admin, b"color\nrojo\n")).status_code == 400
    assert (await admin.get(f"/admin/imports/{found['id']}")).status_code == 404


async def test_rows_to_correct_can_be_fetched_as_a_file_before_the_import(admin: httpx.AsyncClient) -> None:
    found = (await send(admin, SHEET.replace(";trompo.jpg", ";").encode())).json()["product_import"]
    refused = await admin.get(f"/admin/imports/{found['id']}/refused")
    sheet = load_workbook(BytesIO(refused.content)).worksheets[0]
    head, row = ([str(cell) for cell in one] for one in sheet.iter_rows(values_only=True))
    assert head[-2:] == ["Qué corregir", "Fila"]
    assert (row[0], row[-1]) == ("Yoyo", "3")
    assert "Precio" in row[-2]


async def test_import_is_stopped_and_continued(admin: httpx.AsyncClient, shop: Shop) -> None:
    found = (await send(admin, SHEET.replace(";trompo.jpg", ";").encode())).json()["product_import"]
    path = f"/admin/imports/{found['id']}"
    assert (await admin.post(f"{path}/stop")).json()["type"] == "not_allowed"
    await admin.post(f"{path}/confirm")
    assert (await admin.post(f"{path}/stop")).json()["product_import"]["status"] == "stopped"
    await shop.worker.run_due(JOB)
    assert (await admin.get(path)).json()["product_import"]["settled"] == 1
    assert (await admin.post(f"{path}/continue")).json()["product_import"]["status"] == "running"
    await shop.worker.run_due(JOB)
    done = (await admin.get(path)).json()["product_import"]
    assert [done[name] for name in ("status", "settled", "refused")] == ["done", 2, 1]


async def test_rows_are_read_in_pages(admin: httpx.AsyncClient) -> None:
    sheet = "Nombre;SKU;Precio\n" + "".join(f"Juguete {n};J-{n};mucho\n" for n in range(60))
    found = (await send(admin, sheet.encode())).json()["product_import"]
    assert len(found["problems"]) == 50
    page = (await admin.get(f"/admin/imports/{found['id']}/rows?kind=problems&offset=50&limit=3")).json()
    assert [page[name] for name in ("count", "offset", "limit")] == [60, 50, 3]
    assert [(row["row"], row["problems"][0]["code"]) for row in page["rows"]] == [
        (52, "cell"), (53, "cell"), (54, "cell"),
    ]  # fmt: skip
    page = (await admin.get(f"/admin/imports/{found['id']}/rows?kind=changes")).json()
    assert (page["rows"], page["count"]) == ([], 0)
    assert (await admin.get(f"/admin/imports/{found['id']}/rows?kind=other")).status_code == 400
