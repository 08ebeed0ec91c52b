"""Submission of reviews: conditions, one per product, and misuse of links."""

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
from backend.mail.messages import compose_message
from backend.mail.models import SEND, Mail, MailKind
from backend.operations.table_registry import all_tables
from backend.operations.tidy.orphan_pictures import find_orphans
from backend.orders.links.tokens import ORDER_LINK
from backend.orders.models import Fulfillment, Order, OrderLine
from backend.reviews.models import Review
from backend.reviews.page_links import review_links
from backend.reviews.review_requests import REQUEST_JOB, ReviewRequests
from backend.reviews.reviewable_products import REVIEW_PERIOD
from backend.reviews.submission import MAX_TEXT_LENGTH, read_review
from backend.reviews.tokens import review_path
from backend.storefront_views.account_page import list_customer_orders
from tests.backend.returns.steps import Sold, pack_units, place_paid_order
from tests.backend.reviews.steps import TYPED, approve, deliver, reject, set_delivery_age, submit_review
from tests.backend.stalled import open_stalled_uploads
from tests.store_defaults import Defaults, add_product

OWN = {"origin": "http://shop.test"}


def jpeg() -> bytes:
    content = BytesIO()
    Image.new("RGB", (400, 500), "teal").save(content, "JPEG")
    return content.getvalue()


async def reviews(shop: Shop) -> list[Review]:
    async with shop.database.read() as session:
        return list((await session.execute(select(Review))).scalars())


class TestAsking:
    async def test_customer_is_asked_for_a_review_once_when_all_units_are_delivered(
        self, shop: Shop, store: httpx.AsyncClient, admin: httpx.AsyncClient, shop_defaults: Defaults
    ) -> None:
        async with shop.database.transaction() as session:
            toy = await add_product(session, shop_defaults, "trompo", stock=5)
        of = await place_paid_order(shop, store, admin, toy)
        requests = ReviewRequests(shop.database)

        async def ask() -> list[str]:
            await requests.request_reviews(JobRun(1, REQUEST_JOB, of.order_id, {}, 1))
            async with shop.database.read() as session:
                asked = select(Mail.about).where(Mail.kind == MailKind.REVIEWS_ASKED)
                return list((await session.execute(asked)).scalars())

        first = await pack_units(admin, of, 1)
        await deliver(shop, of, first)
        assert await ask() == []  # the other unit was not delivered yet
        await deliver(shop, of, await pack_units(admin, of, 1))
        async with shop.database.read() as session:
            jobs = (await session.execute(select(Job.key).where(Job.kind == REQUEST_JOB))).scalars().all()
        assert jobs == [of.order_id]
        assert await ask() == [of.order_id]
        assert await ask() == [of.order_id]
        await requests.request_reviews(JobRun(1, REQUEST_JOB, "order_none", {}, 1))

    async def test_review_mail_links_to_each_product(self, shop: Shop, bought: Sold) -> None:
        await ReviewRequests(shop.database).request_reviews(JobRun(1, REQUEST_JOB, bought.order_id, {}, 1))
        async with shop.database.read() as session:
            mail = (
                await session.execute(select(Mail).where(Mail.kind == MailKind.REVIEWS_ASKED))
            ).scalar_one()
            message = await compose_message(session, shop.settings, mail)
        assert message is not None
        link = shop.settings.base_url + review_path(shop.settings.signing_key, bought.line_id)
        assert message.values["products"] == [("Trompo", link)]
        await set_delivery_age(shop, bought, REVIEW_PERIOD.days)
        async with shop.database.read() as session:
            assert await compose_message(session, shop.settings, mail) is None  # too late: no mail is sent
            assert (await session.execute(select(Job).where(Job.kind == SEND, Job.key == mail.id))).first()


