"""Every route below /admin, called as every role: only the roles in the table may call it."""

import re
from collections.abc import AsyncIterator
from pathlib import Path

import httpx
import pytest
from fastapi import FastAPI

from backend.app import Shop, create_api
from backend.core.config.settings import Settings
from backend.edge.auth.bearer_tokens import CUSTOMER, USER, TokenOwner, issue_token
from backend.staff.models import Staff
from backend.staff.rights import RIGHTS, SECOND_FACTOR, Right, Role
from backend.staff.sessions import COOKIE, Browser, open_session
from tests.attacks.surface import list_routes

LINES = [
    line.split(maxsplit=2)
    for line in Path(__file__).with_name("roles.txt").read_text("utf-8").splitlines()
    if line and not line.startswith("#")
]
ROLES = {f"{method} {path}": set(roles.split()) for method, path, roles in LINES}
ORIGIN = "http://shop.test"
PARTS = 4
"""The number of test parts: all routes as all callers are several thousand requests."""
BODIES = {
    "/resolve": {"action": "dismissed", "note": "x"},
    "/orders/{order_id}": {"shipping_address": {}},
    "/notes": {"text": "x"},
    "/refunds": {"amount": 1, "reference": "x"},
    "/admin/campaigns": {"name": "X", "campaign_identifier": "X"},
    "/admin/promotions": {
        "code": "X",
        "type": "standard",
        "application_method": {"type": "fixed", "target_type": "order", "value": 1},
    },
    "/admin/price-lists": {
        "title": "X",
        "status": "active",
        "prices": [{"variant_id": "variant_1", "amount": 1}],
    },
    "/products": {"remove": []},
    "/products/imports": {"file_key": "x", "originalname": "x"},
    "/presigned-urls": {"originalname": "x", "mime_type": "text/csv", "size": 1},
    "/admin/invites": {"email": "lina@trompo.example"},
    "/shipments": {"items": [{"id": "x", "quantity": 1}]},
    "/fulfillments": {"items": [{"id": "x", "quantity": 1}]},
    "/location-levels": {"location_id": "x", "stocked_quantity": 1},
    "/location-levels/{location_id}": {"stocked_quantity": 1},
    "/returns": {"order_id": "x"},
    "/draft-orders/{draft_id}/edit/items": {"items": []},
    "/admin/exchanges": {"order_id": "x"},
    "/inbound/items": {"items": [{"id": "x", "quantity": 1}]},
    "/outbound/items": {"items": [{"variant_id": "x", "quantity": 1}]},
    "/order-edits": {"order_id": "x"},
    "/order-edits/{order_id}/items": {"items": [{"variant_id": "x", "quantity": 1}]},
    "/items/{action_id}": {"quantity": 1},
    "/items/item/{item_id}": {"quantity": 1},
    "/edit/items/{action_id}": {"quantity": 1},
    "/edit/items/item/{item_id}": {"quantity": 1},
    "/edit/promotions": {"promo_codes": []},
    "/edit/shipping-methods": {"shipping_option_id": "x"},
    "/rbac/roles": {"name": "X", "policy_ids": ["rpol_READ_ORDERS"]},
    "/rbac/roles/{role_id}": {"name": "X"},
    "/rbac/roles/{role_id}/policies": {"policies": ["rpol_READ_ORDERS"]},
    "/rbac/roles/{role_id}/users": {"users": ["x"]},
    "/users/{user_id}/roles": {"roles": ["shop"]},
    "/request-items": {"items": [{"id": "x", "quantity": 1}]},
    "/receive-items": {"items": [{"id": "x", "quantity": 1}]},
    "/dismiss-items": {"items": [{"id": "x", "quantity": 1}]},
    "/shipping-method": {"shipping_option_id": "x"},
    "/stock-movements": {"inventory_item_id": "x", "location_id": "x", "quantity": 1, "reason": "received"},
    "/admin/products": {"title": "X"},
    "/options": {"title": "X", "values": ["Y"]},
    "/variants": {"title": "X", "prices": [{"amount": 1, "currency_code": "cop"}]},
    "/values/{value_id}": {"value": "X"},
    "/admin/product-tags": {"value": "X"},
    "/admin/product-types": {"value": "X"},
    "/admin/redirects": {"path": "/x", "product_id": "x"},
    "/admin/webhooks": {"url": "https://127.0.0.1/x", "events": ["order.placed"]},
    "/admin/refund-reasons": {"code": "x", "label": "X"},
    "/admin/return-reasons": {"value": "x", "label": "X"},
    "/admin/collections": {"title": "X"},
    "/admin/product-categories": {"name": "X"},
    "/admin/stock-locations": {"name": "X"},
    "/admin/regions": {"name": "X", "currency_code": "cop"},
    "/admin/sales-channels": {"name": "X"},
    "/admin/api-keys": {"title": "X", "type": "publishable"},
    "/api-keys/{key_id}": {"title": "X"},
    "/admin/customers": {"email": "luz@example.com"},
    "/admin/customer-groups": {"name": "X"},
    "/fulfillment-sets": {"name": "X", "type": "shipping"},
    "/service-zones": {"name": "X", "geo_zones": [{"type": "country", "country_code": "co"}]},
    "/admin/shipping-options": {
        "name": "X",
        "service_zone_id": "x",
        "shipping_profile_id": "x",
        "provider_id": "x",
        "price_type": "calculated",
        "type": {"label": "x", "description": "x", "code": "x"},
        "prices": [],
    },
}
"""Bodies for routes with required fields, by the longest matching end of the path; otherwise an empty object."""
Callers = dict[str, dict[str, str]]


