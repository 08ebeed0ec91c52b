"""Tests of a PQRS's status page, which only its signed link opens."""

from backend.app import Shop
from backend.pqrs.service import answer_pqrs, pqrs_path, send_pqrs
from backend.rate_limit.limiter import Client
from backend.staff.rights import COMMAND_LINE
from storefront.pages.page_loader import PageParams
from storefront.pages.pqrs import PqrsView, load, load_status

FORM = {"kind": "queja", "name": "Ana", "email": "ana@example.com", "text": "Nadie contesta el teléfono."}


async def test_pqrs_is_shown_only_by_its_signed_link(shop: Shop) -> None:
    row = await send_pqrs(shop.database, FORM, client=Client("190.24.1.1"))
    path = pqrs_path(shop.settings.signing_key, row.id)
    shown = (await load_status(PageParams.from_url(path))).content
    assert (shown.id, shown.number, shown.kind, shown.text, shown.answer) == (
        row.id,
        str(row.number),
        "Queja",
        FORM["text"],
        "",
    )
    async with shop.database.transaction() as session:
        await answer_pqrs(session, COMMAND_LINE, row.id, "Ya contestamos.")
    shown = (await load_status(PageParams.from_url(path))).content
    assert (shown.answer, shown.answered_label != "") == ("Ya contestamos.", True)
    for wrong in (f"/pqrs/{row.id}", f"{path}x", path.replace(row.id, "pqrs_1")):
        params = PageParams.from_url(wrong)
        data = await load_status(params)
        assert (data.content, data.meta.status) == (PqrsView(params.last_part), 404)


async def test_pqrs_form_shows_only_known_messages(shop: Shop) -> None:
    assert (await load(PageParams.from_url("/pqrs?said=check"))).content.message
    assert (await load(PageParams.from_url("/pqrs?said=<b>"))).content.message == ""
