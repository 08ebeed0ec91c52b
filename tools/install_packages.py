"""Installs locked packages and says how far it is: `python tools/install_packages.py requirements/run.txt`.

It runs pip, which is silent for a minute or writes hundreds of lines. On a terminal one line is rewritten with the
package that is being fetched; elsewhere, as in a log, there is a line at the end. Needs no package itself.
"""

import re
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator
from pathlib import Path

WIDTH = 78
_FETCHED = re.compile(r"^Collecting ([\w.\-\[\]]+)==")
_INSTALLING = "Installing collected packages"


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


def _kept(lines: Iterable[str], said: list[str]) -> Iterator[str]:
    for line in lines:
        said.append(line)
        yield line


def main() -> int:
    """Install what the lock names. Gives pip's exit code; what pip had to say when it failed is printed."""
    lock = Path(sys.argv[1])
    begun, is_watched = time.monotonic(), sys.stdout.isatty()
    command = [
        sys.executable,
        "-m",
        "pip",
        "install",
        "--require-hashes",
        "--progress-bar",
        "off",
        "--requirement",
        str(lock),
    ]
    said: list[str] = []
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as pip:
        for step in steps(_kept(pip.stdout or (), said), locked(lock.read_text())):
            if is_watched:
                print(f"\r  {step:{WIDTH}}", end="", flush=True)
    if is_watched:
        print("\r" + " " * (WIDTH + 2) + "\r", end="")
    if pip.returncode:
        print("".join(said), file=sys.stderr)
    else:
        print(f"  {lock.name}: done in {time.monotonic() - begun:.0f} s")
    return pip.returncode


if __name__ == "__main__":
    sys.exit(main())
