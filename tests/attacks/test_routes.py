"""Every route, called as every kind of caller: whoever may not is refused, and nothing that is sent fails inside."""

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
    """What each kind of caller sends, at one shop."""

    def __init__(self, client: httpx.Client) -> None:
        self.client = client
        self._count = 0
        self._staff = self._staff_token()
        keys = client.get("/admin/api-keys", headers=self._staff).json()["api_keys"]
        self._key = {"x-publishable-api-key": keys[0]["token"]}
        self._customer = self._signed_up()

    def headers(self, kind: str) -> dict[str, str]:
        """The headers of this kind of caller."""
        match kind:
            case "nobody":
                return {}
            case "forger":
                return {**self._key, **_bearer("eyJhbGciOiJub25lIn0.eyJhY3Rvcl90eXBlIjoidXNlciJ9.")}
            case "customer":
                if self.client.get("/store/customers/me", headers=self._customer).status_code != 200:
                    self._customer = self._signed_up()  # some route has ended the last one's token
                return self._customer
            case "staff":
                if self.client.get("/admin/users/me", headers=self._staff).status_code != 200:
                    self._staff = self._staff_token()  # some route has ended the last one
                return {**self._key, **self._staff}
            case _:
                return self._key

    def _staff_token(self) -> dict[str, str]:
        """Return the headers of a new sign-in of the staff member."""
        body = {"email": STAFF[0], "password": STAFF[1]}
        return _bearer(self.client.post("/auth/user/emailpass", json=body).json()["token"])

    def _signed_up(self) -> dict[str, str]:
        """The headers of a new customer."""
        self._count += 1
        person = {"email": f"ana{self._count}@example.com", "password": "una clave muy larga"}
        token = self.client.post("/auth/customer/emailpass/register", json=person).json()["token"]
        made = self.client.post(
            "/store/customers", json={"email": person["email"]}, headers={**self._key, **_bearer(token)}
        )
        assert made.status_code == 200, made.text
        token = self.client.post("/auth/customer/emailpass", json=person).json()["token"]
        return {**self._key, **_bearer(token)}


def _bearer(token: str) -> dict[str, str]:
    return {"authorization": f"Bearer {token}"}


@pytest.fixture(scope="session")
def callers(attacked: ShopServer) -> Iterator[Callers]:
    """Everybody who calls the shop under attack."""
    with httpx.Client(base_url=attacked.url, timeout=60) as client:
        yield Callers(client)


def test_the_table_has_every_route_and_no_other(reachable: dict[str, list[str]]) -> None:
    assert sorted(ROUTES) == sorted(reachable["routes"])


def test_the_table_names_callers_there_are() -> None:
    assert {caller for callers in ROUTES.values() for caller in callers.split()} == {
        "anybody",
        "key",
        "customer",
        "staff",
    }


def may_call(kind: str, callers: str) -> bool:
    """Whether a caller of this kind is let in by a route of these callers."""
    return callers == "anybody" or (callers == "key" and kind != "nobody") or kind in callers.split()


def sent(method: str) -> list[tuple[str, bytes]]:
    """The nonsense that this method is called with: queries and bodies."""
    if method in {"GET", "HEAD"}:
        return [(query, b"") for query in QUERIES]
    return [("", body) for body in BODIES]


@pytest.mark.parametrize("route", ROUTES)
def test_a_route_lets_in_whom_the_table_says(route: str, callers: Callers) -> None:
    method, path = route.split()
    method = "GET" if method == ANY else method
    address = re.sub(r"\{\w+:int\}", "7", path)
    address = re.sub(r"\{\w+\}|\[\w+\]", "nonsense", address)
    for kind in KINDS:
        is_let_in = may_call(kind, ROUTES[route])
        headers = {**callers.headers(kind), "content-type": "application/json"}
        for query, body in sent(method) if is_let_in else [("", b"")]:
            callers.client.cookies.clear()
            answer = callers.client.request(method, address + query, content=body, headers=headers)
            told = f"{route} as {kind} with {query!r} {body!r}: {answer.status_code} {answer.text[:200]}"
            assert answer.status_code < 500, told
            if not is_let_in:
                _assert_refused(answer, path, kind, told)
            elif ROUTES[route] != "anybody":
                assert answer.status_code != 401, told
                assert NO_KEY not in answer.text, told


def _assert_refused(answer: httpx.Response, path: str, kind: str, told: str) -> None:
    """401, or 400 where the key is asked for before the person."""
    if kind == "nobody" and path.startswith("/store/"):
        assert (answer.status_code, NO_KEY in answer.text) == (400, True), told
    else:
        assert answer.status_code == 401, told
    if answer.request.method != "HEAD":
        assert "message" in json.loads(answer.content), told


@pytest.mark.parametrize("path", ["/_upload", "/ping", "/_health", "/_all_routes", "/auth-codespace"])
@pytest.mark.parametrize("method", ["GET", "POST"])
def test_what_reflex_brings_along_is_not_there(method: str, path: str, attacked: ShopServer) -> None:
    files = {"files": ("a.html", b"<script>alert(1)</script>")} if method == "POST" else None
    answer = httpx.request(method, attacked.url + path, files=files, timeout=30)
    assert answer.status_code == {"GET": 404, "POST": 405}[method], answer.text[:200]
