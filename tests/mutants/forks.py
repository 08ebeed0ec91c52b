"""Tasks in forked processes: each inherits the imported shop and the collected tests, and changes nothing here."""

import multiprocessing
import os
import resource
import signal
import sys
import time
import traceback
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from multiprocessing.connection import Connection, wait
from types import FrameType
from typing import Any, Generic, TypeVar, cast

import psutil

FORKS = multiprocessing.get_context("fork")
CHECK_INTERVAL_S = 5
MAX_IDLE_S = 90
"""A task that uses no processor time during this interval waits forever."""
MIN_PROGRESS_S = 0.02
GRACE_S = 20
"""Processor time for stopping servers after the limit."""
T = TypeVar("T")


@dataclass(frozen=True)
class Task(Generic[T]):
    """Work for a forked process.

    Attributes:
        subject: identifies the task; it is yielded with each message.
        work: the function that the process runs; it sends messages through its argument.
        max_cpu_s: processor time after which the process is interrupted. With 0, neither this time nor idle time
            is limited.
    """

    subject: T
    work: Callable[[Callable[[Any], None]], None]
    max_cpu_s: int = 0


@dataclass(frozen=True)
class Ended:
    """The final message about a task: its process has ended."""

    is_overdue: bool


@dataclass(frozen=True)
class Broken:
    """A message: the traceback of an error that the task's `work` raised."""

    text: str


class TaskFailed(Exception):
    """The `work` of a task raised an error."""


@dataclass
class _Fork(Generic[T]):
    task: Task[T]
    process: multiprocessing.process.BaseProcess
    cpu_s: float = 0.0
    progressed_at: float = field(default_factory=time.monotonic)
    is_overdue: bool = False


def run_tasks(tasks: Iterable[Task[T]], jobs: int) -> Iterator[tuple[T, Any]]:
    """Run at most `jobs` tasks at a time. Yield (subject, message) pairs; the final message of a task is `Ended`."""
    waiting = deque(tasks)
    running: dict[Connection, _Fork[T]] = {}
    while waiting or running:
        while waiting and len(running) < jobs:
            pipe, fork = _start(waiting.popleft())
            running[pipe] = fork
        for ready in wait(list(running), CHECK_INTERVAL_S):
            pipe = cast(Connection, ready)
            fork = running[pipe]
            try:
                message = pipe.recv()
            except EOFError:
                del running[pipe]
                fork.process.join()
                has_limit_signal = fork.process.exitcode in (-signal.SIGXCPU, -signal.SIGKILL)
                yield fork.task.subject, Ended(fork.is_overdue or has_limit_signal)
            else:
                if isinstance(message, Broken):
                    raise TaskFailed(message.text)
                yield fork.task.subject, message
        for fork in running.values():
            _interrupt_if_idle(fork)


def _start(task: Task[T]) -> tuple[Connection, _Fork[T]]:
    receiver, sender = FORKS.Pipe(duplex=False)
    process = FORKS.Process(target=_run, args=(task, sender))
    sys.stdout.flush()
    process.start()
    sender.close()
    return receiver, _Fork(task, process)


def _run(task: Task[T], sender: Connection) -> None:
    """Run the task in its own process group, without output."""
    os.setsid()
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.dup2(nowhere, 2)
    if task.max_cpu_s:
        signal.signal(signal.SIGXCPU, _raise_interrupt)
        resource.setrlimit(resource.RLIMIT_CPU, (task.max_cpu_s, task.max_cpu_s + GRACE_S))
    try:
        task.work(sender.send)
    except Exception:  # noqa: BLE001 - the parent raises it again
        sender.send(Broken(traceback.format_exc()))
    sender.close()
    os._exit(0)


def _raise_interrupt(_signal: int, _frame: FrameType | None) -> None:
    raise KeyboardInterrupt


def _interrupt_if_idle(fork: _Fork[T]) -> None:
    """Interrupt a process that used no processor time for `MAX_IDLE_S`; kill it if that was tried before."""
    now = time.monotonic()
    used = _sum_cpu_s(fork.process.pid or 0)
    if not fork.task.max_cpu_s or used > fork.cpu_s + MIN_PROGRESS_S:
        fork.cpu_s, fork.progressed_at = used, now
    elif now > fork.progressed_at + MAX_IDLE_S:
        with suppress(ProcessLookupError):
            os.killpg(fork.process.pid or 0, signal.SIGKILL if fork.is_overdue else signal.SIGINT)
        fork.is_overdue, fork.progressed_at = True, now


def _sum_cpu_s(pid: int) -> float:
    """Return the processor time of a process and its children."""
    with suppress(psutil.NoSuchProcess):
        process = psutil.Process(pid)
        times = [one.cpu_times() for one in (process, *process.children(recursive=True))]
        return sum(one.user + one.system for one in times)
    return 0.0
