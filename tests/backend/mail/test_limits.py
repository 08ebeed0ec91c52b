"""Limits on mails that a stranger causes to be sent to an address.

fault                                                outcome
---------------------------------------------------  -------------------------------------------------------------
59 unpaid orders with one victim's address           five mails in the hour; the others in one mail an hour later
orders all day                                       ten mails in a day
the address with other upper and lower case          the same address
five order links, notices, new passwords             the first ones are sent; beyond the limit a repeat is skipped
an acknowledgement has to wait                       it is sent with the others; none is skipped or sent twice
the payment of a waiting order is lost               one mail names the order once, with its latest state
two mails of an address are sent at the same time    they take slots one after the other
the mail server fails for the joined mail            it is retried unchanged
a mail that includes others is given up              the others take their own slots
orders with a total of 0, without a payment         limited as unpaid orders, including their confirmations
an order is paid; a refund; the shop's own mails     no limit
"""

import asyncio
from collections.abc import Awaitable, Callable
from datetime import timedelta
from itertools import count as count_from

import pytest
from sqlalchemy import func, select, update

from backend.app import Shop
from backend.cart.access import create_empty_cart
from backend.core.events import publish
from backend.customers.events import ResetRequested
from backend.customers.models import Customer, Login
from backend.jobs import Worker
from backend.jobs.models import Job
from backend.mail.limits import Verdict, hash_address, take_slot
from backend.mail.models import Mail, MailSlot
from backend.orders.events import OrderLinkRequested, OrderLost, OrderPaid, OrderPlaced
from backend.orders.models import Order
from backend.pqrs.service import send_pqrs as ask_pqrs
from backend.rate_limit.limiter import Client
from tests.backend.mail.conftest import Inbox, text_of
from tests.sold_order import SoldOrder

Orders = Callable[..., Awaitable[list[Order]]]


@pytest.fixture
async def orders(shop: Shop, order_at_bank: SoldOrder) -> Orders:
    """Return a function that creates orders that wait for their payment. Each has a mail to send."""
    numbers = count_from(1_000)

    async def make(count: int, email: str = "ana@example.com") -> list[Order]:
        made = []
        async with shop.database.transaction() as session:
            first = (await session.execute(select(Order).order_by(Order.created_at).limit(1))).scalar_one()
            copy = first.model_dump(exclude={"id", "number", "cart_id", "email", "created_at", "updated_at"})
            for _ in range(count):
                cart_id, number = await create_empty_cart(session), next(numbers)
                order = Order(**copy, id=f"order_{number}", number=number, cart_id=cart_id, email=email)
                session.add(order)
                await session.flush()
                await publish(session, OrderPlaced(order.id))
                made.append(order)
        return made

    return make


async def pass_time(shop: Shop, time: timedelta) -> None:
    async with shop.database.transaction() as session:
        for slot in (await session.execute(select(MailSlot))).scalars():
            slot.taken_at -= time
        for job in (await session.execute(select(Job))).scalars():
            job.run_at -= time


async def count_waiting(shop: Shop) -> int:
    async with shop.database.read() as session:
        count = select(func.count()).select_from(Mail).where(Mail.sent_at.is_(None))
        return (await session.execute(count)).scalar_one()


async def test_59_orders_send_five_mails_and_one_joined_mail_about_the_rest(
    shop: Shop, orders: Orders, worker: Worker, inbox: Inbox
) -> None:
    made = await orders(58)
    await worker.run_due()
    assert len(inbox.mails) == 5
    assert await count_waiting(shop) == 54
    await pass_time(shop, timedelta(minutes=58))
    await worker.run_due()
    assert len(inbox.mails) == 5
    await pass_time(shop, timedelta(minutes=2, seconds=1))
    await worker.run_due()
    assert len(inbox.mails) == 7  # 51 orders, then 3
    assert await count_waiting(shop) == 0
    assert inbox.subjects()[5:] == ["Recibimos tus pedidos y mensajes"] * 2
    told = "".join(text_of(mail) for mail in inbox.mails)
    for order in made:  # each is acknowledged once
        assert told.count(f"/order/{order.id}?token=") == 1
    joined = text_of(inbox.mails[5]).replace("\xa0", " ")
    assert joined.count("IVA incluido en el total: $ ") == 51
    assert joined.count("/legal/retracto") == 51
    await pass_time(shop, timedelta(hours=5))
    await worker.run_due()
    assert len(inbox.mails) == 7


