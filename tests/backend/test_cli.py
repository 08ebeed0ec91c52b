from pathlib import Path

import pytest
from typer.testing import CliRunner

from backend.cli import app


@pytest.fixture(autouse=True)
def _shop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DATA_DIR", str(tmp_path))


def run(*arguments: str) -> tuple[int, str]:
    result = CliRunner().invoke(app, arguments)
    return result.exit_code, result.output


def test_migrate_makes_the_database_and_may_be_repeated(tmp_path: Path) -> None:
    for _ in range(2):
        assert run("migrate") == (0, "The database is up to date.\n")
    assert (tmp_path / "trompo.db").exists()


def test_seed_fills_a_new_shop_once() -> None:
    code, output = run("seed")
    assert code == 0
    assert output.startswith("Added ")
    assert run("seed") == (0, "The shop has its toys already.\n")


def test_a_wrong_setting_is_one_line_and_not_a_traceback(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PORT", "everywhere")
    code, output = run("migrate")
    assert code == 1
    assert output.startswith("Trompo cannot start: PORT: ")
    assert output.count("\n") == 1
