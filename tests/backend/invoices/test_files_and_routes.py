"""The accountant's files have the numbered documents, and the Admin API lists and retries documents."""

import csv
import re
from datetime import date
from io import BytesIO, StringIO
from typing import Any

import httpx
from PIL import Image
from pypdf import PageObject, PdfReader
from sqlalchemy import select

from backend.app import Shop
from backend.content.areas import Area, BrandBody
from backend.content.palette import Palette, derive_variables
from backend.content.versions import save_content
from backend.exports.service import JOB, open_export_file, request_export
from backend.invoices.creation import ISSUE
from backend.invoices.pdf import DEMO_BAR_COLOR, build_document_pdf
from backend.mail.messages import compose_message
from backend.mail.models import Mail
from backend.media.uploads import SentFile
from backend.office_settings import save_settings
from backend.orders.links.tokens import ORDER_LINK
from backend.pricing import Adjustment
from backend.staff.rights import COMMAND_LINE
from backend.storefront_views.order_page import order_view
from tests.backend.invoices.desk import (
    BOOK,
    OWNER,
    book_refund,
    enable_invoices,
    list_documents,
    place_paid_order,
)
from tests.backend.invoices.sample import NOTE
from tests.store_defaults import Defaults
from tests.store_steps import get, post

EVIL = '=HYPERLINK("http://evil.example")'
ALWAYS = (date(2026, 1, 1), date(2040, 1, 1))


async def export_rows(shop: Shop, kind: str) -> list[dict[str, str]]:
    async with shop.database.transaction() as session:
        export_id = await request_export(session, OWNER, kind, "csv", ALWAYS)
    await shop.worker.run_due(JOB)
    file = await open_export_file(shop.database, OWNER, export_id)
    content = b"".join([piece async for piece in file.pieces]).decode("utf-8-sig")
    return list(csv.DictReader(StringIO(content, newline=""), delimiter=";"))


async def test_exported_files_contain_all_numbered_documents_and_their_lines(
    shop: Shop, shop_defaults: Defaults
) -> None:
    await enable_invoices(shop)
    sold = await place_paid_order(
        shop, shipping=11_900, adjustments=[Adjustment(38_000, "trompo")], titles={"trompo": EVIL}
    )
    await book_refund(shop, sold, 20_000, {"book": 1})
    assert await export_rows(shop, "invoices") == []  # no document has a number yet
    await shop.worker.run_due(ISSUE)
    invoice, note = await export_rows(shop, "invoices")
    assert {name: invoice[name] for name in ("Tipo", "Prefijo", "Número", "Resolución", "Documento")} == {
        "Tipo": "Factura", "Prefijo": "SETP", "Número": "990000000", "Resolución": "18760000001",
        "Documento": "222222222222",
    }  # fmt: skip
    amounts = ("Base 0 %", "IVA 0 %", "Base 19 %", "IVA 19 %", "Descuentos", "Base", "IVA", "Total")
    assert [invoice[name] for name in amounts] == [
        "20000", "0", "178067", "33833", "31933", "198067", "33833", "231900",
    ]  # fmt: skip
    assert (note["Tipo"], note["Número"], note["Corrige la factura"], note["Total"]) == (
        "Nota crédito", "1", "SETP990000000", "20000",
    )  # fmt: skip
    lines = await export_rows(shop, "invoice_lines")
    assert [(line["Descripción"], line["Cantidad"], line["Total"]) for line in lines] == [
        ("book", "1", "20000"),
        (f"'{EVIL}", "2", "200000"),
        ("Envío", "1", "11900"),
        ("book", "1", "20000"),
    ]


