"""A lost link to an order is mailed to the order's address, and the response does not reveal if the order exists."""

import httpx
import pytest
from sqlalchemy import select, update

from backend.app import Shop
from backend.core.errors import InvalidData, TooManyRequests
from backend.jobs import Worker
from backend.mail.models import Mail
from backend.orders.links.mailed_links import LINK_RATE_LIMIT, request_order_link
from backend.orders.models import Order
from backend.rate_limit.limiter import Client
from tests.backend.mail.conftest import Inbox, inbox, text_of, worker
from tests.store_defaults import Defaults, add_product
from tests.store_steps import MANUAL, complete_purchase

OWN_PAGE = {"origin": "http://shop.test"}
__all__ = ["inbox", "worker"]


@pytest.fixture
async def order(shop: Shop, store: httpx.AsyncClient, shop_defaults: Defaults) -> dict[str, str]:
    """Return an order of Ana without pending mails."""
    async with shop.database.transaction() as session:
        trompo = await add_product(session, shop_defaults, "trompo", stock=5, price=40_000)
    made = await complete_purchase(store, trompo, 1, provider=MANUAL)
    async with shop.database.transaction() as session:
        await session.execute(update(Mail).values(sent_at=Mail.created_at))
        await session.execute(update(Order).values(email="Ana@Example.com"))
    return made


async def test_order_link_is_sent_only_to_the_email_of_the_order(
    shop: Shop, anyone: httpx.AsyncClient, order: dict[str, str], worker: Worker, inbox: Inbox
) -> None:
    number = str(order["display_id"])
    answers = []
    for typed in (
        {"number": f"Pedido #{number}", "email": " ana@EXAMPLE.com "},
        {"number": number, "email": "luis@example.com"},
        {"number": "999999", "email": "ana@example.com"},
    ):
        answer = await anyone.post("/api/order-link", json=typed, headers=OWN_PAGE)
        answers.append((answer.status_code, answer.text))
        answer = await anyone.post("/api/order-link/form", data=typed, headers=OWN_PAGE)
        answers.append((answer.status_code, answer.headers["location"]))
    assert set(answers) == {(200, "{}"), (303, "/order/find?said=sent")}
    await worker.run_due()
    (mail,) = inbox.mails  # for both correct requests
    assert mail["To"] == "Ana@Example.com"
    assert mail["Subject"] == f"El enlace de tu pedido {number}"
    link = f"{shop.settings.base_url}/order/{order['id']}?token={order['access_token']}"
    assert link in text_of(mail)
    await anyone.post(
        "/api/order-link", json={"number": number, "email": "ana@example.com"}, headers=OWN_PAGE
    )
    await worker.run_due()
    assert len(inbox.mails) == 2  # a new request sends a new mail


async def test_request_for_an_unknown_order_does_the_same_work_as_for_a_known_one(
    shop: Shop, anyone: httpx.AsyncClient, order: dict[str, str]
) -> None:
    """Check that the request looks no order up, because its duration would reveal the result."""
    for number in (order["display_id"], "999999"):
        await request_order_link(shop.database, str(number), "ana@example.com", client=Client("190.24.1.9"))
    async with shop.database.read() as session:
        noted = (await session.execute(select(Mail.about).where(Mail.kind == "order_link"))).scalars().all()
    assert sorted(noted) == sorted([f"{order['display_id']} ana@example.com", "999999 ana@example.com"])


@pytest.mark.parametrize(
    ("number", "email", "fields"),
    [
        ("", "", {"number", "email"}),
        ("uno", "ana@example.com", {"number"}),
        ("1" * 10, "ana@example.com", {"number"}),
        ("٣", "ana@example.com", {"number"}),
        ("7", "ana", {"email"}),
        ("7\x00", "a\x00@example.com", {"email"}),
    ],
)
async def test_invalid_order_number_or_email_is_reported(
    shop: Shop, anyone: httpx.AsyncClient, number: str, email: str, fields: set[str]
) -> None:
    typed = {"number": number, "email": email}
    answer = await anyone.post("/api/order-link", json=typed, headers=OWN_PAGE)
    assert (answer.status_code, set(answer.json()["fields"])) == (400, fields)
    answer = await anyone.post("/api/order-link/form", data=typed, headers=OWN_PAGE)
    assert answer.headers["location"] == "/order/find?said=check"
    with pytest.raises(InvalidData):
        await request_order_link(shop.database, number, email, client=Client("190.24.1.9"))


async def test_link_requests_are_limited_without_locking_out_the_customer(
    shop: Shop, anyone: httpx.AsyncClient, worker: Worker, inbox: Inbox
) -> None:
    typed = {"number": "7", "email": "ana@example.com"}
    heard = [
        (await anyone.post("/api/order-link", json=typed, headers=OWN_PAGE)).status_code for _ in range(4)
    ]
    assert heard == [200] * LINK_RATE_LIMIT.per_pair + [429]
    answer = await anyone.post("/api/order-link/form", data=typed, headers=OWN_PAGE)
    assert answer.headers["location"] == "/order/find?said=wait"
    for stranger in range(10):  # no stranger learns that their requests together are limited
        await request_order_link(shop.database, "7", "ana@example.com", client=Client(f"190.24.2.{stranger}"))
    hunter = Client("190.24.4.1")  # tries one number after the other
    for number in range(LINK_RATE_LIMIT.per_client):
        await request_order_link(shop.database, str(100 + number), "ana@example.com", client=hunter)
    with pytest.raises(TooManyRequests):
        await request_order_link(shop.database, "200", "ana@example.com", client=hunter)


async def test_link_request_from_a_page_of_another_site_is_refused(
    shop: Shop, anyone: httpx.AsyncClient
) -> None:
    typed = {"number": "7", "email": "ana@example.com"}
    elsewhere = {"origin": "https://elsewhere.example"}
    for answer in (
        await anyone.post("/api/order-link", json=typed, headers=elsewhere),
        await anyone.post("/api/order-link/form", data=typed, headers=elsewhere),
    ):
        assert answer.status_code == 403
    async with shop.database.read() as session:
        assert (await session.execute(select(Mail.id))).first() is None
