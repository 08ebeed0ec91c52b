"""Files of returns over HTTP."""

from io import BytesIO

import httpx
import pytest
from fastapi import FastAPI
from PIL import Image
from sqlalchemy import select

from backend.app import Shop
from backend.core.errors import TooManyRequests
from backend.media.uploads import MAX_CLIENT_REQUESTS
from backend.orders.links.tokens import ORDER_LINK
from backend.returns.models import Return, ReturnFile
from backend.returns.routes import RESULT_TEXTS
from tests.backend.returns.steps import Sold, approve_return, request_return
from tests.backend.stalled import open_stalled_uploads

PAGE = "/oficina/devoluciones"


async def test_file_that_the_customer_sends_for_a_return_is_readable_by_staff(
    shop: Shop, admin: httpx.AsyncClient, anyone: httpx.AsyncClient, delivered: Sold
) -> None:
    row = await request_return(shop, delivered)
    path, page = f"/admin/return-receipts?id={row.id}", f"{PAGE}/{row.id}"

    async def sent(content: bytes) -> tuple[int, str]:
        answer = await admin.post(path, files={"receipt": content})
        return answer.status_code, answer.headers["location"]

    assert await sent(b"%PDF-1.7") == (303, f"{page}?comprobante=no")  # it is not approved yet
    await approve_return(shop, row, 40_000)
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


class TestAsking:
    @staticmethod
    def path(shop: Shop, of: Sold) -> str:
        return (
            f"/api/returns?id={of.order_id}&token={ORDER_LINK.token(shop.settings.signing_key, of.order_id)}"
        )

    @staticmethod
    def result_of(answer: httpx.Response) -> str:
        assert answer.status_code == 303, answer.text
        page, _hash, part = answer.headers["location"].partition("#")
        assert part == "devoluciones"
        return str(page).partition("&said=")[2]

    async def test_return_request_with_pictures_requires_the_token_of_the_order(
        self, shop: Shop, anyone: httpx.AsyncClient, delivered: Sold
    ) -> None:
        own = {"origin": "http://shop.test"}
        path = self.path(shop, delivered)

        async def sent(*pictures: bytes, units: int = 1) -> str:
            files = [("pictures", (f"{n}.png", content)) for n, content in enumerate(pictures)]
            typed = delivered.form_fields("warranty", units, reason="No gira.")
            return self.result_of(
                await anyone.post(path, data=typed, files=files or [("pictures", ("", b""))], headers=own)
            )

        assert await sent(b"<svg/>") == "picture"
        assert await sent(*[png()] * 4) == "picture"
        assert await sent(png(), units=7) == "check"
        async with shop.database.read() as session:
            assert (await session.execute(select(Return.id))).first() is None
        assert await sent(png(), png()) == "asked"
        assert await sent() == "asked"
        assert await sent() == "late"
        async with shop.database.read() as session:
            files = (await session.execute(select(ReturnFile))).scalars().all()
            assert {(file.purpose, file.media_type, file.content[:4]) for file in files} == {
                ("picture", "image/webp", b"RIFF")
            }
            assert len(files) == 2
        assert await sent() == "wait"

    async def test_json_answer_names_the_problem_of_each_field(
        self, shop: Shop, anyone: httpx.AsyncClient, delivered: Sold
    ) -> None:
        headers = {"origin": "http://shop.test", "accept": "application/json"}

        async def sent(content: bytes = b"", /, **changes: str) -> tuple[int, str, set[str]]:
            typed = {**delivered.form_fields("warranty", 1, reason="No gira."), **changes}
            files = [("pictures", ("a.png", content))]
            answer = await anyone.post(self.path(shop, delivered), data=typed, files=files, headers=headers)
            body = answer.json()
            assert all(body["fields"].values())
            return answer.status_code, body["message"], set(body["fields"])

        assert await sent(b"<svg/>") == (400, RESULT_TEXTS["picture"], {"pictures"})
        assert await sent(account_number="x", bank="") == (
            400,
            RESULT_TEXTS["check"],
            {"account_number", "bank"},
        )
        assert await sent(reason="") == (400, RESULT_TEXTS["check"], {"reason"})
        units = next(name for name in delivered.form_fields("warranty", 1) if name.startswith("units-"))
        assert await sent(b"", **{units: "900"}) == (400, RESULT_TEXTS["check"], {units})
        assert await sent(b"", **{units: "0"}) == (400, RESULT_TEXTS["check"], {"units"})

    async def test_slow_uploads_do_not_block_staff_or_other_customers(
        self, shop: Shop, api: FastAPI, anyone: httpx.AsyncClient, admin: httpx.AsyncClient, delivered: Sold
    ) -> None:
        path, own = self.path(shop, delivered), {"origin": "http://shop.test"}
        async with open_stalled_uploads([anyone] * 6, path, own) as forms:
            assert [form.read.is_set() for form in forms] == [True] * MAX_CLIENT_REQUESTS + [False] * 4
            assert {self.result_of(await form.answer) for form in forms[MAX_CLIENT_REQUESTS:]} == {"wait"}
            uploaded = await admin.post("/admin/uploads", files={"files": ("a.png", png())})
            assert uploaded.status_code == 200, uploaded.text
            other = httpx.ASGITransport(api, client=("190.24.9.9", 1))
            async with httpx.AsyncClient(transport=other, base_url="http://shop.test") as customer:
                answer = await customer.post(
                    path,
                    data=delivered.form_fields("warranty", 1, reason="No gira."),
                    files={"pictures": ("a.png", png())},
                    headers=own,
                )
                assert self.result_of(answer) == "asked"
                async with open_stalled_uploads([customer], path, own) as [last]:
                    assert last.read.is_set()
                    for client in ("190.24.9.9", "190.24.9.10"):
                        with pytest.raises(TooManyRequests), shop.uploads.reserve_customer_slot(client):
                            pass
        with (
            shop.uploads.reserve_customer_slot("190.24.9.9"),
            shop.uploads.reserve_customer_slot("190.24.9.9"),
        ):
            pass  # all upload places are free again

    async def test_return_form_is_not_parsed_if_no_return_is_possible(
        self, shop: Shop, anyone: httpx.AsyncClient, delivered: Sold
    ) -> None:
        path, own = self.path(shop, delivered), {"origin": "http://shop.test"}
        typed = delivered.form_fields("warranty", 2, reason="No giran.")
        assert self.result_of(await anyone.post(path, data=typed, headers=own)) == "asked"
        async with open_stalled_uploads([anyone], path, own) as [form]:
            assert not form.read.is_set()
            assert self.result_of(await form.answer) == "late"

    async def test_return_request_without_a_valid_token_is_refused(
        self, shop: Shop, anyone: httpx.AsyncClient, delivered: Sold
    ) -> None:
        path, typed = self.path(shop, delivered), delivered.form_fields("withdrawal")
        other_page = await anyone.post(path, data=typed, headers={"origin": "https://evil.example"})
        assert other_page.status_code == 403
        for wrong in (path[:-1], path.partition("&")[0], "/api/returns"):
            answer = await anyone.post(wrong, data=typed, headers={"origin": "http://shop.test"})
            assert answer.status_code == 404
        async with shop.database.read() as session:
            assert (await session.execute(select(Return.id))).first() is None


def png() -> bytes:
    content = BytesIO()
    Image.new("RGB", (40, 30), "#cc3344").save(content, "PNG")
    return content.getvalue()
