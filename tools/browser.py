"""Find, or install, the Chromium of the browser tests: `python tools/browser.py`. Also starts it for the tests.

It looks for a browser on this machine, then Playwright's own, then the distribution's package. As root on Debian,
usually in a container, it first installs the package of Chromium without windows: with it, the browser tests need a
third less processor time. It also installs a typeface that customers' machines have: the fallbacks for the shop's own
typefaces are adjusted to its metrics.
"""

import asyncio
import os
import platform
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from playwright.async_api import Browser, Playwright

WITHOUT_WINDOWS = "chromium-headless-shell"
"""Program and package of the Chromium for automation. It does not run the windows, tabs and menus of a browser."""
ON_PATH = (
    WITHOUT_WINDOWS,
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
FALLBACK_FONTS = ("Arial", "Helvetica", "Liberation Sans", "Arimo", "Roboto")
"""Fallback typefaces in `assets/fonts/fonts.css` until the shop's own have loaded; any of them is enough."""
COSTLY_FEATURES = (
    *("WebUIOmniboxPopup", "WebUIOmniboxAimPopup", "WebUIOmniboxFullPopup"),
    "SpareRendererForSitePerProcess",
)
"""Features of Chromium that cost more than the page under test.

The address bar keeps two pages of suggestions in every window, and each has a renderer that waits for the next
site.
"""
DISABLED_BY_PLAYWRIGHT = (
    *("AvoidUnnecessaryBeforeUnloadCheckSync", "DestroyProfileOnBrowserClose", "LensOverlay", "MediaRouter"),
    *("HttpsUpgrades", "HttpsFirstBalancedModeAutoEnable", "AvoidCorsURLLoaderRestartOnRedirect"),
    *("PaintHolding", "ThirdPartyStoragePartitioning", "TcpPortRandomizationWin"),
    *("OptimizationHints", "NetworkTimeServiceQuerying", "AimEnabled", "PreconnectToSearch"),
)
"""Features that Playwright disables in every Chromium: repeated here, because only the final list is effective."""
START_TIMEOUT_S = 180
"""A busy machine took over 30 seconds."""
FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    f"--disable-features={','.join((*DISABLED_BY_PLAYWRIGHT, *COSTLY_FEATURES))}",
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE localhost, EXCLUDE 127.0.0.1",  # nothing leaves this machine
)


def find_browser() -> str | None:
    """Return the path of a browser that starts, or None."""
    return next((path for path in _iter_candidates() if _can_start(path)), None)


async def launch(playwright: "Playwright") -> "Browser":
    """Start the browser without a window.

    Raises:
        FileNotFoundError: There is no browser: `make browser` finds or installs one.
    """
    executable = await asyncio.to_thread(find_browser)
    if executable is None:
        raise FileNotFoundError("there is no browser: run `make browser`")
    return await playwright.chromium.launch(
        executable_path=executable, args=FLAGS, timeout=START_TIMEOUT_S * 1000
    )


def main() -> None:
    """Print the path of the browser; install one if there is none.

    As root on Debian, first install the variant of Chromium without windows, which is faster.
    """
    if _may_install_without_windows():
        _install_package(WITHOUT_WINDOWS)
    for get in (None, _install_from_playwright, _install_from_distribution):
        if get is not None:
            get()
        if chosen := find_browser():
            print(f"The browser tests use {chosen}")
            if not _has_fallback_font():
                _install_package("fonts-liberation")
            return
    sys.exit("No browser for the tests: install Chromium or Google Chrome, then run this again.")


def _iter_candidates() -> Iterator[str]:
    yield from filter(None, map(shutil.which, ON_PATH))
    yield from (path for path in APPLICATIONS if Path(path).exists())
    if own := _find_playwright_browser():
        yield own


def _find_playwright_browser() -> str | None:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        path = playwright.chromium.executable_path
    return path if Path(path).exists() else None


def _can_start(path: str) -> bool:
    """Return True if the program at `path` runs: a browser without its system libraries does not."""
    try:
        return (
            subprocess.run(
                [path, "--version"], capture_output=True, timeout=START_TIMEOUT_S, check=False
            ).returncode
            == 0
        )
    except (OSError, subprocess.TimeoutExpired):
        return False


def _install_from_playwright() -> None:
    print("No browser here: trying Playwright's own …")
    _run([sys.executable, "-m", "playwright", "install", "chromium"])


def _install_from_distribution() -> None:
    print("Trying the distribution's package …")
    _install_package(WITHOUT_WINDOWS)
    if find_browser() is None:
        _install_package("chromium")


def _may_install_without_windows() -> bool:
    """Return True if Chromium without windows may be installed: only as root on Debian, as in CI."""
    return os.geteuid() == 0 and _is_debian() and shutil.which(WITHOUT_WINDOWS) is None


def _is_debian() -> bool:
    try:
        return platform.freedesktop_os_release()["ID"] == "debian"
    except OSError:
        return False


def _has_fallback_font() -> bool:
    """Return True if one of `FALLBACK_FONTS` is installed, or if fonts cannot be listed.

    Pages without the shop's typefaces then have the same layout as for customers.
    """
    lister = shutil.which("fc-list")
    if lister is None:
        return True
    families = subprocess.run([lister, ":", "family"], capture_output=True, text=True, check=False).stdout
    return any(family in families for family in FALLBACK_FONTS)


def _install_package(package: str) -> None:
    """Install the distribution's package, if there is `apt-get`."""
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
