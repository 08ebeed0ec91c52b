"""Repeated runs of the browser tests on a busy machine: `make loaded`, or `python -m tests.loaded_runs`.

Three processes that never wait compete with the tests. Each finished run is stored in `test-results/loaded/`, and
a later call continues with the next one; an interrupted run is repeated. Runs of another commit or of other tests
are stored in another file.
"""

import argparse
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from multiprocessing import get_context
from pathlib import Path
from types import FrameType
from xml.etree import ElementTree

from tests.process_groups import end_process_group

ROOT = Path(__file__).parent.parent
FOLDER = ROOT / "test-results" / "loaded"
BROWSER_TESTS = ("--size", "test", "tests/e2e", "tests/failure/test_cuts.py")
"""Arguments of pytest: the browser tests of `make test`."""
DEFAULT_RUNS = 10
DEFAULT_LOOPS = 3
MAX_LOOPS = 16
RUN_TIMEOUT_S = 3 * 3600
"""No run takes longer, and no busy loop runs longer."""
STOP_TIMEOUT_S = 120
"""Time for pytest to stop its shops and browsers after an interruption."""
LOOP_STEPS = 1_000_000
"""Steps of a busy loop between two looks at the clock: a few hundredths of a second."""


@dataclass(frozen=True)
class LoadedRun:
    """Result of one finished run."""

    number: int
    loops: int
    seconds: float
    """Duration of the run."""
    exit_code: int
    """Exit code of pytest: 0 if every test passed, 1 if tests failed, and more for other problems."""
    tests: int
    """Number of tests that ran."""
    failed: tuple[str, ...]
    """The failed tests, each with the first line of its error."""


def main() -> None:
    """Run the tests from the command line; exit with 1 unless every test passed in every run."""
    parser = argparse.ArgumentParser(description="Run the browser tests repeatedly next to busy loops.")
    parser.add_argument("tests", nargs="*", help="arguments of pytest instead of all browser tests")
    parser.add_argument("--runs", type=int, default=DEFAULT_RUNS)
    parser.add_argument("--loops", type=int, default=DEFAULT_LOOPS, choices=range(MAX_LOOPS + 1))
    parser.add_argument("--folder", type=Path, default=FOLDER)
    arguments = parser.parse_args()
    tests: tuple[str, ...] = tuple(arguments.tests) or BROWSER_TESTS
    file: Path = arguments.folder / f"{name_runs(describe_version(), tests)}.json"
    signal.signal(signal.SIGTERM, _interrupt)
    signal.signal(signal.SIGINT, _interrupt)  # a shell's background program, and so pytest, would ignore it
    runs = read_runs(file)
    for number in range(len(runs) + 1, arguments.runs + 1):
        try:
            runs.append(run_tests(number, tests, arguments.loops, file.with_suffix("")))
        except KeyboardInterrupt:
            sys.exit(f"run {number} was interrupted; the next call repeats it")
        write_runs(file, runs)
        print(format_run(runs[-1]), flush=True)
    print(f"{len(runs)} runs, {sum(run.exit_code != 0 for run in runs)} of them with failures: {file}")
    sys.exit(any(run.exit_code for run in runs))


def run_tests(number: int, tests: Sequence[str], loops: int, folder: Path) -> LoadedRun:
    """Run the tests once while busy loops load the machine. pytest's report and log are stored in `folder`."""
    folder.mkdir(parents=True, exist_ok=True)
    report = folder / f"{number}.xml"
    options = ("--maxfail=0", "-p", "no:cacheprovider", f"--junitxml={report}")
    started = time.monotonic()
    with (folder / f"{number}.log").open("wb") as log, run_busy_loops(loops):
        # in its own session: an interruption at the terminal reaches this process, which interrupts pytest once
        process = subprocess.Popen(
            [sys.executable, "-m", "pytest", *options, *tests],
            cwd=ROOT,
            stdout=log,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        try:
            process.wait(RUN_TIMEOUT_S)
        finally:
            end_process_group(process, STOP_TIMEOUT_S, signal.SIGINT)
    seconds = round(time.monotonic() - started, 1)
    count, failed = read_report(report)
    return LoadedRun(number, loops, seconds, process.returncode, count, failed)


@contextmanager
def run_busy_loops(count: int) -> Iterator[None]:
    """Keep `count` processes busy in the block."""
    context = get_context("spawn")
    deadline = time.monotonic() + RUN_TIMEOUT_S
    loops = [context.Process(target=_stay_busy, args=(os.getpid(), deadline)) for _loop in range(count)]
    try:
        for loop in loops:
            loop.start()
        yield
    finally:
        for loop in loops:
            if loop.pid is not None:
                loop.terminate()
                loop.join()


def _stay_busy(parent: int, deadline: float) -> None:
    """Compute until the deadline, or until the process that started this one has ended."""
    while os.getppid() == parent and time.monotonic() < deadline:
        for _step in range(LOOP_STEPS):
            pass


def read_report(file: Path) -> tuple[int, tuple[str, ...]]:
    """Return the number of tests in pytest's XML report, and the failed ones with the first lines of their errors."""
    if not file.exists():
        return 0, ()
    cases = list(ElementTree.parse(file).iter("testcase"))
    failed = [
        f"{case.get('classname')}::{case.get('name')}: {(problem.get('message') or '').partition(chr(10))[0]}"
        for case in cases
        for problem in (*case.findall("failure"), *case.findall("error"))
    ]
    return len(cases), tuple(failed)


def describe_version() -> str:
    """Return the short hash of the commit, with `-changed` if files differ from it; `unknown` without git."""
    commit, changes = _git("rev-parse", "--short", "HEAD"), _git("status", "--porcelain")
    return f"{commit}-changed" if commit and changes else commit or "unknown"


def _git(*arguments: str) -> str:
    try:
        done = subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True, check=False)
    except OSError:
        return ""
    return done.stdout.strip()


def name_runs(version: str, tests: Sequence[str]) -> str:
    """Return the name of the file with the runs of these tests in this version of the project."""
    if tuple(tests) == BROWSER_TESTS:
        return version
    words = "-".join(tests).replace("tests/e2e/", "")
    return f"{version}-" + "".join(letter if letter.isalnum() else "-" for letter in words)[:80]


def read_runs(file: Path) -> list[LoadedRun]:
    """Return the stored runs."""
    if not file.exists():
        return []
    return [LoadedRun(**{**run, "failed": tuple(run["failed"])}) for run in json.loads(file.read_text())]


def write_runs(file: Path, runs: Sequence[LoadedRun]) -> None:
    """Store the runs atomically."""
    part = file.with_suffix(".part")
    part.write_text(json.dumps([asdict(run) for run in runs], indent=2, ensure_ascii=False))
    part.replace(file)


def format_run(run: LoadedRun) -> str:
    """Format a run as one line, and one more for each failed test."""
    head = f"run {run.number}: {run.tests} tests in {run.seconds:.0f} s, {len(run.failed)} failed"
    if run.exit_code > 1:
        head += f" (pytest ended with {run.exit_code})"
    return "\n  ".join((head, *run.failed))


def _interrupt(_number: int, _frame: FrameType | None) -> None:
    raise KeyboardInterrupt


if __name__ == "__main__":
    main()
