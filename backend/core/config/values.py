"""What single settings are made of: the database's address, and secrets that are hard to guess or kept in a file."""

import math
import re
import secrets
import stat
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import parse_qs, unquote, urlsplit

from sqlalchemy.engine import make_url
from sqlalchemy.exc import ArgumentError

from backend.core.config.sources import PROJECT
from backend.core.errors import CannotStart

USUAL_REGION = "us-east-1"
"""What most S3-compatible stores go by that have no regions."""
LEAST_BITS = 190
"""What `bits_of` finds in 32 random bytes at the least, written in hexadecimal digits or in base64."""
HOW_TO_MAKE_ONE = "take what `python -c 'import secrets; print(secrets.token_urlsafe(48))'` prints"

POSTGRESQL, SQLITE = "postgresql+asyncpg", "sqlite+aiosqlite"
DRIVERS = {
    "postgresql": POSTGRESQL,
    "postgres": POSTGRESQL,
    POSTGRESQL: POSTGRESQL,
    "sqlite": SQLITE,
    SQLITE: SQLITE,
}
"""The database of an address, by what it may begin with."""


def async_url(url: str) -> str:
    """The database's address with the driver that the shop uses: `postgres://…` is what many hosts hand out.

    The file of an SQLite database is relative to the project, like the data folder.

    Raises:
        ValueError: it is no address, or that of another kind of database; the message shows nothing of it.
    """
    wanted = ValueError("must be like postgresql://user:password@host/name or sqlite:///file.db")
    try:
        parsed = make_url(url)
    except (ArgumentError, ValueError):
        raise wanted from None
    driver = DRIVERS.get(parsed.drivername)
    if driver is None or not parsed.database:
        raise wanted
    if (
        driver == POSTGRESQL and "sslmode" in parsed.query
    ):  # PostgreSQL's own word for what the driver calls ssl
        mode = parsed.query["sslmode"]
        parsed = parsed.difference_update_query(["sslmode"]).update_query_dict({"ssl": mode})
    if driver == SQLITE:
        parsed = parsed.set(database=str(PROJECT / str(parsed.database)))
    return parsed.set(drivername=driver).render_as_string(hide_password=False)


@dataclass(frozen=True, slots=True)
class S3Address:
    """A place in an S3-compatible store. `prefix` has no slash at its ends and may be empty."""

    endpoint: str
    bucket: str
    prefix: str
    region: str
    key_id: str = field(repr=False)
    secret: str = field(repr=False)


def s3_address(url: str) -> S3Address:
    """The place that `https://KEY:SECRET@HOST/BUCKET/PREFIX?region=REGION` names; prefix and region may be left out.

    Raises:
        ValueError: it is no such address; the message shows nothing of it.
    """
    wanted = ValueError(
        "must be like https://KEY:SECRET@host/bucket or https://KEY:SECRET@host/bucket/folder?region=name"
    )
    try:
        parts = urlsplit(url)
        host, port = parts.hostname, parts.port
        asked = parse_qs(parts.query, strict_parsing=True) if parts.query else {}
    except ValueError:
        raise wanted from None
    bucket, _, prefix = unquote(parts.path).strip("/").partition("/")
    is_whole = parts.scheme in ("http", "https") and host and bucket and parts.username and parts.password
    if not is_whole or asked.keys() - {"region"} or parts.fragment or ".." in prefix.split("/"):
        raise wanted
    return S3Address(
        endpoint=f"{parts.scheme}://{f'[{host}]' if ':' in str(host) else host}{f':{port}' if port else ''}",
        bucket=bucket,
        prefix=prefix.strip("/"),
        region=asked.get("region", [USUAL_REGION])[0],
        key_id=unquote(parts.username or ""),
        secret=unquote(parts.password or ""),
    )


def bits_of(secret: str) -> float:
    """How many bits a secret could hold that is made of as many and as different characters."""
    return len(secret) * math.log2(len(set(secret))) if secret else 0


def private_folder(path: Path) -> None:
    """Make the data folder, which nobody but its owner can enter.

    Raises:
        CannotStart: it cannot be made, or belongs to somebody else.
    """
    made_folder(path)
    try:
        if stat.S_IMODE(path.stat().st_mode) & 0o777 != 0o700:
            path.chmod(0o700)
    except OSError as error:
        raise _no_folder(path, error) from error


def made_folder(path: Path) -> None:
    """Make a folder that the shop writes into, where it is not there yet; nobody but its owner can enter it.

    Raises:
        CannotStart: it cannot be made.
    """
    try:
        path.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise _no_folder(path, error) from error


def _no_folder(path: Path, error: OSError) -> CannotStart:
    return CannotStart(
        f"Trompo cannot start: {path} cannot hold its data ({error.strerror}): name in DATA_DIR a folder that its "
        "user owns, or may make"
    )


def kept_secret(path: Path) -> str:
    """The secret in the file at `path`; made there first when there is none. Safe when two processes start at once."""
    path.parent.mkdir(parents=True, exist_ok=True)
    candidate = path.with_name(f".{path.name}.{secrets.token_hex(8)}")
    candidate.touch(mode=0o600)
    candidate.write_text(secrets.token_urlsafe(48))
    try:
        path.hardlink_to(candidate)  # only the first of several rivals succeeds, and with the whole content
    except FileExistsError:
        pass  # the secret is there already: ours is not needed
    finally:
        candidate.unlink()
    return path.read_text().strip()


def read_synonyms(text: str) -> list[list[str]]:
    """Groups of words that mean the same: one a line, or with semicolons between them; words with commas.

    Raises:
        ValueError: a group does not have two words or more, or one of them is not a single word.
    """
    lines = [line for line in map(str.strip, re.split(r"[;\n]", text)) if line]
    groups = [[word.strip() for word in line.split(",")] for line in lines]
    if any(len(group) == 1 or not all(re.fullmatch(r"\w{2,40}", word) for word in group) for group in groups):
        raise ValueError(
            "must be groups of single words, with commas between words and semicolons between groups"
        )
    return groups
