"""Node packages that tests need: `python -m tests.node_packages` installs the locked versions into `build/`.

`make test` runs it before the tests, so that no test waits for a registry.
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
    *(
        "--fetch-retries=4",
        "--fetch-timeout=30000",
    ),  # milliseconds: a request to a hanging registry is repeated
)
INSTALL_TIMEOUT_S = 300
DASHBOARD_FOLDER = HERE / "foreign" / "platform_dashboard"
"""Folder of the packages that only `make try-dashboard` installs: no test needs them."""
PEER_FOLDER = HERE / "bench" / "peer" / "platform_backend"
"""Folder of the packages that only `make bench-peer` installs."""


def node_environment(**variables: str) -> dict[str, str]:
    """Return the environment with this project's Node first in the PATH."""
    return {**os.environ, "PATH": f"{NODE_FOLDER}{os.pathsep}{os.environ.get('PATH', '')}", **variables}


def find_packages(folder: Path) -> Path:
    """Return the folder into which the packages of `folder`'s lock file were installed.

    Raises:
        FileNotFoundError: they are not installed; `make packages` installs them.
    """
    target = _packages_folder(folder)
    if not target.exists():
        raise FileNotFoundError(f"the packages of {folder} are not installed: run `make packages`")
    return target


def install_packages(folder: Path) -> None:
    """Install the packages of `folder`'s lock file, if they are not installed yet.

    Raises:
        subprocess.CalledProcessError: npm failed; it has printed the reason.
        subprocess.TimeoutExpired: npm did not finish.
    """
    target = _packages_folder(folder)
    if target.exists():
        return
    print(f"  {folder.name}", flush=True)
    BUILD.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=f"{folder.name}-", dir=BUILD) as temporary:
        fresh = Path(temporary) / "fresh"
        fresh.mkdir()
        for name in ("package.json", LOCK):
            shutil.copy(folder / name, fresh)
        subprocess.run(
            NPM_CI,
            cwd=fresh,
            env=node_environment(),
            check=True,
            stdout=subprocess.DEVNULL,
            timeout=INSTALL_TIMEOUT_S,
        )
        if not target.exists():
            fresh.rename(target)


def _packages_folder(folder: Path) -> Path:
    return BUILD / f"{folder.name}-{hashlib.sha256((folder / LOCK).read_bytes()).hexdigest()[:12]}"


if __name__ == "__main__":
    for lock in sorted(HERE.rglob(LOCK)):
        if lock.parent not in {DASHBOARD_FOLDER, PEER_FOLDER}:
            install_packages(lock.parent)
