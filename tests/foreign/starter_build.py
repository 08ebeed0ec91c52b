"""Builds the platform's official Next.js storefront: unchanged, and with the PSE step of docs/starter-pse.md.

The code is not part of this repository: whoever runs it names a clone of it, bare or not. Its newest commit is taken
out into a folder of its own, and its packages are installed by its own yarn as its lock says.
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

from tests.node_packages import NODE_FOLDER, environment

GUIDE = Path(__file__).parents[2] / "docs" / "starter-pse.md"
SECONDS_TO_INSTALL, SECONDS_TO_BUILD, SECONDS_TO_START, SECONDS_TO_END = 600, 900, 120, 30
BLOCK = re.compile(r"^```tsx?(?: (?P<path>\S+))?\n(?P<code>.*?)^```$", re.MULTILINE | re.DOTALL)
CONSTANTS = Path("src/lib/constants.tsx")
PAYMENT = Path("src/modules/checkout/components/payment/index.tsx")
FIRST_WAY = "  pp_stripe_stripe: {\n"
LAST_IMPORT = "import Divider from "
BUTTON = '          <Button\n            size="large"\n            className="mt-6"\n'
CLASSES = re.compile(r"the button itself gets `(className=\{.*?\})`")


def take_code(source: Path, place: Path) -> str:
    """Write the tree of the newest commit in the clone `source` into `place`.

    Returns:
        The commit.

    Raises:
        subprocess.CalledProcessError: `source` is no clone.
    """

    def git(*words: str) -> bytes:
        return subprocess.run(["git", "-C", source, *words], check=True, capture_output=True).stdout

    with tarfile.open(fileobj=BytesIO(git("archive", "HEAD"))) as tree:
        tree.extractall(place, filter="data")
    return git("rev-parse", "HEAD").decode().strip()


def install(place: Path) -> None:
    """Install the packages that the storefront's lock names, by the yarn that lies in its tree.

    Raises:
        subprocess.CalledProcessError: yarn failed; it has said why.
    """
    (yarn,) = (place / ".yarn" / "releases").glob("yarn-*.cjs")
    subprocess.run(
        [NODE_FOLDER / "node", yarn, "install", "--immutable"],
        cwd=place,
        env=environment(YARN_ENABLE_TELEMETRY="0", YARN_ENABLE_SCRIPTS="0"),
        check=True,
        stdout=subprocess.DEVNULL,
        timeout=SECONDS_TO_INSTALL,
    )


def build(place: Path, said: dict[str, str]) -> None:
    """Build the storefront with its settings. It asks the shop meanwhile.

    Raises:
        subprocess.CalledProcessError: the build failed; it has said why.
    """
    subprocess.run(_next("build"), cwd=place, env=_environment(said), check=True, timeout=SECONDS_TO_BUILD)


@contextmanager
def running(place: Path, port: int, said: dict[str, str]) -> Iterator[None]:
    """The built storefront on `port` of this machine alone.

    Raises:
        TimeoutError: it did not answer.
    """
    started = subprocess.Popen(  # in a group of its own: it starts another process, which outlives it
        _next("start", "--hostname", "127.0.0.1", "--port", str(port)),
        cwd=place,
        env=_environment(said),
        start_new_session=True,
    )
    try:
        _wait_for(f"http://127.0.0.1:{port}", started)
        yield
    finally:
        _end(started)


def add_pse(place: Path, guide: Path = GUIDE) -> None:
    """Do to the storefront's code what the guide says, with the guide's own code.

    Raises:
        ValueError: the guide or the storefront's code is not as it was: a place is missing, or there twice.
    """
    text = guide.read_text()
    blocks = [(found["path"], found["code"]) for found in BLOCK.finditer(text)]
    for path, code in blocks:
        if path:
            file = place / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(code)
    entry, one_import, step = (code for path, code in blocks if not path)
    classes = CLASSES.search(" ".join(text.split()))
    if classes is None:
        raise ValueError(f"{guide.name} does not say what the button gets")
    hidden_button = BUTTON.replace('className="mt-6"', classes[1])
    _put(place / CONSTANTS, FIRST_WAY, entry + FIRST_WAY)
    _put(place / PAYMENT, LAST_IMPORT, one_import + LAST_IMPORT)
    _put(place / PAYMENT, BUTTON, f"{step}\n{hidden_button}")


def _put(file: Path, place: str, code: str) -> None:
    text = file.read_text()
    if text.count(place) != 1:
        raise ValueError(f"{file.name} has {place!r} {text.count(place)} times")
    file.write_text(text.replace(place, code))


def _next(*words: str) -> list[str | os.PathLike[str]]:
    return [NODE_FOLDER / "node", "node_modules/next/dist/bin/next", *words]


def _environment(said: dict[str, str]) -> dict[str, str]:
    return environment(NEXT_TELEMETRY_DISABLED="1", **said)


def _end(started: subprocess.Popen[bytes]) -> None:
    """End the process and those that it started."""
    deadline = time.monotonic() + SECONDS_TO_END
    with suppress(ProcessLookupError):  # nobody of the group is left
        os.killpg(started.pid, signal.SIGTERM)
        while time.monotonic() < deadline:
            started.poll()
            os.killpg(started.pid, 0)
            time.sleep(0.1)
        os.killpg(started.pid, signal.SIGKILL)
    started.wait(SECONDS_TO_END)


def _wait_for(url: str, started: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + SECONDS_TO_START
    while started.poll() is None and time.monotonic() < deadline:
        try:
            httpx.get(url, timeout=60)
        except httpx.TransportError:
            time.sleep(0.2)  # nothing tells when it listens
        else:
            return
    raise TimeoutError(f"no storefront answered at {url}")
