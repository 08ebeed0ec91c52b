"""Separate thread pools, one for each purpose, so that slow work of one kind does not block other work."""

import asyncio
import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from functools import cache, partial
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")


class Threads:
    """A pool of at most `max_threads` threads. If all are busy, further calls wait."""

    def __init__(self, name: str, max_threads: int) -> None:
        self._name, self._max_threads = name, max_threads

    async def run(self, function: Callable[P, T], *arguments: P.args, **options: P.kwargs) -> T:
        """Call the function in one of the threads and return its result."""
        call = partial(copy_context().run, function, *arguments, **options)
        return await asyncio.get_running_loop().run_in_executor(
            _get_pool(self._name, self._max_threads, os.getpid()), call
        )


@cache
def _get_pool(name: str, max_threads: int, process_id: int) -> ThreadPoolExecutor:  # noqa: ARG001 - part of the key
    """Return this process's thread pool. It is cached with the process id, because threads do not survive a fork."""
    return ThreadPoolExecutor(max_workers=max_threads, thread_name_prefix=name)
