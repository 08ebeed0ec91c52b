"""Frames that no page sends: nothing loops, nothing is logged at length, and the shop goes on."""

import json
from typing import Any

import httpx
import pytest
import reflex as rx
from reflex_base.constants import CompileVars

from tests.attacks.frames import raw_socket
from tests.e2e.conftest import ShopServer

HYDRATE = f"{rx.State.get_full_name()}.{CompileVars.HYDRATE_AND_LOAD}"
AT_HOME = {"pathname": "/", "asPath": "/"}


def event(**changes: Any) -> dict[str, Any]:
    """A page's first event, with some parts of it changed."""
    return {"name": HYDRATE, "payload": {}, "router_data": AT_HOME, **changes}


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
