"""Strangers who send anything, at a running shop: requests to every route, events to every handler.

`python -m tests.failure.fuzz --requests 100000 --events 50000` prints the figures. The shop is the real one, in a
process of its own, with nothing but its defaults. Nothing may fail with 5xx but 503 with `Retry-After` and 502 for an
outside service; nothing may loop, grow without end, or log more than was sent. A socket that sends too much nonsense is
closed, as `storefront/reflex_ext/socket_guard.py` says, and its stranger comes again from another address; each socket
is read until its last event is answered.
"""

import argparse
import asyncio
import inspect
import json
import random
import re
import string
import tempfile
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
import psutil

from tests.attacks.frames import event_frame, raw_socket
from tests.e2e.conftest import ShopServer

STAFF = ("staff@trompo.example", "una clave muy larga")
SENDERS = 12
SOCKETS = 8
EVENTS_OF_A_SOCKET = 60
IDLE_WINDOWS = 30
PAGES = (
    "/",
    "/catalog",
    "/cart",
    "/checkout",
    "/wishlist",
    "/account",
    "/product/trompo-de-madera",
    "/sitemap.xml",
)
METHODS = ("GET", "GET", "POST", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS", "TRACE")
ODD = (
    "", "0", "-1", "null", "ñ", "%00", "%ff", "../../etc/passwd", "' OR 1=1--", "<script>", "a" * 3_000, "💥",
    "\u202e", "1e999", "9" * 30, "true", "[]", "{}", "@[", "//", "\x7f", "NaN",
)  # fmt: skip


@dataclass
class Figures:
    """What came of it."""

    statuses: Counter[int] = field(default_factory=Counter)
    wrong: Counter[str] = field(default_factory=Counter)
    events: int = 0
    sockets: int = 0
    closed: int = 0
    """Sockets that the shop closed."""
    sent: int = 0
    """Bytes, of bodies, addresses and frames."""


@dataclass(frozen=True)
class Known:
    """What a stranger can know: routes, handlers, ids and tokens."""

    routes: list[tuple[str, str]]
    handlers: dict[str, list[str]]
    """The names of each one's arguments."""
    ids: list[str]
    key: str
    token: str


async def run(requests: int, events: int, seed: int) -> None:
    """Send it all and print what came of it."""
    rng = random.Random(seed)
    with tempfile.TemporaryDirectory() as folder:
        shop = ShopServer(
            Path(folder),
            environment={"ADMIN_EMAIL": STAFF[0], "ADMIN_PASSWORD": STAFF[1], "TRUSTED_PROXIES": "127.0.0.1"},
        )
        shop.start()
        try:
            known = await _learn(shop)
            figures = Figures()
            idle_before = await processor_percent(shop)
            print(f"seed {seed}; processor while idle: {idle_before:.1f} %")
            _print_memory(shop, "at first")
            for tenth in range(1, 11):
                await _send_requests(shop, known, requests // 10, rng, figures)
                _print_memory(shop, f"{requests * tenth // 10} requests")
            for tenth in range(1, 11):
                await send_events(shop.url, known, events // 10, rng, figures)
                _print_memory(shop, f"{events * tenth // 10} events")
            await _wait_until_idle(shop, idle_before)
            _print_memory(shop, "idle")
            print(f"{sum(figures.statuses.values())} requests: {dict(sorted(figures.statuses.items()))}")
            print(
                f"{figures.events} events, {figures.closed} of {figures.sockets} sockets closed by the shop"
            )
            print(f"wrong: {dict(figures.wrong) or 'nothing'}")
            for failure, times in _failures(shop.log).most_common():
                print(f"{times:>6} × {failure}")
            print(f"sent {figures.sent / 1e6:.1f} MB, logged {len(shop.log) / 1e6:.3f} MB")
        finally:
            shop.stop()


async def _learn(shop: ShopServer) -> Known:
    async with httpx.AsyncClient(base_url=shop.url, timeout=60) as client:
        described = (await client.get("/openapi.json")).json()
        routes = [
            (method.upper(), path) for path, methods in described["paths"].items() for method in methods
        ]
        answer = await client.post("/auth/user/emailpass", json={"email": STAFF[0], "password": STAFF[1]})
        token = answer.json()["token"]
        keys = await client.get("/admin/api-keys", headers={"Authorization": f"Bearer {token}"})
        key = keys.json()["api_keys"][0]["token"]
        store = {"x-publishable-api-key": key}
        products = (await client.get("/store/products?limit=5&fields=*variants", headers=store)).json()[
            "products"
        ]
        cart = (await client.post("/store/carts", headers=store, json={})).json()["cart"]["id"]
    ids = [cart, *(p["id"] for p in products), *(v["id"] for p in products for v in p["variants"])]
    return Known(routes, _handlers(), ids, key, token)


def _handlers() -> dict[str, list[str]]:
    from reflex_base.registry import RegistrationContext

    import storefront.storefront  # noqa: F401 - registers the handlers

    registered = RegistrationContext.get().event_handlers
    return {name: list(inspect.signature(one.handler.fn).parameters)[1:] for name, one in registered.items()}


async def _send_requests(
    shop: ShopServer, known: Known, number: int, rng: random.Random, figures: Figures
) -> None:
    async with httpx.AsyncClient(base_url=shop.url, timeout=60) as client:
        left = iter(range(number))

        async def send() -> None:
            for _ in left:
                await _send_one(client, known, rng, figures)

        await asyncio.gather(*(send() for _ in range(SENDERS)))


async def _send_one(client: httpx.AsyncClient, known: Known, rng: random.Random, figures: Figures) -> None:
    method, path = rng.choice(known.routes) if rng.random() < 0.9 else ("GET", rng.choice(PAGES))
    if rng.random() < 0.1:
        method = rng.choice(METHODS)
    while "{" in path:
        before, _, rest = path.partition("{")
        path = before + _piece(known, rng) + rest.partition("}")[2]
    query = "&".join(f"{_name(rng)}={_piece(known, rng)}" for _ in range(rng.choice((0, 0, 1, 3))))
    headers = {"X-Forwarded-For": f"{rng.randrange(1, 224)}.{rng.randrange(256)}.{rng.randrange(256)}.7"}
    if rng.random() < 0.8:
        headers["x-publishable-api-key"] = known.key
    if rng.random() < 0.3:
        headers["Authorization"] = f"Bearer {known.token}"
    body = _body(known, rng)
    address = path + (f"?{query}" if query else "")
    figures.sent += len(body) + len(address) + 200
    try:
        answer = await client.request(
            method, httpx.URL(address), headers={**headers, "content-type": "application/json"}, content=body
        )
    except (httpx.InvalidURL, UnicodeEncodeError, ValueError):
        return
    except httpx.TransportError as error:
        figures.wrong[f"{type(error).__name__} {method} {path[:60]}"] += 1
        return
    figures.statuses[answer.status_code] += 1
    is_refusal = answer.status_code == 503 and "retry-after" in answer.headers
    if answer.status_code >= 500 and answer.status_code != 502 and not is_refusal:
        figures.wrong[f"{answer.status_code} {method} {path[:80]} {body[:120]!r}"] += 1


def _piece(known: Known, rng: random.Random) -> str:
    """An id or a word for an address."""
    if rng.random() < 0.6:
        return rng.choice(known.ids)
    return "".join(c for c in rng.choice(ODD) if c.isprintable() and c not in "{}?#[]") or "x"


def _name(rng: random.Random) -> str:
    return rng.choice(
        ("limit", "offset", "order", "fields", "q", "id", "region_id", "handle", "status", "cart_id", "x")
    )


def _body(known: Known, rng: random.Random) -> bytes:
    kind = rng.random()
    if kind < 0.1:
        return rng.randbytes(rng.randrange(200))
    if kind < 0.13:
        return b"[" * rng.randrange(5_000)
    if kind < 0.14:
        return json.dumps({"metadata": {"x": "a" * rng.randrange(300_000)}}).encode()
    return json.dumps(_value(known, rng, 0)).encode()


KEYS = (
    "email", "password", "variant_id", "quantity", "shipping_address", "billing_address", "items", "metadata",
    "option_id",
    "cart_id", "provider_id", "data", "region_id", "title", "handle", "prices", "amount", "first_name", "phone", "city",
    "province", "country_code", "address_1", "customer_id", "promo_codes", "status", "images", "variants", "options",
)  # fmt: skip


def _value(known: Known, rng: random.Random, depth: int) -> Any:
    kind = rng.random()
    if depth == 0 or (depth < 4 and kind < 0.25):
        return {rng.choice(KEYS): _value(known, rng, depth + 1) for _ in range(rng.randrange(6))}
    if depth < 4 and kind < 0.35:
        return [_value(known, rng, depth + 1) for _ in range(rng.randrange(4))]
    makers: tuple[Callable[[], Any], ...] = (
        lambda: rng.choice(ODD),
        lambda: rng.choice(known.ids),
        lambda: rng.choice((None, True, False, 0, 1, -1, 2**31, 2**63, 10**40, 1.5, -0.0)),
        lambda: "".join(rng.choices(string.printable + "ñáé💥\u2028", k=rng.randrange(60))),
    )
    return rng.choice(makers)()


async def send_events(url: str, known: Known, number: int, rng: random.Random, figures: Figures) -> None:
    """Send at least so many events to the shop at `url`, over sockets that each come from an address of its own."""
    left = [number]

    async def send() -> None:
        while left[0] > 0:
            left[0] -= EVENTS_OF_A_SOCKET
            client = f"{rng.randrange(1, 224)}.{rng.randrange(256)}.{rng.randrange(256)}.9"
            figures.sockets += 1
            async with raw_socket(url, client=client) as socket:
                frames = [event_frame(_event(known, rng)) for _ in range(EVENTS_OF_A_SOCKET)]
                figures.sent += sum(map(len, frames))
                figures.events += len(frames)
                try:
                    await socket.load()
                    await socket.send_all(frames)
                    stays = await socket.handles_all()
                    figures.closed += not stays
                except TimeoutError:
                    figures.wrong["an event that nobody answered"] += 1

    await asyncio.gather(*(send() for _ in range(SOCKETS)))


def _event(known: Known, rng: random.Random) -> Any:
    if rng.random() < 0.05:
        return _value(known, rng, 1)
    name, arguments = rng.choice(list(known.handlers.items()))
    fits = rng.random() < 0.9
    event: dict[str, Any] = {
        "name": name,
        "payload": {key: _value(known, rng, 1) for key in arguments} if fits else _value(known, rng, 0),
        "router_data": {"pathname": "/cart", "asPath": "/cart"},
    }
    if rng.random() < 0.2:
        event[rng.choice(tuple(event))] = _value(known, rng, 1)
    if rng.random() < 0.2:
        event["router_data"] = {rng.choice(("pathname", "asPath", "query", "headers")): _value(known, rng, 1)}
    return event


def _failures(log: str) -> Counter[str]:
    """What failed unexpectedly, by the last line of its traceback."""
    return Counter(re.findall(r"^ {4}Traceback .*\n(?: {5}.*\n)*?    (\w.*)$", log, re.MULTILINE))


def _family(shop: ShopServer) -> list[psutil.Process]:
    assert shop.process is not None
    parent = psutil.Process(shop.process.pid)
    return [parent, *parent.children(recursive=True)]


def memory_mib(shop: ShopServer) -> int:
    """PSS of all processes of the shop, in MiB."""
    return sum(process.memory_full_info().pss for process in _family(shop)) // 2**20


def _print_memory(shop: ShopServer, when: str) -> None:
    """PSS of each process, in MiB, the largest last."""
    each = sorted(process.memory_full_info().pss // 2**20 for process in _family(shop))
    print(f"{when:>16}: {sum(each)} MiB = {' + '.join(map(str, each))}", flush=True)


async def _wait_until_idle(shop: ShopServer, before: float) -> None:
    """Print the shop's processor time in windows of ten seconds until it is as low as before."""
    for window in range(IDLE_WINDOWS):
        percent = await processor_percent(shop)
        print(f"processor {window * 10} to {window * 10 + 10} s afterwards: {percent:.1f} %", flush=True)
        if percent <= before + 0.5:
            return
    raise AssertionError("a task is left over")


async def processor_percent(shop: ShopServer) -> float:
    """Percent of one processor that the shop takes while nobody asks, over ten seconds."""
    family = _family(shop)
    before = sum(sum(process.cpu_times()[:2]) for process in family)
    await asyncio.sleep(10)
    return (sum(sum(process.cpu_times()[:2]) for process in family) - before) * 10


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--requests", type=int, default=100_000)
    parser.add_argument("--events", type=int, default=50_000)
    parser.add_argument("--seed", type=int, default=random.randrange(10**6))
    arguments = parser.parse_args()
    asyncio.run(run(arguments.requests, arguments.events, arguments.seed))
