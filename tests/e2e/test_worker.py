"""The process that serves the shop dies, and the shop opens again by itself."""

from collections.abc import Callable

import psutil

from tests.e2e.conftest import ShopServer


def _family(shop: ShopServer) -> tuple[list[psutil.Process], list[psutil.Process]]:
    """The processes that serve the shop, and those that draw for them."""
    assert shop.process is not None
    workers = psutil.Process(shop.process.pid).children()
    return workers, [drawing for worker in workers for drawing in worker.children()]


async def test_a_worker_that_dies_is_replaced_and_leaves_nobody_behind(
    new_server: Callable[..., ShopServer],
) -> None:
    shop = new_server()
    (worker,), (renderer,) = _family(shop)
    worker.kill()
    shop.wait_until_it_answers()
    assert psutil.wait_procs([renderer], timeout=10)[1] == []
    (again,), (draws_again,) = _family(shop)
    assert (again.pid, draws_again.pid) != (worker.pid, renderer.pid)
    assert shop.stop() == 0
