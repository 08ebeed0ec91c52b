import re
from pathlib import Path

import pytest

from backend.core.config.settings import Settings
from storefront.server.build import SHOWN, SOURCES, digest, sources_digest
from storefront.storefront import STYLES


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "page.py").write_text("hello")
    (tmp_path / "other.py").write_text("world")
    return tmp_path


def compute_digest(folder: Path, *also: str) -> str:
    return digest(folder, folder.iterdir(), *also)


def test_digest_of_a_build_does_not_depend_on_its_folder(folder: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    before = compute_digest(folder)
    copy.mkdir()
    for file in (folder / "page.py", folder / "other.py"):
        (copy / file.name).write_bytes(file.read_bytes())
    assert compute_digest(copy) == before


def test_digest_of_a_build_changes_with_a_changed_renamed_or_new_file(folder: Path) -> None:
    digests = [compute_digest(folder)]
    (folder / "page.py").write_text("hello!")
    digests.append(compute_digest(folder))
    (folder / "page.py").rename(folder / "home.py")
    digests.append(compute_digest(folder))
    (folder / "new.py").write_text("")
    digests.append(compute_digest(folder))
    assert len(set(digests)) == len(digests)


def test_digest_of_a_build_changes_when_content_moves_between_files(folder: Path) -> None:
    before = compute_digest(folder)
    (folder / "page.py").write_text("hellow")
    (folder / "other.py").write_text("orld")
    assert compute_digest(folder) != before


def test_digest_of_a_build_includes_settings_used_by_the_pages(folder: Path) -> None:
    assert compute_digest(folder, "STORE_LOCALE=es") != compute_digest(folder, "STORE_LOCALE=en")


def test_runtime_settings_do_not_change_the_digest_of_a_build(monkeypatch: pytest.MonkeyPatch) -> None:
    before = sources_digest()
    for name in ("GOOGLE_CLIENT_ID", "SMTP_HOST", "STORE_NAME", "STORE_NIT", "STORE_ABOUT"):
        monkeypatch.setenv(name, "example.test")
    monkeypatch.setenv("WORKERS", "2")
    monkeypatch.setenv("REDIS_URL", "redis://127.0.0.1")
    assert sources_digest() == before
    monkeypatch.setenv("STORE_LOCALE", "en")
    assert sources_digest() != before


def test_every_setting_included_in_the_digest_of_a_build_exists() -> None:
    assert set(Settings.model_fields) >= SHOWN


def test_every_source_included_in_the_digest_of_a_build_exists() -> None:
    root = Path(__file__).parents[3]
    assert [source for source in SOURCES if not (root / source).exists()] == []


def test_every_stylesheet_is_used_by_the_pages() -> None:
    assets = Path(__file__).parents[3] / "assets"
    sheets = {str(file.relative_to(assets)) for file in assets.rglob("*.css")}
    in_office = {sheet for sheet in sheets if sheet.startswith("styles/office/")}
    assert set(STYLES) == sheets - in_office
    index = (assets / "styles" / "office" / "index.css").read_text("utf-8")
    imported = {f"styles/office/{name}" for name in re.findall(r'@import "\./(.+?)";', index)}
    assert imported | {"styles/office/index.css"} == in_office


def test_no_office_class_has_rules_in_two_stylesheets() -> None:
    office = Path(__file__).parents[3] / "assets" / "styles" / "office"
    styled: dict[str, set[str]] = {}
    for sheet in office.glob("*.css"):
        for name in re.findall(r"^(\.o-[\w-]+)(?= \{|,$)", sheet.read_text("utf-8"), re.MULTILINE):
            styled.setdefault(name, set()).add(sheet.name)
    assert {name: sheets for name, sheets in styled.items() if len(sheets) > 1} == {}
