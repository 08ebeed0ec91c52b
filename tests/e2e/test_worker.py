"""The process that serves the shop dies, and the shop opens again."""

import asyncio
import time
from collections.abc import Callable
from contextlib import suppress

import psutil

from tests.attacks.frames import raw_socket
from tests.e2e.conftest import OPEN_TIMEOUT_S, ShopServer


def _list_processes(shop: ShopServer) -> tuple[list[psutil.Process], list[psutil.Process]]:
    """Wait until the shop's worker has a renderer. Return the processes that serve the shop, and their renderers."""
    assert shop.process is not None
    deadline = time.monotonic() + OPEN_TIMEOUT_S
    while time.monotonic() < deadline:
        with suppress(psutil.NoSuchProcess):  # a killed worker
            workers = psutil.Process(shop.process.pid).children()
            if renderers := [renderer for worker in workers for renderer in worker.children()]:
                return workers, renderers
        time.sleep(0.05)
    raise AssertionError("no renderer was started")


async def test_killed_worker_is_replaced_and_stopped_worker_finishes_its_requests(
    new_server: Callable[..., ShopServer],
) -> None:
    shop = new_server()
    (worker,), (renderer,) = _list_processes(shop)
    worker.kill()
    shop.wait_until_healthy()
    assert psutil.wait_procs([renderer], timeout=OPEN_TIMEOUT_S)[1] == []
    (again,), (draws_again,) = _list_processes(shop)
    assert (again.pid, draws_again.pid) != (worker.pid, renderer.pid)

    async with raw_socket(shop.url) as page:
        stopping = asyncio.create_task(asyncio.to_thread(shop.stop))
        await page.wait_until_closed()
    assert await stopping == 0
    assert "drains: not ready any more" in shop.log


async def test_killed_main_process_leaves_no_child_processes(
    new_server: Callable[..., ShopServer],
) -> None:
    shop = new_server()
    workers, renderers = _list_processes(shop)
    assert shop.process is not None
    shop.process.kill()
    shop.process.wait()
    assert psutil.wait_procs([*workers, *renderers], timeout=OPEN_TIMEOUT_S)[1] == []
    shop.start()
    assert shop.stop() == 0
