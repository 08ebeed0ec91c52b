"""Packages of Node that tests need, installed once by npm with a lock into the project's `build/` folder."""

import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

BUILD = Path(__file__).parent.parent / "build"
NODE_FOLDER = Path(sys.executable).parent


def environment(**more: str) -> dict[str, str]:
    """The environment with this project's Node before all others."""
    return {**os.environ, "PATH": f"{NODE_FOLDER}{os.pathsep}{os.environ.get('PATH', '')}", **more}


def installed(folder: Path) -> Path:
    """Where the packages that `folder` locks are installed. Rivals may install them too: the first to be done stays."""
    lock = (folder / "package-lock.json").read_bytes()
    place = BUILD / f"{folder.name}-{hashlib.sha256(lock).hexdigest()[:12]}"
    if not place.exists():
        BUILD.mkdir(exist_ok=True)
        fresh = Path(tempfile.mkdtemp(prefix=f"{folder.name}-", dir=BUILD))
        for name in ("package.json", "package-lock.json"):
            shutil.copy(folder / name, fresh)
        npm = ["npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund"]
        subprocess.run(npm, cwd=fresh, env=environment(), check=True, capture_output=True)
        try:
            fresh.rename(place)
        except OSError:
            shutil.rmtree(fresh)
    return place
