"""Frames that no page sends: nothing loops, nothing is logged at length, and the shop goes on."""

import json
from collections.abc import Sequence
from typing import Any

import httpx
import pytest
import reflex as rx

from storefront.state.cart import CartState
from tests.attacks.frames import FIRST, raw_socket
from tests.e2e.conftest import ShopServer

CART_ID = f"{CartState.get_full_name()}.cart_id_rx_state_"


def event(**changes: Any) -> dict[str, Any]:
    """A page's first event, with some parts of it changed."""
    return {**FIRST, **changes}


NONSENSE = [
    event(router_data={"pathname": "/", "asPath": 5}),
    event(router_data={"pathname": "/", "asPath": "@["}),
    event(router_data={"pathname": "/", "asPath": "/", "query": 5}),
    event(router_data={"pathname": "/", "asPath": "/", "query": {"a": {"b": 1}}}),
    event(router_data={"pathname": "//", "asPath": "//["}),
    event(router_data={"pathname": ["/"], "asPath": "/"}),
    event(router_data=[]),
    event(router_data="/"),
    event(router_data={"pathname": "/" + "a" * 10_000}),
    event(name=5),
    event(name="state.nobody"),
    event(name=f"{rx.State.get_full_name()}.setvar", payload={"var_name": "is_hydrated", "value": "x"}),
    event(name="a\nERROR: someone must settle it"),
    event(payload=[1]),
    event(payload={"a": [[[[[[[[[[]]]]]]]]]]}),
    event(payload={"unknown": "x" * 50_000}),
    event(payload={"vars": {CART_ID: {"a": 1}}}),
    event(payload={"vars": {f"{CART_ID}{number}": "" for number in range(50)}}),
    event(payload={"vars": [CART_ID]}),
    ["no", "event"],
    "text",
    None,
    17,
]


@pytest.mark.parametrize("frame", NONSENSE, ids=lambda frame: repr(frame)[-40:])
async def test_a_frame_of_nonsense_is_dropped_and_the_page_goes_on(
    attacked: ShopServer, frame: object
) -> None:
    before = len(attacked.log)
    async with raw_socket(attacked.url) as socket:
        await socket.send_event(frame)
        await socket.send_event(event())
        heard = [await socket.receive()]
        while "rx_state" not in str(heard[-1]) and "is_hydrated" not in str(heard[-1]):
            heard.append(await socket.receive())
        assert len(heard) < 10
    written = attacked.log[before:]
    assert len(written) < 6_000
    assert "\nERROR: someone must settle it" not in written


OPEN = "42/_event,"
FLOODS: dict[str, Sequence[str | bytes]] = {
    "connect as an event": [
        f'{OPEN}["connect",{{"QUERY_STRING":"token=x{number}"}}]' for number in range(400)
    ],
    "disconnect as an event": [f'{OPEN}["disconnect"]'] * 400,
    "events there are not": [f'{OPEN}["event_of_nobody",{{}}]'] * 400,
    "events without data": [f'{OPEN}["event"]'] * 400,
    "events that want an answer": [f'{OPEN}7["event",{{}}]'] * 400,
    "pings": [f'{OPEN}["ping"]'] * 2_000,
    "half an event": [f"{OPEN}{{"] * 200,
    "an object in place of an event": [f'{OPEN}{{"a":1}}'] * 200,
    "lists without end": [OPEN + "[" * 100_000] * 40,
    "packets there are not": ["49"] * 200,
    "answers to nothing": ["43/_event,7[]"] * 200,
    "errors": ["44/_event,{}"] * 200,
    "another namespace": ["40/other,"] * 200,
    "connecting again": ["40/_event,"] * 200,
    "leaving and coming again": ["41/_event,", "40/_event,"] * 200,
    "upgrades": ["5"] * 2_000,
    "frames of no kind": ["x"] * 200,
    "empty frames": [""] * 200,
    "binary in text": ["bAAAA"] * 200,
    "binary": [b"\x00" * 1_000] * 200,
    "a binary event without end": ['451999999999-/_event,["event"]', *[bytes(200 * 1024)] * 20],
    "pongs": ["3"] * 2_000,
}


@pytest.mark.parametrize("flood", FLOODS)
async def test_a_socket_that_floods_is_closed_and_its_log_is_short(attacked: ShopServer, flood: str) -> None:
    before = len(attacked.log)
    async with raw_socket(attacked.url, client=f"203.0.113.{[*FLOODS].index(flood) + 1}") as socket:
        await socket.send_all(FLOODS[flood])
        await socket.until_closed()
    assert len(attacked.log[before:]) < 6_000
    async with httpx.AsyncClient() as client:
        assert (await client.get(f"{attacked.url}/health")).status_code == 200


async def test_nobody_connects_in_the_name_of_another(attacked: ShopServer) -> None:
    other = "203.0.113.200"
    forged = {"QUERY_STRING": "", "asgi.scope": {"client": [other, 1], "headers": []}}
    async with raw_socket(attacked.url, client="203.0.113.201") as socket:
        await socket.send_all([OPEN + json.dumps(["connect", forged])] * 320)
        await socket.until_closed()
    async with raw_socket(attacked.url, client=other):
        pass


async def test_a_socket_of_nonsense_is_closed_and_its_log_is_short(attacked: ShopServer) -> None:
    before = len(attacked.log)
    async with raw_socket(attacked.url) as socket:
        for _ in range(200):
            await socket.send_event(event(router_data={"asPath": 5}))
        await socket.until_closed()
    assert len(attacked.log[before:]) < 200 * 100
    async with httpx.AsyncClient() as client:
        assert (await client.get(f"{attacked.url}/health")).status_code == 200


@pytest.mark.parametrize("token", ["", "a/b", "x" * 500, "%0Aevil"])
async def test_a_page_without_a_plain_name_is_refused(attacked: ShopServer, token: str) -> None:
    async with raw_socket(attacked.url, connect=False, token=token) as socket:
        await socket.send("40/_event,")
        assert (await socket.receive() or "44").startswith("44")


@pytest.mark.parametrize(
    "boot",
    [event(router_data={"asPath": 5}), event(name="x"), "text", [1]],
    ids=["address", "name", "text", "list"],
)
async def test_a_first_event_of_nonsense_opens_nothing(attacked: ShopServer, boot: object) -> None:
    async with raw_socket(attacked.url, connect=False) as socket:
        await socket.send("40/_event," + json.dumps({"event": boot}))
        assert (await socket.receive() or "44").startswith("44")