async def test_recipient_gets_at_most_ten_mails_a_day_and_one_joined_mail_for_the_rest(
    shop: Shop, orders: Orders, worker: Worker, inbox: Inbox
) -> None:
    made = []
    for _hour in range(4):
        made += [*await orders(2), *await orders(2, "ANA@example.com")]
        await worker.run_due()
        await pass_time(shop, timedelta(hours=1, seconds=1))
    assert len(inbox.mails) == 10
    assert await count_waiting(shop) == 7
    await pass_time(shop, timedelta(hours=20))
    await worker.run_due()
    assert len(inbox.mails) == 11
    assert await count_waiting(shop) == 0
    told = "".join(text_of(mail) for mail in inbox.mails)
    assert all(told.count(f"/order/{order.id}?token=") == 1 for order in made)


async def test_repeated_mails_beyond_the_limit_are_not_sent_later(
    shop: Shop, orders: Orders, worker: Worker, inbox: Inbox
) -> None:
    (order,) = await orders(1)

    async def ask() -> None:
        async with shop.database.transaction() as session:
            await publish(session, OrderLinkRequested(int(order.number or 0), "ana@example.com"))
        await worker.run_due()

    await worker.run_due()  # the two acknowledgements
    for _ in range(8):
        await ask()
    assert len(inbox.mails) == 5
    assert await count_waiting(shop) == 0
    await pass_time(shop, timedelta(hours=1, seconds=1))
    await worker.run_due()
    assert len(inbox.mails) == 5  # skipped mails are not sent later
    await ask()
    assert len(inbox.mails) == 6


async def test_joined_mail_mentions_each_order_with_a_failed_payment_once(
    shop: Shop, orders: Orders, worker: Worker, inbox: Inbox
) -> None:
    made = await orders(7)
    await worker.run_due()
    assert len(inbox.mails) == 5
    lost = [order for order in made if f"{order.number}" not in " ".join(inbox.subjects())]
    assert len(lost) == 3
    async with shop.database.transaction() as session:
        for order in lost[:2]:
            await publish(session, OrderLost(order.id))
    await worker.run_due()
    await pass_time(shop, timedelta(hours=1, seconds=1))
    await worker.run_due()
    assert len(inbox.mails) == 6
    text = text_of(inbox.mails[5])
    assert text.count("el pago no pasó y no cobramos nada") == 2
    assert text.count("lo recibimos y espera su pago") == 1
    assert all(text.count(f"/order/{order.id}?token=") == 1 for order in lost)


async def test_failed_joined_mail_is_retried_with_all_its_orders(
    shop: Shop, orders: Orders, worker: Worker, inbox: Inbox
) -> None:
    made = await orders(9)
    await worker.run_due()
    await pass_time(shop, timedelta(hours=1, seconds=1))
    inbox.is_broken = True
    await worker.run_due()
    assert (len(inbox.mails), await count_waiting(shop)) == (5, 5)
    inbox.is_broken = False
    await pass_time(shop, timedelta(minutes=20))
    await worker.run_due()
    assert (len(inbox.mails), await count_waiting(shop)) == (6, 0)
    told = "".join(text_of(mail) for mail in inbox.mails)
    assert all(told.count(f"/order/{order.id}?token=") == 1 for order in made)


