"""The process that is started before the app is imported, and what becomes of it."""

import asyncio

import pytest

from storefront.renderer import process
from storefront.renderer.first_process import start_early, take_early
from storefront.renderer.supervisor import RendererSupervisor
from storefront.server.build import RENDERER

SECONDS = 60


async def test_it_is_the_first_that_is_used() -> None:
    await start_early(RENDERER)
    early = take_early()
    assert early is not None
    assert take_early() is None
    renderer = RendererSupervisor(RENDERER, 1, ["/"], first=early)
    await renderer.start()
    assert renderer._up == [early]
    assert "<main" in await renderer.render("/cart", b"{}", is_patient=True)
    await renderer.stop()
    assert not early.is_up


async def test_one_that_died_during_the_imports_is_replaced(caplog: pytest.LogCaptureFixture) -> None:
    await start_early(RENDERER)
    early = take_early()
    assert early is not None
    early.kill()
    renderer = RendererSupervisor(RENDERER, 1, ["/"], first=early)
    await renderer.start()
    async with asyncio.timeout(SECONDS):
        while not renderer.is_up:  # noqa: ASYNC110 - it is another process we wait for
            await asyncio.sleep(0.01)
    assert renderer._up != [early]
    await renderer.stop()
    assert "a renderer could not be started" in caplog.text


async def test_where_none_can_start_there_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process, "COMMAND", ("/there/is/no/node",))
    await start_early(RENDERER)
    assert take_early() is None
