"""Threads for one purpose each: what waits there for something slow keeps nothing else from being done."""

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
    """At most `most` threads; what comes when all are busy waits for one of them."""

    def __init__(self, name: str, most: int) -> None:
        self._name, self._most = name, most

    async def run(self, function: Callable[P, T], *arguments: P.args, **options: P.kwargs) -> T:
        """Call the function in one of the threads, and return its result."""
        call = partial(copy_context().run, function, *arguments, **options)
        return await asyncio.get_running_loop().run_in_executor(
            _pool(self._name, self._most, os.getpid()), call
        )


@cache
def _pool(name: str, most: int, process_id: int) -> ThreadPoolExecutor:  # noqa: ARG001 - part of the key
    """This process's threads: those of the process that forked it are not there."""
    return ThreadPoolExecutor(max_workers=most, thread_name_prefix=name)
