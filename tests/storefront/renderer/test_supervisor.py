"""The renderer's processes render the real build; requests are always answered, whatever happens to a process."""

import asyncio
import json
import os
import re
import shutil
import signal
from asyncio.subprocess import Process
from collections.abc import AsyncIterator
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from backend.core.observability.logs import JsonFormatter
from backend.core.observability.metrics import REGISTRY
from storefront.pages.product import ProductState
from storefront.pages.routes import PAGES, sample_path
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
def require_build() -> None:
    if not RENDERER.exists():
        pytest.fail("the pages are not built: run `make pages`")


@pytest.fixture(autouse=True)
def nodes(monkeypatch: pytest.MonkeyPatch) -> list[Process]:
    """Return the Node processes that the test has started so far."""
    started: list[Process] = []
    start = asyncio.create_subprocess_exec

    async def record(*arguments: Any, **options: Any) -> Process:
        started.append(await start(*arguments, **options))
        return started[-1]

    monkeypatch.setattr(asyncio, "create_subprocess_exec", record)
    return started


@pytest.fixture
async def renderer() -> AsyncIterator[RendererSupervisor]:
    renderer = RendererSupervisor(RENDERER, 1, ["/"])
    await renderer.start()
    await wait_until_up(renderer)  # on a busy machine, it starts in the background
    yield renderer
    await renderer.stop()


def list_pids(nodes: list[Process]) -> list[int]:
    """Return the ids of those processes in `nodes` that still run."""
    return [node.pid for node in nodes if node.returncode is None]


def watch_renderings(monkeypatch: pytest.MonkeyPatch) -> asyncio.Event:
    """Return an event that is set when a renderer process begins to render a page."""
    render, has_begun = RendererProcess.render, asyncio.Event()

    async def render_and_report(process: RendererProcess, url: str, initial_state: bytes) -> str:
        has_begun.set()
        return await render(process, url, initial_state)

    monkeypatch.setattr(RendererProcess, "render", render_and_report)
    return has_begun


async def wait_until_up(renderer: RendererSupervisor) -> None:
    """Wait until a renderer process runs, even if only briefly: a supervisor at rest may stop it at once."""
    async with asyncio.timeout(SECONDS):
        while not renderer.is_up:  # noqa: ASYNC110 - it is another process we wait for
            await asyncio.sleep(0)


async def test_every_page_is_rendered(renderer: RendererSupervisor) -> None:
    for page in PAGES:
        html = await renderer.render(sample_path(page), b"{}")
        assert html.startswith("<!DOCTYPE html>")
        assert html.count("<main") == 1
        assert "__reactRouterContext" in html
    assert renderer.rendered == len(PAGES)
    assert 20 * 1024 < renderer.memory_kib < 150 * 1024


