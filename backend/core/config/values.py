"""Values of single settings: database URLs, S3 addresses, secrets and their strength, folders, synonyms."""

import base64
import binascii
import math
import re
import secrets
import stat
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import parse_qs, unquote, urlsplit

from sqlalchemy.engine import make_url
from sqlalchemy.exc import ArgumentError

from backend.core.config.problems import (
    ProblemKind,
    SettingsError,
    create_problem,
    settings_error,
    value_error,
)
from backend.core.config.sources import PROJECT

DEFAULT_REGION = "us-east-1"
"""Region name that most S3-compatible stores without regions accept."""
MIN_SECRET_BITS = 190
"""Lower limit of `estimate_bits` for 32 random bytes in hexadecimal digits or base64."""
RANDOM_TEXT_COMMAND = "python -c 'import secrets; print(secrets.token_urlsafe(48))'"

POSTGRESQL, SQLITE = "postgresql+asyncpg", "sqlite+aiosqlite"
DRIVERS = {
    "postgresql": POSTGRESQL,
    "postgres": POSTGRESQL,
    POSTGRESQL: POSTGRESQL,
    "sqlite": SQLITE,
    SQLITE: SQLITE,
}
"""SQLAlchemy driver by the scheme of a database URL."""


def to_async_url(url: str) -> str:
    """Return the database's URL with the driver that the shop uses. Hosting companies often use `postgres://…`.

    The path of an SQLite database is relative to the project, like the data folder.

    Raises:
        ValueError: it is not a URL, or not of PostgreSQL or SQLite; the message does not contain it.
    """
    format_error = value_error(ProblemKind.NOT_DATABASE_URL)
    try:
        parsed = make_url(url)
    except (ArgumentError, ValueError):
        raise format_error from None
    driver = DRIVERS.get(parsed.drivername)
    if driver is None or not parsed.database:
        raise format_error
    if (
        driver == POSTGRESQL and "sslmode" in parsed.query
    ):  # PostgreSQL's name for the driver's parameter `ssl`
        mode = parsed.query["sslmode"]
        parsed = parsed.difference_update_query(["sslmode"]).update_query_dict({"ssl": mode})
    if driver == SQLITE:
        parsed = parsed.set(database=str(PROJECT / str(parsed.database)))
    return parsed.set(drivername=driver).render_as_string(hide_password=False)


@dataclass(frozen=True, slots=True)
class S3Address:
    """A location in an S3-compatible store. `prefix` has no slash at its ends and may be empty."""

    endpoint: str
    bucket: str
    prefix: str
    region: str
    key_id: str = field(repr=False)
    secret: str = field(repr=False)


def parse_s3_address(url: str) -> S3Address:
    """Parse `https://KEY:SECRET@HOST/BUCKET/PREFIX?region=REGION`; prefix and region are optional.

    Raises:
        ValueError: it is not such an address; the message does not contain it.
    """
    format_error = value_error(ProblemKind.NOT_S3_ADDRESS)
    try:
        parts = urlsplit(url)
        host, port = parts.hostname, parts.port
        query = parse_qs(parts.query, strict_parsing=True) if parts.query else {}
    except ValueError:
        raise format_error from None
    bucket, _, prefix = unquote(parts.path).strip("/").partition("/")
    is_whole = parts.scheme in ("http", "https") and host and bucket and parts.username and parts.password
    if not is_whole or query.keys() - {"region"} or parts.fragment or ".." in prefix.split("/"):
        raise format_error
    return S3Address(
        endpoint=f"{parts.scheme}://{f'[{host}]' if ':' in str(host) else host}{f':{port}' if port else ''}",
        bucket=bucket,
        prefix=prefix.strip("/"),
        region=query.get("region", [DEFAULT_REGION])[0],
        key_id=unquote(parts.username or ""),
        secret=unquote(parts.password or ""),
    )


def estimate_bits(secret: str) -> float:
    """Return an upper bound of a secret's entropy in bits, from its length and its number of distinct characters."""
    return len(secret) * math.log2(len(set(secret))) if secret else 0


def create_private_folder(path: Path) -> None:
    """Create the data folder if necessary, and set its permissions so that only its owner can enter it.

    Raises:
        SettingsError: it cannot be created, or belongs to another user.
    """
    create_folder(path)
    try:
        if stat.S_IMODE(path.stat().st_mode) & 0o777 != 0o700:
            path.chmod(0o700)
    except OSError as error:
        raise _folder_error(path, error) from error


def create_folder(path: Path) -> None:
    """Create a folder that the shop writes into, unless it exists; only its owner can enter it.

    Raises:
        SettingsError: it cannot be created.
    """
    try:
        path.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise _folder_error(path, error) from error


def _folder_error(path: Path, error: OSError) -> SettingsError:
    return settings_error(
        create_problem(
            ProblemKind.UNUSABLE_FOLDER, folder=path, reason=error.strerror or type(error).__name__
        )
    )


def read_or_create_secret(path: Path) -> str:
    """Return the secret in the file at `path`; create it if necessary. Two processes may do this at the same time."""
    path.parent.mkdir(parents=True, exist_ok=True)
    candidate = path.with_name(f".{path.name}.{secrets.token_hex(8)}")
    candidate.touch(mode=0o600)
    candidate.write_text(secrets.token_urlsafe(48))
    try:
        path.hardlink_to(candidate)  # atomic: only the first process succeeds, and the file is complete
    except FileExistsError:
        pass  # another process created the secret
    finally:
        candidate.unlink()
    return path.read_text().strip()


P256_ORDER = 0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551
"""The number of points of the curve P-256."""


def parse_vapid_key(text: str) -> int:
    """Parse a private key of the curve P-256: base64url of 32 bytes.

    Raises:
        ValueError: it is not such a key; the message does not contain it.
    """
    try:
        key = base64.b64decode(text + "=" * (-len(text) % 4), altchars=b"-_", validate=True)
    except (binascii.Error, ValueError):
        key = b""
    number = int.from_bytes(key, "big")
    if len(key) != 32 or not 0 < number < P256_ORDER:
        raise value_error(ProblemKind.NOT_VAPID_KEY)
    return number


def parse_synonyms(text: str) -> list[list[str]]:
    """Parse groups of synonyms: groups on separate lines or separated by semicolons, words separated by commas.

    Raises:
        ValueError: a group has only one word, or one of its parts is not a word of 2 to 40 letters and digits.
    """
    lines = [line for line in map(str.strip, re.split(r"[;\n]", text)) if line]
    groups = [[word.strip() for word in line.split(",")] for line in lines]
    if any(len(group) == 1 or not all(re.fullmatch(r"\w{2,40}", word) for word in group) for group in groups):
        raise value_error(ProblemKind.NOT_SYNONYMS)
    return groups
