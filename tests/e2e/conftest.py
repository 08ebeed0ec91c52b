"""Fixtures of the browser tests: the real server with the production build, and pages of Chromium."""

import asyncio
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager, closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal
from urllib.error import URLError
from urllib.parse import urlsplit
from urllib.request import urlopen

import httpx
import pytest
import pytest_asyncio
from playwright.async_api import Browser, ConsoleMessage, Page, Request, WebSocket, async_playwright, expect

from backend.core.config.settings import Settings
from backend.start import prepare
from storefront.server.build import ROOT, STAMP
from tests.e2e.chromium import Chromium, close_within_limit
from tests.e2e.forked_shop import ForkedShop, can_fork
from tests.log_guard import TOKEN_FILE, find_leaks, find_personal_data, read_recorded_tokens
from tests.ports import find_free_port
from tests.shared_results import SharedResults

LOOPBACK_HOSTS = frozenset({"localhost", "127.0.0.1", "[::1]"})
OPEN_TIMEOUT_S = 300  # a busy machine took 57 for the shop and the browser
CLOSE_TIMEOUT_S = 120
TIMEOUT_MS = 120_000
"""Milliseconds until an expectation or an action fails. On a quiet machine all take well under a second.

A slow and busy machine needs a hundred times as long. Only a page that hangs takes longer.
"""
expect.set_options(timeout=TIMEOUT_MS)
OWNER_LOGIN = ("duena@trompo.example", "una clave muy larga")
"""E-mail address and password of the owner of the shared shop."""
METRICS_HEADERS = {"authorization": "Bearer a token of those who watch the shared shop"}
"""The header that opens `/metrics` and the details of `/health` of the shared shop."""
OWNER_SETTINGS = {
    "ADMIN_EMAIL": OWNER_LOGIN[0],
    "ADMIN_PASSWORD": OWNER_LOGIN[1],
    "METRICS_TOKEN": METRICS_HEADERS["authorization"].removeprefix("Bearer "),
}
"""Settings of a shop with this owner and these metrics."""
WIDTHS = {"320": (320, 640), "1280": (1280, 800)}
PHONE_ONLY = pytest.mark.parametrize("page", ["320"], indirect=True)
"""For a test of something that is the same on every screen: its `page` has only the smallest phone's width."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark all tests of this folder as end-to-end and let them share the browser's event loop."""
    for item in items:
        if item.nodeid.startswith("tests/e2e/"):
            item.add_marker(pytest.mark.e2e)
            item.add_marker(pytest.mark.asyncio(loop_scope="session"), append=False)


@dataclass
class ShopServer:
    """`python -m storefront.serve` in a separate process, on a free port, with its own data folder.

    The data folder is a copy of `template_data`; without one, the shop fills an empty folder. With `may_fork` the
    process may be forked from one that has already imported the app.
    """

    folder: Path
    environment: dict[str, str] = field(default_factory=dict)
    template_data: Path | None = None
    may_fork: bool = False
    port: int = field(default_factory=find_free_port)
    process: subprocess.Popen[bytes] | ForkedShop | None = None

    @property
    def url(self) -> str:
        """Return the shop's address, without a trailing slash."""
        return f"http://localhost:{self.port}"

    @property
    def log(self) -> str:
        """Return the output of all processes of the shop so far."""
        return self._log_file.read_text()

    @property
    def _log_file(self) -> Path:
        return self.folder / "server.log"

    @property
    def _data_folder(self) -> Path:
        return self.folder / "data"

    @property
    def tokens(self) -> set[str]:
        """The tokens that the shop created, which its log must not contain: see `tests.log_guard`."""
        return read_recorded_tokens(self._token_file)

    @property
    def _token_file(self) -> Path:
        return self.folder / "tokens.txt"

    def require_clean_log(self) -> None:
        """Check that the log contains no token of the shop, no query string and no personal data."""
        database = self._data_folder / "trompo.db"
        people = find_personal_data(database) if database.exists() else set()
        assert find_leaks(self.log, self.tokens, people) == []

    def start(self) -> None:
        """Start the server and wait until `/health` answers 200."""
        inherited = {name: os.environ[name] for name in ("PATH", "HOME", "LANG") if name in os.environ}
        data = self._data_folder
        if self.template_data is not None and not data.exists():
            shutil.copytree(self.template_data, data)
        own_settings = {
            "PORT": str(self.port),
            "DATA_DIR": str(data),
            "PYTHONUNBUFFERED": "1",
            TOKEN_FILE: str(self._token_file),
        }
        environment = {**inherited, **own_settings, **self.environment}
        if self.may_fork and can_fork(environment):
            self.process = ForkedShop(environment, ROOT, self._log_file)
        else:
            self._run_command(environment)
        self.wait_until_healthy()

    def _run_command(self, environment: dict[str, str]) -> None:
        with self._log_file.open("ab") as log:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "tests.recorded_shop"],
                cwd=ROOT,
                env=environment,
                stdout=log,
                stderr=subprocess.STDOUT,
            )

    def wait_until_healthy(self) -> None:
        """Wait until `/health` answers 200."""
        self._wait_until(self._is_healthy, "did not open")

    def wait_for_log(self, text: str) -> None:
        """Wait until the log contains `text`."""
        self._wait_until(lambda: text in self.log, f"did not log {text!r}")

    def open_client(self, **headers: str) -> httpx.AsyncClient:
        """Return an HTTP client of this shop that sends these headers and waits long for answers."""
        return httpx.AsyncClient(base_url=self.url, headers=headers, timeout=TIMEOUT_MS / 1000)

    async def fetch_rendered(self, path: str) -> str:
        """Return the rendered document at `path`, which is cached from now on.

        Repeat the request while the shop returns the plain page, as on a busy machine.
        """
        deadline = time.monotonic() + OPEN_TIMEOUT_S
        html = ""
        async with self.open_client() as client:
            while not html or "data-stand-in" in html:  # each request waits while the page is rendered
                assert time.monotonic() < deadline, f"{path} was not rendered"
                html = (await client.get(path)).text
        return html

    def _wait_until(self, is_reached: Callable[[], bool], failure: str) -> None:
        assert self.process is not None
        deadline = time.monotonic() + OPEN_TIMEOUT_S
        while not is_reached():
            if self.process.poll() is not None or time.monotonic() > deadline:
                pytest.fail(f"the shop {failure}:\n{self.log}")
            time.sleep(0.05)

    def stop(self) -> int:
        """Ask the server to close and wait until it has. Its log must be clean: see `require_clean_log`.

        Returns:
            Its exit code.
        """
        assert self.process is not None
        self.process.send_signal(signal.SIGTERM)
        try:
            code = self.process.wait(CLOSE_TIMEOUT_S)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            pytest.fail(f"the shop did not close within {CLOSE_TIMEOUT_S} seconds:\n{self.log}")
        self.require_clean_log()
        return code

    def restart(self) -> None:
        """Stop the server and start it again, on the same port and data."""
        self.stop()
        self.start()

    def _is_healthy(self) -> bool:
        try:
            with urlopen(f"{self.url}/health", timeout=OPEN_TIMEOUT_S) as answer:
                return bool(answer.status == 200)
        except (URLError, ConnectionError, TimeoutError):
            return False


