"""The rule for the subjects of commits."""

import subprocess
import sys
from pathlib import Path

import pytest

from tools.commit_subject import find_problem

ROOT = Path(__file__).resolve().parent.parent.parent


@pytest.mark.parametrize(
    "subject",
    [
        "cart: merge equal lines",
        "orders, returns: embed the number in the file name",
        "storefront/office: process forms",
        "payment: pass the bank's name",
        "Merge branch 'main' into gifts",
        'Revert "cart: merge equal lines"',
        f"cart: merge {'x' * 60}",
    ],
)
def test_commit_subject_in_the_imperative_is_accepted(subject: str) -> None:
    assert find_problem(subject) is None


@pytest.mark.parametrize(
    ("subject", "problem"),
    [
        ("merge equal lines", "area: verb object"),
        ("cart:merge equal lines", "area: verb object"),
        ("cart: merge", "area: verb object"),
        ("Cart: merge equal lines", "area: verb object"),
        ("cart: merged equal lines", "imperative"),
        ("cart: merges equal lines", "imperative"),
        ("cart: merging equal lines", "imperative"),
        ("cart: the lines are merged", "imperative"),
        ("order: what is sent before it is paid is not told as paid", "imperative"),
        (f"cart: merge {'x' * 61}", "73 characters"),
    ],
)
def test_commit_subject_in_another_form_is_refused(subject: str, problem: str) -> None:
    assert problem in (find_problem(subject) or "")


@pytest.mark.parametrize(("subject", "code"), [("cart: merge equal lines", 0), ("merged lines", 1)])
def test_commit_hook_checks_only_the_first_line(tmp_path: Path, subject: str, code: int) -> None:
    message = tmp_path / "message"
    message.write_text(f"{subject}\n\nThe reason, in any form.\n", "utf-8")
    run = subprocess.run(
        [ROOT / ".githooks/commit-msg", message], capture_output=True, text=True, check=False
    )
    assert run.returncode == code, run.stderr


def test_subjects_in_a_range_of_commits_are_checked(tmp_path: Path) -> None:
    def git(*arguments: str) -> None:
        identity = ("-c", "user.name=Ana", "-c", "user.email=ana@example.com")
        subprocess.run(["git", *identity, *arguments], cwd=tmp_path, check=True, capture_output=True)

    git("init", "--initial-branch=main")
    for subject in ("wrong before the range", "cart: merge equal lines", "Wrong in the range"):
        git("commit", "--allow-empty", "--message", subject)
    checked = [sys.executable, str(ROOT / "tools/commit_subject.py"), "HEAD~2..HEAD"]
    run = subprocess.run(checked, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert run.returncode == 1
    assert "Wrong in the range" in run.stderr
    assert "wrong before" not in run.stderr
