"""`/admin/webhooks` over HTTP, the rights, and the audit."""

import socket
from typing import Any

import httpx
import pytest
from sqlalchemy import select

from backend.app import Shop
from backend.audit.models import AuditEntry
from backend.staff.models import Staff
from backend.staff.rights import Actor, Role
from backend.staff.secret_keys import create_secret_key
from backend.webhooks.models import WebhookDelivery, WebhookEndpoint
from backend.webhooks.service import MAX_ENDPOINTS
from tests.backend.webhooks.conftest import place_order, read_deliveries

PATH = "/admin/webhooks"
URL = "https://erp.example.com/trompo?clave=secreta"
NEW = {"url": URL, "events": ["payment.captured", "order.placed"]}


@pytest.fixture(autouse=True)
def _resolve_names(monkeypatch: pytest.MonkeyPatch) -> None:
    """Resolve the names of programs to a public address, and the name `inside.example.com` to a private one."""
    really = socket.getaddrinfo

    def resolve(host: str, port: int, *options: Any, **more: Any) -> list[Any]:
        if not host.endswith(".example.com"):
            return really(host, port, *options, **more)
        if host == "unknown.example.com":
            raise socket.gaierror
        ip = "10.0.0.7" if host == "inside.example.com" else "93.184.216.34"
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (ip, port))]

    monkeypatch.setattr(socket, "getaddrinfo", resolve)


async def create(admin: httpx.AsyncClient, **values: Any) -> dict[str, Any]:
    answer = await admin.post(PATH, json={**NEW, **values})
    assert answer.status_code == 200, answer.text
    webhook: dict[str, Any] = answer.json()["webhook"]
    return webhook


async def read_actions(shop: Shop) -> list[tuple[str, str]]:
    async with shop.database.read() as session:
        query = select(AuditEntry).where(AuditEntry.subject_type == "webhook").order_by(AuditEntry.id)
        return [(one.action, one.subject_id) for one in (await session.execute(query)).scalars()]


async def test_webhook_is_created_read_changed_rotated_and_deleted(
    admin: httpx.AsyncClient, shop: Shop
) -> None:
    created = await create(admin)
    webhook_id, secret = created["id"], created.pop("secret")
    assert secret.startswith("whsec_")
    assert {
        name: created[name] for name in ("url", "events", "is_active", "failing_since", "last_delivery")
    } == {
        "url": URL,
        "events": ["order.placed", "payment.captured"],
        "is_active": True,
        "failing_since": None,
        "last_delivery": None,
    }
    assert (await admin.get(f"{PATH}/{webhook_id}")).json() == {"webhook": created}
    listed = (await admin.get(PATH, params={"fields": "url"})).json()
    assert listed == {"webhooks": [{"id": webhook_id, "url": URL}], "count": 1, "offset": 0, "limit": 50}
    other = "https://other.example.com/x"
    change = {"url": other, "events": ["product.updated"], "is_active": False}
    changed = (await admin.post(f"{PATH}/{webhook_id}", json=change)).json()["webhook"]
    assert {name: changed[name] for name in change} == change
    assert "secret" not in changed
    rotated = (await admin.post(f"{PATH}/{webhook_id}/rotate")).json()["webhook"]
    assert rotated["secret"] not in ("", secret)
    assert (await admin.delete(f"{PATH}/{webhook_id}")).json() == {
        "id": webhook_id,
        "object": "webhook",
        "deleted": True,
    }
    assert (await admin.get(f"{PATH}/{webhook_id}")).status_code == 404
    actions = ["created", "changed", "secret rotated", "deleted"]
    assert await read_actions(shop) == [(action, webhook_id) for action in actions]


async def test_audit_and_database_contain_neither_secret_nor_url_in_plain_text(
    admin: httpx.AsyncClient, shop: Shop
) -> None:
    created = await create(admin)
    await admin.post(f"{PATH}/{created['id']}", json={"url": "https://other.example.com/otra-clave"})
    await admin.post(f"{PATH}/{created['id']}/rotate")
    async with shop.database.read() as session:
        entries = (await session.execute(select(AuditEntry))).scalars().all()
        endpoint = (await session.execute(select(WebhookEndpoint))).scalar_one()
    audit = str([entry.changes for entry in entries])
    for secret in (created["secret"], "clave", endpoint.secret, endpoint.former_secret or "none"):
        assert secret not in audit
    assert "erp.example.com" in audit
    assert "other.example.com" in audit
    assert created["secret"] not in (endpoint.secret, endpoint.former_secret)


PRIVATE_OR_INSECURE_URLS = (
    "http://erp.example.com/x",
    "ftp://erp.example.com/x",
    "erp.example.com",
    "https://",
    "https:///x",
    "https://user:password@erp.example.com/x",
    "https://inside.example.com/x",
    "https://unknown.example.com/x",
    "https://127.0.0.1/x",
    "https://localhost/x",
    "https://[::1]/x",
    "https://[::ffff:10.0.0.1]/x",
    "https://2130706433/x",
    "https://0x7f.1/x",
    "https://0177.0.0.1/x",
    "https://127.1/x",
    "https://169.254.169.254/latest/meta-data",
    "https://[64:ff9b::7f00:1]/x",
    f"https://erp.example.com/{'x' * 500}",
    "https://erp.example.com:99999/x",
    "https://exa mple.com/x",
    "",
)


async def test_url_that_is_not_public_and_secure_is_refused(admin: httpx.AsyncClient) -> None:
    created = await create(admin)
    for url in PRIVATE_OR_INSECURE_URLS:
        answer = await admin.post(PATH, json={**NEW, "url": url})
        assert (url, answer.status_code) == (url, 400), answer.text
        assert answer.json()["type"] == "invalid_data", url
        changed = await admin.post(f"{PATH}/{created['id']}", json={"url": url})
        assert (url, changed.status_code) == (url, 400), changed.text
    assert [row["url"] for row in (await admin.get(PATH)).json()["webhooks"]] == [URL]


