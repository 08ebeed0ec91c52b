"""Cookies that no other host and no unencrypted page can set: their names begin with `__Host-` or `__Secure-`.

Browsers accept such names only over https, and `__Host-` only from the very host, for the path `/`. Without https the
names are plain. Shops had plain names under https, too; they are read for 30 days after a shop first starts with the
new ones, so that nobody is signed out. A customer's session is open no longer than that.
"""

from collections.abc import Mapping
from datetime import datetime, timedelta
from functools import cache
from pathlib import Path

from starlette.responses import Response

from backend.core.clock import now
from backend.core.config.settings import Settings

OLD_NAMES_READ_FOR = timedelta(days=30)
RENAMED_FILE = "cookies-renamed"
"""File in the data folder: the moment of the first start with the new names."""


def is_secure(settings: Settings) -> bool:
    """Return True if the shop is reached by https, so that a cookie may refuse anything else."""
    return settings.base_url.startswith("https://")


def cookie_name(settings: Settings, name: str, *, path: str = "/") -> str:
    """Return the name that a cookie for this path has in the browser."""
    if not is_secure(settings):
        return name
    return f"__Host-{name}" if path == "/" else f"__Secure-{name}"


def read_cookie(cookies: Mapping[str, str], settings: Settings, name: str, *, path: str = "/") -> str:
    """Return the value of a cookie; empty without one. `name` is the plain one."""
    value = cookies.get(cookie_name(settings, name, path=path))
    if value is None and name in cookies and (not is_secure(settings) or reads_old_names(settings)):
        value = cookies[name]
    return value or ""


def set_cookie(
    response: Response, settings: Settings, name: str, value: str, *, seconds: int, path: str = "/"
) -> None:
    """Give the browser a cookie: no script reads it, and no other site's request carries it.

    A link from elsewhere does (`SameSite=Lax`), so that a link in a mail opens the page for whoever is signed in.
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
    """Delete a cookie of the browser, and the one with the old name while that is read."""
    names = [cookie_name(settings, name, path=path)]
    if is_secure(settings) and reads_old_names(settings):
        names.append(name)
    for one in names:
        response.delete_cookie(one, path=path, secure=is_secure(settings), httponly=True, samesite="lax")


def reads_old_names(settings: Settings) -> bool:
    """Return True for 30 days after the shop first started with the new names."""
    return now() < renamed_at(settings.data_dir) + OLD_NAMES_READ_FOR


@cache
def renamed_at(data_dir: Path) -> datetime:
    """Return when the shop with this data folder first started with the new names; at first, that is now."""
    data_dir.mkdir(mode=0o700, parents=True, exist_ok=True)
    file = data_dir / RENAMED_FILE
    try:
        with file.open("x") as made:
            made.write(now().isoformat())
    except FileExistsError:
        pass
    try:
        return datetime.fromisoformat(file.read_text())
    except ValueError:  # another process has made it and not yet written into it
        return now()
