"""Audit entries of sign-ins, exports and bulk reads; the stockroom sees no customer data.

| event | entry |
|---|---|
| a right password, for a browser or a token | `signed in` by the member |
| a wrong password of a member | `sign-in refused` by the shop |
| an unknown address | none: there is no member to record it for |
| 500 orders or customers read with one credential in an hour | none |
| one more | one `read in bulk`, and no other in that hour |
| an export of orders | `exported` |
"""

import asyncio
import json
from datetime import timedelta

import httpx
import pytest
from sqlalchemy import select, update

from backend.app import Shop
from backend.audit import SubjectType
from backend.audit.models import AuditEntry
from backend.core.db.database import db_now
from backend.customers.models import GuestCustomer
from backend.office.orders.detail import order_detail
from backend.rate_limit.models import RateLimitCounter
from backend.staff.bulk_reads import MAX_UNRECORDED_READS, count_reads
from backend.staff.rights import Actor, Role
from tests.backend.customers.conftest import NewBrowser
from tests.backend.staff.conftest import credentials
from tests.store_defaults import Defaults, add_product
from tests.store_steps import PSE, complete_purchase

OWNER = Actor("user_1", Role.OWNER, credential="chain_1")


async def list_actions(shop: Shop) -> list[tuple[str, str]]:
    """Return actor and action of all entries, oldest first, without the creation of staff."""
    async with shop.database.read() as session:
        rows = await session.execute(select(AuditEntry).order_by(AuditEntry.created_at, AuditEntry.id))
        return [(row.actor_id, row.action) for row in rows.scalars() if row.action != "created"]


async def test_staff_sign_in_with_a_browser_is_audited(
    new_browser: NewBrowser, shop: Shop, staff: dict[Role, str]
) -> None:
    assert (await new_browser().post("/auth/staff/login", json=credentials())).status_code == 200
    assert await list_actions(shop) == [(staff[Role.OWNER], "signed in")]


async def test_staff_sign_ins_are_audited(
    store: httpx.AsyncClient, shop: Shop, staff: dict[Role, str]
) -> None:
    right = credentials()
    wrong = {**right, "password": "otra clave larga"}
    unknown = {**right, "email": "nadie@trompo.example"}
    for body in (right, wrong, unknown):
        await store.post("/auth/user/emailpass", json=body)
    assert await list_actions(shop) == [(staff[Role.OWNER], "signed in"), ("shop", "sign-in refused")]
    async with shop.database.read() as session:
        refused = (
            await session.execute(select(AuditEntry).where(AuditEntry.action == "sign-in refused"))
        ).scalar_one()
    assert (refused.subject_type, refused.subject_id) == ("staff", staff[Role.OWNER])
    assert refused.changes == [
        {"field": "address"}
    ]  # the value itself is stored separately, so it can be deleted


@pytest.mark.parametrize("things", [SubjectType.ORDER, SubjectType.CUSTOMER])
async def test_bulk_reads_with_one_credential_are_audited_once_an_hour(
    shop: Shop, things: SubjectType
) -> None:
    await count_reads(shop.database, OWNER, things, MAX_UNRECORDED_READS)
    await count_reads(shop.database, OWNER, things, 0)
    other = Actor("user_1", Role.OWNER, credential="chain_2")
    await count_reads(shop.database, other, things, MAX_UNRECORDED_READS)
    assert await list_actions(shop) == []
    await asyncio.gather(*(count_reads(shop.database, OWNER, things, 100) for _rival in range(3)))
    assert await list_actions(shop) == [("user_1", "read in bulk")]
    async with shop.database.transaction() as session:  # the hour has passed
        await session.execute(update(RateLimitCounter).values(expires_at=db_now(-timedelta(seconds=1))))
    await count_reads(shop.database, OWNER, things, MAX_UNRECORDED_READS)
    assert len(await list_actions(shop)) == 1
    await count_reads(shop.database, OWNER, things, 1)
    assert len(await list_actions(shop)) == 2


async def test_lists_over_the_admin_api_count_as_reads_of_their_rows(
    admin: httpx.AsyncClient, shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("backend.staff.bulk_reads.MAX_UNRECORDED_READS", 3)
    async with shop.database.transaction() as session:
        session.add_all([GuestCustomer(email=f"g{number}@example.com") for number in range(3)])
    await admin.get("/admin/customers")
    assert "read in bulk" not in dict(map(reversed, await list_actions(shop)))  # type: ignore[arg-type]
    found = (await admin.get("/admin/customers", params={"limit": 1})).json()["customers"]
    assert [action for _actor, action in await list_actions(shop)].count("read in bulk") == 1
    await admin.get(f"/admin/customers/{found[0]['id']}")
    assert [action for _actor, action in await list_actions(shop)].count("read in bulk") == 1


async def test_stockroom_role_sees_neither_document_nor_email_of_customers(
    shop: Shop, store: httpx.AsyncClient, shop_defaults: Defaults, staff: dict[Role, str]
) -> None:
    async with shop.database.transaction() as session:
        variant = await add_product(session, shop_defaults, "trompo")
    order = await complete_purchase(store, variant, provider=PSE)
    hidden = ("ana@example.com", "1020304050")
    for role, is_seen in ((Role.SHOP, True), (Role.STOCKROOM, False)):
        token = (await store.post("/auth/user/emailpass", json=credentials(role))).json()["token"]
        headers = {"authorization": f"Bearer {token}"}
        wanted = {"fields": "+customer.email,+payment_collections.payment_sessions.data"}
        texts = [
            (await store.get(path, headers=headers, params=wanted)).text
            for path in (
                "/admin/orders",
                f"/admin/orders/{order['id']}",
                f"/admin/orders/{order['id']}/preview",
            )
        ]
        async with shop.database.read() as session:
            detail = await order_detail(session, Actor(staff[role], role), order["id"], "Trompo")
        texts.append(json.dumps(detail, default=str))
        for text in texts:
            assert [word in text for word in hidden] == [is_seen, is_seen], text
        assert "3001234567" in texts[0]  # the carrier needs the telephone number
        sent = (await store.get("/admin/notifications", headers=headers)).json()["notifications"]
        assert {one["to"] for one in sent} == {hidden[0] if is_seen else None}
        asked = await store.get("/admin/notifications", headers=headers, params={"to": hidden[0]})
        assert bool(asked.json()["count"]) is is_seen