@pytest.mark.parametrize(
    "body",
    [
        {"events": []},
        {"events": ["order.everything"]},
        {"events": "order.placed"},
        {"events": ["ping"]},
        {"secret": "whsec_x"},
        {"is_active": True},
    ],
)
async def test_invalid_webhook_is_refused(admin: httpx.AsyncClient, body: dict[str, Any]) -> None:
    assert (await admin.post(PATH, json={**NEW, **body})).status_code == 400
    assert (await admin.get(PATH)).json()["count"] == 0


async def test_url_can_be_used_once_and_number_of_webhooks_is_limited(admin: httpx.AsyncClient) -> None:
    first = await create(admin)
    assert (await admin.post(PATH, json=NEW)).status_code == 400
    second = await create(admin, url="https://2.example.com/x")
    assert (await admin.post(f"{PATH}/{second['id']}", json={"url": URL})).status_code == 400
    assert (await admin.post(f"{PATH}/{first['id']}", json={"url": URL})).status_code == 200
    for number in range(3, MAX_ENDPOINTS + 1):
        await create(admin, url=f"https://{number}.example.com/x")
    refused = await admin.post(PATH, json={**NEW, "url": "https://more.example.com/x"})
    assert (refused.status_code, refused.json()["type"]) == (400, "not_allowed")


async def test_deliveries_are_listed_filtered_and_tried_again(admin: httpx.AsyncClient, shop: Shop) -> None:
    webhook_id = (await create(admin))["id"]
    for number in range(3):
        await place_order(shop, f"order_{number}")
    first, second, third = await read_deliveries(shop)
    async with shop.database.transaction() as session:
        delivery = await session.get_one(WebhookDelivery, first.id)
        delivery.state, delivery.status, delivery.next_try_at = "failed", 500, None
        delivery = await session.get_one(WebhookDelivery, second.id)
        delivery.state, delivery.status, delivery.next_try_at = "delivered", 200, None
    path = f"{PATH}/{webhook_id}/deliveries"
    listed = (await admin.get(path)).json()
    assert [one["id"] for one in listed["deliveries"]] == [third.id, second.id, first.id]
    assert (listed["count"], listed["deliveries"][0]["data"]) == (3, {"id": "order_2"})
    failed = (await admin.get(path, params={"state": "failed"})).json()["deliveries"]
    assert [(one["id"], one["status"], one["webhook_id"]) for one in failed] == [(first.id, 500, webhook_id)]
    assert (await admin.get(path, params={"event": "product.created"})).json()["count"] == 0
    assert (await admin.get(path, params={"state": "lost"})).status_code == 400
    latest = (await admin.get(f"{PATH}/{webhook_id}")).json()["webhook"]["last_delivery"]
    assert latest == listed["deliveries"][0]
    retried = (await admin.post(f"{path}/{first.id}/retry")).json()["delivery"]
    assert (retried["state"], retried["attempts"]) == ("waiting", 0)
    assert (await admin.post(f"{path}/{second.id}/retry")).status_code == 400
    assert (await admin.post(f"{path}/whdel_x/retry")).status_code == 404
    other_id = (await create(admin, url="https://2.example.com/x"))["id"]
    assert (await admin.post(f"{PATH}/{other_id}/deliveries/{first.id}/retry")).status_code == 404
    await admin.post(f"{PATH}/{webhook_id}", json={"is_active": False})
    assert (await admin.post(f"{path}/{first.id}/retry")).status_code == 400
    assert ("delivery tried again", webhook_id) in await read_actions(shop)


async def test_ping_is_recorded_with_its_result(
    admin: httpx.AsyncClient, shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    webhook_id = (await create(admin))["id"]

    def refuse(*_: object, **_more: object) -> None:
        raise socket.gaierror

    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    delivery = (await admin.post(f"{PATH}/{webhook_id}/test")).json()["delivery"]
    assert (delivery["event"], delivery["state"], delivery["status"]) == ("ping", "failed", None)
    assert delivery["answer"] == "it does not answer (its name is not known)"
    assert ("tried out", webhook_id) in await read_actions(shop)


@pytest.mark.parametrize("path", ["/hook_x", "/hook_x/deliveries"])
async def test_unknown_webhook_is_not_found(admin: httpx.AsyncClient, path: str) -> None:
    assert (await admin.get(f"{PATH}{path}")).status_code == 404
    for action in ("", "/rotate", "/test", "/deliveries/whdel_x/retry"):
        assert (await admin.post(f"{PATH}/hook_x{action}", json={})).status_code == 404
    assert (await admin.delete(f"{PATH}/hook_x")).status_code == 404


async def test_only_keys_of_owners_manage_webhooks(
    admin: httpx.AsyncClient, anyone: httpx.AsyncClient, shop: Shop
) -> None:
    async with shop.database.read() as session:
        owner_id = (await session.execute(select(Staff.id))).scalar_one()
    statuses = {}
    for role in Role:
        async with shop.database.transaction() as session:
            _key, token = await create_secret_key(session, Actor(owner_id, Role.OWNER), role, role)
        key = (token, "")
        new = {**NEW, "url": f"https://{role}.example.com/x"}
        statuses[role] = [
            (await anyone.get(PATH, auth=key)).status_code,
            (await anyone.post(PATH, json=new, auth=key)).status_code,
        ]
    assert statuses.pop(Role.OWNER) == [200, 200]
    assert set(map(tuple, statuses.values())) == {(403, 403)}
    assert (await anyone.get(PATH)).status_code == 401