@pytest.fixture
async def shop(sqlite_url: str, tmp_path: Path) -> AsyncIterator[Shop]:
    """Create a shop without products and orders. The test adds the staff."""
    shop = Shop(Settings(data_dir=tmp_path, database_url=sqlite_url))
    yield shop
    await shop.stop()


@pytest.fixture
def api(shop: Shop) -> FastAPI:
    return create_api(shop)


@pytest.fixture
async def callers(shop: Shop) -> Callers:
    """Return each caller's headers by name: a bearer token or, for names such as `owner in a browser`, a session."""
    key = shop.settings.signing_key
    headers: Callers = {
        "nobody": {},
        "a customer": bearer_headers(issue_token(key, TokenOwner("cus_1", CUSTOMER))),
        "a customer's token that says staff": bearer_headers(issue_token(key, TokenOwner("cus_1", USER))),
    }
    async with shop.database.transaction() as session:
        for name, role in [*((str(role), role) for role in Role), ("disabled", Role.OWNER)]:
            member = Staff(email=f"{name}@trompo.example", password_hash="never used", role=role)
            session.add(member)
            await session.flush()
            headers[name] = bearer_headers(issue_token(key, TokenOwner(member.id, USER)))
            for kind, has_second_factor in (("in a browser", False), ("with the second factor", True)):
                browser = Browser("127.0.0.1")
                token = await open_session(session, member.id, browser, has_second_factor=has_second_factor)
                headers[f"{name} {kind}"] = {"cookie": f"{COOKIE}={token}", "origin": ORIGIN}
            if name == "disabled":
                member.disabled_at = member.created_at
    return headers


def bearer_headers(token: str) -> dict[str, str]:
    return {"authorization": f"Bearer {token}"}


def test_table_of_roles_lists_exactly_the_admin_routes(api: FastAPI) -> None:
    admin_routes = {route for route in list_routes(api.routes) if route.split()[1].startswith("/admin")}
    assert set(ROLES) == admin_routes


def expected_outcome(route: str, caller: str) -> str:
    """Return the expected outcome for this caller: `let in`, `forbidden`, `the office`, or `unknown`.

    `the office` is a refusal that asks the caller to confirm the second factor in the office.
    """
    name, _, kind = caller.partition(" ")
    if name not in tuple(Role):
        return "unknown"
    allowed = ROLES[route]
    if name in allowed:
        return "let in"
    if f"{name}+" in allowed:
        return "let in" if kind == "with the second factor" else "the office"
    return "forbidden"


@pytest.mark.parametrize("part", range(PARTS))
async def test_admin_route_accepts_only_the_roles_in_the_table(
    api: FastAPI, callers: Callers, part: int
) -> None:
    transport = httpx.ASGITransport(api, client=("127.0.0.1", 50_000))
    wrong = []
    async with httpx.AsyncClient(transport=transport, base_url=ORIGIN) as client:
        for route in [*ROLES][part::PARTS]:
            method, path = route.split()
            suffix = max((suffix for suffix in BODIES if path.endswith(suffix)), key=len, default="")
            body = None if method in {"GET", "DELETE"} else BODIES.get(suffix, {})
            address = re.sub(r"\{\w+\}", "nonsense", path)
            for caller, headers in callers.items():
                answer = await client.request(method, address, json=body, headers=headers)
                if (outcome := read_outcome(answer)) != (expected := expected_outcome(route, caller)):
                    wrong.append(f"{route} as {caller}: {outcome}, not {expected}: {answer.text[:200]}")
    assert not wrong, "\n".join(wrong)


def read_outcome(answer: httpx.Response) -> str:
    """Return the outcome of the answer, in the words of `expected_outcome`."""
    if answer.status_code == 401 and answer.json() == {"message": "Unauthorized"}:
        return "unknown"
    if answer.status_code == 403:
        return "the office" if "/oficina" in answer.text else "forbidden"
    return "let in" if answer.status_code < 500 else f"{answer.status_code}"


def test_owner_has_every_right_and_only_the_owner_changes_staff() -> None:
    assert RIGHTS[Role.OWNER] == set(Right)
    assert set(RIGHTS) == set(Role)
    second_factor_rights = {
        Right.BOOK_REFUNDS, Right.CHANGE_SHOP, Right.CHANGE_STAFF, Right.ERASE_PERSONAL_DATA,
        Right.EXPORT_PERSONAL_DATA,
    }  # fmt: skip
    assert second_factor_rights == SECOND_FACTOR
    assert not any(Right.CHANGE_STAFF in RIGHTS[role] for role in Role if role is not Role.OWNER)