async def test_concurrently_rendered_documents_do_not_share_state(
    renderer: RendererSupervisor, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(supervisor, "MAX_WAIT_S", 60.0)  # enough for all ten on a busy machine
    rendered = await asyncio.gather(
        *(renderer.render("/catalog", STATE % (DEPARTMENT if number % 2 else b"[]")) for number in range(10))
    )
    assert ["Nubes &amp; &lt;b&gt;cielos&lt;/b&gt;" in html for html in rendered] == [False, True] * 5


async def test_unknown_state_in_the_request_is_ignored(renderer: RendererSupervisor) -> None:
    assert "<main" in await renderer.render("/", b'{"no_such_state":{"x_rx_state_":1}}')


async def test_rendered_documents_of_a_page_contain_the_same_scripts_for_any_content(
    renderer: RendererSupervisor,
) -> None:
    scripts = [
        re.findall(r"<script.*?</script>", await renderer.render(url, state), re.DOTALL)
        for url, state in (("/catalog", b"{}"), ("/catalog?category=x&q=y", STATE % DEPARTMENT))
    ]
    assert scripts[0] == scripts[1]


@pytest.mark.parametrize("state", [b"", b"nonsense", BROKEN % ProductState.get_full_name().encode()])
async def test_page_is_rendered_after_another_page_failed(
    renderer: RendererSupervisor, state: bytes, caplog: pytest.LogCaptureFixture
) -> None:
    with pytest.raises(NotRendered, match="failed"):
        await renderer.render("/product/x", state)
    assert "<main" in await renderer.render("/", b"{}")
    await renderer.stop()  # all output of the process is read
    entries = [record for record in caplog.records if record.name == "renderer"]
    # One write may become several log entries: React's own message precedes it.
    lines = [line for entry in entries for line in entry.getMessage().splitlines()]
    assert any(line.startswith("a page could not be rendered:") for line in lines)
    told = [json.loads(JsonFormatter().format(entry)) for entry in entries]
    assert {(entry["logger"], entry["level"]) for entry in told} == {("renderer", "ERROR")}


async def test_killed_renderer_process_is_replaced(
    renderer: RendererSupervisor, nodes: list[Process]
) -> None:
    (pid,) = list_pids(nodes)
    rendering = [asyncio.create_task(renderer.render("/catalog", b"{}")) for _ in range(5)]
    await asyncio.sleep(0)
    os.kill(pid, signal.SIGKILL)
    results = await asyncio.gather(*rendering, return_exceptions=True)
    assert all(isinstance(result, NotRendered | str) for result in results)
    await wait_until_up(renderer)
    assert list_pids(nodes) != [pid]
    assert "<main" in await renderer.render("/", b"{}")
    assert renderer.starts == 2


async def test_impatient_request_does_not_wait_for_a_renderer_process(
    renderer: RendererSupervisor, nodes: list[Process]
) -> None:
    os.kill(list_pids(nodes)[0], signal.SIGKILL)
    async with asyncio.timeout(SECONDS):
        while renderer.is_up:  # noqa: ASYNC110 - it is another process we wait for
            await asyncio.sleep(0.001)
    with pytest.raises(NotRendered, match="no renderer is up"):
        await renderer.render("/", b"{}")


async def test_patient_request_waits_for_the_next_renderer_process(
    renderer: RendererSupervisor, monkeypatch: pytest.MonkeyPatch, nodes: list[Process]
) -> None:
    monkeypatch.setattr(supervisor, "PATIENT_TIMEOUT_S", 60.0)  # however busy the machine is
    await wait_until_up(renderer)
    (pid,) = list_pids(nodes)
    os.kill(pid, signal.SIGSTOP)  # it accepts the request, and never answers
    waiting = watch_renderings(monkeypatch)
    rendering = asyncio.create_task(renderer.render("/cart", b"{}", is_patient=True))
    await asyncio.wait_for(waiting.wait(), SECONDS)
    os.kill(pid, signal.SIGKILL)
    assert "<main" in await rendering
    assert renderer.starts == 2


async def test_patient_request_for_a_rendering_has_a_timeout(
    renderer: RendererSupervisor, monkeypatch: pytest.MonkeyPatch, nodes: list[Process]
) -> None:
    monkeypatch.setattr(supervisor, "PATIENT_TIMEOUT_S", 0.2)
    monkeypatch.setattr(supervisor, "MIN_PAUSE_S", 30.0)
    os.kill(list_pids(nodes)[0], signal.SIGKILL)
    async with asyncio.timeout(SECONDS):
        while renderer.is_up:  # noqa: ASYNC110 - it is another process we wait for
            await asyncio.sleep(0.001)
    with pytest.raises(NotRendered, match="no renderer is up"):
        await renderer.render("/", b"{}", is_patient=True)


async def test_impatient_requests_are_rendered_before_patient_ones(
    renderer: RendererSupervisor, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(supervisor, "PATIENT_TIMEOUT_S", 60.0)  # enough for all of them on a busy machine
    monkeypatch.setattr(supervisor, "MAX_WAIT_S", 60.0)
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


async def test_hanging_renderer_process_is_killed(
    renderer: RendererSupervisor,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    nodes: list[Process],
) -> None:
    monkeypatch.setattr(supervisor, "RENDER_TIMEOUT_S", 0.2)
    (pid,) = list_pids(nodes)
    os.kill(pid, signal.SIGSTOP)
    with pytest.raises(NotRendered, match="hung"):
        await renderer.render("/?token=s3cret", b"{}")
    assert "hung at / " in caplog.text
    assert "s3cret" not in caplog.text
    await wait_until_up(renderer)
    assert list_pids(nodes) != [pid]


async def test_renderer_process_with_enough_pages_ends_when_its_successor_is_ready(
    renderer: RendererSupervisor, monkeypatch: pytest.MonkeyPatch, nodes: list[Process]
) -> None:
    monkeypatch.setattr(supervisor, "MAX_PAGES_PER_PROCESS", 5)
    (pid,) = list_pids(nodes)
    async with asyncio.timeout(SECONDS):
        while pid in list_pids(nodes):
            assert "<main" in await renderer.render("/cart", b"{}")  # a process is always available


@pytest.fixture
async def resting_renderer() -> AsyncIterator[RendererSupervisor]:
    """Yield a supervisor that has just stopped its renderer process, because there was nothing to render."""
    renderer = RendererSupervisor(RENDERER, 2, ["/"], rests_after=0.2)
    await renderer.start()
    await wait_until_resting(renderer)
    yield renderer
    await renderer.stop()


async def wait_until_resting(renderer: RendererSupervisor) -> None:
    async with asyncio.timeout(SECONDS):
        while not renderer.is_resting or renderer.is_up:  # noqa: ASYNC110 - the clock is what we wait for
            await asyncio.sleep(0.01)


async def test_idle_renderer_has_no_process(
    resting_renderer: RendererSupervisor, nodes: list[Process]
) -> None:
    await asyncio.wait_for(asyncio.gather(*(node.wait() for node in nodes)), SECONDS)
    assert not resting_renderer.is_up
    assert resting_renderer.memory_kib == 0
    assert await resting_renderer.check_health() == "ok"
    resting_renderer.sample()
    assert REGISTRY.get_sample_value("trompo_renderers_up") == 2


async def test_patient_request_waits_for_an_idle_renderer_to_start(
    resting_renderer: RendererSupervisor, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(supervisor, "PATIENT_TIMEOUT_S", 60.0)  # however busy the machine is
    started = resting_renderer.starts
    assert resting_renderer.is_waking
    assert "<main" in await resting_renderer.render("/cart", b"{}", is_patient=True)
    assert resting_renderer.starts > started
    assert resting_renderer.is_waking == resting_renderer.is_resting
    await wait_until_resting(resting_renderer)


async def test_patient_request_waits_if_a_process_starts_as_the_renderer_becomes_idle(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(supervisor, "PATIENT_TIMEOUT_S", 60.0)  # however busy the machine is
    renderer = RendererSupervisor(RENDERER, 2, ["/"], rests_after=0.2)
    start, may_start, is_up = RendererProcess.start, asyncio.Event(), asyncio.Event()
    calls = count(1)

    async def start_slowly(script: Path) -> RendererProcess:
        if next(calls) != 2:
            return await start(script)
        await may_start.wait()
        process = await start(script)
        render = process.render

        async def render_sample(url: str, initial_state: bytes) -> str:
            html = await render(url, initial_state)
            is_up.set()
            return html

        monkeypatch.setattr(process, "render", render_sample)
        return process

    monkeypatch.setattr(RendererProcess, "start", start_slowly)
    await renderer.start()
    await wait_until_resting(renderer)
    may_start.set()
    await asyncio.wait_for(is_up.wait(), SECONDS)
    assert renderer.is_waking
    assert "<main" in await renderer.render("/cart", b"{}", is_patient=True)
    await renderer.stop()


async def test_renderer_does_not_become_idle_while_a_request_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(supervisor, "PATIENT_TIMEOUT_S", 60.0)  # however busy the machine is
    renderer = RendererSupervisor(RENDERER, 1, ["/"], rests_after=0.0)  # as soon as possible
    await renderer.start()
    await wait_until_resting(renderer)
    pages = await asyncio.gather(*(renderer.render("/cart", b"{}", is_patient=True) for _ in range(2)))
    assert all("<main" in page for page in pages)
    await wait_until_resting(renderer)
    await renderer.stop()


async def test_impatient_request_does_not_wait_for_an_idle_renderer_to_start(
    resting_renderer: RendererSupervisor,
) -> None:
    with pytest.raises(NotRendered, match="no renderer is up"):
        await resting_renderer.render("/", b"{}")
    await wait_until_up(resting_renderer)


async def test_patient_request_is_rendered_just_as_the_renderer_becomes_idle(
    resting_renderer: RendererSupervisor, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(supervisor, "PATIENT_TIMEOUT_S", 60.0)  # however busy the machine is
    for _ in range(5):
        resting_renderer.wake()
        await wait_until_up(resting_renderer)
        while not resting_renderer.is_resting:  # noqa: ASYNC110 - the very moment
            await asyncio.sleep(0.001)
        assert "<main" in await resting_renderer.render("/", b"{}", is_patient=True)


async def test_failed_start_of_an_idle_renderer_does_not_block_requests(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    script = tmp_path / RENDERER.name
    shutil.copyfile(RENDERER, script)
    renderer = RendererSupervisor(script, 1, ["/"], rests_after=0.2)
    await renderer.start()
    await wait_until_resting(renderer)
    script.unlink()
    renderer.wake()
    async with asyncio.timeout(SECONDS):
        while renderer.is_waking:  # noqa: ASYNC110 - it is another process we wait for
            await asyncio.sleep(0.01)
    assert await renderer.check_health() == "none is up"
    assert not renderer.is_resting
    await renderer.stop()
    assert "a renderer could not be started" in caplog.text


async def test_idle_renderer_can_be_stopped(
    resting_renderer: RendererSupervisor, nodes: list[Process]
) -> None:
    await resting_renderer.stop()
    assert list_pids(nodes) == []
    assert not resting_renderer.is_resting


async def test_requests_beyond_the_renderers_capacity_do_not_wait_long(renderer: RendererSupervisor) -> None:
    results = await asyncio.gather(
        *(renderer.render(f"/catalog?{number}", b"{}") for number in range(300)), return_exceptions=True
    )
    refused = [result for result in results if isinstance(result, NotRendered)]
    rendered = [result for result in results if isinstance(result, str)]
    assert len(refused) + len(rendered) == 300
    assert rendered


async def test_start_without_a_build_raises_no_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(supervisor, "START_TIMEOUT_S", 0.3)
    renderer = RendererSupervisor(tmp_path / "renderer.mjs", 1, ["/"])
    await renderer.start()
    assert not renderer.is_up
    await renderer.stop()


async def test_renderer_without_processes_renders_no_document() -> None:
    renderer = RendererSupervisor(RENDERER, 0)
    await renderer.start()
    for is_patient in (False, True):
        with pytest.raises(NotRendered):
            await renderer.render("/", b"{}", is_patient=is_patient)
    await renderer.stop()


async def test_stopped_renderer_leaves_no_process(nodes: list[Process]) -> None:
    renderer = RendererSupervisor(RENDERER, 2, ["/"])
    await renderer.start()
    await renderer.stop()
    assert len(nodes) >= 1
    assert list_pids(nodes) == []
    assert not renderer.is_up


async def test_renderer_process_ends_with_its_parent(nodes: list[Process]) -> None:
    process = await RendererProcess.start(RENDERER)
    await process.render("/", b"{}")
    (node,) = nodes
    assert node.stdin is not None
    node.stdin.close()  # as if the server was killed
    assert await asyncio.wait_for(node.wait(), SECONDS) == 0
    await process.close()


@pytest.mark.parametrize("steps", range(6))
async def test_cancelled_stop_of_a_process_leaves_no_process_and_no_folder(
    tmp_path_factory: pytest.TempPathFactory,
    monkeypatch: pytest.MonkeyPatch,
    nodes: list[Process],
    steps: int,
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
    assert list_pids(nodes) == []
    assert os.listdir(folder) == []  # noqa: PTH208 - the folder is looked at from the event loop


async def test_renderer_needs_no_node_packages(tmp_path: Path) -> None:
    script = tmp_path / RENDERER.name  # no parent folder has node_modules
    shutil.copyfile(RENDERER, script)
    process = await RendererProcess.start(script)
    assert "<main" in await process.render("/", b"{}")
    await process.close()
