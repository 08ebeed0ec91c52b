"""The files for a code host are valid, and contributors run only the project's own checks."""

import subprocess
import sys
from pathlib import Path

import pytest
import yaml

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


def test_hooks_of_contributors_come_from_the_project_and_exist() -> None:
    repositories = yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text("utf-8"))["repos"]
    assert [one["repo"] for one in repositories] == ["local"]
    hooks = {hook["id"]: hook["entry"].split() for hook in repositories[0]["hooks"]}
    assert set(hooks) == {"format", "lint", "import-contracts", "own-rules", "commit-subject"}
    programs = [entry[0] for entry in hooks.values()]
    assert all(program.startswith(".venv/bin/") for program in programs)
    assert (ROOT / "tools/commit_subject.py").exists()


def test_every_change_runs_all_checks() -> None:
    workflow = yaml.safe_load((ROOT / ".github/workflows/checks.yml").read_text("utf-8"))
    runs = [step.get("run") for step in workflow["jobs"]["ci"]["steps"]]
    assert ".ci/run" in runs
    assert (ROOT / ".ci/run").stat().st_mode & 0o111