@dataclass
class PageWatch:
    """The problems of the watched pages: errors on the console, and requests that leave this machine."""

    expected: list[str] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)

    def expect(self, text: str) -> None:
        """Accept console errors that contain `text`: this test provokes them."""
        self.expected.append(text)

    def attach(self, page: Page) -> None:
        """Watch `page` from now on."""
        page.on("console", self._console)
        page.on("pageerror", lambda error: self.problems.append(f"exception: {error.stack or error}"))
        page.on("request", self._request)
        page.on("websocket", self._request)

    def list_unexpected(self) -> list[str]:
        """Return the problems that no test expected."""
        return [problem for problem in self.problems if not any(text in problem for text in self.expected)]

    def _console(self, message: ConsoleMessage) -> None:
        if message.type == "error":
            self.problems.append(f"console: {message.text} ({message.location.get('url', '')})")

    def _request(self, request: Request | WebSocket) -> None:
        url = urlsplit(request.url)
        if url.scheme in {"http", "https", "ws", "wss"} and url.hostname not in LOOPBACK_HOSTS:
            self.problems.append(f"request to {url.hostname}: {request.url}")


OpenPage = Callable[[int, int], AbstractAsyncContextManager[Page]]


@pytest.fixture(scope="session")
def production_build() -> None:
    """Fail if the production pages are not built; `make test` builds them before the tests."""
    if not STAMP.exists():
        pytest.fail("the pages are not built: run `make pages`")


@pytest.fixture(scope="session")
def demo_data(tmp_path_factory: pytest.TempPathFactory, shared_results: SharedResults) -> Path:
    """Create the data folder of a shop with the demo products and without customers. Each worker has a copy."""
    created = shared_results.create_file("demo", lambda data: asyncio.run(prepare(Settings(data_dir=data))))
    return Path(shutil.copytree(created, tmp_path_factory.mktemp("demo") / "data"))


