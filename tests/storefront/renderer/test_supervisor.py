"""The renderer's processes: they render the real build, and whatever happens to them, somebody answers at once."""

import asyncio
import json
import os
import re
import shutil
import signal
from collections.abc import AsyncIterator
from itertools import count
from pathlib import Path

import pytest

from backend.core.observability.logs import OneObject
from backend.core.observability.metrics import REGISTRY
from storefront.pages.product import ProductState
from storefront.pages.routes import PAGES, sample_of
from storefront.renderer import supervisor
from storefront.renderer.process import NotRendered, RendererProcess
from storefront.renderer.supervisor import RendererSupervisor
from storefront.server.build import RENDERER

STATE = b'{"reflex___state____state.storefront___state___frame____frame_state":{"departments_rx_state_":%s}}'
DEPARTMENT = (
    b'[{"id":"1","handle":"nubes","name":"Nubes & <b>cielos</b>","description":"","count":1,"children":[]}]'
)
BROKEN = b"""{"%s":{"is_ready_rx_state_":true,"content_rx_state_":{"slug":"x","detail":{"card":{}},"gallery":7}}}"""
SECONDS = 20


@pytest.fixture(autouse=True)
def built() -> None:
    if not RENDERER.exists():
        pytest.fail("the pages are not built: run `make pages`")


@pytest.fixture
async def renderer() -> AsyncIterator[RendererSupervisor]:
    renderer = RendererSupervisor(RENDERER, 1, ["/"])
    await renderer.start()
    yield renderer
    await renderer.stop()


def pids(renderer: RendererSupervisor) -> list[int]:
    return [process._process.pid for process in renderer._up if process.is_up]


async def until_up(renderer: RendererSupervisor) -> None:
    """Until a process is up, however short: one that rests soon may be gone at the next look."""
    await asyncio.wait_for(renderer._until_up(), SECONDS)


async def test_every_page_is_rendered(renderer: RendererSupervisor) -> None:
    for page in PAGES:
        html = await renderer.render(sample_of(page), b"{}")
        assert html.startswith("<!DOCTYPE html>")
        assert html.count("<main") == 1
        assert "__reactRouterContext" in html
    assert renderer.rendered == len(PAGES)
    assert 20 * 1024 < renderer.memory_kib < 150 * 1024