async def test_admin_api_lists_and_retries_documents(
    shop: Shop, admin: httpx.AsyncClient, shop_defaults: Defaults
) -> None:
    await enable_invoices(shop, first="5", last="5")
    sold, other = await place_paid_order(shop), await place_paid_order(shop)
    await shop.worker.run_due(ISSUE)
    listed = await get(admin, "/admin/invoices?state=issued")
    (one,) = listed["invoices"]
    assert (listed["count"], one["number"], one["order_id"], one["amount"]) == (
        1, "SETP5", f"order_{sold.number}", 258_000,
    )  # fmt: skip
    assert (await get(admin, f"/admin/invoices/{one['id']}"))["invoice"] == one
    waiting = (await get(admin, f"/admin/invoices?order_id=order_{other.number}"))["invoices"][0]
    assert (waiting["state"], waiting["number"]) == ("pending", "")
    await enable_invoices(shop, first="5", last="6")
    again = (await post(admin, f"/admin/invoices/{waiting['id']}/retry", {}))["invoice"]
    assert again["state"] == "pending"
    await shop.worker.run_due(ISSUE)
    assert [row.full_number for row in await list_documents(shop)] == ["SETP5", "SETP6"]
    for path, status in ((f"/admin/invoices/{one['id']}/retry", 409), ("/admin/invoices/inv_no/retry", 404)):
        assert (await admin.post(path, json={})).status_code == status
    assert (await admin.get("/admin/invoices/inv_no")).status_code == 404


async def test_invoice_pdf_is_readable_only_by_staff_and_holders_of_the_order_link(
    shop: Shop, admin: httpx.AsyncClient, anyone: httpx.AsyncClient, shop_defaults: Defaults
) -> None:
    await enable_invoices(shop, shop.invoices.providers["ubl"])
    sold, other = await place_paid_order(shop), await place_paid_order(shop)
    row = next(one for one in await list_documents(shop) if one.order_id == f"order_{sold.number}")
    assert (await admin.get(f"/admin/invoices/{row.id}/pdf")).status_code == 404  # it is not issued yet
    await shop.worker.run_due(ISSUE)
    pdf = await admin.get(f"/admin/invoices/{row.id}/pdf")
    assert (pdf.status_code, pdf.headers["content-type"], pdf.content[:5]) == (
        200,
        "application/pdf",
        b"%PDF-",
    )
    assert (
        "SIN VALIDEZ FISCAL" in PdfReader(BytesIO(pdf.content)).pages[0].extract_text()
    )  # the sandbox issued it
    token = ORDER_LINK.token(shop.settings.signing_key, f"order_{sold.number}")
    xml = await anyone.get(f"/api/invoices/{row.id}/xml?token={token}")
    assert (xml.status_code, xml.headers["cache-control"]) == (200, "no-store")
    made = next(one for one in await list_documents(shop) if one.id == row.id)
    assert xml.headers["content-disposition"] == f'attachment; filename="{made.full_number}.xml"'
    assert xml.content == made.xml
    wrong = ORDER_LINK.token(shop.settings.signing_key, f"order_{other.number}")
    for path in (
        f"/api/invoices/{row.id}/xml",
        f"/api/invoices/{row.id}/xml?token={wrong}",
        f"/api/invoices/{row.id}/exe?token={token}",
        f"/api/invoices/inv_no/xml?token={token}",
    ):
        assert (await anyone.get(path)).status_code == 404, path
    assert (await anyone.get(f"/admin/invoices/{row.id}/xml")).status_code == 401
    async with shop.database.read() as session:
        view = await order_view(session, shop.settings, f"order_{sold.number}")
        mail = (await session.execute(select(Mail).where(Mail.about == row.id))).scalar_one()
        message = await compose_message(session, shop.settings, mail)
    assert [(one.id, one.code_name) for one in view.invoices] == [(row.id, "CUFE")]
    assert message is not None
    assert message.to == f"{sold.number}@example.com"
    assert message.values["pdf_link"].endswith(f"/api/invoices/{row.id}/pdf?token={token}")


