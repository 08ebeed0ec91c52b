"""A pytest plugin that runs mutants instead of the collected tests."""

import os
import signal
import subprocess
import sys
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from coverage import Coverage

from tests.mutants.areas import ROOT
from tests.mutants.code_swap import CannotSwap, swap_functions
from tests.mutants.forks import Ended, Task, run_tasks
from tests.mutants.mutated_import import FAILED_TEST_VARIABLE, MUTANT_VARIABLE
from tests.mutants.operators import Mutant, mutate
from tests.mutants.recording import Recording, list_lines, record_tests, start_coverage
from tests.mutants.results import Outcome, Result, is_valid, load_results, make_result, store_result
from tests.mutants.selection import choose_tests, runs_at_import
from tests.sizes import base_id, find_variant

BASE_CPU_S = 30
"""Processor time for the imports, the databases and a server, in addition to that of the tests."""
MAX_SLOWDOWN = 5
"""Factor of the processor time of the unchanged tests after which a mutant has timed out."""


@dataclass
class MutantRun:
    """A plugin for pytest that runs the mutants of a sample.

    Attributes:
        sample: the mutants by area.
        jobs: number of processes at a time.
        max_cpu_s: processor time that the chosen tests of a mutant may take on the unchanged code.
        is_repeated: True to ignore the stored results.
    """

    sample: dict[str, list[Mutant]]
    jobs: int
    max_cpu_s: float
    is_repeated: bool = False
    results: dict[str, Result] = field(default_factory=dict)
    _imports: Coverage = field(default_factory=start_coverage)

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Record the lines that tests of unrecorded files execute, then run mutants without a valid result."""
        self._imports.stop()
        import_lines = list_lines(self._imports)
        items = {item.nodeid: item for item in session.items}
        twins = _find_twins(session.items)
        recorded = self._record(session, [item for item in session.items if item.nodeid not in twins])
        tests = {name: recorded.tests[twins.get(name, name)] for name in items}
        stored = load_results()
        trials = []
        for mutant in (mutant for mutants in self.sample.values() for mutant in mutants):
            chosen = choose_tests(mutant, tests, import_lines, self.max_cpu_s)
            result = stored.get(mutant.id)
            if result and not self.is_repeated and is_valid(result, mutant, chosen):
                self.results[mutant.id] = result
            elif chosen:
                seconds = sum(tests[name].seconds for name in chosen)
                is_imported = runs_at_import(mutant, import_lines)
                source = (ROOT / mutant.file).read_text("utf-8")
                limit = BASE_CPU_S + int(seconds * MAX_SLOWDOWN)
                trials.append(_Trial(mutant, source, chosen, is_imported, limit))
            else:
                self._store(mutant, Outcome.NO_TEST, "", chosen)
        print(f"{len(self.results)} results are stored, {len(trials)} mutants to run", flush=True)
        while trials:
            trials = self._run(session, items, trials)
        return True

    def _record(self, session: pytest.Session, items: list[pytest.Item]) -> Recording:
        recording = Recording.load()
        groups: dict[str, list[pytest.Item]] = defaultdict(list)
        for item in items:
            groups[item.nodeid.partition("::")[0]].append(item)
        stale = [(file, tests) for file, tests in groups.items() if file not in recording.files]
        if stale:
            print(f"Recording the tests of {len(stale)} files …", flush=True)

        def plan(part: int) -> Callable[[Callable[[Any], None]], None]:
            def work(send: Callable[[Any], None]) -> None:
                record_tests(
                    stale[part :: self.jobs],
                    lambda item, following: _run_test(session, item, following),
                    send,
                )
                session.config.hook.pytest_sessionfinish(session=session, exitstatus=0)

            return work

        for _part, message in run_tasks(
            [Task(part, plan(part)) for part in range(self.jobs) if stale], self.jobs
        ):
            if not isinstance(message, Ended):
                recording.add(*message)
        if missing := [file for file, _tests in stale if file not in recording.files]:
            sys.exit(f"These files were not recorded: {', '.join(missing)}")
        return recording

    def _run(
        self, session: pytest.Session, items: dict[str, pytest.Item], trials: list["_Trial"]
    ) -> list["_Trial"]:
        """Run mutants and store their results. Return those that have to run again.

        A test on PostgreSQL may also fail because the machine is busy. So it has to fail a second time; otherwise
        the mutant runs again without this test.
        """
        doubtful: list[_Trial] = []
        again: list[_Trial] = []
        for trial, outcome, test in _run_trials(session, items, trials, self.jobs):
            if "postgresql" in test:
                doubtful.append(replace(trial, confirmed=test))
            else:
                self._store(trial.mutant, outcome, test, trial.tests)
        for trial, outcome, test in _run_trials(session, items, doubtful, self.jobs):
            if outcome is not Outcome.SURVIVED:
                self._store(trial.mutant, outcome, test, trial.tests)
            elif others := [name for name in trial.tests if name != trial.confirmed]:
                again.append(replace(trial, tests=others, confirmed=""))
            else:
                self._store(trial.mutant, outcome, "", trial.tests)
        return again

    def _store(self, mutant: Mutant, outcome: Outcome, test: str, chosen: list[str]) -> None:
        result = make_result(mutant, outcome, test, chosen)
        self.results[mutant.id] = result
        store_result(result)
        print(
            f"{mutant.id} {outcome:9} {mutant.file}:{mutant.line} {mutant.before} → {mutant.after}",
            flush=True,
        )


def _find_twins(items: Iterable[pytest.Item]) -> dict[str, str]:
    """Return, by the id of a test on PostgreSQL, the id of the same test on SQLite, which executes the same lines."""
    on_sqlite = {
        base_id(item.nodeid, "sqlite"): item.nodeid for item in items if find_variant(item) == "sqlite"
    }
    bases = {
        item.nodeid: base_id(item.nodeid, "postgresql")
        for item in items
        if find_variant(item) == "postgresql"
    }
    return {name: on_sqlite[base] for name, base in bases.items() if base in on_sqlite}


@dataclass(frozen=True)
class _Trial:
    """A mutant to run.

    Attributes:
        source: the module's source when the run started.
        tests: ids of the chosen tests, the most promising first.
        is_imported: True if the changed module must be imported in a new process.
        max_cpu_s: processor time after which the tests are stopped.
        confirmed: the id of a failed test, to run only this one again; empty to run all `tests`.
    """

    mutant: Mutant
    source: str
    tests: list[str]
    is_imported: bool
    max_cpu_s: int
    confirmed: str = ""


def _run_trials(
    session: pytest.Session, items: dict[str, pytest.Item], trials: list[_Trial], jobs: int
) -> Iterator[tuple[_Trial, Outcome, str]]:
    """Yield each mutant with its outcome and the failed test."""
    tasks = [Task(trial, _plan_work(session, items, trial), trial.max_cpu_s) for trial in trials]
    answered: set[str] = set()
    for trial, message in run_tasks(tasks, jobs):
        if not isinstance(message, Ended):
            answered.add(trial.mutant.id)
            yield trial, *message
        elif trial.mutant.id not in answered:
            # a process that ends without a message was stopped, or the mutant ended it
            yield trial, Outcome.TIMEOUT if message.is_overdue else Outcome.KILLED, ""


def _plan_work(
    session: pytest.Session, items: dict[str, pytest.Item], trial: _Trial
) -> Callable[[Callable[[Any], None]], None]:
    """Return the function that a mutant's process runs. It sends the outcome and the id of the failed test."""
    names = [trial.confirmed] if trial.confirmed else trial.tests
    chosen = [items[name] for name in names]

    def work(send: Callable[[Any], None]) -> None:
        if trial.is_imported or not _swap(trial.mutant, trial.source):
            send(_run_in_new_process(trial.mutant, names))
            return
        outcome = Outcome.SURVIVED, ""
        try:
            for item, following in zip(chosen, [*chosen[1:], None], strict=True):
                if not _run_test(session, item, following):
                    outcome = Outcome.KILLED, item.nodeid
                    break
        except KeyboardInterrupt:
            outcome = Outcome.TIMEOUT, ""
        send(outcome)
        signal.signal(signal.SIGXCPU, signal.SIG_IGN)
        session.config.hook.pytest_sessionfinish(session=session, exitstatus=1)

    return work


