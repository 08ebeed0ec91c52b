"""Frames that no page sends: nothing loops, the log stays short, and the shop continues."""

import json
from collections.abc import Sequence
from typing import Any

import httpx
import pytest
import reflex as rx

from storefront.state.cart import CartState
from tests.attacks.frames import FIRST_EVENT, raw_socket
from tests.e2e.conftest import ShopServer

CART_ID = f"{CartState.get_full_name()}.cart_id_rx_state_"


def build_event(**changes: Any) -> dict[str, Any]:
    """Return a page's first event with changes."""
    return {**FIRST_EVENT, **changes}


NONSENSE = [
    build_event(router_data={"pathname": "/", "asPath": 5}),
    build_event(router_data={"pathname": "/", "asPath": "@["}),
    build_event(router_data={"pathname": "/", "asPath": "/", "query": 5}),
    build_event(router_data={"pathname": "/", "asPath": "/", "query": {"a": {"b": 1}}}),
    build_event(router_data={"pathname": "//", "asPath": "//["}),
    build_event(router_data={"pathname": ["/"], "asPath": "/"}),
    build_event(router_data=[]),
    build_event(router_data="/"),
    build_event(router_data={"pathname": "/" + "a" * 10_000}),
    build_event(name=5),
    build_event(name="state.nobody"),
    build_event(name=f"{rx.State.get_full_name()}.setvar", payload={"var_name": "is_hydrated", "value": "x"}),
    build_event(name="a\nERROR: someone must settle it"),
    build_event(payload=[1]),
    build_event(payload={"a": [[[[[[[[[[]]]]]]]]]]}),
    build_event(payload={"unknown": "x" * 50_000}),
    build_event(payload={"vars": {CART_ID: {"a": 1}}}),
    build_event(payload={"vars": {f"{CART_ID}{number}": "" for number in range(50)}}),
    build_event(payload={"vars": [CART_ID]}),
    ["no", "event"],
    "text",
    None,
    17,
]


@pytest.mark.parametrize("frame", NONSENSE, ids=lambda frame: repr(frame)[-40:])
async def test_nonsense_websocket_frame_is_dropped_and_the_page_continues(
    attacked_shop: ShopServer, frame: object
) -> None:
    before = len(attacked_shop.log)
    async with raw_socket(attacked_shop.url) as socket:
        await socket.send_event(frame)
        await socket.send_event(build_event())
        frames = [await socket.receive()]
        while "rx_state" not in str(frames[-1]) and "is_hydrated" not in str(frames[-1]):
            frames.append(await socket.receive())
        assert len(frames) < 10
    logged = attacked_shop.log[before:]
    assert len(logged) < 6_000
    assert "\nERROR: someone must settle it" not in logged


EVENT_PREFIX = "42/_event,"
FLOODS: dict[str, Sequence[str | bytes]] = {
    "connect as an event": [
        f'{EVENT_PREFIX}["connect",{{"QUERY_STRING":"token=x{number}"}}]' for number in range(400)
    ],
    "disconnect as an event": [f'{EVENT_PREFIX}["disconnect"]'] * 400,
    "unknown events": [f'{EVENT_PREFIX}["event_of_nobody",{{}}]'] * 400,
    "events without data": [f'{EVENT_PREFIX}["event"]'] * 400,
    "events that request an answer": [f'{EVENT_PREFIX}7["event",{{}}]'] * 400,
    "pings": [f'{EVENT_PREFIX}["ping"]'] * 2_000,
    "half an event": [f"{EVENT_PREFIX}{{"] * 200,
    "an object in place of an event": [f'{EVENT_PREFIX}{{"a":1}}'] * 200,
    "lists without end": [EVENT_PREFIX + "[" * 100_000] * 40,
    "unknown packets": ["49"] * 200,
    "answers to nothing": ["43/_event,7[]"] * 200,
    "errors": ["44/_event,{}"] * 200,
    "another namespace": ["40/other,"] * 200,
    "connecting again": ["40/_event,"] * 200,
    "disconnecting and reconnecting": ["41/_event,", "40/_event,"] * 200,
    "upgrades": ["5"] * 2_000,
    "frames of no kind": ["x"] * 200,
    "empty frames": [""] * 200,
    "binary in text": ["bAAAA"] * 200,
    "binary": [b"\x00" * 1_000] * 200,
    "a binary event without end": ['451999999999-/_event,["event"]', *[bytes(200 * 1024)] * 20],
    "pongs": ["3"] * 2_000,
}


@pytest.mark.parametrize("flood", FLOODS)
async def test_flooding_socket_is_closed_and_its_log_stays_short(
    attacked_shop: ShopServer, flood: str
) -> None:
    before = len(attacked_shop.log)
    async with raw_socket(attacked_shop.url, client=f"203.0.113.{[*FLOODS].index(flood) + 1}") as socket:
        await socket.send_all(FLOODS[flood])
        await socket.wait_until_closed()
    assert len(attacked_shop.log[before:]) < 6_000
    async with httpx.AsyncClient() as client:
        assert (await client.get(f"{attacked_shop.url}/health")).status_code == 200


async def test_websocket_client_cannot_pretend_to_have_another_ip_address(attacked_shop: ShopServer) -> None:
    other = "203.0.113.200"
    forged = {"QUERY_STRING": "", "asgi.scope": {"client": [other, 1], "headers": []}}
    async with raw_socket(attacked_shop.url, client="203.0.113.201") as socket:
        await socket.send_all([EVENT_PREFIX + json.dumps(["connect", forged])] * 320)
        await socket.wait_until_closed()
    async with raw_socket(attacked_shop.url, client=other):
        pass


async def test_socket_with_many_nonsense_events_is_closed_and_its_log_stays_short(
    attacked_shop: ShopServer,
) -> None:
    before = len(attacked_shop.log)
    async with raw_socket(attacked_shop.url) as socket:
        for _ in range(200):
            await socket.send_event(build_event(router_data={"asPath": 5}))
        await socket.wait_until_closed()
    assert len(attacked_shop.log[before:]) < 200 * 100
    async with httpx.AsyncClient() as client:
        assert (await client.get(f"{attacked_shop.url}/health")).status_code == 200


@pytest.mark.parametrize("token", ["", "a/b", "x" * 500, "%0Aevil"])
async def test_page_with_an_invalid_token_is_refused(attacked_shop: ShopServer, token: str) -> None:
    async with raw_socket(attacked_shop.url, connect=False, token=token) as socket:
        await socket.send("40/_event,")
        assert (await socket.receive() or "44").startswith("44")


@pytest.mark.parametrize(
    "first_event",
    [build_event(router_data={"asPath": 5}), build_event(name="x"), "text", [1]],
    ids=["address", "name", "text", "list"],
)
async def test_nonsense_first_event_does_not_open_a_page(
    attacked_shop: ShopServer, first_event: object
) -> None:
    async with raw_socket(attacked_shop.url, connect=False) as socket:
        await socket.send("40/_event," + json.dumps({"event": first_event}))
        assert (await socket.receive() or "44").startswith("44")
