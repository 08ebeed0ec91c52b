"""The command `trompo catalog assign`: modes, token, address, and the progress bar."""

import io
import logging
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner

from backend.catalog.assignment import procedure
from backend.catalog.assignment.admin_api import AdminApi
from backend.catalog.assignment.data import read_data
from backend.cli.main import app
from tests.backend.catalog.assignment.platform import TOKEN, Platform
from tests.backend.shipping.serving import served

FILE = """
[[create]]
title = "Patio & Parque"
products = ["lazo", "prod_arena"]

[category]
id = "pcat_aire"
products = ["lazo"]
"""
STEPS = ["create-collection", "assign-collection", "assign-category", "3"]
"""First words of the output of a whole run."""


@pytest.fixture
def platform() -> Platform:
    return Platform()


@pytest.fixture
def shop(platform: Platform) -> Iterator[str]:
    with served(platform) as address:
        yield address


@pytest.fixture
def data(tmp_path: Path) -> str:
    file = tmp_path / "data.toml"
    file.write_text(FILE, "utf-8")
    return str(file)


@pytest.fixture(autouse=True)
def _environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("DATA_DIR", str(tmp_path / "data"))
    monkeypatch.setenv("ADMIN_JWT", TOKEN)
    monkeypatch.delenv("BACKEND_URL", raising=False)


def run(*arguments: str) -> tuple[int, str, str]:
    """Run `catalog assign`. Return the exit code, the output, and the error message."""
    result = CliRunner().invoke(app, ["catalog", "assign", *arguments])
    if isinstance(result.exception, SystemExit) and isinstance(message := result.exception.code, str):
        return result.exit_code, result.stdout.removesuffix(f"{message}\n"), message
    return result.exit_code, result.stdout, re.sub(r"\s*[│╭╮╰╯─]+\s*", " ", result.stderr)


@pytest.mark.parametrize("modes", [(), ("--dry-run", "--apply")])
def test_command_without_exactly_one_of_dry_run_and_apply_is_refused(
    modes: tuple[str, ...], platform: Platform
) -> None:
    code, _, error = run(*modes)
    assert code == 2
    assert "choose one of them: --dry-run or --apply" in error
    assert platform.requests == []


@pytest.mark.parametrize("token", [None, "", "   "])
def test_command_without_a_token_exits_with_a_message(
    token: str | None, monkeypatch: pytest.MonkeyPatch, shop: str, platform: Platform
) -> None:
    monkeypatch.setenv("BACKEND_URL", shop)
    if token is None:
        monkeypatch.delenv("ADMIN_JWT")
    else:
        monkeypatch.setenv("ADMIN_JWT", token)
    code, output, error = run("--apply")
    assert (code, output) == (1, "")
    assert error == "ADMIN_JWT is missing: set it to a token from POST /auth/user/emailpass."
    assert platform.requests == []


@pytest.mark.parametrize("token", ["two words", "línea", "a\nb"])
def test_token_with_invalid_characters_is_refused_and_not_printed(
    token: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ADMIN_JWT", token)
    code, _, error = run("--dry-run")
    assert code == 1
    assert error.startswith("ADMIN_JWT is not a token")
    assert token not in error


@pytest.mark.parametrize("address", ["shop.example", "ftp://shop.example"])
def test_backend_url_without_http_or_https_is_refused(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BACKEND_URL", address)
    assert run("--dry-run")[::2] == (1, "BACKEND_URL must start with http:// or https://")


def test_command_changes_nothing_over_http_in_a_dry_run_or_a_second_run(
    shop: str, platform: Platform, data: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BACKEND_URL", f"{shop}/")
    before = platform.state()
    code, output, error = run("--dry-run", "--data", data)
    assert (code, error) == (0, "")
    assert output.endswith("3 actions planned, none was run.\n")
    assert platform.state() == before

    code, output, error = run("--apply", "--data", data)
    assert (code, error) == (0, "")
    assert [line.split()[0] for line in output.splitlines()] == STEPS
    after = platform.state()
    assert after != before
    code, output, error = run("--apply", "--data", data)
    assert output.startswith("skip-create-collection")
    assert platform.state() == after


def test_aborted_run_prints_one_error_line_after_its_previous_output(
    shop: str, platform: Platform, data: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BACKEND_URL", shop)
    del platform.categories["pcat_aire"]
    code, output, error = run("--apply", "--data", data)
    assert code == 1
    assert output.splitlines()[-1].startswith("assign-collection")
    assert error.startswith("POST /admin/product-categories/pcat_aire/products was answered with HTTP 404: {")
    assert "Traceback" not in error


def test_command_without_an_address_uses_public_url(
    shop: str, platform: Platform, data: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PUBLIC_URL", shop)
    assert run("--dry-run", "--data", data)[0] == 0
    assert platform.requests


def test_token_is_not_written_to_output_or_files(
    shop: str, data: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setenv("BACKEND_URL", shop)
    with caplog.at_level(logging.DEBUG):
        _, output, error = run("--apply", "--data", data)
    assert TOKEN not in output + error + caplog.text
    assert not [file for file in tmp_path.rglob("*") if file.is_file() and TOKEN in file.read_text("utf-8")]


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(("min_steps", "is_shown"), [(3, True), (4, False)])
async def test_progress_bar_is_shown_only_for_long_plans(
    platform: Platform, data: str, min_steps: int, is_shown: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(procedure, "MIN_STEPS_FOR_PROGRESS", min_steps)
    monkeypatch.setattr(sys, "stderr", terminal := Terminal())
    monkeypatch.setattr(sys, "stdout", file := io.StringIO())
    async with AdminApi("http://shop", TOKEN, transport=platform.transport) as api:
        await procedure.run_procedure(read_data(Path(data)), api)
    assert ("Assigning" in terminal.getvalue()) is is_shown
    assert [line.split()[0] for line in file.getvalue().splitlines()] == STEPS


def test_progress_bar_is_hidden_without_a_terminal(
    shop: str, data: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(procedure, "MIN_STEPS_FOR_PROGRESS", 1)
    monkeypatch.setenv("BACKEND_URL", shop)
    assert run("--apply", "--data", data)[::2] == (0, "")
