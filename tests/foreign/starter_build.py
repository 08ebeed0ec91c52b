"""Build of the platform's official Next.js storefront: unchanged, and with the PSE step of docs/starter-pse.md.

The code is not part of this repository: the caller names a clone of it, bare or not. Its newest commit is written
to a separate folder, and its packages are installed by its own yarn with its lock file.
"""

import os
import re
import signal
import subprocess
import tarfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from io import BytesIO
from pathlib import Path

import httpx

from tests.node_packages import NODE_FOLDER, node_environment

GUIDE = Path(__file__).parents[2] / "docs" / "starter-pse.md"
INSTALL_TIMEOUT_S, BUILD_TIMEOUT_S, START_TIMEOUT_S, STOP_TIMEOUT_S = 600, 900, 120, 30
BLOCK = re.compile(r"^```tsx?(?: (?P<path>\S+))?\n(?P<code>.*?)^```$", re.MULTILINE | re.DOTALL)
CONSTANTS = Path("src/lib/constants.tsx")
PAYMENT = Path("src/modules/checkout/components/payment/index.tsx")
FIRST_PAYMENT_OPTION = "  pp_stripe_stripe: {\n"
LAST_IMPORT = "import Divider from "
BUTTON = '          <Button\n            size="large"\n            className="mt-6"\n'
CLASSES = re.compile(r"the button itself gets `(className=\{.*?\})`")


def take_code(source: Path, folder: Path) -> str:
    """Write the tree of the newest commit in the clone `source` into `folder`.

    Returns:
        The commit.

    Raises:
        subprocess.CalledProcessError: `source` is no clone.
    """

    def git(*arguments: str) -> bytes:
        return subprocess.run(["git", "-C", source, *arguments], check=True, capture_output=True).stdout

    with tarfile.open(fileobj=BytesIO(git("archive", "HEAD"))) as tree:
        tree.extractall(folder, filter="data")
    return git("rev-parse", "HEAD").decode().strip()


def install(folder: Path) -> None:
    """Install the packages of the storefront's lock file, with the yarn in its tree.

    Raises:
        subprocess.CalledProcessError: yarn failed and has printed the reason.
    """
    (yarn,) = (folder / ".yarn" / "releases").glob("yarn-*.cjs")
    subprocess.run(
        [NODE_FOLDER / "node", yarn, "install", "--immutable"],
        cwd=folder,
        env=node_environment(YARN_ENABLE_TELEMETRY="0", YARN_ENABLE_SCRIPTS="0"),
        check=True,
        stdout=subprocess.DEVNULL,
        timeout=INSTALL_TIMEOUT_S,
    )


def build(folder: Path, settings: dict[str, str]) -> None:
    """Build the storefront with its settings. It queries the shop during the build.

    Raises:
        subprocess.CalledProcessError: the build failed and has printed the reason.
    """
    subprocess.run(
        _next_command("build"),
        cwd=folder,
        env=_build_environment(settings),
        check=True,
        timeout=BUILD_TIMEOUT_S,
    )


@contextmanager
def run_storefront(folder: Path, port: int, settings: dict[str, str]) -> Iterator[None]:
    """Run the built storefront on `port` of this machine only.

    Raises:
        TimeoutError: it did not answer.
    """
    process = subprocess.Popen(  # in a new process group: it starts another process, which outlives it
        _next_command("start", "--hostname", "127.0.0.1", "--port", str(port)),
        cwd=folder,
        env=_build_environment(settings),
        start_new_session=True,
    )
    try:
        _wait_for(f"http://127.0.0.1:{port}", process)
        yield
    finally:
        _stop(process)


def add_pse(folder: Path, guide: Path = GUIDE) -> None:
    """Change the storefront's code as the guide says, with the guide's own code.

    Raises:
        ValueError: the guide or the storefront's code has changed: a place is missing or occurs twice.
    """
    text = guide.read_text()
    blocks = [(found["path"], found["code"]) for found in BLOCK.finditer(text)]
    for path, code in blocks:
        if path:
            file = folder / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(code)
    entry, one_import, step = (code for path, code in blocks if not path)
    classes = CLASSES.search(" ".join(text.split()))
    if classes is None:
        raise ValueError(f"{guide.name} does not state the button's classes")
    hidden_button = BUTTON.replace('className="mt-6"', classes[1])
    _replace_once(folder / CONSTANTS, FIRST_PAYMENT_OPTION, entry + FIRST_PAYMENT_OPTION)
    _replace_once(folder / PAYMENT, LAST_IMPORT, one_import + LAST_IMPORT)
    _replace_once(folder / PAYMENT, BUTTON, f"{step}\n{hidden_button}")


def _replace_once(file: Path, anchor: str, code: str) -> None:
    text = file.read_text()
    if text.count(anchor) != 1:
        raise ValueError(f"{file.name} has {anchor!r} {text.count(anchor)} times")
    file.write_text(text.replace(anchor, code))


def _next_command(*arguments: str) -> list[str | os.PathLike[str]]:
    return [NODE_FOLDER / "node", "node_modules/next/dist/bin/next", *arguments]


def _build_environment(settings: dict[str, str]) -> dict[str, str]:
    return node_environment(NEXT_TELEMETRY_DISABLED="1", **settings)


def _stop(process: subprocess.Popen[bytes]) -> None:
    """End the process group."""
    deadline = time.monotonic() + STOP_TIMEOUT_S
    with suppress(ProcessLookupError):  # the whole group has ended
        os.killpg(process.pid, signal.SIGTERM)
        while time.monotonic() < deadline:
            process.poll()
            os.killpg(process.pid, 0)
            time.sleep(0.1)
        os.killpg(process.pid, signal.SIGKILL)
    process.wait(STOP_TIMEOUT_S)


def _wait_for(url: str, process: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + START_TIMEOUT_S
    while process.poll() is None and time.monotonic() < deadline:
        try:
            httpx.get(url, timeout=60)
        except httpx.TransportError:
            time.sleep(0.2)  # poll: the process sends no signal when it listens
        else:
            return
    raise TimeoutError(f"no storefront answered at {url}")
