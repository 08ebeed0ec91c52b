"""`make dev` in a fresh clone, and `reflex run` where the shop was built before: each opens, and a toy is bought there.

Each runs in a copy of the project with a data folder of its own. The copy has the npm packages as they are locked, by
hard links, and everything else anew: what is compiled there is not compiled here.
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
from tests.e2e.shopper import be_ready_to_pay, decide, expect_status, go_to_bank
from tests.ports import free_port

SECONDS_TO_OPEN = 240
KEPT_OUT = shutil.ignore_patterns(
    ".git", ".venv", ".web", "build", "data", ".states", "test-results", ".*_cache", ".hypothesis"
)
"""Of the project's folder: what is made there."""
PACKAGES = "node_modules"
WRITTEN_BY_NPM = ("package.json", "package-lock.json", "reflex.json")


@dataclass(frozen=True)
class Copy:
    """A copy of the project, and where its shop answers."""

    folder: Path
    port: int
    backend_port: int

    @contextmanager
    def running(self, *command: str) -> Iterator[None]:
        """Run the command there until the block ends; the shop answers when it begins."""
        environment = {
            **{name: os.environ[name] for name in ("PATH", "HOME", "LANG") if name in os.environ},
            "PORT": str(self.port),
            "REFLEX_BACKEND_PORT": str(self.backend_port),
            "DATA_DIR": str(self.folder / "data"),
        }
        environment["PATH"] = f"{self.folder / '.venv/bin'}{os.pathsep}{environment['PATH']}"
        said = self.folder / "said.log"
        with said.open("wb") as log:
            process = subprocess.Popen(
                command, cwd=self.folder, env=environment, stdout=log, stderr=log, start_new_session=True
            )
        try:
            deadline = time.monotonic() + SECONDS_TO_OPEN
            while not (self._answers("/health") and self._answers("/")):
                if process.poll() is not None or time.monotonic() > deadline:
                    pytest.fail(f"{' '.join(command)} did not open the shop:\n{said.read_text()}")
                time.sleep(0.2)
            yield
        finally:
            os.killpg(process.pid, signal.SIGTERM)
            try:
                process.wait(15)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()

    def _answers(self, path: str) -> bool:
        try:
            return httpx.get(f"http://localhost:{self.port}{path}", timeout=30).status_code == 200
        except httpx.HTTPError:
            return False


@contextmanager
def copy_of_the_project(*, is_built: bool) -> Iterator[Copy]:
    """The project beside itself, on the same file system: after its production build, or as it was cloned."""
    (ROOT / "build").mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(dir=ROOT / "build", prefix="copy-") as name:
        folder = Path(name) / "trompo"
        shutil.copytree(
            ROOT,
            folder,
            ignore=lambda at, names: KEPT_OUT(at, names) if Path(at) == ROOT else {"__pycache__"},
        )
        (folder / ".venv").symlink_to(ROOT / ".venv", target_is_directory=True)
        web, own = folder / ".web", ROOT / ".web"
        if is_built:
            shutil.copytree(own, web, ignore=shutil.ignore_patterns(PACKAGES))
            shutil.copytree(ROOT / "build", folder / "build", ignore=shutil.ignore_patterns("copy-*"))
        else:
            shutil.copytree(Templates.Dirs.WEB_TEMPLATE, web)
            for file in WRITTEN_BY_NPM:
                shutil.copy(own / file, web)
        shutil.copytree(
            own / PACKAGES,
            web / PACKAGES,
            symlinks=True,
            copy_function=os.link,
            ignore=shutil.ignore_patterns(".vite*", ".cache"),
        )
        yield Copy(folder, free_port(), free_port())


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
async def test_a_toy_is_bought_where_the_shop_is_developed(
    browser: Browser, command: tuple[str, ...], is_built: bool
) -> None:
    with copy_of_the_project(is_built=is_built) as copy:
        if command[0] == "reflex":
            command = (*command, str(copy.port))
        with copy.running(*command):
            context = await browser.new_context(base_url=f"http://localhost:{copy.port}", locale="es-CO")
            page = await context.new_page()
            page.set_default_timeout(40_000)
            await be_ready_to_pay(page, "yoyo-de-madera")
            await go_to_bank(page)
            await decide(page, "approve")
            await expect_status(page, "paid")
            await context.close()
