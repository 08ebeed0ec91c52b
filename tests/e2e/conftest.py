"""A browser against the real server: the production build, served by the command that serves a shop."""

import asyncio
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
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
from tests.e2e.forked_shop import ForkedShop, can_fork
from tests.log_guard import TOKEN_FILE, find_leaks, people_in, recorded_tokens
from tests.ports import free_port
from tools.browser import launch

HERE = Path(__file__).parent
LOOPBACK = frozenset({"localhost", "127.0.0.1", "[::1]"})
SECONDS_TO_OPEN = 120  # a machine that did much else took 57 for the shop and the browser
SECONDS_TO_CLOSE = 15
expect.set_options(
    timeout=20_000
)  # milliseconds; what is expected is shown at once, unless the machine is busy
STAFF = ("duena@trompo.example", "una clave muy larga")
"""Who owns the shared shop: address and password."""
METRICS = {"authorization": "Bearer a token of those who watch the shared shop"}
"""The header that opens the shared shop's `/metrics` and the details of its `/health`."""
WIDTHS = {"320": (320, 640), "1280": (1280, 800)}
ON_A_PHONE = pytest.mark.parametrize("page", ["320"], indirect=True)
"""For a test of what is the same on every screen: its `page` is the smallest phone's alone."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """All tests here are end to end and share the browser's event loop."""
    for item in items:
        if HERE in item.path.parents:
            item.add_marker(pytest.mark.e2e)
            item.add_marker(pytest.mark.asyncio(loop_scope="session"), append=False)


@dataclass
class ShopServer:
    """`python -m storefront.serve` in a process of its own, on a free port, with a data folder of its own.

    It begins with a copy of the data folder `filled`, or fills an empty one itself. `may_fork` says that the process
    may be one that has imported the app already.
    """

    folder: Path
    environment: dict[str, str] = field(default_factory=dict)
    filled: Path | None = None
    may_fork: bool = False
    port: int = field(default_factory=free_port)
    process: subprocess.Popen[bytes] | ForkedShop | None = None

    @property
    def url(self) -> str:
        """Where it answers, without a trailing slash."""
        return f"http://localhost:{self.port}"

    @property
    def log(self) -> str:
        """What it printed since it was made."""
        return self._log_file.read_text()

    @property
    def _log_file(self) -> Path:
        return self.folder / "server.log"

    @property
    def _data_folder(self) -> Path:
        return self.folder / "data"

    @property
    def tokens(self) -> set[str]:
        """The tokens that it made: see `tests.log_guard`."""
        return recorded_tokens(self._token_file)

    @property
    def _token_file(self) -> Path:
        return self.folder / "tokens.txt"

    def require_clean_log(self) -> None:
        """Check that the log holds none of the shop's tokens, no query of an address, and nothing of its shoppers."""
        database = self._data_folder / "trompo.db"
        people = people_in(database) if database.exists() else set()
        assert find_leaks(self.log, self.tokens, people) == []

    def start(self) -> None:
        """Start it and wait until `/health` answers 200."""
        inherited = {name: os.environ[name] for name in ("PATH", "HOME", "LANG") if name in os.environ}
        data = self._data_folder
        if self.filled is not None and not data.exists():
            shutil.copytree(self.filled, data)
        place = {
            "PORT": str(self.port),
            "DATA_DIR": str(data),
            "PYTHONUNBUFFERED": "1",
            TOKEN_FILE: str(self._token_file),
        }
        environment = {**inherited, **place, **self.environment}
        if self.may_fork and can_fork(environment):
            self.process = ForkedShop(environment, ROOT, self._log_file)
        else:
            self._run_command(environment)
        self.wait_until_it_answers()

    def _run_command(self, environment: dict[str, str]) -> None:
        with self._log_file.open("ab") as log:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "tests.recorded_shop"],
                cwd=ROOT,
                env=environment,
                stdout=log,
                stderr=subprocess.STDOUT,
            )

    def wait_until_it_answers(self) -> None:
        """Wait until `/health` answers 200."""
        self._wait_until(self._answers, "did not open")

    def wait_until_it_says(self, text: str) -> None:
        """Wait until its log holds `text`."""
        self._wait_until(lambda: text in self.log, f"did not say {text!r}")

    async def rendered(self, path: str) -> str:
        """The drawn document at `path`, which is kept from now on; a busy machine answers with the shell first."""
        deadline = time.monotonic() + SECONDS_TO_OPEN
        html = ""
        async with httpx.AsyncClient(base_url=self.url) as client:
            while not html or "data-stand-in" in html:  # each answer waits while it is drawn
                assert time.monotonic() < deadline, f"{path} was not drawn"
                html = (await client.get(path)).text
        return html

    def _wait_until(self, reached: Callable[[], bool], failure: str) -> None:
        assert self.process is not None
        deadline = time.monotonic() + SECONDS_TO_OPEN
        while not reached():
            if self.process.poll() is not None or time.monotonic() > deadline:
                pytest.fail(f"the shop {failure}:\n{self.log}")
            time.sleep(0.05)

    def stop(self) -> int:
        """Ask it to close and wait for that. Its log must be clean: see `require_clean_log`.

        Returns:
            Its exit code.
        """
        assert self.process is not None
        self.process.send_signal(signal.SIGTERM)
        try:
            code = self.process.wait(SECONDS_TO_CLOSE)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            pytest.fail(f"the shop did not close within {SECONDS_TO_CLOSE} seconds:\n{self.log}")
        self.require_clean_log()
        return code

    def restart(self) -> None:
        """Stop it and start it again, on the same port and data."""
        self.stop()
        self.start()

    def _answers(self) -> bool:
        try:
            with urlopen(f"{self.url}/health", timeout=5) as answer:
                return bool(answer.status == 200)
        except (URLError, ConnectionError, TimeoutError):
            return False


