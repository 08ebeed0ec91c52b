"""Firefox and WebKit for the journeys: found among Debian's packages, started without a visible window."""

import json
import os
import shutil
import socket
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from selenium.common.exceptions import WebDriverException
from selenium.webdriver import FirefoxOptions, Remote, WebKitGTKOptions
from selenium.webdriver.remote.client_config import ClientConfig
from selenium.webdriver.remote.remote_connection import RemoteConnection
from selenium.webdriver.remote.webdriver import WebDriver

from tests.engines.marionette import MarionetteConnection
from tests.ports import find_free_port
from tests.process_groups import end_process_group

START_TIMEOUT_S = 120
STOP_TIMEOUT_S = 10
POLL_S = 0.05
SCREEN = (1400, 1000)
"""Width and height of the invisible screen."""
MINIBROWSER = "usr/lib/*/webkit2gtk-4.*/MiniBrowser"
DEAD_PROXY = {
    "network.proxy.type": 1,
    "network.proxy.http": "127.0.0.1",
    "network.proxy.http_port": 9,
    "network.proxy.ssl": "127.0.0.1",
    "network.proxy.ssl_port": 9,
}
"""A proxy that does not exist: Firefox can reach this machine only, to which it always connects directly."""
FIREFOX_PREFERENCES = {
    **DEAD_PROXY,
    "marionette.port": 0,  # any free port, which Firefox writes into its profile
    "devtools.console.stdout.content": True,
    "datareporting.policy.dataSubmissionEnabled": False,
    "toolkit.legacyUserProfileCustomizations.stylesheets": True,
}
FIREFOX_STYLE = ":root { min-width: 0 !important; min-height: 0 !important; }"
"""Style of Firefox's window. Otherwise it is at least 500 pixels wide."""
WEBKIT_STYLE = "* { min-width: 0; margin: 0; border-width: 0; padding: 0; }"
"""Style of MiniBrowser's window. Otherwise it is at least 447 pixels wide."""


@dataclass(frozen=True)
class Engine:
    """A browser that the journeys run in.

    Attributes:
        packages: Debian's packages that it needs.
        stores_connected_pages: True if its back/forward cache stores a page that has an open websocket.
    """

    name: str
    packages: str
    find: Callable[[], bool]
    open: Callable[[Path], AbstractContextManager[WebDriver]]
    stores_connected_pages: bool


def find_firefox() -> str | None:
    """Return the path of Firefox, or None."""
    return shutil.which("firefox-esr") or shutil.which("firefox")


def find_minibrowser() -> str | None:
    """Return the path of the browser that WebKitGTK has for its tests, or None."""
    return next(map(str, sorted(Path("/").glob(MINIBROWSER))), None)


@contextmanager
def open_firefox(folder: Path) -> Iterator[WebDriver]:
    """Start Firefox with an empty profile in `folder`. Its console is written to `console.log` there."""
    profile = folder / "profile"
    (profile / "chrome").mkdir(parents=True)
    (profile / "chrome" / "userChrome.css").write_text(FIREFOX_STYLE)
    preferences = (
        f"user_pref({json.dumps(name)}, {json.dumps(value)});\n"
        for name, value in FIREFOX_PREFERENCES.items()
    )
    (profile / "user.js").write_text("".join(preferences))
    size = {"MOZ_HEADLESS_WIDTH": str(SCREEN[0]), "MOZ_HEADLESS_HEIGHT": str(SCREEN[1])}
    command = [
        find_firefox() or "firefox-esr",
        "--headless",
        "--marionette",
        "--no-remote",
        "--profile",
        str(profile),
    ]
    port = profile / "MarionetteActivePort"
    with _run(command, folder, {"HOME": str(folder), **size}) as process:
        _wait_until(process, lambda: port.exists() and port.read_text() != "")
        with _drive(Remote(MarionetteConnection(int(port.read_text())), options=FirefoxOptions())) as driver:
            yield driver


@contextmanager
def open_webkit(folder: Path) -> Iterator[WebDriver]:
    """Start WebKit's driver and its browser, on a virtual screen, with their settings in `folder`."""
    style = folder / "gtk-3.0" / "gtk.css"
    style.parent.mkdir()
    style.write_text(WEBKIT_STYLE)
    options = WebKitGTKOptions()
    options.binary_location = find_minibrowser() or "MiniBrowser"
    options.add_argument("--automation")
    options.page_load_strategy = (
        "none"  # the driver waits forever for a page that it has opened in another process
    )
    port = find_free_port()
    command = ["WebKitWebDriver", f"--port={port}"]
    with _open_screen(folder) as display:
        environment = {"DISPLAY": display, "HOME": str(folder), "XDG_CONFIG_HOME": str(folder)}
        with _run(command, folder, environment) as process:
            _wait_until(process, lambda: _is_open(port))
            connection = RemoteConnection(client_config=ClientConfig(f"http://127.0.0.1:{port}"))
            with _drive(Remote(connection, options=options)) as driver:
                yield driver


ENGINES: Mapping[str, Engine] = {
    "firefox": Engine(
        "firefox",
        "firefox-esr",
        lambda: find_firefox() is not None,
        open_firefox,
        stores_connected_pages=False,
    ),
    "webkit": Engine(
        "webkit",
        "webkit2gtk-driver and xvfb",
        lambda: all((shutil.which("WebKitWebDriver"), shutil.which("Xvfb"), find_minibrowser())),
        open_webkit,
        stores_connected_pages=True,
    ),
}


@contextmanager
def _open_screen(folder: Path) -> Iterator[str]:
    """Start an X server without a monitor and yield the name of its display."""
    reader, writer = os.pipe()
    width, height = SCREEN
    command = ["Xvfb", "-displayfd", str(writer), "-screen", "0", f"{width}x{height}x24", "-nolisten", "tcp"]
    with os.fdopen(reader) as display, _run(command, folder, {}, writer):
        os.close(writer)
        yield f":{display.readline().strip()}"


@contextmanager
def _run(
    command: list[str], folder: Path, environment: Mapping[str, str], *inherited: int
) -> Iterator[subprocess.Popen[bytes]]:
    """Run a program with its output in `console.log`, and end it with all processes that it started."""
    with (folder / "console.log").open("ab") as log:
        process = subprocess.Popen(
            command,
            env={**os.environ, **environment},
            stdout=log,
            stderr=subprocess.STDOUT,
            pass_fds=inherited,
            start_new_session=True,
        )
    try:
        yield process
    finally:
        end_process_group(process, STOP_TIMEOUT_S)


@contextmanager
def _drive(driver: WebDriver) -> Iterator[WebDriver]:
    """Yield the driver and end its session afterwards."""
    try:
        yield driver
    finally:
        with suppress(
            WebDriverException, ConnectionError
        ):  # a browser that crashed has failed the test already
            driver.quit()


def _wait_until(process: subprocess.Popen[bytes], is_reached: Callable[[], bool]) -> None:
    """Wait until the program is ready.

    Raises:
        RuntimeError: it ended, or is not ready in time.
    """
    deadline = time.monotonic() + START_TIMEOUT_S
    while not is_reached():
        if process.poll() is not None or time.monotonic() > deadline:
            raise RuntimeError(f"{process.args!r} did not open")
        time.sleep(POLL_S)


def _is_open(port: int) -> bool:
    with suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
        return True
    return False
