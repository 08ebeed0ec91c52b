"""Stock notices: confirmed addresses are notified once, with several replicas and any changes of stock."""

import asyncio
import re
from dataclasses import dataclass

import httpx
import pytest
from sqlalchemy import select, update

from backend.app import Shop
from backend.catalog.bulk.changes import Action, Change
from backend.catalog.bulk.service import JOB as BULK
from backend.catalog.bulk.service import Selection, start_bulk_change
from backend.catalog.models import Product
from backend.core.clock import now
from backend.core.errors import InvalidData, NotFound, TooManyRequests
from backend.inventory.service import release, reserve, set_stock
from backend.jobs import Worker
from backend.mail.mailer import Mailer
from backend.mail.models import Mail
from backend.rate_limit.limiter import Client
from backend.stock_notices.models import StockNotice
from backend.stock_notices.service import REQUEST_LIMIT, StockNotices, confirm_notice, request_notice
from tests.backend.imports.sender import OWNER, Sender
from tests.backend.mail.conftest import Inbox, inbox, text_of
from tests.store_defaults import Defaults, add_product
from tests.store_steps import post

__all__ = ["inbox"]

OWN_PAGE = {"origin": "http://shop.test"}
ANA, LUIS = "ana@example.com", "luis@example.com"
PATH = "/api/stock-notices"


@dataclass
class Waiting:
    """A sold-out product, and the addresses that wait for it."""

    shop: Shop
    defaults: Defaults
    toy: str
    worker: Worker
    inbox: Inbox
    browser: httpx.AsyncClient

    async def ask(self, email: str, **other: str) -> httpx.Response:
        typed = {"variant_id": self.toy, "email": email, "consent": "on", **other}
        return await self.browser.post(PATH, json=typed, headers=OWN_PAGE)

    async def link(self, button: str) -> dict[str, str]:
        """Send the due mails. Return the id and the token in the `/{button}` link of the newest mail."""
        await self.worker.run_due()
        found = re.search(rf"/{button}\?id=(\w+)&token=(\S+)", text_of(self.inbox.mails[-1]))
        assert found
        return {"id": found[1], "token": found[2]}

    async def press(self, path: str, link: dict[str, str]) -> str:
        answer = await self.browser.post(f"{PATH}/{path}", data=link, headers=OWN_PAGE)
        assert answer.status_code == 303
        return answer.headers["location"]

    async def wait(self, email: str) -> None:
        """Request a notice for the address and confirm it."""
        await self.ask(email)
        assert await self.press("confirm", await self.link("notify")) == "/notify?said=confirmed"
        self.inbox.mails.clear()

    async def stock(self, units: int) -> None:
        async with self.shop.database.transaction() as session:
            await set_stock(session, self.toy, self.defaults.location_id, units)

    async def notified(self) -> list[str]:
        """Send the due mails and empty the inbox. Return the recipients of its stock notices, sorted."""
        await self.worker.run_due()
        recipients = [str(mail["To"]) for mail in self.inbox.mails if mail["Subject"] == "Ya llegó Trompo"]
        self.inbox.mails.clear()
        return sorted(recipients)


@pytest.fixture
async def waiting(shop: Shop, shop_defaults: Defaults, inbox: Inbox, anyone: httpx.AsyncClient) -> Waiting:
    async with shop.database.transaction() as session:
        toy = await add_product(session, shop_defaults, "trompo", stock=0)
    worker = Worker(shop.database, [Mailer(shop.database, shop.settings, inbox), StockNotices(shop.database)])
    return Waiting(shop, shop_defaults, toy, worker, inbox, anyone)


@pytest.fixture
def sender(waiting: Waiting) -> Sender:
    return Sender(waiting.shop, waiting.defaults)


async def test_confirmed_addresses_get_one_stock_notice_and_unconfirmed_ones_none(waiting: Waiting) -> None:
    await waiting.wait(ANA)
    await waiting.ask(LUIS)
    await waiting.worker.run_due()
    await waiting.stock(3)
    assert await waiting.notified() == [ANA]
    await waiting.stock(0)
    await waiting.stock(5)
    assert await waiting.notified() == []


async def test_stock_notice_links_to_the_product_and_to_unsubscribe(waiting: Waiting) -> None:
    await waiting.wait(ANA)
    await waiting.stock(1)
    link = await waiting.link("unsubscribe")
    base = waiting.shop.settings.base_url
    assert f"{base}/product/trompo?variant={waiting.toy}" in text_of(waiting.inbox.mails[-1])
    assert await waiting.press("forget", link) == "/unsubscribe?said=forgotten"
    assert await waiting.press("forget", link) == "/unsubscribe?said=forgotten"
    async with waiting.shop.database.read() as session:
        assert (await session.execute(select(StockNotice.id))).first() is None
    assert await waiting.press("confirm", link) == "/notify?said=gone"


async def test_two_replicas_enqueue_one_stock_notice_per_address(waiting: Waiting) -> None:
    for email in (ANA, LUIS):
        await waiting.wait(email)
    await waiting.stock(1)
    others = [Worker(waiting.shop.database, [StockNotices(waiting.shop.database)]) for _ in range(3)]
    await asyncio.gather(*(other.run_due() for other in others))
    assert await waiting.notified() == [ANA, LUIS]
    async with waiting.shop.database.read() as session:
        noted = select(Mail.id).where(Mail.kind == "back_in_stock")
        assert len((await session.execute(noted)).all()) == 2