class TestWriting:
    async def test_review_shows_first_name_and_initial(self, shop: Shop, bought: Sold) -> None:
        row = await submit_review(shop, bought)
        assert (row.stars, row.text, row.state) == (4, "Gira muy bien y no se\ndespica.", "waiting")
        async with shop.database.read() as session:
            address = (await session.execute(select(Order.shipping_address))).scalar_one()
        assert row.name == f"{address['first_name'].split()[0]} {address['last_name'][0]}."

    async def test_review_can_be_changed_until_staff_approve_or_reject_it(
        self, shop: Shop, bought: Sold
    ) -> None:
        await asyncio.gather(*(submit_review(shop, bought, stars=str(n)) for n in (1, 2, 3)))
        row = await submit_review(shop, bought, "/pictures/0a/a.webp", stars="2")
        row = await submit_review(shop, bought, stars="5")
        assert [(one.stars, one.pictures) for one in await reviews(shop)] == [(5, ["/pictures/0a/a.webp"])]
        await approve(shop, row)
        with pytest.raises(Conflict):
            await submit_review(shop, bought, stars="1")
        await reject(shop, row)
        with pytest.raises(Conflict):
            await submit_review(shop, bought, stars="1")
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
    async def test_cancelled_or_returned_products_cannot_be_reviewed(
        self, shop: Shop, bought: Sold, change: Any
    ) -> None:
        async with shop.database.transaction() as session:
            await session.execute(change)
        with pytest.raises(NotAllowed):
            await submit_review(shop, bought)

    async def test_review_is_possible_only_within_the_review_period(
        self, shop: Shop, admin: httpx.AsyncClient, store: httpx.AsyncClient, shop_defaults: Defaults
    ) -> None:
        async with shop.database.transaction() as session:
            toy = await add_product(session, shop_defaults, "trompo", stock=5)
        of = await place_paid_order(shop, store, admin, toy)
        with pytest.raises(NotAllowed):
            await submit_review(shop, of)
        await deliver(shop, of, await pack_units(admin, of), days_ago=REVIEW_PERIOD.days)
        with pytest.raises(NotAllowed):
            await submit_review(shop, of)
        await set_delivery_age(shop, of, REVIEW_PERIOD.days - 1)
        assert (await submit_review(shop, of)).stars == 4

    @pytest.mark.parametrize(
        ("name", "value"),
        [
            ("stars", "0"),
            ("stars", "6"),
            ("stars", "4.5"),
            ("stars", None),
            ("text", "corto"),
            ("text", "x" * (MAX_TEXT_LENGTH + 1)),
            ("consent", ""),
        ],
    )
    def test_invalid_review_form_names_the_problems(self, name: str, value: Any) -> None:
        with pytest.raises(InvalidData) as wrong:
            read_review({**TYPED, name: value})
        assert list(wrong.value.fields) == [name]


class TestWhereTheBuyerSeesIt:
    async def test_order_pages_link_to_reviewable_products(
        self, shop: Shop, admin: httpx.AsyncClient, store: httpx.AsyncClient, shop_defaults: Defaults
    ) -> None:
        async with shop.database.transaction() as session:
            toy = await add_product(session, shop_defaults, "trompo", stock=5, price=40_000)
        of = await place_paid_order(shop, store, admin, toy)
        token = ORDER_LINK.token(shop.settings.signing_key, of.order_id)

        async with shop.database.transaction() as session:
            ana = Customer(email="ana@example.com")
            session.add(ana)
            await session.flush()
            await session.execute(update(Order).values(customer_id=ana.id))

        async def links() -> list[tuple[str, bool]]:
            order = await shop.placed_orders.get_order_page(of.order_id, token)
            async with shop.database.read() as session:
                (own,) = await list_customer_orders(session, shop.settings.signing_key, ana.id)
            assert [line.review for line in order.lines if line.review] == own.reviews
            return [(link.page, link.is_written) for link in own.reviews]

        assert await links() == []
        await deliver(shop, of, await pack_units(admin, of))
        page = review_path(shop.settings.signing_key, of.line_id)
        assert await links() == [(page, False)]
        row = await submit_review(shop, of)
        assert await links() == [(page, True)]
        await approve(shop, row)
        assert await links() == []

    async def test_product_in_two_order_lines_has_one_review_link(self, shop: Shop, bought: Sold) -> None:
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
    async def test_review_form_with_pictures_is_stored(
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
        monkeypatch.setattr("backend.operations.tidy.orphan_pictures.MIN_AGE", -timedelta(hours=1))
        assert (await find_orphans(shop.database, shop.pictures, all_tables())).names == ()
        for wrong in (path[:-1], "/api/reviews", path.replace(bought.line_id, "ordli_1")):
            assert (await anyone.post(wrong, data=TYPED, headers=OWN)).status_code == 404
        stranger = await anyone.post(path, data=TYPED, headers={"origin": "https://evil.example"})
        assert stranger.status_code == 403
        await approve(shop, row)
        assert await sent() == "closed"
        async with open_stalled_uploads([anyone], path, OWN) as [form]:
            assert not form.read.is_set()  # the body is not read
            assert (await form.answer).headers["location"] == f"{page}&said=closed"
        assert await sent() == "wait"  # the seventh within the window
        async with shop.database.transaction() as session:
            await session.execute(delete(Review))
        assert (await find_orphans(shop.database, shop.pictures, all_tables())).names
