"""Roles and policies over the Admin API, on both databases (platform: RBAC)."""

import httpx
import pytest
from sqlalchemy import select

from backend.app import Shop
from backend.audit.models import AuditEntry
from backend.staff.models import Staff
from tests.store_steps import get, post

PATH = "/admin/rbac/roles"


async def test_custom_role_gets_required_policies_and_its_members_lose_removed_ones(
    admin: httpx.AsyncClient, shop: Shop
) -> None:
    async with shop.database.transaction() as session:
        member = Staff(email="luis@trompo.example", password_hash="never used", role="shop")
        session.add(member)
    created = (await post(admin, PATH, {"name": "Caja", "policy_ids": ["rpol_CAPTURE_PAYMENTS"]}))["role"]
    assert [one["key"] for one in created["policies"]] == ["orders:read", "payments:capture"]
    assert (await post(admin, f"{PATH}/{created['id']}/users", {"users": [member.id]}))["users"][0][
        "role"
    ] == (created["id"])
    removed = await admin.delete(f"{PATH}/{created['id']}/policies/rpol_CAPTURE_PAYMENTS")
    assert removed.json() == {"id": "rpol_CAPTURE_PAYMENTS", "object": "rbac_policy", "deleted": True}
    assert (await get(admin, f"/admin/users/{member.id}/roles"))["roles"][0]["policies"] == [
        one for one in created["policies"] if one["key"] == "orders:read"
    ]
    async with shop.database.read() as session:
        rows = await session.execute(
            select(AuditEntry.action, AuditEntry.subject_type).order_by(AuditEntry.id)
        )
        found = [(action, kind) for action, kind in rows]
    assert found == [("created", "staff_role"), ("changed", "staff"), ("changed", "staff_role")]


@pytest.mark.parametrize(
    ("method", "path", "body", "status"),
    [
        ("POST", "", {"name": "Caja", "policy_ids": ["rpol_NOTHING"]}, 400),
        ("POST", "", {"name": "Caja", "policy_ids": ["READ_ORDERS"]}, 400),
        ("POST", "", {"name": "Caja", "policy_ids": []}, 400),
        ("POST", "", {"name": "Caja", "policy_ids": ["rpol_CHANGE_STAFF"]}, 403),
        ("POST", "", {"name": "Dueño", "policy_ids": ["rpol_READ_ORDERS"]}, 422),
        ("POST", "/owner", {"name": "Jefe"}, 404),
        ("POST", "/shop/policies", {"policies": ["rpol_BOOK_REFUNDS"]}, 404),
        ("DELETE", "/shop", None, 404),
        ("DELETE", "/shop/policies/rpol_NOTHING", None, 404),
        ("GET", "/role_none", None, 404),
        ("GET", "/role_none/users", None, 404),
        ("POST", "/role_none/users", {"users": ["user_1"]}, 404),
        ("POST", "/shop/users", {"users": ["user_none"]}, 404),
    ],
)
async def test_invalid_requests_about_roles_are_refused(
    admin: httpx.AsyncClient, method: str, path: str, body: object, status: int
) -> None:
    answer = await admin.request(method, f"{PATH}{path}", json=body)
    assert answer.status_code == status, answer.text
    assert [role["id"] for role in (await get(admin, PATH))["roles"]] == [
        "owner",
        "shop",
        "stockroom",
        "accountant",
    ]


async def test_last_owner_cannot_be_given_another_role(admin: httpx.AsyncClient, shop: Shop) -> None:
    me = (await get(admin, "/admin/users/me"))["user"]["id"]
    assert (await admin.post(f"/admin/users/{me}/roles", json={"roles": ["shop"]})).status_code == 400
    assert (await get(admin, f"{PATH}/owner/users"))["count"] == 1