def _run_test(session: pytest.Session, item: pytest.Item, following: pytest.Item | None) -> bool:
    """Run a test. Return True if it passed."""
    failed = session.testsfailed
    session.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
    return session.testsfailed == failed


def _swap(mutant: Mutant, source: str) -> bool:
    """Change the functions of this process. Return False if the mutant needs a new import."""
    try:
        swap_functions(str(ROOT / mutant.file), source, mutate(source, mutant))
    except CannotSwap:
        return False
    return True


def _run_in_new_process(mutant: Mutant, tests: list[str]) -> tuple[Outcome, str]:
    """Run tests in a new Python that imports the changed module. Return the outcome and the failed test."""
    with TemporaryDirectory() as folder:
        failed = Path(folder) / "failed"
        environment = {
            **os.environ,
            MUTANT_VARIABLE: f"{mutant.file}:{mutant.id}",
            FAILED_TEST_VARIABLE: str(failed),
        }
        options = ["-n0", "-x", "-p", "tests.mutants.mutated_import", "-p", "no:cacheprovider"]
        run = subprocess.run(
            [sys.executable, "-m", "pytest", *options, *tests], check=False, env=environment, cwd=ROOT
        )
        if run.returncode == 0:
            return Outcome.SURVIVED, ""
        if run.returncode < 0:
            return Outcome.TIMEOUT, ""
        test = failed.read_text("utf-8") if failed.exists() else ""
    return Outcome.KILLED, test
