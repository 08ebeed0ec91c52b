"""Parsing in a child process with limits on memory and time, so that no file can crash or delay the server.

The child gets the file as its standard input and one JSON object as its argument, and writes lines of JSON. Its
environment contains none of this process's settings and secrets.
"""

import json
import os
import resource
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from threading import Timer
from typing import Any, BinaryIO, cast

import orjson

ROOT = Path(__file__).parents[2]
NICENESS = 5
"""Gives the shop's web requests priority over the child."""
MAX_OUTPUT_BYTES = 256 << 20
MAX_LINE_BYTES = 64 << 20
OOM_SCORE = "1000"
"""Makes Linux kill the child first when the machine runs out of memory."""


class ChildFailed(Exception):
    """The child process exited with an error, was killed, or wrote too much."""


class ChildProcess:
    """A process that runs `python -m module` on a file, as a context manager. It is killed at the end of the block.

    Attributes:
        module: a module of the project; its `main` calls `limit_this_process` first.
        timeout_s: seconds until the child is killed.
    """

    def __init__(self, module: str, file: BinaryIO, argument: Mapping[str, Any], *, timeout_s: float) -> None:
        self._process = subprocess.Popen(  # noqa: S603 - the modules are the project's own
            [sys.executable, "-m", module, json.dumps(argument)],
            stdin=file,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,  # a parser's warnings may quote the file
            cwd=ROOT,
            env={"PYTHONPATH": str(ROOT), "PYTHONUTF8": "1"},
        )
        self._output = cast("BinaryIO", self._process.stdout)
        self._timer = Timer(timeout_s, self._process.kill)
        self._timer.daemon = True
        self._timer.start()

    def __enter__(self) -> "ChildProcess":
        return self

    def __exit__(self, *_error: object) -> None:
        self._timer.cancel()
        self._process.kill()
        self._output.close()
        self._process.wait()

    def lines(self) -> Iterator[Any]:
        """Yield the JSON value of each line that the child writes.

        Raises:
            ChildFailed: it exited with an error, or wrote too much.
        """
        remaining_bytes = MAX_OUTPUT_BYTES
        while line := self._output.readline(MAX_LINE_BYTES):
            remaining_bytes -= len(line)
            if remaining_bytes < 0 or not line.endswith(b"\n"):
                raise ChildFailed
            yield orjson.loads(line)
        if self._process.wait() != 0:
            raise ChildFailed


def limit_this_process(max_memory_bytes: int, max_cpu_s: int) -> None:
    """Limit this process permanently: memory, CPU time, no writing of files, lower priority.

    macOS ignores the memory limit. There, memory is limited only indirectly: by the time limit, and by limits on the
    input.
    """
    os.nice(NICENESS)
    with suppress(OSError):
        Path("/proc/self/oom_score_adj").write_text(OOM_SCORE)
    for kind, limit in (
        (resource.RLIMIT_AS, max_memory_bytes),
        (resource.RLIMIT_CPU, max_cpu_s),
        (resource.RLIMIT_FSIZE, 0),
        (resource.RLIMIT_CORE, 0),
    ):
        _soft, hard = resource.getrlimit(kind)
        lower = limit if hard == resource.RLIM_INFINITY else min(limit, hard)
        with suppress(ValueError, OSError):
            resource.setrlimit(kind, (lower, hard))
