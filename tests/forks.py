"""Processes that begin as forks of one that has imported the shop already: importing it takes longer than opening it.

The forking process belongs to one worker and begins with the first fork.
"""

from multiprocessing import get_context

FORKS = get_context("forkserver")
"""Starts these processes."""
FORKS.set_forkserver_preload(["tests.e2e.imported_app", "tests.failure.shop_process"])
