"""Which addresses are files of the build, and which are pages."""

from pathlib import Path

NO_NAMES = frozenset({".html", ".br", ".gz", ".zst"})
"""What is not asked for by its name: documents, for pages have their own addresses, and a file's compressed copies."""


class Files:
    """The files of the build by their address, read once: the build does not change while the shop is open."""

    def __init__(self, folder: Path) -> None:
        files = [
            path.relative_to(folder)
            for path in folder.rglob("*")
            if path.is_file() and not NO_NAMES.intersection(path.suffixes)
        ]
        self._paths = {f"/{path.as_posix()}" for path in files}
        self._folders = {path.parts[0] for path in files if len(path.parts) > 1}

    def has(self, path: str) -> bool:
        """Whether a file has this address (decoded)."""
        return path in self._paths

    def should_have(self, path: str) -> bool:
        """Whether the address lies in a folder of files, so that no page can have it."""
        return path.removeprefix("/").partition("/")[0] in self._folders
