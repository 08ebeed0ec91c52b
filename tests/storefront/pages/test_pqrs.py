"""The page that says how a PQRS stands, to whoever holds its link."""

from backend.app import Shop
from backend.pqrs.service import answer_pqrs, ask, pqrs_path
from backend.rate_limit.limiter import Client
from backend.staff.rights import COMMAND_LINE
from storefront.pages.page_loader import PageParams
from storefront.pages.pqrs import PqrsView, load, load_state

ASKED = {"kind": "queja", "name": "Ana", "email": "ana@example.com", "text": "Nadie contesta el teléfono."}


async def test_the_link_shows_it_and_nothing_else_does(shop: Shop) -> None:
    row = await ask(shop.database, ASKED, client=Client("190.24.1.1"))
    path = pqrs_path(shop.settings.signing_key, row.id)
    shown = (await load_state(PageParams.from_url(path))).content
    assert (shown.id, shown.number, shown.kind, shown.text, shown.answer) == (
        row.id,
        str(row.number),
        "Queja",
        ASKED["text"],
        "",
    )
    async with shop.database.transaction() as session:
        await answer_pqrs(session, COMMAND_LINE, row.id, "Ya contestamos.")
    shown = (await load_state(PageParams.from_url(path))).content
    assert (shown.answer, shown.answered != "") == ("Ya contestamos.", True)
    for wrong in (f"/pqrs/{row.id}", f"{path}x", path.replace(row.id, "pqrs_1")):
        asked = PageParams.from_url(wrong)
        data = await load_state(asked)
        assert (data.content, data.meta.status) == (PqrsView(asked.tail), 404)


async def test_the_form_says_only_what_it_knows(shop: Shop) -> None:
    assert (await load(PageParams.from_url("/pqrs?said=check"))).content.message
    assert (await load(PageParams.from_url("/pqrs?said=<b>"))).content.message == ""