async def test_the_state_of_one_document_is_not_in_another(
    renderer: RendererSupervisor, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(supervisor, "LONGEST_WAIT", 60.0)  # for all ten, however busy the machine is
    rendered = await asyncio.gather(
        *(renderer.render("/catalog", STATE % (DEPARTMENT if number % 2 else b"[]")) for number in range(10))
    )
    assert ["Nubes &amp; &lt;b&gt;cielos&lt;/b&gt;" in html for html in rendered] == [False, True] * 5


async def test_a_state_the_pages_do_not_know_is_left_out(renderer: RendererSupervisor) -> None:
    assert "<main" in await renderer.render("/", b'{"no_such_state":{"x_rx_state_":1}}')


async def test_the_scripts_do_not_depend_on_what_is_shown(renderer: RendererSupervisor) -> None:
    scripts = [
        re.findall(r"<script.*?</script>", await renderer.render(url, state), re.DOTALL)
        for url, state in (("/catalog", b"{}"), ("/catalog?category=x&q=y", STATE % DEPARTMENT))
    ]
    assert scripts[0] == scripts[1]


@pytest.mark.parametrize("state", [b"", b"nonsense", BROKEN % ProductState.get_full_name().encode()])
async def test_after_a_page_that_fails_the_next_is_rendered(
    renderer: RendererSupervisor, state: bytes, caplog: pytest.LogCaptureFixture
) -> None:
    with pytest.raises(NotRendered, match="failed"):
        await renderer.render("/product/x", state)
    assert "<main" in await renderer.render("/", b"{}")
    await renderer.stop()  # what the process said is read to its end
    entries = [record for record in caplog.records if record.name == "renderer"]
    # What it writes in one breath may be one entry or several: React's own words come before.
    lines = [line for entry in entries for line in entry.getMessage().splitlines()]
    assert any(line.startswith("a page could not be rendered:") for line in lines)
    told = [json.loads(OneObject().format(entry)) for entry in entries]
    assert {(entry["logger"], entry["level"]) for entry in told} == {("renderer", "ERROR")}


async def test_a_killed_process_is_replaced(renderer: RendererSupervisor) -> None:
    (pid,) = pids(renderer)
    rendering = [asyncio.create_task(renderer.render("/catalog", b"{}")) for _ in range(5)]
    await asyncio.sleep(0)
    os.kill(pid, signal.SIGKILL)
    results = await asyncio.gather(*rendering, return_exceptions=True)
    assert all(isinstance(result, NotRendered | str) for result in results)
    await until_up(renderer)
    assert pids(renderer) != [pid]
    assert "<main" in await renderer.render("/", b"{}")
    assert renderer.starts == 2


async def test_without_a_process_nobody_waits(renderer: RendererSupervisor) -> None:
    os.kill(pids(renderer)[0], signal.SIGKILL)
    async with asyncio.timeout(SECONDS):
        while renderer.is_up:  # noqa: ASYNC110 - it is another process we wait for
            await asyncio.sleep(0.001)
    with pytest.raises(NotRendered, match="no renderer is up"):
        await renderer.render("/", b"{}")


async def test_a_patient_reader_waits_for_the_next_process(
    renderer: RendererSupervisor, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(supervisor, "PATIENCE", 60.0)  # however busy the machine is
    await until_up(renderer)
    (pid,) = pids(renderer)
    os.kill(pid, signal.SIGSTOP)  # it takes the request, and never answers
    rendering = asyncio.create_task(renderer.render("/cart", b"{}", is_patient=True))
    async with asyncio.timeout(SECONDS):
        while not renderer._up[0].waiting:  # noqa: ASYNC110 - it is another task we wait for
            await asyncio.sleep(0)
    os.kill(pid, signal.SIGKILL)
    assert "<main" in await rendering
    assert renderer.starts == 2


async def test_there_is_an_end_to_patience(
    renderer: RendererSupervisor, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(supervisor, "PATIENCE", 0.2)
    monkeypatch.setattr(supervisor, "FIRST_PAUSE", 30.0)
    os.kill(pids(renderer)[0], signal.SIGKILL)
    async with asyncio.timeout(SECONDS):
        while renderer.is_up:  # noqa: ASYNC110 - it is another process we wait for
            await asyncio.sleep(0.001)
    with pytest.raises(NotRendered, match="no renderer is up"):
        await renderer.render("/", b"{}", is_patient=True)


async def test_the_patient_let_the_others_go_first(
    renderer: RendererSupervisor, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(supervisor, "PATIENCE", 60.0)  # for all of them, however busy the machine is
    monkeypatch.setattr(supervisor, "LONGEST_WAIT", 60.0)
    done: list[str] = []

    async def ask(who: str, *, is_patient: bool) -> None:
        await renderer.render(f"/catalog?{who}", b"{}", is_patient=is_patient)
        done.append(who)

    async with asyncio.TaskGroup() as readers:
        for number in range(20):
            readers.create_task(ask(f"patient-{number}", is_patient=True))
        await asyncio.sleep(0)
        readers.create_task(ask("shopper", is_patient=False))
    assert done.index("shopper") <= 3
    assert len(done) == 21


async def test_a_process_that_hangs_is_killed(
    renderer: RendererSupervisor, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(supervisor, "HANGS_AFTER", 0.2)
    (pid,) = pids(renderer)
    os.kill(pid, signal.SIGSTOP)
    with pytest.raises(NotRendered, match="hung"):
        await renderer.render("/?token=s3cret", b"{}")
    assert "hung at / " in caplog.text
    assert "s3cret" not in caplog.text
    await until_up(renderer)
    assert pids(renderer) != [pid]


async def test_a_spent_process_goes_when_the_next_one_is_there(
    renderer: RendererSupervisor, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(supervisor, "MOST_RENDERED", 5)
    (pid,) = pids(renderer)
    async with asyncio.timeout(SECONDS):
        while pids(renderer) == [pid]:
            assert "<main" in await renderer.render("/cart", b"{}")  # there is always one to render


@pytest.fixture
async def resting() -> AsyncIterator[RendererSupervisor]:
    """It rests soon, and has just begun to."""
    renderer = RendererSupervisor(RENDERER, 2, ["/"], rests_after=0.2)
    await renderer.start()
    await until_resting(renderer)
    yield renderer
    await renderer.stop()


async def until_resting(renderer: RendererSupervisor) -> None:
    async with asyncio.timeout(SECONDS):
        while not renderer.is_resting or renderer._up:  # noqa: ASYNC110 - the clock is what we wait for
            await asyncio.sleep(0.01)


async def test_while_nobody_is_there_no_process_runs(resting: RendererSupervisor) -> None:
    await asyncio.wait_for(asyncio.gather(*resting._closing), SECONDS)
    assert not resting.is_up
    assert resting.memory_kib == 0
    assert await resting.look() == "ok"
    resting.sample()
    assert REGISTRY.get_sample_value("trompo_renderers_up") == 2


async def test_after_a_rest_the_next_reader_waits_for_a_process(
    resting: RendererSupervisor, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(supervisor, "PATIENCE", 60.0)  # however busy the machine is
    started = resting.starts
    assert resting.is_waking
    assert "<main" in await resting.render("/cart", b"{}", is_patient=True)
    assert resting.starts > started
    assert resting.is_waking == resting.is_resting
    await until_resting(resting)


async def test_a_process_that_comes_up_as_they_begin_to_rest_lets_the_next_reader_wait(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(supervisor, "PATIENCE", 60.0)  # however busy the machine is
    renderer = RendererSupervisor(RENDERER, 2, ["/"], rests_after=0.2)
    started, may_start, is_up = renderer._started, asyncio.Event(), asyncio.Event()
    calls = count(1)

    async def slowly() -> RendererProcess:
        if next(calls) != 2:
            return await started()
        await may_start.wait()
        process = await started()
        is_up.set()
        return process

    monkeypatch.setattr(renderer, "_started", slowly)
    await renderer.start()
    await until_resting(renderer)
    may_start.set()
    await asyncio.wait_for(is_up.wait(), SECONDS)
    assert renderer.is_waking
    assert "<main" in await renderer.render("/cart", b"{}", is_patient=True)
    await renderer.stop()


async def test_they_do_not_rest_while_a_reader_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(supervisor, "PATIENCE", 60.0)  # however busy the machine is
    renderer = RendererSupervisor(RENDERER, 1, ["/"], rests_after=0.0)  # at once, whenever it may
    await renderer.start()
    await until_resting(renderer)
    pages = await asyncio.gather(*(renderer.render("/cart", b"{}", is_patient=True) for _ in range(2)))
    assert all("<main" in page for page in pages)
    await until_resting(renderer)
    await renderer.stop()


async def test_after_a_rest_an_impatient_reader_goes_without(resting: RendererSupervisor) -> None:
    with pytest.raises(NotRendered, match="no renderer is up"):
        await resting.render("/", b"{}")
    await until_up(resting)


async def test_a_visitor_who_comes_as_they_begin_to_rest_is_served(
    resting: RendererSupervisor, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(supervisor, "PATIENCE", 60.0)  # however busy the machine is
    for _ in range(5):
        resting.wake()
        await until_up(resting)
        while not resting.is_resting:  # noqa: ASYNC110 - the very moment
            await asyncio.sleep(0.001)
        assert "<main" in await resting.render("/", b"{}", is_patient=True)


async def test_a_process_that_cannot_start_after_a_rest_keeps_nobody_waiting(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    script = tmp_path / RENDERER.name
    shutil.copyfile(RENDERER, script)
    renderer = RendererSupervisor(script, 1, ["/"], rests_after=0.2)
    await renderer.start()
    await until_resting(renderer)
    script.unlink()
    renderer.wake()
    async with asyncio.timeout(SECONDS):
        while renderer.is_waking:  # noqa: ASYNC110 - it is another process we wait for
            await asyncio.sleep(0.01)
    assert await renderer.look() == "none is up"
    assert not renderer.is_resting
    await renderer.stop()
    assert "a renderer could not be started" in caplog.text


async def test_it_can_be_stopped_at_rest(resting: RendererSupervisor) -> None:
    await resting.stop()
    assert not resting._closing
    assert not resting.is_resting


async def test_too_many_do_not_wait_long(renderer: RendererSupervisor) -> None:
    results = await asyncio.gather(
        *(renderer.render(f"/catalog?{number}", b"{}") for number in range(300)), return_exceptions=True
    )
    refused = [result for result in results if isinstance(result, NotRendered)]
    rendered = [result for result in results if isinstance(result, str)]
    assert len(refused) + len(rendered) == 300
    assert rendered


async def test_a_build_that_is_not_there_does_not_keep_the_shop_closed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(supervisor, "SECONDS_TO_START", 0.3)
    renderer = RendererSupervisor(tmp_path / "renderer.mjs", 1, ["/"])
    await renderer.start()
    assert not renderer.is_up
    await renderer.stop()


async def test_none_may_be_wanted() -> None:
    renderer = RendererSupervisor(RENDERER, 0)
    await renderer.start()
    for is_patient in (False, True):
        with pytest.raises(NotRendered):
            await renderer.render("/", b"{}", is_patient=is_patient)
    await renderer.stop()


async def test_a_stopped_renderer_leaves_no_process() -> None:
    renderer = RendererSupervisor(RENDERER, 2, ["/"])
    await renderer.start()
    processes = [process._process for process in renderer._up]
    await renderer.stop()
    assert all(process.returncode is not None for process in processes)
    assert not renderer.is_up


async def test_a_process_ends_with_whoever_started_it() -> None:
    process = await RendererProcess.start(RENDERER)
    await process.render("/", b"{}")
    assert process._process.stdin is not None
    process._process.stdin.close()  # as when the server is killed
    assert await asyncio.wait_for(process._process.wait(), SECONDS) == 0
    await process.close()


@pytest.mark.parametrize("steps", range(6))
async def test_a_close_that_is_given_up_leaves_neither_process_nor_folder(
    tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch, steps: int
) -> None:
    folder = tmp_path_factory.mktemp("r")  # a socket's path has 107 characters at most
    monkeypatch.setattr("tempfile.tempdir", str(folder))
    process = await RendererProcess.start(RENDERER)
    closing = asyncio.create_task(process.close())
    for _ in range(steps):
        await asyncio.sleep(0)
    closing.cancel()
    await asyncio.gather(closing, return_exceptions=True)
    if not steps:  # it had not begun
        await process.close()
    await asyncio.wait_for(process.is_spent.wait(), SECONDS)
    assert process._process.returncode is not None
    assert os.listdir(folder) == []  # noqa: PTH208 - the folder is looked at from the event loop


async def test_it_needs_no_node_packages(tmp_path: Path) -> None:
    script = tmp_path / RENDERER.name  # no node_modules lies above it
    shutil.copyfile(RENDERER, script)
    process = await RendererProcess.start(script)
    assert "<main" in await process.render("/", b"{}")
    await process.close()
