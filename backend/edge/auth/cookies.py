"""Cookies that no other host and no unencrypted page can set: their names begin with `__Host-` or `__Secure-`.

Browsers accept such names only over https, and `__Host-` only from the exact host, for the path `/`. Without https
the names are plain. Earlier versions used plain names under https too; they are accepted for 30 days after a shop
first starts with the new names, so that customers need not sign in again. A customer's session ends within that time.
"""

from collections.abc import Mapping
from datetime import datetime, timedelta
from functools import cache
from pathlib import Path

from starlette.responses import Response

from backend.core.clock import now
from backend.core.config.settings import Settings

OLD_NAMES_PERIOD = timedelta(days=30)
RENAMED_FILE = "cookies-renamed"
"""File in the data folder with the moment of the first start with the new names."""


def is_secure(settings: Settings) -> bool:
    """Return True if the shop is reached by https, so that its cookies may require https."""
    return settings.base_url.startswith("https://")


def cookie_name(settings: Settings, name: str, *, path: str = "/") -> str:
    """Return the name that the browser stores for the cookie `name`: with a prefix if the shop uses HTTPS.

    The prefix is `__Host-` for the path `/`, and otherwise `__Secure-`.
    """
    if not is_secure(settings):
        return name
    return f"__Host-{name}" if path == "/" else f"__Secure-{name}"


def read_cookie(cookies: Mapping[str, str], settings: Settings, name: str, *, path: str = "/") -> str:
    """Return the value of a cookie; empty if there is none. `name` is the plain name."""
    value = cookies.get(cookie_name(settings, name, path=path))
    if value is None and name in cookies and (not is_secure(settings) or reads_old_names(settings)):
        value = cookies[name]
    return value or ""


def set_cookie(
    response: Response, settings: Settings, name: str, value: str, *, seconds: int, path: str = "/"
) -> None:
    """Set a cookie that scripts cannot read (`HttpOnly`).

    The browser sends it when a person follows a link from another site or a mail, but not with other requests that
    another site causes (`SameSite=Lax`).
    """
    response.set_cookie(
        cookie_name(settings, name, path=path),
        value,
        max_age=seconds,
        path=path,
        secure=is_secure(settings),
        httponly=True,
        samesite="lax",
    )


def delete_cookie(response: Response, settings: Settings, name: str, *, path: str = "/") -> None:
    """Delete a cookie in the browser. While old names are accepted, delete the cookie with the old name too."""
    names = [cookie_name(settings, name, path=path)]
    if is_secure(settings) and reads_old_names(settings):
        names.append(name)
    for full_name in names:
        response.delete_cookie(
            full_name, path=path, secure=is_secure(settings), httponly=True, samesite="lax"
        )


def reads_old_names(settings: Settings) -> bool:
    """Return True if cookies with the old names are still accepted: for 30 days after `renamed_at`."""
    return now() < renamed_at(settings.data_dir) + OLD_NAMES_PERIOD


@cache
def renamed_at(data_dir: Path) -> datetime:
    """Return the time at which the shop with this data folder first started with the new cookie names.

    The first call stores it.
    """
    data_dir.mkdir(mode=0o700, parents=True, exist_ok=True)
    file = data_dir / RENAMED_FILE
    try:
        with file.open("x") as created:
            created.write(now().isoformat())
    except FileExistsError:
        pass
    try:
        return datetime.fromisoformat(file.read_text())
    except ValueError:  # another process has created the file but not written to it yet
        return now()
