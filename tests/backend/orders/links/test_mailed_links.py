"""A lost link to an order is mailed to its own address, and the answer tells nobody which orders there are."""

import httpx
import pytest
from sqlalchemy import select, update

from backend.app import Shop
from backend.core.errors import InvalidData, TooManyRequests
from backend.jobs import Worker
from backend.mail.models import Mail
from backend.orders.links.mailed_links import LINKS, ask_link
from backend.orders.models import Order
from backend.rate_limit.limiter import Client
from tests.backend.mail.conftest import Inbox, inbox, text_of, worker
from tests.store_defaults import Defaults, make_toy
from tests.store_steps import MANUAL, bought

OWN_PAGE = {"origin": "http://shop.test"}
__all__ = ["inbox", "worker"]


@pytest.fixture
async def order(shop: Shop, store: httpx.AsyncClient, shop_defaults: Defaults) -> dict[str, str]:
    """An order of Ana's, whose own mails are gone."""
    async with shop.database.transaction() as session:
        trompo = await make_toy(session, shop_defaults, "trompo", stock=5, price=40_000)
    made = await bought(store, trompo, 1, provider=MANUAL)
    async with shop.database.transaction() as session:
        await session.execute(update(Mail).values(sent_at=Mail.created_at))
        await session.execute(update(Order).values(email="Ana@Example.com"))
    return made


async def test_a_link_reaches_the_orders_own_address_and_no_other(
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
    (mail,) = inbox.mails  # both of the askings that were right
    assert mail["To"] == "Ana@Example.com"
    assert mail["Subject"] == f"El enlace de tu pedido {number}"
    link = f"{shop.settings.base_url}/order/{order['id']}?token={order['access_token']}"
    assert link in text_of(mail)
    await anyone.post(
        "/api/order-link", json={"number": number, "email": "ana@example.com"}, headers=OWN_PAGE
    )
    await worker.run_due()
    assert len(inbox.mails) == 2  # asked again, sent again


async def test_the_same_is_done_for_an_order_that_does_not_exist(
    shop: Shop, anyone: httpx.AsyncClient, order: dict[str, str]
) -> None:
    """What is looked up could be told by its time: nothing is."""
    for number in (order["display_id"], "999999"):
        await ask_link(shop.database, str(number), "ana@example.com", client=Client("190.24.1.9"))
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
async def test_what_is_no_order_or_no_address_is_said(
    shop: Shop, anyone: httpx.AsyncClient, number: str, email: str, fields: set[str]
) -> None:
    typed = {"number": number, "email": email}
    answer = await anyone.post("/api/order-link", json=typed, headers=OWN_PAGE)
    assert (answer.status_code, set(answer.json()["fields"])) == (400, fields)
    answer = await anyone.post("/api/order-link/form", data=typed, headers=OWN_PAGE)
    assert answer.headers["location"] == "/order/find?said=check"
    with pytest.raises(InvalidData):
        await ask_link(shop.database, number, email, client=Client("190.24.1.9"))


async def test_who_asks_too_often_waits_and_strangers_lock_nobody_out(
    shop: Shop, anyone: httpx.AsyncClient, worker: Worker, inbox: Inbox
) -> None:
    typed = {"number": "7", "email": "ana@example.com"}
    heard = [
        (await anyone.post("/api/order-link", json=typed, headers=OWN_PAGE)).status_code for _ in range(4)
    ]
    assert heard == [200] * LINKS.per_pair + [429]
    answer = await anyone.post("/api/order-link/form", data=typed, headers=OWN_PAGE)
    assert answer.headers["location"] == "/order/find?said=wait"
    for stranger in range(10):  # nobody learns that what they ask for together is bounded
        await ask_link(shop.database, "7", "ana@example.com", client=Client(f"190.24.2.{stranger}"))
    hunter = Client("190.24.4.1")  # tries one number after the other
    for number in range(LINKS.per_client):
        await ask_link(shop.database, str(100 + number), "ana@example.com", client=hunter)
    with pytest.raises(TooManyRequests):
        await ask_link(shop.database, "200", "ana@example.com", client=hunter)


async def test_another_sites_page_asks_for_nothing(shop: Shop, anyone: httpx.AsyncClient) -> None:
    typed = {"number": "7", "email": "ana@example.com"}
    elsewhere = {"origin": "https://elsewhere.example"}
    for answer in (
        await anyone.post("/api/order-link", json=typed, headers=elsewhere),
        await anyone.post("/api/order-link/form", data=typed, headers=elsewhere),
    ):
        assert answer.status_code == 403
    async with shop.database.read() as session:
        assert (await session.execute(select(Mail.id))).first() is None
