"""Who may review what, once, and what happens to a link that is misused."""

import asyncio
from datetime import timedelta
from io import BytesIO
from typing import Any

import httpx
import pytest
from PIL import Image
from sqlalchemy import delete, select, update

from backend.app import Shop
from backend.core.errors import Conflict, InvalidData, NotAllowed
from backend.customers.models import Customer
from backend.jobs import JobRun
from backend.jobs.models import Job
from backend.mail.messages import message_of
from backend.mail.models import SEND, Mail, MailKind
from backend.operations.table_registry import all_tables
from backend.operations.tidy.orphan_pictures import find_orphans
from backend.orders.links.tokens import ORDER_LINK
from backend.orders.models import Fulfillment, Order, OrderLine
from backend.reviews.models import Review
from backend.reviews.page_links import review_links
from backend.reviews.review_requests import ASK, ReviewRequests
from backend.reviews.reviewable_products import OPEN_FOR
from backend.reviews.submission import LONGEST_TEXT, read_review
from backend.reviews.tokens import review_path
from backend.storefront_views.account_page import own_orders
from tests.backend.returns.steps import Sold, send, sold
from tests.backend.reviews.steps import TYPED, age, arrived, refused, shown, written
from tests.backend.stalled import stalled
from tests.store_defaults import Defaults, make_toy

OWN = {"origin": "http://shop.test"}


def jpeg() -> bytes:
    content = BytesIO()
    Image.new("RGB", (400, 500), "teal").save(content, "JPEG")
    return content.getvalue()


async def reviews(shop: Shop) -> list[Review]:
    async with shop.database.read() as session:
        return list((await session.execute(select(Review))).scalars())


class TestAsking:
    async def test_the_buyer_is_asked_once_after_all_has_arrived(
        self, shop: Shop, store: httpx.AsyncClient, admin: httpx.AsyncClient, shop_defaults: Defaults
    ) -> None:
        async with shop.database.transaction() as session:
            toy = await make_toy(session, shop_defaults, "trompo", stock=5)
        of = await sold(shop, store, admin, toy)
        requests = ReviewRequests(shop.database)

        async def ask() -> list[str]:
            await requests.ask(JobRun(1, ASK, of.order_id, {}, 1))
            async with shop.database.read() as session:
                asked = select(Mail.about).where(Mail.kind == MailKind.REVIEWS_ASKED)
                return list((await session.execute(asked)).scalars())

        first = await send(admin, of, 1)
        await arrived(shop, of, first)
        assert await ask() == []  # the other one is still here
        await arrived(shop, of, await send(admin, of, 1))
        async with shop.database.read() as session:
            jobs = (await session.execute(select(Job.key).where(Job.kind == ASK))).scalars().all()
        assert jobs == [of.order_id]
        assert await ask() == [of.order_id]
        assert await ask() == [of.order_id]
        await requests.ask(JobRun(1, ASK, "order_none", {}, 1))

    async def test_the_mail_leads_to_each_toy(self, shop: Shop, bought: Sold) -> None:
        await ReviewRequests(shop.database).ask(JobRun(1, ASK, bought.order_id, {}, 1))
        async with shop.database.read() as session:
            mail = (
                await session.execute(select(Mail).where(Mail.kind == MailKind.REVIEWS_ASKED))
            ).scalar_one()
            message = await message_of(session, shop.settings, mail)
        assert message is not None
        link = shop.settings.base_url + review_path(shop.settings.signing_key, bought.line_id)
        assert message.values["toys"] == [("Trompo", link)]
        await age(shop, bought, OPEN_FOR.days)
        async with shop.database.read() as session:
            assert await message_of(session, shop.settings, mail) is None  # too late to be of use
            assert (await session.execute(select(Job).where(Job.kind == SEND, Job.key == mail.id))).first()


class TestWriting:
    async def test_by_a_buyer_who_signs_with_an_initial(self, shop: Shop, bought: Sold) -> None:
        row = await written(shop, bought)
        assert (row.stars, row.text, row.state) == (4, "Gira muy bien y no se\ndespica.", "waiting")
        async with shop.database.read() as session:
            address = (await session.execute(select(Order.shipping_address))).scalar_one()
        assert row.name == f"{address['first_name'].split()[0]} {address['last_name'][0]}."

    async def test_it_is_one_and_may_be_changed_until_it_is_read(self, shop: Shop, bought: Sold) -> None:
        await asyncio.gather(*(written(shop, bought, stars=str(n)) for n in (1, 2, 3)))
        row = await written(shop, bought, "/pictures/0a/a.webp", stars="2")
        row = await written(shop, bought, stars="5")
        assert [(one.stars, one.pictures) for one in await reviews(shop)] == [(5, ["/pictures/0a/a.webp"])]
        await shown(shop, row)
        with pytest.raises(Conflict):
            await written(shop, bought, stars="1")
        await refused(shop, row)
        with pytest.raises(Conflict):
            await written(shop, bought, stars="1")
        assert [one.stars for one in await reviews(shop)] == [5]

    @pytest.mark.parametrize(
        "change",
        [
            update(Order).values(status="canceled"),
            update(Order).values(payment_status="refunded"),
            update(OrderLine).values(returned=2),
            update(OrderLine).values(withdrawn=1, returned=1),
        ],
    )
    async def test_not_of_what_was_cancelled_or_went_back(
        self, shop: Shop, bought: Sold, change: Any
    ) -> None:
        async with shop.database.transaction() as session:
            await session.execute(change)
        with pytest.raises(NotAllowed):
            await written(shop, bought)

    async def test_not_before_it_arrived_nor_long_after(
        self, shop: Shop, admin: httpx.AsyncClient, store: httpx.AsyncClient, shop_defaults: Defaults
    ) -> None:
        async with shop.database.transaction() as session:
            toy = await make_toy(session, shop_defaults, "trompo", stock=5)
        of = await sold(shop, store, admin, toy)
        with pytest.raises(NotAllowed):
            await written(shop, of)
        await arrived(shop, of, await send(admin, of), days_ago=OPEN_FOR.days)
        with pytest.raises(NotAllowed):
            await written(shop, of)
        await age(shop, of, OPEN_FOR.days - 1)
        assert (await written(shop, of)).stars == 4

    @pytest.mark.parametrize(
        ("name", "value"),
        [
            ("stars", "0"),
            ("stars", "6"),
            ("stars", "4.5"),
            ("stars", None),
            ("text", "corto"),
            ("text", "x" * (LONGEST_TEXT + 1)),
            ("consent", ""),
        ],
    )
    def test_what_is_wrong_is_named(self, name: str, value: Any) -> None:
        with pytest.raises(InvalidData) as wrong:
            read_review({**TYPED, name: value})
        assert list(wrong.value.fields) == [name]


