"""Packages of Node that tests need: `python -m tests.node_packages` installs what their locks say into `build/`.

`make test` does so before it tests, so that no test waits for a registry.
"""

import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).parent
BUILD = HERE.parent / "build"
NODE_FOLDER = Path(sys.executable).parent
LOCK = "package-lock.json"
NPM_CI = (
    *("npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--prefer-offline"),
    *("--fetch-retries=4", "--fetch-timeout=30000"),  # milliseconds: a registry that hangs is asked again
)
SECONDS_TO_INSTALL = 300
ONLY_WHEN_ASKED = HERE / "foreign" / "platform_dashboard"
"""What `make try-dashboard` installs: no test needs it."""


def environment(**more: str) -> dict[str, str]:
    """The environment with this project's Node before all others."""
    return {**os.environ, "PATH": f"{NODE_FOLDER}{os.pathsep}{os.environ.get('PATH', '')}", **more}


def installed(folder: Path) -> Path:
    """Where the packages that `folder` locks are installed.

    Raises:
        FileNotFoundError: they are not: `make packages` installs them.
    """
    place = _place_of(folder)
    if not place.exists():
        raise FileNotFoundError(f"the packages of {folder} are not installed: run `make packages`")
    return place


def install(folder: Path) -> None:
    """Install the packages that `folder` locks, unless they are.

    Raises:
        subprocess.CalledProcessError: npm failed; it has said why.
        subprocess.TimeoutExpired: npm did not end.
    """
    place = _place_of(folder)
    if place.exists():
        return
    print(f"  {folder.name}", flush=True)
    BUILD.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=f"{folder.name}-", dir=BUILD) as beside:
        fresh = Path(beside) / "fresh"
        fresh.mkdir()
        for name in ("package.json", LOCK):
            shutil.copy(folder / name, fresh)
        subprocess.run(
            NPM_CI,
            cwd=fresh,
            env=environment(),
            check=True,
            stdout=subprocess.DEVNULL,
            timeout=SECONDS_TO_INSTALL,
        )
        if not place.exists():
            fresh.rename(place)


def _place_of(folder: Path) -> Path:
    return BUILD / f"{folder.name}-{hashlib.sha256((folder / LOCK).read_bytes()).hexdigest()[:12]}"


if __name__ == "__main__":
    for lock in sorted(HERE.rglob(LOCK)):
        if lock.parent != ONLY_WHEN_ASKED:
            install(lock.parent)
