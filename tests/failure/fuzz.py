"""Random requests to every route and random events to every handler of a running shop.

`python -m tests.failure.fuzz --requests 100000 --events 50000` prints the figures. The shop is the real one, in a
separate process with its default settings. No answer may be 5xx except 503 with `Retry-After` and 502 for an
outside service; nothing may loop, grow without limit, or log more than was sent. The shop closes a socket that
sends too many invalid frames (`storefront/reflex_ext/socket_guard.py`); its client then connects from another
address. Each socket is read until its latest event is answered.
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
REQUEST_CONCURRENCY = 12
SOCKET_CONCURRENCY = 8
EVENTS_PER_SOCKET = 60
MAX_IDLE_WINDOWS = 30
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
ODD_TEXTS = (
    "", "0", "-1", "null", "ñ", "%00", "%ff", "../../etc/passwd", "' OR 1=1--", "<script>", "a" * 3_000, "💥",
    "\u202e", "1e999", "9" * 30, "true", "[]", "{}", "@[", "//", "\x7f", "NaN",
)  # fmt: skip


@dataclass
class Figures:
    """Results of a run."""

    statuses: Counter[int] = field(default_factory=Counter)
    wrong: Counter[str] = field(default_factory=Counter)
    events: int = 0
    sockets: int = 0
    closed: int = 0
    """Sockets that the shop closed."""
    sent: int = 0
    """Bytes of bodies, addresses and frames."""


@dataclass(frozen=True)
class KnownData:
    """Data that an attacker can know: routes, handlers, ids and tokens."""

    routes: list[tuple[str, str]]
    handlers: dict[str, list[str]]
    """Argument names by handler."""
    ids: list[str]
    key: str
    token: str


async def run(requests: int, events: int, seed: int) -> None:
    """Send the requests and events, and print the results."""
    rng = random.Random(seed)
    with tempfile.TemporaryDirectory() as folder:
        shop = ShopServer(
            Path(folder),
            environment={"ADMIN_EMAIL": STAFF[0], "ADMIN_PASSWORD": STAFF[1], "TRUSTED_PROXIES": "127.0.0.1"},
        )
        shop.start()
        try:
            known = await _read_known_data(shop)
            figures = Figures()
            idle_before = await measure_processor_percent(shop)
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
            for failure, times in _count_failures(shop.log).most_common():
                print(f"{times:>6} × {failure}")
            print(f"sent {figures.sent / 1e6:.1f} MB, logged {len(shop.log) / 1e6:.3f} MB")
        finally:
            shop.stop()


async def _read_known_data(shop: ShopServer) -> KnownData:
    async with httpx.AsyncClient(base_url=shop.url, timeout=60) as client:
        document = (await client.get("/openapi.json")).json()
        routes = [(method.upper(), path) for path, methods in document["paths"].items() for method in methods]
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
    return KnownData(routes, _list_handlers(), ids, key, token)


def _list_handlers() -> dict[str, list[str]]:
    from reflex_base.registry import RegistrationContext

    import storefront.storefront  # noqa: F401 - registers the handlers

    registered = RegistrationContext.get().event_handlers
    return {
        name: list(inspect.signature(registration.handler.fn).parameters)[1:]
        for name, registration in registered.items()
    }


async def _send_requests(
    shop: ShopServer, known: KnownData, count: int, rng: random.Random, figures: Figures
) -> None:
    async with httpx.AsyncClient(base_url=shop.url, timeout=60) as client:
        remaining = iter(range(count))

        async def send() -> None:
            for _ in remaining:
                await _send_request(client, known, rng, figures)

        await asyncio.gather(*(send() for _ in range(REQUEST_CONCURRENCY)))


async def _send_request(
    client: httpx.AsyncClient, known: KnownData, rng: random.Random, figures: Figures
) -> None:
    method, path = rng.choice(known.routes) if rng.random() < 0.9 else ("GET", rng.choice(PAGES))
    if rng.random() < 0.1:
        method = rng.choice(METHODS)
    while "{" in path:
        before, _, rest = path.partition("{")
        path = before + _choose_path_part(known, rng) + rest.partition("}")[2]
    query = "&".join(
        f"{_choose_query_name(rng)}={_choose_path_part(known, rng)}" for _ in range(rng.choice((0, 0, 1, 3)))
    )
    headers = {"X-Forwarded-For": f"{rng.randrange(1, 224)}.{rng.randrange(256)}.{rng.randrange(256)}.7"}
    if rng.random() < 0.8:
        headers["x-publishable-api-key"] = known.key
    if rng.random() < 0.3:
        headers["Authorization"] = f"Bearer {known.token}"
    body = _build_body(known, rng)
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


def _choose_path_part(known: KnownData, rng: random.Random) -> str:
    """Return an id or an odd word for an address."""
    if rng.random() < 0.6:
        return rng.choice(known.ids)
    return "".join(c for c in rng.choice(ODD_TEXTS) if c.isprintable() and c not in "{}?#[]") or "x"


def _choose_query_name(rng: random.Random) -> str:
    return rng.choice(
        ("limit", "offset", "order", "fields", "q", "id", "region_id", "handle", "status", "cart_id", "x")
    )


def _build_body(known: KnownData, rng: random.Random) -> bytes:
    kind = rng.random()
    if kind < 0.1:
        return rng.randbytes(rng.randrange(200))
    if kind < 0.13:
        return b"[" * rng.randrange(5_000)
    if kind < 0.14:
        return json.dumps({"metadata": {"x": "a" * rng.randrange(300_000)}}).encode()
    return json.dumps(_build_value(known, rng, 0)).encode()


BODY_KEYS = (
    "email", "password", "variant_id", "quantity", "shipping_address", "billing_address", "items", "metadata",
    "option_id",
    "cart_id", "provider_id", "data", "region_id", "title", "handle", "prices", "amount", "first_name", "phone", "city",
    "province", "country_code", "address_1", "customer_id", "promo_codes", "status", "images", "variants", "options",
    "gift_recipient", "recipient_first_name", "recipient_phone", "gift_message", "person_type", "doc_number",
    "company_name",
)  # fmt: skip


def _build_value(known: KnownData, rng: random.Random, depth: int) -> Any:
    kind = rng.random()
    if depth == 0 or (depth < 4 and kind < 0.25):
        return {rng.choice(BODY_KEYS): _build_value(known, rng, depth + 1) for _ in range(rng.randrange(6))}
    if depth < 4 and kind < 0.35:
        return [_build_value(known, rng, depth + 1) for _ in range(rng.randrange(4))]
    makers: tuple[Callable[[], Any], ...] = (
        lambda: rng.choice(ODD_TEXTS),
        lambda: rng.choice(known.ids),
        lambda: rng.choice((None, True, False, 0, 1, -1, 2**31, 2**63, 10**40, 1.5, -0.0)),
        lambda: "".join(rng.choices(string.printable + "ñáé💥\u2028", k=rng.randrange(60))),
    )
    return rng.choice(makers)()


async def send_events(url: str, known: KnownData, count: int, rng: random.Random, figures: Figures) -> None:
    """Send at least `count` events to the shop at `url`, over sockets from separate addresses."""
    remaining = [count]

    async def send() -> None:
        while remaining[0] > 0:
            remaining[0] -= EVENTS_PER_SOCKET
            client = f"{rng.randrange(1, 224)}.{rng.randrange(256)}.{rng.randrange(256)}.9"
            figures.sockets += 1
            async with raw_socket(url, client=client) as socket:
                frames = [event_frame(build_random_event(known, rng)) for _ in range(EVENTS_PER_SOCKET)]
                figures.sent += sum(map(len, frames))
                figures.events += len(frames)
                try:
                    await socket.load()
                    await socket.send_all(frames)
                    is_open = await socket.wait_until_handled()
                    figures.closed += not is_open
                except TimeoutError:
                    figures.wrong["an event without an answer"] += 1

    await asyncio.gather(*(send() for _ in range(SOCKET_CONCURRENCY)))


def build_random_event(known: KnownData, rng: random.Random) -> Any:
    if rng.random() < 0.05:
        return _build_value(known, rng, 1)
    name, arguments = rng.choice(list(known.handlers.items()))
    is_valid = rng.random() < 0.9
    event: dict[str, Any] = {
        "name": name,
        "payload": {key: _build_value(known, rng, 1) for key in arguments}
        if is_valid
        else _build_value(known, rng, 0),
        "router_data": {"pathname": "/cart", "asPath": "/cart"},
    }
    if rng.random() < 0.2:
        event[rng.choice(tuple(event))] = _build_value(known, rng, 1)
    if rng.random() < 0.2:
        event["router_data"] = {
            rng.choice(("pathname", "asPath", "query", "headers")): _build_value(known, rng, 1)
        }
    return event


def _count_failures(log: str) -> Counter[str]:
    """Count the unexpected failures in the log, by the final line of the traceback."""
    return Counter(re.findall(r"^ {4}Traceback .*\n(?: {5}.*\n)*?    (\w.*)$", log, re.MULTILINE))


def _list_processes(shop: ShopServer) -> list[psutil.Process]:
    assert shop.process is not None
    parent = psutil.Process(shop.process.pid)
    return [parent, *parent.children(recursive=True)]


def measure_memory_mib(shop: ShopServer) -> int:
    """Return the PSS of all processes of the shop, in MiB."""
    return sum(process.memory_full_info().pss for process in _list_processes(shop)) // 2**20


def _print_memory(shop: ShopServer, when: str) -> None:
    """Print the PSS of each process, in MiB, in ascending order."""
    each = sorted(process.memory_full_info().pss // 2**20 for process in _list_processes(shop))
    print(f"{when:>16}: {sum(each)} MiB = {' + '.join(map(str, each))}", flush=True)


async def _wait_until_idle(shop: ShopServer, before: float) -> None:
    """Print the shop's processor use every ten seconds until it is about as low as `before` (percent).

    Raises:
        AssertionError: it is still higher after `MAX_IDLE_WINDOWS` measurements.
    """
    for window in range(MAX_IDLE_WINDOWS):
        percent = await measure_processor_percent(shop)
        print(f"processor {window * 10} to {window * 10 + 10} s afterwards: {percent:.1f} %", flush=True)
        if percent <= before + 0.5:
            return
    raise AssertionError("a task is still running")


async def measure_processor_percent(shop: ShopServer) -> float:
    """Measure the processor use of an idle shop over ten seconds, in percent of one processor."""
    family = _list_processes(shop)
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
