"""Names of cookies.

| shop | path | set as | read |
|---|---|---|---|
| http | any | the plain name | the plain name |
| https | `/` | `__Host-…` | that, or the plain name for 30 days |
| https | `/auth` | `__Secure-…` | that, or the plain name for 30 days |
"""

from collections.abc import Iterator
from datetime import timedelta
from http.cookies import SimpleCookie
from pathlib import Path

import pytest
from starlette.responses import Response

from backend.core.clock import now
from backend.core.config.settings import Settings
from backend.edge.auth import cookies
from backend.edge.auth.cookies import RENAMED_FILE, delete_cookie, read_cookie, renamed_at, set_cookie

HTTP, HTTPS = "http://localhost:3000", "https://tienda.example"


@pytest.fixture(autouse=True)
def _renamed_now() -> Iterator[None]:
    yield
    renamed_at.cache_clear()


def shop(tmp_path: Path, url: str) -> Settings:
    return Settings(data_dir=tmp_path / "data", public_url=url)


def names_set(response: Response) -> list[str]:
    return [name for header in response.headers.getlist("set-cookie") for name in SimpleCookie(header)]


@pytest.mark.parametrize(
    ("url", "path", "name"),
    [
        (HTTP, "/", "trompo_x"),
        (HTTP, "/auth", "trompo_x"),
        (HTTPS, "/", "__Host-trompo_x"),
        (HTTPS, "/auth", "__Secure-trompo_x"),
    ],
)
def test_cookie_is_set_read_and_deleted_under_the_same_name(
    tmp_path: Path, url: str, path: str, name: str
) -> None:
    settings, response, gone = shop(tmp_path, url), Response(), Response()
    set_cookie(response, settings, "trompo_x", "value", seconds=60, path=path)
    (made,) = SimpleCookie(response.headers["set-cookie"]).values()
    assert (made.key, made.value, made["path"], made["domain"]) == (name, "value", path, "")
    assert (bool(made["secure"]), made["httponly"], made["samesite"]) == (url == HTTPS, True, "lax")
    assert read_cookie({name: "value"}, settings, "trompo_x", path=path) == "value"
    delete_cookie(gone, settings, "trompo_x", path=path)
    assert names_set(gone) == ([name] if url == HTTP else [name, "trompo_x"])
    for header in gone.headers.getlist("set-cookie"):
        (deleted,) = SimpleCookie(header).values()
        assert (deleted["max-age"], deleted["path"], bool(deleted["secure"])) == ("0", path, url == HTTPS)


def test_cookie_with_the_new_name_is_preferred_even_if_it_is_empty(tmp_path: Path) -> None:
    settings = shop(tmp_path, HTTPS)
    assert read_cookie({"trompo_x": "old", "__Host-trompo_x": "new"}, settings, "trompo_x") == "new"
    assert read_cookie({"trompo_x": "old", "__Host-trompo_x": ""}, settings, "trompo_x") == ""
    assert read_cookie({"__Secure-trompo_x": "of another path"}, settings, "trompo_x") == ""
    assert read_cookie({}, settings, "trompo_x") == ""


@pytest.mark.parametrize(("days", "value"), [(0, "old"), (29, "old"), (30, ""), (400, "")])
def test_old_cookie_name_is_accepted_for_30_days_after_the_first_start(
    tmp_path: Path, days: int, value: str
) -> None:
    settings = shop(tmp_path, HTTPS)
    settings.data_dir.mkdir()
    (settings.data_dir / RENAMED_FILE).write_text((now() - timedelta(days=days)).isoformat())
    for path in ("/", "/auth"):
        assert read_cookie({"trompo_x": "old"}, settings, "trompo_x", path=path) == value
    gone = Response()
    delete_cookie(gone, settings, "trompo_x")
    assert names_set(gone) == ["__Host-trompo_x", *(["trompo_x"] if value else [])]


def test_cookie_with_a_host_prefix_is_not_read_without_https(tmp_path: Path) -> None:
    assert read_cookie({"__Host-trompo_x": "value"}, shop(tmp_path, HTTP), "trompo_x") == ""


def test_time_of_the_first_start_is_stored_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = renamed_at(tmp_path / "data")
    renamed_at.cache_clear()  # another process, or the next start
    monkeypatch.setattr(cookies, "now", lambda: now() + timedelta(days=7))
    assert renamed_at(tmp_path / "data") == first