@pytest.fixture(scope="session")
def server(
    production_build: None, demo_data: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[ShopServer]:
    """Start a shop with the demo products that the tests of this worker share.

    A test must not change its products: use `private_server` for that.
    """
    shop = ShopServer(tmp_path_factory.mktemp("shop"), OWNER_SETTINGS, demo_data, may_fork=True)
    shop.start()
    yield shop
    shop.stop()
    assert read_products(shop) == read_products(demo_data), (
        "a test has changed the products of the shared shop"
    )


@pytest.fixture(scope="module")
def private_server(
    production_build: None, demo_data: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[ShopServer]:
    """Start a shop for the tests of one file, which change its products or settings."""
    shop = ShopServer(tmp_path_factory.mktemp("private-shop"), OWNER_SETTINGS, demo_data, may_fork=True)
    shop.start()
    yield shop
    shop.stop()


def read_products(shop: ShopServer | Path) -> list[tuple[object, ...]]:
    """Return what every page shows of the products in a shop, or in a data folder: name, status and prices."""
    folder = shop.folder / "data" if isinstance(shop, ShopServer) else shop
    query = (
        "SELECT product.handle, product.title, product.status, variant.title, variant.price,"
        " variant.compare_at_price FROM product LEFT JOIN variant ON variant.product_id = product.id"
        " ORDER BY product.handle, variant.rank, variant.id"
    )
    with closing(sqlite3.connect(folder / "trompo.db")) as connection:
        return connection.execute(query).fetchall()


@pytest.fixture
def new_server(
    production_build: None, demo_data: Path, tmp_path: Path
) -> Iterator[Callable[..., ShopServer]]:
    """Return a function that starts a shop for one test with this environment: `new_server(PUBLIC_URL="https://…")`."""
    started: list[ShopServer] = []

    def start(**environment: str) -> ShopServer:
        folder = tmp_path / f"shop-{len(started)}"
        folder.mkdir()
        template_data = None if "DATABASE_URL" in environment else demo_data
        shop = ShopServer(folder, environment, template_data, may_fork=True)
        started.append(shop)
        shop.start()
        return shop

    yield start
    for shop in started:
        if shop.process is not None and shop.process.poll() is None:
            shop.stop()


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def chromium_of_worker() -> AsyncIterator[Chromium]:
    """Return the worker's headless Chromium: the one that `make test` found or installed."""
    async with async_playwright() as playwright:
        chromium = Chromium(playwright)
        yield chromium
        await chromium.stop()


@pytest_asyncio.fixture(loop_scope="session")
async def browser(chromium_of_worker: Chromium) -> Browser:
    """Return the browser that the tests of this worker share. A killed one is replaced."""
    return await chromium_of_worker.connect()


@pytest.fixture
def watch() -> PageWatch:
    """Return the watch over every page of this test. Its `expect` accepts errors that the test provokes."""
    return PageWatch()


@pytest.fixture
def open_page(browser: Browser, server: ShopServer, watch: PageWatch) -> OpenPage:
    """Return a function that opens a watched page of a new visitor in a window of the given width and height."""
    return build_page_opener(server, browser, watch)


def build_page_opener(
    shop: ShopServer,
    browser: Browser,
    watch: PageWatch,
    *,
    service_workers: Literal["allow", "block"] = "block",
) -> OpenPage:
    """Return a function that opens pages of this shop: see `open_page`.

    `goto` and `reload` of its pages return once the page is hydrated, unless `wait_until` is given: see
    `test_waking.py`. The shop's service worker is blocked by default, because tests could not intercept the requests
    that it sends.
    """

    @asynccontextmanager
    async def opened(width: int, height: int) -> AsyncIterator[Page]:
        context = await browser.new_context(
            base_url=shop.url,
            viewport={"width": width, "height": height},
            locale="es-CO",
            timezone_id="America/Bogota",
            service_workers=service_workers,
        )
        context.set_default_timeout(TIMEOUT_MS)
        page = await context.new_page()
        page.goto = _until_hydrated(page, page.goto)  # type: ignore[method-assign]
        page.reload = _until_hydrated(page, page.reload)  # type: ignore[method-assign]
        watch.attach(page)
        yield page
        await close_within_limit(context)
        assert watch.list_unexpected() == []

    return opened


def _until_hydrated(
    page: Page, load: Callable[..., Coroutine[Any, Any, Any]]
) -> Callable[..., Coroutine[Any, Any, Any]]:
    """Return a function that calls `load`, and then waits until the page is hydrated unless `wait_until` is given."""

    async def load_and_wait(*arguments: Any, **options: Any) -> Any:
        response = await load(*arguments, **options)
        if "wait_until" not in options:
            await page.wait_for_function("() => !window.pageIsHydrated")
        return response

    return load_and_wait


@pytest_asyncio.fixture(loop_scope="session")
async def page_320(open_page: OpenPage) -> AsyncIterator[Page]:
    """Open a page on the smallest phone."""
    async with open_page(*WIDTHS["320"]) as page:
        yield page


@pytest_asyncio.fixture(loop_scope="session")
async def page_1280(open_page: OpenPage) -> AsyncIterator[Page]:
    """Open a page on a desktop."""
    async with open_page(*WIDTHS["1280"]) as page:
        yield page


@pytest_asyncio.fixture(params=WIDTHS, loop_scope="session")
async def page(request: pytest.FixtureRequest, open_page: OpenPage) -> AsyncIterator[Page]:
    """Open a page. The test runs once on the smallest phone and once on a desktop."""
    async with open_page(*WIDTHS[request.param]) as opened:
        yield opened