async def test_joined_mail_is_sent_even_if_one_of_its_mails_was_given_up(
    shop: Shop, orders: Orders, worker: Worker, inbox: Inbox
) -> None:
    made = await orders(9)
    await worker.run_due()
    await pass_time(shop, timedelta(hours=1, seconds=1))
    inbox.is_broken = True
    await worker.run_due()
    async with shop.database.transaction() as session:
        leaders = select(Mail.joined_to).where(Mail.joined_to.is_not(None))
        await session.execute(update(Job).where(Job.key.in_(leaders)).values(failed_at=Job.run_at))
    inbox.is_broken = False
    await pass_time(shop, timedelta(minutes=20))
    await worker.run_due()
    assert await count_waiting(shop) == 0
    told = "".join(text_of(mail) for mail in inbox.mails)
    assert all(told.count(f"/order/{order.id}?token=") == 1 for order in made)


async def test_mails_about_free_orders_are_limited(
    shop: Shop, orders: Orders, worker: Worker, inbox: Inbox
) -> None:
    made = await orders(12)
    async with shop.database.transaction() as session:
        await session.execute(update(Order).values(payment_status="captured", total=0))
        for order in made:
            await publish(session, OrderPaid(order.id))
    await worker.run_due()
    assert len(inbox.mails) == 5


async def test_mails_about_paid_orders_are_not_limited(
    shop: Shop, orders: Orders, worker: Worker, inbox: Inbox
) -> None:
    made = await orders(12)
    async with shop.database.transaction() as session:
        await session.execute(update(Order).values(payment_status="captured"))
        for order in made:
            await publish(session, OrderPaid(order.id))
    await worker.run_due()
    assert len(inbox.mails) == 13 + 12
    assert await count_waiting(shop) == 0


async def test_concurrent_mails_do_not_exceed_the_limit_per_address(shop: Shop, orders: Orders) -> None:
    await orders(11)
    async with shop.database.read() as session:
        mails = (await session.execute(select(Mail).order_by(Mail.id))).scalars().all()
    key = hash_address(shop.settings, "ana@example.com")
    results = await asyncio.gather(*(take_slot(shop.database, mail, key) for mail in mails))
    assert sum(result.verdict is Verdict.SEND for result in results) == 5
    joined = [mail_id for result in results for mail_id in result.joined]
    assert len(joined) == len(set(joined))
    async with shop.database.read() as session:
        assert (await session.execute(select(func.count()).select_from(MailSlot))).scalar_one() == 5


async def test_joined_mail_also_acknowledges_waiting_pqrs_messages(
    shop: Shop, orders: Orders, worker: Worker, inbox: Inbox
) -> None:
    await orders(4)
    await worker.run_due()
    numbers = []
    for n in range(3):
        typed = {
            "kind": "queja",
            "name": "Ana",
            "email": "Ana@example.com",
            "text": f"La caja {n} llegó abierta",
        }
        numbers.append((await ask_pqrs(shop.database, typed, client=Client("190.24.1.1"))).number)
    await orders(1)
    await worker.run_due()
    assert len(inbox.mails) == 5
    await pass_time(shop, timedelta(hours=1, seconds=1))
    await worker.run_due()
    assert len(inbox.mails) == 6
    text = text_of(inbox.mails[5])
    assert all(f"con el número de radicado {number}." in text for number in numbers)
    assert text.count("lo recibimos y espera su pago") == 1


async def test_password_reset_beyond_the_limit_is_mailed_when_the_limit_allows_it(
    shop: Shop, orders: Orders, worker: Worker, inbox: Inbox
) -> None:
    async with shop.database.transaction() as session:
        person = Customer(email="ana@example.com")
        session.add(person)
        await session.flush()
        session.add(
            Login(
                provider="emailpass",
                subject="ana@example.com",
                password_hash="never used",
                customer_id=person.id,
            )
        )
    await orders(6)
    await worker.run_due()
    async with shop.database.transaction() as session:
        await publish(session, ResetRequested("ana@example.com"))
    await worker.run_due()
    assert (len(inbox.mails), await count_waiting(shop)) == (5, 3)
    await pass_time(shop, timedelta(hours=1, seconds=1))
    await worker.run_due()
    assert (len(inbox.mails), await count_waiting(shop)) == (7, 0)
    assert sum("/account/reset#token=" in text_of(mail) for mail in inbox.mails) == 1