async def test_invoice_pdf_has_the_shops_logo_and_font(
    shop: Shop, admin: httpx.AsyncClient, shop_defaults: Defaults
) -> None:
    await enable_invoices(shop, shop.invoices.providers["ubl"])
    await place_paid_order(shop)
    await shop.worker.run_due(ISSUE)
    [row] = await list_documents(shop)

    async def read_page() -> PageObject:
        answer = await admin.get(f"/admin/invoices/{row.id}/pdf")
        return PdfReader(BytesIO(answer.content)).pages[0]

    assert len((await read_page()).images) == 0
    content = BytesIO()
    Image.new("RGBA", (300, 100), (10, 20, 200, 255)).save(content, "PNG")
    sent = SentFile("logo.png", len(content.getvalue()), content)
    logo = await shop.uploads.store_brand_picture(COMMAND_LINE, sent)
    async with shop.database.transaction() as session:
        await save_content(session, COMMAND_LINE, Area.BRAND, BrandBody(logo=logo.url, font="serif"), seen=0)
    page = await read_page()
    resources: Any = page["/Resources"]
    fonts = {font.get_object()["/BaseFont"] for font in resources["/Font"].values()}
    assert fonts >= {"/Times-Bold", "/Helvetica"}
    assert [image.image.size for image in page.images if image.image] == [(300, 100)]
    assert row.full_number in page.extract_text()


async def test_invoice_pdf_of_another_shop_has_nothing_of_the_demos_brand(
    shop: Shop, admin: httpx.AsyncClient, shop_defaults: Defaults
) -> None:
    own = {
        "store_name": "Macondo",
        "store_legal_name": "Libros Macondo S.A.S.",
        "store_nit": "901.555.444-7",
        "store_email": "hola@macondo.example",
    }
    colors = {"primary": "#0b3d91", "secondary": "#0f5132", "background": "#f0f4ff", "text_color": "#111111"}
    async with shop.database.transaction() as session:
        await save_settings(session, COMMAND_LINE, own)
        await save_content(session, COMMAND_LINE, Area.BRAND, BrandBody(**colors), seen=0)
    await enable_invoices(shop, shop.invoices.providers["ubl"])
    await place_paid_order(shop, BOOK)
    await shop.worker.run_due(ISSUE)
    [row] = await list_documents(shop)
    answer = await admin.get(f"/admin/invoices/{row.id}/pdf")
    page = PdfReader(BytesIO(answer.content)).pages[0]
    text = page.extract_text()
    assert "Libros Macondo S.A.S." in text
    assert "hola@macondo.example" in text
    found = re.search("(?i).{0,40}(trompo|juguete).{0,40}", text)
    assert found is None, found[0]
    contents = page.get_contents()
    assert contents is not None
    colors_set = re.findall(r"([\d.]+) ([\d.]+) ([\d.]+) rg", contents.get_data().decode("latin-1"))
    painted = [tuple(round(float(part) * 255) for part in color) for color in colors_set]
    bar, demo_bar = (
        tuple(bytes.fromhex(color[1:]))
        for color in (derive_variables(Palette(*colors.values()))["paper-deep"], DEMO_BAR_COLOR)
    )
    assert bar in painted
    assert demo_bar not in painted


async def test_documents_issued_by_the_accountant_are_not_shown_to_customers(
    shop: Shop, shop_defaults: Defaults
) -> None:
    await enable_invoices(shop)
    sold = await place_paid_order(shop)
    await shop.worker.run_due(ISSUE)
    (row,) = await list_documents(shop)
    assert (row.state, row.code) == ("issued", "")
    async with shop.database.read() as session:
        view = await order_view(session, shop.settings, f"order_{sold.number}")
        mails = (await session.execute(select(Mail).where(Mail.about == row.id))).all()
    assert (view.invoices, mails) == ([], [])


def test_letters_with_a_stroke_are_printed_as_plain_letters() -> None:
    content = build_document_pdf(NOTE, "c" * 96, "")
    assert "Lukasz & Hijos <SAS>" in PdfReader(BytesIO(content)).pages[0].extract_text()