class TestWhereTheBuyerSeesIt:
    async def test_the_pages_of_an_order_lead_to_what_may_be_reviewed(
        self, shop: Shop, admin: httpx.AsyncClient, store: httpx.AsyncClient, shop_defaults: Defaults
    ) -> None:
        async with shop.database.transaction() as session:
            toy = await make_toy(session, shop_defaults, "trompo", stock=5, price=40_000)
        of = await sold(shop, store, admin, toy)
        token = ORDER_LINK.token(shop.settings.signing_key, of.order_id)

        async with shop.database.transaction() as session:
            ana = Customer(email="ana@example.com")
            session.add(ana)
            await session.flush()
            await session.execute(update(Order).values(customer_id=ana.id))

        async def links() -> list[tuple[str, bool]]:
            order = await shop.placed_orders.page(of.order_id, token)
            async with shop.database.read() as session:
                (own,) = await own_orders(session, shop.settings.signing_key, ana.id)
            assert [line.review for line in order.lines if line.review] == own.reviews
            return [(link.page, link.is_written) for link in own.reviews]

        assert await links() == []
        await arrived(shop, of, await send(admin, of))
        page = review_path(shop.settings.signing_key, of.line_id)
        assert await links() == [(page, False)]
        row = await written(shop, of)
        assert await links() == [(page, True)]
        await shown(shop, row)
        assert await links() == []

    async def test_a_toy_of_two_lines_once(self, shop: Shop, bought: Sold) -> None:
        async with shop.database.transaction() as session:
            line = (await session.execute(select(OrderLine))).scalar_one()
            other = OrderLine(**{**line.model_dump(), "id": f"{line.id}Z"})
            session.add(other)
            await session.execute(
                update(Fulfillment).values(
                    items=[{"line_item_id": one, "quantity": 1} for one in (line.id, other.id)]
                )
            )
            order = (await session.execute(select(Order))).scalar_one()
            offered = await review_links(session, shop.settings.signing_key, [order])
        assert [link.line_id for link in offered[order.id]] == [bought.line_id]


class TestLink:
    async def test_the_form_with_pictures(
        self, shop: Shop, anyone: httpx.AsyncClient, bought: Sold, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        page = review_path(shop.settings.signing_key, bought.line_id)
        path = page.replace(f"/review/{bought.line_id}?", f"/api/reviews?id={bought.line_id}&")

        async def sent(*pictures: bytes, **other: str) -> str:
            files = [("pictures", (f"{n}.jpg", content)) for n, content in enumerate(pictures)]
            answer = await anyone.post(
                path, data={**TYPED, **other}, files=files or [("pictures", ("", b""))], headers=OWN
            )
            assert answer.status_code == 303, answer.text
            there, _mark, said = answer.headers["location"].partition("&said=")
            assert there == page
            return str(said)

        assert await sent(stars="9") == "check"
        assert await reviews(shop) == []
        assert await sent(b"<svg/>", text="Lo que escribí no se pierde.") == "picture"
        (row,) = await reviews(shop)
        assert (row.text, row.pictures) == ("Lo que escribí no se pierde.", [])
        assert await sent(*[jpeg()] * 4) == "picture"
        assert await sent(jpeg(), text="<script>alert(1)</script> muy bueno") == "saved"
        (row,) = await reviews(shop)
        assert row.text == "<script>alert(1)</script> muy bueno"  # pages escape it
        (url,) = row.pictures
        assert (await anyone.get(url)).headers["content-type"] == "image/webp"
        monkeypatch.setattr("backend.operations.tidy.orphan_pictures.YOUNG", -timedelta(hours=1))
        assert (await find_orphans(shop.database, shop.pictures, all_tables())).names == ()
        for wrong in (path[:-1], "/api/reviews", path.replace(bought.line_id, "ordli_1")):
            assert (await anyone.post(wrong, data=TYPED, headers=OWN)).status_code == 404
        stranger = await anyone.post(path, data=TYPED, headers={"origin": "https://evil.example"})
        assert stranger.status_code == 403
        await shown(shop, row)
        assert await sent() == "closed"
        async with stalled([anyone], path, OWN) as [form]:
            assert not form.read.is_set()  # nothing of it is read
            assert (await form.answer).headers["location"] == f"{page}&said=closed"
        assert await sent() == "wait"  # the seventh within the window
        async with shop.database.transaction() as session:
            await session.execute(delete(Review))
        assert (await find_orphans(shop.database, shop.pictures, all_tables())).names
