"""Push messages: sent to the browsers of those who act on the event, once, and only to public addresses."""

import httpx
import pytest
from sqlalchemy import select

from backend.app import Shop
from backend.catalog.models import Picture, Product
from backend.jobs.models import Job
from backend.payment.providers.base import ProviderState
from backend.staff.rights import COMMAND_LINE, Role
from backend.staff.service import change_staff
from backend.staff_notices.choices import Channel, save_choices
from backend.staff_notices.notice_content import NoticeContent
from backend.staff_notices.push.encryption import MAX_PAYLOAD_BYTES
from backend.staff_notices.push.models import PushSubscription
from backend.staff_notices.push.sending import RETRY_PAUSES, build_payload
from backend.staff_notices.push.vapid import read_vapid_key
from tests.amounts import cop
from tests.backend.orders.paying import place_order_at_bank, report_payment
from tests.backend.staff_notices.conftest import Office, ask_pqrs, make_due
from tests.backend.staff_notices.push.conftest import (
    PushBrowser,
    PushService,
    create_worker,
    store_subscription,
)
from tests.store_defaults import Defaults, add_product


async def send(shop: Shop, *, allow_private: bool = True) -> None:
    """Run all jobs now, even those that are not due yet."""
    await make_due(shop.database)
    await create_worker(shop, allow_private=allow_private).run_due()


async def count_subscriptions(shop: Shop) -> int:
    async with shop.database.read() as session:
        return len((await session.execute(select(PushSubscription.id))).all())


async def test_push_message_about_a_paid_order_has_picture_city_and_link_to_packing(
    shop: Shop,
    store: httpx.AsyncClient,
    shop_defaults: Defaults,
    office: Office,
    push_service: PushService,
) -> None:
    browser = PushBrowser()
    await store_subscription(shop, office.actor(Role.STOCKROOM), browser, f"{push_service.url}/send/1?x=y")
    async with shop.database.transaction() as session:
        variant = await add_product(session, shop_defaults, "trompo", price=40_000)
        product_id = (await session.execute(select(Product.id))).scalar_one()
        session.add(Picture(product_id=product_id, url="/media/trompo.webp", rank=0))
    order_id, payment = await place_order_at_bank(shop, store, variant)
    await report_payment(shop, payment, ProviderState.CAPTURED)
    await send(shop)
    ((line, headers, content),) = push_service.requests
    assert line == "POST /send/1?x=y HTTP/1.1"
    assert (headers["content-encoding"], headers["ttl"], headers["urgency"]) == ("aes128gcm", "86400", "high")
    assert headers["authorization"].startswith("vapid t=ey")
    assert headers["authorization"].endswith(f", k={read_vapid_key(shop.settings).public_key}")
    message = browser.read(content)
    assert message["title"].endswith(cop(" pagado: $ 80.000"))
    assert "2 × Trompo" in message["body"]
    assert message["path"] == f"/oficina/empacar?pedido={order_id}"
    assert (message["action"], message["picture"]) == ("Empacar", "/media/trompo.webp")
    await send(shop)
    assert len(push_service.requests) == 1


@pytest.mark.parametrize("status", [401, 403, 404, 410])
async def test_subscription_that_is_gone_is_deleted(
    shop: Shop, office: Office, push_service: PushService, status: int
) -> None:
    push_service.status = status
    await store_subscription(shop, office.actor(Role.OWNER), PushBrowser(), push_service.url)
    await ask_pqrs(shop)
    await send(shop)
    assert (len(push_service.requests), await count_subscriptions(shop)) == (1, 0)


@pytest.mark.parametrize("status", [413, 429, 500])
async def test_push_message_that_is_refused_is_repeated_a_limited_number_of_times(
    shop: Shop, office: Office, push_service: PushService, status: int
) -> None:
    push_service.status = status
    await store_subscription(shop, office.actor(Role.OWNER), PushBrowser(), push_service.url)
    await ask_pqrs(shop)
    for _number in range(len(RETRY_PAUSES) + 5):
        await send(shop)
    assert len(push_service.requests) == len(RETRY_PAUSES) + 1
    assert await count_subscriptions(shop) == 1
    async with shop.database.read() as session:
        jobs = select(Job.id).where(Job.kind == "staff_notices.push")
        assert (await session.execute(jobs)).all() == []


@pytest.mark.parametrize("endpoint", ["https://127.0.0.1/x", "https://[::1]/x", "https://10.0.0.7/x"])
async def test_push_subscription_with_a_private_address_is_deleted(
    shop: Shop, office: Office, endpoint: str
) -> None:
    await store_subscription(shop, office.actor(Role.OWNER), PushBrowser(), endpoint)
    await ask_pqrs(shop)
    await send(shop, allow_private=False)
    assert await count_subscriptions(shop) == 0


@pytest.mark.parametrize("endpoint", ["http://push.example/x", "https://unknown.invalid/x"])
async def test_subscription_is_kept_while_its_push_service_is_unreachable(
    shop: Shop, office: Office, endpoint: str
) -> None:
    """Check this because a name server's failure would otherwise delete the subscriptions of all staff."""
    await store_subscription(shop, office.actor(Role.OWNER), PushBrowser(), endpoint)
    await ask_pqrs(shop)
    await send(shop, allow_private=False)
    assert await count_subscriptions(shop) == 1


@pytest.mark.parametrize("change", ["disabled", "demoted", "turned off"])
async def test_push_message_is_not_sent_to_a_member_who_lost_or_disabled_its_notices(
    shop: Shop, office: Office, push_service: PushService, change: str
) -> None:
    await store_subscription(shop, office.actor(Role.SHOP), PushBrowser(), push_service.url)
    await ask_pqrs(shop)
    staff_id = office.ids[Role.SHOP]
    async with shop.database.transaction() as session:
        if change == "turned off":
            await save_choices(session, office.actor(Role.SHOP), staff_id, {Channel.PUSH: []})
        else:
            role = Role.STOCKROOM if change == "demoted" else None
            await change_staff(
                session, COMMAND_LINE, staff_id, role=role, is_disabled=change == "disabled" or None
            )
    await send(shop)
    assert push_service.requests == []


async def test_several_events_are_sent_in_one_message(
    shop: Shop, office: Office, push_service: PushService
) -> None:
    browser = PushBrowser()
    await store_subscription(shop, office.actor(Role.OWNER), browser, push_service.url)
    for number in range(3):
        await ask_pqrs(shop, number=number)
    await send(shop)
    ((_line, _headers, content),) = push_service.requests
    assert browser.read(content)["title"] == "Llegaron 3 PQRS"


def test_long_content_fits_in_a_message() -> None:
    content = NoticeContent("ñ" * 5_000, ["ñ" * 1_500] * 10, "/oficina", "Empacar")
    assert len(build_payload(content, "batch_1")) <= MAX_PAYLOAD_BYTES
