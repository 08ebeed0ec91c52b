"""The files for a code host are valid, and contributors run only the project's own checks."""

import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from backend.core.config.version import VERSION

ROOT = Path(__file__).parent.parent
SCHEMAS = {
    "vendor.github-workflows": sorted((ROOT / ".github/workflows").glob("*.yml")),
    "vendor.dependabot": [ROOT / ".github/dependabot.yml"],
    "vendor.github-issue-forms": [
        ROOT / ".github/ISSUE_TEMPLATE/fault.yml",
        ROOT / ".github/ISSUE_TEMPLATE/proposal.yml",
    ],
}


@pytest.mark.parametrize("schema", SCHEMAS)
def test_file_for_the_code_host_matches_its_schema(schema: str) -> None:
    command = [
        sys.executable,
        "-m",
        "check_jsonschema",
        "--builtin-schema",
        schema,
        *map(str, SCHEMAS[schema]),
    ]
    checked = subprocess.run(command, capture_output=True, text=True, check=False)
    assert checked.returncode == 0, checked.stdout + checked.stderr


def test_pre_commit_hooks_run_only_existing_programs_of_the_project() -> None:
    repositories = yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text("utf-8"))["repos"]
    assert [one["repo"] for one in repositories] == ["local"]
    hooks = {hook["id"]: hook["entry"].split() for hook in repositories[0]["hooks"]}
    assert set(hooks) == {"format", "lint", "import-contracts", "own-rules", "commit-subject"}
    programs = [entry[0] for entry in hooks.values()]
    assert all(program.startswith(".venv/bin/") for program in programs)
    assert (ROOT / "tools/commit_subject.py").exists()


def test_ci_workflow_runs_all_checks_and_builds_the_docs() -> None:
    workflow = yaml.safe_load((ROOT / ".github/workflows/checks.yml").read_text("utf-8"))
    runs = [step.get("run") for step in workflow["jobs"]["ci"]["steps"]]
    assert ".ci/run" in runs
    script = ROOT / ".ci/run"
    assert script.stat().st_mode & 0o111
    checked = set(script.read_text("utf-8").split())
    assert checked >= {"types", "rules", "collection", "docs", "test"}


def test_changelog_describes_the_released_version() -> None:
    headings = re.findall(r"^## (.+)$", (ROOT / "CHANGELOG.md").read_text("utf-8"), re.MULTILINE)
    assert headings[0] == "Unreleased" or headings[0].startswith(f"{VERSION} ")
    assert VERSION.startswith("0.") or any(heading.startswith(f"{VERSION} ") for heading in headings)