@dataclass
class Watch:
    """What a page did that no page may do: errors on the console, and requests that leave this machine."""

    expected: list[str] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)

    def expect(self, text: str) -> None:
        """Accept console errors that hold `text`: this test provokes them."""
        self.expected.append(text)

    def over(self, page: Page) -> None:
        """Watch `page` from now on."""
        page.on("console", self._console)
        page.on("pageerror", lambda error: self.problems.append(f"exception: {error.stack or error}"))
        page.on("request", self._request)
        page.on("websocket", self._request)

    def unexpected(self) -> list[str]:
        """The problems that no test expected."""
        return [problem for problem in self.problems if not any(text in problem for text in self.expected)]

    def _console(self, message: ConsoleMessage) -> None:
        if message.type == "error":
            self.problems.append(f"console: {message.text} ({message.location.get('url', '')})")

    def _request(self, request: Request | WebSocket) -> None:
        url = urlsplit(request.url)
        if url.scheme in {"http", "https", "ws", "wss"} and url.hostname not in LOOPBACK:
            self.problems.append(f"request to {url.hostname}: {request.url}")


OpenPage = Callable[[int, int], AbstractAsyncContextManager[Page]]


@pytest.fixture(scope="session")
def production_build() -> None:
    """The pages as they are shipped. `make test` builds them before it tests."""
    if not STAMP.exists():
        pytest.fail("the pages are not built: run `make pages`")


@pytest.fixture(scope="session")
def demo_data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The data folder of a shop with the demo toys that nobody has used."""
    data = tmp_path_factory.mktemp("demo") / "data"
    asyncio.run(prepare(Settings(data_dir=data)))
    return data


@pytest.fixture(scope="session")
def server(
    production_build: None, demo_data: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[ShopServer]:
    """A running shop with the demo toys, shared by the tests of this worker."""
    token = METRICS["authorization"].removeprefix("Bearer ")
    owner = {"ADMIN_EMAIL": STAFF[0], "ADMIN_PASSWORD": STAFF[1], "METRICS_TOKEN": token}
    shop = ShopServer(tmp_path_factory.mktemp("shop"), owner, demo_data, may_fork=True)
    shop.start()
    yield shop
    shop.stop()


@pytest.fixture
def new_server(
    production_build: None, demo_data: Path, tmp_path: Path
) -> Iterator[Callable[..., ShopServer]]:
    """Starts shops that belong to one test, with the environment it gives: `new_server(PUBLIC_URL="https://…")`."""
    started: list[ShopServer] = []

    def start(**environment: str) -> ShopServer:
        folder = tmp_path / f"shop-{len(started)}"
        folder.mkdir()
        filled = None if "DATABASE_URL" in environment else demo_data
        shop = ShopServer(folder, environment, filled, may_fork=True)
        started.append(shop)
        shop.start()
        return shop

    yield start
    for shop in started:
        if shop.process is not None and shop.process.poll() is None:
            shop.stop()


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def browser() -> AsyncIterator[Browser]:
    """Chromium, headless: the one `make test` found or installed."""
    async with async_playwright() as playwright:
        chromium = await launch(playwright)
        yield chromium
        await chromium.close()


@pytest.fixture
def watch() -> Watch:
    """Over every page of this test; ask for it to expect errors that the test provokes."""
    return Watch()


@pytest.fixture
def open_page(browser: Browser, server: ShopServer, watch: Watch) -> OpenPage:
    """Opens watched pages, each with a visitor of its own, in a window of the given width and height."""
    return pages_of(server, browser, watch)


def pages_of(shop: ShopServer, browser: Browser, watch: Watch) -> OpenPage:
    """What opens pages of this shop: see `open_page`."""

    @asynccontextmanager
    async def opened(width: int, height: int) -> AsyncIterator[Page]:
        context = await browser.new_context(
            base_url=shop.url,
            viewport={"width": width, "height": height},
            locale="es-CO",
            timezone_id="America/Bogota",
        )
        page = await context.new_page()
        watch.over(page)
        yield page
        await context.close()
        assert watch.unexpected() == []

    return opened


@pytest_asyncio.fixture(loop_scope="session")
async def page_320(open_page: OpenPage) -> AsyncIterator[Page]:
    """A page on the smallest phone."""
    async with open_page(*WIDTHS["320"]) as page:
        yield page


@pytest_asyncio.fixture(loop_scope="session")
async def page_1280(open_page: OpenPage) -> AsyncIterator[Page]:
    """A page on a desktop."""
    async with open_page(*WIDTHS["1280"]) as page:
        yield page


@pytest_asyncio.fixture(params=WIDTHS, loop_scope="session")
async def page(request: pytest.FixtureRequest, open_page: OpenPage) -> AsyncIterator[Page]:
    """A page on the smallest phone and on a desktop: a test that asks for it runs on both."""
    async with open_page(*WIDTHS[request.param]) as opened:
        yield opened
