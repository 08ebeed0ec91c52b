"""The process that serves the shop dies, and the shop opens again by itself."""

import asyncio
from collections.abc import Callable

import psutil

from tests.attacks.frames import raw_socket
from tests.e2e.conftest import ShopServer


def _family(shop: ShopServer) -> tuple[list[psutil.Process], list[psutil.Process]]:
    """The processes that serve the shop, and those that draw for them."""
    assert shop.process is not None
    workers = psutil.Process(shop.process.pid).children()
    return workers, [drawing for worker in workers for drawing in worker.children()]


async def test_a_worker_that_dies_is_replaced_and_one_that_is_told_to_end_drains(
    new_server: Callable[..., ShopServer],
) -> None:
    shop = new_server()
    (worker,), (renderer,) = _family(shop)
    worker.kill()
    shop.wait_until_it_answers()
    assert psutil.wait_procs([renderer], timeout=10)[1] == []
    (again,), (draws_again,) = _family(shop)
    assert (again.pid, draws_again.pid) != (worker.pid, renderer.pid)

    async with raw_socket(shop.url) as page:
        stopping = asyncio.create_task(asyncio.to_thread(shop.stop))
        await page.until_closed()
    assert await stopping == 0
    assert "drains: not ready any more" in shop.log


async def test_a_main_process_that_is_killed_leaves_nobody_behind(
    new_server: Callable[..., ShopServer],
) -> None:
    shop = new_server()
    workers, renderers = _family(shop)
    assert shop.process is not None
    shop.process.kill()
    shop.process.wait()
    assert psutil.wait_procs([*workers, *renderers], timeout=20)[1] == []
    shop.start()
    assert shop.stop() == 0
