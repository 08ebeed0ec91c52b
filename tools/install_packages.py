"""Installs locked packages with uv and says how far it is: `python tools/install_packages.py requirements/run.txt`.

uv downloads and unpacks side by side, in a quarter of pip's time; on a terminal it draws what it downloads. It is
fetched by pip into a temporary folder, unless it is installed. Where it cannot be had or fails, as behind an index that
only pip is told of, pip installs. Needs no package itself.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from pathlib import Path

WIDTH = 78
UV_LOCK = Path(__file__).resolve().parent.parent / "requirements" / "uv.txt"
_FETCHED = re.compile(r"^Collecting ([\w.\-\[\]]+)==")
_INSTALLING = "Installing collected packages"
_PIP = (sys.executable, "-m", "pip", "install", "--require-hashes")


def locked(lock: str) -> int:
    """How many packages the lock names; some may be for other machines."""
    return len(re.findall(r"(?m)^[\w.\-\[\]]+==", lock))


def steps(said: Iterable[str], total: int) -> Iterator[str]:
    """What to tell of pip's lines: which package is fetched, and that they are installed."""
    seen = 0
    for line in said:
        if found := _FETCHED.match(line):
            seen += 1
            yield f"{seen} of {total}: {found[1]}"
        elif line.startswith(_INSTALLING):
            yield f"unpacking {line.count(',') + 1} packages"


def find_uv(folder: Path) -> str | None:
    """The program: the one installed beside this Python, or the locked one, put into `folder`; None if neither."""
    beside = shutil.which("uv", path=str(Path(sys.executable).parent))
    if beside is not None:
        return beside
    fetched = subprocess.run(
        [*_PIP, "--quiet", "--no-deps", "--target", str(folder), "--requirement", str(UV_LOCK)],
        capture_output=True,
        check=False,
    )
    return shutil.which("uv", path=str(folder / "bin")) if fetched.returncode == 0 else None


def with_uv(uv: str, lock: Path) -> bool:
    """Install with uv, from the index that pip is told of in the environment; whether that went well."""
    index = os.environ.get("PIP_INDEX_URL")
    environment = {**({"UV_DEFAULT_INDEX": index} if index else {}), **os.environ}
    command = [
        uv,
        "pip",
        "install",
        "--python",
        sys.executable,
        "--require-hashes",
        "--requirement",
        str(lock),
    ]
    if sys.stdout.isatty():
        return subprocess.run(command, env=environment, check=False).returncode == 0
    return subprocess.run(command, env=environment, capture_output=True, check=False).returncode == 0


def with_pip(lock: Path) -> int:
    """Install with pip. Gives its exit code; what it had to say when it failed is printed."""
    is_watched = sys.stdout.isatty()
    command = [*_PIP, "--progress-bar", "off", "--requirement", str(lock)]
    said: list[str] = []
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as pip:
        for step in steps(_kept(pip.stdout or (), said), locked(lock.read_text())):
            if is_watched:
                print(f"\r  {step:{WIDTH}}", end="", flush=True)
    if is_watched:
        print("\r" + " " * (WIDTH + 2) + "\r", end="")
    if pip.returncode:
        print("".join(said), file=sys.stderr)
    return pip.returncode


def _kept(lines: Iterable[str], said: list[str]) -> Iterator[str]:
    for line in lines:
        said.append(line)
        yield line


def main() -> int:
    """Install what the lock names. Gives the exit code."""
    lock = Path(sys.argv[1])
    begun = time.monotonic()
    with ExitStack() as stack:
        uv = find_uv(Path(stack.enter_context(tempfile.TemporaryDirectory())))
        is_done = uv is not None and with_uv(uv, lock)
    if not is_done:
        print("  uv could not install them: trying pip …", flush=True)
        if failed := with_pip(lock):
            return failed
    print(f"  {lock.name}: done in {time.monotonic() - begun:.0f} s")
    return 0


if __name__ == "__main__":
    sys.exit(main())