async def test_no_stock_notice_is_sent_if_the_units_are_sold_before_it_is_written(waiting: Waiting) -> None:
    await waiting.wait(ANA)
    await waiting.stock(1)
    await Worker(
        waiting.shop.database, [StockNotices(waiting.shop.database)]
    ).run_due()  # enqueued, not written
    async with waiting.shop.database.transaction() as session:
        await reserve(session, "cart_1", {waiting.toy: 1}, now())
    assert await waiting.notified() == []
    async with waiting.shop.database.transaction() as session:
        await release(session, "cart_1")  # the payment failed
    assert await waiting.notified() == [ANA]


async def test_confirmation_with_units_in_stock_notifies_immediately(waiting: Waiting) -> None:
    await waiting.ask(ANA)
    link = await waiting.link("notify")
    await waiting.stock(2)
    await waiting.press("confirm", link)
    await waiting.press("confirm", link)
    assert await waiting.notified() == [ANA]


async def test_no_stock_notice_is_sent_for_a_hidden_product(waiting: Waiting) -> None:
    await waiting.wait(ANA)
    async with waiting.shop.database.transaction() as session:
        await session.execute(update(Product).values(status="draft"))
    await waiting.stock(2)
    assert await waiting.notified() == []


async def test_units_added_by_an_import_send_stock_notices(waiting: Waiting, sender: Sender) -> None:
    await waiting.wait(ANA)
    assert await waiting.notified() == []
    await sender.send_spreadsheet("handle,stock\ntrompo,4\n")
    await sender.run_import()
    assert await waiting.notified() == [ANA]


@pytest.mark.parametrize("by", ["api", "bulk", "sheet"])
async def test_publishing_a_restocked_product_sends_notices(
    waiting: Waiting, sender: Sender, admin: httpx.AsyncClient, by: str
) -> None:
    await waiting.wait(ANA)
    async with waiting.shop.database.transaction() as session:
        await session.execute(update(Product).values(status="draft"))
    await waiting.stock(2)
    assert await waiting.notified() == []
    match by:
        case "api":
            async with waiting.shop.database.read() as session:
                product_id = (await session.execute(select(Product.id))).scalar_one()
            await post(admin, f"/admin/products/{product_id}", {"status": "published"})
        case "bulk":
            async with waiting.shop.database.transaction() as session:
                await start_bulk_change(session, OWNER, Change(Action.PUBLISH), Selection(), now())
            await waiting.shop.worker.run_due(BULK)
        case "sheet":
            await sender.send_spreadsheet("handle,status\ntrompo,published\n")
            await sender.run_import()
    assert await waiting.notified() == [ANA]


async def test_request_for_a_second_stock_notice_requires_confirmation_again(waiting: Waiting) -> None:
    await waiting.wait(ANA)
    await waiting.stock(1)
    assert await waiting.notified() == [ANA]
    await waiting.stock(0)
    await waiting.ask(ANA)  # maybe by another person
    await waiting.worker.run_due()
    waiting.inbox.mails.clear()
    await waiting.stock(1)
    assert await waiting.notified() == []


@pytest.mark.parametrize(
    ("typed", "status", "fields"),
    [
        ({"email": "ana"}, 400, {"email"}),
        ({"consent": ""}, 400, {"consent"}),
        ({"consent": "off", "email": "\x00"}, 400, {"email", "consent"}),
        ({"variant_id": "variant_0"}, 404, set()),
        ({"variant_id": "\x00"}, 400, set()),
    ],
)
async def test_invalid_notice_form_reports_problems(
    waiting: Waiting, typed: dict[str, str], status: int, fields: set[str]
) -> None:
    answer = await waiting.ask(**{"email": ANA, **typed})
    assert (answer.status_code, set(answer.json()["fields"])) == (status, fields)
    async with waiting.shop.database.read() as session:
        assert (await session.execute(select(StockNotice.id))).first() is None


async def test_stock_notice_form_without_scripts_redirects_to_a_result_page(waiting: Waiting) -> None:
    typed = {"variant_id": waiting.toy, "email": ANA, "consent": "on"}
    assert await waiting.press("form", typed) == "/notify?said=sent"
    assert await waiting.press("form", {**typed, "consent": ""}) == "/notify?said=check"
    assert await waiting.press("form", {**typed, "variant_id": "x"}) == "/notify?said=wait"


async def test_link_of_a_stock_notice_is_valid_only_for_that_notice(waiting: Waiting) -> None:
    await waiting.ask(ANA)
    link = await waiting.link("notify")
    for wrong in ({**link, "token": "forged"}, {**link, "id": "stknot_0"}, {"id": link["id"]}):
        assert await waiting.press("confirm", wrong) == "/notify?said=gone"
        assert await waiting.press("forget", wrong) == "/unsubscribe?said=gone"
    with pytest.raises(NotFound):
        await confirm_notice(waiting.shop.database, "another key", link["id"], link["token"])
    elsewhere = await waiting.browser.post(
        f"{PATH}/confirm", data=link, headers={"origin": "https://x.example"}
    )
    assert elsewhere.status_code == 403


async def test_too_many_notice_requests_are_refused(waiting: Waiting) -> None:
    client, database = Client("190.24.1.1"), waiting.shop.database
    typed = {"email": ANA, "consent": True}
    for _turn in range(REQUEST_LIMIT.per_pair):
        await request_notice(database, waiting.toy, typed, client=client)
    with pytest.raises(TooManyRequests):
        await request_notice(database, waiting.toy, typed, client=client)
    with pytest.raises(InvalidData):
        await request_notice(database, waiting.toy, {"email": ANA}, client=client)
    for stranger in range(REQUEST_LIMIT.per_day):  # the limit of all strangers together is not reported
        await request_notice(database, waiting.toy, typed, client=Client(f"190.24.2.{stranger}"))
    await waiting.worker.run_due()
    assert len(waiting.inbox.mails) == 1  # one confirmation mail for all requests
