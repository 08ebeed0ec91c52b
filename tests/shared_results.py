"""Files and databases that one worker creates and all workers of a run use."""

import asyncio
import fcntl
import shutil
from collections.abc import Callable, Coroutine
from pathlib import Path


class SharedResults:
    """Results that the workers of a run create once, and share in `folder`."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def create_once(self, name: str, create: Callable[[], object]) -> None:
        """Call `create` unless a worker has called it for this name. Wait if a worker is calling it now.

        If it fails, the next worker calls it again.
        """
        done = self.folder / f"{name}.done"
        with (self.folder / f"{name}.lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not done.exists():
                create()
                done.touch()

    def create_file(self, name: str, create: Callable[[Path], object]) -> Path:
        """Create a file or folder with `create` unless a worker has already created it. Return its path."""
        path = self.folder / name
        self.create_once(name, lambda: create(path))
        return path

    def create_copy(
        self, name: str, source: Path, change: Callable[[str], Coroutine[None, None, None]]
    ) -> Path:
        """Return the path of a copy of an SQLite file. `change` is called once, with the copy's URL."""

        def create(file: Path) -> None:
            shutil.copyfile(source, file)
            asyncio.run(change(f"sqlite+aiosqlite:///{file}"))

        return self.create_file(name, create)
