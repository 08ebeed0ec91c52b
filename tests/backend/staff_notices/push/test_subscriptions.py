"""Push subscriptions of staff members: checked, bounded, and removed with the password."""

import asyncio

import pytest
from sqlalchemy import select

from backend.app import Shop
from backend.audit import AuditEntry
from backend.core.errors import InvalidData, NotFound
from backend.staff.rights import Actor, Role
from backend.staff.service import set_password
from backend.staff.sessions import Browser, actor_of_session, open_session, revoke
from backend.staff.signing_in import sign_out
from backend.staff_notices.push.subscriptions import (
    MAX_SUBSCRIPTIONS,
    add_subscription,
    list_subscriptions,
    remove_subscription,
)
from tests.backend.staff_notices.conftest import Office
from tests.backend.staff_notices.push.conftest import PushBrowser

ENDPOINT = "https://push.example/send/1"


async def add(shop: Shop, actor: Actor, endpoint: str = ENDPOINT, **changed: str) -> None:
    browser = PushBrowser()
    keys = {"p256dh": browser.p256dh, "auth": browser.auth, **changed}
    async with shop.database.transaction() as session:
        await add_subscription(session, actor, endpoint, **keys, device="Chrome · Android")


async def list_endpoints(shop: Shop, actor: Actor) -> list[str]:
    async with shop.database.read() as session:
        return [row.endpoint for row in await list_subscriptions(session, actor)]


@pytest.mark.parametrize(
    ("endpoint", "changed"),
    [
        ("http://push.example/x", {}),
        ("https://", {}),
        ("https://ana:key@push.example/x", {}),
        ("https://push.example:0/x", {}),
        ("https://push.example/ ñ", {}),
        (f"https://push.example/{'x' * 500}", {}),
        ("javascript:alert(1)", {}),
        (ENDPOINT, {"p256dh": "x"}),
        (ENDPOINT, {"auth": ""}),
    ],
)
async def test_invalid_subscription_is_refused(
    shop: Shop, office: Office, endpoint: str, changed: dict[str, str]
) -> None:
    owner = office.actor(Role.OWNER)
    with pytest.raises(InvalidData):
        await add(shop, owner, endpoint, **changed)
    assert await list_endpoints(shop, owner) == []


async def test_browser_that_subscribes_again_replaces_its_subscription(shop: Shop, office: Office) -> None:
    owner, packer = office.actor(Role.OWNER), office.actor(Role.STOCKROOM)
    for _number in range(2):
        await add(shop, owner)
    assert await list_endpoints(shop, owner) == [ENDPOINT]
    await add(shop, packer)  # another member signs in in the same browser
    assert (await list_endpoints(shop, owner), await list_endpoints(shop, packer)) == ([], [ENDPOINT])
    assert await list_audit(shop) == [
        ("device added", owner.id),
        ("device added", owner.id),
        ("device added", packer.id),
        ("device removed", owner.id),
    ]


async def list_audit(shop: Shop) -> list[tuple[str, str]]:
    """Return the action and subject of each audit entry, sorted by action."""
    async with shop.database.read() as session:
        query = select(AuditEntry.action, AuditEntry.subject_id).order_by(AuditEntry.action, AuditEntry.id)
        return [(action, subject_id) for action, subject_id in await session.execute(query)]


async def test_new_push_subscription_over_the_limit_removes_the_oldest(shop: Shop, office: Office) -> None:
    owner = office.actor(Role.OWNER)
    for number in range(MAX_SUBSCRIPTIONS + 1):
        await add(shop, owner, f"{ENDPOINT}/{number}")
    assert await list_endpoints(shop, owner) == [
        f"{ENDPOINT}/{number}" for number in range(1, MAX_SUBSCRIPTIONS + 1)
    ]
    assert ("device removed", owner.id) in await list_audit(shop)


async def test_simultaneous_subscriptions_stay_within_the_limit(shop: Shop, office: Office) -> None:
    owner = office.actor(Role.OWNER)
    await asyncio.gather(
        *(add(shop, owner, f"{ENDPOINT}/{number}") for number in range(MAX_SUBSCRIPTIONS + 2))
    )
    assert len(await list_endpoints(shop, owner)) == MAX_SUBSCRIPTIONS


async def test_member_cannot_remove_the_browser_of_another_member(shop: Shop, office: Office) -> None:
    owner, packer = office.actor(Role.OWNER), office.actor(Role.STOCKROOM)
    await add(shop, owner)
    async with shop.database.read() as session:
        (row,) = await list_subscriptions(session, owner)
    async with shop.database.transaction() as session:
        with pytest.raises(NotFound):
            await remove_subscription(session, packer, row.id)
        await remove_subscription(session, owner, row.id)
    assert await list_endpoints(shop, owner) == []


async def test_new_password_removes_push_subscriptions_of_all_browsers(shop: Shop, office: Office) -> None:
    packer = office.actor(Role.STOCKROOM)
    await add(shop, packer)
    await set_password(shop.database, office.actor(Role.OWNER), packer.id, "una frase muy larga 7")
    assert await list_endpoints(shop, packer) == []


async def test_audit_entry_of_a_push_subscription_has_neither_url_nor_keys(
    shop: Shop, office: Office
) -> None:
    owner = office.actor(Role.OWNER)
    await add(shop, owner)
    async with shop.database.read() as session:
        entry = (await session.execute(select(AuditEntry))).scalar_one()
    assert (entry.action, entry.subject_id) == ("device added", owner.id)
    assert [(one["field"], one["after"]) for one in entry.changes] == [("device", "Chrome · Android")]


async def open_browser(shop: Shop, actor: Actor, old_token: str = "") -> tuple[Actor, str]:
    """Sign a browser in. Return the actor with the session, and the session's token."""
    async with shop.database.transaction() as session:
        browser = Browser("190.24.1.1", "Chrome", old_token)
        token = await open_session(session, actor.id, browser, has_second_factor=False)
    signed_in = await actor_of_session(shop.database, token)
    assert signed_in is not None
    return signed_in, token


async def test_browser_that_signs_out_gets_no_more_notices(shop: Shop, office: Office) -> None:
    owner, token = await open_browser(shop, office.actor(Role.OWNER))
    other, _other_token = await open_browser(shop, owner)
    await add(shop, owner)
    await add(shop, other, f"{ENDPOINT}/2")
    await sign_out(shop.database, None, token)
    assert await list_endpoints(shop, owner) == [f"{ENDPOINT}/2"]
    await sign_out(shop.database, other, "")  # everywhere
    assert await list_endpoints(shop, owner) == []


async def test_session_that_is_ended_from_another_browser_gets_no_more_notices(
    shop: Shop, office: Office
) -> None:
    phone, _token = await open_browser(shop, office.actor(Role.OWNER))
    await add(shop, phone)
    async with shop.database.transaction() as session:
        await revoke(session, office.actor(Role.OWNER), phone.session_id)
    assert await list_endpoints(shop, phone) == []


async def test_browser_keeps_its_notices_when_the_same_member_signs_in_again(
    shop: Shop, office: Office
) -> None:
    owner, packer = office.actor(Role.OWNER), office.actor(Role.STOCKROOM)
    first, token = await open_browser(shop, owner)
    await add(shop, first)
    _again, token = await open_browser(shop, owner, token)
    assert await list_endpoints(shop, owner) == [ENDPOINT]
    _packer, token = await open_browser(shop, packer, token)  # another member at this browser
    assert (await list_endpoints(shop, owner), await list_endpoints(shop, packer)) == ([], [])
