"""Finds and starts the Chromium of the browser tests; gets one when there is none: `python tools/browser.py`.

In this order: a browser on this machine, Playwright's own, the distribution's package. Also sees to a typeface that
every shopper's machine has: the shop's stand-ins for its own typefaces are cut to its measures.
"""

import asyncio
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from playwright.async_api import Browser, Playwright

ON_PATH = (
    "chromium-headless-shell",
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
    "chrome",
)
APPLICATIONS = (
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
)
STAND_INS = ("Arial", "Helvetica", "Liberation Sans", "Arimo", "Roboto")
"""The typefaces that `assets/fonts/fonts.css` shows until the shop's own have come: any of them will do."""
OF_NO_USE = (
    *("WebUIOmniboxPopup", "WebUIOmniboxAimPopup", "WebUIOmniboxFullPopup"),
    "SpareRendererForSitePerProcess",
)
"""Features of Chromium that cost more than the page under test: the address bar keeps two pages of suggestions in every
window, and a renderer waits in each for the next site."""
OFF_IN_PLAYWRIGHT = (
    *("AvoidUnnecessaryBeforeUnloadCheckSync", "DestroyProfileOnBrowserClose", "LensOverlay", "MediaRouter"),
    *("HttpsUpgrades", "HttpsFirstBalancedModeAutoEnable", "AvoidCorsURLLoaderRestartOnRedirect"),
    *("PaintHolding", "ThirdPartyStoragePartitioning", "TcpPortRandomizationWin"),
    *("OptimizationHints", "NetworkTimeServiceQuerying", "AimEnabled", "PreconnectToSearch"),
)
"""Features that Playwright switches off in every Chromium: named again, because only the last list counts."""
FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    f"--disable-features={','.join((*OFF_IN_PLAYWRIGHT, *OF_NO_USE))}",
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE localhost, EXCLUDE 127.0.0.1",  # nothing leaves this machine
)


def find() -> str | None:
    """The path of a browser that starts, or None."""
    return next((path for path in _candidates() if _starts(path)), None)


async def launch(playwright: "Playwright") -> "Browser":
    """Start it, without a window.

    Raises:
        FileNotFoundError: There is none: `make browser` finds or installs one.
    """
    executable = await asyncio.to_thread(find)
    if executable is None:
        raise FileNotFoundError("there is no browser: run `make browser`")
    return await playwright.chromium.launch(executable_path=executable, args=FLAGS)


def main() -> None:
    """Print the browser that was chosen; install one first when there is none."""
    for get in (None, _from_playwright, _from_distribution):
        if get is not None:
            get()
        if chosen := find():
            print(f"The browser tests use {chosen}")
            if not _has_stand_in():
                _install("fonts-liberation")
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
    print("Trying the distribution's package …")
    _install("chromium-headless-shell")  # it has no windows, and is quicker for it
    if find() is None:
        _install("chromium")


def _has_stand_in() -> bool:
    """Whether a page without the shop's typefaces is laid out as on a shopper's machine; yes where nobody can tell."""
    lister = shutil.which("fc-list")
    if lister is None:
        return True
    families = subprocess.run([lister, ":", "family"], capture_output=True, text=True, check=False).stdout
    return any(family in families for family in STAND_INS)


def _install(package: str) -> None:
    """Install the distribution's package, where there is `apt-get`."""
    apt = shutil.which("apt-get")
    if apt is None:
        return
    as_root = [] if os.geteuid() == 0 else ["sudo", "--non-interactive"]
    _run([*as_root, apt, "update", "--quiet=2"])
    _run([*as_root, apt, "install", "--quiet=2", "--yes", "--no-install-recommends", package])


def _run(command: list[str]) -> None:
    try:
        subprocess.run(command, check=False)
    except OSError as error:
        print(f"  {command[0]}: {error.strerror}")


if __name__ == "__main__":
    main()
