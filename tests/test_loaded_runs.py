"""Check `make loaded`: it reports each failure, leaves no process, and repeats an interrupted run."""

import json
import signal
import subprocess
import sys
import time
from pathlib import Path

import psutil

from tests.loaded_runs import ROOT

START_TIMEOUT_S = 120


def start_runs(folder: Path, tests: Path) -> "subprocess.Popen[str]":
    """Start two runs of the tests in this file, next to one busy loop."""
    options = ("--runs", "2", "--loops", "1", "--folder", str(folder), "--", "-n0", str(tests))
    return subprocess.Popen(
        [sys.executable, "-m", "tests.loaded_runs", *options], cwd=ROOT, stdout=subprocess.PIPE, text=True
    )


def test_every_loaded_run_of_the_tests_is_stored_with_its_failures(tmp_path: Path) -> None:
    tests = tmp_path / "test_pair.py"
    tests.write_text("def test_right(): pass\ndef test_wrong(): assert 1 == 2\n")
    process = start_runs(tmp_path / "runs", tests)
    printed, _ = process.communicate()
    assert process.returncode == 1
    assert printed.count("2 tests in") == printed.count("1 failed") == 2
    (file,) = (tmp_path / "runs").glob("*.json")
    runs = json.loads(file.read_text())
    assert [(run["number"], run["tests"], run["exit_code"]) for run in runs] == [(1, 2, 1), (2, 2, 1)]
    assert ["test_wrong: assert 1 == 2" in run["failed"][0] for run in runs] == [True, True]


def test_interrupted_run_leaves_no_process_and_is_repeated(tmp_path: Path) -> None:
    tests, started = tmp_path / "test_long.py", tmp_path / "started"
    tests.write_text(
        f"import pathlib, time\ndef test_long():\n    pathlib.Path({str(started)!r}).touch()\n    time.sleep(600)\n"
    )
    process = start_runs(tmp_path / "runs", tests)
    deadline = time.monotonic() + START_TIMEOUT_S
    while not started.exists():
        assert time.monotonic() < deadline
        time.sleep(0.05)
    children = psutil.Process(process.pid).children(recursive=True)
    assert len(children) >= 2  # pytest and the busy loop
    process.send_signal(signal.SIGTERM)
    process.communicate()
    assert process.returncode == 1
    assert psutil.wait_procs(children, timeout=START_TIMEOUT_S)[1] == []
    assert list((tmp_path / "runs").glob("*.json")) == []
    tests.write_text("def test_long(): pass\n")
    process = start_runs(tmp_path / "runs", tests)
    printed, _ = process.communicate()
    assert process.returncode == 0
    assert printed.startswith("run 1: 1 tests")
    assert "2 runs, 0 of them with failures" in printed
