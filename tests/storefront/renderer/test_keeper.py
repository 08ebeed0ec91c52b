"""The renderer's processes: they draw the real build, and whatever happens to them, somebody answers at once."""

import asyncio
import os
import re
import signal
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from storefront.build import SERVER
from storefront.documents.addresses import sample_of
from storefront.pages.product import ProductState
from storefront.pages.routes import PAGES
from storefront.renderer import keeper
from storefront.renderer.keeper import Renderer
from storefront.renderer.process import NotDrawn, RendererProcess

SEED = b'{"reflex___state____state.storefront___state___frame____frame_state":{"departments_rx_state_":%s}}'
DEPARTMENT = (
    b'[{"id":"1","handle":"nubes","name":"Nubes & <b>cielos</b>","description":"","count":1,"children":[]}]'
)
BROKEN = b"""{"%s":{"is_ready_rx_state_":true,"content_rx_state_":{"slug":"x","detail":{"card":{}},"gallery":7}}}"""
SECONDS = 20


@pytest.fixture(autouse=True)
def built() -> None:
    if not SERVER.exists():
        pytest.fail("the pages are not built: run `make pages`")


@pytest.fixture
async def renderer() -> AsyncIterator[Renderer]:
    renderer = Renderer(SERVER, 1, ["/"])
    await renderer.start()
    yield renderer
    await renderer.stop()


def pids(renderer: Renderer) -> list[int]:
    return [process._process.pid for process in renderer._up if process.is_up]


async def until_up(renderer: Renderer) -> None:
    async with asyncio.timeout(SECONDS):
        while not renderer.is_up:  # noqa: ASYNC110 - it is another process we wait for
            await asyncio.sleep(0.01)


async def test_every_page_is_drawn(renderer: Renderer) -> None:
    for page in PAGES:
        html = await renderer.draw(sample_of(page), b"{}")
        assert html.startswith("<!DOCTYPE html>")
        assert html.count("<main") == 1
        assert "__reactRouterContext" in html
    assert renderer.drawn == len(PAGES)
    assert 20 * 1024 < renderer.memory_kib < 150 * 1024


async def test_the_seed_of_one_document_is_not_in_another(
    renderer: Renderer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(keeper, "LONGEST_WAIT", 60.0)  # for all ten, however busy the machine is
    drawn = await asyncio.gather(
        *(renderer.draw("/catalog", SEED % (DEPARTMENT if number % 2 else b"[]")) for number in range(10))
    )
    assert ["Nubes &amp; &lt;b&gt;cielos&lt;/b&gt;" in html for html in drawn] == [False, True] * 5


async def test_a_state_the_pages_do_not_know_is_left_out(renderer: Renderer) -> None:
    assert "<main" in await renderer.draw("/", b'{"no_such_state":{"x_rx_state_":1}}')


async def test_the_scripts_do_not_depend_on_what_is_shown(renderer: Renderer) -> None:
    scripts = [
        re.findall(r"<script.*?</script>", await renderer.draw(url, seed), re.DOTALL)
        for url, seed in (("/catalog", b"{}"), ("/catalog?category=x&q=y", SEED % DEPARTMENT))
    ]
    assert scripts[0] == scripts[1]


@pytest.mark.parametrize("seed", [b"", b"nonsense", BROKEN % ProductState.get_full_name().encode()])
async def test_what_cannot_be_drawn_is_told_and_the_next_is_drawn(renderer: Renderer, seed: bytes) -> None:
    with pytest.raises(NotDrawn, match="failed"):
        await renderer.draw("/product/x", seed)
    assert "<main" in await renderer.draw("/", b"{}")


async def test_a_killed_process_is_replaced(renderer: Renderer) -> None:
    (pid,) = pids(renderer)
    drawing = [asyncio.create_task(renderer.draw("/catalog", b"{}")) for _ in range(5)]
    await asyncio.sleep(0)
    os.kill(pid, signal.SIGKILL)
    results = await asyncio.gather(*drawing, return_exceptions=True)
    assert all(isinstance(result, NotDrawn | str) for result in results)
    await until_up(renderer)
    assert pids(renderer) != [pid]
    assert "<main" in await renderer.draw("/", b"{}")
    assert renderer.starts == 2


async def test_without_a_process_nobody_waits(renderer: Renderer) -> None:
    os.kill(pids(renderer)[0], signal.SIGKILL)
    async with asyncio.timeout(SECONDS):
        while renderer.is_up:  # noqa: ASYNC110 - it is another process we wait for
            await asyncio.sleep(0.001)
    with pytest.raises(NotDrawn, match="no renderer is up"):
        await renderer.draw("/", b"{}")


async def test_a_process_that_hangs_is_killed(renderer: Renderer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(keeper, "HANGS_AFTER", 0.2)
    (pid,) = pids(renderer)
    os.kill(pid, signal.SIGSTOP)
    with pytest.raises(NotDrawn, match="hung"):
        await renderer.draw("/", b"{}")
    await until_up(renderer)
    assert pids(renderer) != [pid]


async def test_a_spent_process_goes_when_the_next_one_is_there(
    renderer: Renderer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(keeper, "MOST_DRAWN", 5)
    (pid,) = pids(renderer)
    async with asyncio.timeout(SECONDS):
        while pids(renderer) == [pid]:
            assert "<main" in await renderer.draw("/cart", b"{}")  # there is always one to draw


async def test_too_many_do_not_wait_long(renderer: Renderer) -> None:
    results = await asyncio.gather(
        *(renderer.draw(f"/catalog?{number}", b"{}") for number in range(300)), return_exceptions=True
    )
    refused = [result for result in results if isinstance(result, NotDrawn)]
    drawn = [result for result in results if isinstance(result, str)]
    assert len(refused) + len(drawn) == 300
    assert drawn


async def test_a_build_that_is_not_there_does_not_keep_the_shop_closed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(keeper, "SECONDS_TO_START", 0.3)
    renderer = Renderer(tmp_path / "index.js", 1, ["/"])
    await renderer.start()
    assert not renderer.is_up
    await renderer.stop()


async def test_none_may_be_wanted() -> None:
    renderer = Renderer(SERVER, 0)
    await renderer.start()
    with pytest.raises(NotDrawn):
        await renderer.draw("/", b"{}")
    await renderer.stop()


async def test_a_stopped_renderer_leaves_no_process() -> None:
    renderer = Renderer(SERVER, 2, ["/"])
    await renderer.start()
    processes = [process._process for process in renderer._up]
    await renderer.stop()
    assert all(process.returncode is not None for process in processes)
    assert not renderer.is_up


async def test_a_process_ends_with_whoever_started_it() -> None:
    process = await RendererProcess.start(SERVER)
    await process.draw("/", b"{}")
    process._writer.transport.abort()  # as when the server is killed
    assert await asyncio.wait_for(process._process.wait(), SECONDS) == 0
