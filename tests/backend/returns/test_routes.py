"""Files of returns over HTTP."""

import httpx
from sqlalchemy import select

from backend.app import Shop
from backend.returns.models import ReturnFile
from tests.backend.returns.steps import Sold, approved, asked

PAGE = "/oficina/devoluciones"


async def test_a_receipt_is_sent_by_the_owner_and_shown_to_the_staff(
    shop: Shop, admin: httpx.AsyncClient, anyone: httpx.AsyncClient, delivered: Sold
) -> None:
    row = await asked(shop, delivered)
    path, page = f"/admin/return-receipts?id={row.id}", f"{PAGE}/{row.id}"

    async def sent(content: bytes) -> tuple[int, str]:
        answer = await admin.post(path, files={"receipt": content})
        return answer.status_code, answer.headers["location"]

    assert await sent(b"%PDF-1.7") == (303, f"{page}?comprobante=no")  # it is not to be paid yet
    await approved(shop, row, 40_000)
    for wrong in (b"<html>", b"", b"%PDF-" + b"x" * (2 << 20)):
        assert await sent(wrong) == (303, f"{page}?comprobante=no")
    assert (await admin.post(path)).headers["location"] == f"{page}?comprobante=no"
    assert await sent(b"%PDF-1.7") == (303, page)
    stranger = await anyone.post(path, files={"receipt": b"%PDF-1.7"}, headers={"origin": "http://shop.test"})
    assert stranger.status_code == 401
    async with shop.database.read() as session:
        file_id = (await session.execute(select(ReturnFile.id))).scalar_one()
    shown = await admin.get(f"/admin/return-files/{file_id}")
    assert (shown.content, shown.headers["content-type"]) == (b"%PDF-1.7", "application/pdf")
    assert shown.headers["content-disposition"].startswith("attachment")
    assert (await anyone.get(f"/admin/return-files/{file_id}")).status_code == 401
    assert (await admin.get("/admin/return-files/retfile_none")).status_code == 404
