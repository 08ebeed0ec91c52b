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


def of(folder: Path, *also: str) -> str:
    return digest(folder, folder.iterdir(), *also)


def test_the_same_files_have_the_same_digest_wherever_they_lie(folder: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    before = of(folder)
    copy.mkdir()
    for file in (folder / "page.py", folder / "other.py"):
        (copy / file.name).write_bytes(file.read_bytes())
    assert of(copy) == before


def test_a_changed_a_renamed_and_a_new_file_each_change_the_digest(folder: Path) -> None:
    digests = [of(folder)]
    (folder / "page.py").write_text("hello!")
    digests.append(of(folder))
    (folder / "page.py").rename(folder / "home.py")
    digests.append(of(folder))
    (folder / "new.py").write_text("")
    digests.append(of(folder))
    assert len(set(digests)) == len(digests)


def test_content_cannot_move_from_one_file_to_the_next_unseen(folder: Path) -> None:
    before = of(folder)
    (folder / "page.py").write_text("hellow")
    (folder / "other.py").write_text("orld")
    assert of(folder) != before


def test_settings_that_pages_show_count_too(folder: Path) -> None:
    assert of(folder, "STORE_LOCALE=es") != of(folder, "STORE_LOCALE=en")


def test_what_is_known_while_the_shop_runs_costs_no_build(monkeypatch: pytest.MonkeyPatch) -> None:
    before = sources_digest()
    for name in ("GOOGLE_CLIENT_ID", "SMTP_HOST", "STORE_NAME", "STORE_NIT", "STORE_ABOUT"):
        monkeypatch.setenv(name, "example.test")
    monkeypatch.setenv("WORKERS", "2")
    monkeypatch.setenv("REDIS_URL", "redis://127.0.0.1")
    assert sources_digest() == before
    monkeypatch.setenv("STORE_LOCALE", "en")
    assert sources_digest() != before


def test_the_settings_it_looks_at_exist() -> None:
    assert set(Settings.model_fields) >= SHOWN


def test_the_sources_it_looks_at_exist() -> None:
    root = Path(__file__).parents[3]
    assert [source for source in SOURCES if not (root / source).exists()] == []


def test_every_style_sheet_is_on_the_pages() -> None:
    assets = Path(__file__).parents[3] / "assets"
    sheets = {str(file.relative_to(assets)) for file in assets.rglob("*.css")}
    in_office = {sheet for sheet in sheets if sheet.startswith("styles/office/")}
    assert set(STYLES) == sheets - in_office
    index = (assets / "styles" / "office" / "index.css").read_text("utf-8")
    imported = {f"styles/office/{name}" for name in re.findall(r'@import "\./(.+?)";', index)}
    assert imported | {"styles/office/index.css"} == in_office


def test_a_class_of_the_office_is_styled_by_one_sheet() -> None:
    office = Path(__file__).parents[3] / "assets" / "styles" / "office"
    styled: dict[str, set[str]] = {}
    for sheet in office.glob("*.css"):
        for name in re.findall(r"^(\.o-[\w-]+)(?= \{|,$)", sheet.read_text("utf-8"), re.MULTILINE):
            styled.setdefault(name, set()).add(sheet.name)
    assert {name: sheets for name, sheets in styled.items() if len(sheets) > 1} == {}
