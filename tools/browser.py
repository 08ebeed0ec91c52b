"""Finds the Chromium that the browser tests drive, and gets one when there is none: `python tools/browser.py`.

In this order: a browser on this machine, Playwright's own, the distribution's package.
"""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

ON_PATH = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
APPLICATIONS = (
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
)


def find() -> str | None:
    """The path of a browser that starts, or None."""
    return next((path for path in _candidates() if _starts(path)), None)


def main() -> None:
    """Print the browser that was chosen; install one first when there is none."""
    for get in (None, _from_playwright, _from_distribution):
        if get is not None:
            get()
        if chosen := find():
            print(f"The browser tests use {chosen}")
            return
    sys.exit("No browser for the tests: install Chromium or Google Chrome, then run this again.")


def _candidates() -> Iterator[str]:
    yield from filter(None, map(shutil.which, ON_PATH))
    yield from (path for path in APPLICATIONS if Path(path).exists())
    if own := _playwright_path():
        yield own


def _playwright_path() -> str | None:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        path = playwright.chromium.executable_path
    return path if Path(path).exists() else None


def _starts(path: str) -> bool:
    """Whether the program at `path` runs here: a browser without its system libraries does not."""
    try:
        return (
            subprocess.run([path, "--version"], capture_output=True, timeout=30, check=False).returncode == 0
        )
    except (OSError, subprocess.TimeoutExpired):
        return False


def _from_playwright() -> None:
    print("No browser here: trying Playwright's own …")
    _run([sys.executable, "-m", "playwright", "install", "chromium"])


def _from_distribution() -> None:
    apt = shutil.which("apt-get")
    if apt is None:
        return
    print("Trying the distribution's package …")
    as_root = [] if os.geteuid() == 0 else ["sudo", "--non-interactive"]
    _run([*as_root, apt, "update", "--quiet=2"])
    _run([*as_root, apt, "install", "--quiet=2", "--yes", "--no-install-recommends", "chromium"])


def _run(command: list[str]) -> None:
    try:
        subprocess.run(command, check=False)
    except OSError as error:
        print(f"  {command[0]}: {error.strerror}")


if __name__ == "__main__":
    main()
