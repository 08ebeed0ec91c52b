"""`make dev` in a fresh clone, and `reflex run` after a build: each opens a shop in which a product can be bought.

Each runs in a copy of the project with its own data folder. The copy has the locked npm packages as hard links and
creates everything else itself: files that are compiled there do not reach this project.
"""

import os
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx
import pytest
from playwright.async_api import Browser
from reflex_base.constants import Templates

from storefront.server.build import ROOT
from tests.e2e.chromium import close_within_limit
from tests.e2e.shopper import decide_at_bank, expect_status, go_to_bank, prepare_payment
from tests.ports import find_free_port

OPEN_TIMEOUT_S = 240
IGNORED_FILES = shutil.ignore_patterns(
    ".git", ".venv", ".web", "build", "data", ".states", "test-results", ".*_cache", ".hypothesis"
)
"""Generated files in the project's folder."""
PACKAGES = "node_modules"
NPM_FILES = ("package.json", "package-lock.json", "reflex.json")


@dataclass(frozen=True)
class ProjectCopy:
    """A copy of the project, and the ports of its shop."""

    folder: Path
    port: int
    backend_port: int

    @contextmanager
    def run(self, *command: str) -> Iterator[None]:
        """Run the command in the copy until the block ends. The block starts once the shop answers."""
        environment = {
            **{name: os.environ[name] for name in ("PATH", "HOME", "LANG") if name in os.environ},
            "PORT": str(self.port),
            "REFLEX_BACKEND_PORT": str(self.backend_port),
            "DATA_DIR": str(self.folder / "data"),
        }
        environment["PATH"] = f"{self.folder / '.venv/bin'}{os.pathsep}{environment['PATH']}"
        log_file = self.folder / "output.log"
        with log_file.open("wb") as log:
            process = subprocess.Popen(
                command, cwd=self.folder, env=environment, stdout=log, stderr=log, start_new_session=True
            )
        try:
            deadline = time.monotonic() + OPEN_TIMEOUT_S
            while not (self._is_answering("/health") and self._is_answering("/")):
                if process.poll() is not None or time.monotonic() > deadline:
                    pytest.fail(f"{' '.join(command)} did not open the shop:\n{log_file.read_text()}")
                time.sleep(0.2)
            yield
        finally:
            os.killpg(process.pid, signal.SIGTERM)
            try:
                process.wait(15)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()

    def _is_answering(self, path: str) -> bool:
        try:
            return httpx.get(f"http://localhost:{self.port}{path}", timeout=30).status_code == 200
        except httpx.HTTPError:
            return False


@contextmanager
def copy_project(*, is_built: bool) -> Iterator[ProjectCopy]:
    """Copy the project to a folder on the same file system: with its production build, or as a fresh clone."""
    (ROOT / "build").mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(dir=ROOT / "build", prefix="copy-") as name:
        folder = Path(name) / "trompo"
        shutil.copytree(
            ROOT,
            folder,
            ignore=lambda at, names: IGNORED_FILES(at, names) if Path(at) == ROOT else {"__pycache__"},
        )
        (folder / ".venv").symlink_to(ROOT / ".venv", target_is_directory=True)
        web, own = folder / ".web", ROOT / ".web"
        if is_built:
            shutil.copytree(own, web, ignore=shutil.ignore_patterns(PACKAGES))
            shutil.copytree(ROOT / "build", folder / "build", ignore=shutil.ignore_patterns("copy-*"))
        else:
            shutil.copytree(Templates.Dirs.WEB_TEMPLATE, web)
            for file in NPM_FILES:
                shutil.copy(own / file, web)
        shutil.copytree(
            own / PACKAGES,
            web / PACKAGES,
            symlinks=True,
            copy_function=os.link,
            ignore=shutil.ignore_patterns(".vite*", ".cache"),
        )
        yield ProjectCopy(folder, find_free_port(), find_free_port())


@pytest.mark.developing
@pytest.mark.timeout(300)
@pytest.mark.parametrize(
    ("command", "is_built"),
    [
        (("make", "dev", "-o", ".venv/.installed-dev"), False),
        (("reflex", "run", "--frontend-port"), True),
    ],
    ids=["make dev", "reflex run"],
)
async def test_product_is_bought_in_the_development_server(
    browser: Browser, command: tuple[str, ...], is_built: bool
) -> None:
    with copy_project(is_built=is_built) as copy:
        if command[0] == "reflex":
            command = (*command, str(copy.port))
        with copy.run(*command):
            context = await browser.new_context(base_url=f"http://localhost:{copy.port}", locale="es-CO")
            page = await context.new_page()
            page.set_default_timeout(40_000)
            await prepare_payment(page, "yoyo-de-madera")
            await go_to_bank(page)
            await decide_at_bank(page, "approve")
            await expect_status(page, "paid")
            await close_within_limit(context)
