"""`make help` lists the targets, and an unknown target is refused with this list."""

import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
INTERNAL = frozenset({"browser", "collection", "packages", "pages", "rules", "types"})
"""Targets that only other targets and `.ci/run` use."""


def run_make(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = ["make", "--no-print-directory", *arguments]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)


def test_help_lists_every_target() -> None:
    made = run_make("help")
    listed = re.findall(r"^  make (\S+)", made.stdout, re.MULTILINE)
    (phony,) = re.findall(r"^\.PHONY: (.+)", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE)
    assert made.returncode == 0
    assert sorted(listed) == sorted(set(phony.split()) - INTERNAL)


@pytest.mark.parametrize("target", ["nonsense", "tests"])
def test_unknown_make_target_is_refused_with_the_list_of_targets(target: str) -> None:
    made = run_make(f"{target}.no")
    assert made.returncode == 2
    assert f"There is no target {target}.no." in made.stderr
    assert run_make("help").stdout in made.stderr
