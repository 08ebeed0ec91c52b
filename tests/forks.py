"""Processes that are forked from one that has already imported the shop: importing takes longer than opening it.

Each worker has its own forking process. It starts with the first fork.
"""

from multiprocessing import get_context

FORKS = get_context("forkserver")
"""The multiprocessing context that starts these processes."""
FORKS.set_forkserver_preload(["tests.e2e.imported_app", "tests.failure.shop_process"])
