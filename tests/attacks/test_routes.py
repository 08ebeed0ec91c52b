"""Every route, called as every kind of caller: unauthorized callers are refused, and no input causes a server error."""

import json
import re
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from tests.attacks.conftest import STAFF
from tests.attacks.surface import ANY
from tests.e2e.conftest import ShopServer

TABLE = Path(__file__).with_name("routes.txt")
LINES = [
    line.split(maxsplit=2)
    for line in TABLE.read_text("utf-8").splitlines()
    if line and not line.startswith("#")
]
ROUTES = {f"{method} {path}": callers.strip() for method, path, callers in LINES}
BODIES = (
    b"",
    b"{}",
    b"[1]",
    b'{"email": 5, "items": {"a": [null]}, "quantity": -1, "metadata": "\\u0000"}',
    b"not json \xff",
)
QUERIES = (
    "",
    "?limit=-1&offset=x&order=%01&fields=**,-*,+a.b.c&q=%F0%9F%92%A5%FF&id[]=a&id[5]=b",
    "?limit=1e9&x",
    "?q=%00",
)
NO_KEY = "Publishable API key required"
KINDS = ("nobody", "key", "forger", "customer", "staff")


class Callers:
    """The headers of each kind of caller, at one shop."""

    def __init__(self, client: httpx.Client) -> None:
        self.client = client
        self._count = 0
        self._staff = self._staff_token()
        keys = client.get("/admin/api-keys", headers=self._staff).json()["api_keys"]
        self._key = {"x-publishable-api-key": keys[0]["token"]}
        self._customer = self._sign_up()

    def headers(self, kind: str) -> dict[str, str]:
        """Return the headers of this kind of caller."""
        match kind:
            case "nobody":
                return {}
            case "forger":
                return {**self._key, **_bearer("eyJhbGciOiJub25lIn0.eyJhY3Rvcl90eXBlIjoidXNlciJ9.")}
            case "customer":
                return self._customer
            case "staff":
                return {**self._key, **self._staff}
            case _:
                return self._key

    def send(self, kind: str, method: str, address: str, body: bytes) -> httpx.Response:
        """Send a request as this kind of caller."""
        self.client.cookies.clear()
        headers = {**self.headers(kind), "content-type": "application/json"}
        return self.client.request(method, address, content=body, headers=headers)

    def renew(self, kind: str) -> None:
        """Sign this kind of caller in again, after a route has revoked the previous token."""
        if kind == "customer":
            self._customer = self._sign_up()
        if kind == "staff":
            self._staff = self._staff_token()

    def _staff_token(self) -> dict[str, str]:
        """Return the headers of a new sign-in of the staff member."""
        body = {"email": STAFF[0], "password": STAFF[1]}
        return _bearer(self.client.post("/auth/user/emailpass", json=body).json()["token"])

    def _sign_up(self) -> dict[str, str]:
        """Register a customer and return their headers."""
        self._count += 1
        login = {"email": f"ana{self._count}@example.com", "password": "una clave muy larga"}
        token = self.client.post("/auth/customer/emailpass/register", json=login).json()["token"]
        answer = self.client.post(
            "/store/customers", json={"email": login["email"]}, headers={**self._key, **_bearer(token)}
        )
        assert answer.status_code == 200, answer.text
        token = self.client.post("/auth/customer/emailpass", json=login).json()["token"]
        return {**self._key, **_bearer(token)}


def _bearer(token: str) -> dict[str, str]:
    return {"authorization": f"Bearer {token}"}


@pytest.fixture(scope="session")
def callers(attacked_shop: ShopServer) -> Iterator[Callers]:
    """Create the callers of the attacked shop."""
    with httpx.Client(base_url=attacked_shop.url, timeout=60) as client:
        yield Callers(client)


def test_table_of_callers_lists_exactly_the_routes(shop_surface: dict[str, list[str]]) -> None:
    assert sorted(ROUTES) == sorted(shop_surface["routes"])


def test_every_route_in_the_table_has_a_known_caller() -> None:
    assert {caller for callers in ROUTES.values() for caller in callers.split()} == {
        "anybody",
        "key",
        "customer",
        "staff",
    }


def can_call(kind: str, callers: str) -> bool:
    """Return True if a route that `routes.txt` opens to `callers` accepts a caller of this kind."""
    return callers == "anybody" or (callers == "key" and kind != "nobody") or kind in callers.split()


def list_nonsense(method: str) -> list[tuple[str, bytes]]:
    """Return invalid requests for this method, each as its query and its body."""
    if method in {"GET", "HEAD"}:
        return [(query, b"") for query in QUERIES]
    return [("", body) for body in BODIES]


@pytest.mark.parametrize("route", ROUTES)
def test_route_accepts_only_the_callers_in_the_table(route: str, callers: Callers) -> None:
    method, path = route.split()
    method = "GET" if method == ANY else method
    address = re.sub(r"\{\w+:int\}", "7", path)
    address = re.sub(r"\{\w+\}|\[\w+\]", "nonsense", address)
    for kind in KINDS:
        is_let_in = can_call(kind, ROUTES[route])
        for query, body in list_nonsense(method) if is_let_in else [("", b"")]:
            answer = callers.send(kind, method, address + query, body)
            if is_let_in and answer.status_code == 401 and ROUTES[route] != "anybody":
                callers.renew(kind)
                answer = callers.send(kind, method, address + query, body)
            context = f"{route} as {kind} with {query!r} {body!r}: {answer.status_code} {answer.text[:200]}"
            assert answer.status_code < 500, context
            if not is_let_in:
                _assert_refused(answer, path, kind, context)
            elif ROUTES[route] != "anybody":
                assert answer.status_code != 401, context
                assert NO_KEY not in answer.text, context


def _assert_refused(answer: httpx.Response, path: str, kind: str, context: str) -> None:
    """Check that the answer is 401, or 400 from the Store API for a caller without a publishable key."""
    if kind == "nobody" and path.startswith("/store/"):
        assert (answer.status_code, NO_KEY in answer.text) == (400, True), context
    else:
        assert answer.status_code == 401, context
    if answer.request.method != "HEAD":
        assert "message" in json.loads(answer.content), context


@pytest.mark.parametrize("path", ["/_upload", "/ping", "/_health", "/_all_routes", "/auth-codespace"])
@pytest.mark.parametrize("method", ["GET", "POST"])
def test_reflex_default_routes_do_not_exist(method: str, path: str, attacked_shop: ShopServer) -> None:
    files = {"files": ("a.html", b"<script>alert(1)</script>")} if method == "POST" else None
    answer = httpx.request(method, attacked_shop.url + path, files=files, timeout=30)
    assert answer.status_code == {"GET": 404, "POST": 405}[method], answer.text[:200]
