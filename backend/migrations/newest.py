"""The newest migration, found without Alembic, which takes memory and time that a shop has use for only to migrate."""

import re
from functools import cache
from pathlib import Path

FOLDER = Path(__file__).parent / "versions"
_NAMED = re.compile(r"^(revision|down_revision)\b[^=]*= *['\"](\w+)['\"]", re.MULTILINE)


@cache
def newest_migration() -> str:
    """The revision that no other one follows."""
    named: list[tuple[str, str]] = [
        name for file in FOLDER.glob("*.py") for name in _NAMED.findall(file.read_text())
    ]
    followed = {revision for name, revision in named if name == "down_revision"}
    (newest,) = {revision for name, revision in named if name == "revision"} - followed
    return newest
